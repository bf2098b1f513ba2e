"""Optimal control: inputs over time that bring a model where it should go, at least cost (direct collocation).

State, accelerations, unknowns and inputs of many points in time are unknowns of one nonlinear programme, the implicit
equations of motion its only nonlinear rows (`system.implicit`, `transcription`, `nonlinear`), solved by IPOPT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..compiler import by_name, model_of, names, number, split_entry, system_of, with_outputs
from ..errors import ModelError, unknown_name
from ..result import Result
from ..system import System
from ..system.implicit import Implicit, PointCode
from .goals import Final, Goal, Integral, Mean
from .plan import Plan
from .scores import Score, score_of
from .transcription import METHODS, Mesh

if TYPE_CHECKING:
    from scipy import sparse

    from .nonlinear import Solver

#: of the range of an input: where it changes by more within an interval, the mesh is made finer there
SWITCH = 0.2
#: intervals that a mesh has at most
MOST = 2000
#: rows that are named where a problem has no solution
NAMED = 5


def control(model: object, inputs: Mapping[str, tuple[float, float]], *, minimize: object,
            time: float | tuple[float, float], start: Mapping[str, object] | None = None,
            end: Mapping[str, object] | None = None, bounds: Mapping[str, tuple[float, float]] | None = None,
            periodic: str | Sequence[str] = (), intervals: int = 50, method: str = "hermite-simpson",
            guess: Result | None = None, accuracy: float | None = None, rounds: int = 12, iterations: int = 1000,
            progress: bool = False) -> Plan:
    """Find inputs {name: (low, high)} over time that make `minimize` least, and the motion they make.

    `minimize` is a formula of lw.integral(…) and lw.final(…); lw.final(lw.time) is the duration.  The motion begins as
    the model does, but for what `start` says: {name: value}, (low, high), or None for what is free.  `end` are values
    or ranges of variables at the end, `bounds` ranges of variables all along, `periodic` names of states that come back
    to where they began.  `time` is the duration in s, or its range.  `guess` is a Plan or Result to begin from.

    `method` is "hermite-simpson" or "radau", on so many `intervals`; with `accuracy` the mesh is made finer where the
    motion between its points is off by more, or an input switches, at most `rounds` times.
    """
    problem = _Problem(model, by_name("inputs", inputs, "{'motor.tau': (-2, 2)}"), score_of(minimize), time,
                       by_name("start", start, "start={'rev.phi': 0}"), by_name("end", end, "end={'rev.phi': 3.14}"),
                       by_name("bounds", bounds, "bounds={'rev.w': (-3, 3)}"), names("periodic", periodic))
    if method not in METHODS:
        raise unknown_name(str(method), METHODS, "the list of methods of lw.control")
    if not isinstance(intervals, int) or not 1 <= intervals <= MOST:
        raise ModelError(f"intervals = {intervals!r}: give a whole number from 1 to {MOST}.")
    options = {"ipopt.print_level": 5 if progress else 0, "ipopt.sb": "yes", "ipopt.max_iter": int(iterations),
               "ipopt.tol": 1e-10, "ipopt.constr_viol_tol": 1e-10, "ipopt.acceptable_tol": 1e-8}
    mesh = Mesh(METHODS[method], np.linspace(0, 1, intervals + 1))
    plan = problem.solve(mesh, guess, options)
    for _ in range(rounds if accuracy is not None and plan.success else 0):
        finer = problem.finer(plan, number("accuracy", accuracy))
        if finer is None:
            break
        better = problem.solve(finer, plan, options)
        if not better.success:
            break
        plan = better
    return plan


class _Problem:
    """The rows, bounds and goal of a problem on any mesh."""

    def __init__(self, model: object, inputs: Mapping[str, Any], score: Score, time: Any, start: Mapping[str, Any],
                 end: Mapping[str, Any], bounds: Mapping[str, Any], periodic: Sequence[str]):
        formulas = {f"goal {k + 1}": goal for k, goal in enumerate(score.goals) if goal.formula is not None}
        source = model_of(model)
        with with_outputs(source, {name: goal.formula for name, goal in formulas.items()}):
            self.system = system = system_of(source)
            _refuse(system)
            self.state = system.state()
            self.inputs = {name: _range(f"inputs: {name}", given) for name, given in inputs.items()}
            self.point = point = Implicit(system, [self._place(name) for name in self.inputs])
            self._find = {v.element_hash(): k for k, v in enumerate(ca.vertsplit(point.variables))}
            self._cost(score)
            self.low, self.high = _range("time", time) if isinstance(time, tuple) else (number("time", time),) * 2
            if not 0 < self.low <= self.high < np.inf:
                raise ModelError(f"time = {time!r}: give a duration in s, or its range (low, high).")
            self.limits: list[tuple[str, ca.SX]] = []
            self.everywhere, self.at_start, self.at_end = ({} for _ in range(3))  # type: ignore[var-annotated]
            for name, given in bounds.items():
                self._bound(self.everywhere, f"bounds: {name}", name, _range(f"bounds: {name}", given))
            for name, given in self.inputs.items():
                self._bound(self.everywhere, f"inputs: {name}", name, given)
            self._begin(start)
            for name, given in end.items():
                self._bound(self.at_end, f"end: {name}", name, _value_or_range(f"end: {name}", given))
            self.periodic = [self._variable(name) for name in periodic]
            rows = ca.vertcat(ca.SX(0, 1), *[row for _, row in self.limits])
            self.code = PointCode(point, rows, self.cost)
        if self.low != self.high and ca.depends_on(ca.vertcat(point.residuals, rows, self.cost),
                                                   point.equations.symbols["t"]):
            raise ModelError("something in the model depends on time itself, which has no place in a plan of free "
                             "duration; give time= as a number.")

    # --- what was asked ---

    def _place(self, name: str) -> int:
        discretes = self.system.part_names("d")
        if name not in discretes:
            inputs = [item.name for item in self.system.mechanism.discretes]
            raise unknown_name(name, inputs, "the list of inputs of the model (m.input, or a signal left as a number)")
        return discretes.index(name)

    def _expression(self, name: str) -> ca.SX:
        """A single number, by the name of a variable or of an entry."""
        if name in self.inputs:
            return self.point.w[list(self.inputs).index(name)]
        whole, place = split_entry(name)
        if name not in self.system.names_table and whole not in self.system.names_table:
            raise unknown_name(name, [*self.inputs, *self.system.names], "the model")
        found = ca.vec(self.point.expression(name if name in self.system.names_table else whole))
        if found.numel() > 1 and place is None:
            raise ModelError(f"{name}: a single number is needed; name an entry, {name}[0].", name)
        return found[place or 0]

    def _variable(self, name: str) -> int:
        place = self._find.get(self._expression(name).element_hash())
        if place is None or place >= self.point.nx:
            raise ModelError(f"periodic: {name} is no state; name coordinates, speeds or integrals.", name)
        return place

    def _bound(self, group: dict, said: str, name: str, limits: tuple[float, float]) -> None:
        """A range of a variable of the points, or of a row of their own."""
        expression = self._expression(name)
        place = self._find.get(expression.element_hash())
        if place is None:
            self.limits.append((name, expression))
            place = ("row", len(self.limits) - 1)
        low, high = group.get(place, (-np.inf, np.inf))
        group[place] = max(low, limits[0]), min(high, limits[1])
        if group[place][0] > group[place][1]:
            raise ModelError(f"{said}: nothing is left between {group[place][0]:g} and {group[place][1]:g}.", name)

    def _begin(self, start: Mapping[str, Any]) -> None:
        """The start of the model, but for what was said."""
        free: list[int] = []
        for name, given in start.items():
            if given is None or isinstance(given, tuple):
                free.append(self._variable(name))
            elif name in self.system.names_table and self._find.get(self._expression(name).element_hash(), 1 << 30) \
                    < self.point.nx:
                self.state.set(name, number(f"start: {name}", given))
        x = np.concatenate([self.state.q, self.state.u, self.state.z])
        self.at_start |= {k: (float(x[k]), float(x[k])) for k in range(self.point.nx) if k not in free}
        for name, given in start.items():
            if given is not None:
                limits = _value_or_range(f"start: {name}", given)
                place = self._find.get(self._expression(name).element_hash())
                if place is not None:
                    self.at_start.pop(place, None)
                self._bound(self.at_start, f"start: {name}", name, limits)

    def _cost(self, score: Score) -> None:
        """∫ of a point's cost, and a cost of the end."""
        from .nonlinear import Ending

        end = ca.vertcat(self.point.variables, duration := ca.SX.sym("T"))
        weights, finals = [], []
        for k, (symbol, goal) in enumerate(zip(score.symbols, score.goals, strict=True)):
            expression = self._goal_expression(goal, k, duration)
            if isinstance(goal, Integral):
                if isinstance(goal, Mean):
                    raise ModelError("lw.mean in lw.control: write lw.integral(…), over a fixed time a multiple of it.")
                slope = ca.jacobian(score.expression, symbol)
                if ca.depends_on(slope, ca.vertcat(*score.symbols)):
                    raise ModelError("minimize: integrals may be added and multiplied by numbers only.")
                weights.append((slope, expression))
            elif isinstance(goal, Final):
                finals.append((symbol, expression))
            else:
                kind = type(goal).__name__.lower()
                raise ModelError(f"minimize: {kind} of {goal.name} cannot be a goal of lw.control: "
                                 "take lw.integral and lw.final, and bounds= for the largest and smallest.")
        integrals = [s for s, g in zip(score.symbols, score.goals, strict=True) if isinstance(g, Integral)]
        self.cost = sum((w * e for w, e in weights), ca.SX(0))
        rest = score.expression
        for symbol in integrals:
            rest = ca.substitute(rest, symbol, 0)
        if finals:
            function = ca.Function("rest", [s for s, _ in finals], [rest])
            rest = function.call([e for _, e in finals])[0]
        self.ending = None
        if not rest.is_constant():
            hessian, gradient = ca.hessian(rest, end)
            given = self.point.constants
            numbers = self.point.constants_of(self.state, np.zeros(1))[0]
            made = [ca.Function("ending", [end, given], [ca.densify(x)]) for x in (rest, gradient, hessian)]
            self.ending = Ending(lambda x: float(made[0](x, numbers)), lambda x: np.array(made[1](x, numbers)).ravel(),
                                 lambda x: np.array(made[2](x, numbers)))

    def _goal_expression(self, goal: Goal, k: int, duration: ca.SX) -> ca.SX:
        if isinstance(goal, Final) and isinstance(goal.formula, ca.SX) and goal.formula.is_symbolic() \
                and goal.formula.element_hash() == self.system.equations.symbols["t"].element_hash():
            return duration
        return self._expression(goal.name if goal.formula is None else f"goal {k + 1}")

    # --- on a mesh ---

    def solve(self, mesh: Mesh, guess: Result | None, options: dict[str, object]) -> Plan:
        """The plan on a mesh."""
        from .nonlinear import Programme, Solver  # late: SciPy's sparse matrices take long to import

        constants = self.point.constants_of(self.state, self.high * mesh.times)
        programme = Programme(self.code, mesh, constants, self.ending, self._linear(mesh))
        solver = Solver(programme)
        low, high, row_low, row_high = self._ranges(mesh, solver)
        begin = np.clip(self._guess(mesh, guess), low, high)
        found, stats = solver.solve(begin, (low, high), (row_low, row_high), options)
        points, duration = programme.split(found)
        success, message = bool(stats["success"]), str(stats["return_status"]).replace("_", " ").lower()
        if not success:
            message += self._violated(stats["rows"], row_low, row_high, mesh)
        places = {"x": slice(0, self.point.nx), "w": self.point.places["w"], "slopes": self.point.slopes,
                  "inputs": self.point.inputs}
        return Plan(self.system, self.state, mesh, points, duration, places, solver.goal(found)[0], success, message,
                    {"iterations": int(stats["iter_count"]), "intervals": len(mesh.shares)})

    def _linear(self, mesh: Mesh) -> sparse.csr_matrix:
        """Periodic states; inputs at the start that no interval looks at are those of the next point."""
        from scipy import sparse

        n, rows = self.point.n, []
        last = (mesh.points - 1) * n
        for place in self.periodic:
            rows.append({last + place: 1.0, place: -1.0})
        if not mesh.method.from_start:
            rows += [{k: 1.0, n + k: -1.0} for k in range(self.point.places["w"].start, self.point.places["w"].stop)]
        matrix = sparse.lil_matrix((len(rows), mesh.points * n + 1))
        for k, row in enumerate(rows):
            for column, value in row.items():
                matrix[k, column] = value
        return matrix.tocsr()

    def _ranges(self, mesh: Mesh, solver: Solver) -> tuple[np.ndarray, ...]:
        """Bounds of all unknowns, then of all rows."""
        n, points, residuals = self.point.n, mesh.points, self.point.residuals.numel()
        low, high = (np.full((points, n), sign * np.inf) for sign in (-1.0, 1.0))
        row_low, row_high = (np.zeros((points, self.code.n_rows)) for _ in range(2))
        row_low[:, residuals:], row_high[:, residuals:] = -np.inf, np.inf
        for group, which in ((self.everywhere, slice(None)), (self.at_start, 0), (self.at_end, -1)):
            for place, (a, b) in group.items():
                lows, highs, column = (row_low, row_high, residuals + place[1]) if isinstance(place, tuple) else \
                    (low, high, place)
                lows[which, column] = np.maximum(lows[which, column], a)
                highs[which, column] = np.minimum(highs[which, column], b)
        crossed = low[0] > high[0]
        if crossed.any():
            what = ", ".join(self.point.names()[k] for k in np.flatnonzero(crossed))
            raise ModelError(f"start: {what} begins outside its bounds; give start= or wider bounds.")
        rest = np.zeros(solver.jacobian.shape[0] - row_low.size)
        return (np.append(low.ravel(), self.low), np.append(high.ravel(), self.high),
                np.concatenate([row_low.ravel(), rest]), np.concatenate([row_high.ravel(), rest]))

    def _guess(self, mesh: Mesh, given: Result | None) -> np.ndarray:
        """Where the search begins: along a plan or run, or straight from the start to the end."""
        point, duration = self.point, 0.5 * (self.low + self.high) if np.isfinite(self.high) else self.low
        points = np.zeros((mesh.points, point.n))
        if given is not None:
            duration = float(np.clip(given.t[-1], self.low, self.high))
            near = given.at(np.clip(mesh.times * given.t[-1], given.t[0], given.t[-1]))
            points[:, : point.nx] = near.states[:, : point.nx]
            slopes = np.gradient(points[:, : point.nx], duration * mesh.times, axis=0)
            points[:, point.slopes] = slopes
            for k, name in enumerate(self.inputs):
                points[:, point.places["w"].start + k] = near[name]
            if isinstance(given, Plan) and given.points.shape[1] == point.n:
                rest = range(point.nx, point.places["w"].start)
                points[:, rest] = given.mesh.between(given.points[:, rest], mesh.times)
            return np.append(points.ravel(), duration)
        begin, finish = points[0].copy(), points[0].copy()
        begin[: point.nx] = np.concatenate([self.state.q, self.state.u, self.state.z])
        for target, group in ((begin, self.at_start), (finish, self.at_end)):
            if target is finish:
                finish[: point.nx] = begin[: point.nx]
            for place, limits in group.items():
                if not isinstance(place, tuple):
                    target[place] = _middle(limits)
        points = begin + mesh.times[:, None] * (finish - begin)
        return np.append(points.ravel(), duration)

    def _violated(self, rows: np.ndarray, low: np.ndarray, high: np.ndarray, mesh: Mesh) -> str:
        """Which rows do not hold, by name, and by how much."""
        excess = np.maximum(low - rows, rows - high)
        count, names_ = mesh.points * self.code.n_rows, [*self.point.labels, *[name for name, _ in self.limits]]
        worst: dict[str, float] = {}
        for k in np.flatnonzero(excess > 1e-6):
            if k < count:
                name = names_[k % self.code.n_rows]
            elif k < count + (mesh.points - 1) * self.point.nx:
                name = f"the course of {self.point.names()[(k - count) % self.point.nx]}"
            else:
                name = "what is periodic"
            worst[name] = max(worst.get(name, 0.0), float(excess[k]))
        listed = sorted(worst.items(), key=lambda item: -item[1])[:NAMED]
        return "; not fulfilled: " + ", ".join(f"{name} by {value:.3g}" for name, value in listed) if listed else ""

    # --- finer meshes ---

    def finer(self, plan: Plan, accuracy: float) -> Mesh | None:
        """A mesh with more intervals where the motion is off by more than `accuracy` or an input switches."""
        mesh, point = plan.mesh, self.point
        thetas = np.array([0.2, 0.4, 0.6, 0.8])
        times = (mesh.ends[:-1, None] + mesh.shares[:, None] * thetas).ravel()
        there = plan.at(times * plan.time)
        slopes = mesh.between(plan.points[:, point.slopes], times)
        parts = ("qdot", "udot", "zdot") if len(self.state.z) else ("qdot", "udot")
        exact = np.column_stack(list(there.quantities(*parts)))
        off = np.abs(slopes - exact).reshape(len(mesh.shares), len(thetas), -1).max(axis=1)
        scale = 1.0 + np.abs(plan.points[:, : point.nx]).max(axis=0)
        error = (off * (plan.time * mesh.shares)[:, None] / scale).max(axis=1)
        split = error > accuracy
        for k, (low, high) in enumerate(self.inputs.values()):
            if np.isfinite(high - low):
                values = plan.points[:, point.places["w"].start + k]
                change = np.array([np.ptp(values[mesh.of(i)]) for i in range(len(mesh.shares))])
                split |= (change > SWITCH * (high - low)) & (mesh.shares * plan.time > accuracy)
        if not split.any() or len(mesh.shares) + split.sum() > MOST:
            return None
        middles = (mesh.ends[:-1] + mesh.ends[1:])[split] / 2
        return Mesh(mesh.method, np.sort(np.concatenate([mesh.ends, middles])))


