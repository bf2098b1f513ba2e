"""The muscle of Thelen (J. Biomech. Eng. 125 (2003) 70), as OpenSim 4 has it.

    f_al = exp(−(l_n − 1)²/k_A),   f_pe = (e^{k_P (l_n − 1)/ε_M} − 1)/(e^{k_P} − 1) for l_n > 1
    f_se(x): exponential up to ε_toe, then straight;  x = l_t/l_slack − 1
    l̇_f = v_max l_opt v_n(a, f_al, f_se/cos α − f_pe), eq. 6, 7, with straight lines beyond 0 and 0.95 of the largest
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter
from ...language.ranges import POSITIVE
from .activation import first_order
from .muscle import Fibre, Muscle, held, least_length

E3 = float(np.exp(3.0))


class Thelen2003(Muscle):
    """Thelen's muscle; states a and l_fiber.

    >>> m.tri = muscles.Thelen2003([(m.world.frame_b, [0, 0, 0]), (m.arm.frame_a, [0.1, 0, 0])], F_max=800, l_opt=0.13,
    ...                            l_slack=0.14)
    """

    tau_activation = parameter(0.015, "time constant of rising activation", "s", only=POSITIVE)
    tau_deactivation = parameter(0.05, "time constant of falling activation", "s", only=POSITIVE)
    strain_tendon = parameter(0.04, "strain of the tendon at F_max", only=POSITIVE)
    strain_fiber = parameter(0.6, "strain of the passive fibre at F_max", only=POSITIVE)
    k_active = parameter(0.45, "width of the active curve", only=POSITIVE)
    k_passive = parameter(5.0, "shape of the passive curve", only=POSITIVE)
    A_f = parameter(0.25, "shape of force over rate", only=POSITIVE)
    F_len = parameter(1.4, "largest force while it lengthens, of F_max", only=POSITIVE)
    threshold = parameter(0.95, "share of the largest force beyond which force over rate is straight", only=POSITIVE)

    def _check(self) -> None:
        super()._check()
        if self.tendon != "elastic":
            raise ModelError(f"{self.path}: the tendon of Thelen2003 is elastic; take muscles.RigidTendon, or "
                             "Millard2012 with tendon='rigid'.", self)

    def activation_rate(self, p: Any, a: ca.SX, e: ca.SX) -> ca.SX:
        return first_order(a, e, p.tau_activation, p.tau_deactivation, p.a_min)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, lf = plan.values(self), self.symbol("l"), self.symbol("l_fiber")
        a = ca.fmin(ca.fmax(self._activation(plan), p.a_min), 1)
        least = least_length(p)
        fibre = Fibre(p, lf, least)
        tendon = (l - fibre.along) / p.l_slack - 1
        fse, fal, fpe = tendon_force(p, tendon), active(p, fibre.normal), passive(p, fibre.normal)
        rate = p.v_max * p.l_opt * shortening(p, a, fal, fse / fibre.cosine - fpe)
        rate = held(lf, least, rate)
        self._fibre_state(plan, rate, tendon - inverse_tendon(p, (a * fal + fpe) * fibre.cosine), least)
        stored = p.F_max * (p.l_slack * tendon_energy(p, tendon) + p.l_opt * passive_energy(p, fibre.normal))
        stiff, vn = self._rigid_tendon(p, least)
        return {"f": p.F_max * fse,
                "f_rigid": p.F_max * over_rate(p, vn) * active(p, stiff.normal) * stiff.cosine,
                "f_rigid_passive": p.F_max * passive(p, stiff.normal) * stiff.cosine, "l_fiber_rigid": stiff.length,
                **self._told(p, a, fibre, fse, fpe, rate, stored)}


def toe(p: Any) -> tuple[Any, Any]:
    """(strain where the tendon's curve becomes straight, slope from there)."""
    e = 99 * p.strain_tendon * E3 / (166 * E3 - 67)
    return e, 0.67 / (p.strain_tendon - e)


def tendon_force(p: Any, x: ca.SX) -> ca.SX:
    """f_se.  Where the tendon becomes slack its slope jumps, by a twentieth of that of the straight part.  The error
    control follows that: an event would cost every step a search."""
    e, k = toe(p)
    curved = 0.33 / (E3 - 1) * (ca.exp(3 * ca.fmin(x, e) / e) - 1)
    return ca.if_else((x > 0) != 0, ca.if_else((x > e) != 0, k * (x - e) + 0.33, curved), 0)


def inverse_tendon(p: Any, f: ca.SX) -> ca.SX:
    """The strain at which f_se = f."""
    e, k = toe(p)
    return ca.if_else((f > 0.33) != 0, e + (f - 0.33) / k, e / 3 * ca.log(1 + ca.fmax(f, 0) * (E3 - 1) / 0.33))


def tendon_energy(p: Any, x: ca.SX) -> ca.SX:
    """∫ f_se dx."""
    e, k = toe(p)
    low, over = ca.fmin(ca.fmax(x, 0), e), ca.fmax(x - e, 0)
    return 0.33 / (E3 - 1) * (e / 3 * (ca.exp(3 * low / e) - 1) - low) + over * (0.33 + k * over / 2)


def active(p: Any, ln: ca.SX) -> ca.SX:
    """f_al."""
    return ca.exp(-((ln - 1) ** 2) / p.k_active)


def passive(p: Any, ln: ca.SX) -> ca.SX:
    """f_pe, whose slope is small where it begins at l_n = 1."""
    stretched = (ca.exp(p.k_passive * (ln - 1) / p.strain_fiber) - 1) / (ca.exp(p.k_passive) - 1)
    return ca.if_else((ln > 1) != 0, stretched, 0)


def passive_energy(p: Any, ln: ca.SX) -> ca.SX:
    """∫ f_pe dl_n."""
    over = ca.fmax(ln - 1, 0)
    return (p.strain_fiber / p.k_passive * (ca.exp(p.k_passive * over / p.strain_fiber) - 1) - over) / (
        ca.exp(p.k_passive) - 1)


def shortening(p: Any, a: ca.SX, fal: ca.SX, F: ca.SX) -> ca.SX:
    """v_n from the fibre's active force F.

    Its slope jumps where it changes sign, at F = a f_al; fibres come to rest there, so that this is no event.
    """
    A, k = a * fal, 0.25 + 0.75 * a
    c = (2 + 2 / p.A_f) / (p.F_len - 1)
    low = ca.fmax(F, 0)
    b = A + low / p.A_f
    slower = k * (low - A) / b + ca.fmin(F, 0) * (k / b - k * (low - A) / (p.A_f * b * b))
    end = p.threshold * A * p.F_len
    high = ca.fmin(F, end)
    b = c * (A * p.F_len - high)
    faster = k * (high - A) / b + ca.fmax(F - end, 0) * (k / b + k * (high - A) * c / (b * b))
    return ca.if_else((F > A) != 0, faster, slower)


def over_rate(p: Any, vn: ca.SX) -> ca.SX:
    """f_v at full activation: what `shortening` inverts, F/f_al over v_n with a = 1."""
    slower = (1 + vn) / (1 - ca.fmax(vn, -1) / p.A_f)
    c, end = (2 + 2 / p.A_f) / (p.F_len - 1), p.threshold * p.F_len
    b = c * (p.F_len - end)
    fastest = (end - 1) / b
    low = ca.fmin(ca.fmax(vn, 0), fastest)
    faster = (1 + c * p.F_len * low) / (1 + c * low) + ca.fmax(vn - fastest, 0) / (1 / b + (end - 1) * c / (b * b))
    return ca.if_else((vn > 0) != 0, faster, slower)
