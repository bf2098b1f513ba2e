"""Kinds that do not turn: Weld, Translation."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ...algebra import Numbers, Transform, VectorLike
from ..closing import ROTATION, Closing, same_axes
from ..mobilizer import UnitColumns


@dataclass(frozen=True)
class Weld(UnitColumns):
    """No freedom."""

    def transform(self, q: VectorLike) -> Transform:
        return Transform()


@dataclass(frozen=True)
class Translation(UnitColumns):
    """3 dof: position of M's origin in F."""

    nq, nu, names, unit_columns = 3, 3, ("x", "y", "z"), (3, 4, 5)

    def transform(self, q: VectorLike) -> Transform:
        return Transform(None, q[0:3])

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.array(X_FM.p)

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # R = 1
        return Closing(same_axes(R), ROTATION, lengths=(p[0], p[1], p[2]), speeds=R @ V[3:6])
