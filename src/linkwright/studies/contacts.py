"""Friction that sticks and stops that are hit: which modes hold, found by complementarity at an instant.

Friction i at rest is stuck while −back_i ≤ λ_i ≤ limit_i, or slides in the direction of its acceleration; a closed stop
pushes (λ ≤ 0) or opens.  Modes are changed one at a time, the worst offender first; where that runs in a circle all
combinations are tried, and where none is consistent (Painlevé) the run ends with an error.

Forces, speeds and accelerations of different elements are compared by their ease e = √(G M⁻¹ Gᵀ): e λ, v/e and a/e.
Nothing depends on the units of length and mass; what has to be small is small against the forces, speeds and sizes of
the moment, or short in time.
"""

from __future__ import annotations

import itertools
from math import inf, isfinite

import numpy as np

from ..system.happenings import place
from .impacts import NEAR, REST, Impacts
from .present import Jumps, alone

SLOW = 1e-11  # of the speeds of the motion: rest
HELD = 1e-7  # the same, for what was stuck
TREMBLE = 1e-13  # seconds at the accelerations of the moment: speeds below that have no sign
ROUNDING = 1e-9  # of the forces of the moment
NOISE = 1e-6  # the same: what is still consistent where nothing is
BEYOND = 1e-9  # of its size: how far a run may start behind a stop
PATIENCE = 10  # changes of mode for each element
MOST = 8  # elements whose combinations are all tried


