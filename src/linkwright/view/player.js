// A player of recorded poses.
(function () {
  "use strict";

  const { floats, turned, Show } = window.linkwrightTools;

  class Player extends Show {
    constructor(film, send) {
      super(film, send);
      this.t = floats(film.t);
      this.movers = film.movers.map((m) => ({
        name: m.name, p: floats(m.p), q: floats(m.q), s: floats(m.s), v: m.v && m.v.map(floats), c: m.c,
      }));
      this.plots = film.plots.map((plot) => ({ ...plot, curves: plot.curves.map(floats) }));
      this.plotTimes = floats(film.plotTimes);
      this.time = this.t[0];
      this.shown = 0;
      this.playing = this.t.length > 1;
      this.told = -Infinity;
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
        this.face(false, batch);
        this.shown = k;
        if (this.followed !== null) this.moveCamera(this.place(this.followed, before), this.place(this.followed, k), batch);
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
      if (m.q && differ(m.q, 4)) this.turn(m.name, at(m.q, 4), batch);
      if (m.s && differ(m.s, 3)) updates.scale = at(m.s, 3);
      if (m.v) updates.vertices = m.v[k];
      if (m.c) updates.color = m.c[k];
      if (Object.keys(updates).length) batch.push({ type: "SceneNodeUpdateMessage", name: m.name, updates, owner: "" });
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

    trace(label, batch) {
      const points = [];
      for (let k = 0; k < this.t.length; k++) points.push(...this.place(this.film.points[label], k));
      this.drawLine(`/traces/${label}`, points, batch);
    }

    widget(uuid, value, batch) {
      const gui = this.film.gui;
      if (uuid === gui.button) {
        if (!this.playing && this.time >= this.t[this.t.length - 1]) this.time = this.t[0];
        this.playing = !this.playing;
        this.update(batch, gui.button, { label: this.playing ? "Pause" : "Play" });
      } else if (uuid === gui.slider) {
        this.seek(value);
      } else if (uuid === gui.follow) {
        this.followed = this.film.points[value] || null;
      } else if (uuid === gui.trace && this.film.points[value]) {
        this.trace(value, batch);
      }
    }
  }

  window.linkwrightTools.begin = (film, send) => new Player(film, send);
})();
