"""A run that goes through its instants in compiled code, and reads afterwards what happened there.

The loop is `integrate.step_programs.through`; it decides an instant as lanes do.  Here are its memory and its news: the
table of events, values of discrete variables, what was in force from which step on.  Whatever needs Python (messages,
the end of a run, controllers) makes it return as if it had not begun to decide, and the run decides that instant.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..integrate.beside import N_HEAD, N_NEWS, NEWS_ACTION, NEWS_CONTACT, NEWS_RELATION, NEWS_ROW, TABLES
from ..integrate.jit import addresses
from ..integrate.record import PIECE, View
from ..integrate.tolerances import HUGE
from ..system import System
from . import contact_record as cr
from . import row_record as rr
from .lane_events import lane_events_of, needs_python
from .tolerances import BYTES_OF_INSTANTS, CHATTERING, INSTANTS_AT_ONCE

if TYPE_CHECKING:
    from .run import EventRun


class GoingThrough:
    """The memory that compiled instants share with a run."""

    def __init__(self, run: EventRun):
        from ..integrate.step_programs import compiled_through

        self._run, system, stepper = run, run.system, run.stepper
        situation, n_in, n_events = system.code.situation, system.layout.n_in, len(run.witnesses)
        self._r: View = stepper.beside
        self._tables, numbers = tables_of(system)
        width = N_HEAD + n_in + n_events
        most = max(CHATTERING, min(INSTANTS_AT_ONCE, BYTES_OF_INSTANTS // (8 * width)))
        self._news, self._lines = np.zeros((4 * most, N_NEWS)), np.zeros((most, width))
        self._before, self._recent = np.zeros(len(run.events.whens)), np.full(CHATTERING, -HUGE)
        rows = self._rows()
        self._aside = np.zeros(n_in + n_events + len(self._before) + CHATTERING + rows["n_rows_slots"]
                               + rows["n_lasting"])
        stepper.reserve(max(situation.n_work, system.code.events.n_work, system.rhs.n_work))
        self._r.events.put(**numbers, **addresses(**self._tables))
        self._r.put(**addresses(before=self._before, recent=self._recent))
        self._r.told.put(
            **rows, situation=situation.scalar_address, messages_from=cr.GAINED, most_news=len(self._news),
            most_instants=most, width=width,
            **addresses(out=run.instant.out, seen=run.instant.seen, news=self._news, instants=self._lines,
                        aside=self._aside))
        events, unilateral = run.events, run.unilateral
        #: what users call everything that lines of news are about, by their kind
        self._names = {NEWS_RELATION: [r.name for r in events.relations], NEWS_ACTION: [w.name for w in events.whens],
                       NEWS_ROW: [] if unilateral is None else unilateral.names,
                       NEWS_CONTACT: [c.name for c in events.contacts]}
        self._piece = compiled_through(rr.ROWS.layout)
        self._code = PIECE(self._piece.address)

    def _rows(self) -> dict[str, int]:
        """Where the record of rows lies, and what lasts of its arrays."""
        unilateral, r = self._run.unilateral, self._r
        if unilateral is None:
            r.put(rows=0, row_instant=0, n_rows=0)
            return {"rows": 0, "lasting": 0, "n_rows_slots": 0, "n_lasting": 0}
        events, (lasting, n_lasting) = self._run.events, unilateral.lasting
        r.put(rows=unilateral.address, row_instant=unilateral.piece, n_rows=len(events.rows) + len(events.contacts))
        return {"rows": unilateral.address, "lasting": lasting, "n_rows_slots": rr.ROWS.layout.slots,
                "n_lasting": n_lasting}

    def enter(self, instant: float, due: float) -> None:
        """Before the stepper goes on: when the next known instant is, and when Python is asked again."""
        run = self._run
        self._r.instant, self._r.told.due = instant, due
        self._before[:] = run.before
        times = [t for t, *_ in run.chattering.recent]
        self._recent[: CHATTERING - len(times)] = -HUGE
        self._recent[CHATTERING - len(times) :] = times

    def call(self, loop: Callable[[int, int], int]) -> int:
        """On, with this code of the loop; says why it returned."""
        self._r.told.go_on = ctypes.cast(loop, ctypes.c_void_p).value  # type: ignore[arg-type]  # a function by ctypes
        return self._code(self._run.stepper.address, 0)

    @property
    def instant(self) -> float:
        """The next instant that is known beforehand."""
        return self._r.instant

    def read(self) -> None:
        """What happened since it was read last."""
        run, told = self._run, self._r.told
        count, news = told.n_instants, told.n_news
        if count:
            self._tell(self._news[:news])
            self._put_in_force(self._lines[:count])
            run.before = [bool(true) for true in self._before]
        told.n_instants = told.n_news = 0

    def _tell(self, lines: np.ndarray) -> None:
        """Lines of the tables of events and of contacts, in the order in which they happened."""
        run, of_contacts = self._run, (lines[:, 1] == NEWS_CONTACT) & (lines[:, 4] != cr.EVENT)
        if of_contacts.any():
            rows = lines[of_contacts]
            run.unilateral.tell_contacts(rows[:, 0].tolist(), *rows[:, [4, 2, 3]].astype(int).T.tolist(),  # type: ignore[union-attr]
                                         *rows[:, 5:].T.tolist())
            lines = lines[~of_contacts]
        names, note = self._names, run.log.note
        for t, kind, number, direction in zip(lines[:, 0].tolist(), *lines[:, 1:4].astype(int).T.tolist(), strict=True):
            note(t, names[kind][number], direction)

    def _put_in_force(self, lines: np.ndarray) -> None:
        """Values of discrete variables and inputs from each instant on; the last events, for those that alternate."""
        run, layout, n = self._run, self._run.system.layout, len(self._run.instant.x)
        inputs = lines[:, N_HEAD : N_HEAD + layout.n_in].copy()
        times, points = lines[:, 0].tolist(), lines[:, 1].astype(int).tolist()
        d = inputs[:, layout.places["d"]]
        before = np.vstack([run.history[-1][1], d[:-1]])
        for k in np.flatnonzero((d.view(np.int64) != np.ascontiguousarray(before).view(np.int64)).any(axis=1)).tolist():
            run.history.append((times[k], d[k]))
        changed = np.flatnonzero(lines[:, 3]).tolist()
        run.stepper.decided(self._r.told.decided, [(points[k], inputs[k, 1 + n :]) for k in changed])
        events = np.flatnonzero(lines[:, 2])[-CHATTERING:]
        for k, crossed in zip(events.tolist(), lines[events, N_HEAD + layout.n_in :], strict=True):
            which = [run.witnesses[i] for i in run.in_order(np.flatnonzero(crossed).tolist())]
            run.chattering.recent.append((times[k], which, d[k]))


def tables_of(system: System) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Tables of a model's events, and the numbers that go with them; made once."""
    return system.code.once(("instants",), lambda: _tables_of(system))


def _tables_of(system: System) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    events, m = lane_events_of(system), system.mechanism
    assert events is not None, "asked for a model with events"
    given = events.tables(m.nq + m.nu + system.layout.size("z"))
    tables = {name: np.ascontiguousarray(given.pop(name).numbers) for name in TABLES}
    return tables, given


def goes_through(run: EventRun, made: bool) -> bool:
    """Whether compiled code can decide the instants of this run; with `made` only where it is there already."""
    from ..integrate.step_programs import ROOM, is_made_through

    if run.saltation is not None or not run.events:
        return False
    if run.system.code.once(("instants need Python",), lambda: needs_python(run.system)) is not None:
        return False
    return tables_of(run.system)[1]["room"] <= ROOM and (not made or is_made_through(rr.ROWS.layout))
