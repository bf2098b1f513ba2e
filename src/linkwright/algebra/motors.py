"""Motors: pairs of a resultant vector and a moment about a point (von Mises 1924).

A velocity motor is (ω, v_O), a force motor (f, τ_O), a momentum motor (p, h_O), all at one origin O and in one set of
axes.  Moving the point changes the moment alone: m(r) = m(O) + resultant × r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, overload

import casadi as ca

from ..errors import ModelError
from .arrays import Array, Scalar, VectorLike, cross, dot, is_symbolic, stack, unit, vector

if TYPE_CHECKING:
    from typing import Self


class Motor:
    """A resultant and its moment at the origin; see the three kinds below."""

    __slots__ = ("moment", "resultant")
    __array_ufunc__ = None  # NumPy leaves `number * motor` to us and refuses the rest
    kind = "motor"

    def __init__(self, resultant: VectorLike = (0.0, 0.0, 0.0), moment: VectorLike = (0.0, 0.0, 0.0)) -> None:
        self.resultant = vector(resultant, 3, f"{self.kind} resultant")
        self.moment = vector(moment, 3, f"{self.kind} moment")

    @classmethod
    def from_vector(cls, x: VectorLike) -> Self:
        """From six numbers (resultant, moment)."""
        x = vector(x, 6, f"{cls.kind} motor")
        return cls(x[0:3], x[3:6])

    @classmethod
    def through(cls, resultant: VectorLike, point: VectorLike) -> Self:
        """A motor without moment at a point, (R, r × R): a force f at r, a turn ω about an axis through r, a line."""
        resultant = vector(resultant, 3, f"{cls.kind} resultant")
        return cls(resultant, cross(vector(point), resultant))

    @classmethod
    def of_lines(cls, first: tuple[VectorLike, VectorLike], second: tuple[VectorLike, VectorLike]) -> Self:
        """The motor of two lines, each a point and a direction: the motorial product of their unit motors.

        Its axis is their common perpendicular.  At an angle φ and a distance d the resultant is sin φ and the moment
        along it d cos φ, so that the pitch is d cot φ (von Mises 1924, §1).
        """
        (p, a), (q, b) = ((vector(point), unit(direction)) for point, direction in (first, second))
        return cls(cross(a, b), cross(a, cross(q, b)) + cross(cross(p, a), b))

    def vector(self) -> Array:
        """The six numbers (resultant, moment)."""
        return stack(self.resultant, self.moment)

    def at(self, r: VectorLike) -> Array:
        """The moment at the point r: m + resultant × r."""
        return self.moment + cross(self.resultant, vector(r))

    def axis(self) -> tuple[Array, Array]:
        """A point of the screw axis and its direction: the line along which moment and resultant are parallel."""
        square = self._square()
        return cross(self.resultant, self.moment) / square, self.resultant / ca.sqrt(square)

    def pitch(self) -> Scalar:
        """Moment along the axis per unit of resultant: R·m / R·R, the same at every point."""
        return dot(self.resultant, self.moment) / self._square()

    def _square(self) -> Scalar:
        square = dot(self.resultant, self.resultant)
        if not is_symbolic(square) and square == 0:
            raise ModelError(f"a {self.kind} motor without resultant has its axis at infinity; test `resultant` first.")
        return square

    def _same(self, other: object, verb: str) -> None:
        if type(self) is not type(other):
            name = f"{other.kind} motor" if isinstance(other, Motor) else type(other).__name__
            raise TypeError(f"a {self.kind} motor and a {name} cannot be {verb}")

    def __add__(self, other: Self) -> Self:
        self._same(other, "added")
        return type(self)(self.resultant + other.resultant, self.moment + other.moment)

    def __sub__(self, other: Self) -> Self:
        self._same(other, "subtracted")
        return type(self)(self.resultant - other.resultant, self.moment - other.moment)

    def __neg__(self) -> Self:
        return type(self)(-self.resultant, -self.moment)

    def __mul__(self, factor: Scalar) -> Self:
        if isinstance(factor, Motor):
            raise TypeError("two motors have an inner product a.dot(b) and a motorial product a.cross(b), no a * b")
        return type(self)(self.resultant * factor, self.moment * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Self:
        return type(self)(self.resultant / divisor, self.moment / divisor)

    def is_symbolic(self) -> bool:
        return is_symbolic(self.resultant, self.moment)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.resultant}, {self.moment})"


Other = TypeVar("Other", bound=Motor)


class VelocityMotor(Motor):
    """(ω, v_O): angular velocity and the velocity of the point at the origin."""

    __slots__ = ()
    kind = "velocity"

    def dot(self, other: Motor) -> Scalar:
        """Inner product of resultant and moment: with a force motor the power; with itself 2 ω·v; with another
        velocity motor zero if their axes intersect and neither has a pitch."""
        if not isinstance(other, Motor):
            raise TypeError(f"a velocity motor has an inner product with a motor, not with a {type(other).__name__}")
        return dot(self.resultant, other.moment) + dot(self.moment, other.resultant)

    @overload
    def cross(self, other: MomentumMotor) -> ForceMotor: ...
    @overload
    def cross(self, other: Other) -> Other: ...
    def cross(self, other: Motor) -> Motor:
        """Motorial product v × m = (ω × R, ω × m + v × R); of a momentum motor it is a force motor.

        It is the derivative that the motion `self` of a frame gives to a motor at rest in that frame.
        """
        if not isinstance(other, Motor):
            raise TypeError(f"a velocity motor has a motorial product with a motor, not with a {type(other).__name__}")
        kind = ForceMotor if isinstance(other, MomentumMotor) else type(other)
        w, v = self.resultant, self.moment
        return kind(cross(w, other.resultant), cross(w, other.moment) + cross(v, other.resultant))


class ForceMotor(Motor):
    """(f, τ_O): resultant force and torque about the origin."""

    __slots__ = ()
    kind = "force"

    def dot(self: Motor, velocity: VelocityMotor) -> Scalar:
        """Power f·v + τ·ω."""
        if not isinstance(velocity, VelocityMotor):
            raise TypeError(f"a {self.kind} motor has an inner product with a velocity motor only")
        return velocity.dot(self)

    def cross(self: Motor, velocity: VelocityMotor) -> Motor:
        """f × v = −v × f."""
        if not isinstance(velocity, VelocityMotor):
            raise TypeError(f"a {self.kind} motor has a motorial product with a velocity motor only")
        return -velocity.cross(self)


class MomentumMotor(Motor):
    """(p, h_O): linear momentum and angular momentum about the origin."""

    __slots__ = ()
    kind = "momentum"
    dot = ForceMotor.dot
    cross = ForceMotor.cross


def derivative_in_moving_frame(rate: Motor, velocity: VelocityMotor, motor: Motor) -> Motor:
    """Absolute derivative of a motor whose components `motor` in a frame moving with `velocity` change with `rate`.

    ṁ = m̊ + v × m (von Mises; the frame's own velocity in its own axes).  Of a momentum motor it is a force motor, so
    Newton's law of a rigid body in its own frame reads  f = derivative_in_moving_frame(M @ a, v, M @ v).
    """
    turned = velocity.cross(motor)
    if type(rate) not in (type(motor), type(turned)):
        raise TypeError(f"a {rate.kind} motor cannot be the rate of a {motor.kind} motor")
    return type(turned)(rate.resultant + turned.resultant, rate.moment + turned.moment)
