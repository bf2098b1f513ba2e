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
from functools import cached_property
from math import inf, isfinite

import numpy as np

from ..system.event_programs import is_given, place, sharing
from .driven_friction import GivenFriction
from .impacts import NEAR, REST, Impacts, near
from .instant import Jumps, alone

SLOW = 1e-11  # of the speeds of the motion: rest
HELD = 1e-7  # the same, for what was stuck
TREMBLE = 1e-13  # seconds at the accelerations of the moment: speeds below that have no sign
ROUNDING = 1e-9  # of the forces of the moment
NOISE = 1e-6  # the same: what is still consistent where nothing is
BEYOND = 1e-9  # of its size: how far a run may start behind a stop
PATIENCE = 10  # changes of mode for each element
MOST = 8  # elements whose combinations are all tried


class Contacts:
    """Modes of the elements of a run: its frictions, and numbered on after them its stops.

    The mode of a friction is 0 where it is stuck, else the direction of sliding; that of a stop 1 closed or 0.

    On one shaft several frictions may rest together.  How they share what they hold is open; where it decides on the
    forces of others (gears with losses) one of them is stuck and bears all that it can, the rest is idle until then:
    it neither holds nor rubs (stuck = direction = 0).
    """

    def __init__(self, run, accuracy: float = 0.0):
        self.run, self.now = run, run.instant
        h, places = run.events, run.instant.places
        self.stuck = [places[f.stuck.name()] for f in h.frictions]
        self.direction = [places[f.direction.name()] for f in h.frictions]
        self.closed = [places[s.closed.name()] for s in h.stops]
        self.holding = np.array([*self.stuck, *self.closed], dtype=int)
        self.names = [item.name for item in (*h.frictions, *h.stops)]
        self.modes: list[int] = []  # as they are in d
        self._read_modes()
        self.given = {k: GivenFriction(accuracy, run.instant.t) for k, f in enumerate(h.frictions)
                      if is_given(run.system.equations, f.name)}
        self.freewheels = [k for k, f in enumerate(h.frictions) if f.one_way]
        self.impacts = Impacts(run, self) if h.stops or self.freewheels else None
        self.slack = [0.0] * len(h.frictions)  # backward speed at which sliding has ended
        self.gap_slack = [0.0] * len(h.stops)  # how far stops may be passed that touch where something else holds
        self.tremble = 0.0
        self.again = False  # whether speeds changed since modes were decided, by blows or so that more is at rest
        self._patience = [1.0] * len(h.frictions)
        self._arrived: set[int] = set()  # friction whose speed just reached zero
        self._released: set[int] = set()  # friction whose limit was just reached
        self._rested: set[int] = set()  # friction that was at rest before, stuck or held by something else
        rows = {row: (at, slope) for row, at, slope in alone(run.system.equations)}
        places = [place(run.system.equations, f.name)[0] for f in h.frictions]
        self._alone = {k: rows[row] for k, row in enumerate(places) if row in rows}
        self._beside = sharing(run.system.equations)
        self._instant = -np.inf
        self._first = True

    @cached_property
    def jumps(self) -> Jumps:
        return Jumps(self.now)

    # --- what crossed ---

    def crossed(self, watches) -> None:
        """Note which friction arrived at rest or gave way, open stops that were pulled, let others be hit."""
        self._new_instant()
        for w in watches:
            if w.what == "slide":
                if self.modes[w.number]:
                    self._arrived.add(w.number)
            elif w.what in ("hold+", "hold-"):
                self._released.add(w.number)
                self._put(w.number, 1 if w.what == "hold+" else -1)
                self.run.log(self.names[w.number], self.modes[w.number])
            elif w.what == "pull":
                self._put(len(self.stuck) + w.number, 0)
                self.impacts.lift([w.number])
                self.run.log(self.run.name(w), 1)
        hit = sorted({w.number for w in watches if w.what == "gap"})
        if hit:
            self.run.step_back()
            self._hit(hit)

    def _new_instant(self) -> None:
        if self._instant != self.now.t:
            self._arrived, self._released, self._instant = set(), set(), self.now.t
            if self.impacts is not None:
                self.impacts.swing = 0.0

    # --- agreement ---

    def decide(self) -> list[str]:
        """Bring friction and stops to agree with the state; names what changed."""
        now = self.now
        self._new_instant()
        x, d, modes = now.x.tobytes(), now.d.tobytes(), self.modes.copy()
        if self._first and self._starts_beyond():
            return []
        self._note_slack()
        if self.impacts is not None:
            self._approaching()
            if self.run.trouble is not None:
                return []
        elements = self._may_stick() + self._may_hold()
        if elements and not (self._settle(elements) or self._try_all(elements)):
            names = ", ".join(self.names[e] for e in elements)
            self.run.trouble = (f"at t = {now.t:.9g} s no mode of {names} is consistent: neither sticking nor sliding "
                                "either way agrees with the forces it causes (Painlevé's paradox). Likely: friction "
                                "in proportion to a reaction that it increases itself; reduce mu, or add compliance.")
            return []
        names, self.again = [], now.x.tobytes() != x
        if self._arrived or self.again or now.d.tobytes() != d:
            self._come_to_rest()
            names = self._report(modes)
            self._note_slack()
            self._arrived = set()
            self.again = self.again or not self._rested.issuperset(self.at_rest())
        self._first = False
        return names or (["the speeds"] if self.again else [])

    def _come_to_rest(self) -> None:
        """Take off the speed that is left where friction sticks, by impulses: steppers need not know of it."""
        speed, modes = self.now.look().frictions.speed, self.modes
        left = [k for k, slack in enumerate(self.slack)
                if modes[k] == 0 and k not in self.given and abs(speed[k]) > 1e-3 * slack]
        if all(k in self._alone for k in left):
            for place, slope, rate in {self._alone[k][0]: (*self._alone[k], speed[k]) for k in left}.values():
                self.now.u[place] -= rate / slope
        else:
            self.jumps.rest()

    def _report(self, before: list[int]) -> list[str]:
        """Log friction that has changed its mode; names everything that has."""
        changed = [e for e, (mode, was) in enumerate(zip(self.modes, before, strict=True)) if mode != was]
        for e in changed:
            if e < len(self.stuck) and not self._first:
                self.run.log(self.names[e], self.modes[e])
        for k in self._arrived:
            if self.modes[k] == before[k] != 0:
                self._patience[k] *= 10  # nothing came of it: it trembles where something else holds it
        return [self.names[e] for e in changed]

    def _note_slack(self) -> None:
        """The speeds that count as none, by the forces of the moment."""
        situation = self.now.look()
        self.tremble = TREMBLE * situation.forces if isfinite(situation.forces) else 0.0
        self.slack = [self.tremble * ease * patience
                      for ease, patience in zip(situation.frictions.ease, self._patience, strict=True)]
        for k, given in self.given.items():
            self.slack[k] = given.slack(self.modes[k])

    def _read_modes(self) -> None:
        d = self.now.d.tolist()
        self.modes = [0 if d[stuck] else int(d[way]) for stuck, way in zip(self.stuck, self.direction, strict=True)] \
            + [int(d[closed]) for closed in self.closed]

    def _put(self, element: int, mode: int) -> None:
        d, k = self.now.d, element - len(self.stuck)
        self.modes[element] = mode
        if k >= 0:
            d[self.closed[k]] = mode
            return
        beside = self._beside.get(element)
        idle = element in self.given or (beside is not None and any(d[self.stuck[other]] for other in beside))
        if beside is not None and mode and d[self.stuck[element]]:
            # the next one on the shaft takes over
            for other in [other for other in beside if self.modes[other] == 0][:1]:
                d[self.stuck[other]] = 1
        d[self.stuck[element]] = mode == 0 and not idle
        if mode or idle:
            d[self.direction[element]] = mode

    # --- who takes part ---

    def _starts_beyond(self) -> bool:
        s = self.now.look().stops
        for stop, gap, size in zip(self.run.events.stops, s.gap, s.size, strict=True):
            if gap < -BEYOND * size:
                self.run.trouble = f"{stop.name}: the run starts {-gap:.3g} beyond the stop."
                return True
        return False

    def at_rest(self) -> list[int]:
        """Friction whose speed is none."""
        situation = self.now.look()
        f, modes, swing = situation.frictions, self.modes, self.swing(situation)
        return [k for k, (speed, ease, slack) in enumerate(zip(f.speed, f.ease, self.slack, strict=True))
                if (k in self._arrived or abs(speed) <= (SLOW if modes[k] else HELD) * swing * ease + 10 * slack)
                and k not in self.given]

    def _approaching(self) -> None:
        """Stops that are run into, and freewheels that are turned backwards, without a crossing to tell it, are hit."""
        situation = self.now.look()
        s, speed, swing = situation.stops, situation.frictions.speed, self.swing(situation)
        hit = [k for k in range(len(self.closed))
               if s.rate[k] < -self._slow(k, s, swing) and self.touches(k, s, swing)]
        back = [k for k in self.freewheels if speed[k] < 0 and k not in self.given]
        if back:
            resting = self.at_rest()
            back = [k for k in back if k not in resting]
        if hit or back:
            self._hit(hit, back)

    def _hit(self, stops: list[int], freewheels: list[int] = ()) -> None:
        self.impacts.hit(stops, freewheels)
        self._read_modes()

    def _may_stick(self) -> list[int]:
        """Friction that may stick; the rest slides as it moves."""
        f = self.now.look().frictions
        # what is driven cannot stick
        resting = [k for k in self.at_rest() if f.ease[k]]
        for k, (speed, slack) in enumerate(zip(f.speed, self.slack, strict=True)):
            if k in resting:
                if k not in self._rested:
                    self._put(k, 0)
                continue
            if k in self.given:
                mode = self.given[k].mode(self.now.t, self.modes[k], speed, f.acceleration[k], k in self._arrived)
                if mode < 0 and k in self.freewheels:
                    self.run.trouble = (f"at t = {self.now.t:.9g} s prescribed motions turn the freewheel "
                                        f"{self.names[k]} backwards; leave one of its shafts free.")
            else:
                way = speed if abs(speed) > slack else f.acceleration[k]
                mode = 1 if way > 0 else -1 if way < 0 else int(self.now.d[self.direction[k]])
            if mode != self.modes[k] or mode == 0:
                self._put(k, mode)
        self._rested = set(resting)
        return resting

    def _may_hold(self) -> list[int]:
        """Stops that may hold; the rest is open."""
        touching: list[int] = []
        if not self.closed:
            return touching
        situation, first = self.now.look(), len(self.stuck)
        s, swing = situation.stops, self.swing(situation)
        for k in range(len(self.closed)):
            rests = s.ease[k] and self.touches(k, s, swing) and abs(s.rate[k]) <= self._slow(k, s, swing)
            self.gap_slack[k] = TREMBLE * s.size[k] if rests else 0.0
            if rests:
                touching.append(first + k)
            elif self.modes[first + k]:
                self._put(first + k, 0)
        return touching

    def touches(self, k: int, s, swing: float) -> bool:
        """Whether a stop is closed or as good as closed, at speeds of the scale `swing`."""
        return bool(self.modes[len(self.stuck) + k]) or near(k, s, swing)

    def swing(self, situation) -> float:
        """The scale of speeds at this instant, blows included."""
        return situation.swing if self.impacts is None else max(situation.swing, self.impacts.swing)

    def _slow(self, k: int, s, swing: float) -> float:
        """The rate below which a stop is neither left nor run into."""
        share = HELD if self.modes[len(self.stuck) + k] else SLOW
        return (share * swing + self.tremble) * s.ease[k] + 0.5 * REST * abs(s.acceleration[k])

    def left(self, gaps_before) -> None:
        """Open the stops whose gap an action has widened; it cannot put anything behind one."""
        s = self.now.look().stops
        for k, (gap, before, size) in enumerate(zip(s.gap, gaps_before, s.size, strict=True)):
            if gap - before > NEAR * size:
                self._put(len(self.stuck) + k, 0)
            elif gap < -BEYOND * size:
                self.run.trouble = (f"at t = {self.now.t:.9g} s an action puts the motion {-gap:.3g} beyond the stop "
                                    f"{self.run.events.stops[k].name}; set a value between the stops.")

    # --- complementarity ---

    def _settle(self, elements) -> bool:
        """Change the worst mode until all agree, in a circle the first one; False where that does not end either."""
        seen, circle = set(), False
        for _ in range(PATIENCE * (1 + len(elements))):
            wrong = self._offenders(elements)
            if not wrong:
                return True
            _, element, mode = wrong[0] if circle else max(wrong)
            self._put(element, mode)
            modes = self.now.d.tobytes()
            circle = circle or modes in seen
            seen.add(modes)
        return False

    def _offenders(self, elements, rounding: float = ROUNDING) -> list[tuple[float, int, int]]:
        """(how wrong, element, better mode) of every element whose mode does not agree with the forces."""
        situation, modes, first, out = self.now.look(), self.modes, len(self.stuck), []
        f, s, scale = situation.frictions, situation.stops, situation.forces
        if not isfinite(scale):
            # no accelerations at all: any other mode is better
            return [(inf, k, {0: 1, 1: -1, -1: 0}[modes[k]]) for k in elements if k < first]
        small = rounding * scale
        for e in elements:
            k = e
            if k >= first:
                k -= first
                excess, better = (s.ease[k] * s.push[k], 0) if modes[e] else (-s.acceleration[k] / s.ease[k], 1)
                if excess > small:
                    out.append((excess, e, better))
                continue
            mode, push, limit, back = modes[k], f.push[k], f.limit[k], inf if k in self.freewheels else f.back[k]
            holds = limit > 0 or back > 0
            if mode == 0 and k in self._beside and not self.now.d[self.stuck[k]]:
                continue
            if mode == 0:
                excess = f.ease[k] * max(push - limit, -push - back)
                # at its limit it would have to give way again at once
                if excess > (-NOISE * scale if k in self._released else small) or not holds:
                    out.append((max(excess, small), k, -1 if push < 0 else 1))
            elif (excess := -mode * f.acceleration[k] / f.ease[k]) > small:
                # held only where it may be
                out.append((excess, k, 0 if holds else -mode))
        return out

    def _try_all(self, elements) -> bool:
        """Any combination that agrees; else one in which nothing but noise, or a stop without load, is left."""
        if len(elements) > MOST:
            return False
        choices = [(0, 1, -1) if e < len(self.stuck) else (1, 0) for e in elements]
        y = self.now.y.copy()
        for rounding, modes in itertools.product((ROUNDING, NOISE), itertools.product(*choices)):
            for element, mode in zip(elements, modes, strict=True):
                self._put(element, mode)
            # where friction causes the reaction it is in proportion to, there may be more than one solution
            for guess in (y, self.now.system.layout.start_y) if len(y) else (y,):
                self.now.y[:] = guess
                wrong = self._offenders(elements, rounding)
                if not wrong or (rounding == NOISE and all(e >= len(self.stuck) for _, e, _ in wrong)):
                    return True
        self.now.y[:] = y
        return False
