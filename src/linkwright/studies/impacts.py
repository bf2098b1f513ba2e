"""Impacts: jumps of the speeds that all constraints allow.

    M Δu + Gᵀ Λ = 0,   permanent constraints keep G u = 0

Poisson's law has two phases (Simbody Theory Manual §8.6; Glocker 2001): compression, 0 ≤ v⁺ ⊥ −Λ ≥ 0, until nothing
approaches any more; expansion, in which every contact gives back the share `restitution` of its impulse, and further
impulse where something would approach again.  Contacts are stops that touch, and freewheels, which give nothing back.

Dry friction of a given size has no impulse, ∫ τ dt over no time: what it held may be torn loose.
"""

from __future__ import annotations

import numpy as np

from ..system.happenings import place
from .present import Jumps

NEAR = 1e-10  # of its size, or in seconds at the speeds of the motion: a gap below this touches
REST = 1e-7  # seconds: flights shorter than this have come to rest
CLEAR = 4e-16  # of its size: where a gap is put that came out below zero
ROUNDING = 1e-11  # of the speeds before
PATIENCE = 40  # changes of mode for each contact, before what is there is taken


class Impacts:
    """Hits on the stops of a run, and on its freewheels."""

    def __init__(self, run, contacts):
        self.run, self.now, self.contacts = run, run.present, contacts
        self.jumps = Jumps(run.present)
        e, h = run.system.equations, run.happenings
        # the rows of stops and frictions among all rows, and among those with a mode
        switched = [r.name for r in e.rows if r.mode is not None for _ in range(r.G.shape[0])]
        self.row = {item.name: place(e, item.name)[0] for item in (*h.stops, *h.frictions)}
        self.direction = {name: k for k, name in enumerate(switched)}
        self.swing = 0.0  # scale of the speeds before the last impact

    def hit(self, which: list[int], freewheels: list[int] = ()) -> None:
        """Stops and freewheels that were reached: jump, then come to rest or fly on."""
        now, contacts, h = self.now, self.contacts, self.run.happenings
        self.swing = now.swing()
        stops, frictions = now.stops(), now.frictions()
        together = sorted({*which, *(k for k, s in enumerate(stops) if self.touches(k, s))})
        locked = [k for k in contacts.freewheels if k in freewheels or contacts.at_rest(k, frictions[k])]
        touched = [(h.stops[k].name, contacts.closed[k], stops[k].restitution, stops[k].ease) for k in together]
        touched += [(h.frictions[k].name, contacts.stuck[k], 0.0, frictions[k].ease) for k in locked]
        # what was held before is out of force while the impact lasts
        held = {k for k in together if now.d[contacts.closed[k]]}
        stuck = now.d[contacts.stuck].copy()
        now.d[contacts.stuck], now.d[contacts.closed] = 0, 0
        compression = self._stop_approach(touched)
        if any(share * push for (_, _, share, _), push in zip(touched, compression, strict=True)):
            expansion = sum(-share * push * self.jumps.directions[self.direction[name]]
                            for (name, _, share, _), push in zip(touched, compression, strict=True))
            now.u += self.jumps.solve(expansion)
            self._stop_approach(touched)
        now.d[contacts.stuck], now.d[contacts.closed] = stuck, 0
        for k in which:
            self.run.log(h.stops[k].name, -1)
        for k in freewheels:
            self.run.log(h.frictions[k].name, 0)
        self._come_to_rest(together, held)
        self.lift(together)

    def touches(self, k: int, stop) -> bool:
        """Whether a stop is closed or as good as closed."""
        near = NEAR * (stop.size + max(self.swing, self.now.swing()) * stop.ease)
        return self.now.d[self.contacts.closed[k]] > 0 or abs(stop.gap) <= near

    def _stop_approach(self, touched) -> list[float]:
        """Change the speeds so that no contact approaches; the impulses Λ ≤ 0.

        Rows are in force where they push, 0 ≤ v⁺ ⊥ −Λ ≥ 0: the worst row changes its mode until all agree, in a circle
        the first one (Murty 1974, who shows that this ends).
        """
        now, jumps, seen, circle = self.now, self.jumps, set(), False
        rows, places = [self.row[name] for name, *_ in touched], [at for _, at, *_ in touched]
        jumps.solve(bottom=0.0)
        now.d[places] = jumps.rates[rows] < 0
        for _ in range(PATIENCE * (1 + len(touched))):
            change = jumps.solve()
            after, push = (jumps.rates + jumps.moved)[rows].tolist(), jumps.push[rows].tolist()
            wrong = []
            for k, (_, at, _, ease) in enumerate(touched):
                excess = push[k] * ease if now.d[at] else -after[k] / ease
                if excess > ROUNDING * self.swing:
                    wrong.append((excess, -k))
            if not wrong:
                break
            k = -(max(wrong)[1]) if not circle else -wrong[0][1]
            now.d[places[k]] = 1 - now.d[places[k]]
            modes = now.d[places].tobytes()
            circle, _ = circle or modes in seen, seen.add(modes)
        if change.any():
            now.u += change
            now.u += jumps.solve()  # what the regularised factorisation left
        impulses = [p if now.d[at] else 0.0 for p, at in zip(push, places, strict=True)]
        now.d[places] = 0
        return impulses

    def _come_to_rest(self, together, held: set[int]) -> None:
        """Stops whose next flight would be too short to matter hold from now on; each may bring others to rest."""
        now, closed, resting = self.now, self.contacts.closed, []
        while True:
            stops = now.stops()
            more = [k for k in together if k not in resting and stops[k].acceleration < 0
                    and 2 * stops[k].rate < -REST * stops[k].acceleration and self.touches(k, stops[k])]
            if not more:
                break
            resting += more
            stuck = now.d[self.contacts.stuck].copy()
            now.d[self.contacts.stuck], now.d[[closed[k] for k in resting]] = 0, 1
            for _ in range(2):  # once more for what the regularised factorisation left
                now.u += self.jumps.solve()
            now.d[self.contacts.stuck] = stuck
        for k in sorted({*resting} - held):
            self.run.log(self.run.happenings.stops[k].name, 0)

    def lift(self, which) -> None:
        """Bring gaps that came out a rounding error below zero to the open side."""
        now, closed, clear = self.now, self.contacts.closed, CLEAR
        for _ in range(5):
            stops = now.stops()
            below = [k for k in which if stops[k].gap < 0 and not now.d[closed[k]]]
            if not below:
                return
            modes = now.d.copy()
            now.d[self.contacts.stuck], now.d[closed], now.d[[closed[k] for k in below]] = 0, 0, 1
            shift = np.zeros(len(self.jumps.gaps))
            for k in below:
                shift[self.row[self.run.happenings.stops[k].name]] = max(clear * stops[k].size, -stops[k].gap) \
                    - stops[k].gap
            step = self.jumps.solve(bottom=shift)
            now.q += self.run.system.advance(now.q, step)
            now.d[:] = modes
            clear *= 2
