"""A body that bends by a little, as a sum of shapes: displacements of its points are linear in q, and a bit more.

A point at c in B, when nothing is bent, is at r = c + Σ φ_k η_k.  The first amplitudes η are the coordinates q.  Others
follow from them as η_a = ½ qᵀ C_a q: they are how points of a slender part come nearer to its axis when it bends.  This
is small, but it is what makes a blade stiffer when it spins (geometric stiffening).  As a displacement it is felt by
all forces and inertia alike, so that energy and momentum are kept.  With integrals over mass

    Ct_k = ∫φ_k,  C2_k = ∫c×φ_k,  C3_lk = ∫φ_l×φ_k,  J1_k = −∫c̃φ̃_k,  J2_kl = −∫φ̃_kφ̃_l,  Me_kl = ∫φ_k·φ_l

    mc = mc₀ + Σ η_k Ct_k
    J  = J₀ + Σ η_k (J1_k + J1_kᵀ) + ΣΣ η_k η_l J2_kl
    N_k = (Ct_k;  C2_k + Σ η_l C3_lk),      H = Me          over η, and N B, Bᵀ Me B over q, where η̇ = B(q) q̇

which is exact.  Frames are turned by exp(Σ ψ_k η_k).  Cf. Wallrapp, Standardization of flexible body modeling in
multibody system codes (Mech. Struct. Mach. 22, 1994), who keeps J to first order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import (
    Array,
    Inertia,
    MomentumMotor,
    Tangent,
    Transform,
    VectorLike,
    VelocityMotor,
    exponential,
    stack,
)
from ..bending import Bending
from ..tolerances import SMALL_BEND


@dataclass(frozen=True, eq=False)
class Place:
    """A frame on the body: where it is, and how it moves and turns with each shape (3 × shapes), in B's axes."""

    origin: np.ndarray
    phi: np.ndarray
    psi: np.ndarray

    @classmethod
    def still(cls, shapes: int) -> Place:
        """B itself."""
        return cls(np.zeros(3), np.zeros((3, shapes)), np.zeros((3, shapes)))


@dataclass(frozen=True, eq=False)
class Integrals:
    """The integrals over mass, as in the equations above."""

    m: float
    mc: np.ndarray
    J0: np.ndarray
    Ct: np.ndarray
    C2: np.ndarray
    C3: np.ndarray
    J1: np.ndarray
    J2: np.ndarray
    Me: np.ndarray

    @classmethod
    def of_points(cls, m: np.ndarray, c: np.ndarray, phi: np.ndarray) -> Integrals:
        """Of point masses (P) at c (P × 3) with shapes φ (P × 3 × n)."""
        phi_k = np.moveaxis(phi, 2, 0)  # n × P × 3
        C, F = skews(c), skews(phi_k)
        return cls(
            float(m.sum()), m @ c, -np.einsum("p,pab,pbc->ac", m, C, C), np.einsum("p,kpa->ka", m, phi_k),
            np.einsum("p,kpa->ka", m, np.cross(c[None], phi_k)),
            np.einsum("p,lkpa->lka", m, np.cross(phi_k[:, None], phi_k[None])),
            -np.einsum("p,pab,kpbc->kac", m, C, F), -np.einsum("p,kpab,lpbc->klac", m, F, F),
            np.einsum("p,kpa,lpa->kl", m, phi_k, phi_k))

    def first(self, n: int) -> Integrals:
        """Of the first n shapes alone."""
        return Integrals(self.m, self.mc, self.J0, self.Ct[:n], self.C2[:n], self.C3[:n, :n], self.J1[:n],
                         self.J2[:n, :n], self.Me[:n, :n])


@dataclass(frozen=True, eq=False)
class Modal(Bending):
    """Shapes with amplitudes q, those that follow by `quadratic` (C: further shapes × n × n), frames at `places`."""

    integrals: Integrals
    places: tuple[Place, ...]
    quadratic: np.ndarray | None = None
    scale: float | ca.SX = 1.0  # of mass

    names: tuple[str, ...] = field(default=(), init=False)

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.integrals.Ct) - (0 if self.quadratic is None else len(self.quadratic))

    @property
    def spread(self) -> float:  # type: ignore[override]
        """A few per cent of its size, by the place that moves most."""
        most = max((np.max(np.abs(part), initial=0.0) for place in self.places
                    for part in (place.phi[:, : self.size] / self._extent, place.psi[:, : self.size])), default=0.0)
        return min(1.0, SMALL_BEND / most) if most else 1.0

    @property
    def _extent(self) -> float:
        """Its size, from its inertia."""
        i = self.integrals
        return float(np.sqrt(np.trace(i.J0) / i.m)) if i.m > 0 and np.trace(i.J0) > 0 else 1.0

    def _amplitudes(self, q: Any) -> Array:
        """η of q."""
        if self.quadratic is None:
            return q
        return stack(q, *[_dot(q, C @ q) / 2 for C in self.quadratic])

    def _over_q(self, q: Any, over: list) -> list:
        """What belongs to amplitudes, as what belongs to q: Σ over_a ∂η_a/∂q_k."""
        n = self.size
        if self.quadratic is None:
            return over
        slopes = [C @ q for C in self.quadratic]
        return [over[k] + sum((over[n + a] * slope[k] for a, slope in enumerate(slopes)), over[k] * 0.0)
                for k in range(n)]

    def frame(self, place: int, q: VectorLike) -> Transform:
        here, eta = self.places[place], self._amplitudes(q)
        turn = exponential(VelocityMotor(here.psi @ eta, (0, 0, 0)))
        return Transform(turn.R, here.origin + here.phi @ eta)

    def frame_columns(self, place: int, q: VectorLike) -> list[VelocityMotor]:
        here, eta = self.places[place], self._amplitudes(q)
        turn = VelocityMotor(here.psi @ eta, (0, 0, 0))
        R, T = exponential(turn).R, Tangent(-turn)
        return self._over_q(q, [VelocityMotor(T.t @ here.psi[:, k], R.T @ here.phi[:, k])
                                for k in range(here.phi.shape[1])])

    def inertia(self, q: VectorLike) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
        i, eta = self.integrals, self._amplitudes(q)
        shapes, scale = len(i.Ct), self.scale
        mc, J = i.mc + i.Ct.T @ eta, ca.SX(i.J0)
        second = (i.J2 + np.swapaxes(i.J2, 0, 1)) / 2
        for k in range(shapes):
            J = J + eta[k] * ca.SX(i.J1[k] + i.J1[k].T)
            for j in range(k + 1):
                part = (second[k, j] + second[k, j].T) / (2 if j == k else 1)
                if np.any(part):
                    J = J + (eta[k] * eta[j]) * ca.SX(part)
        N = [MomentumMotor(i.Ct[k], i.C2[k] + i.C3[:, k].T @ eta) * scale for k in range(shapes)]
        rows = self._over_q(q, [ca.SX(row) for row in i.Me])
        H = ca.horzcat(*self._over_q(q, ca.horzsplit(ca.vertcat(*[row.T for row in rows]))))
        return Inertia.from_moments(scale * i.m, scale * mc, scale * J), self._over_q(q, N), scale * H


def _dot(a: Any, b: Any) -> Any:
    return ca.dot(a, b) if isinstance(a, ca.SX) else np.dot(a, b)


def skews(a: np.ndarray) -> np.ndarray:
    """[a]× over the last axis."""
    x, y, z = np.moveaxis(a, -1, 0)
    none = np.zeros_like(x)
    return np.moveaxis(np.array([[none, -z, y], [z, none, -x], [-y, x, none]]), (0, 1), (-2, -1))