def _refuse(system: System) -> None:
    """What has no place in a smooth problem."""
    m = system.mechanism
    if m.events:
        kinds = [*[r.name for r in m.events.relations], *[w.name for w in m.events.whens],
                 *[f.name for f in m.events.frictions], *[s.name for s in m.events.stops],
                 *[lock.name for lock in m.events.locks], *[c.pair for c in m.events.contacts]]
        raise ModelError(f"lw.control takes smooth models; events come from {', '.join(kinds[:6])}. Write "
                         "lw.smooth_where for lw.where, and leave out friction, stops and contacts, or let them be "
                         "compliant.", *kinds)
    if m.controllers or m.memories:
        raise ModelError("lw.control takes smooth models: leave out controllers in Python, delays and samples.")
    if m.constraints:
        loops = ", ".join(c.name for c in m.constraints[:6])
        raise ModelError(f"lw.control takes mechanisms without loops so far; this one closes loops at {loops}.",
                         *[c.name for c in m.constraints])


def _range(said: str, given: object) -> tuple[float, float]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ModelError(f"{said} = {given!r}: give a range (low, high); None leaves a side open.")
    low, high = (sign * np.inf if x is None else number(said, x) for x, sign in zip(given, (-1.0, 1.0), strict=True))
    if not low <= high:
        raise ModelError(f"{said} = {given!r}: low must not be greater than high.")
    return low, high


def _value_or_range(said: str, given: object) -> tuple[float, float]:
    return _range(said, given) if isinstance(given, (tuple, list)) else (number(said, given),) * 2


def _middle(limits: tuple[float, float]) -> float:
    low, high = limits
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low if np.isfinite(low) else high if np.isfinite(high) else 0.0


