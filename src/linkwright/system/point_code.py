"""Machine code over many points of a plan at once, several in the lanes of a processor (see `residuals`)."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from ..codegen import CompiledProgram, Program, Straight, compile_program, native_lanes
from .residuals import Implicit


class PointCode:
    """Rows (residuals, closing equations, limits), a cost, and their derivatives, at every point."""

    def __init__(self, point: Implicit, limits: ca.SX, cost: ca.SX):
        self.point = point
        v, c = point.variables, point.constants
        rows = ca.vertcat(point.residuals, point.closing, limits)
        self.n_rows = rows.numel()
        jacobian = ca.jacobian(rows, v)
        self.jacobian_pattern = jacobian.sparsity()
        weights, share = ca.SX.sym("weights", self.n_rows), ca.SX.sym("share")
        hessian = ca.triu(ca.hessian(ca.dot(weights, rows) + share * cost, v)[0])
        self.hessian_pattern = hessian.sparsity()
        slope = ca.densify(ca.gradient(cost, v))
        self._rows = _Batch("rows", {"v": v, "c": c}, {"rows": rows, "cost": cost})
        self._slopes = _Batch("slopes", {"v": v, "c": c}, {"jacobian": jacobian.nz[:], "slope": slope})
        self._bends = _Batch("bends", {"v": v, "c": c, "weights": weights, "share": share},
                             {"hessian": hessian.nz[:]}) if hessian.nnz() else None

    def values(self, v: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, cost) of every point."""
        out = self._rows(v, c)
        return out[:, : self.n_rows], out[:, -1]

    def slopes(self, v: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(entries of the Jacobian of the rows, gradient of the cost) of every point."""
        out = self._slopes(v, c)
        return out[:, : self.jacobian_pattern.nnz()], out[:, self.jacobian_pattern.nnz() :]

    def bends(self, v: np.ndarray, c: np.ndarray, weights: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Entries of the upper half of the Hessian of weights · rows + share × cost, of every point."""
        if self._bends is None:
            return np.zeros((len(v), 0))
        return self._bends(v, c, weights, shares[:, None])


class _Batch:
    """A compiled function, one row of numbers for each point."""

    def __init__(self, name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]):
        inputs = {key: value for key, value in inputs.items() if value.numel()}
        outputs = {key: value for key, value in outputs.items() if value.numel()}
        function = ca.Function(name, list(inputs.values()), [ca.densify(value) for value in outputs.values()])
        program = Program(name, [(key, value.numel()) for key, value in inputs.items()],
                          [(key, value.numel()) for key, value in outputs.items()],
                          [Straight(function, tuple(inputs), tuple(outputs))])
        self.code: CompiledProgram = compile_program(program, lanes=native_lanes())

    def __call__(self, *parts: np.ndarray) -> np.ndarray:
        return self.code.batch(np.hstack(parts))
