"""Rigid contact: bodies that do not overlap, stick, slide and bounce."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from ...algebra import axis_frame, is_symbolic
from ...errors import ModelError
from ...language.records import record
from .compliant import check_numbers

IMPACTS = ("poisson", "newton")


@record
class Rigid(NamedTuple):
    """Bodies that cannot overlap, with Coulomb's exact cone of friction.

    `restitution` is what an impact gives back (of the impulse by Poisson's law, of the speed by Newton's), nothing
    below the speed `capture` (m/s); `mu` rubs in motion, `mu_s` holds at rest (default: mu).
    """

    restitution: float = 0.0
    mu: float = 0.0
    mu_s: float | None = None
    impact: str = "poisson"
    capture: float = 0.0

    def check(self, owner) -> None:
        """Refuse what makes no sense."""
        check_numbers(self, owner)
        if self.impact not in IMPACTS:
            raise ModelError(f"{owner.path}.law: impact = {self.impact!r} must be one of {', '.join(IMPACTS)}.", owner)

    @property
    def rubs(self) -> bool:
        """Whether there is friction at all."""
        return any(isinstance(x, ca.SX) or bool(x) for x in (self.mu, self.mu_s))


def describe_rigid(plan, pair, k: int, count: int, law: Rigid, point) -> None:
    """Tell a point of contact to the plan, and put its forces on b into `point`.

    The rows hold what presses and sticks, λ being minus the force on b; where it slides the normal row leans:

        f_t = −μ f_n e,    e = v_t/|v_t|,  or the direction that was held where v_t is too small to have one
    """
    n = ca.SX(point.touch.normal)
    across = tangents(point.touch.normal, flat=pair.flat) if law.rubs else []
    slip = ca.vertcat(ca.SX(0, 1), *[ca.dot(t, point.velocity) for t in across])
    corner = ca.SX(point.touch.point_b)
    fixed = bool(across) and pair.rides_on_b(plan, corner)
    place = ca.vertcat(*[ca.dot(t, corner) for t in across]) if fixed else None
    told = plan.contact(pair, k, count, point.touch.gap, slip, law, place)
    c = told.contact
    point.normal, point.rub, point.loss = c.share[0] - told.push, ca.SX.zeros(3), ca.SX(0)
    if across:
        rubbing, hold = c.rubbing * point.normal, c.share[1:3] - told.hold
        point.loss = ca.dot(rubbing, slip)
        along = c.stuck * hold - rubbing
        point.rub = along[0] * across[0] + along[1] * across[1]
    point.energy = ca.SX(0)
    point.force = point.normal * n + point.rub


def tangents(n, flat: bool) -> tuple[ca.SX, ca.SX]:
    """Two unit vectors across n and each other; in a plane the second is its normal, along which nothing moves."""
    if flat:
        return ca.vertcat(n[1], -n[0], 0), ca.SX([0, 0, 1])
    if not is_symbolic(n) or ca.SX(n).is_constant():
        axes = axis_frame(np.array(ca.DM(ca.SX(n))).ravel())
        return ca.SX(axes[:, 0]), ca.SX(axes[:, 1])
    # Duff et al. 2017, which turns over where n_z changes sign; rows that turn hold the same
    s = ca.if_else((n[2] >= 0) != 0, 1.0, -1.0)
    a = -1 / (s + n[2])
    b = n[0] * n[1] * a
    return (ca.vertcat(1 + s * n[0] * n[0] * a, s * b, -s * n[0]), ca.vertcat(b, s + n[1] * n[1] * a, -n[1]))
