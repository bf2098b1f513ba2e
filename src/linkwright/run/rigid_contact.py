"""Rigid contact for a run in Python: its compiled instant, and what that tells.

What is decided is in `contact_instant` and the files that it calls; here are the memory they share with Python,
messages, and lines for the tables of events and of contacts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..integrate.record import PIECE
from ..mechanism import Contact
from ..result import ContactRow
from ..system import State, System, alone
from ..system.event_programs import NEVER, place, witnesses_of
from ..waiting import waiting
from . import contact_record as cr
from . import tolerances as tol
from .complementarity import jump_parts, situation_parts
from .contact_instant import contact_instant
from .course import NotSmooth, Struck
from .event_log import EventLog
from .instant import Instant
from .overlaps import overlap
from .trouble import Trouble

#: what happens at a contact, in the table of contacts
HAPPENS = {cr.LEAVES: "leave", cr.RESTING: "rest", cr.SLIDES: "slide", cr.STICKS: "stick", cr.STRIKES: "hit",
           cr.JAMS: "jam"}
#: arrays that last between instants; the others are scratch
LASTING = ("numbers", "reals")
WHOLE = ("numbers", "crossed", "which", "held", "kinds_of", "partners", "known", "order", "log")


@dataclass(frozen=True)
class ContactNumbers:
    """What the contacts of all runs of a model have in common: `numbers` of the record, arrays that never change
    (`known`), shapes of those that do."""

    names: list[str]
    numbers: dict[str, int]
    known: dict[str, np.ndarray]
    shapes: dict[str, tuple[int, ...]]
    begins: dict[str, np.ndarray]  # how those begin that last
    course: tuple[int, int]  # of the course, where somebody asks for it


def contact_numbers(system: System) -> ContactNumbers:
    """Made once for all systems on the same code."""
    return system.code.once(("contacts",), lambda: _contact_numbers(system))


def _contact_numbers(system: System) -> ContactNumbers:
    e, layout = system.equations, system.layout
    m, h, d = e.mechanism, e.mechanism.events, layout.places["d"]
    slots = {name: d.start + k for k, name in enumerate(system.part_names("d"))}
    switched = [(r.name, kept) for r in e.rows if r.mode is not None for kept in r.kept]
    number = {row: k for k, row in enumerate(switched)}
    single, witnesses = alone(e), witnesses_of(e)
    fixed = _by_contact(system, slots, number)
    aside = [k for k, f in enumerate(h.frictions) if not f.holds_impacts]
    known = {
        "fixed": fixed, "own": fixed[list(cr.OWN)].ravel(),
        "stops": np.array([(slots[s.held.name()], number.get((s.name, 0), -1)) for s in h.stops], np.int64),
        "rubbing_aside": np.array([(slots[h.frictions[k].held.name()], slots[h.frictions[k].direction.name()], k)
                                   for k in aside], np.int64),
        "alone": np.array([(row, at) for row, at, _ in single], np.int64).reshape(-1, 2),
        "alone_slopes": np.array([slope for _, _, slope in single]),
        "kinds": np.array([cr.WITNESSES.get(w.what, cr.OTHER) for w in witnesses], np.int64),
        "owners": np.array([w.number for w in witnesses], np.int64)}
    known["stops"], known["rubbing_aside"] = known["stops"].reshape(-1, 2), known["rubbing_aside"].reshape(-1, 3)
    n, n_stops, nx, n_in = len(h.contacts), len(h.stops), m.nq + m.nu + layout.size("z"), layout.n_in
    most = n + n_stops
    size, lines = 3 * most, 2 * tol.CONTACT_ROUNDS * (1 + n) + 2 * n
    vectors = ("b", "v", "steps", "force", "first_phase", "motion", "best", "cone_x", "cone_F", "cone_change",
               "cone_tried", "cone_walked", "order", "present", "wanted", "found", "shift_of")
    shapes = {
        "numbers": (cr.N_NUMBERS, n), "reals": (cr.N_REALS, n), "crossed": (len(witnesses),), "x_before": (nx,),
        "inputs_before": (n_in,), "aside": (fixed[list(cr.OWN)].size,), "stops_aside": (n_stops,),
        "rubs_aside": (len(aside),), "speeds": (m.nu,), "which": (most,), "held": (most,), "W": (size, size),
        "changes": (size, m.nu), "give": (most,), "kinds_of": (most,), "partners": (most,), "laws": (most, 3),
        "least": (most,), "known": (most,), "ways": (most, 2), "cone_right": (2 * size,), "cone_J": (2 * size, size),
        "A": (size, size), "L": (size, size), "basis": (size, size), "strain": (most,), "own_mu": (most,),
        **dict.fromkeys(vectors, (size,)), "log": (lines, 3), "log_reals": (lines, 3)}
    begins = {name: np.zeros(shapes[name], np.int64 if name in WHOLE else float) for name in LASTING}
    begins["numbers"][cr.UNIQUE] = 1
    numbers = {
        "n": n, "n_rows": len(h.rows), "n_frictions": len(h.frictions), "n_stops": n_stops, "n_aside": len(aside),
        "n_in": n_in, "nx": nx, "nq": m.nq, "nu": m.nu, "n_d": d.stop - d.start, "d_at": d.start,
        "n_equations": sum(r.G.shape[0] for r in e.rows), "n_switched": len(switched), "n_alone": len(single),
        "n_witnesses": len(witnesses), "n_own": fixed[list(cr.OWN)].size, "most": most, "size": size}
    course = 2 * tol.CONTACT_ROUNDS * (1 + tol.RESTITUTION_HALVINGS), 2 + most + n_in
    return ContactNumbers([c.name for c in h.contacts], numbers, known, shapes, begins, course)


def _by_contact(system: System, slots: dict[str, int], number: dict[tuple[str, int], int]) -> np.ndarray:
    """The whole numbers of every contact that stay as they are."""
    e, contacts = system.equations, system.mechanism.events.contacts
    pairs = {pair: k for k, pair in enumerate(dict.fromkeys(c.pair for c in contacts))}
    F, halts = np.zeros((cr.N_FIXED, len(contacts)), np.int64), 0
    for k, c in enumerate(contacts):
        for line, mode in ((cr.CLOSED, c.closed), (cr.STUCK, c.stuck), (cr.ARMED, c.armed), (cr.SLOW, c.slow)):
            F[line, k] = slots[mode.name()]
        for first, name, count in ((cr.WAY_1, "direction", 2), (cr.SHARE_1, "share", 3), (cr.ANCHOR_1, "anchor", 2)):
            F[first : first + count, k] = [slots[f"{c.name}.{name}[{i}]"] for i in range(count)]
        F[cr.NORMAL, k], F[cr.PLACE, k] = number.get((c.normal, 0), -1), place(e, c.normal)[0]
        F[[cr.ACROSS_1, cr.ACROSS_2], k] = [-1 if c.tangent is None else number.get((c.tangent, i), -1)
                                            for i in range(2)]
        F[cr.RUBS, k], F[cr.NEWTON, k], F[cr.PAIR, k] = c.tangent is not None, c.newton, pairs[c.pair]
        F[cr.HALT, k] = -1 if c.tangent is None else halts
        halts += c.tangent is not None
    return F


@cache
def _compiled() -> int:
    """The address of the compiled instant."""
    with waiting("compiling the decisions on rigid contact (once per installation)"):
        return contact_instant.address


class Touching:
    """The contacts of a run: witnesses that crossed are noted, then modes and speeds are made to agree."""

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 1e-8) -> None:
        self.now, self.log, system = instant, log, instant.system
        self.contacts: Sequence[Contact] = system.mechanism.events.contacts
        self._static = s = contact_numbers(system)
        jump, situation = system.code.jump, system.code.situation
        self._memory, self._r = cr.CONTACTS.new()
        own = {name: np.empty(shape, np.int64 if name in WHOLE else float) for name, shape in s.shapes.items()}
        own |= {name: array.copy() for name, array in s.begins.items()}
        own |= {"jump_in": np.zeros(jump.n_in), "jump_out": np.zeros(jump.n_out)}
        self._arrays, self._keep = own, [situation.workspace(), jump.workspace()]
        own["x_before"][:] = 0.0
        sent, told = jump_parts(system)
        at = {name: array.ctypes.data for name, array in {**own, **s.known}.items()}
        self._r.put(
            **s.numbers, **at, inp=instant.inputs.ctypes.data, out=instant.out.ctypes.data, logs=1,
            seen=instant.seen.ctypes.data, accuracy=accuracy, situation=situation.scalar_address,
            jump=jump.scalar_address, work=self._keep[0].ctypes.data, jump_work=self._keep[1].ctypes.data,
            **{name: instant.out.ctypes.data + 8 * first for name, first in situation_parts(system).items()},
            **{name: at["jump_in"] + 8 * first for name, first in sent.items()},
            **{name: at["jump_out"] + 8 * first for name, first in told.items()})
        numbers = [(w.what, k) for k, w in enumerate(witnesses_of(system.equations))]
        self._touches, self._halts = (np.array([k for what, k in numbers if what == wanted], dtype=int)
                                      for wanted in ("touch", "halt"))
        self._halting = s.known["fixed"][cr.HALT] >= 0
        self._ask = PIECE(_compiled())
        self._ask(self._memory.ctypes.data, cr.START)

    # --- the instant ---

    def take_over(self, lane: Callable[[str], np.ndarray]) -> None:
        """Go on where a lane has come to, whose numbers have the names of the record."""
        for name in LASTING:
            self._arrays[name][:] = lane(f"contacts.{name}")
        self._r.put(**{name: lane(f"contacts.{name}").item() for name in (*cr.WHOLE_PROGRESS, *cr.REAL_PROGRESS)})

    def take_slack(self, slack: np.ndarray) -> None:
        """How far witnesses of gaps, and of slips that begin, may pass zero by rounding."""
        reals = self._arrays["reals"]
        slack[self._touches], slack[self._halts] = reals[cr.GAP_SLACK], reals[cr.HALT_SLACK][self._halting]

    def in_flight(self, slack: np.ndarray) -> None:
        """The same in the middle of a flight."""
        self._asked(cr.IN_FLIGHT)
        self.take_slack(slack)

    def next_time(self, t: float) -> float:
        """The middle of the shortest flight that has begun; a step ends there."""
        return self._r.apex if self._r.apex > t else NEVER

    def crossed(self, witnesses: Sequence[int]) -> None:
        """Note which contacts touched, came to rest, or reached a limit; hold or release directions of sliding."""
        now, flags = self.now, self._arrays["crossed"]
        flags[:] = 0
        flags[witnesses] = 1
        self._r.may_step_back = now.x_before is not None
        if now.x_before is not None:
            self._arrays["x_before"][:] = now.x_before
        self._asked(cr.CROSSED)
        if not self._r.may_step_back:
            now.x_before = None

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Make modes and speeds agree; returns the names of contacts that changed, or why that is impossible."""
        trouble = self._asked(cr.DECIDE)
        return self._names(cr.TOUCHES) if trouble is None and self._r.changed else [], trouble

    def end_jams(self) -> bool:
        """Where friction grows without bound and a run cannot go on, end the slip by an impulse."""
        self._asked(cr.GROW)
        return bool(self._r.changed)

    # --- what is told ---

    def _asked(self, task: int) -> Trouble | None:
        """Ask the compiled instant, and put what it tells into the log and the course."""
        r = self._r
        r.courses = self.now.watched
        if r.courses and "course" not in self._arrays:
            self._arrays["course"] = course = np.empty(self._static.course)
            r.course = course.ctypes.data
        trouble = self._ask(self._memory.ctypes.data, task)
        if r.n_log:
            self._tell(self._arrays["log"][: r.n_log].tolist(), self._arrays["log_reals"][: r.n_log].tolist())
        if r.n_course:
            self._follow(self._arrays["course"][: r.n_course])
        return None if trouble == cr.FINE else self._trouble(trouble)

    def _tell(self, lines: list[list[int]], values: list[list[float]]) -> None:
        """Lines of the log: events, rows of the table of contacts, messages."""
        t, gained, jammed = self.now.t, dict[float, list[str]](), []
        for (kind, k, number), (impulse, speed, loss) in zip(lines, values, strict=True):
            c = self.contacts[k]
            if kind == cr.EVENT:
                self.log.note(t, c.name, number)
            elif kind == cr.GAINED:
                gained.setdefault(impulse, []).append(c.name)
            elif kind == cr.JAMMED:
                jammed.append(c.name)
            else:
                row = ContactRow(t, c.pair, c.point, HAPPENS[kind], impulse, speed, loss, bool(number))
                self.log.contacts.append(row)
        for share, names in gained.items():
            self.log.messages.append(
                f"at t = {t:.6g} s an impact of {', '.join(names)} would have gained energy, as restitution "
                f"with friction can: {share:g} of the restitution was given back")
        if jammed:
            self.log.messages.append(
                f"at t = {t:.6g} s friction jammed at {', '.join(jammed)}: it increases what presses it (Painlevé's "
                "paradox), and an impulse ended the slip")

    def _follow(self, lines: np.ndarray) -> None:
        """Lines of the course: the phases of impacts."""
        ended = False  # of an impact without a derivative the second phase is not noted
        for line in lines:
            ended = ended and line[0] == 1.0
            if not ended:
                step = self._step(line)
                self.now.course.append(step)
                ended = isinstance(step, NotSmooth)

    def _step(self, line: np.ndarray) -> NotSmooth | Struck:
        """A phase of an impact: which rows were in force."""
        e, events, n = self.now.system.equations, self.now.system.mechanism.events, len(self.contacts)
        flags, stops = line[2 : 2 + n + len(events.stops)].astype(int), len(events.stops)
        sliding = [c.name for c, did in zip(self.contacts, flags[:n], strict=True) if did & cr.RUBBED]
        if sliding:
            return NotSmooth(f"{', '.join(sliding)} slides in an impact with friction")
        if line[1] < 1.0:
            return NotSmooth("an impact would have gained energy, and part of its restitution was given back")
        rows, back, thrown = [], {}, {}
        for k, did in enumerate(flags.tolist()):
            item = self.contacts[k].normal if k < n else events.stops[k - n].name
            normal, number = place(e, item)[0], stops + k if k < n else k - n
            if did & cr.RETURNED:
                back[normal] = number
            if did & cr.PRESSES:
                rows.append(normal)
            if did & cr.THROWN:
                thrown[normal] = number
            tangent = self.contacts[k].tangent if k < n else None
            if did & cr.HOLDS and tangent is not None:
                start, own = place(e, tangent)
                rows += range(start, start + own.G.shape[0])
        return Struck(line[2 + n + stops :].copy(), tuple(rows), back, thrown)

    def _names(self, flag: int) -> list[str]:
        """The contacts of which this is true."""
        return [self._static.names[k] for k in np.flatnonzero(self._arrays["numbers"][flag])]

    def _trouble(self, what: int) -> Trouble:
        """What is said of it."""
        t, names = self.now.t, ", ".join(self._names(cr.CHOSEN))
        if what == cr.STARTS_INSIDE:
            return self._starts_inside()
        if what == cr.DRIVEN:
            return Trouble(f"at t = {t:.9g} s prescribed motions run into each other at {names}; leave one of the "
                           "bodies free.")
        if what == cr.NO_IMPULSES:
            return Trouble(f"at t = {t:.9g} s no impulses of {names} agree with the cone of friction. Likely: bodies "
                           "wedged between others; reduce mu, or let one of the laws be compliant.")
        if what == cr.NO_FORCES:
            return Trouble(f"at t = {t:.9g} s no forces of {names} agree with the motion. Likely: bodies that are "
                           "pressed together by what is prescribed; let one of the laws be compliant.")
        return Trouble(f"at t = {t:.9g} s the impacts of {names} have no end: each brings about the next. Reduce a "
                       "restitution, or let one of the laws be compliant.")

    def _starts_inside(self) -> Trouble:
        """The deepest overlap at the start."""
        deepest, system = self._r.culprit, self.now.system
        meet = next(meet for meet in system.mechanism.events.encounters if deepest in meet.contacts)
        state = State(system, self.now.t, **{part: getattr(self.now, part) for part in "quzdpy"})
        touch = system.distance(state, meet.a, meet.b)
        gap = self.now.look().contacts.gap[deepest]
        return overlap(system, meet, max(-gap, -touch.gap), np.ravel(touch.normal).astype(float))
