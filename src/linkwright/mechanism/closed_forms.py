"""Closed-form solutions of loops of three joints.

Two joints' frames on a body of known motion, with two more bodies between them, make a ring of three joints.  Its
equation is

    X = T₁(θ₁) D₁ T₂(θ₂) D₂ T₃(θ₃)

with X the pose of the last joint's outer frame in the first joint's inner frame, D₁ and D₂ what lies between the joints
on the two bodies, and T the motion of a joint.  Six freedoms (three in a plane) are as many as equations, and in the
cases here these come down to one quadratic, or one equation A cos φ + B sin φ = C, which is the same thing (Woernle
1988 and Kecskeméthy 1993, "characteristic pair of joints"; Otter, Elmqvist and Mattsson 2003, §7.3; in the plane these
are the Assur groups of class II).

In a plane poses are (e, p) with complex e = e^iψ and p; a revolute joint (R) is a turn, a prismatic joint (P) slides
along x.  In space R turns about z, P slides along z, U turns about x and then y (or about axes at another angle, whose
`cosine` is given), and S is a ball, whose orientation is not asked for.  The letters of a function's name are the
joints from the first to the last.  Every function takes signs ±1 that say which solution, and gives

    (θ₁, θ₂, θ₃)   None for a ball, a pair for a universal joint; angles up to full turns
    discriminant   dimensionless, zero where two solutions meet, or where a length vanishes whose direction is an angle
                   (of several, the least)

Everything works on numbers and on symbols.
"""

from __future__ import annotations

from typing import TypeAlias

import casadi as ca

from ..algebra import Array, Scalar, Transform, VectorLike, dot, stack
from .complex_numbers import Complex

#: a pose of the plane: turn e and place p
PlanarPose: TypeAlias = tuple[Complex, Complex]
#: one coordinate of a joint, the pair of a universal joint, or None for a ball; and the discriminant
Solved: TypeAlias = tuple[tuple[Scalar | tuple[Scalar, Scalar] | None, ...], Scalar]


def share(part: Scalar, other: Scalar) -> Scalar:
    """What a squared length is of two: small where it vanishes, and has no direction; a constant length has one."""
    return part / (part + other) if isinstance(part, ca.SX) and not part.is_constant() else 1.0


def least(*values: Scalar) -> Scalar:
    """The smallest of discriminants, without those that are always 1."""
    small = [value for value in values if isinstance(value, ca.SX) or value != 1.0]
    out = small[0]
    for value in small[1:]:
        out = ca.fmin(out, value)
    return out


# --- in the plane: (e, p) of X, (e₁, d₁) of D₁, (e₂, d₂) of D₂


def rrr(X: PlanarPose, D1: PlanarPose, D2: PlanarPose, sign: Scalar) -> Solved:
    """Two rods d₁, d₂ between pins at 0 and p: the tip v = e^iθ₁ d₁ of the first lies on two circles.

    |v|² = |d₁|², |p − v|² = |d₂|²  ⟹  v·p = k, v × p = ∓h with h² = |d₁|²|p|² − k², so |p|² v = (k ± ih) p.
    Between the rods: h = |d₁||d₂| |sin| of their angle.
    """
    (e, p), (e1, d1), (e2, d2) = X, D1, D2
    k = (p.square + d1.square - d2.square) / 2
    square = d1.square * p.square - k * k
    h = ca.sqrt(square)
    v = p * Complex(k, sign * h)  # times |p|², which no angle sees
    w = p * Complex(p.square - k, -sign * h)  # p − v: the second rod, e^i(θ₁+δ₁+θ₂) d₂
    theta1 = (v * d1.conjugate).angle
    theta2 = (w * v.conjugate * (d1 * d2.conjugate) * e1.conjugate).angle
    theta3 = (e * e2.conjugate * w.conjugate * d2).angle
    apart = square / (d1.square * d2.square)
    return (theta1, theta2, theta3), least(apart, share(d1.square, p.square), share(d2.square, p.square))


