"""The present instant of a run: the input vector of all programs, and the situation: the numbers that decide there."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from math import inf, isfinite
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..system import System, alone
from ..system.event_programs import CONTACT, NEVER, ROW
from . import tolerances as tol
from .course import Step

#: tables, column by column: rows.rate[k]
RowTable = namedtuple("RowTable", ROW, defaults=[[]] * len(ROW))
Touches = namedtuple("Touches", CONTACT, defaults=[[]] * len(CONTACT))


class Situation(NamedTuple):
    """The numbers that decide at an instant (see `system.event_programs.situation_program`)."""

    witnesses: list[float] = []
    values: list[float] = []
    fresh: list[float] = []
    conditions: list[float] = []
    news: list[float] = []
    conditional: list[float] = []
    rows: RowTable = RowTable()
    contacts: Touches = Touches()
    instant: float = NEVER  # the next one that is known beforehand
    swing: float = 0.0  # √(2 × kinetic energy): the scale of speeds v/e divided by their ease
    forces: float = 0.0  # the scale of forces e λ and accelerations a/e; not finite where there are no accelerations


NONE = Situation()
LISTS = ("witnesses", "values", "fresh", "conditions", "news", "conditional")


class Instant:
    """Views into a vector of inputs (t | q u z | d p f y), and the situation there."""

    def __init__(self, system: System, inputs: np.ndarray):
        self.system, self.inputs = system, inputs
        parts = system.layout.unpack(inputs)
        self.x, self.q, self.u, self.z, self.d, self.p, self.y = (parts[name] for name in "xquzdpy")
        self.places = {name: k for k, name in enumerate(system.part_names("d"))}
        self.x_before: np.ndarray | None = None  # just before the event, while nothing has changed the state since
        self.course: list[Step] = []  # what has been done to the state at this instant
        self.watched = False  # whether somebody asks for the course
        self._read_of, self._situation = b"", NONE
        self.seen = np.full(len(inputs), np.nan)  # the inputs that `out` belongs to; shared with compiled code
        self._program = None
        self.at: dict[str, slice] = {}  # where the outputs lie
        if system.mechanism.events:
            self._program = program = system.code.situation
            self.out = np.zeros(program.n_out)
            self._evaluate = program.bind(inputs, self.out)
            self.at = at = {name: program.slice_out(name) for name, _ in program.program.outputs}
            self._lists = itemgetter(*[at.get(name, slice(0)) for name in LISTS])
            self._rows, self._contacts = _columns(at.get("rows"), ROW), _columns(at.get("contacts"), CONTACT)
            self._instant, self._scales = at.get("instant"), at.get("scales")

    def witnesses(self) -> np.ndarray:
        """All witnesses now; what the program knows of pairs that are far is zero beyond the search for events."""
        program = self.system.code.events
        return program(np.concatenate([self.inputs, np.zeros(program.n_in - len(self.inputs))]))

    def look(self) -> Situation:
        """The situation now; computed only if an input has changed since the last look."""
        now = self.inputs.tobytes()
        if self._program is not None and now != self._read_of:
            self._read_of = now
            self._situation = self._read(self.numbers().tolist())
        return self._situation

    def numbers(self) -> np.ndarray:
        """The outputs of the situation program now."""
        if self.inputs.tobytes() != self.seen.tobytes():
            self._evaluate()
            self.seen[:] = self.inputs
        return self.out

    def _read(self, numbers: list[float]) -> Situation:
        rows = NONE.rows if self._rows is None else RowTable._make(self._rows(numbers))
        contacts = NONE.contacts if self._contacts is None else Touches._make(self._contacts(numbers))
        instant = NEVER if self._instant is None else numbers[self._instant][0]
        swing, forces, total = numbers[self._scales] if self._scales is not None else (0.0, 0.0, 0.0)
        witnesses, values, fresh, conditions, news, conditional = self._lists(numbers)
        return Situation(witnesses, values, fresh, conditions, news, conditional, rows, contacts, instant, swing,
                         forces if isfinite(total) else inf)

    def next_known(self) -> float:
        """The next instant that is known beforehand."""
        return NEVER if self._program is None or self._instant is None else self.look().instant

    def step_back(self) -> bool:
        """Put the state where it was just before the event, if nothing has changed it since; whether that was done."""
        if self.x_before is None:
            return False
        self.x[:], self.x_before = self.x_before, None
        return True

    @property
    def t(self) -> float:
        """Present time, s."""
        return float(self.inputs[0])


def _columns(rows: slice | None, names: tuple[str, ...]) -> Callable | None:
    """A function that takes the columns of a table out of a list in which its rows lie one after another."""
    if rows is None:
        return None
    return itemgetter(*[slice(rows.start + k, rows.stop, len(names)) for k in range(len(names))])


class Jumps:
    """Impulses at the present instant, and the changes they bring (see `system.jumps`)."""

    def __init__(self, instant: Instant):
        self.instant = instant
        program = instant.system.code.jump
        self._values, self._out = np.zeros(program.n_in), np.zeros(program.n_out)
        self._evaluate = program.bind(self._values, self._out)
        parts = {name: self._out[program.slice_out(name)] for name, _ in program.program.outputs}
        none = np.zeros(0)
        self.change, self.push, self.moved, self.rates, self.gaps = (
            parts.get(name, none) for name in ("change", "push", "moved", "rates", "gaps"))
        system = instant.system
        self._alone = system.code.once(("alone",), lambda: alone(system.equations))
        nu, head = len(instant.u), len(instant.inputs)
        self.directions = parts.get("directions", none).reshape(nu, -1, order="F").T
        self.rubbing = parts.get("rubbing", none).reshape(-1, 3)
        ends = [head, head + nu, head + nu + 1]
        self._head, self._impulse, self._stopped, self._bottom = np.split(self._values, ends)

    def rest(self) -> None:
        """Bring the rows in force to rest; speeds that are held by themselves to an exact zero."""
        u = self.instant.u
        small = tol.HELD_SPEED * np.max(np.abs(u), initial=0.0)
        for _ in range(2):  # twice: the regularised factorisation leaves an error of 1e-10
            u += self.solve()
        self.solve(bottom=0.0)
        for row, place, slope in self._alone:
            if abs(self.rates[row]) <= small:
                u[place] -= self.rates[row] / slope

    def solve(self, impulse: np.ndarray | float = 0.0, bottom: np.ndarray | float | None = None) -> np.ndarray:
        """Δu of an impulse, the rows in force changing their rates by `bottom`; by default they come to rest."""
        self._head[:] = self.instant.inputs
        self._impulse[:] = impulse
        self._stopped[0] = bottom is None
        self._bottom[:] = 0.0 if bottom is None else bottom
        self._evaluate()
        return self.change
