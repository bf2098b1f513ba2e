"""Why a plan was not found: what is wanted at the end and out of reach, and rows that do not hold, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from .tolerances import MISSED, NAMED
from .transcription import Mesh

if TYPE_CHECKING:
    from .control_problem import ControlProblem


def unreached(problem: ControlProblem, mesh: Mesh, unknowns: np.ndarray, near: np.ndarray,
              options: dict[str, object]) -> tuple[str, tuple[str, ...]]:
    """What is missed at the end, by how much, by the motion that comes nearest to it, with the names of what is missed;
    empty where that says nothing."""
    from .nonlinear import Solver

    if not problem.said:
        return "", ()
    expressions, wanted, gaps = _wanted(problem), list(problem.said), []
    for place, expression in zip(wanted, expressions, strict=True):
        low, high = problem.at_end[place]
        gaps += [ca.fmax(low - expression, 0) if np.isfinite(low) else ca.SX(0),
                 ca.fmax(expression - high, 0) if np.isfinite(high) else ca.SX(0)]
    cost = ca.sumsqr(ca.vertcat(*gaps))
    ranges = problem.ranges(mesh, end=False)
    ending = problem.at_the_end(cost, ca.SX.sym("T"))
    solver = Solver(problem.programme(mesh, near, ranges[2:], ending, share=0.0))
    found, stats = solver.solve(np.clip(unknowns, *ranges[:2]), ranges[:2], ranges[2:],
                                {**options, "ipopt.print_level": 0})
    if not stats["success"] and stats["return_status"] != "Solved_To_Acceptable_Level":
        return "", ()
    points, _ = solver.p.split(found)
    there = ca.Function("there", [problem.point.variables, problem.point.constants], [ca.vertcat(*expressions)])
    values = np.array(there(points[-1], solver.p.constants[-1])).ravel()
    missed = {}
    for place, value in zip(wanted, values, strict=True):
        low, high = problem.at_end[place]
        missed[problem.said[place]] = max(low - value, value - high)
    missed = {name: gap for name, gap in missed.items() if gap > MISSED}
    said = f"; the nearest motion within the bounds does not get there: {_listed(missed, 'is missed by')}"
    return (said, _variables(missed)) if missed else ("", ())


def _wanted(problem: ControlProblem) -> list[ca.SX]:
    return [problem.limits[place[1]][1] if isinstance(place, tuple) else problem.point.variables[place]
            for place in problem.said]


def off_by(problem: ControlProblem, rows: np.ndarray, limits: tuple[np.ndarray, np.ndarray],
           mesh: Mesh) -> tuple[str, tuple[str, ...]]:
    """Which rows do not hold, by how much, and their names."""
    point, count = problem.point, mesh.points * problem.code.n_rows
    low, high = (np.concatenate([limit.ravel(), np.zeros(len(rows) - count)]) for limit in limits)
    excess = np.maximum(low - rows, rows - high)
    labels = [*point.labels, *point.closing_labels, *[name for name, _ in problem.limits]]
    worst: dict[str, float] = {}
    for k in np.flatnonzero(excess > MISSED):
        if k < count:
            name = labels[k % problem.code.n_rows]
        elif k < count + (mesh.points - 1) * point.nx:
            name = f"the course of {point.names()[(k - count) % point.nx]}"
        else:
            name = "what is periodic"
        worst[name] = max(worst.get(name, 0.0), float(excess[k]))
    return (f"; not fulfilled: {_listed(worst, 'by')}", _variables(worst)) if worst else ("", ())


def _variables(found: dict[str, float]) -> tuple[str, ...]:
    """What is off, as variables are called: "end: rev.phi" is about rev.phi."""
    return tuple(name.rpartition(" ")[2] for name in found)


def _listed(found: dict[str, float], word: str) -> str:
    worst = sorted(found.items(), key=lambda item: -item[1])[:NAMED]
    return ", ".join(f"{name} {word} {value:.3g}" for name, value in worst)
