"""The stepper as Python sees it: set up, run in chunks, look at what was computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ..codegen import function_address
from ..errors import ModelError
from .accepted_points import Force, Points
from .beside import LANE
from .compiled_model import Model, Options, check_grid, check_start
from .computed import Computed
from .far import N_OF_PAIR
from .method_in_use import MethodInUse
from .methods import choose
from .record import (
    BEFORE,
    EVENT,
    FAILED,
    FAILURES,
    G_CROSSED,
    G_SENSE,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_SAMPLES,
    N_VECTORS,
    N_WITNESS_ROWS,
    OTHER_METHOD,
    PAUSED,
    PIECE,
    REACHED,
    STEP,
    STRAINED,
    WEIGHT,
    point_at,
    side_by_side,
)  # fmt: skip
from .tolerances import CLOCK, LEAST_KEPT, PAUSE_SECONDS

if TYPE_CHECKING:
    from .own_code import Kind


class Through(Protocol):
    """Who takes a run through its instants: calls the loop, and reads afterwards what has happened."""

    def call(self, loop: Callable[[int, int], int]) -> int: ...

    def read(self) -> None: ...


class Event(NamedTuple):
    """Witnesses that changed sign at `t`: (index, +1 rising or −1 falling) each, and the states on both sides."""

    t: float
    crossings: list[tuple[int, int]]
    t_before: float
    x_before: np.ndarray
    x_after: np.ndarray


class Stepper(Computed):
    """Integrates ẋ = f(t, x), x = (q, u, z), for a compiled model; stops and resumes anywhere.

    method       a name in METHODS, or "auto", which goes on with radau where that is stiff, if the model has the
                 linearised equations
    model        see Model
    inputs       the input vector (t, x, rest) to start from.  It belongs to the caller, who may change rest and state
                 through `inputs` and `x` between runs or in `on_pause`
    options      see Options
    every_stage  project at every stage, not only at the end of a step
    on_strain    called after a completed step at which the strain is positive, or a singular position comes near or
                 is left behind, and after a change of method, with the stepper; it may change `inputs` or the code

    Example: ẍ = −x from x = 1 for half a turn; `rhs` is a function of the dialect (any compiled one will do)

        @compiled
        def rhs(i: real[3], o: real[3], w: real[1]) -> None:
            o[0], o[1], o[2] = i[2], -i[1], 1.0

    >>> from linkwright.integrate.examples import rhs
    >>> s = Stepper("auto", Model({"rhs": rhs.address}, sizes=(1, 1, 0), n_in=3), [0.0, 1.0, 0.0])
    >>> s.run(np.pi, grid=[0.0, np.pi]), s.grid_x[:, 0].round(6).tolist()
    ('end', [1.0, -1.0])
    """

    def __init__(self, method: str, model: Model, inputs: Sequence[float] | np.ndarray, options: Options | None = None,
                 every_stage: bool = False, on_strain: Callable[[Stepper], None] | None = None):
        options = options or Options()
        chosen = choose(method, options.accuracy, options.h)
        start = np.asarray(inputs, dtype=float)
        check_start(model, start)
        self.model, self.on_strain = model, on_strain
        self.n = n = model.n
        #: called where no step succeeds; returns True where it has changed something and the step is to be tried again
        self.on_failure: Callable[[Stepper], bool] | None = None
        #: most attempted steps between two pauses, for callers who act on the run; None: as many as fit into 50 ms
        self.at_once: int | None = None
        #: who takes the run through its instants in compiled code (see `Through`)
        self.through: Through | None = None
        #: messages of those who changed its code during the run
        self.messages: list[str] = []
        self.event: Event | None = None
        self.failure: tuple[float, str, str] | None = None
        self._strained = False  # whether `on_strain` is still to be called
        self.keep_steps = options.keep_steps
        #: time from which on steps are kept
        self.kept_from = float(start[0])
        self._allocate()
        self._inputs[:] = start
        self._vectors[WEIGHT] = 1.0 if options.weights is None else options.weights
        self._g[G_SENSE, : len(model.senses)] = model.senses

        nq, nu, nz = model.sizes
        self.use(model.functions, every_stage)
        self._r.put(
            n=n, nq=nq, nu=nu, nz=nz, n_events=len(model.senses), n_bases=model.n_bases, n_far=model.pairs[0],
            n_laws=model.n_laws[0],
            n_law_bases=model.n_laws[1], has_health=model.width > n, max_norm=options.norm == "max",
            identity_qdot=model.plain_speeds, bare=not (model.functions.get("project")
            or model.functions.get("prescribe") or len(model.quaternions)), fixed=options.h is not None, begins=1,
            t=self.t, h=options.h or 0.0, time_tolerance=options.event_tolerance, time_scale=options.time_scale or 1.0)
        self.aim(options.accuracy)
        self._methods = MethodInUse(model, chosen, method == "auto" and options.h is None, on_strain is not None,
                                    self._r, self.t)
        self._method_changed()
        self._advance = self._load_pieces()

    def _allocate(self) -> None:
        """The arrays that compiled code works in."""
        model, n = self.model, self.n
        n_witnesses, n_laws = len(model.senses) + model.n_bases, sum(model.n_laws)
        # in one piece, so that code of its own knows where they lie (`own_code`)
        (self._memory, self._in, self._out, self._vectors, self._k, self._dense, self._g, self._laws) = side_by_side(
            (STEP.layout.slots + LANE.layout.slots,),
            # an error vector for project_error follows the inputs, and what is known of pairs that are far
            (model.n_in + n + N_OF_PAIR * model.pairs[0],),
            (max(model.n_out, n + 3, 2 * max(n_witnesses, n_laws) + N_SAMPLES),), (N_VECTORS, n),
            (MAX_STAGES, model.width), (N_DENSE_ROWS, n), (N_WITNESS_ROWS, max(n_witnesses, 1)),
            (N_WITNESS_ROWS, max(n_laws, 1)))
        self._r = STEP.at(self._memory)
        #: where the record lies; what a run knows of its events, for who takes it through them
        self.address = self._memory.ctypes.data
        self.beside = LANE.at(self._memory[STEP.layout.slots :])
        self._inputs = self._in[: model.n_in]
        self._work = np.zeros(max(model.n_work, 1))
        self._quaternions = np.ascontiguousarray(model.quaternions, dtype=np.int64)
        self._carry_from = np.ascontiguousarray(model.carry[0], dtype=np.int64)
        self._pair_of = np.ascontiguousarray(model.pairs[1], dtype=np.int64)
        self._carry_to = np.ascontiguousarray([*model.carry[1], *model.updated], dtype=np.int64)
        point_at(self._r.at, inp=self._in, out=self._out, quaternions=self._quaternions, slopes=self._k,
                 dense=self._dense, witnesses=self._g, laws=self._laws, carry_from=self._carry_from,
                 carry_to=self._carry_to, pair_of=self._pair_of)
        self._r.at.put(n_in=model.n_in, n_carried=len(self._carry_from), n_carry=len(self._carry_to))
        self._points = Points(n, len(self._carry_to))
        self._grid, self._grid_x = np.empty(0), np.empty((0, n))
        self._pointed: dict[str, np.ndarray] = {}
        self._kind: Kind | None = None
        self._seen: bytes | None = None  # the inputs as compiled code left them
        self._chunk = 16
        self._events_reported = 0

    def _load_pieces(self) -> Callable[[int, int], int]:
        """Compiled code, each piece if this run can need it; the loop is what Python calls."""
        from . import jit, loop, manifold, root_finding, short_features

        r = self._r
        r.pieces.power = function_address("approximate_power")
        if r.n_events:
            r.pieces.locate = jit.load(root_finding.locate).address
        r.pieces.manifold = jit.load(manifold.manifold).address
        if r.n_laws:
            r.pieces.features = jit.load(short_features.features).address
        return PIECE(jit.load(loop.advance).address)

    # ---- running

    def run(
        self,
        t_stop: float,
        grid: Sequence[float] | np.ndarray | None = None,
        on_pause: Callable[[Stepper], object] | None = None,
        pauses: Sequence[float] = (),
        chunk: int | None = None,
    ) -> str:
        """Go on to `t_stop`; says why it returned: "end", "event", "stop", "failed" or "interrupted".

        `grid` are output times (strictly increasing, from here on); the same grid, or None, goes on with the one begun.
        `pauses` are times to land on exactly and return.  `on_pause` is called about every 50 ms; with `chunk`, after
        that many attempted steps.  An interrupt leaves everything consistent: run again to go on.
        """
        if not t_stop >= self.t:
            raise ModelError(f"time runs forward only: the stepper is at t = {self.t}, asked to run to {t_stop}.")
        self._set_grid(grid)
        target = min([t_stop, *[s for s in pauses if s > self.t]])
        self.event = None
        self.failure = None
        r = self._r
        counts = r.counts
        r.target, r.horizon = target, t_stop
        paused = time.perf_counter()
        try:
            if counts.events_found > self._events_reported:
                # an interrupt came just as the event was found
                return self._report_event()
            if self.t < t_stop:
                self._report_strain()
            while True:
                self._notice_changes()
                r.chunk = self._attempts() if chunk is None else chunk
                self._make_room(r.chunk)
                began, done = time.perf_counter(), counts.steps + counts.rejected
                reason = self._call()
                if reason == REACHED:
                    return "end" if r.target == t_stop else "stop"
                if reason == EVENT:
                    return self._report_event()
                self._adapt_chunk(counts.steps + counts.rejected - done, time.perf_counter() - began)
                if reason == FAILED:
                    if self.on_failure is not None and self.on_failure(self):
                        continue
                    kind, text = FAILURES[r.status]
                    self.failure = (self.t, kind, text)
                    return "failed"
                if reason == OTHER_METHOD:
                    self._methods.change(self.t)
                    self._method_changed()
                if reason in (STRAINED, OTHER_METHOD):
                    self._strained = True
                    if self.t < t_stop:  # a run at its end needs no other code, and ends where a lane ends
                        self._report_strain()
                if on_pause is not None and (reason == PAUSED or time.perf_counter() - paused > PAUSE_SECONDS):
                    on_pause(self)
                    paused = time.perf_counter()
        except KeyboardInterrupt:
            return "interrupted"

    def _report_strain(self) -> None:
        """Ask for other code where a completed step has shown that it is wanted."""
        if self._strained and self.on_strain is not None:
            self.on_strain(self)
        self._strained = False

    def _call(self) -> int:
        self._point()
        code, began = self._kind and self._kind.code, time.perf_counter()
        loop = code or self._advance
        try:
            return loop(self.address, 0) if self.through is None else self.through.call(loop)
        finally:
            # an interrupt that came during compiled code is raised as it returns
            self._seen = self._inputs.tobytes()
            if self.through is not None:
                self.through.read()
            if self._kind and not code:
                self._kind.note(time.perf_counter() - began)

    def decided(self, found: int, forces: Sequence[tuple[int, np.ndarray]]) -> None:
        """Events up to this number were decided on the way: (accepted points before it, rest of the inputs) of each
        instant that has changed more than the state."""
        self._events_reported = max(self._events_reported, found)
        code, in_force = bytes(self._r.code), self._points.in_force
        in_force.extend(Force(points - 1, rest, code, self.method) for points, rest in forces)

    def _point(self) -> None:
        """Let the record point at the arrays; some are replaced by larger ones on the way."""
        from . import own_code

        points = self._points
        arrays = {**points.arrays, "vectors": self._vectors, "work": self._work, "grid": self._grid,
                  "grid_x": self._grid_x}
        if all(self._pointed.get(name) is array for name, array in arrays.items()):
            return
        point_at(self._r.at, **arrays)
        self._r.at.capacity = points.capacity
        self._kind = own_code.kind_of(self._r, self.method, self._laws.ctypes.data)
        # the old arrays live until here, should an interrupt come in between
        self._pointed = arrays

    def _method_changed(self) -> None:
        """Make room for the memory of the method in use, and note the point from which on it is used."""
        own = self._methods.own(self.method)
        self.reserve(own.n_work)
        if own.facts.keeps:
            self._points.keep_interpolants()
        self._pointed = {}
        if self._points.in_force:
            last = self._points.in_force[-1]
            self._points.in_force.append(Force(self._r.n_steps - 1, last.rest, last.code, self.method))

    def _notice_changes(self) -> None:
        """The caller may have changed time, state or inputs: then slopes and witnesses must be computed anew."""
        in_force, code = self._points.in_force, bytes(self._r.code)
        same_code = bool(in_force) and in_force[-1].code == code
        now, seen, r, end = self._inputs.tobytes(), self._seen, self._r, 8 * (1 + self.n)
        if now == seen and same_code:
            return
        if seen is not None and seen[:8] != now[:8]:
            # time itself was set: the stored steps belong to another run, and are dropped
            r.n_steps = 0
            in_force.clear()
        if seen is None or seen[:end] != now[:end]:
            r.jumped = 1
        r.changed = 1
        r.t = self._in[0]
        r.fresh = 0
        if not in_force or not same_code or seen is None or seen[end:] != now[end:]:
            in_force.append(Force(max(r.n_steps - 1, 0), self._inputs[1 + self.n :].copy(), code, self.method))

    def _attempts(self) -> int:
        """How many attempts the next call makes: as many as fit between pauses and into the memory for steps."""
        room = max(LEAST_KEPT, self.keep_steps / self._points.size(1) - self._r.n_steps)
        return int(min(self._chunk, self.at_once or self._chunk, room))

    def _adapt_chunk(self, attempts: int, seconds: float) -> None:
        """As many attempts as fit into the time between pauses, at the speed just measured."""
        fitting = attempts * PAUSE_SECONDS / max(seconds, CLOCK)
        self._chunk = int(min(max(fitting, 1, self._chunk / 8), 8 * self._chunk))

    def _make_room(self, chunk: int) -> None:
        """Capacity for the points of the next chunk."""
        if self._r.n_steps > 1 and self._points.size(self._r.n_steps) > self.keep_steps:
            self._points.forget_all_but_last(self._r.n_steps)
            self._r.n_steps = 1
            self.kept_from = float(self.steps_t[0])
        self._points.make_room(self._r.n_steps, chunk)

    def _set_grid(self, grid: Sequence[float] | np.ndarray | None) -> None:
        if grid is None:
            return
        grid = np.array(grid, dtype=float)
        if np.array_equal(grid, self._grid):
            return
        check_grid(grid, self.t)
        self._grid = grid
        self._grid_x = np.empty((len(grid), self.n))
        self._r.grid_next = 0
        if len(grid) and grid[0] == self.t and self._r.fresh:
            self._grid_x[0] = self.x
            self._r.grid_next = 1

    def _report_event(self) -> str:
        which = [(i, int(sense)) for i, sense in enumerate(self._g[G_CROSSED].tolist()) if sense]
        before = self._vectors[BEFORE, : self.n].copy()
        self.event = Event(self.t, which, self._r.t_before, before, self.x.copy())
        self._events_reported = self._r.counts.events_found
        return "event"
