"""What bends: a body with coordinates of its own beside those of the joint that carries it.

With V the velocity motor of the body's frame B, and q the internal coordinates, its kinetic energy is

    T = ½ V·M(q) V + V·N(q) q̇ + ½ q̇ᵀ H(q) q̇          M an inertia dyad, N momentum motors, H a matrix

and frames on it have poses X_BC(q), so that V_C = X_CB V + Ψ_C(q) q̇.  A rigid body is the case without q.  The
equations of motion (Euler–Poincaré; f all force motors on B, τ the forces along q) are

    M V̊ + N q̈ + p   = f        p   = Ṁ V + Ṅ q̇ + V × (M V + N q̇)
    Nᵀ·V̊ + H q̈ + p_f = τ       p_f = Ṅᵀ·V + Ḣ q̇ − ∂T/∂q

In the tree such a body hangs by one of its frames: the joint there is the frame's motion reversed, whose coordinates
are q.  What is fixed to any other of its frames is a body that *rides*: it moves in its parent with the parent's own
coordinates.  So every algorithm needs two things beside what it does for rigid bodies: N and H of a body that bends,
and columns that belong to the parent's speeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Array, ForceMotor, Inertia, MomentumMotor, Transform, VectorLike, VelocityMotor
from .mobilizer import Mobilizer


class Bending:
    """Base of all kinds.  One states `size`, `frame` (with `frame_columns`) and `inertia`; the rest is derived."""

    size: int = 0  # of q
    names: tuple[str, ...] = ()
    spread: float = 1.0  # how large q is in a general position that is not bent too far

    def frame(self, place: int, q: VectorLike) -> Transform:
        """X_BC(q) of the frame with this number."""
        raise NotImplementedError

    def frame_columns(self, place: int, q: VectorLike) -> list[VelocityMotor] | None:
        """Ψ_C(q) in C; None where they are to be derived from the pose."""
        return None

    def frame_bias(self, place: int, q: VectorLike, u: VectorLike) -> VelocityMotor | None:
        """Ψ̇ q̇ in C; None where it is to be derived from the columns."""
        return None

    def carried(self, place: int, q: VectorLike, columns: list[VelocityMotor]) -> list[VelocityMotor]:
        """X Ψ: the columns in B's axes at B's origin, from those in C where nothing shorter is known."""
        X = self.frame(place, q)
        return [X @ S for S in columns]

    def moving(self, place: int, q: VectorLike, u: VectorLike) -> tuple[VelocityMotor, VelocityMotor] | None:
        """Ψ q̇ and Ψ̇ q̇ in B; None where they are to be derived from the columns."""
        return None

    def inertia(self, q: VectorLike) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
        """M, N and H."""
        raise NotImplementedError

    def bias(self, q: ca.SX, u: ca.SX, V: VelocityMotor) -> tuple[ForceMotor, list[ca.SX]]:
        """p and p_f, by differentiating the kinetic energy."""
        M, N, H = self.inertia(q)
        momentum = M @ V
        for k, N_k in enumerate(N):
            momentum = momentum + N_k * u[k]
        own = ca.vertcat(*[N_k.dot(V) for N_k in N]) + H @ u
        energy = (M @ V).dot(V) / 2 + ca.dot(u, own - H @ u) + ca.dot(u, H @ u) / 2
        rate = ca.jtimes(ca.vertcat(ca.SX(momentum.resultant), ca.SX(momentum.moment), own), q, u)
        turning = V.cross(momentum)
        p = ForceMotor(rate[0:3] + turning.resultant, rate[3:6] + turning.moment)
        return p, ca.vertsplit(ca.densify(rate[6:] - ca.gradient(energy, q)))


@dataclass(frozen=True)
class FrameOf(Mobilizer):
    """A frame of a body that bends, as it moves in B with q."""

    bending: Bending
    place: int

    nq = property(lambda self: self.bending.size)
    nu = property(lambda self: self.bending.size)
    names = property(lambda self: self.bending.names)
    spread = property(lambda self: self.bending.spread)  # type: ignore[assignment]

    def transform(self, q: VectorLike) -> Transform:
        return self.bending.frame(self.place, q)

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        found = self.bending.frame_columns(self.place, q)
        return super().columns(q) if found is None else found

    def bias(self, q: VectorLike, u: VectorLike) -> VelocityMotor:
        found = self.bending.frame_bias(self.place, q, u)
        return super().bias(q, u) if found is None else found


@dataclass(frozen=True)
class Ride(Mobilizer):
    """No freedom: M moves in F as a frame of the parent, which bends, with the parent's coordinates and speeds."""

    of: FrameOf

    rides = True

    def transform(self, q: VectorLike) -> Transform:
        return self.of.transform(q)

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return self.of.columns(q)

    def units(self) -> tuple[int | None, ...]:
        return self.of.units()

    def bias(self, q: VectorLike, u: VectorLike) -> VelocityMotor:
        return self.of.bias(q, u)

    def carried(self, q: VectorLike) -> list[VelocityMotor]:
        """The columns in F, whose speeds they belong to."""
        return self.of.bending.carried(self.of.place, q, self.columns(q))

    def moving(self, q: VectorLike, u: VectorLike) -> tuple[VelocityMotor, VelocityMotor]:
        """V_FM and Ṡ u in F."""
        found = self.of.bending.moving(self.of.place, q, u)
        if found is None:
            V = VelocityMotor()
            for k, S in enumerate(self.carried(q)):
                V = V + S * u[k]
            found = V, self.transform(q) @ self.bias(q, u)
        return found

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return ca.SX(0, 1) if isinstance(u, ca.SX) else np.zeros(0)

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return self.qdot(q, qdot)
