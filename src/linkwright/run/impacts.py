"""Impacts: jumps of the speeds that all constraints allow.

    M Δu + Gᵀ Λ = J,   permanent constraints keep G u = 0

Poisson's law has two phases (Simbody Theory Manual §8.6; Glocker 2001): compression, 0 ≤ v⁺ ⊥ −Λ ≥ 0, until nothing
approaches any more; expansion, in which every contact gives back the share `restitution` of its impulse, and further
impulse where something would approach again.  Contacts are stops that touch, and freewheels, which give nothing back.

Friction obeys Coulomb's law for impulses too.  A friction torque of given size has no impulse, ∫ τ dt over no time; one
in proportion to a reaction bears up to its share of the reaction's impulse; one that `holds_impacts` bears any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..system import proportional
from ..system.event_programs import place
from . import tolerances as tol
from .contact_modes import ContactModes
from .course import NotSmooth, Struck
from .event_log import EventLog
from .instant import Instant, Jumps, Situation
from .mode_search import Wrong, search_modes
from .trouble import Trouble

if TYPE_CHECKING:
    from .complementarity import Unilateral


@dataclass(slots=True)
class Row:
    """A row that takes part in an impact: where its mode lies in d, and its impulse Λ.

    Contacts are in force (1) or not (0); friction is stuck (0), or rubs against motion forwards (1) or backwards (−1).
    """

    name: str
    place: int
    ease: float
    restitution: float = 0.0
    friction: int | None = None  # its number among those in proportion to forces; −1 where it bears any impulse
    direction: int = 0  # where the direction of friction lies in d
    mode: int = 0
    push: float = 0.0


def near(k: int, situation: Situation, swing: float) -> bool:
    """Whether the gap of a stop is as good as closed, at speeds of the scale `swing`."""
    stops = situation.stops
    return abs(stops.gap[k]) <= tol.TOUCHES * (stops.size[k] + swing * stops.ease[k]) + situation.no_gap(k)


def _stays(rate: float, back: float, size: float) -> bool:
    """Whether the flight that begins with `rate` is too short or too low to matter; the acceleration `back` ends it."""
    return 2 * rate < tol.SHORTEST_FLIGHT * back or 0 < rate * rate < 2 * back * tol.LOWEST_FLIGHT * size


class Impacts:
    """Hits on the stops of a run, and on its freewheels."""

    def __init__(self, instant: Instant, log: EventLog, unilateral: Unilateral):
        self.now, self.log, self.unilateral = instant, log, unilateral
        e = instant.system.equations
        self.events = h = instant.system.mechanism.events
        # the rows of stops and frictions among all rows, and among those with a mode
        switched = [r.name for r in e.rows if r.mode is not None for _ in range(r.G.shape[0])]
        self.row = {name: place(e, name)[0] for name in unilateral.names}
        self.direction = {name: k for k, name in enumerate(switched)}
        self.rubbing = {k: number for number, k in enumerate(proportional(e))}
        self.permanent = any(r.mode is None for r in e.rows) or bool(h.locks)
        self.swing = 0.0  # scale of the speeds before the last impact
        # contacts between bodies are out of force during the impact; `rigid_contact` decides on them afterwards
        self.contacts = ContactModes(instant, log) if h.contacts else None

    @property
    def jumps(self) -> Jumps:
        return self.unilateral.jumps

    def hit(self, which: Sequence[int], freewheels: Sequence[int] = ()) -> Trouble | None:
        """An impact at stops and freewheels that were reached: speeds jump, then stops hold or open."""
        now, elements, h = self.now, self.unilateral, self.events
        situation = now.look()
        self.swing, stops, frictions = situation.swing, situation.stops, situation.frictions
        together = [k for k in range(len(elements.closed)) if k in which or elements.touches(k, situation, self.swing)]
        driven = [h.stops[k].name for k in which if not stops.ease[k]]
        if driven:
            return Trouble(f"at t = {now.t:.9g} s a prescribed motion runs into {', '.join(driven)}, which it "
                           "cannot pass; keep what is prescribed between the stops.")
        rows = [Row(h.stops[k].name, elements.closed[k], stops.ease[k], stops.restitution[k],
                    mode=int(stops.rate[k] < 0)) for k in together]
        resting = elements.at_rest()
        rows += [Row(h.frictions[k].name, elements.stuck[k], frictions.ease[k], mode=int(frictions.speed[k] < 0))
                 for k in elements.freewheels if k in freewheels or k in resting]
        rows += [Row(f.name, elements.stuck[k], frictions.ease[k], 0.0, -1 if f.holds_impacts else self.rubbing[k],
                     elements.direction[k])
                 for k, f in enumerate(h.frictions)
                 if frictions.ease[k] and k in (resting if f.holds_impacts else self.rubbing)]
        # stuck friction and closed stops are out of force while the impact lasts
        modes, held = now.d.copy(), {k for k in together if now.d[elements.closed[k]]}
        now.d[elements.holding] = 0
        if self.contacts is not None:
            self.contacts.open_all()
        trouble = self._strike(rows, 0.0)
        elastic = [row for row in rows if row.restitution * row.push]
        numbers = {h.stops[k].name: k for k in together}
        if elastic and trouble is None:
            expansion = -sum(row.restitution * row.push * self.jumps.directions[self.direction[row.name]]
                             for row in elastic)
            for row in rows:
                row.mode = 0
            trouble = self._strike(rows, expansion, {self.row[row.name]: numbers[row.name] for row in elastic})
        now.d[:] = modes
        now.d[elements.closed] = 0
        if self.contacts is not None:
            self.contacts.open_moving(self.swing)
        for k in which:
            self.log.note(now.t, h.stops[k].name, -1)
        for k in freewheels:
            self.log.note(now.t, h.frictions[k].name, 0)
        if trouble is None:
            self._come_to_rest(together, held)
            self.lift(together)
        return trouble

    # --- one phase ---

    def _strike(self, rows: list[Row], impulse: np.ndarray | float, back: dict[int, int] | None = None
                ) -> Trouble | None:
        """Change the speeds by an impulse, and by those of the rows, so that no contact approaches.

        Contacts are in force where they push, 0 ≤ v⁺ ⊥ −Λ ≥ 0; friction by Coulomb's law (see `mode_search`).  `back`
        maps rows that return a share of their impulse of the phase before, given as `impulse`, to the number of their
        stop.
        """
        now, jumps = self.now, self.jumps
        at = [self.row[row.name] for row in rows]
        change, trouble = np.zeros(0), None

        def wrong() -> list[Wrong]:
            nonlocal change, trouble
            change, trouble = self._with_friction(rows, impulse)
            return self._wrong(rows, at) if trouble is None else []

        search_modes(wrong, lambda k, mode: setattr(rows[k], "mode", mode), lambda: tuple(row.mode for row in rows),
                     tol.IMPACT_SEARCH * (1 + len(rows)))
        rubs = [row.name for row in rows if row.friction is not None and row.mode]
        now.course.append(NotSmooth(f"{', '.join(rubs)} rubs in an impact") if rubs else
                          Struck(now.inputs.copy(), back=back or {}))
        now.u += change
        if self.permanent or len(rows) > 1:
            now.u += jumps.solve()  # the error that the regularised factorisation leaves
        for row in rows:
            now.d[row.place] = 0
        return trouble

    def _with_friction(self, rows: list[Row], impulse: np.ndarray | float) -> tuple[np.ndarray, Trouble | None]:
        """Δu with the present modes."""
        now, jumps = self.now, self.jumps
        for row in rows:
            now.d[row.place] = (row.mode == 0) if row.friction is not None else row.mode
        sliding = [row for row in rows if row.friction is not None and row.mode]
        change, trouble = self._rub(sliding, impulse) if sliding else (jumps.solve(impulse), None)
        for row in rows:
            row.push = float(jumps.push[self.row[row.name]]) if now.d[row.place] else 0.0
        return change, trouble

    def _rub(self, sliding: list[Row], impulse: np.ndarray | float) -> tuple[np.ndarray, Trouble | None]:
        """Δu with sliding friction, whose impulse is in proportion to reactions that depend on it."""
        now, jumps = self.now, self.jumps
        for row in sliding:
            now.d[row.direction] = row.mode
        ease, strength, last = np.array([row.ease for row in sliding]), np.zeros(len(sliding)), np.inf
        for _ in range(tol.FRICTION_ITERATIONS):
            against = sum(row.mode * s * jumps.directions[self.direction[row.name]]
                          for row, s in zip(sliding, strength, strict=True))
            change = jumps.solve(impulse - against)
            before, strength = strength, np.array([jumps.rubbing[row.friction, 2] for row in sliding])
            moved = np.max(ease * np.abs(strength - before)) / max(self.swing, np.max(ease * strength))
            if moved <= tol.FOUND or last / 2 < moved <= tol.FOUND_ROUGHLY:
                return change, None
            last = moved
        return change, Trouble(
            f"at t = {now.t:.9g} s the impulses of {', '.join(row.name for row in sliding)} grow "
            "without end: friction increases the reaction that it is in proportion to. Reduce mu, or "
            "let the stop be elastic (stop=lw.CompliantStop).")

    def _wrong(self, rows: list[Row], at: list[int]) -> list[Wrong]:
        """The rows whose mode does not agree with the impulses."""
        jumps, out = self.jumps, []
        after = [float(jumps.rates[i] + jumps.moved[i]) for i in at]
        for k, row in enumerate(rows):
            if row.friction is None:
                excess, better = (row.push * row.ease, 0) if row.mode else (-after[k] / row.ease, 1)
            elif row.mode:
                excess, better = -row.mode * after[k] / row.ease, 0
            elif row.friction < 0:
                continue
            else:
                limit, back, _ = jumps.rubbing[row.friction]
                excess, better = row.ease * max(row.push - limit, -row.push - back), 1 if row.push > 0 else -1
            if excess > tol.WRONG_IMPULSE * self.swing:
                out.append(Wrong(excess, k, better))
        return out

    # --- afterwards ---

    def _come_to_rest(self, together: list[int], held: set[int]) -> None:
        """Stops whose next flight would be too short to matter hold from now on; each may bring others to rest."""
        now, closed, resting = self.now, self.unilateral.closed, []
        while True:
            situation = now.look()
            stops, small = situation.stops, tol.WRONG_IMPULSE * situation.forces
            more = [k for k in together if k not in resting and stops.acceleration[k] < -small * stops.ease[k]
                    and _stays(stops.rate[k], -stops.acceleration[k], stops.size[k]) and near(k, situation, self.swing)]
            if not more:
                break
            resting += more
            stuck = now.d[self.unilateral.stuck].copy()
            now.d[self.unilateral.stuck], now.d[[closed[k] for k in resting]] = 0, 1
            now.course.append(Struck(now.inputs.copy()))
            self.jumps.rest()
            now.d[self.unilateral.stuck] = stuck
        for k in sorted({*resting} - held):
            self.log.note(now.t, self.events.stops[k].name, 0)

    def lift(self, which: Sequence[int]) -> None:
        """Move gaps that rounding left below zero to the open side."""
        now, closed, clear = self.now, self.unilateral.closed, tol.LIFT
        for _ in range(5):
            stops = now.look().stops
            below = [k for k in which if stops.gap[k] < 0 and not now.d[closed[k]]]
            if not below:
                return
            modes = now.d.copy()
            now.d[self.unilateral.holding], now.d[[closed[k] for k in below]] = 0, 1
            shift = np.zeros(len(self.jumps.gaps))
            for k in below:
                gap = stops.gap[k]
                shift[self.row[self.events.stops[k].name]] = max(clear * stops.size[k], -gap) - gap
            step = self.jumps.solve(bottom=shift)
            now.q += now.system.advance(now.q, step)
            now.d[:] = modes
            clear *= 2
