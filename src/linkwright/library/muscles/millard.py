"""The muscle of Millard, Uchida, Seth, Delp (J. Biomech. Eng. 135 (2013) 021005), as OpenSim 4 has it.

    (a f_al(l_n) f_v(v_n) + f_pe(l_n) + β v_n) cos α = f_se(l_t/l_slack),      l̇_f = v_n v_max l_opt

v_n follows from it at every instant; with damping β > 0 there is one solution.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter
from ...language.ranges import POSITIVE
from .activation import first_order
from .bezier_curves import active_force_length, force_velocity, passive_force_length, tendon_force_length
from .muscle import Fibre, Muscle, held, least_length

#: parameters of the curves, by curve, in the order of its function
ACTIVE, VELOCITY, PASSIVE, TENDON = (0.4441, 0.73, 1.8123, 0.8616), (1.4, 0.25, 5.0, 0.15, 0.6, 0.9), (
    0.0, 0.7, 0.2, None, 0.75), (0.049, None, 2 / 3, 0.5)


class Millard2012(Muscle):
    """Millard's muscle; states a and l_fiber, or only a with tendon="rigid".

    The parameters of its curves are tuples: `active` (shortest, shoulder and longest normalised length, slope of the
    shallow part), `velocity` (largest force; slopes near the fastest shortening, at rest and near lengthening; two
    curvinesses), `passive` (strains at zero and at one, low and high slope, curviness), `tendon_curve` (strain at
    one, stiffness, end of the toe, curviness).  None marks an entry that follows from the others.
    """

    damping = parameter(0.1, "damping of the fibre β", only=POSITIVE)
    active = parameter(ACTIVE, "numbers of f_al", structural=True)
    velocity = parameter(VELOCITY, "numbers of f_v", structural=True)
    passive = parameter(PASSIVE, "numbers of f_pe", structural=True)
    tendon_curve = parameter(TENDON, "numbers of f_se", structural=True)

    def _check(self) -> None:
        super()._check()
        for name, default in (("active", ACTIVE), ("velocity", VELOCITY), ("passive", PASSIVE),
                              ("tendon_curve", TENDON)):
            if len(getattr(self, name)) != len(default):
                raise ModelError(f"{self.path}.{name} = {getattr(self, name)!r} needs {len(default)} numbers, such as "
                                 f"{default}.", self)

    def activation_rate(self, p: Any, a: ca.SX, e: ca.SX) -> ca.SX:
        return first_order(a, e, p.tau_activation, p.tau_deactivation, p.a_min)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, lf = plan.values(self), self.symbol("l"), self.symbol("l_fiber")
        a = ca.fmin(ca.fmax(self._activation(plan), p.a_min), 1)
        fal, fpe, fse = active_force_length(*self.active), passive_force_length(*self.passive), tendon_force_length(
            *self.tendon_curve)
        largest, shortening, isometric, lengthening, *curviness = self.velocity
        fv = force_velocity(largest, 0.0, shortening, isometric, 0.0, lengthening, *curviness)
        least = ca.fmax(self.active[0] * p.l_opt, least_length(p))
        if self.tendon == "rigid":
            return self._rigid(p, a, least, fal, fpe, fv)
        fibre = Fibre(p, lf, least)
        tendon = (l - fibre.along) / p.l_slack
        pull, own, passive = fse(tendon), a * fal(fibre.normal), fpe(fibre.normal)
        vn = self.symbol("v_n")
        # f_v bends upwards before 0 and downwards after it: from there Newton's steps never pass the solution
        plan.unknown(self, "v_n", vn, own * fv(vn) + passive + p.damping * vn - pull / fibre.cosine, [0.0],
                     guess=ca.SX(0))
        rate = held(lf, least, vn * p.v_max * p.l_opt)
        still = fse.inverse((own + passive) * fibre.cosine)
        self._fibre_state(plan, rate, tendon - still, least)
        stored = p.F_max * (p.l_slack * fse.integral(tendon) + p.l_opt * fpe.integral(fibre.normal))
        return {"f": p.F_max * pull, **self._rigid_forces(p, least, fal, fpe, fv),
                **self._told(p, a, fibre, pull, passive, rate, stored)}

    def _rigid_forces(self, p: Any, least: ca.SX, fal: Any, fpe: Any, fv: Any) -> dict[str, ca.SX]:
        fibre, vn = self._rigid_tendon(p, least)
        return {"f_rigid": p.F_max * fal(fibre.normal) * fv(vn) * fibre.cosine,
                "f_rigid_passive": p.F_max * fpe(fibre.normal) * fibre.cosine, "l_fiber_rigid": fibre.length}

    def _rigid(self, p: Any, a: ca.SX, least: ca.SX, fal: Any, fpe: Any, fv: Any) -> dict[str, ca.SX]:
        """With a tendon that does not stretch the fibre follows from the way; the tension is never negative."""
        fibre, vn = self._rigid_tendon(p, least)
        rate = vn * p.v_max * p.l_opt
        passive = fpe(fibre.normal)
        pull = ca.fmax((a * fal(fibre.normal) * fv(vn) + passive + p.damping * vn) * fibre.cosine, 0)
        stored = p.F_max * p.l_opt * fpe.integral(fibre.normal)
        return {"f": p.F_max * pull, "l_fiber": fibre.length, **self._rigid_forces(p, least, fal, fpe, fv),
                **self._told(p, a, fibre, pull, passive, rate, stored)}
