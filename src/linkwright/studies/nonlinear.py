"""The nonlinear programme of an optimal control problem, for IPOPT: four functions with exact sparse derivatives.

Unknowns are the variables of all points, then the duration T.  Rows are those of every point (equations of motion, then
limits), defects D x − T A ẋ of every entry of the state, then further linear rows.  Point by point the derivatives come
from compiled code; what ties points together is linear, or bilinear with T.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from scipy import sparse

from ..system.implicit import PointCode
from .transcription import Mesh


@dataclass(frozen=True)
class Ending:
    """A cost of the last point and the duration: value, gradient and Hessian over (variables, T)."""

    value: Callable[[np.ndarray], float]
    gradient: Callable[[np.ndarray], np.ndarray]
    hessian: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Programme:
    """Everything that the solver asks for."""

    code: PointCode
    mesh: Mesh
    constants: np.ndarray  # (points, …) of time, discrete variables and parameters
    ending: Ending | None
    linear: sparse.csr_matrix  # further rows over all unknowns
    parts: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return self.mesh.points * self.code.point.n + 1

    def split(self, unknowns: np.ndarray) -> tuple[np.ndarray, float]:
        """(variables of the points, duration)."""
        return unknowns[:-1].reshape(self.mesh.points, -1), float(unknowns[-1])

    # --- the rows ---

    def tied(self) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """(D, A) over all unknowns: D − T A are the defects."""
        point, (D, A) = self.code.point, self.mesh.defects()
        rows = (self.mesh.points - 1) * point.nx
        select = sparse.eye(point.nx, point.n, format="csr")
        slope = sparse.csr_matrix((np.ones(point.nx), (range(point.nx), point.slopes)), shape=(point.nx, point.n))
        empty = sparse.csr_matrix((rows, 1))
        return (sparse.hstack([sparse.kron(D, select), empty]).tocsr(),
                sparse.hstack([sparse.kron(A, slope), empty]).tocsr())


class Solver:
    """IPOPT on a programme."""

    def __init__(self, programme: Programme):
        self.p, self.D, self.A = programme, *programme.tied()
        code, points = programme.code, programme.mesh.points
        n_v, n = code.point.n, programme.n
        self.n_rows = points * code.n_rows
        # patterns: points one after another, then what ties them together
        rows, columns = (np.array(index, dtype=int) for index in code.jacobian_pattern.get_triplet())
        own_rows = (rows[None] + code.n_rows * np.arange(points)[:, None]).ravel()
        own_columns = (columns[None] + n_v * np.arange(points)[:, None]).ravel()
        tie = (abs(self.D) + abs(self.A) + sparse.csr_matrix(
            (np.ones(self.A.shape[0]), (range(self.A.shape[0]), [n - 1] * self.A.shape[0])),
            shape=self.A.shape)).tocoo()
        more = programme.linear.tocoo()
        self._tie = [np.asarray(matrix[tie.row, tie.col]).ravel() for matrix in (self.D, self.A)]
        self._of_time, self._rows_of_time = tie.col == n - 1, tie.row[tie.col == n - 1]
        self.jacobian = _Pattern(np.concatenate([own_rows, tie.row + self.n_rows,
                                                 more.row + self.n_rows + self.D.shape[0]]),
                                 np.concatenate([own_columns, tie.col, more.col]),
                                 (self.n_rows + self.D.shape[0] + more.shape[0], n))
        self._more = more.data
        h_rows, h_columns = (np.array(index, dtype=int) for index in code.hessian_pattern.get_triplet())
        offset = n_v * np.arange(points)[:, None]
        last = np.arange(n - 1 - n_v, n)
        upper = np.array([(i, j) for k, i in enumerate(last) for j in last[k:]], dtype=int).T
        self.hessian = _Pattern(np.concatenate([(h_rows[None] + offset).ravel(), np.arange(n - 1), upper[0]]),
                                np.concatenate([(h_columns[None] + offset).ravel(), np.full(n - 1, n - 1), upper[1]]),
                                (n, n))
        self._upper = upper - (n - 1 - n_v)

    def solve(self, guess: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], limits: tuple[np.ndarray, np.ndarray],
              options: dict[str, object], multipliers: np.ndarray | None = None) -> tuple[np.ndarray, dict]:
        """(unknowns, what the solver says of them)."""
        dense, n, m = ca.Sparsity.dense, self.p.n, self.jacobian.shape[0]
        x, nothing = dense(n, 1), dense(0, 1)
        both = _Callback("nlp", [x, nothing], [dense(1, 1), dense(m, 1)],
                         lambda v, _: [self.goal(v)[0], self.rows(v)])
        slopes = _Callback("nlp_jac_g", [x, nothing], [dense(m, 1), self.jacobian.sparsity],
                           lambda v, _: [self.rows(v), self.jacobian.gather(self.jacobian_entries(v))])
        gradient = _Callback("nlp_grad_f", [x, nothing], [dense(1, 1), x], lambda v, _: list(self.goal(v)))
        bends = _Callback("nlp_hess_l", [x, nothing, dense(1, 1), dense(m, 1)], [self.hessian.sparsity],
                          lambda v, _, s, w: [self.hessian.gather(self.hessian_entries(v, float(s[0]), w))])
        symbol = ca.MX.sym("x", n)
        value = both(symbol, ca.MX(0, 1))
        solver = ca.nlpsol("plan", "ipopt", {"x": symbol, "f": value[0], "g": value[1]},
                           {"jac_g": slopes, "hess_lag": bends, "grad_f": gradient, "no_nlp_grad": True,
                            "print_time": False, "error_on_fail": False, **options})
        found = solver(x0=guess, lbx=bounds[0], ubx=bounds[1], lbg=limits[0], ubg=limits[1])
        return np.array(found["x"]).ravel(), {**solver.stats(), "rows": np.array(found["g"]).ravel()}

    # --- values ---

    def goal(self, unknowns: np.ndarray) -> tuple[float, np.ndarray]:
        """The goal and its gradient."""
        p = self.p
        v, duration = p.split(unknowns)
        _, cost = p.code.values(v, p.constants)
        _, slope = p.code.slopes(v, p.constants)
        weights, gradient = p.mesh.weights, np.zeros(p.n)
        gradient[:-1] = (duration * weights[:, None] * slope).ravel()
        gradient[-1] = weights @ cost
        value = duration * float(weights @ cost)
        if p.ending is not None:
            end = np.append(v[-1], duration)
            value += p.ending.value(end)
            gradient[-len(end) :] += p.ending.gradient(end)
        return value, gradient

    def rows(self, unknowns: np.ndarray) -> np.ndarray:
        v, duration = self.p.split(unknowns)
        rows, _ = self.p.code.values(v, self.p.constants)
        return np.concatenate([rows.ravel(), self.D @ unknowns - duration * (self.A @ unknowns),
                               self.p.linear @ unknowns])

    def jacobian_entries(self, unknowns: np.ndarray) -> np.ndarray:
        v, duration = self.p.split(unknowns)
        own, _ = self.p.code.slopes(v, self.p.constants)
        tie = self._tie[0] - duration * self._tie[1]
        tie[self._of_time] = -(self.A @ unknowns)[self._rows_of_time]
        return np.concatenate([own.ravel(), tie, self._more])

    def hessian_entries(self, unknowns: np.ndarray, share: float, multipliers: np.ndarray) -> np.ndarray:
        p, n_v = self.p, self.p.code.point.n
        v, duration = p.split(unknowns)
        weights = multipliers[: self.n_rows].reshape(p.mesh.points, -1)
        own = p.code.bends(v, p.constants, weights, share * duration * p.mesh.weights)
        # ∂²/∂v∂T: of the cost, and of the defects −T A ẋ
        _, slope = p.code.slopes(v, p.constants)
        across = share * (p.mesh.weights[:, None] * slope).ravel()
        across -= (self.A.T @ multipliers[self.n_rows : self.n_rows + self.A.shape[0]])[:-1]
        ending = np.zeros(self._upper.shape[1])
        if p.ending is not None:
            ending = share * p.ending.hessian(np.append(v[-1], duration))[self._upper[0], self._upper[1]]
        assert len(across) == p.mesh.points * n_v
        return np.concatenate([own.ravel(), across, ending])


class _Pattern:
    """Entries (row, column) that may repeat, summed up into a sparse matrix of CasADi."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]):
        self.shape = shape
        keys, self.places = np.unique(columns * shape[0] + rows, return_inverse=True)
        self.count = len(keys)
        self.sparsity = ca.Sparsity.triplet(*shape, (keys % shape[0]).tolist(), (keys // shape[0]).tolist())

    def gather(self, entries: np.ndarray) -> np.ndarray:
        return np.bincount(self.places, weights=entries, minlength=self.count)


class _Callback(ca.Callback):
    """A function of NumPy arrays that CasADi can call."""

    def __init__(self, name: str, inputs: Sequence[ca.Sparsity], outputs: Sequence[ca.Sparsity], function: Callable):
        ca.Callback.__init__(self)
        self._inputs, self._outputs, self._function = list(inputs), list(outputs), function
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_sparsity_in(self, k: int) -> ca.Sparsity:
        return self._inputs[k]

    def get_sparsity_out(self, k: int) -> ca.Sparsity:
        return self._outputs[k]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Sequence, results: Sequence) -> int:
        """Straight from and into the memory of the solver."""
        found = self._function(*[np.frombuffer(a) if a is not None and len(a) else np.zeros(0) for a in arguments])
        for value, out in zip(found, results, strict=True):
            if out is not None and len(out):
                np.frombuffer(out)[:] = np.ravel(value)
        return 0
