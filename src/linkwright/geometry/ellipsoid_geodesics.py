"""Ellipsoids and the geodesics on them, with slopes that need no derivative of how they were found."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from ..algebra import cross
from .tolerances import GEODESIC_PANELS, GEODESIC_SUBSTEPS, NO_STRAIGHT_PART_SQUARED


class EllipsoidSurface:
    """½ (Σ x²/a² − 1) = 0, with A = diag 1/a² and g = A x.

    Along a geodesic Joachimsthal's (v·Av)(g·g) = C is constant, so that its curvature depends on the place alone, and
    so does Gauss's K, by which neighbouring geodesics part:

        x″ = −C A x/|g|⁴,       j″ = −K j,   K = det A/|g|⁴

    (Klingenberg, Riemannian Geometry, §3.5).  Both are followed by Störmer's steps, extrapolated; the slopes of the end
    are j₁ (from aside) and j₂ (turned), and need no derivative of the steps.
    """

    def __init__(self, radii: Any) -> None:
        self.radii = radii
        self.weights = [1 / (radii[k] * radii[k]) for k in range(3)]

    def value(self, x: ca.SX) -> ca.SX:
        return (sum(w * x[k] * x[k] for k, w in enumerate(self.weights)) - 1) / 2

    def slope(self, x: ca.SX) -> ca.SX:
        return ca.vertcat(*[w * x[k] for k, w in enumerate(self.weights)])

    def squeezed(self, x: ca.SX) -> ca.SX:
        """The same point where the surface is a ball of radius one."""
        return ca.vertcat(*[x[k] / self.radii[k] for k in range(3)])

    def stretched(self, x: ca.SX) -> ca.SX:
        return ca.vertcat(*[x[k] * self.radii[k] for k in range(3)])

    def nearest_on_line(self, P1: ca.SX, P2: ca.SX) -> ca.SX:
        """The squeezed point of the straight line that is nearest to the centre."""
        q1, q2 = self.squeezed(P1), self.squeezed(P2)
        u = q2 - q1
        s = ca.fmin(ca.fmax(-ca.dot(q1, u) / (ca.dot(u, u) + NO_STRAIGHT_PART_SQUARED), 0), 1)
        return q1 + s * u

    def follow(self, x: ca.SX, v: ca.SX, how_far: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(end, direction there, length) of the geodesic from x along v.

        On the way to a solution x is beside the surface and v not along it: the geodesic is that of the point and the
        direction on the surface, so that all slopes are known.
        """
        q = self.squeezed(x)
        x = x / ca.sqrt(ca.dot(q, q))
        g = self.slope(x)
        v = unit(v - ca.dot(v, g) / ca.dot(g, g) * g)
        start = ca.vertcat(x, v, how_far)
        if any(isinstance(a, ca.SX) for a in self.radii):
            ends = self.ends(start)  # sizes that may change are differentiated by
        else:
            ends = _geodesic(type(self), tuple(float(a) for a in self.radii))(start)
        return ends[0:3], ends[3:6], ends[6]

    def how_far(self, angle: float, length: float) -> float:
        """The fourth unknown of an arc of about this angle and length."""
        return length

    def ends(self, start: ca.SX) -> ca.SX:
        """(x, v, length, j₁, j₁′, j₂, j₂′) at the end, from (x, v, how far) on the surface."""
        x, v, length = start[0:3], start[3:6], start[6]
        g = self.slope(x)
        C = sum(w * v[k] * v[k] for k, w in enumerate(self.weights)) * ca.dot(g, g)
        scale = [C * w for w in self.weights]
        bent = self.weights[0] * self.weights[1] * self.weights[2]

        def pull(y: ca.SX) -> ca.SX:
            g = self.slope(y)
            square = ca.dot(g, g)
            w = -1 / (square * square)
            return ca.vertcat(*[w * scale[k] * y[k] for k in range(3)], w * bent * y[3], w * bent * y[4])

        y, rate = ca.vertcat(x, 1, 0), ca.vertcat(v, 0, 1)
        for _ in range(GEODESIC_PANELS):
            y, rate = _extrapolated(pull, y, rate, length / GEODESIC_PANELS)
        return ca.vertcat(y[0:3], rate[0:3], length, y[3], rate[3], y[4], rate[4])

    def lengthening(self, start: ca.SX, ends: ca.SX) -> ca.SX:
        """∂length/∂(x, v, how far)."""
        return ca.horzcat(ca.SX(1, 6), ca.SX(1))

    def slopes_of_fields(self, start: ca.SX) -> ca.SX:
        """∂(j₁, j₁′, j₂, j₂′ and what else is known at the end)/∂(x, v, how far)."""
        return ca.SX(ca.DM.nan(4, 7))  # nothing asks for them

    def slopes(self, start: ca.SX, ends: ca.SX) -> ca.SX:
        """∂(x, v, length at the end)/∂(x, v, how far): along the geodesic, aside by j₁, turned by j₂.

        With b across, α = t·δx, β = b·δx, γ = b·δv at the start:
        δx = (α + δL) t + (β j₁ + γ j₂) b,  δv = (β j₁′ + γ j₂′) b − n (v·Aδx)/|g|.
        """
        x, v = start[0:3], start[3:6]
        b = cross(v, unit(self.slope(x)))
        end, t, (j1, r1, j2, r2) = ends[0:3], ends[3:6], (ends[k] for k in range(7, 11))
        g = self.slope(end)
        size = ca.sqrt(ca.dot(g, g))
        n = g / size
        across = cross(t, n)
        aside, turned = ca.horzcat(b.T, ca.SX(1, 4)), ca.horzcat(ca.SX(1, 3), b.T, ca.SX(1, 1))
        longer = self.lengthening(start, ends)
        dx = t @ (ca.horzcat(v.T, ca.SX(1, 4)) + longer) + across @ (j1 * aside + j2 * turned)
        dv = across @ (r1 * aside + r2 * turned) - n @ (self.slope(t).T @ dx) / size
        return ca.vertcat(dx, dv, longer)


