"""Friction that sticks, stops that are hit and locks that catch, for a run in Python: its compiled instant, and what
that tells.

What is decided is in `row_instant`, `row_modes`, `row_impacts`, `row_impulses` and `row_locks`; here are the memory
they share with Python, messages and the table of events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from ..integrate.record import PIECE
from ..system import System, alone, proportional
from ..system.event_programs import is_given, place, sharing, witnesses_of
from ..waiting import waiting
from . import row_record as rr
from . import tolerances as tol
from .course import NotSmooth, Struck
from .event_log import EventLog
from .instant import Instant
from .row_instant import row_instant
from .trouble import Trouble


@dataclass(frozen=True)
class RowNumbers:
    """What the rows of all runs of a model have in common.

    `memory` is that of a run that has not begun: the record, then what changes on the way, each array at its `places`
    (slot, shape).  `known` are arrays that never change.
    """

    names: list[str]
    memory: np.ndarray
    places: dict[str, tuple[int, tuple[int, ...]]]
    known: dict[str, np.ndarray]
    needs_jumps: bool  # whether impulses may be asked for

    def array(self, memory: np.ndarray, name: str, kind: type = np.float64) -> np.ndarray:
        """An array in the memory of a run."""
        slot, shape = self.places[name]
        return memory[slot : slot + prod(shape)].view(kind).reshape(shape)


def row_numbers(system: System) -> RowNumbers:
    """Made once for all systems on the same code."""
    return system.code.once(("rows",), lambda: _row_numbers(system))


def _row_numbers(system: System) -> RowNumbers:
    e, situation, layout = system.equations, system.code.situation, system.layout
    m, h, d = e.mechanism, e.mechanism.events, layout.places["d"]
    slots = {name: d.start + k for k, name in enumerate(system.part_names("d"))}
    n, n_frictions, n_in, witnesses = len(h.rows), len(h.frictions), layout.n_in, witnesses_of(e)
    single = {row: (at, slope) for row, at, slope in alone(e)}
    switched = [r.name for r in e.rows if r.mode is not None for _ in range(r.G.shape[0])]
    fixed, reals = _by_row(system, slots, single, switched)
    beside = np.zeros((n_frictions, n_frictions), np.int64)
    for k, others in sharing(e).items():
        beside[k, others] = 1
    contacts = np.array([[slots[c.closed.name()], slots[c.stuck.name()], slots[c.armed.name()],
                          *(slots[f"{c.name}.direction[{k}]"] for k in range(2)),
                          *(slots[f"{c.name}.share[{k}]"] for k in range(3))] for c in h.contacts], np.int64)
    # what is out of force while an impact lasts
    own = np.concatenate([contacts.ravel(), np.array([slots[ball.held.name()] for ball in h.balls
                                                      if not ball.holds_impacts], np.int64)])
    stops = [w.what in ("gap", "pull") for w in witnesses]
    meets = [(start, rows.G.shape[0] * (rows.level == "position"))
             for start, rows in (place(e, lock.name) for lock in h.locks)]
    known = {
        "fixed": fixed, "beside": beside,
        "alone": np.array([(row, at) for row, (at, _) in single.items()], np.int64).reshape(-1, 2),
        "alone_slopes": np.array([slope for _, slope in single.values()]),
        "kinds": np.array([rr.WITNESSES.get(w.what, rr.OTHER) for w in witnesses], np.int64),
        "rows": np.array([w.number + n_frictions * stop for w, stop in zip(witnesses, stops, strict=True)], np.int64),
        "meets": np.array(meets, np.int64).reshape(-1, 2), "contacts": contacts.reshape(-1, 8), "contact_slots": own,
        "start_y": np.array(layout.start_y, dtype=float)}
    n_known, nx, n_y = tol.IMPACT_SEARCH * (1 + n), m.nq + m.nu + layout.size("z"), len(layout.start_y)
    n_locks = len(h.locks)
    shapes = {"numbers": (rr.N_NUMBERS, n), "reals": reals.shape, "holding": (n_locks,), "crossed": (len(witnesses),),
              "known": (n_known,), "x_before": (nx,), "inputs_before": (n_in,), "inputs_aside": (n_in,), "parts": (n,),
              "impulse": (m.nu,), "tried_y": (n_y,),
              "log": (4 * n + n_locks + len(witnesses) + 8, 2), "course": (n + 4, 1 + n + n_in)}
    places, end = {}, rr.ROWS.layout.slots
    for name, shape in shapes.items():
        places[name] = end, shape
        end += prod(shape)
    impacts = bool(h.stops) or any(f.one_way for f in h.frictions)
    held_alone = np.all((fixed[rr.ALONE, :n_frictions] >= 0) | (fixed[rr.GIVEN, :n_frictions] != 0))
    made = RowNumbers([told.name for told in (*h.rows, *h.locks)], np.zeros(end), places, known,
                      impacts or bool(h.locks) or not held_alone)
    made.array(made.memory, "reals")[:] = reals
    record = rr.ROWS.at(made.memory)
    record.put(
        situation=situation.scalar_address, n=n, n_frictions=n_frictions, n_locks=n_locks, n_in=n_in, nx=nx, nq=m.nq,
        nu=m.nu, n_d=d.stop - d.start, d_at=d.start, n_y=n_y, y_at=layout.places["y"].start, n_alone=len(single),
        n_witnesses=len(witnesses), n_contacts=len(contacts), n_known=n_known, n_contact_slots=len(own),
        contact_width=8, n_rubbing=len(proportional(e)), n_switched=len(switched),
        n_equations=sum(r.G.shape[0] for r in e.rows), shared=bool(beside.any()), logs=1, impacts=impacts,
        permanent=any(r.mode is None for r in e.rows) or n_locks > 0,
        **{name: array.ctypes.data for name, array in known.items()})
    return made


def _by_row(system: System, slots: dict[str, int], single: dict[int, tuple[int, float]],
            switched: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The whole and real numbers of every row."""
    e, h = system.equations, system.mechanism.events
    numbers, reals = np.zeros((rr.N_FIXED, len(h.rows)), np.int64), np.zeros((rr.N_REALS, len(h.rows)))
    rubbing = {k: number for number, k in enumerate(proportional(e))}
    axes = {us.start: qs.start for qs, us in zip(*e.mechanism.slices(), strict=True)
            if qs.stop - qs.start == us.stop - us.start == 1}
    number = {name: k for k, name in enumerate(switched)}
    for k, row in enumerate(h.rows):
        at = place(e, row.name)[0]
        numbers[rr.HELD, k] = slots[row.held.name()]
        numbers[rr.WAY, k] = -1 if row.direction is None else slots[row.direction.name()]
        numbers[rr.HALF_LINE, k], numbers[rr.FIRM, k] = row.half_line, row.holds_impacts
        numbers[rr.GIVEN, k] = k < len(h.frictions) and is_given(e, row.name)
        numbers[rr.RUB, k] = -1 if row.holds_impacts else rubbing.get(k, -1)
        numbers[rr.PLACE, k], numbers[rr.SWITCHED, k] = at, number.get(row.name, 0)
        numbers[rr.ALONE, k], reals[rr.SLOPE, k] = single.get(at, (-1, 0.0))
        numbers[rr.AXIS, k] = axes.get(int(numbers[rr.ALONE, k]), -1)
        numbers[rr.INSIDE, k] = row.starts_inside
    reals[rr.PATIENCE], reals[rr.LEFT] = 1.0, -np.inf
    return numbers, reals


