"""Dry friction along several directions at an instant: which sticks, which slides, and where to.

With the accelerations a = a₀ − W f along the speeds v of all that is at rest (W = S M⁻¹ Sᵀ), the forces f are those
in their balls that dissipate most (Moreau 1988):

    minimise ½ fᵀ W f − a₀ᵀ f,      |f_k| ≤ limit_k:      a_k = 0 inside the ball, a_k along f_k at its edge

W is positive, so a is unique and prefers no direction.  One ball is solved exactly, f = (W_kk + σ 1)⁻¹ b with the
σ ≥ 0 that brings |f| to the limit; several in turn, until nothing changes.  W comes from the equations of motion,
which are affine in the directions of what slides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..system.event_programs import Witness
from . import tolerances as tol
from .course import NotSmooth
from .event_log import EventLog
from .instant import Instant, Jumps
from .trouble import Trouble


class Balls:
    """The dry friction along several directions of a run."""

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 1e-8, h: float | None = None) -> None:
        self.now, self.log, self.accuracy, self.h = instant, log, accuracy, h
        self.jumps, self.balls = Jumps(instant), instant.system.mechanism.events.balls
        place, program = instant.places, instant.system.code.situation
        self.held, self.armed, self.slow = (np.array([place[getattr(b, name).name()] for b in self.balls])
                                            for name in ("held", "armed", "slow"))
        self.direction = [np.array([place[b.direction.name() if b.speed.numel() == 1 else f"{b.name}.direction[{k}]"]
                                    for k in range(b.speed.numel())]) for b in self.balls]
        self._first = program.slice_out("balls").start
        self._starts = np.cumsum([0, *(3 * b.speed.numel() + 2 for b in self.balls)])
        self._fastest = np.zeros(len(self.balls))
        self._arrived, self._released, self._loosened = set[int](), set[int](), set[int]()
        self._begun, self._instant = False, -np.inf

    def _look(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        """(v, a, force while it is stuck, limit, sliding friction) of one."""
        self.now.look()
        n, at = self.balls[k].speed.numel(), self._first + self._starts[k]
        v, a, push = (self.now.out[at + i * n : at + (i + 1) * n].copy() for i in range(3))
        return v, a, push, *map(float, self.now.out[at + 3 * n : at + 3 * n + 2])

    def crossed(self, witnesses: Sequence[Witness]) -> None:
        """Note what came to rest or reached its limit; hold or release directions of sliding."""
        if self._instant != self.now.t:
            self._instant = self.now.t
            self._arrived.clear()
            self._released.clear()
        d = self.now.d
        for w in witnesses:
            if w.what == "ball slow":
                v = self._look(w.number)[0]
                d[self.direction[w.number]] = v / np.linalg.norm(v)
                d[self.armed[w.number]] = 0
            elif w.what == "ball fast":
                d[self.armed[w.number]] = 1
            elif w.what == "ball halt":
                self._arrived.add(w.number)
            elif w.what == "ball slip":
                self._released.add(w.number)

    def let_go(self) -> None:
        """Bodies are about to collide: friction of given size has no impulse."""
        for k, ball in enumerate(self.balls):
            if self.now.d[self.held[k]] and not ball.holds_impacts:
                self.now.d[self.held[k]] = 0
                self._loosened.add(k)

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Make modes agree with the state; the names of those that changed, or why that is impossible."""
        d, before = self.now.d, self.now.d.copy()
        looks = [self._look(k) for k in range(len(self.balls))]
        sizes = np.array([np.linalg.norm(v) for v, *_ in looks])
        self._fastest = np.maximum(self._fastest, sizes)
        still = sizes <= tol.BALL_SLOW * self._fastest
        rests = [k for k in range(len(self.balls)) if still[k] or k in self._arrived]
        for k in range(len(self.balls)):
            if k not in rests:
                d[self.held[k]] = 0
                if before[self.held[k]] or k in self._loosened or not self._begun:
                    # set in motion by an impact, or from the beginning
                    d[self.armed[k]] = 1
                    d[self.slow[k]] = self._threshold(k, float(np.linalg.norm(self._look(k)[1])))
        agrees = self._begun and not (self._arrived or self._released or self._loosened) and all(
            before[self.held[k]] and np.linalg.norm(looks[k][2]) <= looks[k][3] * (1 + tol.BALL_EDGE)
            or not before[self.held[k]] and not before[self.armed[k]] for k in rests)
        self._begun = True
        trouble = None if agrees or not rests else self._solve(rests)
        self._arrived.clear()
        self._released.clear()
        self._loosened.clear()
        changed = [self.balls[k].name for k in range(len(self.balls)) if before[self.held[k]] != d[self.held[k]]]
        for k, ball in enumerate(self.balls):
            if before[self.held[k]] != d[self.held[k]]:
                self.log.note(self.now.t, ball.name, 0 if d[self.held[k]] else 1)
        if changed:
            self.now.course.append(NotSmooth(f"{changed[0]}: friction along several directions sticks or slips"))
        return changed, trouble

    def _threshold(self, k: int, acceleration: float) -> float:
        """The speed below which the direction is held; with steps of fixed size no fewer than a few of them."""
        fine = tol.BALL_FROZEN * self.accuracy * max(self._fastest[k], acceleration)
        return max(fine, tol.BALL_STEPS * (self.h or 0.0) * acceleration)

    def _solve(self, rests: list[int]) -> Trouble | None:
        """Decide those at rest together."""
        d = self.now.d
        d[self.held[rests]] = 1
        if any(np.any(self._look(k)[0] != 0) for k in rests):
            self.jumps.rest()
        d[self.held[rests]], d[self.armed[rests]] = 0, 0
        for k in rests:
            d[self.direction[k]] = 0
        own = [(k, i) for k in rests for i in range(len(self.direction[k]))]
        a0, sliding = self._accelerations(rests), {k: self._look(k)[4] for k in rests}
        limits = {k: self._look(k)[3] for k in rests}
        W = np.zeros((len(own), len(own)))
        for column, (k, i) in enumerate(own):
            if sliding[k] > 0:
                d[self.direction[k][i]] = 1
                W[:, column] = (a0 - self._accelerations(rests)) / sliding[k]
                d[self.direction[k][i]] = 0
        if not (np.all(np.isfinite(W)) and np.all(np.isfinite(a0))):
            names = ", ".join(self.balls[k].name for k in rests)
            return Trouble(f"at t = {self.now.t:.9g} s {names}: there are no accelerations from which to decide what "
                           "sticks. Likely: a singular position, or a part without inertia.")
        W = (W + W.T) / 2
        places = {k: [at for at, (owner, _) in enumerate(own) if owner == k] for k in rests}
        slips = {k for k in rests if k in self._released or not limits[k] > 0}
        for _ in range(len(rests) + 1):
            most = {k: sliding[k] if k in slips else limits[k] for k in rests}
            f = most_dissipating(W, a0, [places[k] for k in rests], [most[k] for k in rests])
            beyond = {k for k in rests if np.linalg.norm(f[places[k]]) >= most[k] * (1 - tol.BALL_EDGE)} - slips
            if not beyond:
                break
            slips |= beyond
        a = a0 - W @ f
        for k in rests:
            force, size = f[places[k]], np.linalg.norm(f[places[k]])
            if k in slips and size > 0:
                d[self.direction[k]] = force / size
                d[self.slow[k]] = self._threshold(k, float(np.linalg.norm(a[places[k]])))
            elif k not in slips:
                d[self.held[k]] = 1
        return None

    def _accelerations(self, rests: list[int]) -> np.ndarray:
        return np.concatenate([self._look(k)[1] for k in rests])


