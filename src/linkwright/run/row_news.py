"""What an instant tells: events, rows of the table of contacts, messages, the course of impacts, and troubles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..integrate.record import View
from ..result import ContactRow
from ..system import State
from ..system.event_programs import place
from . import contact_record as cr
from . import row_record as rr
from .course import NotSmooth, Struck
from .event_log import EventLog
from .instant import Instant
from .overlaps import overlap
from .row_numbers import RowNumbers
from .trouble import Trouble

#: what happens at a contact, in the table of contacts
HAPPENS = {cr.LEAVES: "leave", cr.RESTING: "rest", cr.SLIDES: "slide", cr.STICKS: "stick", cr.STRIKES: "hit",
           cr.JAMS: "jam"}


class RowNews:
    """Reads the record `r` and its arrays after the compiled instant was asked."""

    def __init__(self, now: Instant, log: EventLog, static: RowNumbers, arrays: Mapping[str, np.ndarray], r: View):
        self.now, self.log, self._static, self._arrays, self._r = now, log, static, arrays, r
        self.events = now.system.mechanism.events
        self._points = [(c.pair, c.point) for c in self.events.contacts]

    def tell(self) -> None:
        """Put what happened into the log and the course."""
        r, arrays = self._r, self._arrays
        if r.n_log:
            for row, direction in arrays["log"][: r.n_log].tolist():
                self.log.note(self.now.t, self._static.names[row], direction)
        if r.put_inside:
            r.put_inside = 0
            beyond = arrays["reals"][rr.STRENGTH]
            for k in np.flatnonzero(beyond > 0):
                self.log.messages.append(f"{self._static.names[k]}: the start, {beyond[k]:.3g} beyond the stop, was "
                                         "put on it")
        if r.courses:
            self.now.course.extend(self._row_step(line) for line in arrays["course"][: r.n_course])
        if r.n_told:
            self._tell_contacts(arrays["contact_log"][: r.n_told].tolist(),
                                arrays["contact_values"][: r.n_told].tolist())
        if r.n_phases:
            self._follow(arrays["contact_course"][: r.n_phases])

    def _row_step(self, line: np.ndarray) -> NotSmooth | Struck:
        """A line of the course."""
        n = len(self.events.bounded)
        took = np.flatnonzero(line[1 : 1 + n])
        if line[0] == rr.RUBBED:
            return NotSmooth(f"{', '.join(self._static.names[k] for k in took)} rubs in an impact")
        places = self._static.known["fixed"][rr.PLACE]
        return Struck(line[1 + n :].copy(), back={int(places[k]): int(k) for k in took})

    # --- contacts ---

    def _tell_contacts(self, lines: list[list[int]], values: list[list[float]]) -> None:
        """Lines of their log: events, rows of the table of contacts, messages."""
        t, gained, jammed = self.now.t, dict[float, list[str]](), []
        for (kind, k, number), (impulse, speed, loss) in zip(lines, values, strict=True):
            name = self._static.contacts[k]
            if kind == cr.GAINED:
                gained.setdefault(impulse, []).append(name)
            elif kind == cr.JAMMED:
                jammed.append(name)
            elif kind == cr.EVENT:
                self.log.note(t, name, number)
            else:
                self.rows([t], [kind], [k], [number], [impulse], [speed], [loss])
        for share, names in gained.items():
            self.log.messages.append(
                f"at t = {t:.6g} s an impact of {', '.join(names)} would have gained energy, as restitution "
                f"with friction can: {share:g} of the restitution was given back")
        if jammed:
            self.log.messages.append(
                f"at t = {t:.6g} s friction jammed at {', '.join(jammed)}: it increases what presses it (Painlevé's "
                "paradox), and an impulse ended the slip")

    def rows(self, times: list[float], kinds: list[int], which: list[int], unique: list[int], impulses: list[float],
             speeds: list[float], losses: list[float]) -> None:
        """Rows of the table of contacts."""
        points = [self._points[k] for k in which]
        lines = zip(times, points, kinds, impulses, speeds, losses, unique, strict=True)
        self.log.contacts += [ContactRow(t, pair, point, HAPPENS[kind], impulse, speed, loss, number != 0)
                              for t, (pair, point), kind, impulse, speed, loss, number in lines]

    def _follow(self, lines: np.ndarray) -> None:
        """Lines of their course: the phases of impacts."""
        ended = False  # of an impact without a derivative the second phase is not noted
        for line in lines:
            ended = ended and line[0] == 1.0
            if not ended:
                step = self._contact_step(line)
                self.now.course.append(step)
                ended = isinstance(step, NotSmooth)

    def _contact_step(self, line: np.ndarray) -> NotSmooth | Struck:
        """A phase of an impact: which rows were in force."""
        e, events, n = self.now.system.equations, self.events, len(self.events.contacts)
        opening = [(k, row.name) for k, row in enumerate(events.bounded) if row.opens]
        part = [*((len(events.bounded) + k, c.normal) for k, c in enumerate(events.contacts)), *opening]
        flags = line[2 : 2 + len(part)].astype(int)
        # friction along further speeds, and that of a patch, is not that of a cone
        sliding = [c.name for c, did in zip(events.contacts, flags[:n], strict=True) if did & cr.RUBBED and c.drag]
        if sliding:
            return NotSmooth(f"{', '.join(sliding)} slides in an impact with friction")
        if line[1] < 1.0:
            return NotSmooth("an impact would have gained energy, and part of its restitution was given back")
        rows, back, thrown, slid = [], {}, {}, []
        for k, did in enumerate(flags.tolist()):
            number, name = part[k]
            normal = place(e, name)[0]
            if did & cr.RETURNED:
                back[normal] = number
            if did & cr.PRESSES:
                rows.append(normal)
            if did & cr.THROWN:
                thrown[normal] = number
            tangent = events.contacts[k].tangent if k < n else None
            if did & cr.HOLDS and tangent is not None:
                start, own = place(e, tangent)
                tangents = range(start, start + own.G.shape[0])
                if did & cr.RUBBED:
                    slid.append((k, normal, tuple(tangents)))
                else:
                    rows += tangents
        return Struck(line[2 + len(part) :].copy(), tuple(rows), back, thrown, slid=tuple(slid))

    # --- troubles ---

    def trouble(self, what: int) -> Trouble:
        """Why the run ends."""
        return self._trouble_of_rows(what) if what <= rr.APART else self._trouble_of_contacts(what)

    def _trouble_of_rows(self, what: int) -> Trouble:
        t, culprit, names = self.now.t, self._static.names[self._r.culprit], self._static.names
        chosen, taking = (", ".join(names[k] for k in np.flatnonzero(self._arrays["numbers"][line]))
                          for line in (rr.CHOSEN, rr.TAKES))
        if what == rr.STARTS_BEYOND:
            gap = self.now.look().rows.gap[self._r.culprit]
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

    def _trouble_of_contacts(self, what: int) -> Trouble:
        t, chosen = self.now.t, np.flatnonzero(self._arrays["contact_numbers"][cr.CHOSEN])
        names = ", ".join(self._static.contacts[k] for k in chosen)
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
        meet = next(meet for meet in self.events.encounters if deepest in meet.contacts)
        state = State(system, self.now.t, **{part: getattr(self.now, part) for part in "quzdpy"})
        touch = system.distance(state, meet.a, meet.b)
        gap = self.now.look().contacts.gap[deepest]
        return overlap(system, meet, max(-gap, -touch.gap), np.ravel(touch.normal).astype(float))
