"""Starts of many runs at once: loops closed and start values met by Newton's method on all of them together.

The conditions are those of the ordinary start (`start.StartProblem`), compiled, evaluated for all runs side by side;
the linear equations are solved by orthogonalisation, one elementary operation after the other on columns of runs, so
that the bits do not depend on a library.  It begins at the start of the model as it is, and goes to the conditions with
the values of every run; that is the ordinary start where the conditions leave nothing open.  Runs that do not come to
it within a few steps, or that end far away, where another branch may lie nearer to the guesses, are left to the
ordinary start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from ..codegen import Program, Straight, compile_program
from ..start import StartProblem, winding_places
from ..system import State, System, open_across
from .tolerances import CONVERGED, FAR, HOLDS, LEAVES_OPEN, NEWTON_STEPS


class StartProgram:
    """The start of a system as a function of its parameters and start values; `fits` where they determine it.

    `state` is the start with the values as they are, `names` are those that differ from run to run.
    """

    def __init__(self, system: System, state: State, names: Sequence[str]):
        self.system, self.state = system, state
        m = system.mechanism
        self.fits = False
        if m.start is None or system.starts_on is not None or system.layout.size("y") or m.events.locks:
            return
        self.problem = problem = StartProblem(system)
        if problem.empty or problem.free_places or problem.loose_places:
            return
        self.slots = {name: _slot(system, name) for name in names}
        self.values = {name: _value_rows(problem, name) for name, slot in self.slots.items() if slot is None}
        if any(not rows for rows in self.values.values()):
            return
        self.rows = self._rows(state)
        r, J = problem.evaluate(state)
        J = np.asarray(J.todense() if hasattr(J, "todense") else J)[self.rows]
        level_u, q, u = J[:, problem.part["u"]], J[:, problem.part["q"]], np.array(state.u)
        # speeds follow from conditions, or stay at rest
        self.moving_u = bool(np.any(u))
        determined = _full(q[problem.levels[self.rows] == 0]) and (not self.moving_u or _full(level_u))
        self.fits = bool(determined and np.abs(r[self.rows]).max(initial=0.0) <= HOLDS)
        if self.fits:
            self._compile()

    def _rows(self, state: State) -> np.ndarray:
        """Conditions that hold in every start: what must hold, and guesses of coordinates that loops close around."""
        problem = self.problem
        independent = ~problem.closed_forms.dependent | ~problem.bound
        r, J = problem.evaluate(state)
        J = np.asarray(J.todense() if hasattr(J, "todense") else J)[:, problem.part["q"]]
        kept = problem.fixed.copy()
        whole = bool(problem.closed_forms.rings) and not problem.closed_forms.partial or not problem.loop.any()
        if whole and not problem.leaves_open(state, problem.bound & ~problem.closed_forms.dependent):
            kept |= problem.said & (np.abs(r) <= HOLDS) & ~np.any(J[:, ~independent] != 0, axis=1)
        return np.flatnonzero(kept)

    def _compile(self) -> None:
        """Residuals, Jacobian, mobility and turns of joints that close loops, in one program."""
        problem, system = self.problem, self.system
        start = system.mechanism.start
        windings = () if start is None else start.windings
        wound = ca.vertcat(ca.SX(0, 1), *[w.wound for w in windings])
        e = system.equations
        symbols = [ca.vec(e.symbols[name]) for name in "tquzdp"]
        turns = ca.Function("turns", [ca.vertcat(*symbols, e.y)], [e.finish(wound)[0]])
        inputs = ca.SX.sym("values", problem.inputs.numel())
        q = inputs[1 : 1 + system.mechanism.nq]
        residual, jacobian, mobility = problem.numeric
        outputs = {"r": residual.program(inputs), "J": jacobian.program(inputs), "N": mobility.program(q),
                   "turns": turns(inputs)}
        outputs = {name: ca.densify(ca.vec(value)) for name, value in outputs.items() if value.numel()}
        function = ca.Function("start", [inputs], list(outputs.values()))
        sizes = [(name, value.numel()) for name, value in outputs.items()]
        self.code = compile_program(Program("start", [("values", inputs.numel())], sizes,
                                            [Straight(function, ("values",), tuple(outputs))]))
        self.places = {name: self.code.slice_out(name) for name in outputs}
        self.counters = [k for places in winding_places(system).values() for k in places]

    def starts(self, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Input vectors (t, q, u, z, d, p, f, y), a row for each run, and which of them are starts."""
        system, problem = self.system, self.problem
        n = len(next(iter(columns.values())))
        parts = {name: np.tile(np.asarray(getattr(self.state, name), dtype=float), (n, 1)) for name in "quzdpy"}
        parts["t"] = np.zeros((n, 1))
        offsets = np.zeros((n, problem.fixed.size))
        for name, column in columns.items():
            values, slot = entries(column), self.slots[name]
            if slot is not None:
                parts[slot[0]][:, slot[1]] = values
                continue
            for k, row in enumerate(self.values[name]):
                offsets[:, row] = problem.labels[row][2] - values[:, k]
        good, far = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
        done = np.zeros(n, dtype=bool)
        begun = parts["q"].copy()
        with np.errstate(all="ignore"):
            for _ in range(NEWTON_STEPS):
                out = self.code.batch(np.concatenate([parts[name] for name in "tquzdpy"], axis=1))
                r = (out[:, self.places["r"]] + offsets)[:, self.rows]
                size = np.abs(r).max(axis=1, initial=0.0)
                good &= np.isfinite(size)
                done = size < CONVERGED
                if np.all(done | ~good):
                    break
                self._step(parts, out, r, good & ~done)
            far = np.abs(parts["q"] - begun).max(axis=1, initial=0.0) > FAR
        if self.counters:
            parts["z"][:, self.counters] = out[:, self.places["turns"]]
        parts["f"] = np.zeros((n, system.layout.size("f")))
        # no speed violates what lies across a planar loop, but numbers of it do: the ordinary start says so
        good &= done & ~far & ~open_across(system, parts)
        return np.concatenate([parts[name] for name in "tquzdpfy"], axis=1), good

    def _step(self, parts: dict[str, np.ndarray], out: np.ndarray, r: np.ndarray, moving: np.ndarray) -> None:
        """One step of Newton's method in the runs that move: positions, and speeds where they are not at rest."""
        problem, nu = self.problem, self.system.mechanism.nu
        _, jacobian, mobility = problem.numeric
        J = _scattered(out[:, self.places["J"]], jacobian.pattern, len(r))[:, self.rows]
        N = _scattered(out[:, self.places["N"]], mobility.pattern, len(r))
        columns = [problem.part["q"], *([problem.part["u"]] if self.moving_u else [])]
        A = np.concatenate([J[:, :, part] for part in columns], axis=2)
        step = np.where(moving[:, None], -least_squares(A, r), 0.0)
        dq = np.zeros_like(parts["q"])
        for k in range(nu):
            dq = dq + N[:, :, k] * step[:, k : k + 1]
        parts["q"] = parts["q"] + dq
        for start in self.system.quaternions:
            own = parts["q"][:, start : start + 4]
            squares = own * own
            size = np.sqrt(squares[:, 0] + squares[:, 1] + squares[:, 2] + squares[:, 3])
            parts["q"][:, start : start + 4] = np.where(moving[:, None], own / size[:, None], own)
        if self.moving_u:
            parts["u"] = parts["u"] + step[:, nu:]