def most_dissipating(W: np.ndarray, a0: np.ndarray, places: Sequence[list[int]],
                     limits: Sequence[float]) -> np.ndarray:
    """f of the problem above."""
    f = np.zeros(len(a0))
    for _ in range(tol.BALL_SWEEPS):
        before = f.copy()
        for at, limit in zip(places, limits, strict=True):
            b = a0[at] - W[at] @ f + W[np.ix_(at, at)] @ f[at]
            f[at] = in_ball(W[np.ix_(at, at)], b, limit)
        if len(places) == 1 or np.max(np.abs(f - before)) <= tol.BALL_SETTLED * np.max(np.abs(f), initial=0.0):
            break
    return f


def in_ball(W: np.ndarray, b: np.ndarray, limit: float) -> np.ndarray:
    """The f of least ½ fᵀ W f − bᵀ f with |f| ≤ limit: (W + σ 1)⁻¹ b, σ by Newton's method on 1/|f| (Hebden 1973)."""
    sizes, Q = np.linalg.eigh(W)
    sizes, c = np.maximum(sizes, 0.0), Q.T @ b
    if not limit > 0 or not np.any(b):
        return np.zeros(len(b))
    small = tol.BALL_SINGULAR * max(sizes[-1], tol.TINY)
    moves = sizes > small
    if np.linalg.norm(c[~moves]) <= tol.BALL_SINGULAR * np.linalg.norm(c):
        x = np.where(moves, c, 0.0) / np.where(moves, sizes, 1.0)
        if np.linalg.norm(x) <= limit:
            return Q @ x
    sigma = max(np.linalg.norm(b) / limit - sizes[-1], 0.0) + small
    for _ in range(tol.BALL_NEWTON):
        x = c / (sizes + sigma)
        size = np.linalg.norm(x)
        step = (size / limit - 1) * size**2 / np.sum(x * x / (sizes + sigma))
        sigma = max(sigma + step, small)
        if abs(step) <= tol.BALL_SETTLED * sigma:
            break
    x = c / (sizes + sigma)
    return Q @ (x * (limit / np.linalg.norm(x)))
