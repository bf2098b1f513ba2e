"""Rigid contact between bodies at an instant: who touches, what is hit, what presses, sticks or slides.

Modes of a contact are open, sliding and sticking.  In between instants they are masks of rows (sticking, pressing) and
a load in proportion to what presses (sliding).  At an instant (Simbody Theory Manual §8.6, with the exact cone):

    1  what approaches is an impact (`collisions`), again until nothing approaches
    2  what neither approaches nor leaves presses or opens, holds or slides: a cone problem of the accelerations
    3  what would leave for a flight of no length stays
    4  speeds that are left where something holds are taken off, gaps below zero are lifted

Speeds, forces and accelerations are compared by the ease e = √(G M⁻¹ Gᵀ) of their row, as `complementarity` does.
"""

from __future__ import annotations

from math import hypot, isfinite

import numpy as np

from ..result import ContactRow
from ..system.event_programs import NEVER, place
from . import cone
from . import tolerances as tol
from .collisions import Collisions
from .event_log import EventLog
from .instant import Instant, Jumps, Touches
from .sharing import shared
from .trouble import Trouble

SLOW = 1e-11  # of the speeds of the motion: neither leaves nor approaches
STILL = 1e-9  # of the speeds of the motion: no slip
HELD = 1e-7  # the same, for what was stuck
TREMBLE = 1e-13  # seconds at the accelerations of the moment: speeds below that have no sign
FREEZE = 1e3  # accuracies, of the speeds of the motion: slower than that the direction of sliding is held
BRIEF = 0.1  # seconds: what starts to slide has the speed of its acceleration after that
SMALL = 1e-9  # of the forces of the moment
SHARED = 1e-7  # of what the forces move: nothing
SINKS, BLUR = 1e-12, 4e-15  # of its size: how far a gap may be passed that touches without moving; rounding of a gap
LIFTS = 8  # rounds in which gaps are closed and lifted
POLE = 1e-3  # of what a contact gives way: less is left where friction grows beyond all bounds
BEYOND = 1e-9  # of its size: how far a run may start with bodies inside one another
ROUNDS = 60  # of impacts, and of contacts that stay, at one instant
OPEN, SLIDING, STICKING = 0, 1, 2


