// A mechanism that runs: its steps are functions of a WebAssembly module over the memory of one lane, with the bits of
// an ordinary simulation; poses, plots and forces are programs of the same module.
(function () {
  "use strict";

  const { bytes, turned, Show } = window.linkwrightTools;
  const PAGE = 65536, STARTING = -1, RUNNING = 0, DONE = 1, INSTANT = 9;
  const POINTS = 2000; // of a curve or a trace; beyond, every second one is dropped
  const PATIENCE = 30; // milliseconds of computing a picture, or half of what a picture takes
  const HOLD = 1 / 60; // seconds for which the force of the mouse stays the same
  const GAP = 20; // seconds beyond which time is not made up for: the machine was asleep

  const doubles = (text) => new Float64Array(bytes(text).buffer);
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const size = (a) => Math.sqrt(dot(a, a));
  // matrices are nine numbers, row by row
  const apply = (R, v) => [dot(R.slice(0, 3), v), dot(R.slice(3, 6), v), dot(R.slice(6, 9), v)];
  const back = (R, v) => [0, 1, 2].map((j) => R[j] * v[0] + R[3 + j] * v[1] + R[6 + j] * v[2]);

  function quaternion(R) {
    const [a, b, c, d, e, f, g, h, i] = R, trace = a + e + i;
    let q;
    if (trace >= a && trace >= e && trace >= i) q = [1 + trace, h - f, c - g, d - b];
    else if (a >= e && a >= i) q = [h - f, 1 + 2 * a - trace, b + d, c + g];
    else if (e >= i) q = [c - g, b + d, 1 + 2 * e - trace, f + h];
    else q = [d - b, c + g, f + h, 1 + 2 * i - trace];
    const norm = Math.hypot(...q);
    return q.map((x) => x / norm);
  }

  const unit = (q) => q.map((x) => x / Math.hypot(...q));

  function matrix([w, x, y, z]) {
    return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
      1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
  }

  // rows of numbers at some places, at another place between them
  function between(at, rows, value) {
    let k = 0;
    while (k < at.length - 2 && value > at[k + 1]) k++;
    const part = (value - at[k]) / (at[k + 1] - at[k]);
    return rows[k].map((x, j) => x + part * (rows[k + 1][j] - x));
  }

  // The stepper: a trial step reaches beyond the time that is shown, and is accepted when that comes to its end.
  class Stepper {
    constructor(run, functions, memory) {
      this.run = run;
      this.call = functions;
      this.at = run.first;
      this.base = run.room;
      this.work = this.base + 8 * run.slots;
      this.told = this.work + 8 * run.nWork;
      this.asked = this.told + 8 * run.nTold;
      this.S = new Float64Array(memory.buffer, this.base, run.slots);
      this.whole = new BigInt64Array(memory.buffer, this.base, run.slots); // the same, where there are whole numbers
      this.out = new Float64Array(memory.buffer, this.told, run.nTold);
      this.arguments = new Float64Array(memory.buffer, this.asked, run.nArguments);
      this.start = doubles(run.start);
      this.given = this.start.slice(1 + run.n); // the inputs beside time and state
      this.reset(run.target);
    }

    static async made(run) {
      const room = run.room + 8 * (run.slots + run.nWork + run.nTold + run.nArguments);
      const memory = new WebAssembly.Memory({ initial: Math.ceil(room / PAGE) + 1 });
      const env = {
        __linear_memory: memory,
        __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, run.room),
        __indirect_function_table: new WebAssembly.Table({ initial: 1, element: "anyfunc" }),
      };
      const { instance } = await WebAssembly.instantiate(bytes(run.code), { env });
      return new Stepper(run, instance.exports, memory);
    }

    get status() { return this.count("doing"); }

    // where the run stands
    get t() { return this.S[this.at.t]; }

    count(name) { return Number(this.whole[this.at[name]]); }

    set(name, value) { this.whole[this.at[name]] = BigInt(value); }

    do(name) { this.call[name](this.base); }

    // a program of the model, from the input of the step into the place for results
    tell(role) { this.call[`model_${role}`](this.base + 8 * this.at.input, this.told, this.work); }

    // the same from arguments that differ from it
    ask(role) { this.call[`model_${role}`](this.asked, this.told, this.work); }

    reset(target) {
      const { S, run } = this;
      S.set(doubles(run.lane));
      this.set("work", this.work);
      this.target = target;
      for (const k of run.kept) this.given[k - 1 - run.n] = this.start[k];
      this.begin(this.start[0], this.start.subarray(1, 1 + run.n));
    }

    begin(t, x) {
      const { S, at } = this;
      S[at.t] = S[at.input] = t;
      S[at.target] = S[at.horizon] = this.target;
      S.set(x, at.input + 1);
      S.set(this.given, at.input + 1 + this.run.n);
      for (const [name, value] of [["doing", STARTING], ["fresh", 0], ["changed", 1], ["jumped", 1], ["points", 0],
        ["trying", 0]]) this.set(name, value);
      this.do("begin");
      // a run with events closes loops to rounding with its first step, which is tried here, so that it is shown so
      this.advance(t, Infinity); // the first step is tried: it closes loops to rounding, and the start is shown so
    }

    // go on from a time that has been reached, with inputs that have changed
    restart(time) {
      const { S, at, run } = this;
      this.look(time);
      // what the model itself keeps among its inputs stays
      for (const k of run.kept) this.given[k - 1 - run.n] = S[at.input + k];
      this.begin(time, S.slice(at.input + 1, at.input + 1 + run.n));
    }

    // as far as a time, or until the clock says so; where it has come
    advance(until, deadline) {
      while (this.status === RUNNING) {
        if (this.pending) {
          if (this.S[this.at.end] > until) return until;
          this.do("accept_attempt");
          this.decide();
          continue;
        }
        if (performance.now() > deadline) return Math.min(this.t, until);
        this.do("attempt");
        this.decide();
      }
      return Math.min(this.t, until);
    }

    // whether a step is tried, and not accepted
    get pending() { return this.count("trying") !== 0; }

    // an instant that the run has come to
    decide() { if (this.run.switching && this.status === INSTANT) this.do("decide"); }

    // the state at a time within the trial step becomes the input of programs; else it is where the run stands
    look(time) {
      const { S, at } = this;
      if (!this.pending) return;
      S[at.fraction] = (time - S[at.t0]) / (S[at.t1] - S[at.t0]);
      this.do("point");
    }
  }

  class Runner extends Show {
    constructor(film, send, stepper) {
      super(film, send);
      this.stepper = stepper;
      this.run = film.run;
      this.time = stepper.t;
      this.playing = true;
      this.told = this.drawn = -Infinity;
      this.pace = 1;
      this.bent = window.linkwrightTools.revive(film.run.bent);
      this.largest = {}; // lengths of arrow heads so far
      this.traced = null;
      this.clear();
    }

    clear() {
      this.curves = this.film.plots.map((plot) => plot.places.map(() => []));
      this.plotTimes = [];
      this.every = 0;
      this.tracePoints = [];
    }

    start() {
      this.listen();
      let last = performance.now();
      // what passes while the page is not looked at is not made up for; slow pictures do not slow the mechanism
      document.addEventListener("visibilitychange", () => { last = performance.now(); });
      const tick = (now) => {
        const passed = Math.min((now - last) / 1000, GAP) * this.speed;
        if (this.playing && passed > 0) {
          const before = this.time;
          this.go(before + passed, performance.now() + Math.max(PATIENCE, (now - last) / 2));
          this.pace += 0.1 * ((this.time - before) / passed - this.pace);
          this.show();
          if (this.stepper.status !== RUNNING) this.end();
        }
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      this.show();
    }

    // as far as a time, with a point of every curve and a new force of the mouse on the way, however seldom a picture
    // comes
    go(until, deadline) {
      while (this.time < until && this.stepper.status === RUNNING) {
        let next = this.curves.length || this.traced ? Math.min(until, this.time + this.speed / 30) : until;
        if (this.pull) {
          this.pullOn();
          next = Math.min(until, this.time + HOLD);
        }
        this.time = this.stepper.advance(next, deadline);
        if (this.time < next) return;
        this.look();
      }
    }

    // --- for whoever looks inside ---

    // the state after a run from the start to a time, as a simulation has it
    runTo(stop) {
      const { stepper } = this;
      stepper.reset(stop);
      stepper.advance(stop, Infinity);
      const state = Array.from(stepper.S.subarray(stepper.at.input + 1, stepper.at.input + 1 + this.run.n));
      const done = stepper.status === DONE;
      this.reset();
      return { done, state };
    }

    reset() {
      this.startAnew();
      this.stepper.reset(this.run.target);
      this.time = this.stepper.t;
      this.clear();
      this.show();
    }

    // what decides where the model starts has its own value there: nobody searches for another start here
    startAnew() {
      const { stepper, run } = this, batch = [];
      for (const [uuid, place] of Object.entries(run.sliders)) {
        const own = stepper.start[place], at = place - 1 - run.n;
        if (!run.deciding.includes(place) || stepper.given[at] === own) continue;
        stepper.given[at] = own;
        this.update(batch, uuid, { value: own });
      }
      if (!batch.length) return;
      this.resize();
      this.send(batch);
    }

    // set an input or parameter by its number among the inputs
    set(place, value) {
      const { stepper, run } = this;
      stepper.given[place - 1 - run.n] = value;
      if (run.resized.some((shape) => shape.sliders.some((slider) => slider.place === place))) this.resize();
      stepper.restart(this.time);
      if (stepper.status !== RUNNING) this.end();
    }

    end() {
      const batch = [], { S, at } = this.stepper;
      this.playing = false;
      this.update(batch, this.film.gui.button, { label: "Run" });
      const why = this.stepper.status === this.run.eventful ? "the run ends here"
        : this.run.reasons[this.stepper.count("cause")] || "the run cannot go on";
      this.say(batch, this.film.gui.clock, `**stopped at t = ${S[at.t].toFixed(3)} s**: ${why}. Reset to begin again.`);
      this.send(batch);
    }

    // --- poses ---

    show() {
      const batch = [], followed = this.followed && this.point(this.followed);
      this.look();
      this.run.bodies.forEach((b, k) => this.place(b.name, this.bodies[k].p, quaternion(this.bodies[k].R), batch));
      this.face(false, batch);
      for (const item of this.run.items) this.stretch(item, batch);
      for (const ring of this.run.painted) this.paint(ring, batch);
      this.bend(batch);
      if (this.pull) this.drawLine("/pull", [...this.held(), ...this.pull.target], batch);
      if (followed) this.moveCamera(followed, this.point(this.followed), batch);
      this.note(batch);
      this.send(batch);
    }

    // where everything is at the present time, and the points of curves
    look() {
      const { stepper } = this;
      stepper.look(this.time);
      stepper.tell("scene");
      this.bodies = this.run.bodies.map((b) => ({
        p: Array.from(stepper.out.subarray(b.p, b.p + 3)), R: Array.from(stepper.out.subarray(b.R, b.R + 9)),
      }));
      const count = this.plotTimes.length;
      if (count === 0 || this.time >= this.plotTimes[count - 1] + this.every) {
        this.plotTimes.push(this.time);
        this.film.plots.forEach((plot, k) => plot.places.forEach((p, j) => this.curves[k][j].push(stepper.out[p])));
        if (this.traced) this.tracePoints.push(...this.point(this.traced.point));
        if (this.plotTimes.length > POINTS) this.thin();
        if (this.tracePoints.length > 3 * POINTS) this.tracePoints.splice(0, 3);
      }
    }

    thin() {
      const half = (a) => a.filter((_, k) => k % 2 === 0);
      this.plotTimes = half(this.plotTimes);
      this.curves = this.curves.map((lines) => lines.map(half));
      this.every = 0.99 * (this.plotTimes[1] - this.plotTimes[0]);
    }

    place(name, position, wxyz, batch) {
      batch.push({ type: "SetPositionMessage", name, position, owner: "" });
      this.turn(name, wxyz, batch);
    }

    value(place) { return Array.from(this.stepper.out.subarray(place[0], place[0] + place[1])); }

    frame(f) {
      if (f === null) return { p: [0, 0, 0], R: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
      if (f.body < 0) return f;
      const body = this.bodies[f.body], R = [];
      for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) {
        R.push(dot(body.R.slice(3 * i, 3 * i + 3), [f.R[j], f.R[3 + j], f.R[6 + j]]));
      }
      return { p: add(body.p, apply(body.R, f.p)), R };
    }

    // a moving point (see view/scene_data.py)
    point(point) {
      const { p: origin, R } = this.frame(point.frame);
      let p = add(origin, apply(R, point.offset));
      if (point.place) p = add(p, this.value(point.place));
      if (!point.variable) return p;
      let value = times([...this.value(point.variable), 0, 0].slice(0, 3), point.scale);
      if (point.toward) {
        const line = minus(this.frame(point.toward).p, p);
        return add(p, times(line, value[0] / Math.max(size(line), 1e-9)));
      }
      if (point.direction) value = times(point.direction, value[0]);
      return add(p, apply(this.frame(point.axes).R, value));
    }

    // a shape between two moving points
    stretch(item, batch) {
      const start = this.point(item.start), line = minus(this.point(item.end), start), length = size(line);
      const x = length < 1e-9 ? [1, 0, 0] : times(line, 1 / length);
      let z = cross(x, apply(this.frame(item.rollFrame).R, item.roll));
      for (const other of [[0, 0, 1], [1, 0, 0]]) if (size(z) < 1e-3) z = cross(x, other);
      z = times(z, 1 / size(z));
      const y = cross(z, x), inside = (v) => (item.beyond ? v : Math.min(Math.max(v, 0), length));
      const begin = inside(item.cutBegin[0] * length + item.cutBegin[1]);
      const extent = inside(item.cutEnd[0] * length + item.cutEnd[1]) - begin;
      let scale = [Math.max(extent, 1e-6), item.scale[1], item.scale[2]];
      if (item.kind === "cone") {
        const full = (this.largest[item.name] = Math.max(this.largest[item.name] || 1e-9, extent));
        scale = [scale[0], ...scale.slice(1).map((s) => s * Math.min(Math.max(extent / full, 1e-3), 1))];
      }
      if (extent <= 1e-9) scale = [1e-6, 1e-6, 1e-6];
      const R = [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
      this.place(item.name, add(start, times(x, begin)), quaternion(R), batch);
      batch.push({ type: "SceneNodeUpdateMessage", name: item.name, updates: { scale }, owner: "" });
    }

    // a colour that follows a field
    paint(ring, batch) {
      const field = this.value(ring.place), T = ring.weights.reduce((sum, w, k) => sum + w * field[k], 0);
      const part = Math.min(Math.max((T - ring.low) / (ring.high - ring.low), 0), 1);
      const color = ring.colours[Math.floor(part * (ring.colours.length - 1))];
      if (color !== ring.shown) batch.push({ type: "SceneNodeUpdateMessage", name: ring.name, updates: { color }, owner: "" });
      ring.shown = color;
    }

    // surfaces of parts that bend, and the colours of their patches
    bend(batch) {
      if (!this.bent.length) return;
      this.stepper.tell("bends");
      for (const { place, base, index, weight, level, patches } of this.bent) {
        const told = this.stepper.out.subarray(place[0], place[0] + place[1]);
        const whole = sums(told, base, index, weight), levels = level && sizes(told, level, whole.length / 3);
        for (const patch of patches) {
          const { name, own } = patch, updates = { vertices: whole };
          if (own) {
            updates.vertices = new Float32Array(3 * own.length);
            own.forEach((k, j) => updates.vertices.set(whole.subarray(3 * k, 3 * k + 3), 3 * j));
            const mean = own.reduce((sum, k) => sum + levels[k], 0) / own.length, last = level.map.length - 1;
            const color = level.map[Math.round(Math.min(Math.max(mean / level.most, 0), 1) * last)];
            if (color !== patch.shown) updates.color = color;
            patch.shown = color;
          }
          batch.push({ type: "SceneNodeUpdateMessage", name, updates, owner: "" });
        }
      }
    }

    // sizes and places of shapes that follow sliders, each in proportion between the values that they were made for
    resize() {
      const { stepper, run } = this, batch = [];
      for (const shape of run.resized) {
        const sum = { p: null, q: null, s: null };
        for (const slider of shape.sliders) {
          const { at } = slider, value = stepper.given[slider.place - 1 - run.n];
          const first = stepper.start[slider.place];
          for (const key of ["p", "q", "s"]) {
            if (!slider[key].length) continue;
            const now = between(at, slider[key], value), then = between(at, slider[key], first);
            sum[key] = (sum[key] || then).map((x, j) => x + now[j] - then[j]);
          }
        }
        const item = run.items.find((i) => i.name === shape.name), part = run.parts.find((i) => i.name === shape.name);
        if (item) item.scale = sum.s;
        if (part) Object.assign(part, { p: sum.p, R: matrix(unit(sum.q)), scale: sum.s });
        if (item) continue;
        this.place(shape.name, sum.p, unit(sum.q), batch);
        batch.push({ type: "SceneNodeUpdateMessage", name: shape.name, updates: { scale: sum.s }, owner: "" });
      }
      if (batch.length) this.send(batch);
    }

    // the clock, curves that grow, the trace
    note(batch) {
      const now = performance.now();
      if (now - this.told > 150) {
        this.told = now;
        const slow = this.playing && this.pace < 0.9 ? `, ${(this.pace * this.speed).toFixed(2)} × real time` : "";
        this.say(batch, this.film.gui.clock, `t = ${this.time.toFixed(2)} s${slow}`);
        this.film.plots.forEach((plot, k) => {
          const data = [this.plotTimes, ...this.curves[k]].map((a) => Float64Array.from(a));
          this.update(batch, plot.uuid, { data });
        });
        if (this.traced) this.drawLine(this.traced.name, this.tracePoints, batch);
      }
    }

    widget(uuid, value, batch) {
      const gui = this.film.gui;
      if (uuid === gui.button) {
        if (!this.playing && this.stepper.status !== RUNNING) this.reset();
        this.playing = !this.playing;
        this.update(batch, gui.button, { label: this.playing ? "Pause" : "Run" });
      } else if (uuid === gui.reset) {
        this.reset();
      } else if (uuid === gui.follow) {
        this.followed = this.film.points[value] || null;
      } else if (uuid === gui.trace) {
        if (this.traced) this.hide(this.traced.name, batch);
        this.traced = this.film.points[value] ? { name: `/traces/${value}`, point: this.film.points[value] } : null;
        this.tracePoints = [];
      } else if (this.run.sliders[uuid] !== undefined) {
        this.set(this.run.sliders[uuid], value);
        if (!this.playing) this.show();
      }
    }

    // --- pulling a part with the mouse ---

    listen() {
      const within = (event) => event.target instanceof HTMLCanvasElement && !event.target.closest(".uplot");
      const mine = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };
      window.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || !within(event) || !this.camera) return;
        const hit = this.pick(this.ray(event));
        if (hit === null) return;
        const batch = [];
        this.say(batch, this.film.gui.names, this.film.names[hit.name] || "");
        this.send(batch);
        if (this.run.push === null) return;
        mine(event);
        this.pull = { body: hit.body, p: hit.p, depth: hit.distance, target: null };
        this.pull.target = this.held();
      }, true);
      window.addEventListener("pointermove", (event) => {
        if (!this.pull) return;
        mine(event);
        const { origin, direction } = this.ray(event), forward = turned(this.camera.wxyz, [0, 0, 1]);
        // the mouse moves the target in the plane through the point, parallel to the screen
        const depth = dot(minus(this.held(), origin), forward) / dot(direction, forward);
        this.pull.target = add(origin, times(direction, depth));
      }, true);
      for (const name of ["pointerup", "pointercancel"]) {
        window.addEventListener(name, (event) => {
          if (!this.pull) return;
          mine(event);
          this.letGo();
        }, true);
      }
    }

    letGo() {
      this.pull = null;
      const [first, count] = this.run.forces, batch = [];
      this.stepper.given.fill(0, first - 1 - this.run.n, first - 1 - this.run.n + count);
      this.stepper.restart(this.time);
      this.hide("/pull", batch);
      this.send(batch);
    }

    // where the point is that is pulled
    held() {
      const body = this.bodies[this.pull.body];
      return add(body.p, apply(body.R, this.pull.p));
    }

    ray(event) {
      const { camera } = this, box = document.querySelector("canvas").getBoundingClientRect();
      const x = (2 * (event.clientX - box.left)) / box.width - 1, y = (2 * (event.clientY - box.top)) / box.height - 1;
      const slope = Math.tan(camera.fov / 2);
      const direction = turned(camera.wxyz, [x * slope * (box.width / box.height), y * slope, 1]);
      return { origin: [...camera.position], direction: times(direction, 1 / size(direction)) };
    }

    // the nearest part that moves, along a ray: its node, its body, the point in the body's axes
    pick({ origin, direction }) {
      let best = null;
      for (const part of this.run.parts) {
        const f = this.frame({ body: part.body, p: part.p, R: part.R });
        const o = back(f.R, minus(origin, f.p)), d = back(f.R, direction);
        const t = nearest(this.mesh(part.name), part.scale, o, d);
        if (t < (best ? best.distance : Infinity)) {
          const body = this.bodies[part.body], at = add(origin, times(direction, t));
          best = { name: part.name, body: part.body, distance: t, p: back(body.R, minus(at, body.p)) };
        }
      }
      return best;
    }

    mesh(name) {
      this.meshes = this.meshes || new Map();
      if (!this.meshes.has(name)) {
        const message = this.film.scene.find((m) => m.name === name && m.props && m.props.vertices);
        const { vertices, faces } = window.linkwrightTools.revive(message.props);
        this.meshes.set(name, { vertices, faces });
      }
      return this.meshes.get(name);
    }

    // The force that lets the point follow the mouse like a critically damped spring, whatever its mass: the point's
    // acceleration per unit of force is asked from the equations of motion, loops included.
    pullOn() {
      const { stepper, run } = this, { S, at, out, arguments: input } = stepper, [first, count] = run.forces;
      const p = this.held(), omega = run.push.rate, axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      stepper.look(this.time);
      input.set(S.subarray(at.input, at.input + run.nIn));
      const wrench = input.subarray(run.nIn);
      // f = Jᵀ w of unit forces at the point
      const rows = axes.map((e) => {
        wrench.fill(0);
        wrench.set([...cross(minus(p, this.bodies[this.pull.body].p), e), ...e], 6 * this.pull.body);
        stepper.ask("push");
        return Array.from(out.subarray(0, count));
      });
      const accelerations = (f) => {
        input.set(f, first);
        stepper.ask("rhs");
        return Array.from(out.subarray(run.speeds[0], run.speeds[0] + count));
      };
      const rest = accelerations(new Array(count).fill(0));
      const along = (row, a) => row.reduce((sum, r, k) => sum + r * a[k], 0);
      const A = rows.map((f) => {
        const change = accelerations(f).map((a, k) => a - rest[k]);
        return rows.map((row) => along(row, change));
      });
      const u = Array.from(input.subarray(1 + run.speeds[0], 1 + run.speeds[0] + count));
      const v = rows.map((row) => along(row, u));
      const own = rows.map((row) => along(row, rest)); // what the point would do by itself
      let wanted = minus(minus(times(minus(this.pull.target, p), omega * omega), times(v, 2 * omega)), own);
      const most = omega * omega * run.push.reach;
      if (size(wanted) > most) wanted = times(wanted, most / size(wanted));
      const F = solved(A, wanted), place = first - 1 - run.n;
      for (let k = 0; k < count; k++) stepper.given[place + k] = rows[0][k] * F[0] + rows[1][k] * F[1] + rows[2][k] * F[2];
      stepper.restart(this.time);
    }
  }

  // (A + ε)⁻¹ b of a symmetric 3 × 3 matrix that may be singular: directions in which nothing moves get no force
  function solved(A, b) {
    const e = 1e-2 * Math.max(A[0][0] + A[1][1] + A[2][2], 1e-12);
    const M = A.map((row, i) => row.map((a, j) => (a + A[j][i]) / 2 + (i === j ? e : 0)));
    const determinant = dot(M[0], cross(M[1], M[2]));
    return [0, 1, 2].map((k) => {
      const N = M.map((row, i) => row.map((a, j) => (j === k ? b[i] : a)));
      return dot(N[0], cross(N[1], N[2])) / determinant;
    });
  }

  // how far along a ray the nearest triangle of a scaled mesh is (Möller and Trumbore 1997)
  function nearest({ vertices, faces }, scale, o, d) {
    const at = (k) => [0, 1, 2].map((j) => vertices[3 * k + j] * scale[j]);
    let best = Infinity;
    for (let k = 0; k < faces.length; k += 3) {
      const a = at(faces[k]), e1 = minus(at(faces[k + 1]), a), e2 = minus(at(faces[k + 2]), a);
      const h = cross(d, e2), det = dot(e1, h);
      if (Math.abs(det) < 1e-18) continue;
      const s = minus(o, a), u = dot(s, h) / det, q = cross(s, e1), v = dot(d, q) / det, t = dot(e2, q) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && t > 1e-9 && t < best) best = t;
    }
    return best;
  }

  // base + Σ weight · told[index], as many terms for each
  function sums(told, base, index, weight) {
    const terms = weight.length / base.length, out = Float32Array.from(base);
    for (let j = 0, m = 0; j < out.length; j++) {
      let sum = out[j];
      for (const end = m + terms; m < end; m++) sum += weight[m] * told[index[m]];
      out[j] = sum;
    }
    return out;
  }

  // what colours each vertex: a number, the length of a displacement, or von Mises's of stresses xx yy zz xy yz zx
  function sizes(told, { base, index, weight }, count) {
    const found = sums(told, base, index, weight), each = found.length / count, out = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      const [x, y, z, a, b, c] = found.subarray(each * k, each * k + each);
      if (each === 1) out[k] = Math.abs(x);
      else if (each === 3) out[k] = Math.hypot(x, y, z);
      else out[k] = Math.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (a ** 2 + b ** 2 + c ** 2));
    }
    return out;
  }

  window.linkwrightTools.begin = async (film, send) => new Runner(film, send, await Stepper.made(film.run));
})();
