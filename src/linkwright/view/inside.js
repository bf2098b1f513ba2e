// The server inside a saved page: viser's client talks to this object instead of a socket.
// It plays recorded poses; all poses of one instant go out as one batch, so that no part is seen at another's time.
(function () {
  "use strict";

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

  const ARRAYS = { f4: Float32Array, f8: Float64Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array };

  // {"$b": …, "$t": …} stands for an array of numbers
  function revive(x) {
    if (x === null || typeof x !== "object") return x;
    if (x.$b !== undefined) return new ARRAYS[x.$t](bytes(x.$b).buffer);
    if (Array.isArray(x)) return x.map(revive);
    return Object.fromEntries(Object.entries(x).map(([key, value]) => [key, revive(value)]));
  }

  const floats = (x) => (x ? new Float32Array(bytes(x).buffer) : null);

  async function unpacked(text) {
    const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  function turned(q, v) {
    const [w, x, y, z] = q;
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [
      v[0] + w * t[0] + y * t[2] - z * t[1],
      v[1] + w * t[1] + z * t[0] - x * t[2],
      v[2] + w * t[2] + x * t[1] - y * t[0],
    ];
  }

  class Player {
    constructor(film, send) {
      this.film = film;
      this.send = send;
      this.t = floats(film.t);
      this.movers = film.movers.map((m) => ({
        name: m.name, p: floats(m.p), q: floats(m.q), s: floats(m.s), v: m.v && m.v.map(floats), c: m.c,
      }));
      this.plots = film.plots.map((plot) => ({ ...plot, curves: plot.curves.map(floats) }));
      this.plotTimes = floats(film.plotTimes);
      this.time = this.t[0];
      this.shown = 0;
      this.playing = this.t.length > 1;
      this.speed = 1;
      this.followed = null;
      this.camera = null;
      this.told = -Infinity;
      this.traced = 0;
      window.linkwright = this; // for whoever wants to look inside
    }

    start() {
      let last = performance.now();
      const tick = (now) => {
        if (this.playing) {
          this.time += ((now - last) / 1000) * this.speed;
          if (this.time > this.t[this.t.length - 1]) this.time = this.t[0];
          this.show(false);
        }
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }

    seek(time) {
      this.playing = false;
      this.time = Math.min(Math.max(time, this.t[0]), this.t[this.t.length - 1]);
      this.show(true);
      const batch = [];
      this.update(batch, this.film.gui.button, { label: "Play" });
      this.send(batch);
    }

    frame(time) {
      let low = 0, high = this.t.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.t[middle] <= time + 1e-6) low = middle; else high = middle - 1;
      }
      return low;
    }

    show(sought) {
      const k = this.frame(this.time), before = this.shown, batch = [];
      if (k !== before) {
        for (const m of this.movers) this.pose(m, before, k, batch);
        this.shown = k;
        if (this.followed !== null) this.moveCamera(before, k, batch);
      }
      if (sought || Math.abs(this.time - this.told) > 0.1 * this.speed) {
        this.told = this.time;
        this.update(batch, this.film.gui.slider, { value: this.time });
        for (const plot of this.plots) this.update(batch, plot.uuid, { data: this.plotted(plot) });
      }
      if (batch.length) this.send(batch);
    }

    pose(m, before, k, batch) {
      const differ = (a, n) => {
        for (let j = 0; j < n; j++) if (a[n * before + j] !== a[n * k + j]) return true;
        return false;
      };
      const at = (a, n) => Array.from(a.subarray(n * k, n * k + n));
      const updates = {};
      if (m.p && differ(m.p, 3)) batch.push({ type: "SetPositionMessage", name: m.name, position: at(m.p, 3), owner: "" });
      if (m.q && differ(m.q, 4)) batch.push({ type: "SetOrientationMessage", name: m.name, wxyz: at(m.q, 4), owner: "" });
      if (m.s && differ(m.s, 3)) updates.scale = at(m.s, 3);
      if (m.v) updates.vertices = m.v[k];
      if (m.c) updates.color = m.c[k];
      if (Object.keys(updates).length) batch.push({ type: "SceneNodeUpdateMessage", name: m.name, updates, owner: "" });
    }

    update(batch, uuid, updates) {
      if (uuid) batch.push({ type: "GuiUpdateMessage", uuid, updates });
    }

    plotted(plot) {
      const now = new Float64Array(this.plotTimes.length).fill(plot.low - 1000 * (plot.high - plot.low));
      let k = 0;
      while (k < now.length - 1 && this.plotTimes[k] < this.time) k++;
      now[k] = plot.high;
      return [this.plotTimes, ...plot.curves, now].map((a) => Float64Array.from(a));
    }

    // the place of a point of a body at an instant
    place(point, k) {
      const m = this.movers[point.mover];
      const v = turned(m.q.subarray(4 * k, 4 * k + 4), point.p);
      return [0, 1, 2].map((j) => m.p[3 * k + j] + v[j]);
    }

    moveCamera(before, k, batch) {
      if (!this.camera) return;
      const a = this.place(this.followed, before), b = this.place(this.followed, k);
      for (const key of ["position", "look_at"]) this.camera[key] = this.camera[key].map((x, j) => x + b[j] - a[j]);
      batch.push({ type: "SetCameraPositionMessage", position: this.camera.position, initial: false });
      batch.push({ type: "SetCameraLookAtMessage", look_at: this.camera.look_at, initial: false });
    }

    trace(label) {
      const point = this.film.points[label], lines = revive(this.film.line);
      const points = new Float32Array(6 * (this.t.length - 1));
      for (let k = 0; k + 1 < this.t.length; k++) {
        points.set([...this.place(point, k), ...this.place(point, k + 1)], 6 * k);
      }
      lines.name = `/traces/${label}`;
      lines.props.points = points;
      lines.props.visible = true;
      this.send([lines, { type: "SetSceneNodeVisibilityMessage", name: lines.name, visible: true, owner: "" }]);
    }

    // what the client says: widgets, clicks, the camera
    hear(message) {
      const gui = this.film.gui, batch = [];
      if (message.type === "ViewerCameraMessage") {
        this.camera = { position: [...message.position], look_at: [...message.look_at] };
      } else if (message.type === "SceneNodeClickMessage" && this.film.names[message.name]) {
        this.update(batch, gui.names, { content: this.film.names[message.name], _markdown: this.film.names[message.name] });
      } else if (message.type === "GuiUpdateMessage") {
        const value = message.updates.value;
        if (message.uuid === gui.button) {
          if (!this.playing && this.time >= this.t[this.t.length - 1]) this.time = this.t[0];
          this.playing = !this.playing;
          this.update(batch, gui.button, { label: this.playing ? "Pause" : "Play" });
        } else if (message.uuid === gui.slider) {
          this.seek(value);
        } else if (message.uuid === gui.speed) {
          this.speed = parseFloat(value);
        } else if (message.uuid === gui.follow) {
          this.followed = this.film.points[value] || null;
        } else if (message.uuid === gui.trace && this.film.points[value]) {
          this.trace(value);
        } else if (this.film.layers[message.uuid]) {
          for (const name of this.film.layers[message.uuid]) {
            batch.push({ type: "SetSceneNodeVisibilityMessage", name, visible: value, owner: "" });
          }
        }
      }
      if (batch.length) this.send(batch);
    }
  }

  class Inside extends EventTarget {
    constructor() {
      super();
      this.onmessage = null;
      this.player = null;
    }

    out(data) {
      const event = new MessageEvent("message", { data });
      if (this.onmessage) this.onmessage(event);
      this.dispatchEvent(event);
    }

    async postMessage(said) {
      if (said.type === "set_server" && this.player === null) {
        this.player = false;
        const film = await unpacked(window.linkwrightFilm);
        const player = new Player(film, (messages) => this.out({ type: "message_batch", messages }));
        this.out({ type: "connected" });
        this.out({ type: "message_batch", messages: film.scene.map(revive) });
        this.player = player;
        player.start();
      } else if (said.type === "send" && this.player) {
        this.player.hear(said.message);
      }
    }

    terminate() {}
  }

  // the client's first worker is its socket
  const Real = window.Worker;
  let first = true;
  window.Worker = function (url, options) {
    if (first) {
      first = false;
      return new Inside();
    }
    return new Real(url, options);
  };
})();
