"""Modes of rigid contacts among the discrete variables of a run, and how impulses at one contact move the others.

A contact is open, sliding or sticking.  Between instants, modes put rows in force (the normal one of a closed contact,
the tangents of one that sticks) and switch on the friction load of one that slides.  Speeds, forces and accelerations
are compared by the ease e = √(G M⁻¹ Gᵀ) of their row, as `row_modes` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, isfinite

import numpy as np

from ..result import ContactRow
from ..system import System
from .event_log import EventLog
from .instant import Instant, Jumps, Situation
from .tolerances import NO_FORCE, NO_LOSS, NO_SIGN, SLOW, SLOW_IF_HELD, UNHURRIED

OPEN, SLIDING, STICKING = 0, 1, 2


@dataclass(frozen=True)
class ContactPlaces:
    """Where the modes of all contacts lie in d; numbers of the rows of contacts and stops among all with a mode."""

    closed: np.ndarray
    stuck: np.ndarray
    armed: np.ndarray
    slow: np.ndarray
    direction: np.ndarray
    share: np.ndarray
    anchor: np.ndarray
    rows: list[list[int | None]]
    stop_rows: list[list[int | None]]


def _places(system: System) -> ContactPlaces:
    """Made once for all runs of a model."""
    events, places = system.mechanism.events, {name: k for k, name in enumerate(system.part_names("d"))}
    switched = [(r.name, kept) for r in system.equations.rows if r.mode is not None for kept in r.kept]
    number = {row: k for k, row in enumerate(switched)}

    def rows(normal: str, tangent: str | None) -> list[int | None]:
        """(normal, two tangents); None for a tangent that cannot be."""
        return [number.get((normal, 0)), *[None if tangent is None else number.get((tangent, k)) for k in range(2)]]

    def single(name: str) -> np.ndarray:
        return np.array([places[getattr(c, name).name()] for c in events.contacts], dtype=int)

    def several(name: str, count: int) -> np.ndarray:
        return np.array([[places[f"{c.name}.{name}[{k}]"] for k in range(count)] for c in events.contacts])

    return ContactPlaces(single("closed"), single("stuck"), single("armed"), single("slow"),
                         several("direction", 2), several("share", 3), several("anchor", 2),
                         [rows(c.normal, c.tangent) for c in events.contacts],
                         [rows(s.name, None) for s in events.stops])


class ContactModes:
    """The modes of all contacts, and the rows by which they act."""

    def __init__(self, instant: Instant, log: EventLog) -> None:
        self.now, self.log, self.contacts = instant, log, instant.system.mechanism.events.contacts
        at = instant.system.code.once(("contacts",), lambda: _places(instant.system))
        self.closed, self.stuck, self.armed, self.slow = at.closed, at.stuck, at.armed, at.slow
        self.direction, self.share, self.anchor = at.direction, at.share, at.anchor
        self.rows, self.stop_rows = at.rows, at.stop_rows
        self.own = np.concatenate([self.closed, self.stuck, self.armed, self.direction.ravel(), self.share.ravel()])
        self.jumps = Jumps(instant)
        self.swing = 0.0  # of the motion at this instant, before impacts
        self.taken = 0.0  # kinetic energy (J) that `stop` has removed and that is not yet in the table
        self.unique = np.ones(len(self.contacts), dtype=bool)  # whether its forces follow from the motion

    def modes(self) -> np.ndarray:
        """OPEN, SLIDING or STICKING of every contact."""
        d = self.now.d
        return np.where(d[self.closed] == 0, OPEN, np.where(d[self.stuck] == 0, SLIDING, STICKING))

    def rubs(self, k: int) -> bool:
        """Whether a contact has friction that may hold."""
        return self.contacts[k].tangent is not None

    def none(self, k: int, situation: Situation, part: float = SLOW, span: float = NO_SIGN) -> float:
        """The rate of a gap, or the slip, that counts as none: a part of the speeds of the motion, and what the forces
        of the moment change within `span` seconds."""
        forces = situation.forces if isfinite(situation.forces) else 0.0
        return (part * self.swing + span * forces) * situation.contacts.ease[k]

    def no_force(self, largest: float) -> float:
        """The force (times ease), or acceleration (over it), that counts as none: a part of the largest of the moment,
        or what would take long to change the speeds of the motion by that part."""
        return NO_FORCE * max(largest, self.swing / UNHURRIED)

    def open_all(self) -> None:
        self.now.d[self.own] = 0

    def open_moving(self, swing: float) -> None:
        """Open closed contacts that impulses elsewhere have set in motion; `swing` is the scale of the speeds before.

        Those are contacts whose gap opens or closes, and contacts that were stuck and slip.
        """
        situation, d = self.now.look(), self.now.d
        table = situation.contacts
        for k in np.flatnonzero(d[self.closed]):
            none = SLOW_IF_HELD * max(swing, situation.swing) * table.ease[k]
            if abs(table.rate[k]) > none or (d[self.stuck[k]] and hypot(table.slip_1[k], table.slip_2[k]) > none):
                d[[self.closed[k], self.stuck[k], self.armed[k], *self.direction[k], *self.share[k]]] = 0

    def delassus(self, which: list[int], stops: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Delassus' matrix W = G M⁻¹ Gᵀ (3n, 3n) of some contacts and stops, all contacts being open; and M⁻¹ Gᵀ."""
        shape, jumps = (3 * (len(which) + len(stops)), len(self.now.u)), self.jumps
        jumps.solve(bottom=0.0)
        rows = [*[row for k in which for row in self.rows[k]], *[row for k in stops for row in self.stop_rows[k]]]
        G = np.array([np.zeros(shape[1]) if row is None else jumps.directions[row].copy()
                      for row in rows]).reshape(shape)
        changes = np.array([jumps.solve(g, bottom=0.0).copy() if row is not None else g
                            for g, row in zip(G, rows, strict=True)]).reshape(shape)
        W = G @ changes.T
        return (W + W.T) / 2, changes

    def stop(self, closed: list[int], still: list[int]) -> None:
        """Remove the small speeds that are left: rates of closed gaps, and slips of contacts at rest."""
        if not closed:
            return
        now, kept, u = self.now, self.now.d[self.own].copy(), self.now.u.copy()
        self.open_all()
        now.d[self.closed[closed]] = 1
        now.d[self.stuck[[k for k in still if self.rubs(k)]]] = 1
        self.jumps.rest()
        now.d[self.own] = kept
        if np.abs(now.u - u).max() > NO_LOSS * np.abs(u).max():
            after, now.u[:] = now.u.copy(), u
            before, now.u[:] = now.look().swing ** 2 / 2, after
            self.taken += before - now.look().swing ** 2 / 2

    def loss(self, count: int) -> float:
        """The energy that `stop` has removed, divided among some contacts; it starts again from zero."""
        share, self.taken = self.taken / max(count, 1), 0.0
        return share

    def note(self, k: int, what: str, impulse: float = 0.0, speed: float = 0.0, loss: float = 0.0) -> None:
        """A row of the table of contacts."""
        c = self.contacts[k]
        unique = bool(self.unique[k]) or what not in ("rest", "slide", "stick")
        self.log.contacts.append(ContactRow(self.now.t, c.pair, c.point, what, impulse, speed, loss, unique))

    def names(self, which: Sequence[int]) -> str:
        return ", ".join(self.contacts[k].name for k in which)