def least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with A x ≈ b, for many A of full column rank at once, by modified Gram–Schmidt (Björck 1967).

    Sums are taken entry by entry, so that they are rounded alike everywhere.
    """
    A, b = A.copy(), b.copy()
    rows, columns = A.shape[1:]
    R, y = np.zeros((len(A), columns, columns)), np.zeros((len(A), columns))
    for k in range(columns):
        size = np.zeros(len(A))
        for i in range(rows):
            size = size + A[:, i, k] * A[:, i, k]
        R[:, k, k] = np.sqrt(size)
        direction = A[:, :, k] / R[:, k, k][:, None]
        along, own = np.zeros((len(A), columns - k - 1)), np.zeros(len(A))
        for i in range(rows):
            along = along + direction[:, i, None] * A[:, i, k + 1 :]
            own = own + direction[:, i] * b[:, i]
        R[:, k, k + 1 :], y[:, k] = along, own
        A[:, :, k + 1 :] -= direction[:, :, None] * along[:, None, :]
        b -= direction * own[:, None]
    x = np.zeros_like(y)
    for k in range(columns - 1, -1, -1):
        total = y[:, k]
        for j in range(k + 1, columns):
            total = total - R[:, k, j] * x[:, j]
        x[:, k] = total / R[:, k, k]
    return x


def entries(values: np.ndarray) -> np.ndarray:
    """Numbers, vectors or matrices of runs as rows; matrices column by column, as states hold them."""
    return values.reshape(len(values), -1) if values.ndim < 3 else values.transpose(0, 2, 1).reshape(len(values), -1)


def _scattered(numbers: np.ndarray, pattern: ca.Sparsity, n: int) -> np.ndarray:
    """Dense matrices from the entries of sparse ones."""
    rows, columns = pattern.get_triplet()
    dense = np.zeros((n, *pattern.shape))
    dense[:, rows, columns] = numbers
    return dense


def _slot(system: System, name: str) -> tuple[str, slice] | None:
    """Where a parameter or an input lies in a state; None for what is a start value."""
    for part, items in (("p", system.mechanism.parameters), ("d", system.mechanism.discretes)):
        if any(item.name == name for item in items):
            return part, system.slot(name)[1]
    return None


def _value_rows(problem: StartProblem, name: str) -> list[int]:
    """The conditions that give a start value its number, entry by entry; none where it is no plain number."""
    rows = [k for k, start in enumerate(problem.start.values) if start.name == name]
    plain = all(problem.start.values[k].formula is None and problem.fixed[k] for k in rows)
    return rows if rows and plain and not name.endswith(".angles") else []


def _full(A: np.ndarray) -> bool:
    """Whether the columns of a matrix are independent."""
    return A.shape[1] == 0 or A.shape[0] > 0 and np.linalg.matrix_rank(A, LEAVES_OPEN) == A.shape[1]
