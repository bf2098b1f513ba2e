"""Impacts of rigid bodies with friction: jumps of the speeds, by Poisson's law or Newton's.

    compression   Λ_C: 0 ≤ v_n ⊥ Λ_n ≥ 0, |Λ_t| ≤ μ Λ_n against the slip that is left        (`cone`)
    expansion     Poisson: the same with Λ_n ≥ e Λ_C,n;   Newton: v_n⁺ ≥ −e v_n⁻ in one phase instead

No gain of energy is known of Poisson's law; Newton's law with friction can gain some (Kane 1984).  Where the energy
would rise, the restitution is halved until it does not, and the result says so.

Closed stops take part as contacts without friction, since an impact may open them.  Dry friction in joints passes on no
impulse, except where it was declared with `holds_impacts`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..system.event_programs import place
from . import cone
from .contact_modes import ContactModes
from .course import NotSmooth, Struck
from .instant import Instant
from .tolerances import ENERGY_ROUNDING, NO_FORCE, RESTITUTION_HALVINGS, STILL
from .trouble import Trouble


class Collisions:
    """Impacts among the contacts of a run."""

    def __init__(self, contacts: ContactModes) -> None:
        self.modes, self.log, self.now = contacts, contacts.log, contacts.now
        self._aside = Aside(contacts.now)

    def strike(self, which: list[int]) -> Trouble | None:
        """One impact of all contacts that touch."""
        modes, now = self.modes, self.now
        situation = now.look()
        table, energy = situation.contacts, situation.swing**2 / 2
        driven = [modes.contacts[k].name for k in which if not table.ease[k] and table.rate[k] < 0]
        if driven:
            return Trouble(f"at t = {now.t:.9g} s prescribed motions run into each other at {', '.join(driven)}; leave "
                           "one of the bodies free.")
        kept, stops = now.d[modes.own].copy(), situation.stops
        modes.open_all()
        shut = self._aside.take()
        W, changes = modes.delassus(which, shut)
        v = np.array([x for k in which for x in (table.rate[k], table.slip_1[k], table.slip_2[k])]
                     + [x for k in shut for x in (stops.rate[k], 0.0, 0.0)])
        mu = np.array([table.mu_s[k] if abs(v[3 * i + 1]) + abs(v[3 * i + 2]) == 0 else table.mu[k]
                       for i, k in enumerate(which)] + [0.0] * len(shut))
        give = np.array([table.restitution[k] if -table.rate[k] > table.capture[k] else 0.0 for k in which]
                        + [stops.restitution[k] for k in shut])
        newton = np.array([modes.contacts[k].newton for k in which] + [False] * len(shut))
        u, impulses = now.u.copy(), np.zeros(len(v))
        for halving in range(RESTITUTION_HALVINGS):
            phases = impulses_of(W, v, mu, give * 0.5**halving, newton)
            if phases is None:
                self._aside.put_back()
                return Trouble(f"at t = {now.t:.9g} s no impulses of {modes.names(which)} agree with the cone of "
                               "friction. Likely: bodies wedged between others; reduce mu, or let one of the laws be "
                               "compliant.")
            impulses = sum(phases)
            now.u[:] = u + changes.T @ impulses
            now.u += modes.jumps.solve()  # the error that the regularised factorisation leaves in permanent constraints
            after = now.look().swing ** 2 / 2
            if after <= energy * (1 + ENERGY_ROUNDING) or not give.any():
                break
        else:
            halving = RESTITUTION_HALVINGS
        self._note_course(u, which, shut, phases, changes, mu, give, newton, halving)
        self._aside.put_back()
        now.d[modes.own] = kept
        if halving:
            self.log.messages.append(
                f"at t = {now.t:.6g} s an impact of {modes.names(which)} would have gained energy, as restitution "
                f"with friction can: {0.5**halving:g} of the restitution was given back")
        small = NO_FORCE * impulses[0::3].max()
        lost, hit = energy - after, [i for i in range(len(which)) if impulses[3 * i] > small and v[3 * i] < 0]
        for i in hit:
            k = which[i]
            self.log.note(now.t, modes.contacts[k].name, -1)
            modes.note(k, "hit", float(impulses[3 * i]), float(-v[3 * i]), float(lost) / len(hit))
        return None

    def _note_course(self, u: np.ndarray, which: Sequence[int], shut: Sequence[int], phases: list[np.ndarray],
                     changes: np.ndarray, mu: np.ndarray, give: np.ndarray, newton: np.ndarray, halving: int) -> None:
        """Note which rows were in force in which phase, for derivatives across the impact; contacts are open in d."""
        now, e, events = self.now, self.now.system.equations, self.now.system.mechanism.events
        before = now.inputs.copy()
        before[now.system.layout.places["u"]] = u
        small, first, stops = NO_FORCE * phases[0][0::3].max(), {}, len(events.stops)
        # (number among stops and contacts, normal, tangent, name)
        items = [(stops + k, c.normal, c.tangent, c.name) for k in which for c in (events.contacts[k],)]
        items += [(k, events.stops[k].name, None, events.stops[k].name) for k in shut]
        for phase, impulses in enumerate(phases):
            rows, back, thrown, sliding = [], {}, {}, []
            for i, (k, across, tangent, name) in enumerate(items):
                normal, along = place(e, across)[0], impulses[3 * i + 1 : 3 * i + 3]
                least = first.get(k, 0.0)
                if least:
                    back[normal] = k
                if impulses[3 * i] > least + small:
                    rows.append(normal)
                    if newton[i]:
                        thrown[normal] = k
                if impulses[3 * i] > small and mu[i] and tangent is not None:
                    if np.hypot(*along) >= (1 - NO_FORCE) * mu[i] * impulses[3 * i]:
                        sliding.append(name)
                    start, own = place(e, tangent)
                    rows += range(start, start + own.G.shape[0])
            if sliding or halving:
                what = f"{', '.join(sliding)} slides in an impact with friction" if sliding else \
                    "an impact would have gained energy, and part of its restitution was given back"
                now.course.append(NotSmooth(what))
                return
            now.course.append(Struck(before, tuple(rows), back, thrown))
            if len(phases) > 1 and phase == 0:
                first = {item[0]: 0.0 if newton[i] else give[i] * impulses[3 * i] for i, item in enumerate(items)}
                # speeds between the phases
                before = before.copy()
                before[now.system.layout.places["u"]] = u + changes.T @ impulses


class Aside:
    """Stops and friction in joints, taken out of force while bodies collide.

    As rows in force they would hold in both directions; a stop can only push, and friction only resist sliding.
    """

    def __init__(self, instant: Instant) -> None:
        self.now, events, places = instant, instant.system.mechanism.events, instant.places
        self.closed = np.array([places[s.held.name()] for s in events.stops], dtype=int)
        self.numbers = [k for k, f in enumerate(events.frictions) if not f.holds_impacts]
        rubbing = [events.frictions[k] for k in self.numbers]
        self.stuck, self.direction = (np.array([places[getattr(f, name).name()] for f in rubbing], dtype=int)
                                      for name in ("held", "direction"))
        self._kept = np.zeros(0), np.zeros(0)

    def take(self) -> list[int]:
        """Take all of them out of force; returns the stops that were closed."""
        d = self.now.d
        self._kept = d[self.closed].copy(), d[self.stuck].copy()
        d[self.closed], d[self.stuck] = 0, 0
        return [int(k) for k in np.flatnonzero(self._kept[0])]

    def put_back(self) -> None:
        """Put them back in force, except stops that open now and friction that slides now."""
        situation, d = self.now.look(), self.now.d
        for k, was in enumerate(self._kept[0]):
            opens = situation.stops.rate[k] > STILL * situation.swing * situation.stops.ease[k]
            d[self.closed[k]] = was and not opens
        for i, k in enumerate(self.numbers):
            speed = situation.frictions.rate[k]
            slides = abs(speed) > STILL * situation.swing * situation.frictions.ease[k]
            d[self.stuck[i]] = self._kept[1][i] and not slides
            if self._kept[1][i] and slides:
                d[self.direction[i]] = np.sign(speed)


def impulses_of(W: np.ndarray, v: np.ndarray, mu: np.ndarray, give: np.ndarray,
                newton: np.ndarray) -> list[np.ndarray] | None:
    """Impulses of compression, and of expansion where there is one; None where no impulses lie within the cones."""
    approach = v.copy()
    approach[0::3] += np.where(newton, give * np.minimum(v[0::3], 0.0), 0.0)
    first = cone.solve(W, approach, mu, scale=np.abs(v).max())
    least = np.where(newton, 0.0, give)
    if first is None or not (least * first[0::3]).any():
        return None if first is None else [first]
    second = cone.solve(W, approach + W @ first, mu, least * first[0::3], scale=np.abs(v).max())
    return None if second is None else [first, second]
