"""What a mobilizer is: coordinates q, speeds u, and the motion of frame M in frame F they describe.

A kind states `transform` X_FM(q).  Everything else can be derived from it:

    V_FM = Σ S_k(q) u_k      the motion subspace (columns S_k), expressed in M at M's origin
    Ṡ u                      the bias, the part of V̊_FM that does not come from u̇
    q̇ = N(q) u               here N = 1; kinds whose speeds are not q̇ state their own N

The built-in kinds state their columns too, because tracing does not simplify cos² + sin²; and the common ones the
equations by which they close a loop (`closing`).  A joint of another kind closes a loop by splitting a part.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ..algebra import (
    Array,
    MotorDyad,
    Numbers,
    Transform,
    VectorLike,
    VelocityMotor,
    is_symbolic,
    rotation_vector,
    stack,
)
from ..building import cached_property
from .closing import Closing
from .tolerances import BETTER_FIT, EXACT_FIT, FIT_STARTS, FITTED


class Mobilizer:
    """Base of all kinds; the derived part needs nothing but `nq`, `nu` and `transform`."""

    nq: int = 0
    nu: int = 0
    quaternion: int | None = None  # where a unit quaternion starts in q
    about_z: bool = False  # whether the rotation is rotation_z(q[0]) and nothing else
    names: tuple[str, ...] = ()  # coordinates, for messages and reports
    letter: str = ""  # R, P, U, S where loops with such joints have closed forms
    free: bool = False  # whether it binds nothing, so that cutting it takes no equations
    spread: float = 1.0  # how far from their defaults coordinates are in a general position
    turns: bool = False  # whether all coordinates are angles that may be counted from another turn
    rides: bool = False  # whether it moves with coordinates of the parent, having none itself
    turns_over: bool = False  # whether X_FM⁻¹(q) is X_FM(q) with both frames turned over (half a turn about x)

    def transform(self, q: VectorLike) -> Transform:
        """X_FM(q)."""
        raise NotImplementedError

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        """The motion subspace: V_FM = Σ S_k u_k, expressed in M at M's origin."""
        return [VelocityMotor.from_vector(S) for S in self._derived[0].columns(q)]

    def units(self) -> tuple[int | None, ...]:
        """For each column that is a constant unit motor its place in (ωx, ωy, ωz, vx, vy, vz), else None."""
        return (None,) * self.nu

    def bias(self, q: VectorLike, u: VectorLike) -> VelocityMotor:
        """Ṡ u: the derivative of V_FM (in M's axes) while u stands still."""
        if all(unit is not None for unit in self.units()):
            return VelocityMotor()
        return VelocityMotor.from_vector(self._derived[1].columns(q, u)[0])

    @cached_property
    def _derived(self) -> tuple[_Derived, _Derived]:
        """(q → H as 6×nu, (q, u) → Ḣ u) by differentiating the transform: ω = vee(Rᵀ Ṙ), v = Rᵀ ṗ with q̇ = u."""
        q, u = ca.SX.sym("q", self.nq), ca.SX.sym("u", self.nu)
        V = _rate(self, q, u)
        return _Derived([q], ca.jacobian(V, u)), _Derived([q, u], ca.jtimes(V, q, self.qdot(q, u)))

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        """How the joint closes a loop, for the pose R, p of M in F and V = V_FM, six numbers (ω, v) in M's axes."""
        return Closing(ca.SX(0, 1), ())

    @property
    def closes(self) -> bool:
        """Whether the kind states how it closes a loop."""
        return type(self).closing is not Mobilizer.closing

    def qdot(self, q: VectorLike, u: Array) -> Array:
        """q̇ = N(q) u."""
        return u

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        """u = N⁺(q) q̇."""
        return qdot

    def carry(self, q: VectorLike, dyad: MotorDyad) -> MotorDyad:
        """X_FM @ dyad: a dyad given in M, in F; a turn about z alone takes half the operations."""
        X_FM = self.transform(q)
        if self.about_z:
            return dyad.turned_about_z(ca.cos(q[0]), ca.sin(q[0])).moved(X_FM.p)
        return X_FM @ dyad

    def default(self) -> np.ndarray:
        """The coordinates at which a state starts when nothing else is said."""
        return np.zeros(self.nq)

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        """The coordinates whose pose comes nearest to `X_FM` (least squares over position and rotation vector)."""
        from scipy.optimize import least_squares

        if self.nq == 0:
            return np.zeros(0)

        R_FM, p_FM = in_numbers(X_FM)

        def gap(q: np.ndarray) -> np.ndarray:
            R, p = in_numbers(self.transform(self.normalised(q)))
            return np.concatenate([p - p_FM, rotation_vector(R.T @ R_FM)])

        start = self.default() if guess is None else np.asarray(guess, dtype=float)
        best, cost = start, np.inf
        for shift in self._starts():
            found = least_squares(gap, start + shift, xtol=FITTED, ftol=FITTED, gtol=FITTED)
            if found.cost < cost - BETTER_FIT:
                best, cost = found.x, found.cost
            if cost < EXACT_FIT:
                break
        return self.normalised(best)

    def _starts(self) -> list[np.ndarray]:
        """Offsets tried one after another by `fit`, so that a start on a symmetry axis is left."""
        random = np.random.default_rng(0)
        return [np.zeros(self.nq), *random.uniform(-1.5, 1.5, size=(FIT_STARTS, self.nq))]

    def fit_velocity(self, q: VectorLike, V_FM: VelocityMotor) -> np.ndarray:
        """The speeds whose velocity comes nearest to `V_FM` (given in M)."""
        if self.nu == 0:
            return np.zeros(0)
        H = np.column_stack([S.vector() for S in self.columns(q)])
        return np.linalg.lstsq(H, V_FM.vector(), rcond=None)[0]

    def normalised(self, q: Numbers) -> np.ndarray:
        """q with its quaternion brought to unit length."""
        if self.quaternion is None:
            return np.asarray(q, dtype=float)
        q = np.array(q, dtype=float)
        part = slice(self.quaternion, self.quaternion + 4)
        q[part] /= np.linalg.norm(q[part])
        return q


