"""Errors for initial conditions that contradict one another, or that leave something undetermined, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import InitialError
from ..system.diagnose import paradox
from ..system.least_norm import Matrix, as_dense, entries, rank
from .problem import StartProblem
from .tolerances import CLOSED, SAME_CONDITION, TINY
from .unreachable import refuse_open_loops, refuse_unreachable

if TYPE_CHECKING:
    from ..system import State


def check(problem: StartProblem, state: State) -> None:
    """Refuse contradictory conditions; the error lists them with the values that came out, and an analysis of ranks."""
    r, J = problem.evaluate(state)
    wrong = [(label, value, error) for (label, fixed, value), error in zip(problem.labels, r, strict=True)
             if fixed and not abs(error) < CLOSED]
    if not wrong:
        _refuse_gaps(problem, J)
        return
    if any(problem.loop[k] and problem.levels[k] == 0 for k in np.flatnonzero(problem.fixed & ~(np.abs(r) < CLOSED))):
        refuse_open_loops(problem, state)
        refuse_unreachable(problem, state)
    _refuse_unsolved(problem, r)
    fixed = np.array([f for _, f, _ in problem.labels])
    independent = rank(J[fixed], SAME_CONDITION) if np.all(np.isfinite(entries(J))) else 0
    lines = [f"  {label} = {value:g} (comes out {value + error:.6g})" if value is not None
             else f"  {label} (off by {error:.3g})" for label, value, error in wrong]
    if int(fixed.sum()) == 1:
        said = "the initial condition cannot hold.\n"
        advice = "\nLikely: no position or speed of the model fulfils it. Give another value, or leave it out."
    else:
        said = (f"the initial conditions cannot all hold: {int(fixed.sum())} conditions on unknowns of rank "
                f"{independent}.\n")
        advice = ("\nLikely: it contradicts the others, or nothing can fulfil it. " if len(wrong) == 1 else
                  "\nLikely: two of them say the same thing differently. ")
        advice += "Make one of them lw.guess(…), or leave it out."
    raise InitialError(said + "\n".join(lines) + advice, *[label for label, _, _ in wrong])


def _refuse_unsolved(problem: StartProblem, r: np.ndarray) -> None:
    """An error where only the equations of algebraic unknowns could not be solved."""
    if not problem.blocks:
        return
    first = problem.blocks[0][1]
    is_open = np.array([fixed and not abs(error) < CLOSED
                        for (_, fixed, _), error in zip(problem.labels, r, strict=True)])
    if is_open[:first].any():
        return
    names = list(dict.fromkeys(problem.labels[k][0] for k in np.flatnonzero(is_open)))
    laws, _ = problem.system.equations.laws_left_open(names)
    if laws:
        raise InitialError(
            f"{', '.join(laws)}: no acceleration fulfils the law. Likely: its force grows with the acceleration it "
            "causes just as the inertia does (F = m·a + …), so that nothing is left to balance it. Take the term with "
            "the acceleration out of the law, or give the part the mass it stands for.", *laws)
    rubbing = [row.name for row in problem.system.mechanism.events.rows if row.slides
               and row.name.removesuffix(".friction") in {name.removesuffix(".reaction") for name in names}]
    if rubbing:
        raise InitialError(paradox(rubbing), *rubbing)
    raise InitialError(
        f"{', '.join(names)}: no solution of these equations was found from the guess. Likely: the guess is too far "
        "away (give r_rel_0=lw.guess(…) on an element there), or the forces cannot balance.", *names)


def _refuse_gaps(problem: StartProblem, J: np.ndarray | Matrix) -> None:
    """An error for what the conditions do not determine: unknowns without a unique solution, freed parameters."""
    column = problem.part["y"].start
    for names, first in problem.blocks:
        block = as_dense(J[first : first + len(names), column : column + len(names)])
        column += len(names)
        scale = np.abs(block).max(initial=0.0)
        if scale == 0 or np.linalg.matrix_rank(block, tol=SAME_CONDITION * scale) < len(names):
            listed = list(dict.fromkeys(names))
            laws, why = problem.system.equations.laws_left_open(listed)
            raise InitialError(why, *(laws or listed))
    if not problem.free_places:
        return
    # with coordinates held, every change of the freed parameters must change a condition
    fixed = np.array([f for _, f, _ in problem.labels])
    held = np.hstack([as_dense(J[fixed][:, problem.part[name]]) for name in "pzy"])
    scale = np.abs(held).max(initial=TINY)
    if held.shape[1] and np.linalg.matrix_rank(held, tol=SAME_CONDITION * scale) < held.shape[1]:
        raise InitialError(f"{', '.join(problem.freed)}: these parameters are lw.free, but the initial conditions do "
                           "not determine them. Give as many further conditions (a start value a=0, or m.init).",
                           *problem.freed)
