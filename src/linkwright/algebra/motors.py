"""Motors: pairs of a resultant vector and a moment about a point (von Mises 1924).

A velocity motor is (ω, v_O), a force motor (f, τ_O), a momentum motor (p, h_O), all at one origin O and in one set of
axes.  Moving the point changes the moment alone: m(r) = m(O) + resultant × r.
"""

from __future__ import annotations

from .arrays import cross, dot, is_symbolic, norm, stack, vector


class Motor:
    """A resultant and its moment at the origin; see the three kinds below."""

    __slots__ = ("moment", "resultant")
    kind = "motor"

    def __init__(self, resultant=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0)):
        self.resultant = vector(resultant, 3, f"{self.kind} resultant")
        self.moment = vector(moment, 3, f"{self.kind} moment")

    @classmethod
    def from_vector(cls, x):
        """From six numbers (resultant, moment)."""
        return cls(x[0:3], x[3:6])

    def vector(self):
        """The six numbers (resultant, moment)."""
        return stack(self.resultant, self.moment)

    def at(self, r):
        """The moment at the point r: m + resultant × r."""
        return self.moment + cross(self.resultant, vector(r))

    def axis(self):
        """A point of the screw axis and its direction: the line along which moment and resultant are parallel."""
        square = dot(self.resultant, self.resultant)
        return cross(self.resultant, self.moment) / square, self.resultant / norm(self.resultant)

    def pitch(self):
        """Moment along the axis per unit of resultant: R·m / R·R, the same at every point."""
        return dot(self.resultant, self.moment) / dot(self.resultant, self.resultant)

    def _same(self, other, verb: str):
        if type(self) is not type(other):
            name = getattr(other, "kind", type(other).__name__)
            raise TypeError(f"a {self.kind} motor and a {name} motor cannot be {verb}")

    def __add__(self, other):
        self._same(other, "added")
        return type(self)(self.resultant + other.resultant, self.moment + other.moment)

    def __sub__(self, other):
        self._same(other, "subtracted")
        return type(self)(self.resultant - other.resultant, self.moment - other.moment)

    def __neg__(self):
        return type(self)(-self.resultant, -self.moment)

    def __mul__(self, factor):
        return type(self)(self.resultant * factor, self.moment * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor):
        return type(self)(self.resultant / divisor, self.moment / divisor)

    def is_symbolic(self) -> bool:
        return is_symbolic(self.resultant, self.moment)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.resultant}, {self.moment})"


class VelocityMotor(Motor):
    """(ω, v_O): angular velocity and the velocity of the point at the origin."""

    __slots__ = ()
    kind = "velocity"

    def dot(self, other: Motor):
        """Inner product with a force (power) or momentum motor: resultant · moment, crosswise."""
        if isinstance(other, VelocityMotor):
            raise TypeError("a velocity motor has an inner product with a force or momentum motor only")
        return dot(self.resultant, other.moment) + dot(self.moment, other.resultant)

    def cross(self, other: Motor):
        """Motorial product v × m = (ω × R, ω × m + v × R); of a momentum motor it is a force motor.

        It is the derivative that the motion `self` of a frame gives to a motor at rest in that frame.
        """
        kind = ForceMotor if isinstance(other, MomentumMotor) else type(other)
        w, v = self.resultant, self.moment
        return kind(cross(w, other.resultant), cross(w, other.moment) + cross(v, other.resultant))


class ForceMotor(Motor):
    """(f, τ_O): resultant force and torque about the origin."""

    __slots__ = ()
    kind = "force"

    def dot(self, velocity: VelocityMotor):
        """Power f·v + τ·ω."""
        if not isinstance(velocity, VelocityMotor):
            raise TypeError(f"a {self.kind} motor has an inner product with a velocity motor only")
        return velocity.dot(self)


class MomentumMotor(Motor):
    """(p, h_O): linear momentum and angular momentum about the origin."""

    __slots__ = ()
    kind = "momentum"
    dot = ForceMotor.dot


def derivative_in_moving_frame(rate, velocity: VelocityMotor, motor):
    """Absolute derivative of a motor whose components `motor` in a frame moving with `velocity` change with `rate`.

    ṁ = m̊ + v × m (von Mises; the frame's own velocity in its own axes).
    """
    turned = velocity.cross(motor)
    return type(turned)(rate.resultant + turned.resultant, rate.moment + turned.moment)