def rrp(X: PlanarPose, D1: PlanarPose, D2: PlanarPose, sign: Scalar) -> Solved:
    """A rod d₁ from a pin at 0 to a pin on a slide along e through m = p − e e₂* d₂: v = m − s e, |v| = |d₁|.

    With m e* = a + ib: s = a ∓ h, v = (±h + ib) e, h² = |d₁|² − b²; h/|d₁| is the cosine of the pressure angle.
    """
    (e, p), (e1, d1), (e2, d2) = X, D1, D2
    m = p * e.conjugate - e2.conjugate * d2
    square = d1.square - m.y * m.y
    h = ca.sqrt(square)
    v = e * Complex(sign * h, m.y)
    theta1 = v * d1.conjugate
    theta2 = e * e2.conjugate * theta1.conjugate * e1.conjugate
    return (theta1.angle, theta2.angle, m.x - sign * h), least(square / d1.square, share(d1.square, m.square))


def rpr(X: PlanarPose, D1: PlanarPose, D2: PlanarPose, sign: Scalar) -> Solved:
    """A slide between pins at 0 and p, past the first at a distance b: p e^−i(θ₁+δ₁) = (s + a) + ib.

    a + ib = e₁* d₁ + d₂, and s = −a ± h with h² = |p|² − b².
    """
    (e, p), (e1, d1), (e2, d2) = X, D1, D2
    offset = e1.conjugate * d1 + d2
    square = p.square - offset.y * offset.y
    h = ca.sqrt(square)
    along = p * Complex(sign * h, -offset.y)  # e^i(θ₁+δ₁), times |p|²
    theta3 = e * along.conjugate * e2.conjugate
    return ((along * e1.conjugate).angle, sign * h - offset.x, theta3.angle), square / (p.square + offset.square)


def prp(X: PlanarPose, D1: PlanarPose, D2: PlanarPose) -> Solved:
    """Two slides along 1 and e with a pin between them: s₁ + s₃ e = p − d₁ − e e₂* d₂."""
    (e, p), (e1, d1), (e2, d2) = X, D1, D2
    m = p - d1 - e * e2.conjugate * d2
    s3 = m.y / e.y
    return (m.x - s3 * e.x, (e * e1.conjugate * e2.conjugate).angle, s3), e.y * e.y


def rpp(X: PlanarPose, D1: PlanarPose, D2: PlanarPose) -> Solved:
    """A pin, then two slides at a fixed angle: θ₁ = ψ − δ₁ − δ₂ and s₂ + s₃ e₂ = e₂ e* p − e₁* d₁ − d₂."""
    (e, p), (e1, d1), (e2, d2) = X, D1, D2
    m = e2 * e.conjugate * p - e1.conjugate * d1 - d2
    s3 = m.y / e2.y
    return ((e * e1.conjugate * e2.conjugate).angle, m.x - s3 * e2.x, s3), e2.y * e2.y


# --- in space


def meet_circle(c: Array, m: Array, length: Scalar, sign: Scalar) -> tuple[Array, Scalar, Scalar]:
    """The point Rz(φ) m at a distance `length` from c, and φ: m goes round z.

    |c − Rz(φ) m|² = length²  ⟹  c·(Rz m) = k in the plane across z, as for two rods.
    """
    c2, m2 = Complex(c[0], c[1]), Complex(m[0], m[1])
    k = (dot(c, c) + dot(m, m) - length * length) / 2 - c[2] * m[2]
    square = c2.square * m2.square - k * k
    v = c2 * Complex(k, sign * ca.sqrt(square))
    point = stack(v.x / c2.square, v.y / c2.square, m[2])
    apart = square / (m2.square * length * length)
    return point, (v * m2.conjugate).angle, least(apart, share(m2.square, length * length))


def meet_line(c: Array, m: Array, length: Scalar, sign: Scalar) -> tuple[Array, Scalar, Scalar]:
    """The point m + s z at a distance `length` from c, and s."""
    x, y, z = c[0] - m[0], c[1] - m[1], c[2] - m[2]
    square = length * length - x * x - y * y
    s = z - sign * ca.sqrt(square)
    return stack(m[0], m[1], m[2] + s), s, square / (length * length)