class Touching:
    """Modes of the contacts of a run."""

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 1e-8):
        self.now, self.log, self.contacts = instant, log, instant.system.mechanism.events.contacts
        places, n = instant.places, len(self.contacts)
        self.closed, self.stuck, self.armed, self.slow = (
            np.array([places[getattr(c, name).name()] for c in self.contacts], dtype=int)
            for name in ("closed", "stuck", "armed", "slow"))
        self.direction = np.array([[places[f"{c.name}.direction[{k}]"] for k in range(2)] for c in self.contacts])
        self.share = np.array([[places[f"{c.name}.share[{k}]"] for k in range(3)] for c in self.contacts])
        self.anchor = np.array([[places[f"{c.name}.anchor[{k}]"] for k in range(2)] for c in self.contacts])
        self.own = np.concatenate([self.closed, self.stuck, self.armed, self.direction.ravel(), self.share.ravel()])
        self.freeze, self.swing, self.gap_slack = FREEZE * accuracy, 0.0, [0.0] * n
        self.halt_slack = [0.0] * sum(c.tangent is not None for c in self.contacts)
        self.rows = [self._rows(c) for c in self.contacts]
        self.jumps = Jumps(instant)
        self.collisions = Collisions(self)
        self._hit: set[int] = set()
        self._flying: set[int] = set()
        self._arrived: set[int] = set()
        self._released: set[int] = set()
        self._pending, self._first, self._instant, self._apex = True, True, -np.inf, NEVER

    def _rows(self, c) -> list[int | None]:
        """The numbers of the rows (normal, two tangents) among all rows with a mode; None where nothing moves."""
        rows = self.now.system.equations.rows
        switched = [(r.name, kept) for r in rows if r.mode is not None for kept in r.kept]
        number = {row: k for k, row in enumerate(switched)}
        return [number.get((c.normal, 0)), *[number.get((c.tangent, k)) for k in range(2)]]

    # --- what crossed ---

    def crossed(self, watches) -> None:
        """Note who touched, came to rest, or reached a limit; freeze or free directions of sliding."""
        self._new_instant()
        now, table = self.now, self.now.look().contacts
        for w in watches:
            k = w.number
            if w.what == "slow":
                speed = hypot(table.slip_1[k], table.slip_2[k])
                now.d[self.direction[k]] = table.slip_1[k] / speed, table.slip_2[k] / speed
                now.d[self.armed[k]] = 0
            elif w.what == "fast":
                now.d[self.armed[k]] = 1
            elif w.what in ("touch", "part", "halt", "slip"):
                which = {"touch": self._hit, "halt": self._arrived}.get(w.what, self._released)
                which.add(k)
                self._pending = True
        if self._hit:
            self.now.step_back()

    def _new_instant(self) -> None:
        if self._instant != self.now.t:
            self._hit, self._arrived, self._released = set(), set(), set()
            self._instant, self.swing = self.now.t, 0.0

    # --- agreement ---

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Bring modes and speeds to agree with each other; names what changed, or says why that is impossible."""
        self._new_instant()
        now, situation = self.now, self.now.look()
        self.swing = max(self.swing, situation.swing)
        trouble = self._starts_inside(situation.contacts) if self._first else None
        if trouble is not None:
            return [], trouble
        touching = self._touching(situation)
        if not self._pending and not self._first and self._agree(touching, situation):
            return [], None
        before, x = now.d.copy(), now.x.tobytes()
        modes = self.modes()
        if touching or modes.any():
            trouble = self._settle(touching)
            if trouble is not None:
                return [], trouble
            self._anchor([k for k in touching if modes[k] != STICKING and self.modes()[k] == STICKING])
        self._report(np.zeros_like(modes) if self._first else modes)
        self._hit, self._arrived, self._released = set(), set(), set()
        self._pending, self._first = False, False
        self._note_slack(touching)
        changed = not np.array_equal(before[self.own], now.d[self.own]) or now.x.tobytes() != x
        return [self.contacts[k].name for k in touching] if changed else [], None

    def modes(self) -> np.ndarray:
        """OPEN, SLIDING or STICKING of every contact."""
        d = self.now.d
        return np.where(d[self.closed] == 0, OPEN, np.where(d[self.stuck] == 0, SLIDING, STICKING))

    def _settle(self, touching: list[int]) -> Trouble | None:
        for _ in range(ROUNDS):
            situation = self.now.look()
            if not any(situation.contacts.rate[k] < -self._none(k, situation) for k in touching):
                break
            trouble = self.collisions.strike(touching)
            if trouble is not None:
                return trouble
        else:
            return Trouble(f"at t = {self.now.t:.9g} s the impacts of {self.names(touching)} have no end: each brings "
                           "about the next. Reduce a restitution, or let one of the laws be compliant.")
        stays: set[int] = set()
        for _ in range(ROUNDS):
            again, trouble = self._press(touching, stays)
            if trouble is not None:
                return trouble
            if not again:
                break
        self._lift(touching)
        return None

    # --- who touches ---

    def _starts_inside(self, table: Touches) -> Trouble | None:
        for k, c in enumerate(self.contacts):
            if table.gap[k] < -BEYOND * max(table.size[k], 1e-3) and not self.now.d[self.closed[k]]:
                return Trouble(f"{c.pair}: the run starts with its two shapes {-table.gap[k]:.3g} m inside one "
                               "another. Move one of the bodies by that much along the normal, or take a compliant "
                               "law.")
        return None

    def _touching(self, situation) -> list[int]:
        table = situation.contacts
        return [k for k in range(len(self.contacts))
                if self.now.d[self.closed[k]] or k in self._hit
                or abs(table.gap[k]) <= tol.TOUCHES * (table.size[k] + self.swing * table.ease[k])]

    def _none(self, k: int, situation, part: float = SLOW) -> float:
        """The rate of a gap that counts as none."""
        forces = situation.forces if isfinite(situation.forces) else 0.0
        return (part * self.swing + TREMBLE * forces) * situation.contacts.ease[k]

    def _agree(self, touching: list[int], situation) -> bool:
        """Whether modes agree with the speeds and forces of the moment as they are."""
        table, d = situation.contacts, self.now.d
        small = SMALL * situation.forces
        if not isfinite(small):
            return False
        for k in touching:
            none, ease = self._none(k, situation), table.ease[k]
            if not d[self.closed[k]]:
                if table.rate[k] < -none or (table.rate[k] <= none and table.acceleration[k] < -small * ease):
                    return False
                continue
            if abs(table.rate[k]) > 100 * none or table.push[k] * ease < -small:
                return False
            slip, hold = hypot(table.slip_1[k], table.slip_2[k]), hypot(table.hold_1[k], table.hold_2[k])
            beyond = slip > self._none(k, situation, HELD) or (hold - table.mu_s[k] * table.push[k]) * ease > small
            if d[self.stuck[k]] and beyond:
                return False
        return True

    # --- pressing, sticking, sliding ---

    def _press(self, touching: list[int], stays: set[int]) -> tuple[bool, Trouble | None]:
        """Modes by the accelerations; True where more contacts turned out to stay, and it has to be done again."""
        now, situation = self.now, self.now.look()
        table = situation.contacts
        resting = [k for k in touching if k in stays or abs(table.rate[k]) <= 10 * self._none(k, situation)]
        slides = {k: self._slides(k, situation) for k in resting}
        slides = {k: way for k, way in slides.items() if way is not None}
        self.open_all()
        W, changes = self.delassus(resting)
        free = now.look()
        b = np.array([x for k in resting for x in (free.contacts.acceleration[k], free.contacts.along_1[k],
                                                   free.contacts.along_2[k])])
        forces = self._solve(resting, slides, W, b, table)
        if forces is None:
            return self._jam(resting, slides)
        motion = W @ forces + b if resting else b
        self._set_modes(resting, slides, forces, motion, table, np.abs(b).max(initial=1e-300))
        more = self._short_flights([k for k in touching if k not in resting])
        if more:
            stays |= set(more)
            self._stop([*resting, *more], [])
            return True, None
        self._stop([k for k in resting if now.d[self.closed[k]]],
                   [k for k in resting if now.d[self.closed[k]] and k not in slides])
        self._give_shares(resting, forces, W)
        return False, None

    def _slides(self, k: int, situation) -> np.ndarray | None:
        """The direction in which a contact slides; None where it is at rest."""
        table, d = situation.contacts, self.now.d
        slip = np.array([table.slip_1[k], table.slip_2[k]])
        speed = hypot(*slip)
        if self.contacts[k].tangent is None or k in self._arrived or speed <= self._none(k, situation, STILL):
            return None
        if d[self.closed[k]] and d[self.stuck[k]]:
            return None if speed <= self._none(k, situation, HELD) else slip / speed
        return slip / speed

    def open_all(self) -> None:
        self.now.d[self.own] = 0

    def delassus(self, which: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """W (3n, 3n) of some contacts with all contacts open, and the change of speeds by a unit of every row."""
        shape, jumps = (3 * len(which), len(self.now.u)), self.jumps
        jumps.solve(bottom=0.0)
        rows = [row for k in which for row in self.rows[k]]
        G = np.array([np.zeros(shape[1]) if row is None else jumps.directions[row].copy()
                      for row in rows]).reshape(shape)
        changes = np.array([jumps.solve(g, bottom=0.0).copy() if row is not None else g
                            for g, row in zip(G, rows, strict=True)]).reshape(shape)
        W = G @ changes.T
        return (W + W.T) / 2, changes

    def _solve(self, resting, slides, W, b, table) -> np.ndarray | None:
        """The forces of the cone problem: friction at rest first, that of motion where it gives way."""
        if not resting:
            return np.zeros(0)
        ways = {i: slides[k] for i, k in enumerate(resting) if k in slides}
        for i, way in ways.items():
            normal = W[3 * i, 3 * i]
            if normal - table.mu[resting[i]] * (W[3 * i, 3 * i + 1 : 3 * i + 3] @ way) <= SMALL * normal:
                return None
        mu = np.array([table.mu[k] if k in slides else table.mu_s[k] for k in resting])
        forces = cone.solve(W, b, mu, directions=ways)
        if forces is None:
            return None
        motion, scale = W @ forces + b, np.abs(b).max()
        giving = [i for i, k in enumerate(resting) if i not in ways and table.mu_s[k] > table.mu[k]
                  and hypot(*motion[3 * i + 1 : 3 * i + 3]) > SMALL * scale]
        if not giving:
            return forces
        for i in giving:
            mu[i] = table.mu[resting[i]]
        return cone.solve(W, b, mu, directions=ways)

    def _set_modes(self, resting, slides, forces, motion, table, scale: float) -> None:
        d = self.now.d
        largest = max((forces[3 * i] * table.ease[k] for i, k in enumerate(resting)), default=0.0)
        for i, k in enumerate(resting):
            push, rub, along = forces[3 * i], forces[3 * i + 1 : 3 * i + 3], motion[3 * i + 1 : 3 * i + 3]
            if push * table.ease[k] <= SMALL * largest or (k in self._released and motion[3 * i] > SMALL * scale):
                continue
            d[self.closed[k]] = 1
            d[self.slow[k]] = self.freeze * (self.swing * table.ease[k] + BRIEF * scale) + 1e-300
            if k in slides:
                speed = hypot(table.slip_1[k], table.slip_2[k])
                d[self.direction[k]], d[self.armed[k]] = slides[k], float(speed > 2 * d[self.slow[k]])
                continue
            limit, size = table.mu_s[k] * push, hypot(*rub)
            gives = hypot(*along) > SMALL * scale or (k in self._released and size >= (1 - SMALL) * limit)
            if self.contacts[k].tangent is None or not gives:
                d[self.stuck[k]] = self.contacts[k].tangent is not None
            elif size:
                d[self.direction[k]] = -rub / size

    def _short_flights(self, leaving: list[int]) -> list[int]:
        """Contacts that leave for a flight too short to matter."""
        situation = self.now.look()
        table, small = situation.contacts, SMALL * situation.forces
        return [k for k in leaving if table.acceleration[k] < -small * table.ease[k]
                and 2 * table.rate[k] < -tol.SHORTEST_FLIGHT * table.acceleration[k]]

    def _stop(self, closed: list[int], still: list[int]) -> None:
        """Take off the speeds that are left: rates of gaps that are closed, and slips of what is at rest."""
        if not closed:
            return
        now, kept = self.now, self.now.d[self.own].copy()
        self.open_all()
        now.d[self.closed[closed]] = 1
        now.d[self.stuck[[k for k in still if self.contacts[k].tangent is not None]]] = 1
        self.jumps.rest()
        now.d[self.own] = kept

    def _jam(self, resting: list[int], slides: dict[int, np.ndarray]) -> tuple[bool, Trouble | None]:
        """No acceleration agrees with sliding (Painlevé): friction stops the slip by an impulse."""
        jammed = [k for k in resting if k in slides]
        if not jammed:
            return False, Trouble(
                f"at t = {self.now.t:.9g} s no forces of {self.names(resting)} agree with the motion. Likely: bodies "
                "that are pressed together by what is prescribed; let one of the laws be compliant.")
        self._end_slip(resting, jammed)
        return True, None

    def _end_slip(self, closed: list[int], jammed: list[int]) -> None:
        stuck = [k for k in closed if self.now.d[self.stuck[k]]]
        self._stop(closed, [*stuck, *jammed])
        self._arrived |= set(jammed)
        for k in jammed:
            self.log.note(self.now.t, self.contacts[k].name, 0)
            self.note(k, "jam")
        self.log.messages.append(
            f"at t = {self.now.t:.6g} s friction jammed at {self.names(jammed)}: it increases what presses it "
            "(Painlevé's paradox), and an impulse ended the slip")

    def jams(self) -> bool:
        """Where a run cannot go on because friction grows beyond all bounds, the slip ends by an impulse."""
        closed = [int(k) for k in np.flatnonzero(self.modes())]
        kept, table = self.now.d[self.own].copy(), self.now.look().contacts
        self.open_all()
        W, _ = self.delassus(closed)
        self.now.d[self.own] = kept
        jammed = []
        for i, k in enumerate(closed):
            slip = np.array([table.slip_1[k], table.slip_2[k]])
            if not self.now.d[self.stuck[k]] and hypot(*slip):
                left = W[3 * i, 3 * i] - table.mu[k] * (W[3 * i, 3 * i + 1 : 3 * i + 3] @ slip) / hypot(*slip)
                if left <= POLE * W[3 * i, 3 * i]:
                    jammed.append(k)
        if jammed:
            self._end_slip(closed, jammed)
            self._pending = True
        return bool(jammed)

    def _give_shares(self, resting, forces, W) -> None:
        """Where the forces are not unique and the least ones do not lie in the cone, others are shown that do.

        Of contacts that hold; what they share must move nothing, also where others slide.
        """
        d = self.now.d
        held = [(i, k) for i, k in enumerate(resting)
                if d[self.closed[k]] and (d[self.stuck[k]] or self.contacts[k].tangent is None)]
        if not held:
            return
        situation = self.now.look()
        table, small = situation.contacts, SMALL * situation.forces
        if all(table.push[k] * table.ease[k] >= -small and
               (hypot(table.hold_1[k], table.hold_2[k]) - (1 - SMALL) * table.mu_s[k] * table.push[k]) * table.ease[k]
               <= 0 for _, k in held):
            return
        at = [3 * i + j for i, _ in held for j in range(3)]
        present = np.array([[table.push[k], table.hold_1[k], table.hold_2[k]] for _, k in held]).ravel()
        wanted = shared(W[np.ix_(at, at)], forces[at], np.array([table.mu_s[k] for _, k in held]))
        moved, moves = W[:, at] @ (wanted - present), np.abs(W[:, at]) @ np.abs(wanted)
        if np.all(np.abs(moved) <= SHARED * moves.max()):
            for (_, k), share in zip(held, (wanted - present).reshape(-1, 3), strict=True):
                d[self.share[k]] = share

    # --- afterwards ---

    def next_time(self, t: float) -> float:
        """The middle of the shortest flight that has begun: a step must not lie across it, whose ends are both zero."""
        return self._apex if self._apex > t else NEVER

    def _anchor(self, which) -> None:
        """What sticks from now on sticks where it is."""
        table = self.now.look().contacts
        for k in which:
            self.now.d[self.anchor[k]] = table.place_1[k], table.place_2[k]

    def _lift(self, which: list[int]) -> None:
        """Close the gaps of what presses, and bring open ones that came out below zero to the open side."""
        now, clear, system = self.now, tol.LIFT, self.now.system
        for _ in range(LIFTS):
            table = now.look().contacts
            closed = [k for k in which if now.d[self.closed[k]]]
            below = [k for k in which if table.gap[k] < 0 and not now.d[self.closed[k]]]
            if not below and all(abs(table.gap[k]) <= BLUR * table.size[k] for k in closed):
                return
            kept = now.d[self.own].copy()
            stuck = [k for k in closed if now.d[self.stuck[k]]]
            self.open_all()
            now.d[self.closed[[*closed, *below]]], now.d[self.stuck[stuck]] = 1, 1
            shift = np.zeros(len(self.jumps.gaps))
            for k in closed:
                shift[place(system.equations, self.contacts[k].normal)[0]] = -table.gap[k]
            for k in below:
                shift[place(system.equations, self.contacts[k].normal)[0]] = \
                    max(clear * table.size[k], -table.gap[k]) - table.gap[k]
            now.q += system.advance(now.q, self.jumps.solve(bottom=shift))
            now.d[self.own] = kept
            clear *= 2

    def in_flight(self) -> list[float]:
        """The slack of gaps in the middle of a flight: what has left is clear of rounding."""
        self.gap_slack = [0.0 if k in self._flying else slack for k, slack in enumerate(self.gap_slack)]
        return self.gap_slack

    def _note_slack(self, touching) -> None:
        """How far gaps that touch without moving may be passed, and slips that begin may go back."""
        situation = self.now.look()
        table = situation.contacts
        self.halt_slack = [self._none(k, situation, 1e-13) for k, c in enumerate(self.contacts)
                           if c.tangent is not None]
        flights = {k: table.rate[k] / -table.acceleration[k] for k in touching
                   if not self.now.d[self.closed[k]] and table.rate[k] > 0 > table.acceleration[k]}
        self._flying, self._apex = set(flights), self.now.t + min(flights.values(), default=NEVER)
        self.gap_slack = [0.0] * len(self.contacts)
        for k in touching:
            if not self.now.d[self.closed[k]]:
                rests = abs(table.rate[k]) <= 10 * self._none(k, situation)
                self.gap_slack[k] = (SINKS if rests else BLUR) * table.size[k]

    def _report(self, before: np.ndarray) -> None:
        for k, (was, now) in enumerate(zip(before, self.modes(), strict=True)):
            if was == now:
                continue
            what = {OPEN: "leave", SLIDING: "slide", STICKING: "stick"}[int(now)]
            if self.contacts[k].tangent is None and now == SLIDING:
                what = "rest"
            if not self._first:
                self.log.note(self.now.t, self.contacts[k].name, 1 if now == OPEN else 0)
            self.note(k, what)

    def note(self, k: int, what: str, impulse: float = 0.0, speed: float = 0.0, loss: float = 0.0) -> None:
        """A row of the table of contacts."""
        c = self.contacts[k]
        self.log.contacts.append(ContactRow(self.now.t, c.pair, c.point, what, impulse, speed, loss))

    def names(self, which) -> str:
        return ", ".join(self.contacts[k].name for k in which)
