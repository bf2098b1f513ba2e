"""The stepper as Python sees it: set up, run in chunks, look at what was computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..codegen import function_address
from ..errors import ModelError
from .call_arguments import check_choices, check_grid, check_sizes
from .history import states_at
from .implicit import Linearised
from .methods import Method, choose, entry
from .record import (
    BEFORE,
    COUNTERS,
    DTYPE,
    EASY,
    EVENT,
    FAILED,
    FAILURES,
    G_CROSSED,
    G_SENSE,
    G_SLACK,
    N_SAMPLES,
    N_VECTORS,
    N_WITNESS_ROWS,
    PAUSED,
    PIVOTS,
    RADAU,
    REACHED,
    SINGULAR,
    STIFF,
    STRAINED,
    WEIGHT,
    Record,
)  # fmt: skip
from .settings import Settings
from .switching import Switching
from .tableaux import MAX_STAGES

PAUSE_SECONDS = 0.05


class Event(NamedTuple):
    """Witnesses that changed sign at `t`: (index, +1 rising or −1 falling) each, and the states on both sides."""

    t: float
    crossings: list[tuple[int, int]]
    t_before: float
    x_before: np.ndarray
    x_after: np.ndarray


class Stepper(Settings):
    """Integrates ẋ = f(t, x), x = (q, u, z), for a compiled model; stops and resumes anywhere.

    The model is a set of machine-code functions `void f(const double* in, double* out, double* work)` over one input
    vector in = (t, x, rest).  `rest` (discrete variables, parameters, inputs, warm starts) is constant during a step
    and belongs to the caller, who may change it, and the state, through `inputs` and `x` between runs or in `on_pause`.

    Functions, by name:
      rhs            out = (ẋ, health, …): health negative or not finite means singular equations
      project        out = (x after one iteration of position then velocity projection, their error norms before it,
                     with `on_strain` the strain, a number to be watched, and with `watch_holds` any number and how well
                     every constraint holds, see crossing)
      project_error  in is followed by n more slots with an error of the state; out = that error, projected
      prescribe      out = x with prescribed coordinates and speeds replaced by their values at t
      events         out = witness functions, whose sign changes stop the run, then their bases (see enclosures)
      bounds         in = least, then greatest values of the bases; out = bounds of the witnesses, below, then above
      laws           out = laws that may have short features, their bases, arguments of sharp functions (see concealed)
      law_bounds     from bounds of their bases to bounds of the laws, as `bounds`
      qdot           out = q̇ = N(q)u, cheaper than rhs; used by the second-order methods
      update         out = new values of the inputs in the slots `updated`, given at the start and at completed steps

    Arguments:
      method       a name in METHODS, or "auto", which with `linearised` goes on with radau where that is stiff
      functions    name → address
      n_in, n_work lengths of the input vector and of the work space
      sizes        (nq, nu, nz)
      x0, t0, rest initial state and time; the tail of the input vector, n_in − 1 − n numbers
      n_out_rhs    length of rhs's output; default n + 1.  With n there is no health to look at
      n_out        length of the longest output of the other functions; default n + 2
      n_events     number of witnesses, n_bases of their bases; `senses` says per witness which crossings count: +1
                   rising, −1 falling, 0 both, −2 falling, and positive by right where a run is taken up (see events)
      n_laws       numbers of laws, of their bases, and of arguments and their units (see concealed)
      accuracy     α, see error_norm
      h            fixed step; required by fixed-step methods, switches error control off in the others
      h_start      first step of an adaptive method; default by estimate
      h_max        largest step
      weights      1/(unit change) per state advance; default 1, zero leaves the advance out of the error
      time_scale   characteristic time t_c: a unit change of u is one unit of q per t_c, likewise for constraint errors
      norm         "rms" or "max"
      quaternions  indices in x where unit quaternions (scalar first) start
      carry        (slots of rhs's output, slots of the input vector): copied after every accepted step
      updated      slots of the input vector that the function `update` gives new values
      tolerance    for constraint errors; default accuracy/10, at least 1e-13
      event_tolerance  width in time to which events are located; default the resolution of time
      map_qdot     "identity" where q̇ = u, which saves the second-order methods an evaluation
      every_stage  project at every stage, not only at the end of a step: what projection moves follows the rest
      on_strain    called after a completed step at which the strain is positive, or a singular position comes near or
                   is left behind, and after a change of method, with the stepper; it may change `inputs` or the code
      linearised   gives the linearised model where an implicit method needs it (see implicit); called when first needed
      keep_steps   store every accepted point; without, `dense` and `steps_t` reach back to the last pause only

    Example: ẍ = −x from x = 1 for half a turn (any compiled function will do; here one made by Numba)

    >>> from numba import cfunc
    >>> @cfunc("void(CPointer(float64), CPointer(float64), CPointer(float64))")
    ... def rhs(i, o, w):
    ...     o[0], o[1], o[2] = i[2], -i[1], 1.0
    >>> s = Stepper("auto", {"rhs": rhs.address}, n_in=3, n_work=0, sizes=(1, 1, 0), x0=[1.0, 0.0])
    >>> s.run(np.pi, grid=[0.0, np.pi]), s.grid_x[:, 0].round(6).tolist()
    ('end', [1.0, -1.0])
    """

    def __init__(
        self,
        method: str,
        functions: Mapping[str, int],
        n_in: int,
        n_work: int,
        sizes: Sequence[int],
        x0,
        t0: float = 0.0,
        rest=(),
        *,
        n_out_rhs: int | None = None,
        n_out: int = 0,
        n_events: int = 0,
        n_bases: int = 0,
        n_laws: Sequence[int] = (0, 0, 0),
        senses=None,
        accuracy: float = 1e-8,
        h: float | None = None,
        h_start: float | None = None,
        h_max: float | None = None,
        weights=None,
        time_scale: float | None = None,
        norm: str = "rms",
        quaternions: Sequence[int] = (),
        carry=None,
        updated: Sequence[int] = (),
        tolerance: float | None = None,
        event_tolerance: float | None = None,
        map_qdot: str | None = None,
        every_stage: bool = False,
        on_strain: Callable[[Stepper], None] | None = None,
        linearised: Callable[[], Linearised] | None = None,
        keep_steps: bool = True,
    ):
        self.method: Method = choose(method, accuracy, h)
        self.sizes = nq, nu, nz = tuple(int(s) for s in sizes)
        self.n = n = nq + nu + nz
        width = n + 1 if n_out_rhs is None else int(n_out_rhs)
        rest = np.asarray(rest, dtype=float)
        check_sizes(functions, n_in, self.sizes, x0, t0, rest, width)
        check_choices(self.method, self.sizes, accuracy, h, h_max, norm, map_qdot)

        # arrays the compiled code works in; an error vector for project_error follows the inputs
        self._in = np.zeros(n_in + n)
        self._out = np.zeros(max(n_out, n + 3, 2 * max(n_events + n_bases, sum(n_laws)) + N_SAMPLES))
        self._work = np.zeros(max(n_work, 1))
        self._vectors = np.zeros((N_VECTORS, n))
        self._k = np.zeros((MAX_STAGES, width))
        self._dense = np.zeros((8, n))
        self._g = np.zeros((N_WITNESS_ROWS, max(n_events + n_bases, 1)))
        self._laws = np.zeros((N_WITNESS_ROWS, max(sum(n_laws), 1)))
        self._quaternions = np.ascontiguousarray(quaternions, dtype=np.int64)
        carry_from, carry_to = ((), ()) if carry is None else carry
        self._carry_from = np.ascontiguousarray(carry_from, dtype=np.int64)
        self._carry_to = np.ascontiguousarray([*carry_to, *updated], dtype=np.int64)
        self._inputs = self._in[:n_in]
        self._in[0] = t0
        self._in[1 : 1 + n] = x0
        self._in[1 + n : n_in] = rest
        self._vectors[WEIGHT] = 1.0 if weights is None else weights
        self._g[G_SENSE, :n_events] = 0.0 if senses is None else senses

        self._memory = np.zeros(1, dtype=DTYPE)
        self._r = r = Record.from_buffer(self._memory)
        self.on_strain = on_strain
        #: called where no step succeeds; True lets it be tried again, with what has been changed
        self.on_failure: Callable[[Stepper], bool] | None = None
        #: what those who changed its code on the way have to say
        self.messages: list[str] = []
        self.use(functions, every_stage)
        values = {
            "n": n, "nq": nq, "nu": nu, "nz": nz, "n_in": n_in, "k_stride": width, "n_events": n_events,
            "n_bases": n_bases, "n_laws": n_laws[0], "n_law_bases": n_laws[1], "has_health": width > n,
            "max_norm": norm == "max", "identity_qdot": map_qdot == "identity",
            "bare": not (functions.get("project") or functions.get("prescribe") or len(quaternions)),
            "fixed": h is not None, "t": t0, "h": h or h_start or 0.0, "h_max": np.inf if h_max is None else h_max,
            "time_tolerance": event_tolerance or 0.0, "time_scale": time_scale or 1.0,
            "power": function_address("approximate_power"),
        }  # fmt: skip
        r.put(**values)
        self.aim(accuracy, tolerance)
        self._set_pointers(r, self._in, self._k, self._g, self._laws, self._out, self._work)

        capacity = 256
        # times, states and carried values of the accepted points, and the interpolants of implicit steps
        self._points = tuple(np.empty((capacity, *shape)) for shape in ((), (n,), (len(self._carry_to),), (0,)))
        # from which point on which tail of the inputs, which code and which method were in force
        self._rests: list[tuple[int, np.ndarray, tuple[int, ...], Method]] = []
        self._grid = np.empty(0)
        self._grid_x = np.empty((0, n))
        self._no_steps = np.empty(0, dtype=np.int64)
        self._seen: bytes | None = None  # the inputs as compiled code left them
        self._chunk = 16
        self._events_reported = 0
        self._keep_steps = keep_steps
        self.event: Event | None = None
        self.failure: tuple[float, str, str] | None = None
        self._switching = Switching(self, self.method, method == "auto" and h is None, linearised)

    @staticmethod
    def _set_pointers(r, inp, k, g, laws, out, work):
        for name, array in (("p_in", inp), ("p_k", k), ("p_g", g), ("p_l", laws), ("p_out", out), ("p_work", work)):
            setattr(r, name, array.ctypes.data)

    # ---- running

    def run(
        self,
        t_stop: float,
        grid=None,
        on_pause: Callable[[Stepper], None] | None = None,
        stops: Sequence[float] = (),
        chunk: int | None = None,
    ) -> str:
        """Go on to `t_stop`; says why it returned: "end", "event", "stop", "failed" or "interrupted".

        `grid` are output times (strictly increasing, from here on); the same grid, or None, goes on with the one begun.
        `stops` are times to land on exactly and return.  `on_pause` is called about every 50 ms; with `chunk`, after
        that many attempted steps.  An interrupt leaves everything consistent: run again to go on.
        """
        if not t_stop >= self.t:
            raise ModelError(f"time runs forward only: the stepper is at t = {self.t}, asked to run to {t_stop}.")
        self._set_grid(grid)
        target = min([t_stop, *[s for s in stops if s > self.t]])
        self.event = None
        self.failure = None
        r = self._r
        r.target, r.horizon = target, t_stop
        paused = time.perf_counter()
        try:
            if r.events_found > self._events_reported:
                # an interrupt came just as the event was found
                return self._report_event()
            while True:
                self._notice_changes()
                r.chunk = self._chunk if chunk is None else chunk
                self._make_room(r.chunk)
                began, done = time.perf_counter(), r.steps + r.rejected
                reason = self._call()
                if reason == REACHED:
                    return "end" if target == t_stop else "stop"
                if reason == EVENT:
                    return self._report_event()
                self._adapt_chunk(r.steps + r.rejected - done, time.perf_counter() - began)
                if reason == PIVOTS and not self._switching.choose_pivots():
                    reason, r.status = FAILED, SINGULAR
                if reason == FAILED:
                    if self.on_failure is not None and self.on_failure(self):
                        continue
                    kind, text = FAILURES[r.status]
                    self.failure = (self.t, kind, text)
                    return "failed"
                if reason in (STIFF, EASY):
                    self._switching.change()
                    self._rests.append((r.n_steps - 1, *self._rests[-1][1:3], self.method))
                if reason in (STRAINED, STIFF, EASY) and self.on_strain is not None:
                    self.on_strain(self)
                if on_pause is not None and (reason == PAUSED or time.perf_counter() - paused > PAUSE_SECONDS):
                    on_pause(self)
                    paused = time.perf_counter()
        except KeyboardInterrupt:
            return "interrupted"

    def _call(self) -> int:
        tableau = self.method.tableau
        try:
            return entry(self.method.kind)(
                self._memory, tableau.a, tableau.c, tableau.e, tableau.d, self._in, self._out, self._quaternions,
                self._vectors, self._k, self._dense, self._g, self._laws, self._carry_from, self._carry_to,
                self._grid, self._grid_x, self._no_steps, *self._points,
                self._switching.implicit if self.method.kind == RADAU else None,
            )  # fmt: skip
        finally:
            # an interrupt that came during compiled code is raised as it returns
            self._seen = self._inputs.tobytes()

    def _notice_changes(self):
        """The caller may have changed time, state or inputs: then slopes and witnesses must be computed anew."""
        same_code = bool(self._rests) and self._rests[-1][2] == self._code
        now, seen, r, end = self._inputs.tobytes(), self._seen, self._r, 8 * (1 + self.n)
        if now == seen and same_code:
            return
        if seen is not None and seen[:8] != now[:8]:
            # time itself was set: what was stored belongs to another run
            r.n_steps = 0
            self._rests = []
        if seen is None or seen[:end] != now[:end]:
            r.jumped = 1
        r.changed = 1
        r.t = self._in[0]
        r.fresh = 0
        if not self._rests or not same_code or seen is None or seen[end:] != now[end:]:
            rest = self._inputs[1 + self.n :].copy()
            self._rests.append((max(r.n_steps - 1, 0), rest, self._code, self.method))

    def _adapt_chunk(self, attempts: int, seconds: float):
        """As many attempts as fit into the time between pauses, at the speed just measured."""
        fitting = attempts * PAUSE_SECONDS / max(seconds, 1e-6)
        self._chunk = int(min(max(fitting, 1, self._chunk / 8), 8 * self._chunk))

    def _make_room(self, chunk: int):
        """Capacity for the points of the next chunk."""
        used, have = self._r.n_steps, len(self._points[0])
        if not self._keep_steps and used > 1:
            # only the last point is needed to go on
            for array in self._points:
                array[0] = array[used - 1]
            self._r.n_steps = used = 1
            self._rests = [(0, *last[1:]) for last in self._rests[-1:]]
        if used + chunk + 2 > have:
            size = max(4 * have, used + chunk + 2)  # room costs nothing until it is used, copying does
            larger = tuple(np.empty((size, *array.shape[1:])) for array in self._points)
            *whole, (interpolants, kept) = zip(self._points, larger, strict=True)
            for old, new in whole:
                new[:used] = old[:used]
            ends = [*(start for start, *_ in self._rests[1:]), used]
            for (start, *_, method), end in zip(self._rests, ends, strict=True):
                if method.kind == RADAU:
                    kept[start : end + 1] = interpolants[start : end + 1]
            # all at once, so that an interrupt finds either the old or the new
            self._points = larger

    def _set_grid(self, grid):
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
        self._events_reported = self._r.events_found
        return "event"

    # ---- what was computed

    @property
    def t(self) -> float:
        """Present time."""
        return float(self._in[0])

    @property
    def inputs(self) -> np.ndarray:
        """The model's input vector (t, x, rest) at the last accepted point; may be written to."""
        return self._inputs

    @property
    def x(self) -> np.ndarray:
        """Present state, a view into `inputs`; may be written to."""
        return self._in[1 : 1 + self.n]

    @x.setter
    def x(self, value):
        self._in[1 : 1 + self.n] = value

    @property
    def slack(self) -> np.ndarray:
        """What is added to every witness; may be written to where a run is taken up."""
        return self._g[G_SLACK, : self._r.n_events]

    @property
    def h(self) -> float:
        """The step size planned next."""
        return self._r.h

    @property
    def grid_x(self) -> np.ndarray:
        """States at the output times reached so far, one row each."""
        return self._grid_x[: self._r.grid_next]

    @property
    def steps_t(self) -> np.ndarray:
        """Times of all accepted points; a change by the caller repeats the time with the state after it."""
        return self._points[0][: self._r.n_steps]

    @property
    def steps_updated(self) -> np.ndarray:
        """Values of the slots `updated` from every accepted point on."""
        return self._points[2][: self._r.n_steps, len(self._carry_from) :]

    @property
    def steps_x(self) -> np.ndarray:
        """States of all accepted points."""
        return self._points[1][: self._r.n_steps]

    def dense(self, t, side: str = "left") -> np.ndarray:
        """States at times already covered, at the accuracy of the run; `side` of a change: "left" or "right"."""
        return states_at(self, t, side)

    @property
    def methods(self) -> list[tuple[float, str]]:
        """The methods used: (from when on, name)."""
        return list(self._switching.history)

    @property
    def counters(self) -> dict[str, int]:
        """Steps accepted and rejected, evaluations of rhs, projection iterations, witness evaluations, events, …"""
        return {name: getattr(self._r, name) for name in COUNTERS}
