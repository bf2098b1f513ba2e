"""The result of a simulation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..errors import ModelError, unknown_name
from ..system import CompiledFunction, System, entry_of_array, split_entry, uniqueness
from .event_table import ContactRow, ContactTable, EventRow, EventTable
from .reactions import not_unique, shared_loads
from .recorded import Course, Recorded
from .sensitivity import sensitivity
from .times import as_times

if TYPE_CHECKING:
    from ..system import State

SIDES = {"before": "left", "after": "right"}


class Series(Mapping):
    """Variables by name over the times `t`, computed when first asked for and kept."""

    _entries_from = 1  # the first axis is time

    def __init__(self, t: np.ndarray) -> None:
        self.t = t
        self._known: dict[str, np.ndarray] = {}

    @property
    def names(self) -> list[str]:
        """Every variable that can be asked for."""
        raise NotImplementedError

    def _compute(self, names: list[str]) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def get_many(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Several variables; those not computed yet are compiled and computed together."""
        names = list(dict.fromkeys(names))
        whole = {name: self.whole(name) for name in names}
        missing = [name for name in dict.fromkeys(name for name, _ in whole.values()) if name not in self._known]
        if missing:
            self._known |= self._compute(missing)
        return {name: self._entry(name, *whole[name]) for name in names}

    def whole(self, name: str) -> tuple[str, tuple[int, ...]]:
        """The variable that a name asks for, and which entry of it: "body.r_0[1]" → ("body.r_0", (1,))."""
        whole, place = split_entry(name, self)
        if whole not in self:
            raise unknown_name(name, self.names, "the result")
        return whole, place

    def _entry(self, name: str, whole: str, place: tuple[int, ...]) -> np.ndarray:
        return entry_of_array(name, self._known[whole], place, self._entries_from)

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str):
            raise ModelError(f"a variable's name is a string, got {name!r}.")
        return self.get_many([name])[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class Trajectory(Series):
    """Variables along given states of a system."""

    def __init__(self, system: System, t: np.ndarray, x: np.ndarray, d: np.ndarray, p: np.ndarray,
                 y: np.ndarray) -> None:
        super().__init__(t)
        self.system, self.states = system, x
        self._d, self._p, self._y = d, p, y

    @property
    def names(self) -> list[str]:
        """Every variable that can be asked for; worked out for large models only where somebody looks."""
        return self.system.names

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.system.names_table or name in EXTRA)

    def quantities(self, *names: str) -> list[np.ndarray]:
        """Quantities of the system that are no variables of a model, "qdot" say, along the states."""
        return list(self._compute(list(names)).values())

    def _compute(self, names: list[str]) -> dict[str, np.ndarray]:
        n = len(self.t)
        function = self.system.function(("t", "q", "u", "z", "d", "p", "y"), names)
        q, u, z = self.system.layout.split(self.states)
        fixed = [np.broadcast_to(v, (n, np.shape(v)[-1])) for v in (self._d, self._p)]
        if function.iterates:
            values = self._along(function, q, u, z, *fixed)
        else:
            values = function.batch(self.t, q, u, z, *fixed, np.zeros((n, np.shape(self._y)[-1])))
        return dict(zip(names, (values,) if len(names) == 1 else values, strict=True))

    def sensitivity(self, output: str, parameter: str) -> np.ndarray:
        """∂ output / ∂ parameter over time: of a run made with `sensitivities`, for any variable.

        Its shape is that of the variable; where the parameter is a vector its entries follow along a last axis.
        """
        return sensitivity(self, output, parameter)

    def _along(self, function: CompiledFunction, *parts: np.ndarray) -> Any:
        """Row after row; the unknowns start from the guess of their row, or from the solution of the row before."""
        guesses = self._y if np.ndim(self._y) == 2 else None
        y, rows = self._y, []
        solve = self.system.function(("t", "q", "u", "z", "d", "p", "y"), ("y",))
        for k, t in enumerate(self.t):
            row = (t, *(part[k] for part in parts))
            y = solve(*row, y if guesses is None else guesses[k])
            rows.append(function(*row, y))
        if len(function.outputs) == 1:
            return np.array(rows)
        return tuple(np.array(column) for column in zip(*rows, strict=True))


#: quantities of the whole mechanism that every result offers beside the variables
EXTRA = ("kinetic_energy", "potential_energy", "fixman_energy", "momentum", "centre_of_mass", "position_error",
         "velocity_error", "udot", "lambda", "reactions", "y")