#: the six unit motors, in the order (ωx, ωy, ωz, vx, vy, vz)
UNIT = [VelocityMotor(np.eye(6)[k][:3], np.eye(6)[k][3:]) for k in range(6)]


class UnitColumns(Mobilizer):
    """A kind whose columns are constant unit motors, listed in `unit_columns`."""

    unit_columns: tuple[int, ...] = ()

    def units(self) -> tuple[int | None, ...]:
        return self.unit_columns

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return [UNIT[k] for k in self.unit_columns]


def velocity(mobilizer: Mobilizer, q: VectorLike, u: VectorLike) -> VelocityMotor:
    """V_FM = Σ S_k u_k."""
    V = VelocityMotor()
    for k, S in enumerate(mobilizer.columns(q)):
        V = V + S * u[k]
    return V


def in_numbers(X: Transform) -> tuple[np.ndarray, np.ndarray]:
    """(R, p) of a pose without symbols."""
    assert isinstance(X.R, np.ndarray) and isinstance(X.p, np.ndarray), "coordinates are fitted to numbers"
    return X.R, X.p


class _Derived:
    """An expression as a function of its arguments; parameters a kind holds inside are put back at the call."""

    def __init__(self, arguments: list, expression: ca.SX) -> None:
        known = ca.vertcat(*arguments)
        self.free = ca.vertcat(*[s for s in ca.symvar(expression) if not ca.depends_on(known, s)])
        self.function = ca.Function("derived", [*arguments, self.free], [ca.densify(expression)])

    def columns(self, *values: Any) -> list:
        """The columns of the result: floats where everything that enters is a number."""
        result = self.function(*values, self.free)
        if not is_symbolic(*values, self.free):
            return list(np.array(ca.DM(result)).T)
        return ca.horzsplit(result)


def _rate(mobilizer: Mobilizer, q: ca.SX, u: ca.SX) -> Array:
    """V_FM as six numbers: from stated columns where a kind has them, else from its transform."""
    if type(mobilizer).columns is not Mobilizer.columns:
        return velocity(mobilizer, q, u).vector()
    X = mobilizer.transform(q)
    R, p = ca.SX(X.R), ca.SX(X.p)
    qdot = mobilizer.qdot(q, u)
    spin = R.T @ ca.reshape(ca.jtimes(ca.vec(R), q, qdot), 3, 3)
    return stack(spin[2, 1], spin[0, 2], spin[1, 0], R.T @ ca.jtimes(p, q, qdot))