class Contacts:
    """Modes of the friction elements and stops of a run."""

    def __init__(self, run):
        self.run, self.now = run, run.present
        h, places = run.happenings, run.present.places
        self.stuck = np.array([places[f.stuck.name()] for f in h.frictions], dtype=int)
        self.direction = np.array([places[f.direction.name()] for f in h.frictions], dtype=int)
        self.closed = np.array([places[s.closed.name()] for s in h.stops], dtype=int)
        self.freewheels = [k for k, f in enumerate(h.frictions) if f.one_way]
        self.impacts = Impacts(run, self) if h.stops or self.freewheels else None
        self.slack = np.zeros(len(h.frictions))  # backward speed at which sliding has ended
        self.gap_slack = np.zeros(len(h.stops))  # how far stops may be passed that touch where something else holds
        self.tremble = 0.0
        self._patience = np.ones(len(h.frictions))
        self._arrived: set[int] = set()  # friction whose speed just reached zero
        self._released: set[int] = set()  # friction whose limit was just reached
        self._rested: set[int] = set()  # friction that was at rest before, stuck or held by something else
        self._jumps: Jumps | None = None
        rows = {row: (at, slope) for row, at, slope in alone(run.system.equations)}
        places = [place(run.system.equations, f.name)[0] for f in h.frictions]
        self._alone = {k: rows[row] for k, row in enumerate(places) if row in rows}
        self._instant = -np.inf
        self._first = True

    # --- what crossed ---

    def crossed(self, watches) -> None:
        """Note which friction arrived at rest or gave way, open stops that were pulled, let others be hit."""
        d = self.now.d
        self._new_instant()
        for w in watches:
            if w.what == "slide":
                self._arrived.add(w.number)
            elif w.what in ("hold+", "hold-"):
                self._released.add(w.number)
                self._put("friction", w.number, 1 if w.what == "hold+" else -1)
                self.run.log(self.run.name(w), int(d[self.direction[w.number]]))
            elif w.what == "pull":
                d[self.closed[w.number]] = 0
                self.impacts.lift([w.number])
                self.run.log(self.run.name(w), 1)
        hit = sorted({w.number for w in watches if w.what == "gap"})
        if hit:
            self.run.step_back()
            self.impacts.hit(hit)

    def _new_instant(self) -> None:
        if self._instant != self.now.t:
            self._arrived, self._released, self._instant = set(), set(), self.now.t
            if self.impacts is not None:
                self.impacts.swing = 0.0

    # --- agreement ---

    def decide(self) -> str:
        """Bring friction and stops to agree with the state; names what changed."""
        now = self.now
        end = 1 + len(now.x) + len(now.d)
        before = now.inputs[:end].copy()
        self._new_instant()
        if self._first and self._starts_beyond():
            return ""
        self._note_slack()
        if self.impacts is not None:
            self._approaching()
            if self.run.trouble is not None:
                return ""
        elements = [*self._at_rest(), *self._touching()]
        if elements and not (self._settle(elements) or self._try_all(elements)):
            names = ", ".join(self._name(e) for e in elements)
            self.run.trouble = (f"at t = {now.t:.9g} s no mode of {names} is consistent: neither sticking nor sliding "
                                "either way agrees with the forces it causes (Painlevé's paradox). Likely: friction "
                                "in proportion to a reaction that it increases itself; reduce mu, or add compliance.")
            return ""
        changed = before.tobytes() != now.inputs[:end].tobytes()
        if changed or self._arrived:
            self._come_to_rest()
            self._report(before[1 + len(now.x) :])
            self._note_slack()
        self._arrived, self._first = set(), False
        if not changed:
            return ""
        places = np.flatnonzero(before != now.inputs[:end]) - 1 - len(now.x)
        names = list(now.places)
        return ", ".join(dict.fromkeys(names[k] if k >= 0 else "the speeds" for k in places.tolist()))

    def _come_to_rest(self) -> None:
        """Take off the speed that is left where friction sticks, by impulses: steppers need not know of it."""
        left = [(k, f.speed) for k, f in enumerate(self.now.frictions())
                if self.now.d[self.stuck[k]] and abs(f.speed) > 1e-3 * self.slack[k]]
        if all(k in self._alone for k, _ in left):
            for k, speed in left:
                place, slope = self._alone[k]
                self.now.u[place] -= speed / slope
            return
        if self._jumps is None:
            self._jumps = self.impacts.jumps if self.impacts is not None else Jumps(self.now)
        self._jumps.rest()

    def _name(self, element) -> str:
        kind, k = element
        return (self.run.happenings.frictions if kind == "friction" else self.run.happenings.stops)[k].name

    def _report(self, before) -> None:
        """Log friction that has changed its mode."""
        for k, friction in enumerate(self.run.happenings.frictions):
            mode, was = self._mode(self.now.d, k), self._mode(before, k)
            if mode != was and not self._first:
                self.run.log(friction.name, mode)
            if k in self._arrived and mode == was != 0:
                self._patience[k] *= 10  # nothing came of it: it trembles where something else holds it

    def _note_slack(self) -> None:
        """The speeds that count as none, by the forces of the moment."""
        forces = self.now.forces()
        self.tremble = TREMBLE * forces if isfinite(forces) else 0.0
        for k, f in enumerate(self.now.frictions()):
            self.slack[k] = self.tremble * f.ease * self._patience[k]

    def _mode(self, d, k: int) -> int:
        """0 stuck, else the direction of sliding."""
        return 0 if d[self.stuck[k]] else int(d[self.direction[k]])

    # --- who takes part ---

    def _starts_beyond(self) -> bool:
        for stop, s in zip(self.run.happenings.stops, self.now.stops(), strict=True):
            if s.gap < -BEYOND * s.size:
                self.run.trouble = f"{stop.name}: the run starts {-s.gap:.3g} beyond the stop."
                return True
        return False

    def at_rest(self, k: int, f) -> bool:
        """Whether the speed of a friction is none."""
        share = HELD if self.now.d[self.stuck[k]] else SLOW
        return k in self._arrived or abs(f.speed) <= share * self._swing() * f.ease + 10 * self.slack[k]

    def _approaching(self) -> None:
        """Stops that are run into, and freewheels that are turned backwards, without a crossing to tell it."""
        swing = self._swing()
        hit = [k for k, s in enumerate(self.now.stops())
               if s.rate < -self._slow(k, s, swing) and self.impacts.touches(k, s, swing)]
        frictions = self.now.frictions()
        back = [k for k in self.freewheels if frictions[k].speed < 0 and not self.at_rest(k, frictions[k])]
        if hit or back:
            self.impacts.hit(hit, back)

    def _at_rest(self) -> list[tuple[str, int]]:
        """Friction that may stick; the rest slides as it moves."""
        resting = []
        for k, f in enumerate(self.now.frictions()):
            if f.ease and self.at_rest(k, f):
                resting.append(k)
                if k not in self._rested:
                    self._put("friction", k, 0)
            else:
                # what is driven cannot stick
                way = f.speed if abs(f.speed) > self.slack[k] else f.acceleration
                self._put("friction", k, 1 if way > 0 else -1 if way < 0 else int(self.now.d[self.direction[k]]))
        self._rested = set(resting)
        return [("friction", k) for k in resting]

    def _touching(self) -> list[tuple[str, int]]:
        """Stops that may hold; the rest is open."""
        touching, swing = [], self._swing()
        for k, s in enumerate(self.now.stops()):
            rests = s.ease and self.impacts.touches(k, s, swing) and abs(s.rate) <= self._slow(k, s, swing)
            self.gap_slack[k] = TREMBLE * s.size if rests else 0.0
            if rests:
                touching.append(("stop", k))
            else:
                self._put("stop", k, 0)
        return touching

    def _swing(self) -> float:
        """The scale of speeds at this instant, blows included."""
        return max(self.now.swing(), self.impacts.swing) if self.impacts is not None else self.now.swing()

    def _slow(self, k: int, s, swing: float) -> float:
        """The rate below which a stop is neither left nor run into."""
        share = HELD if self.now.d[self.closed[k]] else SLOW
        return (share * swing + self.tremble) * s.ease + 0.5 * REST * abs(s.acceleration)

    def left(self, gaps_before) -> None:
        """Open the stops whose gap an action has widened; it cannot put anything behind one."""
        for k, (s, gap) in enumerate(zip(self.now.stops(), gaps_before, strict=True)):
            if s.gap - gap > NEAR * s.size:
                self._put("stop", k, 0)
            elif s.gap < -BEYOND * s.size:
                self.run.trouble = (f"at t = {self.now.t:.9g} s an action puts the motion {-s.gap:.3g} beyond the stop "
                                    f"{self.run.happenings.stops[k].name}; set a value between the stops.")

    # --- complementarity ---

    def _settle(self, elements) -> bool:
        """Change the worst mode until all agree, in a circle the first one; False where that does not end either."""
        seen, circle = set(), False
        for _ in range(PATIENCE * (1 + len(elements))):
            wrong = self._offenders(elements)
            if not wrong:
                return True
            _, element, mode = wrong[0] if circle else max(wrong)
            self._put(*element, mode)
            modes = self.now.d.tobytes()
            circle = circle or modes in seen
            seen.add(modes)
        return False

    def _offenders(self, elements, rounding: float = ROUNDING) -> list[tuple[float, tuple[str, int], int]]:
        """(how wrong, element, better mode) of every element whose mode does not agree with the forces."""
        frictions, stops, d, out = self.now.frictions(), self.now.stops(), self.now.d, []
        scale = self.now.forces()
        if not isfinite(scale):
            # no accelerations at all: any other mode is better
            return [(inf, (kind, k), {0: 1, 1: -1, -1: 0}[self._mode(d, k)]) for kind, k in elements if kind != "stop"]
        small = rounding * scale
        for kind, k in elements:
            if kind == "stop":
                s, shut = stops[k], d[self.closed[k]]
                excess, better = (s.ease * s.push, 0) if shut else (-s.acceleration / s.ease, 1)
                if excess > small:
                    out.append((excess, (kind, k), better))
                continue
            f, mode = frictions[k], self._mode(d, k)
            back = inf if k in self.freewheels else f.back
            holds = f.limit > 0 or back > 0
            if mode == 0:
                excess = f.ease * max(f.push - f.limit, -f.push - back)
                # at its limit it would have to give way again at once
                if excess > (-NOISE * scale if k in self._released else small) or not holds:
                    out.append((max(excess, small), (kind, k), -1 if f.push < 0 else 1))
            elif -mode * f.acceleration / f.ease > small:
                # held only where it may be
                out.append((-mode * f.acceleration / f.ease, (kind, k), 0 if holds else -mode))
        return out

    def _put(self, kind: str, k: int, mode: int) -> None:
        d = self.now.d
        if kind == "stop":
            d[self.closed[k]] = mode
            return
        d[self.stuck[k]] = mode == 0
        if mode:
            d[self.direction[k]] = mode

    def _try_all(self, elements) -> bool:
        """Any combination that agrees; else one in which nothing but noise, or a stop without load, is left."""
        if len(elements) > MOST:
            return False
        choices = [(1, 0) if kind == "stop" else (0, 1, -1) for kind, _ in elements]
        y = self.now.y.copy()
        for rounding, modes in itertools.product((ROUNDING, NOISE), itertools.product(*choices)):
            for element, mode in zip(elements, modes, strict=True):
                self._put(*element, mode)
            # where friction causes the reaction it is in proportion to, there may be more than one solution
            for guess in (y, self.now.system.layout.start_y) if len(y) else (y,):
                self.now.y[:] = guess
                wrong = self._offenders(elements, rounding)
                if not wrong or (rounding == NOISE and all(kind == "stop" for _, (kind, _), _ in wrong)):
                    return True
        self.now.y[:] = y
        return False
