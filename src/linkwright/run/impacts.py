"""Impacts: jumps of the speeds that all constraints allow.

    M Δu + Gᵀ Λ = J,   permanent constraints keep G u = 0

Poisson's law has two phases (Simbody Theory Manual §8.6; Glocker 2001): compression, 0 ≤ v⁺ ⊥ −Λ ≥ 0, until nothing
approaches any more; expansion, in which every contact gives back the share `restitution` of its impulse, and further
impulse where something would approach again.  Contacts are stops that touch, and freewheels, which give nothing back.

Friction obeys Coulomb's law for impulses too: of a given torque nothing is left, ∫ τ dt over no time; in proportion to
a reaction it bears up to its share of the reaction's impulse; what `holds_impacts` bears any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..system.event_programs import place
from ..system.jumps import proportional
from .instant import Jumps

NEAR = 1e-10  # of its size, or in seconds at the speeds of the motion: a gap below this touches
REST = 1e-7  # seconds: flights shorter than this have come to rest
CLEAR = 4e-16  # of its size: where a gap is put that came out below zero
ROUNDING = 1e-11  # of the speeds before
PATIENCE = 40  # changes of mode for each row, before what is there is taken
ITERATIONS = 200  # to find impulses of friction
FIXED, NOISE = 1e-12, 1e-5  # relative change at which they are found; where redundant loops share forces it may tremble


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


def near(k: int, stops, swing: float) -> bool:
    """Whether the gap of a stop is as good as closed, at speeds of the scale `swing`."""
    return abs(stops.gap[k]) <= NEAR * (stops.size[k] + swing * stops.ease[k])


class Impacts:
    """Hits on the stops of a run, and on its freewheels."""

    def __init__(self, run, contacts):
        self.run, self.now, self.contacts = run, run.instant, contacts
        e, h = run.system.equations, run.events
        # the rows of stops and frictions among all rows, and among those with a mode
        switched = [r.name for r in e.rows if r.mode is not None for _ in range(r.G.shape[0])]
        self.row = {item.name: place(e, item.name)[0] for item in (*h.stops, *h.frictions)}
        self.direction = {name: k for k, name in enumerate(switched)}
        self.rubbing = {k: number for number, k in enumerate(proportional(e))}
        self.permanent = any(r.mode is None for r in e.rows) or bool(h.locks)
        self.swing = 0.0  # scale of the speeds before the last impact

    @property
    def jumps(self) -> Jumps:
        return self.contacts.jumps

    def hit(self, which: list[int], freewheels: list[int] = ()) -> None:
        """Stops and freewheels that were reached: jump, then come to rest or fly on."""
        now, contacts, h = self.now, self.contacts, self.run.events
        situation = now.look()
        self.swing, stops, frictions = situation.swing, situation.stops, situation.frictions
        together = [k for k in range(len(contacts.closed)) if k in which or contacts.touches(k, stops, self.swing)]
        driven = [h.stops[k].name for k in which if not stops.ease[k]]
        if driven:
            self.run.trouble = (f"at t = {now.t:.9g} s a prescribed motion runs into {', '.join(driven)}, which it "
                                "cannot pass; keep what is prescribed between the stops.")
            return
        rows = [Row(h.stops[k].name, contacts.closed[k], stops.ease[k], stops.restitution[k],
                    mode=int(stops.rate[k] < 0)) for k in together]
        resting = contacts.at_rest()
        rows += [Row(h.frictions[k].name, contacts.stuck[k], frictions.ease[k], mode=int(frictions.speed[k] < 0))
                 for k in contacts.freewheels if k in freewheels or k in resting]
        rows += [Row(f.name, contacts.stuck[k], frictions.ease[k], 0.0, -1 if f.holds_impacts else self.rubbing[k],
                     contacts.direction[k])
                 for k, f in enumerate(h.frictions)
                 if frictions.ease[k] and k in (resting if f.holds_impacts else self.rubbing)]
        # what was held before is out of force while the impact lasts
        modes, held = now.d.copy(), {k for k in together if now.d[contacts.closed[k]]}
        now.d[contacts.holding] = 0
        self._strike(rows, 0.0)
        elastic = [row for row in rows if row.restitution * row.push]
        if elastic:
            expansion = -sum(row.restitution * row.push * self.jumps.directions[self.direction[row.name]]
                             for row in elastic)
            for row in rows:
                row.mode = 0
            self._strike(rows, expansion)
        now.d[:] = modes
        now.d[contacts.closed] = 0
        for k in which:
            self.run.log(h.stops[k].name, -1)
        for k in freewheels:
            self.run.log(h.frictions[k].name, 0)
        self._come_to_rest(together, held)
        self.lift(together)

    # --- one phase ---

    def _strike(self, rows: list[Row], impulse) -> None:
        """Change the speeds by an impulse, and by those of the rows, so that no contact approaches.

        Contacts are in force where they push, 0 ≤ v⁺ ⊥ −Λ ≥ 0; friction by Coulomb's law.  The worst row changes its
        mode until all agree, in a circle the first one (Murty 1974, who shows that this ends).
        """
        now, jumps, seen, circle = self.now, self.jumps, set(), False
        at = [self.row[row.name] for row in rows]
        for _ in range(PATIENCE * (1 + len(rows))):
            change = self._with_friction(rows, impulse)
            wrong = self._wrong(rows, at)
            if not wrong or self.run.trouble is not None:
                break
            _, k, mode = wrong[0] if circle else max(wrong)
            rows[k].mode = mode
            modes = tuple(row.mode for row in rows)
            circle = circle or modes in seen
            seen.add(modes)
        now.u += change
        if self.permanent or len(rows) > 1:
            now.u += jumps.solve()  # what the regularised factorisation left
        for row in rows:
            now.d[row.place] = 0

    def _with_friction(self, rows: list[Row], impulse) -> np.ndarray:
        """Δu with the present modes."""
        now, jumps = self.now, self.jumps
        for row in rows:
            now.d[row.place] = (row.mode == 0) if row.friction is not None else row.mode
        sliding = [row for row in rows if row.friction is not None and row.mode]
        change = self._rub(sliding, impulse) if sliding else jumps.solve(impulse)
        for row in rows:
            row.push = float(jumps.push[self.row[row.name]]) if now.d[row.place] else 0.0
        return change

    def _rub(self, sliding: list[Row], impulse) -> np.ndarray:
        """Δu with friction that rubs, in proportion to the reactions that it causes itself."""
        now, jumps = self.now, self.jumps
        for row in sliding:
            now.d[row.direction] = row.mode
        ease, strength, last = np.array([row.ease for row in sliding]), np.zeros(len(sliding)), np.inf
        for _ in range(ITERATIONS):
            against = sum(row.mode * s * jumps.directions[self.direction[row.name]]
                          for row, s in zip(sliding, strength, strict=True))
            change = jumps.solve(impulse - against)
            before, strength = strength, np.array([jumps.rubbing[row.friction, 2] for row in sliding])
            moved = np.max(ease * np.abs(strength - before)) / max(self.swing, np.max(ease * strength))
            if moved <= FIXED or last / 2 < moved <= NOISE:
                return change
            last = moved
        self.run.trouble = (f"at t = {now.t:.9g} s the impulses of {', '.join(row.name for row in sliding)} grow "
                            "without end: friction increases the reaction that it is in proportion to. Reduce mu, or "
                            "let the stop be elastic (stop=lw.CompliantStop).")
        return change

    def _wrong(self, rows: list[Row], at) -> list[tuple[float, int, int]]:
        """(how wrong, row, better mode) of rows whose mode does not agree with the impulses."""
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
            if excess > ROUNDING * self.swing:
                out.append((excess, k, better))
        return out

    # --- afterwards ---

    def _come_to_rest(self, together, held: set[int]) -> None:
        """Stops whose next flight would be too short to matter hold from now on; each may bring others to rest."""
        now, closed, resting = self.now, self.contacts.closed, []
        while True:
            situation = now.look()
            stops, small = situation.stops, ROUNDING * situation.forces
            more = [k for k in together if k not in resting and stops.acceleration[k] < -small * stops.ease[k]
                    and 2 * stops.rate[k] < -REST * stops.acceleration[k] and near(k, stops, self.swing)]
            if not more:
                break
            resting += more
            stuck = now.d[self.contacts.stuck].copy()
            now.d[self.contacts.stuck], now.d[[closed[k] for k in resting]] = 0, 1
            self.jumps.rest()
            now.d[self.contacts.stuck] = stuck
        for k in sorted({*resting} - held):
            self.run.log(self.run.events.stops[k].name, 0)

    def lift(self, which) -> None:
        """Bring gaps that came out a rounding error below zero to the open side."""
        now, closed, clear = self.now, self.contacts.closed, CLEAR
        for _ in range(5):
            stops = now.look().stops
            below = [k for k in which if stops.gap[k] < 0 and not now.d[closed[k]]]
            if not below:
                return
            modes = now.d.copy()
            now.d[self.contacts.holding], now.d[[closed[k] for k in below]] = 0, 1
            shift = np.zeros(len(self.jumps.gaps))
            for k in below:
                gap = stops.gap[k]
                shift[self.row[self.run.events.stops[k].name]] = max(clear * stops.size[k], -gap) - gap
            step = self.jumps.solve(bottom=shift)
            now.q += self.run.system.advance(now.q, step)
            now.d[:] = modes
            clear *= 2
