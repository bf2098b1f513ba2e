"""The nonlinear programme of an optimal control problem, for IPOPT: four functions with exact sparse derivatives.

Unknowns are the variables of all points, then the duration T.  Rows are those of every point (equations of motion, then
limits), defects D x − T A ẋ of every entry of the state, then further linear rows.  Point by point the derivatives come
from compiled code; what ties points together is linear, or bilinear with T.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from scipy import sparse

from ..system import PointCode
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
    constants: np.ndarray  # (points, …) of time, discrete variables, parameters, turns
    ending: Ending | None
    linear: sparse.csr_matrix  # further rows over all unknowns
    in_force: np.ndarray  # (points, rows of a point): which rows have bounds
    free_duration: bool
    share: float = 1.0  # by which the integral counts in the goal

    @property
    def n(self) -> int:
        return self.mesh.points * self.code.point.n + 1

    def split(self, unknowns: np.ndarray) -> tuple[np.ndarray, float]:
        """(variables of the points, duration)."""
        return unknowns[:-1].reshape(self.mesh.points, -1), float(unknowns[-1])

    def tied(self) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """(D, A) over all unknowns: D − T A are the defects; at nodes loops shift the state (`system.residuals`)."""
        point, mesh, (D, A) = self.code.point, self.mesh, self.mesh.defects()
        rows = (mesh.points - 1) * point.nx
        select = sparse.eye(point.nx, point.n, format="csr")
        slope = sparse.csr_matrix((np.ones(point.nx), (range(point.nx), point.slopes)), shape=(point.nx, point.n))
        empty = sparse.csr_matrix((rows, 1))
        shift = range(point.n)[point.places["delta"]]
        nodes = sparse.csr_matrix((np.ones(len(mesh.shares)), (mesh.nodes[1:] - 1, mesh.nodes[1:])), shape=D.shape)
        shifted = sparse.csr_matrix((np.ones(len(shift)), (range(len(shift)), shift)), shape=select.shape)
        return (sparse.hstack([sparse.kron(D, select) - sparse.kron(nodes, shifted), empty]).tocsr(),
                sparse.hstack([sparse.kron(A, slope), empty]).tocsr())


class Solver:
    """IPOPT on a programme."""

    def __init__(self, programme: Programme):
        self.p, self.D, self.A = programme, *programme.tied()
        code, points = programme.code, programme.mesh.points
        n_v, n = code.point.n, programme.n
        self.kept = programme.in_force.ravel()
        self.n_rows = int(self.kept.sum())
        self._last: dict[str, tuple] = {}
        # patterns: points one after another, then what ties them together
        numbers = np.cumsum(self.kept) - 1
        rows, columns = (np.array(index, dtype=int) for index in code.jacobian_pattern.get_triplet())
        own_rows = (rows[None] + code.n_rows * np.arange(points)[:, None]).ravel()
        own_columns = (columns[None] + n_v * np.arange(points)[:, None]).ravel()
        self._own = self.kept[own_rows]
        tie = abs(self.D) + abs(self.A)
        if programme.free_duration:
            tie = tie + sparse.csr_matrix((np.ones(len_ := self.A.shape[0]), (range(len_), [n - 1] * len_)), tie.shape)
        tie, more = tie.tocoo(), programme.linear.tocoo()
        self._tie = [np.asarray(matrix[tie.row, tie.col]).ravel() for matrix in (self.D, self.A)]
        self._of_time, self._rows_of_time = tie.col == n - 1, tie.row[tie.col == n - 1]
        self.jacobian = _Pattern(np.concatenate([numbers[own_rows[self._own]], tie.row + self.n_rows,
                                                 more.row + self.n_rows + self.D.shape[0]]),
                                 np.concatenate([own_columns[self._own], tie.col, more.col]),
                                 (self.n_rows + self.D.shape[0] + more.shape[0], n))
        self._more = more.data
        h_rows, h_columns = (np.array(index, dtype=int) for index in code.hessian_pattern.get_triplet())
        offset = n_v * np.arange(points)[:, None]
        across = np.arange(n - 1 if programme.free_duration else 0)
        last = np.arange(n - 1 - n_v, n if programme.ending is not None else 0)
        upper = np.array([(i, j) for k, i in enumerate(last) for j in last[k:]], dtype=int).reshape(-1, 2).T
        self.hessian = _Pattern(np.concatenate([(h_rows[None] + offset).ravel(), across, upper[0]]),
                                np.concatenate([(h_columns[None] + offset).ravel(), np.full(len(across), n - 1),
                                                upper[1]]), (n, n))
        self._upper = upper - (n - 1 - n_v)

    def solve(self, guess: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], limits: tuple[np.ndarray, np.ndarray],
              options: dict[str, object]) -> tuple[np.ndarray, dict]:
        """(unknowns, what the solver says of them); `limits` are those of the rows of points."""
        dense, n, m = ca.Sparsity.dense, self.p.n, self.jacobian.shape[0]
        x, nothing = dense(n, 1), dense(0, 1)
        both = Callback("nlp", [x, nothing], [dense(1, 1), dense(m, 1)],
                         [lambda v, _: self.goal(v), lambda v, _: self.rows(v)])
        slopes = Callback("nlp_jac_g", [x, nothing], [dense(m, 1), self.jacobian.sparsity],
                           [lambda v, _: self.rows(v), lambda v, _: self.jacobian.gather(self.jacobian_entries(v))])
        gradient = Callback("nlp_grad_f", [x, nothing], [dense(1, 1), x],
                             [lambda v, _: self.goal(v), lambda v, _: self.gradient(v)])
        bends = Callback("nlp_hess_l", [x, nothing, dense(1, 1), dense(m, 1)], [self.hessian.sparsity],
                          [lambda v, _, s, w: self.hessian.gather(self.hessian_entries(v, float(s[0]), w))])
        symbol = ca.MX.sym("x", n)
        value = both(symbol, ca.MX(0, 1))
        problem: Any = {"x": symbol, "f": value[0], "g": value[1]}
        settings: Any = {"jac_g": slopes, "hess_lag": bends, "grad_f": gradient, "no_nlp_grad": True,
                         "print_time": False, "error_on_fail": False, **options}
        solver = ca.nlpsol("plan", "ipopt", problem, settings)
        rest = np.zeros(m - self.n_rows)
        low, high = (np.concatenate([limit.ravel()[self.kept], rest]) for limit in limits)
        found = solver(x0=guess, lbx=bounds[0], ubx=bounds[1], lbg=low, ubg=high)
        unknowns = np.array(found["x"]).ravel()
        return unknowns, {**solver.stats(), "rows": self.all_rows(unknowns)}

    # --- values ---

    def _values(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, cost) of the points; the solver asks for them one after the other."""
        return self._once("values", unknowns)

    def _slopes(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(entries of the Jacobian of the rows, gradient of the cost) of the points."""
        return self._once("slopes", unknowns)

    def _once(self, what: str, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        known = self._last.get(what)
        if known is None or not np.array_equal(known[0], unknowns):
            made = getattr(self.p.code, what)(self.p.split(unknowns)[0], self.p.constants)
            known = self._last[what] = unknowns.copy(), made
        return known[1]

    def goal(self, unknowns: np.ndarray) -> float:
        """The goal: ∫ of the cost, and the cost of the end."""
        v, duration = self.p.split(unknowns)
        value = self.p.share * duration * float(self.p.mesh.weights @ self._values(unknowns)[1])
        return value if self.p.ending is None else value + self.p.ending.value(np.append(v[-1], duration))

    def gradient(self, unknowns: np.ndarray) -> np.ndarray:
        p = self.p
        v, duration = p.split(unknowns)
        slope, out = self._slopes(unknowns)[1], np.zeros(p.n)
        out[:-1] = (p.share * duration * p.mesh.weights[:, None] * slope).ravel()
        if p.free_duration:
            out[-1] = p.share * (p.mesh.weights @ self._values(unknowns)[1])
        if p.ending is not None:
            out[-v.shape[1] - 1 :] += p.ending.gradient(np.append(v[-1], duration))
        return out

    def rows(self, unknowns: np.ndarray) -> np.ndarray:
        """The rows in force."""
        return self._with_ties(self._values(unknowns)[0].ravel()[self.kept], unknowns)

    def all_rows(self, unknowns: np.ndarray) -> np.ndarray:
        """The rows of all points, in force or not, then what ties them together."""
        return self._with_ties(self._values(unknowns)[0].ravel(), unknowns)

    def _with_ties(self, own: np.ndarray, unknowns: np.ndarray) -> np.ndarray:
        return np.concatenate([own, self.D @ unknowns - unknowns[-1] * (self.A @ unknowns), self.p.linear @ unknowns])

    def jacobian_entries(self, unknowns: np.ndarray) -> np.ndarray:
        own = self._slopes(unknowns)[0].ravel()[self._own]
        tie = self._tie[0] - unknowns[-1] * self._tie[1]
        if self.p.free_duration:
            tie[self._of_time] = -(self.A @ unknowns)[self._rows_of_time]
        return np.concatenate([own, tie, self._more])

    def hessian_entries(self, unknowns: np.ndarray, share: float, multipliers: np.ndarray) -> np.ndarray:
        p = self.p
        v, duration = p.split(unknowns)
        weights = np.zeros(len(self.kept))
        weights[self.kept] = multipliers[: self.n_rows]
        costs = share * p.share * p.mesh.weights
        entries = [p.code.bends(v, p.constants, weights.reshape(len(v), -1), duration * costs).ravel()]
        if p.free_duration:
            # ∂²/∂v∂T: of the cost, and of the defects −T A ẋ
            across = (costs[:, None] * self._slopes(unknowns)[1]).ravel()
            entries.append(across - (self.A.T @ multipliers[self.n_rows : self.n_rows + self.A.shape[0]])[:-1])
        if p.ending is not None:
            bend = share * p.ending.hessian(np.append(v[-1], duration))
            entries.append(bend[self._upper[0], self._upper[1]])
        return np.concatenate(entries)


class _Pattern:
    """Entries (row, column) that may repeat, summed up into a sparse matrix of CasADi."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]):
        self.shape = shape
        keys, self.places = np.unique(columns * shape[0] + rows, return_inverse=True)
        self.count = len(keys)
        self.sparsity = ca.Sparsity.triplet(*shape, (keys % shape[0]).tolist(), (keys // shape[0]).tolist())

    def gather(self, entries: np.ndarray) -> np.ndarray:
        return np.bincount(self.places, weights=entries, minlength=self.count)


class Callback(ca.Callback):
    """Functions of NumPy arrays, one for each output, that CasADi can call."""

    def __init__(self, name: str, inputs: Sequence[ca.Sparsity], outputs: Sequence[ca.Sparsity],
                 functions: Sequence[Callable]):
        ca.Callback.__init__(self)
        self._inputs, self._outputs, self._functions = list(inputs), list(outputs), list(functions)
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
        """Straight from and into the memory of the solver; what it does not ask for is not computed."""
        given = [np.frombuffer(a) if a is not None and len(a) else np.zeros(0) for a in arguments]
        for function, out in zip(self._functions, results, strict=True):
            if out is not None and len(out):
                np.frombuffer(out)[:] = function(*given)
        return 0
