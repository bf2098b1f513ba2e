"""Starts with other numbers than those of a system: the same search, for other parameters, inputs and start values.

Every study begins here: a run of a sweep, a Simulator that is reset, a state in which a parameter was set.  What comes
out is what a model with these numbers begins with, to the last bit.

Of many starts that differ in numbers which no condition reads, only one has to be searched for (`OtherStarts.plain`):
the rest differ from it in these numbers alone, and in what friction, stops and contacts do there.  A start value of a
coordinate that no other condition reads is such a number too, since the search sets it as it is (`Conditions.alone`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import LinkwrightError, ModelError
from ..mechanism import Start, StartValue
from ..run import Settling
from ..system import State, System
from .decisive import decides, decides_modes, reads_modes
from .initial import first_state, hold_modes
from .problem import StartProblem
from .tolerances import MODE_ROUNDS

if TYPE_CHECKING:
    from ..mechanism import ContinuousState, Named

Numbers = Mapping[str, np.ndarray]


def started(system: System, state: State) -> State:
    """The start with the time, the parameters and the inputs of a state; other parts of it are where it was started
    before, and do not count."""
    base = system.state()
    differ = {part: _differing(items, getattr(base, part), getattr(state, part))
              for part, items in (("p", system.mechanism.parameters), ("d", system.mechanism.discretes))}
    if state.t == base.t and not differ["p"] and not differ["d"]:
        return base
    return begun(system, state.t, {**differ["p"], **differ["d"]}, {})


def begun(system: System, t: float, numbers: Numbers, values: Numbers) -> State:
    """The start at a time, with other parameters and inputs (`numbers`) and start values by name."""
    own = _renumbered(system, numbers, values)
    if own.mechanism.start is None:
        # a mechanism described directly: values as they are, and loops closed around them
        state = own.state()
        state.t = t
        found = own.assemble(state) if t else state
    else:
        found = first_state(own, t)
    return State(system, t, **{part: getattr(found, part) for part in "quzpdy"}).as_start()


class OtherStarts:
    """Starts of one system with other values of some parameters, inputs and start values, by name.

    `base` is the start with the values as they are, and parameters and inputs of the names `held` as it has them.
    Where the search would find the same place for all (`plain`), only modes are decided for each.
    """

    def __init__(self, system: System, base: State, names: Sequence[str], held: Sequence[str] = ()) -> None:
        self.system, self.base, self.names = system, base, tuple(names)
        self.slots = {name: _slot(system, name) for name in names}
        self.held = {name: getattr(base, part)[where] for name in held for part, where in [system.slot(name)]}
        self.plain = self._is_plain()

    def _is_plain(self) -> bool:
        """Whether other values of these names leave everything else at the start as it is, but for modes."""
        system = self.system
        events, start = system.mechanism.events, system.mechanism.start
        decided = events.holds
        if start is None or decided and (system.starts_on is not None or reads_modes(system)):
            return False
        numbers = [name for name, slot in self.slots.items() if slot is not None]
        if any(decides(each, numbers) for each in (system, system.starts_on) if each is not None):
            return False
        values, alone = {name for name in self.names if name not in numbers}, StartProblem(system).conditions.alone
        if values and (system.starts_on is not None or events.relations or system.layout.size("y")):
            return False
        begins = {name for winding in start.windings for name, _ in winding.begins}
        rows = {s.name: (k, s) for k, s in enumerate(start.values)}
        return all(name in rows and rows[name][0] in alone and rows[name][1].entry < 0 and name not in begins
                   for name in values)

    def rows(self, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[int, LinkwrightError]]:
        """Input vectors (t, q, u, z, d, p, f, y), a row for each entry of the columns, and why some have no start."""
        layout, n = self.system.layout, len(next(iter(columns.values())))
        rows = np.tile(layout.pack(self.base), (n, 1))
        failed: dict[int, LinkwrightError] = {}
        if not self.plain:
            for k in range(n):
                try:
                    rows[k] = layout.pack(self.state({name: column[k] for name, column in columns.items()}))
                except LinkwrightError as error:
                    failed[k] = error
            return rows, failed
        problem = StartProblem(self.system)
        named = {s.name: k for k, s in enumerate(problem.start.values)}
        settle = Settling(self.system)  # of this call: threads may ask at once
        decided = settle.needed or decides_modes(
            self.system, [name for name in self.names if self.slots[name] is not None])
        if decided:
            rows[:, layout.places["d"]] = self._undecided
        for name, column in columns.items():
            slot = self.slots[name]
            part, where = problem.conditions.alone[named[name]] if slot is None else slot
            first = layout.places[part].start
            rows[:, first + where.start : first + where.stop] = entries(column)
        # where no unknowns follow modes, these are all that changes
        holds, alone = not problem.empty, not layout.size("y")
        for k in range(n if decided else 0):
            if holds and alone:
                settle.hold(rows[k], MODE_ROUNDS)
            elif holds:
                state = self._at(rows[k])
                hold_modes(state)
                rows[k] = layout.pack(state)
            settle.settle(rows[k])
        return rows, failed

    def state(self, values: Mapping[str, object]) -> State:
        """One start."""
        if self.plain:
            rows, _ = self.rows({name: np.asarray(value, dtype=float)[None] for name, value in values.items()})
            return self._at(rows[0]).as_start()
        flat = {name: entries(np.asarray(value, dtype=float)[None])[0] for name, value in values.items()}
        others = {name: value for name, value in flat.items() if self.slots[name] is None}
        numbers = self.held | {name: value for name, value in flat.items() if name not in others}
        return begun(self.system, self.base.t, numbers, others)

    @cached_property
    def _undecided(self) -> np.ndarray:
        """Inputs and modes before anything is decided."""
        return _renumbered(self.system, self.held, {}).state_from_defaults().d

    def _at(self, inputs: np.ndarray) -> State:
        """The base with the numbers of an input vector."""
        state = self.base.copy()
        for part, numbers in self.system.layout.unpack(inputs).items():
            if part in "quzpdy":
                setattr(state, part, numbers.copy())
        return state


def entries(values: np.ndarray) -> np.ndarray:
    """Numbers, vectors or matrices of runs as rows; matrices column by column, as states hold them."""
    return values.reshape(len(values), -1) if values.ndim < 3 else values.transpose(0, 2, 1).reshape(len(values), -1)


def _differing(items: Sequence[Named], before: np.ndarray, now: np.ndarray) -> dict[str, np.ndarray]:
    """The entries of a vector, by name, in which it differs."""
    if np.array_equal(before, now):
        return {}
    places = np.cumsum([0, *[item.symbol.numel() for item in items]])
    parts = {item.name: slice(*places[k : k + 2]) for k, item in enumerate(items)}
    return {name: now[place] for name, place in parts.items() if not np.array_equal(before[place], now[place])}


def _renumbered(system: System, numbers: Numbers, values: Numbers) -> System:
    """The system with other numbers, and so the one that finds its start."""
    m = system.mechanism
    states = {state.name for state in m.states}
    mechanism = replace(
        m, parameters=_with_values(m.parameters, numbers), discretes=_with_values(m.discretes, numbers),
        states=tuple(replace(z, start=values[z.name]) if z.name in values else z for z in m.states),
        start=None if m.start is None else _with_starts(system, m.start, {
            name: value for name, value in values.items() if name not in states}))
    initial = {**system.initial, **values} if m.start is None else system.initial
    on = None if system.starts_on is None else _renumbered(system.starts_on, numbers, values)
    return system.variant(mechanism=mechanism, initial=initial, starts_on=on)


def _with_values(items: Sequence, numbers: Numbers) -> tuple:
    """Parameters or discrete variables with other values."""
    return tuple(replace(item, value=numbers[item.name]) if item.name in numbers else item for item in items)


def _with_starts(system: System, start: Start, values: Numbers) -> Start:
    """The start with values that must hold, in the place of those given or guessed before."""
    if not values:
        return start
    known = {(s.name, max(s.entry, 0)): k for k, s in enumerate(start.values)}
    every = list(start.values)
    for name, numbers in values.items():
        if name.endswith(".angles") and any(s.name == name for s in start.values):
            raise ModelError(f"{name}: angles of an orientation cannot be given anew here; give them in the model.",
                             name)
        for entry, number in enumerate(numbers):
            if (name, entry) in known:
                k = known[name, entry]
                every[k] = replace(every[k], value=float(number), fixed=True, formula=None)
            else:
                every.append(_new(system, name, entry, float(number), len(numbers)))
    return replace(start, values=tuple(every))


def _new(system: System, name: str, entry: int, number: float, size: int) -> StartValue:
    """A condition on a variable of which the model says nothing."""
    output = system.mechanism.outputs.get(name)
    expression = system.expression(name) if output is None else output() if callable(output) else output
    expression = ca.vec(ca.SX(expression))
    if expression.numel() != size:
        raise ModelError(f"{name}: {expression.numel()} numbers are needed, got {size}.", name)
    # the same condition is the same expression, however often a start is searched for
    kept = system.code.once(("start value", name, entry), lambda: expression[entry])
    return StartValue(name, entry if size > 1 else -1, number, True, kept)


def _slot(system: System, name: str) -> tuple[str, slice] | None:
    """Where a parameter or an input lies in a state; None for what is a start value."""
    items: tuple[tuple[str, Sequence[Named | ContinuousState]], ...]
    items = (("p", system.mechanism.parameters), ("d", system.mechanism.discretes))
    for part, own in items:
        if any(item.name == name for item in own):
            return part, system.slot(name)[1]
    return None
