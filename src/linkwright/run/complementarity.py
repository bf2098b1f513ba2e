"""Friction that sticks and stops that are hit: which modes hold at an instant, found by complementarity.

Friction i at rest is stuck while −backᵢ ≤ λᵢ ≤ limitᵢ, or slides in the direction of its acceleration; a closed stop
pushes (λ ≤ 0) or opens.  Modes are changed one at a time (`mode_search`); where that does not end all combinations are
tried, and where none is consistent (Painlevé) the run ends with an error.

Forces, speeds and accelerations of different elements are compared by their ease e = √(G M⁻¹ Gᵀ): e λ, v/e and a/e.
Nothing depends on the units of length and mass; what has to be small is small against the forces, speeds and sizes of
the moment, or short in time (see `tolerances`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import inf, isfinite

import numpy as np

from ..system import alone
from ..system.event_programs import Witness, is_given, place, sharing
from . import tolerances as tol
from .driven_friction import GivenFriction
from .event_log import EventLog
from .impacts import Impacts, near
from .instant import Instant, Jumps, Situation, Stops
from .mode_search import Wrong, search_modes
from .trouble import Trouble


class Unilateral:
    """Modes of the elements that hold one way or up to a limit: all frictions, and numbered on after them all stops.

    The mode of a friction is 0 where it is stuck, else the direction of sliding; that of a stop 1 closed or 0.

    Several frictions on one shaft may be at rest together.  The equations do not say how they share the load.  Where
    the share matters for other forces (gears with losses), one of them is stuck and bears as much as it can; the others
    are idle until it gives way: they neither hold nor rub (stuck = direction = 0).
    """

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 0.0):
        self.now, self.log = instant, log
        equations, places = instant.system.equations, instant.places
        self.events = h = instant.system.mechanism.events
        self.stuck = [places[f.stuck.name()] for f in h.frictions]
        self.direction = [places[f.direction.name()] for f in h.frictions]
        self.closed = [places[s.closed.name()] for s in h.stops]
        self.holding = np.array([*self.stuck, *self.closed], dtype=int)
        self.names = [*(f.name for f in h.frictions), *(s.name for s in h.stops)]
        self.modes: list[int] = []  # as they are in d
        self._read_modes()
        self.given = {k: GivenFriction(accuracy, instant.t) for k, f in enumerate(h.frictions)
                      if is_given(equations, f.name)}
        self.freewheels = [k for k, f in enumerate(h.frictions) if f.one_way]
        self.impacts = Impacts(instant, log, self) if h.stops or self.freewheels else None
        self.slack = [0.0] * len(h.frictions)  # of sliding: speed backwards that still counts as rounding
        self.gap_slack = [0.0] * len(h.stops)  # of touching stops that something else holds
        self.no_sign = 0.0  # speeds v/e below this have no sign
        self.again = False  # whether speeds have changed since modes were decided
        self._patience = [1.0] * len(h.frictions)
        self._arrived: set[int] = set()  # friction whose speed just reached zero
        self._released: set[int] = set()  # friction whose limit was just reached
        self._rested: set[int] = set()  # friction that was at rest before this instant, stuck or held by something else
        rows = {row: (at, slope) for row, at, slope in alone(equations)}
        first_rows = [place(equations, f.name)[0] for f in h.frictions]
        self._alone = {k: rows[row] for k, row in enumerate(first_rows) if row in rows}
        self._beside = sharing(equations)
        self._instant = -np.inf
        self._first = True

    @cached_property
    def jumps(self) -> Jumps:
        return Jumps(self.now)

    # --- what crossed ---

    def crossed(self, witnesses: Iterable[Witness]) -> Trouble | None:
        """Note which friction came to rest or reached its limit; open stops that are pulled, strike those reached."""
        self._new_instant()
        hit: set[int] = set()
        for w in witnesses:
            if w.what == "slide":
                if self.modes[w.number]:
                    self._arrived.add(w.number)
            elif w.what in ("hold+", "hold-"):
                self._released.add(w.number)
                self._put(w.number, 1 if w.what == "hold+" else -1)
                self.log.note(self.now.t, self.names[w.number], self.modes[w.number])
            elif w.what == "pull":
                self._put(len(self.stuck) + w.number, 0)
                if self.impacts is not None:
                    self.impacts.lift([w.number])
                self.log.note(self.now.t, self.names[len(self.stuck) + w.number], 1)
            elif w.what == "gap":
                hit.add(w.number)
        if not hit:
            return None
        self.now.step_back()
        return self._hit(sorted(hit))

    def _new_instant(self) -> None:
        if self._instant != self.now.t:
            self._arrived, self._released, self._instant = set(), set(), self.now.t
            if self.impacts is not None:
                self.impacts.swing = 0.0

    # --- agreement ---

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Bring friction and stops to agree with the state; names what changed, or says why that is impossible."""
        now = self.now
        self._new_instant()
        x, d, modes = now.x.tobytes(), now.d.tobytes(), self.modes.copy()
        trouble = self._starts_beyond() if self._first else None
        if trouble is not None:
            return [], trouble
        self._note_slack()
        trouble = self._approaching() if self.impacts is not None else None
        if trouble is not None:
            return [], trouble
        resting, trouble = self._may_stick()
        if trouble is not None:
            return [], trouble
        elements = resting + self._may_hold()
        if elements and not (self._search(elements) or self._try_all(elements)):
            those = ", ".join(self.names[e] for e in elements)
            return [], Trouble(
                f"at t = {now.t:.9g} s no mode of {those} is consistent: neither sticking nor sliding "
                "either way agrees with the forces it causes (Painlevé's paradox). Likely: friction "
                "in proportion to a reaction that it increases itself; reduce mu, or add compliance.")
        names: list[str] = []
        self.again = now.x.tobytes() != x
        if self._arrived or self.again or now.d.tobytes() != d:
            self._come_to_rest()
            names = self._report(modes)
            self._note_slack()
            self._arrived = set()
            self.again = self.again or not self._rested.issuperset(self.at_rest())
        self._first = False
        return names or (["the speeds"] if self.again else []), None

    def _come_to_rest(self) -> None:
        """Remove, by impulses, the small speeds that are left where friction sticks."""
        speed, modes = self.now.look().frictions.speed, self.modes
        left = [k for k, slack in enumerate(self.slack)
                if modes[k] == 0 and k not in self.given and abs(speed[k]) > tol.LEFT_OVER * slack]
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
                self.log.note(self.now.t, self.names[e], self.modes[e])
        for k in self._arrived:
            if self.modes[k] == before[k] != 0:
                # it goes on sliding: a speed that rounding moves about zero, while something else holds it, is no event
                self._patience[k] *= 10
        return [self.names[e] for e in changed]

    def _note_slack(self) -> None:
        """Find which speeds count as zero, by the forces at this instant."""
        situation = self.now.look()
        self.no_sign = tol.NO_SIGN * situation.forces if isfinite(situation.forces) else 0.0
        self.slack = [self.no_sign * ease * patience
                      for ease, patience in zip(situation.frictions.ease, self._patience, strict=True)]
        for k, given in self.given.items():
            self.slack[k] = given.slack(self.modes[k])

    def _read_modes(self) -> None:
        d = self.now.d.tolist()
        self.modes = [0 if d[stuck] else int(d[way]) for stuck, way in zip(self.stuck, self.direction, strict=True)] \
            + [int(d[closed]) for closed in self.closed]

    def _put(self, element: int, mode: int) -> None:
        """Set the mode of an element, here and in d."""
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

    def _starts_beyond(self) -> Trouble | None:
        """Trouble where the run starts beyond a stop."""
        situation = self.now.look()
        s = situation.stops
        for k, (stop, gap, size) in enumerate(zip(self.events.stops, s.gap, s.size, strict=True)):
            if gap < -tol.BEYOND * size - situation.no_gap(k):
                return Trouble(f"{stop.name}: the run starts {-gap:.3g} beyond the stop.")
        return None

    def at_rest(self) -> list[int]:
        """Friction whose speed counts as zero."""
        situation = self.now.look()
        f, modes, swing = situation.frictions, self.modes, self.swing(situation)
        return [k for k, (speed, ease, slack) in enumerate(zip(f.speed, f.ease, self.slack, strict=True))
                if (k in self._arrived
                    or abs(speed) <= (tol.SLOW if modes[k] else tol.SLOW_IF_HELD) * swing * ease + 10 * slack)
                and k not in self.given]

    def _approaching(self) -> Trouble | None:
        """Strike stops that are approached, and freewheels that turn backwards, although no witness has crossed.

        An impulse elsewhere at the same instant may have caused that.
        """
        situation = self.now.look()
        s, speed, swing = situation.stops, situation.frictions.speed, self.swing(situation)
        hit = [k for k in range(len(self.closed))
               if s.rate[k] < -self._slow(k, s, swing) and self.touches(k, situation, swing)]
        back = [k for k in self.freewheels if speed[k] < 0 and k not in self.given]
        if back:
            resting = self.at_rest()
            back = [k for k in back if k not in resting]
        return self._hit(hit, back) if hit or back else None

    def _hit(self, stops: Sequence[int], freewheels: Sequence[int] = ()) -> Trouble | None:
        trouble = None if self.impacts is None else self.impacts.hit(stops, freewheels)
        self._read_modes()
        return trouble

    def _may_stick(self) -> tuple[list[int], Trouble | None]:
        """Friction that may stick; the rest slides as it moves."""
        f = self.now.look().frictions
        trouble = None
        # friction on a given motion cannot stick
        resting = [k for k in self.at_rest() if f.ease[k]]
        for k, (speed, slack) in enumerate(zip(f.speed, self.slack, strict=True)):
            if k in resting:
                if k not in self._rested:
                    self._put(k, 0)
                continue
            if k in self.given:
                mode = self.given[k].mode(self.now.t, self.modes[k], speed, f.acceleration[k], k in self._arrived)
                if mode < 0 and k in self.freewheels:
                    trouble = Trouble(f"at t = {self.now.t:.9g} s prescribed motions turn the freewheel "
                                      f"{self.names[k]} backwards; leave one of its shafts free.")
            else:
                way = speed if abs(speed) > slack else f.acceleration[k]
                mode = 1 if way > 0 else -1 if way < 0 else int(self.now.d[self.direction[k]])
            if mode != self.modes[k] or mode == 0:
                self._put(k, mode)
        self._rested = set(resting)
        return resting, trouble

    def _may_hold(self) -> list[int]:
        """Stops that may hold; the others are open."""
        touching: list[int] = []
        if not self.closed:
            return touching
        situation, first = self.now.look(), len(self.stuck)
        s, swing = situation.stops, self.swing(situation)
        for k in range(len(self.closed)):
            rests = s.ease[k] and self.touches(k, situation, swing) and abs(s.rate[k]) <= self._slow(k, s, swing)
            self.gap_slack[k] = tol.STOP_SINKS * s.size[k] + situation.no_gap(k) if rests else 0.0
            if rests:
                touching.append(first + k)
            elif self.modes[first + k]:
                self._put(first + k, 0)
        return touching

    def touches(self, k: int, situation: Situation, swing: float) -> bool:
        """Whether a stop is closed or as good as closed, at speeds of the scale `swing`."""
        return bool(self.modes[len(self.stuck) + k]) or near(k, situation, swing)

    def swing(self, situation: Situation) -> float:
        """The scale of speeds at this instant: the larger one of before and after its impacts."""
        return situation.swing if self.impacts is None else max(situation.swing, self.impacts.swing)

    def _slow(self, k: int, s: Stops, swing: float) -> float:
        """The rate of the gap below which a stop is neither left nor approached."""
        share = tol.SLOW_IF_HELD if self.modes[len(self.stuck) + k] else tol.SLOW
        return (share * swing + self.no_sign) * s.ease[k] + 0.5 * tol.SHORTEST_FLIGHT * abs(s.acceleration[k])

    def left(self, gaps_before: Sequence[float]) -> Trouble | None:
        """Open the stops whose gap an action has widened; trouble where it puts something beyond a stop."""
        s = self.now.look().stops
        for k, (gap, before, size) in enumerate(zip(s.gap, gaps_before, s.size, strict=True)):
            if gap - before > tol.TOUCHES * size:
                self._put(len(self.stuck) + k, 0)
            elif gap < -tol.BEYOND * size:
                return Trouble(f"at t = {self.now.t:.9g} s an action puts the motion {-gap:.3g} beyond the stop "
                               f"{self.events.stops[k].name}; set a value between the stops.")
        return None

    # --- complementarity ---

    def _search(self, elements: list[int]) -> bool:
        return search_modes(lambda: self._wrong(elements), self._put, self.now.d.tobytes,
                            tol.SEARCH * (1 + len(elements)))

    def _wrong(self, elements: list[int], rounding: float = tol.WRONG) -> list[Wrong]:
        """The elements whose mode does not agree with the forces."""
        situation, modes, first, out = self.now.look(), self.modes, len(self.stuck), []
        f, s, scale = situation.frictions, situation.stops, situation.forces
        if not isfinite(scale):
            # the accelerations are not finite: any other mode is better
            return [Wrong(inf, k, {0: 1, 1: -1, -1: 0}[modes[k]]) for k in elements if k < first]
        small = rounding * scale
        for e in elements:
            k = e
            if k >= first:
                k -= first
                excess, better = (s.ease[k] * s.push[k], 0) if modes[e] else (-s.acceleration[k] / s.ease[k], 1)
                if excess > small:
                    out.append(Wrong(excess, e, better))
                continue
            mode, push, limit, back = modes[k], f.push[k], f.limit[k], inf if k in self.freewheels else f.back[k]
            holds = limit > 0 or back > 0
            if mode == 0 and k in self._beside and not self.now.d[self.stuck[k]]:
                continue
            if mode == 0:
                excess = f.ease[k] * max(push - limit, -push - back)
                # it is at its limit, and would give way again at once
                if excess > (-tol.WRONG_AT_MOST * scale if k in self._released else small) or not holds:
                    out.append(Wrong(max(excess, small), k, -1 if push < 0 else 1))
            elif (excess := -mode * f.acceleration[k] / f.ease[k]) > small:
                # stuck only where it may stick
                out.append(Wrong(excess, k, 0 if holds else -mode))
        return out

    def _try_all(self, elements: list[int]) -> bool:
        """Any combination that agrees; else one in which only small errors, or a stop without load, are left."""
        if len(elements) > tol.ALL_COMBINATIONS:
            return False
        choices = [(0, 1, -1) if e < len(self.stuck) else (1, 0) for e in elements]
        y = self.now.y.copy()
        for rounding, modes in itertools.product((tol.WRONG, tol.WRONG_AT_MOST), itertools.product(*choices)):
            for element, mode in zip(elements, modes, strict=True):
                self._put(element, mode)
            # where friction causes the reaction it is in proportion to, there may be more than one solution
            for guess in (y, self.now.system.layout.start_y) if len(y) else (y,):
                self.now.y[:] = guess
                wrong = self._wrong(elements, rounding)
                if not wrong or (rounding == tol.WRONG_AT_MOST and all(w.element >= len(self.stuck) for w in wrong)):
                    return True
        self.now.y[:] = y
        return False
