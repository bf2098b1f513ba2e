"""All that holds one way or up to a limit, for a run in Python: friction, stops, locks and rigid contact.

What is decided is in `row_instant`, `contact_instant` and the files that they call; here is the memory that they share
with Python.  `row_news` says what comes of it: messages, lines for the tables of events and of contacts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ..integrate.record import PIECE
from ..system.event_programs import NEVER
from ..waiting import waiting
from . import contact_record as cr
from . import row_record as rr
from . import tolerances as tol
from .contact_instant import contact_instant
from .event_log import EventLog
from .instant import Instant
from .row_instant import row_instant
from .row_news import RowNews
from .row_numbers import jump_parts, row_numbers, situation_parts
from .trouble import Trouble

#: where the record has what a run that begins knows nothing of
FRESH = np.array([rr.ROWS.layout.find(name).slot for name in (*rr.WHOLE_PROGRESS, *rr.REAL_PROGRESS)
                  if name != "accuracy"])


@cache
def _compiled(contacts: bool) -> int:
    """The address of the compiled instant."""
    what = "friction, stops, locks" + " and rigid contact" * contacts
    with waiting(f"compiling the decisions on {what} (once per installation)"):
        return (contact_instant if contacts else row_instant).address


class Unilateral:
    """The rows of a run: those that slide, then those that open, then those with a condition; and its rigid contacts.

    A row holds (mode 0) or moves one way (±1); a stop that is open has mode 1.  `slack` is how far witnesses may lie
    beyond zero by rounding.
    """

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 0.0, slack: np.ndarray | None = None):
        self.now, self.log, system = instant, log, instant.system
        self.events = h = system.mechanism.events
        self._static = s = row_numbers(system)
        self._memory, self._r = rr.ROWS.new()
        self._slots = self._memory.view(np.int64)
        self._arrays = own = s.arrays()
        #: what lasts of them, which lies together, and that with which runs begin
        self._lasting = own["numbers"].base[: s.n_lasting]
        self._first = self._lasting.copy()
        if slack is not None:
            own["slack"] = slack
        self.holding = s.known["fixed"][rr.HELD] - system.layout.places["d"].start
        self._keep = [system.code.situation.workspace()]
        self._r.put(
            **s.sizes, **{name: array.ctypes.data for name, array in (s.known | own).items()}, accuracy=accuracy,
            situation=system.code.situation.scalar_address, inp=instant.inputs.ctypes.data, logs=1,
            out=instant.out.ctypes.data, seen=instant.seen.ctypes.data, work=self._keep[0].ctypes.data,
            **{name: instant.out.ctypes.data + 8 * first for name, first in situation_parts(system).items()})
        if h.contacts:
            self._prepare_jumps()
        self._news = RowNews(instant, log, s, own, self._r)
        #: writes lines of the table of contacts
        self.tell_contacts = self._news.rows
        #: where the compiled instant lies, and its record
        self.piece, self.address = _compiled(bool(h.contacts)), self._memory.ctypes.data
        self._ask = PIECE(self.piece)
        self._ask(self.address, rr.START)

    @property
    def lasting(self) -> tuple[int, int]:
        """Where the numbers lie that arrays keep between instants, and how many they are."""
        return self._lasting.ctypes.data, len(self._lasting)

    @property
    def names(self) -> list[str]:
        """Of all rows."""
        return self._static.names

    def _prepare_jumps(self) -> None:
        """Let the record know the jump program, which is made when it is first needed."""
        jump, r = self.now.system.code.jump, self._r
        arrays = {"jump_in": np.zeros(jump.n_in), "jump_out": np.zeros(jump.n_out), "jump_work": jump.workspace()}
        self._keep += arrays.values()
        sent, told = jump_parts(self.now.system)
        r.put(jump=jump.scalar_address, **{name: array.ctypes.data for name, array in arrays.items()})
        r.put(**{name: r.jump_in + 8 * first for name, first in sent.items()},
              **{name: r.jump_out + 8 * first for name, first in told.items()})

    # --- the instant ---

    def begin(self, log: EventLog) -> None:
        """Begin anew at the present inputs, as if nothing had been decided before."""
        self.log = self._news.log = log
        self._lasting[:] = self._first
        self._arrays["x_before"][:] = 0.0
        self._arrays["slack"][:] = 0.0
        self._slots[FRESH] = 0
        self._ask(self.address, rr.START)

    def take_over(self, lane: Callable[[str], np.ndarray]) -> None:
        """Go on where a lane has come to, whose numbers have the names of the record."""
        for name in rr.LASTING:
            self._arrays[name][...] = lane(f"rows.{name}")
        self._r.put(**{name: lane(f"rows.{name}").item() for name in (*rr.WHOLE_PROGRESS, *rr.REAL_PROGRESS)})

    def crossed(self, witnesses: Sequence[int]) -> Trouble | None:
        """Note what came to rest, touched or reached its limit; open stops that are pulled, strike those reached.

        `witnesses` are the numbers of those that crossed, of one stage."""
        now, flags = self.now, self._arrays["crossed"]
        flags[:] = 0
        flags[witnesses] = 1
        self._r.may_step_back = now.x_before is not None
        if now.x_before is not None:
            self._arrays["x_before"][:] = now.x_before
        trouble = self._asked(rr.CROSSED)
        if not self._r.may_step_back:
            now.x_before = None
        return trouble

    def engage(self) -> tuple[list[str], Trouble | None]:
        """Bring to rest what a condition holds from now on; names the rows that changed."""
        trouble = self._asked(rr.ENGAGE)
        return [self._static.names[k] for k in self._arrays["log"][: self._r.n_log, 0]], trouble

    def hold(self) -> None:
        """Take off what steps of a fixed size have left of the speeds that conditions hold."""
        self._asked(rr.HOLD)

    def unsettle(self) -> None:
        """Speeds or forces have changed since modes were decided."""
        self._r.unsettled = 1

    def decide(self, altered: bool = True) -> tuple[list[str], Trouble | None]:
        """Bring all to agree with the state, which may be `altered`; names what changed, or says why that is
        impossible."""
        self._r.altered = altered
        trouble = self._asked(rr.DECIDE)
        if trouble is not None:
            return [], trouble
        names, N = [], self._arrays["numbers"]
        if self._r.changed or self._r.again:
            changed = [self._static.names[k] for k in np.flatnonzero(N[rr.MODE] != N[rr.BEFORE])]
            names = changed or ["the speeds"]
        if self._r.touched:
            touching = np.flatnonzero(self._arrays["contact_numbers"][cr.TOUCHES])
            names += [self._static.contacts[k] for k in touching]
        return names, None

    def next_time(self, t: float) -> float:
        """The middle of the shortest flight that has begun; a step ends there."""
        return self._r.apex if self._r.apex > t else NEVER

    def in_flight(self) -> None:
        """What has left is far enough from zero to need no slack."""
        self._asked(rr.IN_FLIGHT)

    def end_jams(self) -> bool:
        """Where friction grows without bound and a run cannot go on, end the slip by an impulse."""
        if not self.events.contacts:
            return False
        self._asked(rr.GROW)
        return bool(self._r.touched)

    def _asked(self, task: int) -> Trouble | None:
        """Ask the compiled instant, and tell what comes of it."""
        r, now = self._r, self.now
        r.courses = now.watched
        if now.watched and self.events.contacts and "contact_course" not in self._arrays:
            self._arrays["contact_course"] = course = np.empty(self._static.course)
            r.contact_course = course.ctypes.data
        kept = None
        if self._static.needs_jumps and not r.jump:
            kept = now.inputs.copy(), self._slots.copy(), self._lasting.copy()
        trouble = self._ask(self.address, task)
        if r.needs_jump and kept is not None:
            # impulses are asked for, for the first time: once more from the beginning, with them
            now.inputs[:], self._slots[:], self._lasting[:] = kept
            self._prepare_jumps()
            trouble = self._ask(self.address, task)
        self._news.tell()
        return None if trouble == rr.FINE else self._news.trouble(trouble)

    def left(self, gaps_before: Sequence[float]) -> Trouble | None:
        """Open the stops whose gap an action has widened; trouble where it puts something beyond a stop."""
        table, N, held = self.now.look().rows, self._arrays["numbers"], self._static.known["fixed"][rr.HELD]
        for k, row in enumerate(self.events.bounded):
            gap, size = table.gap[k], table.size[k]
            if row.opens and gap - gaps_before[k] > tol.TOUCHES * size:
                N[rr.MODE, k] = 1
                self.now.inputs[held[k]] = 0.0
            elif row.opens and gap < -tol.BEYOND * size:
                return Trouble(f"at t = {self.now.t:.9g} s an action puts the motion {-gap:.3g} beyond the stop "
                               f"{row.name}; set a value between the stops.")
        return None