def situation_parts(system: System) -> dict[str, int]:
    """Where in the situation the tables lie that the record points at."""
    situation = system.code.situation
    told = [name for name, _ in situation.program.outputs]
    parts = {"table": "rows", "touching": "contacts", "conditions": "locks", "scales": "scales"}
    return {name: situation.slice_out(part).start if part in told else 0 for name, part in parts.items()}


def jump_parts(system: System) -> tuple[dict[str, int], dict[str, int]]:
    """Where the parts lie of a jump's inputs, and of its outputs."""
    jump, n_in, nu = system.code.jump, system.layout.n_in, system.mechanism.nu
    told = {name: jump.slice_out(name).start for name, _ in jump.program.outputs if name in rr.JUMP}
    return {"sent": n_in, "bottom": n_in + nu + 1}, told


@cache
def _compiled() -> int:
    """The address of the compiled instant."""
    with waiting("compiling the decisions on friction, stops and locks (once per installation)"):
        return row_instant.address


class Unilateral:
    """The rows of a run: all frictions, and numbered on after them all stops, then all locks.

    A row holds (mode 0) or moves one way (±1); a stop that is open has mode 1.
    """

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 0.0):
        self.now, self.log, system = instant, log, instant.system
        self.events = h = system.mechanism.events
        self._static = s = row_numbers(system)
        self.names, self._count = s.names, len(h.frictions)
        self._memory = s.memory.copy()
        self._r = r = rr.ROWS.at(self._memory)
        self._numbers, self._crossed, self._log, self._holding = (
            s.array(self._memory, name, np.int64) for name in ("numbers", "crossed", "log", "holding"))
        self._reals, self._x_before, self._course = (s.array(self._memory, name)
                                                     for name in ("reals", "x_before", "course"))
        self._fixed = s.known["fixed"]
        self.holding = self._fixed[rr.HELD] - system.layout.places["d"].start
        self._address = base = self._memory.ctypes.data
        self._keep = [system.code.situation.workspace()]
        r.put(inp=instant.inputs.ctypes.data, out=instant.out.ctypes.data, seen=instant.seen.ctypes.data,
              work=self._keep[0].ctypes.data, accuracy=accuracy,
              **{name: instant.out.ctypes.data + 8 * first for name, first in situation_parts(system).items()},
              **{name: base + 8 * slot for name, (slot, _) in s.places.items()},
              slack=self._reals[rr.SLACK].ctypes.data)
        self._ask = PIECE(_compiled())
        self._ask(base, rr.START)

    def _hold(self, **arrays: np.ndarray) -> None:
        """Let the record point at arrays, which live as long as this."""
        for name, array in arrays.items():
            self._keep.append(array)
            setattr(self._r, name, array.ctypes.data)

    def _prepare_jumps(self) -> None:
        """Let the record know the jump program, which is made when it is first needed."""
        jump = self.now.system.code.jump
        self._hold(jump_in=np.zeros(jump.n_in), jump_out=np.zeros(jump.n_out), jump_work=jump.workspace())
        sent, told = jump_parts(self.now.system)
        r = self._r
        r.put(jump=jump.scalar_address, **{name: r.jump_in + 8 * first for name, first in sent.items()},
              **{name: r.jump_out + 8 * first for name, first in told.items()})

    # --- the instant ---

    @property
    def slack(self) -> np.ndarray:
        """Of sliding frictions: speeds backwards that still count as rounding; of those on given motions too."""
        return self._reals[rr.SLACK, : self._count]

    @property
    def gap_slack(self) -> np.ndarray:
        """Of touching stops that something else holds."""
        return self._reals[rr.SLACK, self._count :]

    @property
    def again(self) -> bool:
        """Whether speeds have changed since modes were decided."""
        return bool(self._r.again)

    def take_over(self, lane: Callable[[str], np.ndarray]) -> None:
        """Go on where a lane has come to, whose numbers have the names of the record."""
        self._numbers[:], self._reals[:] = lane("rows.numbers"), lane("rows.reals")
        self._holding[:] = lane("rows.holding")
        self._r.put(**{name: lane(f"rows.{name}").item() for name in (*rr.WHOLE_PROGRESS, *rr.REAL_PROGRESS)})

    def crossed(self, witnesses: Sequence[int]) -> Trouble | None:
        """Note which friction came to rest or reached its limit; open stops that are pulled, strike those reached.

        `witnesses` are the numbers of those that crossed, of one stage."""
        now = self.now
        self._crossed[:] = 0
        self._crossed[witnesses] = 1
        self._r.may_step_back = now.x_before is not None
        if now.x_before is not None:
            self._x_before[:] = now.x_before
        trouble = self._asked(rr.CROSSED)
        if not self._r.may_step_back:
            now.x_before = None
        return trouble

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Bring friction and stops to agree with the state; names what changed, or says why that is impossible."""
        trouble = self._asked(rr.DECIDE)
        if trouble is not None or not (self._r.changed or self._r.again):
            return [], trouble
        names = [self.names[k] for k in np.flatnonzero(self._numbers[rr.MODE] != self._numbers[rr.BEFORE])]
        return names or ["the speeds"], None

    def engage(self) -> tuple[list[str], Trouble | None]:
        """Bring to rest what is locked from now on; names the locks that changed."""
        trouble = self._asked(rr.ENGAGE)
        return [self.names[k] for k in self._log[: self._r.n_log, 0]], trouble

    def hold(self) -> None:
        """Take off what steps of a fixed size have left of the speeds that locks hold."""
        self._asked(rr.HOLD)

    def _asked(self, task: int) -> Trouble | None:
        """Ask the compiled instant, and put what it tells into the log and the course."""
        r, now = self._r, self.now
        r.courses = now.watched
        kept = (now.inputs.copy(), self._memory.copy()) if self._static.needs_jumps and not r.jump else None
        trouble = self._ask(self._address, task)
        if r.needs_jump and kept is not None:
            # impulses are asked for, for the first time: once more from the beginning, with them
            now.inputs[:], self._memory[:] = kept
            self._prepare_jumps()
            trouble = self._ask(self._address, task)
        for row, direction in self._log[: r.n_log].tolist():
            self.log.note(now.t, self.names[row], direction)
        if r.put_inside:
            r.put_inside = 0
            for k in np.flatnonzero(self._reals[rr.STRENGTH, self._count :] > 0) + self._count:
                self.log.messages.append(f"{self.names[k]}: the start, {self._reals[rr.STRENGTH, k]:.3g} beyond the "
                                         "stop, was put on it")
        for line in self._course[: r.n_course]:
            now.course.append(self._step(line))
        return None if trouble == rr.FINE else self._trouble(trouble)

    def _step(self, line: np.ndarray) -> NotSmooth | Struck:
        """A line of the course."""
        n = len(self.events.rows)
        took = np.flatnonzero(line[1 : 1 + n])
        if line[0] == rr.RUBBED:
            return NotSmooth(f"{', '.join(self.names[k] for k in took)} rubs in an impact")
        return Struck(line[1 + n :].copy(),
                      back={int(self._fixed[rr.PLACE, k]): int(k) - self._count for k in took})

    def _trouble(self, what: int) -> Trouble:
        """Why the run ends."""
        t, culprit = self.now.t, self.names[self._r.culprit]
        chosen, taking = (", ".join(self.names[k] for k in np.flatnonzero(self._numbers[line]))
                          for line in (rr.CHOSEN, rr.TAKES))
        if what == rr.BEYOND_STOP:
            gap = self.now.look().stops.gap[self._r.culprit - self._count]
            return Trouble(f"{culprit}: the run starts {-gap:.3g} beyond the stop. Start inside, or let it be put "
                           "there: lw.World(start_inside_stops=True).")
        if what == rr.TURNED_BACK:
            return Trouble(f"at t = {t:.9g} s prescribed motions turn the freewheel {culprit} backwards; leave one of "
                           "its shafts free.")
        if what == rr.NO_MODES:
            return Trouble(
                f"at t = {t:.9g} s no mode of {taking} is consistent: neither sticking nor sliding "
                "either way agrees with the forces it causes (Painlevé's paradox). Likely: friction "
                "in proportion to a reaction that it increases itself; reduce mu, or add compliance.")
        if what == rr.APART:
            return Trouble(f"at t = {t:.6g} s {culprit} begins to hold while it is open by {self._r.open_by:.3g}. "
                           "Likely: its condition comes true before or after the parts meet. Let the condition follow "
                           "their distance, or use a constraint on speeds, which holds what it finds.")
        if what == rr.DRIVEN:
            return Trouble(f"at t = {t:.9g} s a prescribed motion runs into {chosen}, which it cannot pass; keep what "
                           "is prescribed between the stops.")
        return Trouble(
            f"at t = {t:.9g} s the impulses of {chosen} grow without end: friction increases the reaction that it is "
            "in proportion to. Reduce mu, or let the stop be elastic (stop=lw.CompliantStop).")

    def left(self, gaps_before: Sequence[float]) -> Trouble | None:
        """Open the stops whose gap an action has widened; trouble where it puts something beyond a stop."""
        s, N = self.now.look().stops, self._numbers
        for k, (gap, before, size) in enumerate(zip(s.gap, gaps_before, s.size, strict=True)):
            if gap - before > tol.TOUCHES * size:
                N[rr.MODE, self._count + k] = 1
                self.now.inputs[self._fixed[rr.HELD, self._count + k]] = 0.0
            elif gap < -tol.BEYOND * size:
                return Trouble(f"at t = {self.now.t:.9g} s an action puts the motion {-gap:.3g} beyond the stop "
                               f"{self.events.stops[k].name}; set a value between the stops.")
        return None
