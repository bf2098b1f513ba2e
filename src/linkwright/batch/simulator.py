"""A mechanism that is advanced step by step from outside, for control and learning: reset, step, read.

    sim = lw.Simulator(m, fixed_step=0.01)                  # one; n=4096 of them are arrays in, arrays out
    sim.reset({"rev.phi": 0.1})
    sim.step(inputs={"motor.tau": 3.0})            # held over the step
    sim["rev.phi"], sim.t

`h` is how far one call goes; within it the stepper chooses its own steps by `accuracy`, unless a `method` of fixed
steps is named, or "time_stepping", where h is the step of the contacts too.  Instances go through the lanes of the
processor where nothing has to be decided on the way, else one after the other by the ordinary run; the bits are the
same.  With `device="gpu"` they stay on a GPU, where `array` shows them to CuPy, PyTorch and JAX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..aliases import shown
from ..compiler import by_name, check_tuned, checked_by_ranges, names, number, system_of, with_own_controllers
from ..errors import LinkwrightError, ModelError, SimulationError
from ..integrate import METHODS
from ..result import At, Trajectory
from ..run import check_columns, check_ranges
from ..start import OtherStarts, prepare
from ..studies import simulate
from ..studies.stepped_runs import SteppedRuns, refusal_of, runs_of, steps_contacts
from ..system import State, System, open_across, refuse_gaps_across
from ..system.tangents import without_tangents
from .instances import Here, OnGpu
from .samples import merged
from .stepped_instances import SteppedEach, SteppedLanes


class Simulator:
    """A model (or `n` instances of it) that your program advances step by step, `fixed_step` seconds at a time.

        sim = lw.Simulator(m, fixed_step=0.01)
        sim.step({"motor.tau": -2.0 * sim["rev.phi"]})

    With `n=`, inputs and values are arrays with one entry per instance; without it, they are plain numbers.
    `parameters` lists the parameters that `reset` may change, separately for every instance.  An instance that fails
    keeps its last state until it is reset; `sim.failed` shows which ones failed and `sim.messages` why.  Every
    instance has its copy of the controllers in Python, with the data they had when the Simulator was made; `reset`
    restores that data.
    """

    @shown
    def __init__(self, model: object, fixed_step: float, *, n: int | None = None, device: str = "cpu",
                 start: float = 0.0, method: str = "auto", accuracy: float = 1e-8,
                 parameters: Sequence[str] = ()) -> None:
        self.h, self.start = number("fixed_step", fixed_step), number("start", start)
        if not (np.isfinite(self.h) and self.h > 0):
            raise ModelError(f"fixed_step = {fixed_step}: a positive time is needed.")
        if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1):
            raise ModelError(f"n = {n!r}: how many instances, a whole number from 1 on.")
        if device not in ("cpu", "gpu"):
            raise ModelError(f"device = {device!r} does not exist; choose 'cpu' or 'gpu'.")
        tunable = names("parameters", parameters)
        # controllers as they are now: what they remember is nobody else's
        self.system = with_own_controllers(system_of(model, **({"tunable": tunable} if tunable else {})))
        self.n, self._single = n or 1, n is None
        self._options: dict[str, Any] = {"method": method, "accuracy": accuracy}
        if method in METHODS and not METHODS[method].adaptive:
            self._options["h"] = self.h
        self._steps_contacts = steps_contacts(self.system, method)
        if self._steps_contacts:
            self._options["h"] = self.h
        self._first = prepare(self.system, None, self.start, {})
        self._base = self.system.layout.pack(self._first)
        self._systems = [with_own_controllers(self.system) for _ in range(self.n)]
        self._instances = self._made(device)
        self.messages = [""] * self.n
        self._other_starts: dict[tuple[str, ...], OtherStarts] = {}  # by what was set anew
        self._by_ranges: dict[tuple[str, ...], bool] = {}  # whether what was set anew is refused for its range only
        self._series: Trajectory | None = None
        self._ends: list[At | None] = [None] * self.n  # of a step that was differentiated
        self._firsts: dict[str, Any] = {}
        self._known: dict[str, tuple[str, slice]] = {}  # part of the state and columns of a name
        self._lent = False  # whether others may change our numbers at any time

    def _made(self, device: str) -> Here | OnGpu:
        """Where the instances are, at their start."""
        rows = np.tile(self._base, (self.n, 1))
        if device == "gpu":
            from ..integrate.step_programs import require_gpu

            require_gpu()
        why = refusal_of(self.system, self._first, self._options["method"])
        common = (self.system, self._first, self.start + self.h)
        options = {"start": self.start, "device": device, **self._options}
        if device == "gpu":
            if why is not None:
                raise ModelError(f"device = 'gpu': {self.system.mechanism.name} cannot run there: {why}. Leave it out "
                                 "to run on the CPU.")
            return OnGpu(rows, runs_of(*common, **options))
        if not self._steps_contacts:
            return Here(rows, None if why is not None else runs_of(*common, **options))
        # one by itself does not wait for code of its own
        if why is None and self.n > 1:
            return SteppedLanes(rows, partial(SteppedRuns, *common, **options))
        return SteppedEach(rows, self._systems, self._state, self.h, self._options["accuracy"])

    def __repr__(self) -> str:
        return f"Simulator({self.system.mechanism.name!r}, fixed_step={self.h:g}, n={self.n}, t={self.t})"

    # --- where it is ---

    @property
    def t(self) -> float | np.ndarray:
        """The time of the instance, or of each of them."""
        times = np.asarray(self._instances.array(slice(0, 1)))
        return float(times[0]) if self._single else times.copy()

    @property
    def failed(self) -> bool | np.ndarray:
        """Whether the instance has failed, or which of them."""
        failed = np.array([bool(message) for message in self.messages])
        return bool(failed[0]) if self._single else failed

    @property
    def states(self) -> list[State]:
        """The states of all instances, as copies."""
        return [self._state(row) for row in self._instances.rows]

    def _state(self, row: np.ndarray, system: System | None = None) -> State:
        first, system = self._first, system or self.system
        return system.layout.put(row, State(system, first.t, **{part: getattr(first, part) for part in "quzpdy"}))

    def array(self, name: str) -> Any:
        """A view of the memory of a coordinate, speed, input or parameter (or of the time "t") in all instances.

        Its values change with every step, and values that you write into it take effect at the next step.  On the CPU
        it is a NumPy array; with device="gpu" it stays on the GPU and can be shared with CuPy, PyTorch or JAX:

            phi, tau = (torch.from_dlpack(sims.array(name)) for name in ("rev.phi", "motor.tau"))
            tau[:] = -3 * phi
            sims.step()
        """
        self._series, self._lent = None, True
        return self._instances.array(slice(0, 1) if name == "t" else self._columns(name))

    def _columns(self, name: str) -> slice:
        """Where a variable lies in the row of an instance; one that is a formula of such numbers is refused."""
        if name not in self._known:
            probe = np.full(np.shape(self._first.get(name)), 1.25)
            part, where, numbers = self.system.names_table.place(name, probe, self._first)
            if np.any(numbers != probe.ravel()) or np.any(np.diff(where) != 1):
                raise ModelError(f"{name}: this is a formula of states or inputs, and has no numbers of its own; "
                                 "read it by sim[name].", name)
            first = self.system.layout.places[part].start + int(where[0])
            self._known[name] = part, slice(first, first + len(where))
        return self._known[name][1]

    def __getitem__(self, name: str) -> float | np.ndarray:
        """A variable by name, of the instance or of all of them (first axis)."""
        if self._series is None or self._lent:
            rows, places = self._instances.rows, self.system.layout.places
            x = np.concatenate([rows[:, places[part]] for part in "quz"], axis=1)
            self._series = Trajectory(self.system, rows[:, 0], x, *(rows[:, places[part]] for part in "dpy"))
        values = self._series[name]
        if not self._single:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]

    def _at_first(self, name: str) -> Any:
        """What a variable begins with where nothing is set anew."""
        if name not in self._firsts:
            self._firsts[name] = self._first.get(name)
        return self._firsts[name]

    # --- moving it ---

    def reset(self, values: Mapping[str, object] | None = None, mask: Sequence[bool] | None = None) -> Simulator:
        """Return to the start, optionally with other start values and parameters.

        With `mask` (one boolean per instance), only the marked instances are reset.

            sims.reset({"rev.phi": np.random.uniform(-1, 1, sims.n)}, mask=sims.failed)
        """
        values = by_name("values", values, "reset({'rev.phi': 0.1})")
        chosen = np.arange(self.n) if mask is None else np.flatnonzero(self._of_length("mask", mask).astype(bool))
        columns = {name: self._of_length(name, value, self._at_first(name))[chosen] for name, value in values.items()}
        columns = merged(columns, self.system.names_table, lambda whole, _: self._at_first(whole))
        rows = self._starts(columns) if values and len(chosen) else np.tile(self._base, (len(chosen), 1))
        self._instances.set_rows(chosen, rows)
        for k in chosen:
            self.messages[k], self._systems[k] = "", with_own_controllers(self.system)
        self._series = None
        return self

    def _starts(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Where instances begin with other numbers: what a model with these numbers begins with."""
        names = tuple(columns)
        if names not in self._other_starts:
            self._other_starts[names] = OtherStarts(self.system, self._first, names)
        starts = self._other_starts[names]
        for name, column in columns.items():
            if not np.all(np.isfinite(column)):
                raise ModelError(f"{name}: the value must be finite, got {column[~np.isfinite(column)].flat[0]}.", name)
        if any(slot is not None for slot in starts.slots.values()):
            self._check_numbers(starts, columns)
        rows, failed = starts.rows(columns)
        for error in failed.values():
            raise error
        return rows

    def _check_numbers(self, starts: OtherStarts, columns: Mapping[str, np.ndarray]) -> None:
        """Refuse parameters that their components would refuse."""
        names = tuple(columns)
        if names not in self._by_ranges:
            self._by_ranges[names] = checked_by_ranges(self.system, names)
        if self._by_ranges[names]:
            check_columns(self.system, columns)
            return
        for k in range(len(next(iter(columns.values())))):
            state = self._first.copy()
            for name, slot in starts.slots.items():
                if slot is not None:
                    getattr(state, slot[0])[slot[1]] = np.ravel(columns[name][k], order="F")
            check_ranges(self.system, state)
            check_tuned(self.system, state)

    def step(self, inputs: Mapping[str, object] | None = None, steps: int = 1,
             jac: str | Sequence[str] | None = None) -> Simulator:
        """Advance by `fixed_step`, or by `steps` such steps, with constant inputs; failed instances do not move.

        `jac` lists initial states, inputs and parameters by which to differentiate the step; afterwards
        `sim.sensitivity("rev.phi", "motor.tau")` is the derivative of any variable at the end of the step.
        """
        for name, value in by_name("inputs", inputs, "step(inputs={'motor.tau': 3.0})").items():
            self._set_input(name, self._of_length(name, value, self._at_first(name)))
        if jac is not None and steps != 1:
            raise ModelError(f"steps = {steps}: one step is differentiated at a time; leave out steps, or jac.")
        if jac is not None and self._steps_contacts:
            raise ModelError("jac: a step of method time_stepping has no derivative; leave out jac, or take "
                             "method='auto' where contacts are few.")
        self._ends = [None] * self.n
        for _ in range(steps):
            alive = np.array([k for k, message in enumerate(self.messages) if not message], dtype=int)
            if jac is None and len(alive):
                alive = self._instances.advance(alive, self.h)
                for k, message in self._instances.failures.items():
                    self.messages[k] = message
            for k in alive:
                self._by_itself(int(k), jac)
        self._series = None
        return self

    def sensitivity(self, output: str, by: str) -> float | np.ndarray:
        """Derivative of a variable after the last step (made with `jac=`) by a state before it, input or parameter.

        NaN for instances that have failed.
        """
        known = [end for end in self._ends if end is not None]
        if not known:
            raise ModelError(f"the last step was not differentiated by {by}; sim.step(…, jac=[{by!r}]).")
        missing = np.full_like(known[0].sensitivity(output, by), np.nan)
        found = np.array([missing if end is None else end.sensitivity(output, by) for end in self._ends])
        if not self._single:
            return found
        return float(found[0]) if found.ndim == 1 else found[0]

    def _set_input(self, name: str, column: np.ndarray) -> None:
        """An input of all instances, held from now on."""
        columns = self._columns(name)
        if self._known[name][0] not in "pd":
            raise ModelError(f"{name}: this is a state, not an input; reset sets it.", name)
        if not np.all(np.isfinite(column)):
            raise ModelError(f"{name}: an input must be finite; got {column[~np.isfinite(column)].flat[0]}.", name)
        self._instances.set_columns(columns, column)
        if self._known[name][0] == "p":  # lengths of a loop, say: those out of its plane
            rows, places = self._instances.rows, self.system.layout.places
            for k in np.flatnonzero(open_across(self.system, {part: rows[:, places[part]] for part in "tquzdpy"})):
                refuse_gaps_across(self.system, self._state(rows[k]))

    def _by_itself(self, k: int, jac: str | Sequence[str] | None = None) -> None:
        """Advance one instance by the ordinary run, perhaps differentiated."""
        system = self._systems[k]
        state = self._state(self._instances.rows[k], system)
        try:
            result = simulate(system, state.t + self.h, start=state.t, state=state, output_step=self.h,
                              progress=False, sensitivities=jac, **self._options)
            state = result.end
            if jac is not None:
                self._ends[k] = result.at(result.t[-1], side="after")
                state = without_tangents(system, result.end)
        except SimulationError as error:
            self.messages[k] = str(error)
            if error.result is not None and len(error.result.t):
                state = error.result.end
        except LinkwrightError as error:
            self.messages[k] = str(error)
        self._instances.set_rows(np.array([k]), self.system.layout.pack(state)[None])

    def _of_length(self, name: str, value: object, like: float | np.ndarray = 0.0) -> np.ndarray:
        """A value for every instance: one for all, or a row for each."""
        shape = np.shape(like)
        try:
            array = np.asarray(value, dtype=float)
            return np.broadcast_to(array, (self.n, *shape)) if array.shape != (self.n, *shape) else array
        except (TypeError, ValueError):
            wanted = " or ".join(str(s) for s in dict.fromkeys([shape or "one number", (self.n, *shape)]))
            raise ModelError(f"{name} = {value!r}: numbers of shape {wanted} are needed.") from None