def universal(p: Array, w: Array, sign: Scalar, backwards: bool = False,
              cosine: Scalar = 0.0) -> tuple[tuple[Scalar, Scalar], Scalar]:
    """(a, b) with Rx(a) Ry(b) w = p, for |w| = |p|; backwards Ry(−b) Rx(−a) w = p.

    Ry leaves w_y, Rx leaves p_x, so that Ry(b) w = (p_x, w_y, z) with z² = p_y² + p_z² − w_y²; then b turns (w_z, w_x)
    into (z, p_x) and a turns (w_y, z) into (p_y, p_z).  Backwards x and y change places.

    With axes that are not perpendicular (`cosine` of the angle between them) it is Rx(a) Rz(δ) Ry(b), sin δ = −cosine:
    x of Ry(b) w follows from p_x = x cos δ − w_y sin δ, and a turns what Rz(δ) makes of it.
    """
    if backwards:
        (b, a), discriminant = universal(stack(p[1], p[0], p[2]), stack(w[1], w[0], w[2]), sign, cosine=cosine)
        return (a, b), discriminant
    x, y, square = p[0], w[1], p[1] * p[1] + p[2] * p[2] - w[1] * w[1]
    if cosine:
        sine = ca.sqrt(1 - cosine * cosine)
        x = (p[0] - w[1] * cosine) / sine
        y = w[1] * sine - x * cosine
        square = dot(p, p) - x * x - w[1] * w[1]
    z = sign * ca.sqrt(square)
    first = Complex(p[1], p[2]) * Complex(y, -z)
    second = Complex(z, x) * Complex(w[2], -w[0])
    return (first.angle, second.angle), square / dot(p, p)


def ups(X: Transform, D1: Transform, D2: Transform, signs: VectorLike, backwards: bool = False,
        cosine: Scalar = 0.0) -> Solved:
    """A strut: its length from |p|, the universal joint from p."""
    o = D1.p + D1.R @ D2.p
    along = D1.R[:, 2]
    middle = dot(o, along)
    square = dot(X.p, X.p) - dot(o, o) + middle * middle
    s = signs[0] * ca.sqrt(square) - middle
    angles, discriminant = universal(X.p, o + along * s, signs[1], backwards, cosine)
    return (angles, s, None), ca.fmin(square / dot(X.p, X.p), discriminant)


def urs(X: Transform, D1: Transform, D2: Transform, signs: VectorLike, backwards: bool = False,
        cosine: Scalar = 0.0) -> Solved:
    """A leg with a knee: the knee from |p|, the universal joint from p."""
    hip = D1.inverse().p
    point, knee, stretch = meet_circle(hip, D2.p, ca.sqrt(dot(X.p, X.p)), signs[0])
    angles, discriminant = universal(X.p, _seen(D1, point), signs[1], backwards, cosine)
    return (angles, knee, None), ca.fmin(stretch, discriminant)


def _seen(X: Transform, point: Array) -> Array:
    """A point in another frame; where a loop cannot close it is no number, and may be so."""
    return X.p + X.R @ point


def _last_joint(letter: str, c: Array, m: Array, length: Scalar, sign: Scalar) -> tuple[Array, Scalar, Scalar]:
    """Where the last joint (R or P, seen from its outer frame) puts m at a distance `length` from c, and θ₃."""
    point, theta, discriminant = (meet_circle if letter == "R" else meet_line)(c, m, length, sign)
    return point, -theta, discriminant


def usx(letter: str, X: Transform, D1: Transform, D2: Transform, signs: VectorLike, backwards: bool = False,
        cosine: Scalar = 0.0) -> Solved:
    """USR and USP: the ball goes round or along the last joint, at the rod's length from the universal joint."""
    length = ca.sqrt(dot(D1.p, D1.p))
    point, theta3, reach = _last_joint(letter, X.inverse().p, D2.inverse().p, length, signs[0])
    angles, discriminant = universal(_seen(X, point), D1.p, signs[1], backwards, cosine)
    return (angles, None, theta3), ca.fmin(reach, discriminant)


def sux(letter: str, X: Transform, D1: Transform, D2: Transform, signs: VectorLike, backwards: bool = False,
        cosine: Scalar = 0.0) -> Solved:
    """SUR and SUP: the universal joint itself goes round or along the last joint."""
    ball, centre = X.inverse().p, D2.inverse()
    rod = D1.inverse().p  # from the universal joint to the ball, on the rod
    point, theta3, reach = _last_joint(letter, ball, centre.p, ca.sqrt(dot(rod, rod)), signs[0])
    # the same vector seen from the universal joint's frame on the last body
    away = stack(ball[0] - point[0], ball[1] - point[1], ball[2] - point[2])
    if letter == "R":
        turn = Complex(ca.cos(theta3), ca.sin(theta3))
        level = Complex(away[0], away[1]) * turn
        away = stack(level.x, level.y, away[2])
    angles, discriminant = universal(centre.R.T @ away, rod, signs[1], not backwards, cosine)
    return (None, angles, theta3), ca.fmin(reach, discriminant)
