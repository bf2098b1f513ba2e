"""The impulses of one step of many contacts: the speeds that all of them leave together (`integrate.gauss_seidel`).

Beside what presses and slides there are, by the laws of the encounters, rows of turning: spin about the normal and
rolling about the tangents, each held up to its arm times Λ_n.  In a step in which a contact is struck its turning is
left alone, and a patch does not rub: an impact has no time for either (`library.contact.Rigid`).
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from ..integrate import gauss_seidel
from ..mechanism import ENCOUNTER
from ..result import ContactRow
from ..system import Crowd, State, System
from . import cone, cone_newton
from .contact_points import ContactPoints
from .event_log import EventLog
from .stepped_rows import SingleRows
from .tolerances import (
    FEW_CONTACTS,
    FOUND,
    NEWTON_RESTING,
    NEWTON_SPEED,
    NEWTON_SPEEDS,
    NO_FORCE,
    REST,
    SWEEPS,
    SWEPT_SPEED,
)

Key = tuple[int, int]  # encounter, point


class Laws(NamedTuple):
    """The numbers of the laws, one of each for every encounter."""

    restitution: np.ndarray
    mu: np.ndarray
    mu_s: np.ndarray
    capture: np.ndarray
    rolling: np.ndarray
    spinning: np.ndarray
    patch: np.ndarray
    creep: np.ndarray

    @classmethod
    def of(cls, system: System, state: State) -> Laws:
        """With the values that parameters have now."""
        found = ca.horzcat(ca.SX(len(ENCOUNTER), 0), *[meet.law for meet in system.mechanism.events.encounters])
        symbols = ca.veccat(ca.SX(0, 1), *[named.symbol for named in system.mechanism.parameters])
        numbers = np.array(ca.Function("laws", [symbols], [ca.densify(found)])(state.p))
        return cls(*numbers.reshape(len(ENCOUNTER), -1))

    @property
    def turns(self) -> np.ndarray:
        """Which encounters have rows of turning."""
        return (self.rolling > 0) | (self.spinning > 0) | (self.patch > 0)


class Threes(NamedTuple):
    """Impulses in threes, and what decides them (`integrate.gauss_seidel`): points, turning, then single rows."""

    impulses: np.ndarray
    bias: np.ndarray
    kinds: np.ndarray
    partners: np.ndarray
    numbers: np.ndarray

    @classmethod
    def none(cls, count: int) -> Threes:
        """As many single rows without impulses."""
        zeros = (np.zeros((count, 3)) for _ in range(3))
        return cls(next(zeros), next(zeros), np.full(count, gauss_seidel.SINGLE), np.full(count, -1), next(zeros))

    def first(self, count: int) -> Threes:
        """The first ones, with impulses of their own."""
        return Threes(self.impulses[:count].copy(), *[of_all[:count] for of_all in self[1:]])


class Impulses:
    """What contacts, stops and friction do to the speeds; `known` are those of contacts that press, by their keys."""

    def __init__(self, system: System, state: State, crowd: Crowd, singles: SingleRows, log: EventLog):
        self.pairs = [meet.pair for meet in system.mechanism.events.encounters]
        self.laws, self.crowd, self.singles, self.log = Laws.of(system, state), crowd, singles, log
        self.known: dict[Key, np.ndarray] = {}  # normal, tangents; spin, rolling
        self.sliding: set[Key] = set()  # which of them slide
        self.sweeps, self.most, self.residual = 0, 0, 0.0

    def tune(self, laws: Laws) -> None:
        """Go on with other numbers of the laws."""
        self.laws = laws

    def memory(self) -> tuple[dict[Key, np.ndarray], set[Key], np.ndarray]:
        """What a step remembers of the one before."""
        return dict(self.known), set(self.sliding), self.singles.known.copy()

    def remember(self, memory: tuple[dict[Key, np.ndarray], set[Key], np.ndarray]) -> None:
        """Go on from what another one remembered."""
        self.known, self.sliding = dict(memory[0]), set(memory[1])
        self.singles.known = memory[2].copy()

    def strike(self, t: float, u: np.ndarray, before: np.ndarray, touching: ContactPoints, h: float) -> None:
        """Change the speeds u that forces alone would leave; `before` are those at the beginning of the step."""
        n, laws, meets = len(touching.owners), self.laws, touching.meets
        turning = np.flatnonzero(laws.turns[meets])
        m = n + len(turning)
        room = m + len(self.singles)
        touching.make_rows(turning, len(self.singles), self.singles.width)
        speeds = touching.speeds(before, n)
        approach, slips = speeds[:, 0], np.hypot(speeds[:, 1], speeds[:, 2]) > REST
        keys = list(zip(meets.tolist(), touching.points.tolist(), strict=True))
        # what would arrive within the step, fast enough, leaves again before it is inside, so that lifting it gives it
        # no energy; else it may close the gap that is left
        arrives = touching.gaps + h * approach <= 0
        bounces = arrives & (-approach > laws.capture[meets]) & (laws.restitution[meets] > 0)
        struck = bounces | arrives & (-approach > REST) & np.array([key not in self.known for key in keys], dtype=bool)
        threes = Threes.none(room)
        impulses, bias, kinds, partners, numbers = threes
        bias[:n, 0] = np.where(bounces, laws.restitution[meets] * approach, np.maximum(touching.gaps, 0.0) / h)
        begun = np.array([self.known.get(key, _NONE) for key in keys]).reshape(-1, 6)
        impulses[:n], impulses[n:m] = begun[:, :3], begun[turning, 3:]
        soft = laws.patch[meets] > 0
        numbers[:n, 0] = np.where(soft, laws.mu[meets] * ~struck, np.where(slips, laws.mu[meets], laws.mu_s[meets]))
        numbers[:n, 1], numbers[:n, 2] = laws.patch[meets], laws.creep[meets]
        numbers[n:m, 0], numbers[n:m, 1] = ((arm[meets] * ~struck)[turning] for arm in (laws.spinning, laws.rolling))
        kinds[:n], kinds[n:m] = gauss_seidel.CONTACT, gauss_seidel.TURN
        partners[turning], partners[n:m] = np.arange(n, m), turning
        own = self.singles.begin(before, u, h, bool(struck.any()))
        free, left = u.copy(), 0.0
        for _ in range(len(self.singles) + 1):
            end = m + len(own.taken)
            self.singles.fill(own.taken, touching, m)
            impulses[m:end, 0], bias[m:end, 0], numbers[m:end, :2] = (
                of_all[own.taken] for of_all in (own.impulses, own.bias, own.bounds))
            tried = threes.first(end)
            left = self._solved(u, touching.first(end), tried, n, bool(soft.any()), float(own.bias.max(initial=0.0)))
            more = self.singles.takes_more(own, u)
            if more is None:
                break
            # stops that were left out would be passed
            own, u[:] = more, free
        self.most, self.residual = max(self.most, n), max(self.residual, left)
        impulses[:m] = tried.impulses[:m]
        self._note(t, keys, impulses[:n, 0], approach, bounces)
        for name in self.singles.hits(own.taken, tried.impulses[m:, 0]):
            self.log.note(t, name, -1)
        both = np.zeros((n, 6))
        both[:, :3], both[turning, 3:] = impulses[:n], impulses[n:m]
        self.known = {key: one for key, one in zip(keys, both, strict=True) if one[0] > 0}
        limits = (1 - NO_FORCE) * numbers[:n, 0] * impulses[:n, 0]
        full = soft | (np.hypot(impulses[:n, 1], impulses[:n, 2]) >= limits)
        self.sliding = {key for key, slides in zip(keys, full, strict=True) if slides}

    def _solved(self, u: np.ndarray, touching: ContactPoints, threes: Threes, n: int, soft: bool,
                speed: float) -> float:
        """The impulses of all rows, n of them points, and the speeds they leave; the speed that is left wrong.

        `speed` is the largest at which stops that take no part may be approached.
        """
        left = np.inf
        if not soft and len(u) <= (NEWTON_SPEEDS if n < len(u) else NEWTON_RESTING):
            used, left = self._newton(u, touching, threes, speed)
            self.sweeps += used
        if left > SWEPT_SPEED:
            u += touching.felt(threes.impulses, len(u))
            used, left = gauss_seidel.sweep(u, threes.impulses, *touching.rows, touching.W, *threes[1:], SWEEPS,
                                            SWEPT_SPEED)
            self.sweeps += used
            if left > SWEPT_SPEED and n <= FEW_CONTACTS and not soft:
                exact = self._polish(u, touching, threes)
                left = left if exact is None else exact
        return left

    def _note(self, t: float, keys: list[Key], pushes: np.ndarray, approach: np.ndarray, bounces: np.ndarray) -> None:
        """What was hit, for the table of contacts."""
        for key, push, speed, bounced in zip(keys, pushes, approach, bounces, strict=True):
            if push > 0 and (bounced or key not in self.known and speed < 0):
                self.log.contacts.append(ContactRow(t, self.pairs[key[0]], key[1], "hit", float(push), -float(speed),
                                                    0.0))

    def _newton(self, u: np.ndarray, touching: ContactPoints, threes: Threes, speed: float) -> tuple[int, float]:
        """Impulses and speeds by Newton's method; rounds, and speed left wrong; where it is large nothing changes."""
        impulses, bias, kinds, partners, numbers = threes
        crowd, (m, r) = self.crowd, (len(kinds), len(u))
        G, g_places = touching.rows[:2]
        A, places = np.zeros((m, 3, 2 * crowd.members.shape[1])), np.full((m, 2 * crowd.members.shape[1]), -1)
        cone_newton.factored(G, g_places, crowd.factors, crowd.block_of, crowd.place_in,
                             crowd.members, A, places)
        b = bias + np.einsum("cik,ck->ci", G, np.where(g_places >= 0, u[np.maximum(g_places, 0)], 0.0))
        y, found = np.zeros(r), impulses.copy()
        tolerance = min(NEWTON_SPEED * max(speed, float(np.abs(b).max(initial=0.0))), SWEPT_SPEED)
        room = [*(np.zeros((m, 3)) for _ in range(3)), *(np.zeros(m) for _ in range(3)),
                *(np.zeros(r) for _ in range(3)), *(np.zeros((r, r)) for _ in range(2))]
        used, left = cone_newton.press(y, found, A, places, b, kinds, partners, numbers, tolerance, *room,
                                       np.zeros(r, dtype=np.int64))
        if left <= SWEPT_SPEED:
            impulses[:] = found
            padded = np.where(crowd.members >= 0, y[np.maximum(crowd.members, 0)], 0.0)
            change = np.einsum("bji,bj->bi", crowd.factors, padded)
            u[crowd.members[crowd.members >= 0]] += change[crowd.members >= 0]
        return used, left

    def _polish(self, u: np.ndarray, touching: ContactPoints, threes: Threes) -> float | None:
        """The exact solution of few contacts, from where the sweeps have come; the speed that is left wrong."""
        impulses, bias, kinds, partners, numbers = threes
        G, Y = touching.dense(len(u))
        W, start = G @ Y.T, impulses.ravel()
        W, b = (W + W.T) / 2, G @ (u - Y.T @ start) + bias.ravel()
        found = cone.solve_rows(W, b, kinds, partners, numbers, start=start)
        if found is None:
            return None
        u += Y.T @ (found - start)
        impulses[:] = found.reshape(-1, 3)
        return FOUND * float(np.abs(b).max())


_NONE = np.zeros(6)
