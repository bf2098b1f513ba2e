// The server inside a page: viser's client talks to this object instead of a socket.
// What it shows is a `Show`: a player of recorded poses, or a mechanism that runs; all poses of one instant go out as
// one batch, so that no part is seen at another's time.
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

  // a vector turned by a unit quaternion, scalar first
  function turned(q, v) {
    const [w, x, y, z] = q;
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [
      v[0] + w * t[0] + y * t[2] - z * t[1],
      v[1] + w * t[1] + z * t[0] - x * t[2],
      v[2] + w * t[2] + x * t[1] - y * t[0],
    ];
  }

  // unit quaternions, scalar first: the turn back, and one turn after another
  const inverse = ([w, x, y, z]) => [w, -x, -y, -z];
  const product = ([a, b, c, d], [w, x, y, z]) => [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
    a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];

  // a phone held upright: all of the mechanism is seen, and the panel begins folded
  const upright = () => window.innerWidth < 0.75 * window.innerHeight && window.innerWidth < 576;

  function seenUpright(film) {
    for (const message of film.scene) {
      if (message.type === "SetCameraPositionMessage") message.position = film.upright.position;
      if (message.type === "SetCameraLookAtMessage") message.look_at = film.upright.look_at;
    }
  }

  // a click on the panel's head folds it; the head is there once the client has drawn it
  function fold(title, tries = 100) {
    const head = [...document.querySelectorAll("div")].find((element) => element.style.cursor === "pointer" &&
      element.textContent.trim() === title);
    if (head) head.click();
    else if (tries) setTimeout(() => fold(title, tries - 1), 100);
  }

  // What all pages have in common: the camera, names of parts, layers that are switched, lines.
  class Show {
    constructor(film, send) {
      this.film = film;
      this.send = send;
      this.speed = 1;
      this.followed = null;
      this.camera = null;
      this.turns = {}; // of nodes that letters are on, scalar first
      for (const letter of film.letters) if (letter.parent) this.turns[letter.parent] = letter.turn;
      window.linkwright = this; // for whoever wants to look inside
    }

    update(batch, uuid, updates) {
      if (uuid) batch.push({ type: "GuiUpdateMessage", uuid, updates });
    }

    say(batch, uuid, text) {
      this.update(batch, uuid, { _markdown: text });
    }

    // the camera goes with a point that has moved
    moveCamera(from, to, batch) {
      if (!this.camera) return;
      for (const key of ["position", "look_at"]) this.camera[key] = this.camera[key].map((x, j) => x + to[j] - from[j]);
      batch.push({ type: "SetCameraPositionMessage", position: this.camera.position, initial: false });
      batch.push({ type: "SetCameraLookAtMessage", look_at: this.camera.look_at, initial: false });
    }

    // turn a node; letters on it are turned back by `face`
    turn(name, wxyz, batch) {
      if (this.turns[name]) this.turns[name] = wxyz;
      batch.push({ type: "SetOrientationMessage", name, wxyz, owner: "" });
    }

    // letters face the camera; those on bodies that move only, or all
    face(all, batch) {
      if (!this.camera) return;
      for (const { name, parent } of this.film.letters) {
        if (!all && !parent) continue;
        const wxyz = parent ? product(inverse(this.turns[parent]), this.camera.wxyz) : this.camera.wxyz;
        batch.push({ type: "SetOrientationMessage", name, wxyz, owner: "" });
      }
    }

    // a line through points, as numbers x, y, z one after another
    drawLine(name, points, batch) {
      const lines = revive(this.film.line), count = points.length / 3 - 1;
      if (count < 1) return;
      const segments = new Float32Array(6 * count);
      for (let k = 0; k < count; k++) segments.set(points.slice(3 * k, 3 * k + 6), 6 * k);
      lines.name = name;
      lines.props.points = segments;
      batch.push(lines, { type: "SetSceneNodeVisibilityMessage", name, visible: true, owner: "" });
    }

    hide(name, batch) {
      batch.push({ type: "SetSceneNodeVisibilityMessage", name, visible: false, owner: "" });
    }

    // what the client says: widgets, clicks, the camera
    hear(message) {
      const batch = [];
      if (message.type === "ViewerCameraMessage") {
        this.camera = { ...message, position: [...message.position], look_at: [...message.look_at] };
        this.face(true, batch);
      } else if (message.type === "SceneNodeClickMessage" && this.film.names[message.name]) {
        this.say(batch, this.film.gui.names, this.film.names[message.name]);
      } else if (message.type === "GuiUpdateMessage") {
        if (this.film.layers[message.uuid]) {
          for (const name of this.film.layers[message.uuid]) {
            batch.push({ type: "SetSceneNodeVisibilityMessage", name, visible: message.updates.value, owner: "" });
          }
        } else if (message.uuid === this.film.gui.speed) {
          this.speed = parseFloat(message.updates.value);
        } else {
          this.widget(message.uuid, message.updates.value, batch);
        }
      }
      if (batch.length) this.send(batch);
    }
  }

  class Inside extends EventTarget {
    constructor() {
      super();
      this.onmessage = null;
      this.show = null;
    }

    out(data) {
      const event = new MessageEvent("message", { data });
      if (this.onmessage) this.onmessage(event);
      this.dispatchEvent(event);
    }

    async postMessage(said) {
      if (said.type === "set_server" && this.show === null) {
        this.show = false;
        const film = await unpacked(window.linkwrightFilm);
        const show = await window.linkwrightTools.begin(film, (messages) => this.out({ type: "message_batch", messages }));
        if (upright()) {
          seenUpright(film);
          fold(document.title.trim());
        }
        this.out({ type: "connected" });
        this.out({ type: "message_batch", messages: film.scene.map(revive) });
        this.show = show;
        show.start();
      } else if (said.type === "send" && this.show) {
        this.show.hear(said.message);
      }
    }

    terminate() {}
  }

  // `begin(film, send)` is set by the script that follows
  window.linkwrightTools = { bytes, revive, floats, turned, unpacked, Show, begin: null };

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