@cache
def _geodesic(kind: type[EllipsoidSurface], radii: tuple[float, ...]) -> ca.Function:
    """(x, v, how far) → ends of a geodesic, with its slopes as they are known."""
    surface, name = kind(radii), "_".join(a.hex().replace(".", "").replace("+", "") for a in radii)
    name = name.replace("-", "m")
    start = ca.SX.sym("start", 7)
    found = surface.ends(start)
    ends = ca.SX.sym("ends", found.numel())
    slopes = ca.vertcat(surface.slopes(start, ends), surface.slopes_of_fields(start))
    jacobian = ca.Function(f"jac_geodesic_{name}", [start, ends], [ca.densify(slopes)])
    return ca.Function(f"geodesic_{name}", [start], [found], {
        "never_inline": True, "custom_jacobian": jacobian, "jac_penalty": 0, "enable_forward": False,
        "enable_reverse": False})


def _extrapolated(pull: Any, y: ca.SX, rate: ca.SX, h: ca.SX) -> tuple[ca.SX, ca.SX]:
    """y″ = pull(y) over h by Störmer's rule with several numbers of steps, extrapolated in their squares (Hairer,
    Nørsett, Wanner I, §II.14)."""
    first, total = pull(y), ca.SX.zeros(2 * y.numel())
    for count in GEODESIC_SUBSTEPS:
        share = float(np.prod([count**2 / (count**2 - other**2) for other in GEODESIC_SUBSTEPS if other != count]))
        step = h / count
        at, speed = y, rate + step / 2 * first
        for k in range(count):
            at = at + step * speed
            speed = speed + (step if k < count - 1 else step / 2) * pull(at)
        total += share * ca.vertcat(at, speed)
    return total[: y.numel()], total[y.numel() :]


def unit(a: ca.SX) -> ca.SX:
    return a / ca.sqrt(ca.dot(a, a) + NO_STRAIGHT_PART_SQUARED)
