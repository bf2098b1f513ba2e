"""Dyads that turn a velocity motor into a momentum motor: rigid-body, composite and articulated inertia.

With v = (ω, v_O) and p = (p, h_O):

    p   = M v + Bᵀ ω          M mass block, B coupling block, J inertia block about the origin
    h_O = B v + J ω

For a rigid body M = m 1, B = m [c]×, J = I_O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import casadi as ca
import numpy as np

from ..errors import ModelError
from .arrays import (
    Array,
    MatrixLike,
    Scalar,
    VectorLike,
    cross,
    is_symbolic,
    matrix,
    outer,
    rows,
    skew,
    stack,
    symmetric,
    vector,
)
from .motors import ForceMotor, MomentumMotor, VelocityMotor
from .tolerances import INERTIA_ROUNDING, TINY

if TYPE_CHECKING:
    from .transform import Transform


class MotorDyad:
    """A symmetric 6×6 in three blocks (`mass` M, `coupling` B, `inertia` J) at one origin, in one set of axes."""

    __slots__ = ("coupling", "inertia", "mass")
    __array_ufunc__ = None

    def __init__(self, mass: MatrixLike, coupling: MatrixLike, inertia: MatrixLike) -> None:
        self.mass = matrix(mass)
        self.coupling = matrix(coupling)
        self.inertia = matrix(inertia)

    @classmethod
    def zero(cls) -> MotorDyad:
        return cls(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)))

    def __matmul__(self, v: VelocityMotor) -> MomentumMotor:
        if not isinstance(v, VelocityMotor):
            raise TypeError(f"an inertia dyad acts on a VelocityMotor, not on {type(v).__name__}")
        w, u = v.resultant, v.moment
        return MomentumMotor(self.mass @ u + self.coupling.T @ w, self.coupling @ u + self.inertia @ w)

    def __add__(self, other: MotorDyad) -> MotorDyad:
        return MotorDyad(self.mass + other.mass, self.coupling + other.coupling, self.inertia + other.inertia)

    def without(self, U: MomentumMotor, D_inverse: Scalar, eliminated: int | None = None) -> MotorDyad:
        """M − U Uᵀ/D: what is felt through a free mobility S, with U = M S and D = S·U.

        The result has S in its null space.  Where S is the unit motor number `eliminated` of (ω, v), that row and
        column are exact zeros and are never computed.
        """
        Uw, Uv = U.moment, U.resultant
        mass, coupling, inertia = self.mass, self.coupling, self.inertia
        if eliminated is not None:
            keep = np.ones(6)
            keep[eliminated] = 0
            Uw, Uv = Uw * keep[:3], Uv * keep[3:]
            P, Q = np.diag(keep[3:]), np.diag(keep[:3])
            mass, coupling, inertia = P @ self.mass @ P, Q @ self.coupling @ P, Q @ self.inertia @ Q
        ww, wv = Uw * D_inverse, Uv * D_inverse
        return MotorDyad(
            symmetric(mass - outer(wv, Uv)), coupling - outer(Uw, wv), symmetric(inertia - outer(ww, Uw))
        )

    def turned(self, R: Array) -> MotorDyad:
        """In the axes A for a dyad given in B, R = R_AB."""
        return MotorDyad(
            symmetric(R @ self.mass @ R.T), R @ self.coupling @ R.T, symmetric(R @ self.inertia @ R.T)
        )

    def turned_about_z(self, c: Scalar, s: Scalar) -> MotorDyad:
        """`turned(rotation_z(φ))` for c = cos φ, s = sin φ in about half the operations."""
        ss, cs = s * s, s * c
        turn = _TurnAboutZ(c, s, ss, cs)
        return MotorDyad(
            turn(self.mass, symmetric_block=True), turn(self.coupling), turn(self.inertia, symmetric_block=True)
        )

    def moved(self, p: Array) -> MotorDyad:
        """About the origin A for a dyad about B, p = p_AB in the common axes.

        B′ = B + P M,  J′ = J − B P + P B′ᵀ  with P = [p]×.
        """
        P = skew(p)
        coupling = self.coupling + P @ self.mass
        inertia = symmetric(self.inertia - self.coupling @ P + P @ coupling.T)
        return MotorDyad(self.mass, coupling, inertia)

    def matrix(self) -> Array:
        """The 6×6 acting on (ω, v) and giving (h, p)."""
        if is_symbolic(self.mass, self.coupling, self.inertia):
            upper = ca.horzcat(self.inertia, self.coupling)
            return ca.vertcat(upper, ca.horzcat(self.coupling.T, self.mass))
        return np.block([[self.inertia, self.coupling], [self.coupling.T, self.mass]])


class _TurnAboutZ:
    """R A Rᵀ for R = rotation_z: the 2×2 block turns by its sum and difference, the rest as two vectors."""

    def __init__(self, c: Scalar, s: Scalar, ss: Scalar, cs: Scalar) -> None:
        self.c, self.s, self.ss, self.cs = c, s, ss, cs

    def pair(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return self.c * x - self.s * y, self.s * x + self.c * y

    def __call__(self, A: Array, symmetric_block: bool = False) -> Array:
        difference = A[0, 0] - A[1, 1]
        total = 2 * A[0, 1] if symmetric_block else A[0, 1] + A[1, 0]
        along = self.ss * difference + self.cs * total
        across = self.cs * difference - self.ss * total
        xz, yz = self.pair(A[0, 2], A[1, 2])
        zx, zy = (xz, yz) if symmetric_block else self.pair(A[2, 0], A[2, 1])
        xy = A[0, 1] + across
        yx = xy if symmetric_block else A[1, 0] + across
        return rows((A[0, 0] - along, xy, xz), (yx, A[1, 1] + along, yz), (zx, zy, A[2, 2]))


class Inertia(MotorDyad):
    """The inertia dyad of a rigid body: mass m, first moment m c, inertia tensor I_O about the frame's origin.

    It is linear in its three parts and contains no division, so massless bodies, particles, rods and rigid bodies
    need no special cases.  `central` is the tensor about the centre of mass (3×3 or three principal moments),
    `about_origin` the one about the origin; give at most one of them.

    >>> M = Inertia(mass=2, com=[0.1, 0, 0], central=[1, 1, 1])
    >>> p = M @ VelocityMotor([0, 0, 1], [1, 0, 0])       # momentum motor;  0.5 * p.dot(v) is the kinetic energy
    """

    __slots__ = ("first_moment", "m")

    def __init__(self, mass: Scalar = 0.0, com: VectorLike = (0.0, 0.0, 0.0),
                 central: VectorLike | MatrixLike | None = None,
                 about_origin: VectorLike | MatrixLike | None = None) -> None:
        mass, com = _mass(mass), vector(com, 3, "centre of mass")
        if about_origin is None:
            tensor = _positive(_tensor(central if central is not None else np.zeros((3, 3)), "central inertia"))
            C = skew(com)
            about_origin = symmetric(tensor - mass * (C @ C))
        elif central is not None:
            raise ModelError("give the inertia about the centre of mass or about the origin, not both.")
        else:
            about_origin = _positive(_tensor(about_origin, "inertia about the origin"))
        self._set(mass, mass * com, about_origin)

    def _set(self, m: Scalar, first_moment: Array, tensor: Array) -> None:
        self.m, self.first_moment = m, first_moment
        super().__init__(m * np.eye(3), skew(first_moment), tensor)

    @classmethod
    def from_moments(cls, m: Scalar, first_moment: VectorLike, tensor: MatrixLike) -> Inertia:
        """From m, m c and I_O."""
        return _rigid(_mass(m), vector(first_moment, 3, "first moment"), _tensor(tensor, "inertia"))

    @overload  # type: ignore[override]
    def __add__(self, other: Inertia) -> Inertia: ...
    @overload
    def __add__(self, other: MotorDyad) -> MotorDyad: ...
    def __add__(self, other: MotorDyad) -> MotorDyad:
        if isinstance(other, Inertia):
            return _rigid(self.m + other.m, self.first_moment + other.first_moment, self.inertia + other.inertia)
        return super().__add__(other)

    def gyroscopic(self, v: VelocityMotor) -> ForceMotor:
        """v × (M v), the rate of momentum while v stands still in the body, by Jacobi's identity in fewer products:

        f = m b + ω × (ω × m c),  τ = ω × (I_O ω) + m c × b  with b = ω × v_O.
        """
        w, s = v.resultant, self.first_moment
        b = cross(w, v.moment)
        return ForceMotor(self.m * b + cross(w, cross(w, s)), cross(w, self.inertia @ w) + cross(s, b))

    # ten numbers change the frame, and m R Rᵀ = m 1 needs no arithmetic: a rigid body stays one

    def turned(self, R: Array) -> Inertia:
        return _rigid(self.m, R @ self.first_moment, symmetric(R @ self.inertia @ R.T))

    def turned_about_z(self, c: Scalar, s: Scalar) -> Inertia:
        turn, h = _TurnAboutZ(c, s, s * s, s * c), self.first_moment
        return _rigid(self.m, stack(*turn.pair(h[0], h[1]), h[2]), turn(self.inertia, symmetric_block=True))

    def moved(self, p: Array) -> Inertia:
        P, body = skew(p), _rigid(self.m, self.first_moment + self.m * p, self.inertia)
        body.inertia = symmetric(self.inertia - self.coupling @ P - P @ body.coupling)
        return body

    def seen_from(self, X: Transform) -> Inertia:
        """The inertia of the same body in frame A, if this one is in frame B: X = X_AB."""
        return X @ self

    def com(self) -> Array:
        """The centre of mass (the origin for a massless body)."""
        if not is_symbolic(self.m) and self.m == 0:
            return np.zeros(3)
        return self.first_moment / self.m

    def central(self) -> Array:
        """The tensor about the centre of mass."""
        C = skew(self.com())
        return symmetric(self.inertia + self.m * (C @ C))

    def check(self, name: str = "inertia") -> str | None:
        """The reason why no real body has this inertia, or None: a principal moment larger than the sum of the other
        two.

        Equivalent: ∫ r rᵀ dm = ½ tr(I) 1 − I about the centre of mass has a negative eigenvalue.  Symbols pass.
        """
        if is_symbolic(self.m, self.first_moment, self.inertia):
            return None
        small, middle, large = moments = np.linalg.eigvalsh(self.central())
        if small + middle - large >= -INERTIA_ROUNDING * np.abs(self.inertia).max() - TINY:
            return None
        listed = ", ".join(f"{moment:.6g}" for moment in moments)
        return (
            f"{name}: the principal moments of inertia about the centre of mass ({listed}) are impossible for a real "
            "body: "
            f"{large:.6g} > {small:.6g} + {middle:.6g}. Check the units, the signs of the products of inertia, and "
            "about which point the tensor is given."
        )

    def __repr__(self) -> str:
        return f"Inertia(mass={self.m}, com={self.com()})"


def _rigid(m: Scalar, first_moment: Array, tensor: Array) -> Inertia:
    """From parts that are known to be right."""
    body = Inertia.__new__(Inertia)
    body._set(m, first_moment, tensor)
    return body


def _mass(m: Scalar) -> Scalar:
    """A mass, checked if it is a number."""
    if is_symbolic(m):
        return m
    try:
        m = float(m)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ModelError(f"mass = {m!r} must be a number.") from error
    if not 0 <= m < np.inf:
        raise ModelError(f"mass = {m:g} must be a finite number, zero or positive.")
    return m


def _tensor(value: Any, what: str) -> Array:
    """A symmetric 3×3 from a matrix or from three principal moments."""
    nested = isinstance(value, (list, tuple)) and any(isinstance(row, (list, tuple, np.ndarray)) for row in value)
    if not nested and getattr(value, "shape", (3,)) in ((3,), (3, 1)):
        moments = vector(value, 3, what)
        return rows((moments[0], 0, 0), (0, moments[1], 0), (0, 0, moments[2]))
    whole: Array = matrix(value, 3, 3, what)
    if isinstance(whole, ca.SX):
        return whole
    if np.abs(whole - whole.T).max() > INERTIA_ROUNDING * np.abs(whole).max() + TINY:
        raise ModelError(f"{what} must be symmetric, got {whole.tolist()}.")
    return symmetric(whole)


def _positive(tensor: Array) -> Array:
    """A tensor as given by a user: no negative moment about any axis."""
    if isinstance(tensor, ca.SX):
        return tensor
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -INERTIA_ROUNDING * np.abs(moments).max() - TINY:
        listed = ", ".join(f"{moment:.6g}" for moment in moments)
        raise ModelError(
            f"the inertia tensor {tensor.tolist()} has the principal moments ({listed}) and none may be negative. "
            "Check the signs of the products of inertia."
        )
    return tensor
