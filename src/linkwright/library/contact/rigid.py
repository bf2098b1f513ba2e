"""Rigid contact: bodies that do not overlap, stick, slide and bounce."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from ...algebra import Array, Scalar, axis_frame, is_symbolic
from ...language import Component, PartsList, record
from ..tolerances import NO_SLIP
from .friction import length
from .law_numbers import check_numbers

if TYPE_CHECKING:
    from .pair import Pair, Pressed


@record
class Rigid(NamedTuple):
    """Bodies that cannot overlap, with Coulomb's exact cone of friction.

    `restitution` is the ratio of impulses (Poisson) or speeds (Newton) in an impact; impacts slower than `capture`
    (m/s) do not rebound.  `mu` is the coefficient of sliding friction, `mu_s` that of static friction (default: mu).

    `rolling` and `spinning` (m) are the lever arms of the moments f_n·arm against rolling and against spin about the
    normal.  Both moments are smooth below the angular speed `creep` (rad/s), so a body that they have stopped creeps
    (except with time stepping).

    `patch` (m) is the radius of the contact area, over which slip and spin share the friction (Coulomb–Contensou, by
    Zhuravlev's formulas for Hertz's pressure).  Such a contact never sticks: without spin it creeps, at slips of about
    patch·creep.  It has no friction in impacts.
    """

    restitution: float = 0.0
    mu: float = 0.0
    mu_s: float | None = None
    impact: str = "poisson"
    capture: float = 0.0
    rolling: float = 0.0
    spinning: float = 0.0
    patch: float = 0.0
    creep: float = 0.01

    @property
    def switches(self) -> tuple[str, ...]:
        """Entries that make rows where they are not zero."""
        return "mu", "mu_s", "rolling", "spinning", "patch"

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        check_numbers(self, owner)

    @property
    def rubs(self) -> bool:
        """Whether there is friction by a cone, which may hold."""
        return _given(self.mu, self.mu_s) and not _given(self.patch)

    @property
    def drags(self) -> bool:
        """Whether there is friction that never holds."""
        return _given(self.rolling, self.spinning, self.patch)


def _given(*numbers: Scalar | None) -> bool:
    return any(isinstance(x, ca.SX) or bool(x) for x in numbers)


def describe_rigid(plan: PartsList, pair: Pair, k: int, count: int, law: Rigid, point: Pressed) -> None:
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
    dragged, axes, drags = drag(law, point, pair.flat) if law.drags else (None, None, None)
    told = plan.contact(pair, k, count, point.touch.gap, slip, law, place, dragged, drags)
    c = told.contact
    point.moment = ca.SX.zeros(3)
    point.normal, point.rub, point.loss = c.share[0] - told.push, ca.SX.zeros(3), ca.SX(0)
    if across:
        rubbing, hold = c.rubbing * point.normal, c.share[1:3] - told.hold
        point.loss = ca.dot(rubbing, slip)
        along = c.stuck * hold - rubbing
        point.rub = along[0] * across[0] + along[1] * across[1]
    if drags is not None:
        f = -drags * point.normal
        point.rub += axes[:, :2] @ f[:2]
        point.moment = axes[:, 2:] @ f[2:]
        point.loss -= ca.dot(f, dragged)
    point.energy = ca.SX(0)
    point.force = point.normal * n + point.rub


def drag(law: Rigid, point: Pressed, flat: bool) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Speeds (slip along two tangents, spin, rolling about the tangents), their axes (3, 5), friction over f_n.

    Without a patch slip is left to the cone.  With one, of radius a, at slip v and spin ω, friction is the sum of what
    rubs all over it under Hertz's pressure.  In the forms of Zhuravlev (J. Appl. Math. Mech. 62 (1998) 705), exact for
    little slip and for little spin,

        f_t/f_n = μ v/(|v| + 8/(3π) a |ω|),      m_n/f_n = μ a · 3π/16 · a ω/(a |ω| + 15π/16 |v|)
    """
    n, (first, second) = ca.SX(point.touch.normal), tangents(point.touch.normal, flat)
    axes = ca.horzcat(first, second, n, first, second)
    slip = ca.vertcat(ca.dot(first, point.velocity), ca.dot(second, point.velocity))
    turn = ca.vertcat(*[ca.dot(axis, point.turning) for axis in (n, first, second)])
    spin, roll = turn[0], turn[1:3]
    against_spin = law.spinning * spin / length(spin, law.creep)
    shares = [ca.SX.zeros(2), against_spin, law.rolling * roll / length(roll, law.creep)]
    if _given(law.patch):
        pace, whirl = length(slip, NO_SLIP), law.patch * length(spin, law.creep)
        shares[0] = law.mu * slip / (pace + 8 / (3 * np.pi) * whirl)
        shares[1] += law.mu * law.patch * (3 * np.pi / 16) * law.patch * spin / (whirl + 15 * np.pi / 16 * pace)
    return ca.vertcat(slip, turn), axes, ca.vertcat(*shares)


def tangents(n: Array, flat: bool) -> tuple[ca.SX, ca.SX]:
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
