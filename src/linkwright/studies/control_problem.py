"""An optimal control problem by names: rows, bounds and goal of every point, whatever the mesh.

Bounds are those of variables of the points where what is bounded is one, and of rows of their own else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..compiler import model_of, names, system_of, with_outputs
from ..errors import ModelError, unknown_name
from ..result import Result
from ..system import CLOSED, Implicit, PointCode, System, entry_of, split_entry
from .control_guess import guessed
from .control_start import Beginning, finite, value_range
from .failed_plans import off_by, unreached
from .goals import Final, Goal, Integral, Mean
from .plan import Plan
from .scores import Score
from .sensitivities import controller_name
from .tolerances import FIRST_GAP, LEANED
from .transcription import Mesh

if TYPE_CHECKING:
    from scipy import sparse

    from .nonlinear import Ending, Programme


#: the number of a variable of a point, or ("row", number of a limit)
Place = int | tuple[str, int]
Limits = dict[Place, tuple[float, float]]


class ControlProblem:
    """What was asked, and plans on meshes."""

    def __init__(self, model: object, inputs: Mapping[str, Any], score: Score, time: Any, start: Mapping[str, Any],
                 end: Mapping[str, Any], bounds: Mapping[str, Any], periodic: object, caught: Sequence[str] = ()):
        source, back = model_of(model), _coming_back(periodic)
        formulas = {f"goal {k + 1}": goal.formula for k, goal in enumerate(score.goals) if goal.formula is not None}
        formulas |= {f"after {k + 1}": formula for k, formula in enumerate(back.values())
                     if formula is not None and not isinstance(formula, str)}
        options = dict(model.origin.options) if isinstance(model, System) and model.origin is not None else {}
        with with_outputs(source, formulas):
            self.system = system = system_of(source, **options)
            _refuse(system)
            self.inputs = {name: value_range(f"inputs: {name}", given) for name, given in inputs.items()}
            if not self.inputs:
                raise ModelError("inputs = {}: name at least one input with its range, {'motor.tau': (-2, 2)}.")
            beginning = Beginning(system, start)
            self.state = beginning.state
            mapped = [name for name, formula in back.items() if formula is not None]
            self.point = point = Implicit(system, self.state, [self._place(name) for name in self.inputs], len(mapped),
                                          caught)
            self._find = {v.element_hash(): k for k, v in enumerate(ca.vertsplit(point.variables))}
            self._cost(score)
            self.low, self.high = value_range("time", time) if isinstance(time, (tuple, list)) else \
                (finite("time", time),) * 2
            if not 0 < self.low <= self.high < np.inf:
                raise ModelError(f"time = {time!r}: give a duration in s, or its range (low, high).")
            self.limits: list[tuple[str, ca.SX]] = []
            self.everywhere: Limits = {}
            self.at_start: Limits = {}
            self.at_end: Limits = {}
            self.said: dict[Place, str] = {}  # what is wanted at the end, by place
            for name, given in bounds.items():
                self._bound(self.everywhere, f"bounds: {name}", name, value_range(f"bounds: {name}", given))
            for name, given in self.inputs.items():
                self._bound(self.everywhere, f"inputs: {name}", name, given)
            free = beginning.free(list(back))
            x = point.own(np.concatenate([self.state.q, self.state.u, self.state.z]))
            own = point.own(np.arange(len(free)))
            self.at_start |= {k: (float(x[k]), float(x[k])) for k in range(point.nx) if not free[own[k]]}
            for name, limits in beginning.limits().items():
                self._bound(self.at_start, f"start: {name}", name, limits)
            for name, given in end.items():
                limits = value_range(f"end: {name}", given) if isinstance(given, (tuple, list)) else \
                    (finite(f"end: {name}", given),) * 2
                self.said[self._bound(self.at_end, f"end: {name}", name, limits)] = f"end: {name}"
            self.periodic = {self._state_of(name): None for name, formula in back.items() if formula is None}
            for k, name in enumerate(mapped):
                formula = back[name]
                there = formula if isinstance(formula, str) else f"after {list(back).index(name) + 1}"
                row = point.after[k] - self._expression(there, after=True)
                self.limits.append((f"periodic: {name}", row))
                self.at_end["row", len(self.limits) - 1] = 0.0, 0.0
                self.periodic[self._state_of(name)] = point.places["after"].start + k
            for row in ca.vertsplit(point.impact()) if caught else ():
                self.limits.append(("the impact", row))
                self.at_end["row", len(self.limits) - 1] = 0.0, 0.0
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

    def _expression(self, name: str, after: bool = False) -> ca.SX:
        """A single number, by the name of a variable or of an entry; `after` an impact."""
        if name in self.inputs:
            return self.point.w[list(self.inputs).index(name)]
        whole, place = split_entry(name, self.system.names_table)
        if whole not in self.system.names_table:
            raise unknown_name(name, [*self.inputs, *self.system.names], "the model")
        found = entry_of(name, self.point.expression_after(whole) if after else self.point.expression(whole), place)
        if found.numel() > 1:
            raise ModelError(f"{name}: a single number is needed; name an entry, {name}[0].", name)
        return found

    def _state_of(self, name: str) -> int:
        place = self._find.get(self._expression(name).element_hash())
        if place is None or place >= self.point.nx:
            own = ", ".join(self.point.names()[: self.point.nx])
            raise ModelError(f"periodic: {name} is no state of the plan; name some of {own}.", name)
        return place

    def _bound(self, group: Limits, said: str, name: str, limits: tuple[float, float]) -> Place:
        """A range of a variable of the points, or of a row of their own; gives its place."""
        expression = self._expression(name)
        place: Place | None = self._find.get(expression.element_hash())
        if place is None:
            if expression.is_constant():
                raise ModelError(f"{said}: it is {float(expression):g} whatever happens, and cannot be bounded.", name)
            self.limits.append((said, expression))
            place = ("row", len(self.limits) - 1)
        low, high = group.get(place, (-np.inf, np.inf))
        group[place] = max(low, limits[0]), min(high, limits[1])
        if group[place][0] > group[place][1]:
            raise ModelError(f"{said}: nothing is left between {group[place][0]:g} and {group[place][1]:g}.", name)
        return place

    def _cost(self, score: Score) -> None:
        """∫ of a point's cost, and a cost of the end."""
        duration = ca.SX.sym("T")
        weights, finals = [], []
        for k, (symbol, goal) in enumerate(zip(score.symbols, score.goals, strict=True)):
            if isinstance(goal, Integral):
                if isinstance(goal, Mean):
                    raise ModelError("lw.mean in lw.control: write lw.integral(…), over a fixed time a multiple of it.")
                slope = ca.jacobian(score.expression, symbol)
                if ca.depends_on(slope, ca.vertcat(*score.symbols)):
                    raise ModelError("minimize: integrals may be added and multiplied by numbers only.")
                weights.append((slope, self._goal_expression(goal, k, duration)))
            elif isinstance(goal, Final):
                finals.append((symbol, self._goal_expression(goal, k, duration)))
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
        self.ending = None if rest.is_constant() else self.at_the_end(rest, duration)

    def at_the_end(self, cost: ca.SX, duration: ca.SX) -> Ending:
        """A cost of the variables of the last point and the duration, with derivatives."""
        from .nonlinear import Ending

        unknowns = ca.vertcat(self.point.variables, duration)
        hessian, gradient = ca.hessian(cost, unknowns)
        numbers = self.point.constants_of(self.state, np.zeros(1))[0]
        made = [ca.Function("ending", [unknowns, self.point.constants], [ca.densify(x)])
                for x in (cost, gradient, hessian)]
        return Ending(lambda x: float(made[0](x, numbers)), lambda x: np.array(made[1](x, numbers)).ravel(),
                      lambda x: np.array(made[2](x, numbers)))

    def _goal_expression(self, goal: Goal, k: int, duration: ca.SX) -> ca.SX:
        if isinstance(goal, Final) and isinstance(goal.formula, ca.SX) and goal.formula.is_symbolic() \
                and goal.formula.element_hash() == self.system.equations.symbols["t"].element_hash():
            return duration
        return self._expression(goal.name if goal.formula is None else f"goal {k + 1}")

    # --- on a mesh ---

    def solve(self, mesh: Mesh, guess: Result | None, options: dict[str, object], attempt: int = 0) -> Plan:
        """The plan on a mesh; of several attempts each begins elsewhere."""
        from .nonlinear import Solver  # late: SciPy's sparse matrices take long to import

        ranges = self.ranges(mesh)
        begin, near = guessed(self, mesh, guess, attempt)
        solver, iterations = Solver(self.programme(mesh, near, ranges[2:], self.ending)), 0
        for leaned_on in range(1 + LEANED * self.point.redundant):
            if leaned_on:
                solver = Solver(self.programme(mesh, near, ranges[2:], self.ending, points=solver.p.split(begin)[0]))
            found, stats = solver.solve(np.clip(begin, *ranges[:2]), ranges[:2], ranges[2:], options)
            success, begin, iterations = bool(stats["success"]), found, iterations + int(stats["iter_count"])
            if not success:
                break
        message = str(stats["return_status"]).replace("_", " ").lower()
        missed: tuple[str, ...] = ()
        if not success and not attempt:
            said, missed = unreached(self, mesh, found, near, options)
            if not said:
                said, missed = off_by(self, stats["rows"], ranges[2:], mesh)
            message += said
        points, duration = solver.p.split(found)
        return Plan(self.point, self.state, mesh, points, duration, solver.goal(found), success, message,
                    {"iterations": iterations, "intervals": len(mesh.shares),
                     "curved down": int(np.sum(np.array(stats["iterations"]["regularization_size"]) > 0))}, missed)

    def programme(self, mesh: Mesh, near: np.ndarray, limits: tuple[np.ndarray, ...], ending: Ending | None,
                  share: float = 1.0, points: np.ndarray | None = None) -> Programme:
        """Everything the solver asks for.

        `near` are whole states, for full turns of dependent angles, `points` what was found before, on whose forces
        redundant loops lean.
        """
        from .nonlinear import Programme

        constants = self.point.constants_of(self.state, self.high * mesh.times, near, points)
        in_force = np.isfinite(limits[0]) | np.isfinite(limits[1])
        return Programme(self.code, mesh, constants, ending, self._linear(mesh), in_force, self.low != self.high, share)

    def _linear(self, mesh: Mesh) -> sparse.csr_matrix:
        """Periodic states; inputs at the start that no interval looks at are those of the next point."""
        from scipy import sparse

        n, rows = self.point.n, []
        last = (mesh.points - 1) * n
        for place, after in self.periodic.items():
            rows.append({last + (place if after is None else after): 1.0, place: -1.0})
        if not mesh.method.from_start:
            rows += [{k: 1.0, n + k: -1.0} for k in range(self.point.places["w"].start, self.point.places["w"].stop)]
        matrix = sparse.lil_matrix((len(rows), mesh.points * n + 1))
        for k, row in enumerate(rows):
            for column, value in row.items():
                matrix[k, column] = value
        return matrix.tocsr()

    def ranges(self, mesh: Mesh, end: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(low, high) of all unknowns, then of the rows of points; without `end` not what is wanted there."""
        point, points, nodes = self.point, mesh.points, mesh.nodes
        low, high = (np.full((points, point.n), sign * np.inf) for sign in (-1.0, 1.0))
        row_low, row_high = (np.full((points, self.code.n_rows), sign * np.inf) for sign in (-1.0, 1.0))
        residuals, closing = point.residuals.numel(), point.closing.numel()
        row_low[:, :residuals] = row_high[:, :residuals] = 0.0
        gaps = residuals + point.places["mu"].stop - point.places["mu"].start
        row_low[nodes, residuals:gaps] = row_high[nodes, residuals:gaps] = 0.0
        row_low[nodes[1:], gaps : residuals + closing] = row_high[nodes[1:], gaps : residuals + closing] = 0.0
        # what is there at some points only
        elsewhere = np.setdiff1d(np.arange(points), nodes)
        low[0, point.places["mu"]], high[0, point.places["mu"]] = -FIRST_GAP / CLOSED, FIRST_GAP / CLOSED
        for name, which in (("mu", elsewhere), ("delta", [0, *elsewhere]), ("after", range(points - 1)),
                            ("thrown", range(points - 1)), ("impulse", range(points - 1))):
            for limit in (low, high):
                limit[np.asarray(which, dtype=int), point.places[name]] = 0.0
        groups: list[tuple[Limits, Any]] = [(self.everywhere, slice(None)), (self.at_start, 0)]
        wanted = self.at_end if end else {k: v for k, v in self.at_end.items() if k not in self.said}
        for group, which in (*groups, (wanted, -1)):
            for place, (a, b) in group.items():
                lows, highs, column = (row_low, row_high, residuals + closing + place[1]) if isinstance(place, tuple) \
                    else (low, high, place)
                lows[which, column] = np.maximum(lows[which, column], a)
                highs[which, column] = np.minimum(highs[which, column], b)
        for k, where in ((0, "start"), (-1, "end")):
            crossed = low[k] > high[k]
            if crossed.any():
                what = ", ".join(f"{point.names()[i]} ({low[k, i]:g} to {high[k, i]:g} is empty)"
                                 for i in np.flatnonzero(crossed))
                raise ModelError(f"{where}: {what} lies outside its bounds; give {where}= or wider bounds.")
        return np.append(low.ravel(), self.low), np.append(high.ravel(), self.high), row_low, row_high


def _coming_back(periodic: object) -> dict[str, object]:
    """Names of states → formulas of what they begin with; None for their own value at the end."""
    if isinstance(periodic, Mapping):
        if not all(isinstance(name, str) for name in periodic):
            raise ModelError(f"periodic = {periodic!r}: give formulas by names of states.")
        return dict(periodic)
    return dict.fromkeys(names("periodic", periodic))


def _refuse(system: System) -> None:
    """What has no place in a smooth problem."""
    m = system.mechanism
    if m.events or m.events.stepped:
        kinds = m.events.said
        raise ModelError(f"lw.control takes smooth models; events come from {', '.join(kinds[:6])}. Write "
                         "lw.smooth_where for lw.where, and leave out friction, stops and contacts, or let them be "
                         "compliant.", *kinds)
    others = [*map(controller_name, m.controllers), *[memory.path for memory in m.memories]]
    if others:
        raise ModelError("lw.control takes smooth models: leave out controllers in Python and delays "
                         f"({', '.join(others)}).", *others)