class Result(Trajectory):
    """Time series of every variable of a run, and the run itself.

    >>> r = simulate(system, 10.0)
    >>> r.t, r["rev.phi"]              # (nt,), and (nt,), (nt, 3) or (nt, 3, 3)
    >>> r.at(3.21)["rev.phi"]          # between output times, at the accuracy of the run
    """

    def __init__(self, system: System, stepper: Course, state: State, t: np.ndarray, x: np.ndarray,
                 events: Sequence[EventRow] = (), messages: Sequence[str] = (),
                 history: Sequence[tuple[float, np.ndarray]] | None = None, contacts: Sequence[ContactRow] = (),
                 parameters: Any = None) -> None:
        # discrete variables and, where they were changed on the way, parameters over time: (time, values from there on)
        self._parameters = parameters
        self._history = [(-np.inf, state.d.copy())] if not history else list(history)
        d = state.d.copy() if len(self._history) == 1 and not history else self._discretes(t, "before")
        p = state.p.copy() if parameters is None else _in_force(parameters, t, "before")
        super().__init__(system, t, x, d, p, state.y.copy())
        self._state = state
        self._stepper = stepper
        self.counters: dict[str, int] = dict(stepper.counters)
        self.events = EventTable(events)
        self._touches = list(contacts)
        self.messages = list(messages)
        #: of a run with a companion direction: the columns it began with, and what became of them at instants
        self.begun: object = None
        self.jumps: list = []

    def _compute(self, names: list[str]) -> dict[str, np.ndarray]:
        for message in [*not_unique(names, lambda: self._not_unique), *shared_loads(names, self._touches)]:
            if message not in self.messages:
                self.messages.append(message)
        found = super()._compute(names)
        self._tell_of_gaps(found)
        return found

    def _tell_of_gaps(self, found: Mapping[str, np.ndarray]) -> None:
        """Say where outputs of the user's own are no numbers; what the motion depends on ends the run instead."""
        model = self.system.model
        own = {part.path_of(name) for part in model.models() for name in part._outputs} if model is not None else ()
        for name in own & found.keys() if own else ():
            bad = ~np.isfinite(found[name].reshape(len(self.t), -1)).all(axis=1)
            if bad.any():
                message = (f"{name} is not finite at {int(bad.sum())} of {len(bad)} output times, first at t = "
                           f"{self.t[np.argmax(bad)]:.6g} s: a root of a negative number, a logarithm or a division by "
                           "zero in its formula.")
                if message not in self.messages:
                    self.messages.append(message)
                    warnings.warn(message, stacklevel=5)

    @cached_property
    def _not_unique(self) -> dict[str, tuple[str, ...]]:
        return uniqueness.not_unique(self.system, self._state)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g}" if len(self.t) else "empty"
        return f"Result({self.system.mechanism.name!r}, {span}, {len(self.t)} times, {len(self.names)} variables)"

    @property
    def closure(self) -> float:
        """The largest position error of a constraint at any output time; 0 for a tree."""
        if not self.system.mechanism.constraints or not len(self.t):
            return 0.0
        errors = self["position_error"][:, ~np.array(self.system.switched_rows("position"), dtype=bool)]
        return float(np.max(np.abs(errors), initial=0.0))

    @overload
    def at(self, t: float, side: str = "before") -> At: ...

    @overload
    def at(self, t: Sequence[float] | np.ndarray, side: str = "before") -> Trajectory: ...

    def at(self, t: float | Sequence[float] | np.ndarray, side: str = "before") -> Trajectory | At:
        """The variables at a time, or at an array of times, from the dense output of the run.

        Where the state jumps, `side` chooses the value "before" or "after".
        """
        if side not in SIDES:
            raise ModelError(f"side = {side!r}: choose 'before' or 'after'.")
        times = as_times(t)
        x = self._states_at(times, side)
        guesses = self._y
        if len(self._y):
            # unknowns start from their solution at the output time before; where the run ended, from its own
            guesses = self["y"][np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 1)]
            guesses[times == self.t[-1]] = self._unknowns
        p = self._p if self._parameters is None else _in_force(self._parameters, times, side)
        there = Trajectory(self.system, times, x, self._discretes(times, side), p, guesses)
        return there if np.ndim(t) else At(there)

    def _states_at(self, times: np.ndarray, side: str) -> np.ndarray:
        """States by the steps that were kept; before them at output times only."""
        early = (times < self._stepper.kept_from) & (times >= self.t[0])
        if not early.any():
            return self._stepper.dense(times, side=SIDES[side])
        place = np.clip(np.searchsorted(self.t, times), 0, len(self.t) - 1)
        unknown = times[early & (self.t[place] != times)]
        if len(unknown):
            raise ModelError(f"t = {unknown[0]:g} s lies between output times, and steps before t = "
                             f"{self._stepper.kept_from:g} s were not kept; simulate(…, dense=True) keeps them. Or "
                             "take a shorter output interval (step=).")
        states = self.states[place]
        states[~early] = self._stepper.dense(times[~early], side=SIDES[side])
        return states

    def _discretes(self, times: np.ndarray, side: str) -> np.ndarray:
        """Discrete variables at times, one row each; they change at events only."""
        return _in_force(self._history, times, side)

    @property
    def contacts(self) -> ContactTable:
        """What happened at the contacts, in order of time: when, who, how hard (see `ContactRow`)."""
        rows = list(self._touches)
        for event in self.events:
            pair, _, number = event.what.partition(" #")
            if pair in self.system.mechanism.events.pressed:
                what = "touch" if event.direction > 0 else "leave"
                rows.append(ContactRow(event.time, pair, int(number or 1) - 1, what))
        return ContactTable(sorted(rows, key=lambda row: row.time))

    def __getstate__(self) -> dict[str, object]:
        """What is copied and pickled: all but the code of the run, whose states are recorded instead."""
        stepper = self._stepper if isinstance(self._stepper, Recorded) else Recorded(self._stepper)
        return {**self.__dict__, "_stepper": stepper}

    def until(self, count: int) -> Result:
        """The same result, with its first `count` output times only."""
        return Result(self.system, self._stepper, self._state, self.t[:count], self.states[:count], self.events,
                      self.messages, self._history, self._touches, self._parameters)

    @property
    def end(self) -> State:
        """The state at the end of the run, to go on from: after whatever happened there."""
        state = self.system.state(assembled=False)
        state.t = float(self.t[-1])
        state.q, state.u, state.z = self.system.layout.split(self._stepper.dense(state.t, side="right"))
        state.p = self._p if self._parameters is None else self._parameters[-1][1]
        state.d, state.y = self._history[-1][1], self._unknowns
        return state

    @property
    def _unknowns(self) -> np.ndarray:
        """The unknowns at the end as the run itself has found them, so that who goes on goes on with its bits."""
        found = self._stepper.inputs
        if not len(self._y) or found[0] != self.t[-1]:  # of a part of the run
            return self["y"][-1] if len(self._y) else self._y
        return found[self.system.layout.places["y"]].copy()

    def to_xarray(self, names: Sequence[str] | None = None) -> Any:
        """The variables as an xarray.Dataset over `t`."""
        from .datasets import to_xarray

        return to_xarray(self, names)

    def to_pandas(self, names: Sequence[str] | None = None) -> Any:
        """The variables as a pandas.DataFrame over `t`; vectors and matrices become columns `name[i]`, `name[i,j]`."""
        from .datasets import to_pandas

        return to_pandas(self, names)

    def save(self, path: str | Path, names: Sequence[str] | None = None, **options: Any) -> None:
        """Write to a file by its suffix: .nc, .csv; as an animation with `options`: .html .png .gif .mp4 .glb .usd."""
        from .datasets import save

        save(self, path, names, **options)

    def animate(self, **options: Any) -> Any:
        """Play the result in the browser, or in the cell of a notebook (see `view.animate`)."""
        from ..view import animate

        return animate(self, **options)

    def _repr_html_(self) -> str:
        from ..view import result_html

        return result_html(self)

    def plot(self, *names: str, compare: Series | Sequence[Series] | Mapping[str, Series] = ()) -> Any:
        """A figure of pyplot with the variables, one diagram per unit; `plt.show()` opens it in a script.

        `compare` draws further results over it: a result, a list of results, or {label: result}.
        """
        from .plots import plot

        return plot(self, names, compare)


def _in_force(history: Sequence[tuple[float, np.ndarray]], times: np.ndarray, side: str) -> np.ndarray:
    """The values of a history that are in force at times, one row each."""
    starts = np.array([t for t, _ in history])
    place = np.searchsorted(starts, times, side="left" if side == "before" else "right") - 1
    return np.array([values for _, values in history])[np.maximum(place, 0)]


class At(Series):
    """The variables at one time."""

    _entries_from = 0

    def sensitivity(self, output: str, parameter: str) -> np.ndarray:
        """∂ output / ∂ parameter at this time (see `Result.sensitivity`)."""
        return self._there.sensitivity(output, parameter)[0]

    def __init__(self, there: Trajectory) -> None:
        super().__init__(there.t)
        self._there = there

    @property
    def names(self) -> list[str]:
        """Every variable that can be asked for."""
        return self._there.names

    def __contains__(self, name: object) -> bool:
        return name in self._there

    def _compute(self, names: list[str]) -> dict[str, np.ndarray]:
        return {name: values[0] for name, values in self._there.get_many(names).items()}
