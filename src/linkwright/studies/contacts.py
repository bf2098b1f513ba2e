"""Friction that sticks and stops that are hit: which modes hold, found by complementarity at an instant.

Friction i at rest is stuck while −back_i ≤ λ_i ≤ limit_i, or slides in the direction of its acceleration; a closed stop pushes
(λ ≤ 0) or opens.  Modes are changed one at a time, the worst offender first; where that runs in a circle all
combinations are tried, and where none is consistent (Painlevé) the run ends with an error.
"""

from __future__ import annotations

import itertools

import numpy as np

from .impacts import Impacts

SLOW = 1e-11  # a speed or gap below this counts as zero
ROUNDING = 1e-9  # of forces and accelerations, relative
MOST = 8  # elements whose combinations are all tried
FRICTION = ("speed", "acceleration", "push", "sliding", "limit", "back")
STOP = ("gap", "rate", "acceleration", "push", "restitution")


class Contacts:
    """Modes of the friction elements and stops of a run."""

    def __init__(self, run, accuracy: float):
        self.run = run
        h = run.happenings
        places = run.places
        self.stuck = np.array([places[f.stuck.name()] for f in h.frictions], dtype=int)
        self.direction = np.array([places[f.direction.name()] for f in h.frictions], dtype=int)
        self.closed = np.array([places[s.closed.name()] for s in h.stops], dtype=int)
        self.one_way = np.array([f.one_way for f in h.frictions], dtype=bool)
        self.impacts = Impacts(run, self) if h.stops else None
        self._arrived: set[int] = set()  # friction whose speed just reached zero
        self._released: set[int] = set()  # friction that just gave way
        self._instant = run.inputs[0]
        self._first = True

    # --- the situation by column ---

    def frictions(self) -> dict[str, np.ndarray]:
        table = self.run.situation()["frictions"].reshape(-1, len(FRICTION)) if len(self.stuck) else np.zeros((0, 6))
        return dict(zip(FRICTION, table.T, strict=True))

    def stops(self) -> dict[str, np.ndarray]:
        table = self.run.situation()["stops"].reshape(-1, len(STOP)) if len(self.closed) else np.zeros((0, 5))
        return dict(zip(STOP, table.T, strict=True))

    # --- what crossed ---

    def crossed(self, watches, x_before: np.ndarray) -> None:
        """Note which friction arrived at rest or gave way, open stops that were pulled, let others be hit."""
        d = self.run.d
        self._arrived = {w.number for w in watches if w.what == "slide"}
        self._released, self._instant = set(), self.run.inputs[0]
        for w in watches:
            if w.what in ("hold+", "hold-"):
                self._released.add(w.number)
                d[self.stuck[w.number]] = 0
                d[self.direction[w.number]] = 1 if w.what == "hold+" else -1
                self.run.log(self.run.name(w), int(d[self.direction[w.number]]))
            elif w.what == "pull":
                d[self.closed[w.number]] = 0
                self.impacts.lift([w.number])
                self.run.log(self.run.name(w), 1)
        hit = sorted({w.number for w in watches if w.what == "gap"})
        if hit:
            self.impacts.hit(hit, x_before)

    # --- agreement ---

    def decide(self) -> bool:
        """Bring friction and stops to agree with the state; whether anything changed."""
        before = self.run.d.copy()
        if self._instant != self.run.inputs[0]:
            self._released, self._instant = set(), self.run.inputs[0]
        changed = self._rest_on_stops()
        if len(self.stuck):
            self._friction()
        self._arrived, self._first = set(), False
        for k, f in enumerate(self.run.happenings.frictions):
            now, was = self._mode(self.run.d, k), self._mode(before, k)
            if now != was and self.run.history:
                self.run.log(f.name, now)
        return changed or not np.array_equal(before, self.run.d)

    def _mode(self, d, k: int) -> int:
        """0 stuck, else the direction of sliding."""
        return 0 if d[self.stuck[k]] else int(d[self.direction[k]])

    def _rest_on_stops(self) -> bool:
        """Stops at which the mechanism rests hold it; those that would have to pull let go."""
        if not len(self.closed):
            return False
        d, changed = self.run.d, False
        s = self.stops()
        if self._first and np.any(s["gap"] < -1e-9):
            k = int(np.argmin(s["gap"]))
            name = self.run.happenings.stops[k].name
            self.run.trouble = f"{name}: the run starts {-s['gap'][k]:.3g} beyond the stop."
            return False
        for _ in range(2 * len(self.closed) + 1):
            s = self.stops()
            shut = d[self.closed] > 0.5
            pulled = np.flatnonzero(shut & (s["push"] > ROUNDING * (1 + np.max(np.abs(s["push"])))))
            landed = np.flatnonzero(~shut & (np.abs(s["gap"]) <= SLOW) & (np.abs(s["rate"]) <= SLOW)
                                    & (s["acceleration"] < -ROUNDING * (1 + np.max(np.abs(s["acceleration"])))))
            if len(pulled):
                d[self.closed[pulled[0]]], changed = 0, True
            elif len(landed):
                d[self.closed[landed[0]]], changed = 1, True
            else:
                break
        return changed

    def _friction(self) -> None:
        d, f = self.run.d, self.frictions()
        still = np.abs(f["speed"]) <= SLOW
        for k in self._arrived:
            still[k] = True
        if np.any(self.one_way & ~still & (f["speed"] < 0)):
            k = int(np.flatnonzero(self.one_way & ~still & (f["speed"] < 0))[0])
            self.run.trouble = (f"at t = {self.run.inputs[0]:.9g} s {self.run.happenings.frictions[k].name} turns "
                                f"backwards ({f['speed'][k]:.3g}), which it blocks; start it at rest or forwards.")
            return
        moving = np.flatnonzero(~still)
        d[self.stuck[moving]] = 0
        d[self.direction[moving]] = np.sign(f["speed"][moving])
        resting = [k for k in np.flatnonzero(still)]
        for k in resting:
            if k not in self._released:
                d[self.stuck[k]] = 1
        if not resting or self._settle(resting) or self._try_all(resting):
            return
        names = ", ".join(self.run.happenings.frictions[k].name for k in resting)
        self.run.trouble = (f"at t = {self.run.inputs[0]:.9g} s no mode of {names} is consistent: neither sticking nor "
                            "sliding either way agrees with the forces it causes (Painlevé's paradox). Likely: "
                            "friction in proportion to a reaction that it increases itself; reduce mu, or add "
                            "compliance.")

    def _settle(self, resting) -> bool:
        """Change the worst mode until all agree; False where that runs in a circle."""
        d, seen = self.run.d, set()
        while True:
            wrong = self._offenders(resting)
            if not wrong:
                return True
            _, k, mode = max(wrong)
            self._put(k, mode)
            key = tuple(self._mode(d, k) for k in resting)
            if key in seen:
                return False
            seen.add(key)

    def _offenders(self, resting) -> list[tuple[float, int, int]]:
        """(how wrong, element, better mode) of every element whose mode does not agree with the forces."""
        f, d, out = self.frictions(), self.run.d, []
        rounding = ROUNDING * (1 + np.max(np.abs(f["acceleration"]), initial=0.0))
        for k in resting:
            mode, push, limit = self._mode(d, k), f["push"][k], f["limit"][k]
            back = np.inf if self.one_way[k] else f["back"][k]
            holds = limit > 0 or back > 0
            if mode == 0:
                if push > limit or push < -back or not holds:
                    given = back if push < 0 else limit
                    excess = (abs(push) - given) / (abs(given) + 1e-30)
                    out.append((1.0 + max(excess, 0.0), k, -1 if push < 0 else 1))
            elif mode * f["acceleration"][k] < -rounding:
                # held only where it may be
                out.append((0.5, k, 0 if holds else -mode))
        return out

    def _put(self, k: int, mode: int) -> None:
        d = self.run.d
        d[self.stuck[k]] = mode == 0
        if mode:
            d[self.direction[k]] = mode

    def _try_all(self, resting) -> bool:
        if len(resting) > MOST:
            return False
        for modes in sorted(itertools.product((0, 1, -1), repeat=len(resting)), key=lambda m: sum(map(abs, m))):
            for k, mode in zip(resting, modes, strict=True):
                self._put(k, mode)
            if not self._offenders(resting):
                return True
        return False
