"""The angles of a wheel on the plane z = 0, continuous over a whole run, whose axis is y of its frame.

    R_WF = R_z(heading) R_x(lean) R_y(spin) = R_z(α) R_y(β) R_x(γ)

Heading, lean and spin are singular where the wheel lies flat, which no wheel does that rolls.  (α, β, γ), Modelica's
angles, are singular where x of the wheel is vertical: a wheel that leans comes near to that every half turn, and α and
γ then swing by half a turn while β goes back; upright, it goes right through, and β is the spin.

An attitude has these angles in any turn, and α, β, γ also as α + π, π − β, γ + π.  Which of them go on from those
before is told by states that are integrated beside the motion, without influence on it.
"""

from __future__ import annotations

import casadi as ca

from ...algebra import rotation_angles
from ...language import Component, Frame, PartsList
from ..tolerances import ANGLES_SHARE, RATES_FINITE, THROUGH

ANGLES, TRACK = (3, 2, 1), (3, 1, 2)  # axes of α, β, γ; of heading, lean, spin


def attitude(plan: PartsList, component: Component, frame: Frame) -> dict[str, ca.SX]:
    """Angles of a wheel with this frame, and their rates."""
    R, w = frame.R_WF, frame.w
    rates = _rates_of_track(R, w)
    track = plan.turning(component, "track", lambda near: rotation_angles(R, TRACK, near[0])[[0, 2]], lambda _: rates,
                         [("angles", 0), ("angles", 1)])
    angles = plan.turning(component, "angles", lambda near: rotation_angles(R, ANGLES, near[0]),
                          lambda followed: _rates(R, w, followed[0], THROUGH) + _drawn(R, w, followed),
                          [("angles", k) for k in range(3)], ANGLES_SHARE)
    ahead = ca.vertcat(ca.cos(track[0]), ca.sin(track[0]), 0)
    return {"heading": track[0], "lean": rotation_angles(R, TRACK, track[0])[1], "spin": track[1],
            "der_heading": rates[0], "der_lean": ca.dot(ahead, R @ w), "der_spin": rates[1],
            "angles": angles, "der_angles": _rates(R, w, angles[0], RATES_FINITE)}


def _rates_of_track(R: ca.SX, w: ca.SX) -> ca.SX:
    """Rates of heading and spin from those about the vertical and about the axis, which the lean lifts."""
    upwards, own, lift = ca.dot(R[2, :].T, w), w[1], R[2, 1]
    return ca.vertcat(upwards - lift * own, own - lift * upwards) / (1 - lift * lift)


def _rates(R: ca.SX, w: ca.SX, first: ca.SX, through: float) -> ca.SX:
    """Rates of α, β, γ; of the angles `first` is enough, since nothing else tells (α, β, γ) from (α + π, π − β, γ + π).

        x = R e_x = (cos α cos β, sin α cos β, −sin β),   α̇ = (x₀ ẋ₁ − x₁ ẋ₀)/(x₀² + x₁²)
        β̇ = ω·(−sin α, cos α, 0),   γ̇ = ω·x + sin β α̇
    """
    x, turned = R[:, 0], R @ w
    rate = R @ ca.vertcat(0, w[2], -w[1])
    alpha = (x[0] * rate[1] - x[1] * rate[0]) / (x[0] * x[0] + x[1] * x[1] + through**2)
    return ca.vertcat(alpha, ca.cos(first) * turned[1] - ca.sin(first) * turned[0], w[0] - x[2] * alpha)


def _drawn(R: ca.SX, w: ca.SX, followed: ca.SX) -> ca.SX:
    """What draws the angles that are integrated to those of the attitude, within a radian of spin: sines of what they
    are off, so that nothing switches."""
    s, c = (ca.sin(followed), ca.cos(followed))
    x = R[:, 0]
    cosine = x[0] * c[0] + x[1] * s[0]  # of β
    off = ca.vertcat((x[1] * c[0] - x[0] * s[0]) * cosine / (x[0] * x[0] + x[1] * x[1] + THROUGH**2),
                     -x[2] * c[1] - cosine * s[1],
                     (R[2, 1] * c[2] - R[2, 2] * s[2]) * cosine / (cosine * cosine + THROUGH**2))
    return ca.fabs(w[1]) * off
