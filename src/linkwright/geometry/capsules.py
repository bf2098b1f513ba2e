"""Two capsules: where their axes cross, and the two ends of the stretch along which they lie side by side.

The axes are p_A + s a and p_B + t b, |s| ≤ h_A, |t| ≤ h_B, with d = p_B − p_A and D = |a × b|².  Nearest to one another
are one of

    the crossing    s = (a·d − (a·b) b·d)/D,   t = ((a·b) a·d − b·d)/D,   where both lie within their axes
    the upper end   of the stretch that both share along a: an end of the one against the axis of the other
    the lower end   likewise

so that parallel capsules touch in two points.  A crossing beyond the ends, or of axes that are parallel, is lifted
off.
"""

from __future__ import annotations

from ..algebra import Scalar, Transform, axis_frame, cross, dot
from .selects import choose, clamp, direction, larger, sign
from .shapes import Capsule
from .tolerances import LEAST_CURVATURE, PARALLEL_AXES, TINY
from .touch import PairGeometry, Touch


def capsules(one: Capsule, other: Capsule) -> PairGeometry:
    """Two capsules in three points: the crossing of their axes, and the ends of the stretch they share."""
    h_a, h_b = one.length / 2, other.length / 2
    radii = one.radius + other.radius

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        a, b, d = X_WA.R @ one.n, X_WB.R @ other.n, X_WB.p - X_WA.p
        ad, bd, ab = dot(a, d), dot(b, d), dot(a, b)
        across = X_WA.R @ axis_frame(one.n)[:, 0]

        def touch(s: Scalar, t: Scalar, lift: Scalar, curvatures: tuple[Scalar, Scalar]) -> Touch:
            length, n = direction(d + t * b - s * a, across)
            gap = length - radii + lift
            p = X_WA.p + s * a + one.radius * n
            return Touch(gap, n, p, p + gap * n, curvatures)

        round_ends = (1 / one.radius + 1 / other.radius,) * 2
        c = cross(a, b)
        D = dot(c, c)
        s, t = (ad - ab * bd) / (D + PARALLEL_AXES**2), (ab * ad - bd) / (D + PARALLEL_AXES**2)
        s_in, t_in = clamp(s, -h_a, h_a), clamp(t, -h_b, h_b)
        beyond = larger(s - s_in, s_in - s) + larger(t - t_in, t_in - t)
        found = [touch(s_in, t_in, beyond + radii * PARALLEL_AXES**2 / (D + PARALLEL_AXES**2),
                       _crossed(1 / one.radius, 1 / other.radius, ab))]
        for end in (1, -1):
            t_end = end * sign(ab) * h_b
            s_end = ad + ab * t_end
            on_b = end * s_end < h_a  # the end of b lies alongside a; else a ends first
            s = choose(on_b, clamp(s_end, -h_a, h_a), end * h_a)
            t = choose(on_b, t_end, clamp(ab * (end * h_a) - bd, -h_b, h_b))
            found.append(touch(s, t, 0.0, round_ends))
        return found

    return PairGeometry(one, other, 3, touches)


def _crossed(k_a: Scalar, k_b: Scalar, cosine: Scalar) -> tuple[Scalar, Scalar]:
    """The relative curvatures of two cylinders whose axes make an angle: ½(k_a + k_b) ± ½|k_a e^{2iα} + k_b|."""
    mean = (k_a + k_b) / 2
    double = 2 * cosine * cosine - 1
    spread = larger(k_a * k_a + k_b * k_b + 2 * k_a * k_b * double, TINY) ** 0.5 / 2
    # parallel ones touch along a line, by their ends
    return mean + spread, larger(mean - spread, LEAST_CURVATURE * mean)
