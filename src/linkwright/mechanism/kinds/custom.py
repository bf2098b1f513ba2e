"""Mobilizers made from others or from a user's own formulas: Reversed, FunctionBased, Custom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...algebra import Array, Numbers, Transform, VectorLike, VelocityMotor, axis_rotation, unit
from ...errors import ModelError
from ..mobilizer import Mobilizer


@dataclass(frozen=True)
class Reversed(Mobilizer):
    """The kind `forward` with parent and child swapped: X_FM = X_MF(q)⁻¹, the same q, u and N.

    With V_MF = Σ S_k u_k in F the columns are −X_MF S_k, and since the frame's own motion is V_MF itself its turning of
    V_MF vanishes (V × V = 0): the bias is −X_MF (Ṡ u).
    """

    forward: Mobilizer

    nq = property(lambda self: self.forward.nq)
    nu = property(lambda self: self.forward.nu)
    quaternion = property(lambda self: self.forward.quaternion)
    names = property(lambda self: self.forward.names)
    free = property(lambda self: self.forward.free)
    spread = property(lambda self: self.forward.spread)

    def transform(self, q: VectorLike) -> Transform:
        return self.forward.transform(q).inverse()

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        X_MF = self.forward.transform(q)
        return [-(X_MF @ S) for S in self.forward.columns(q)]

    def bias(self, q: VectorLike, u: VectorLike) -> VelocityMotor:
        return -(self.forward.transform(q) @ self.forward.bias(q, u))

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return self.forward.qdot(q, u)

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return self.forward.speeds(q, qdot)

    def default(self) -> np.ndarray:
        return self.forward.default()

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return self.forward.fit(X_FM.inverse(), guess)


def reverse(mobilizer: Mobilizer) -> Mobilizer:
    """`mobilizer` with parent and child swapped; twice is once not at all."""
    return mobilizer.forward if isinstance(mobilizer, Reversed) else Reversed(mobilizer)


def _check_dof(dof: int) -> None:
    if not 1 <= dof <= 6:
        raise ModelError(f"a mobilizer has 1 to 6 degrees of freedom, not {dof}.")


@dataclass(frozen=True)
class Custom(Mobilizer):
    """A user's own mobilizer from its transform alone: speeds are q̇, the rest is derived.

    `pose(q)` returns a Transform made of `lw.sin`, `lw.rotation_z`, …; it is traced once.
    """

    dof: int
    pose: Callable[..., Transform]
    start: tuple[float, ...] | None = None

    nq = property(lambda self: self.dof)
    nu = property(lambda self: self.dof)
    names = property(lambda self: tuple(f"q_{k + 1}" for k in range(self.dof)))

    def __post_init__(self) -> None:
        _check_dof(self.dof)

    def transform(self, q: VectorLike) -> Transform:
        X = self.pose(q)
        if not isinstance(X, Transform):
            raise ModelError(f"the transform of a custom mobilizer must be a lw.Transform, got {type(X).__name__}.")
        return X

    def default(self) -> np.ndarray:
        return np.zeros(self.dof) if self.start is None else np.array(self.start, dtype=float)


@dataclass(frozen=True)
class FunctionBased(Mobilizer):
    """1–6 dof: three rotations and three translations, each a function of q along its own axis.

    `functions` are six callables f(q) → number, the first three angles about `axes[0..2]` (body fixed, one after the
    other), the last three distances along `axes[3..5]` (in F): R = R(a₁, f₁) R(a₂, f₂) R(a₃, f₃), p = Σ a_k f_k.
    None stands for zero.
    """

    dof: int
    functions: tuple[Callable | None, ...]
    axes: tuple[tuple[float, float, float], ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1)) * 2

    nq = property(lambda self: self.dof)
    nu = property(lambda self: self.dof)
    names = property(lambda self: tuple(f"q_{k + 1}" for k in range(self.dof)))

    def __post_init__(self) -> None:
        _check_dof(self.dof)
        if len(self.functions) != 6 or len(self.axes) != 6:
            raise ModelError("a function-based mobilizer has six functions (three rotations, three translations) "
                             f"and six axes; got {len(self.functions)} and {len(self.axes)}.")
        for k, axis in enumerate(self.axes):
            if self.functions[k] is not None:
                unit(axis, f"function-based mobilizer: axes[{k}]")

    def transform(self, q: VectorLike) -> Transform:
        values = [0.0 if f is None else f(q) for f in self.functions]
        R, p = np.eye(3), np.zeros(3)
        for k in range(3):
            if self.functions[k] is not None:
                R = R @ axis_rotation(self.axes[k], values[k])
            if self.functions[3 + k] is not None:
                p = p + np.array(self.axes[3 + k], dtype=float) * values[3 + k]
        return Transform(R, p)
