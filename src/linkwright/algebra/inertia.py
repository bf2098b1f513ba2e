"""Dyads that turn a velocity motor into a momentum motor: rigid-body, composite and articulated inertia.

With v = (ω, v_O) and p = (p, h_O):

    p   = M v + Bᵀ ω          M mass block, B coupling block, J inertia block about the origin
    h_O = B v + J ω

For a rigid body M = m 1, B = m [c]×, J = I_O.
"""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from .arrays import cross, is_symbolic, matrix, outer, rows, skew, stack, symmetric, vector
from .motors import ForceMotor, MomentumMotor, VelocityMotor


class MotorDyad:
    """A symmetric 6×6 in three blocks (`mass` M, `coupling` B, `inertia` J) at one origin, in one set of axes."""

    __slots__ = ("coupling", "inertia", "mass")

    def __init__(self, mass, coupling, inertia):
        self.mass = matrix(mass)
        self.coupling = matrix(coupling)
        self.inertia = matrix(inertia)

    @classmethod
    def zero(cls) -> MotorDyad:
        return cls(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)))

    def __matmul__(self, v: VelocityMotor) -> MomentumMotor:
        w, u = v.resultant, v.moment
        return MomentumMotor(self.mass @ u + self.coupling.T @ w, self.coupling @ u + self.inertia @ w)

    def __add__(self, other: MotorDyad) -> MotorDyad:
        return MotorDyad(self.mass + other.mass, self.coupling + other.coupling, self.inertia + other.inertia)

    def without(self, U: MomentumMotor, D_inverse, eliminated: int | None = None) -> MotorDyad:
        """M − U Uᵀ/D: what is felt through a free mobility S, with U = M S and D = S·U.

        The result has S in its null space.  Where S is the unit motor number `eliminated` of (ω, v), that row and
        column are exact zeros and are never computed.
        """
        Uw, Uv = U.moment, U.resultant
        if eliminated is not None:
            keep = np.ones(6)
            keep[eliminated] = 0
            Uw, Uv = Uw * keep[:3], Uv * keep[3:]
            P, Q = np.diag(keep[3:]), np.diag(keep[:3])
            mass, coupling, inertia = P @ self.mass @ P, Q @ self.coupling @ P, Q @ self.inertia @ Q
        else:
            mass, coupling, inertia = self.mass, self.coupling, self.inertia
        ww, wv = Uw * D_inverse, Uv * D_inverse
        return MotorDyad(
            symmetric(mass - outer(wv, Uv)), coupling - outer(Uw, wv), symmetric(inertia - outer(ww, Uw))
        )

    def turned(self, R) -> MotorDyad:
        """In the axes A for a dyad given in B, R = R_AB."""
        return MotorDyad(
            symmetric(R @ self.mass @ R.T), R @ self.coupling @ R.T, symmetric(R @ self.inertia @ R.T)
        )

    def turned_about_z(self, c, s) -> MotorDyad:
        """`turned(rotation_z(φ))` for c = cos φ, s = sin φ in about half the operations."""
        ss, cs = s * s, s * c
        turn = _TurnAboutZ(c, s, ss, cs)
        return MotorDyad(
            turn(self.mass, symmetric_block=True), turn(self.coupling), turn(self.inertia, symmetric_block=True)
        )

    def moved(self, p) -> MotorDyad:
        """About the origin A for a dyad about B, p = p_AB in the common axes.

        B′ = B + P M,  J′ = J − B P + P B′ᵀ  with P = [p]×.
        """
        P = skew(p)
        coupling = self.coupling + P @ self.mass
        inertia = symmetric(self.inertia - self.coupling @ P + P @ coupling.T)
        return MotorDyad(self.mass, coupling, inertia)

    def matrix(self):
        """The 6×6 acting on (ω, v) and giving (h, p)."""
        import casadi as ca

        if is_symbolic(self.mass, self.coupling, self.inertia):
            upper = ca.horzcat(self.inertia, self.coupling)
            return ca.vertcat(upper, ca.horzcat(self.coupling.T, self.mass))
        return np.block([[self.inertia, self.coupling], [self.coupling.T, self.mass]])


class _TurnAboutZ:
    """R A Rᵀ for R = rotation_z: the 2×2 block turns by its sum and difference, the rest as two vectors."""

    def __init__(self, c, s, ss, cs):
        self.c, self.s, self.ss, self.cs = c, s, ss, cs

    def pair(self, x, y):
        return self.c * x - self.s * y, self.s * x + self.c * y

    def __call__(self, A, symmetric_block: bool = False):
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

    Linear in its three parts, no division, so massless, particle, line and rigid bodies are all alike.  `central` is
    the tensor about the centre of mass (3×3 or three principal moments), `about_origin` the one about the origin; give
    at most one of them.

    >>> M = Inertia(mass=2, com=[0.1, 0, 0], central=[1, 1, 1])
    >>> p = M @ VelocityMotor([0, 0, 1], [1, 0, 0])       # momentum motor;  0.5 * p.dot(v) is the kinetic energy
    """

    __slots__ = ("first_moment", "m")

    def __init__(self, mass=0.0, com=(0.0, 0.0, 0.0), central=None, about_origin=None):
        com = vector(com, 3, "centre of mass")
        if about_origin is None:
            tensor = _tensor(central if central is not None else np.zeros((3, 3)), "central inertia")
            C = skew(com)
            about_origin = symmetric(tensor - mass * (C @ C))
        elif central is not None:
            raise ModelError("give the inertia about the centre of mass or about the origin, not both.")
        self._set(mass, mass * com, _tensor(about_origin, "inertia"))

    def _set(self, m, first_moment, tensor):
        if not is_symbolic(m) and not (np.isfinite(m) and m >= 0):
            raise ModelError(f"mass = {m:g} must be a finite number, zero or positive.")
        self.m, self.first_moment = m, vector(first_moment, 3, "first moment")
        super().__init__(m * np.eye(3), skew(self.first_moment), tensor)

    @classmethod
    def from_moments(cls, m, first_moment, tensor) -> Inertia:
        """From m, m c and I_O."""
        body = cls.__new__(cls)
        body._set(m, first_moment, tensor)
        return body

    def __add__(self, other):
        if isinstance(other, Inertia):
            return Inertia.from_moments(
                self.m + other.m, self.first_moment + other.first_moment, self.inertia + other.inertia
            )
        return super().__add__(other)

    def gyroscopic(self, v: VelocityMotor) -> ForceMotor:
        """v × (M v), the rate of momentum while v stands still in the body, by Jacobi's identity in fewer products:

        f = m b + ω × (ω × m c),  τ = ω × (I_O ω) + m c × b  with b = ω × v_O.
        """
        w, s = v.resultant, self.first_moment
        b = cross(w, v.moment)
        return ForceMotor(self.m * b + cross(w, cross(w, s)), cross(w, self.inertia @ w) + cross(s, b))

    def seen_from(self, X) -> Inertia:
        """The same body in frame A, given in B: X = X_AB."""
        return self._moved(X.R @ self.first_moment, symmetric(X.R @ self.inertia @ X.R.T), X.p)

    def seen_about_z(self, c, s, p) -> Inertia:
        """`seen_from(Transform(rotation_z(φ), p))` for c = cos φ, s = sin φ in fewer operations."""
        turn = _TurnAboutZ(c, s, s * s, s * c)
        x, y = turn.pair(self.first_moment[0], self.first_moment[1])
        return self._moved(stack(x, y, self.first_moment[2]), turn(self.inertia, symmetric_block=True), p)

    def _moved(self, first_moment, tensor, p) -> Inertia:
        """About an origin from which the present one is seen at p: I′ = I − P C − C P − m P P, C = [m c]×."""
        P, C = skew(p), skew(first_moment)
        PC = P @ C
        return Inertia.from_moments(
            self.m, first_moment + self.m * p, symmetric(tensor - PC - PC.T - self.m * (P @ P))
        )

    def com(self):
        """The centre of mass (the origin for a massless body)."""
        if not is_symbolic(self.m) and self.m == 0:
            return np.zeros(3)
        return self.first_moment / self.m

    def central(self):
        """The tensor about the centre of mass."""
        C = skew(self.com())
        return symmetric(self.inertia + self.m * (C @ C))

    def __repr__(self) -> str:
        return f"Inertia(mass={self.m}, com={self.com()})"


def _tensor(value, what: str):
    """A symmetric 3×3 from a matrix or from three principal moments."""
    if is_symbolic(value) or np.ndim(value) == 1:
        shape = getattr(value, "shape", (len(value),))
        if shape in ((3,), (3, 1)):
            value = rows((value[0], 0, 0), (0, value[1], 0), (0, 0, value[2]))
    value = matrix(value, 3, 3, what)
    if not is_symbolic(value) and not np.allclose(value, value.T, rtol=1e-12, atol=1e-14):
        raise ModelError(f"{what} must be symmetric.")
    return value
