"""Why a start fails: loops that cannot be closed at all, by how much; given values that loops do not allow.

The gap reported is the smallest possible one: the least sum of squares of the equations over all positions, the lowest
of several minimisations.  In the same way the value nearest to a given one is found that a coordinate can have while
loops are closed:

    min  |φ − φ_given|²  with  g = 0,   by  min  |φ − φ_given|² + w² ‖g‖²  with a large w
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import AssemblyError, InitialError
from .near_guesses import levenberg
from .needed_lengths import needed_lengths
from .tolerances import (
    CLOSED,
    GAP_PROGRESS,
    GAP_STARTS,
    GAP_STEPS,
    HEAVY,
    LISTED,
    MOST,
    NAMED_PART,
    NEAREST_PROGRESS,
    NEAREST_STEPS,
    REACHED,
)

if TYPE_CHECKING:
    from ..system import State
    from .problem import StartProblem


def refuse_open_loops(problem: StartProblem, state: State) -> None:
    """An error with the least gap, where loops do not close even if all start values are ignored."""
    rows_of, r = _rows_of(problem), problem.residual(state)
    # loops that do not close each by itself, or else all together
    nearest = {name: _least(problem, state, rows) for name, rows in rows_of.items() if np.abs(r[rows]).max() > CLOSED}
    nearest = {name: found for name, found in nearest.items() if np.linalg.norm(found[0]) > CLOSED}
    gaps, together = {name: gap for name, (gap, _) in nearest.items()}, ""
    if not gaps and len(rows_of) > 1:
        rows = np.any(list(rows_of.values()), axis=0)
        left = np.zeros(len(rows))
        left[rows], _ = _least(problem, state, rows)
        if np.linalg.norm(left) > CLOSED:
            gaps, together = {name: left[own] for name, own in rows_of.items()}, " together"
            gaps = {name: gap for name, gap in gaps.items() if np.linalg.norm(gap) > LISTED}
    if not gaps:
        return
    order = sorted(gaps, key=lambda name: -np.linalg.norm(gaps[name]))
    listed = ", ".join(f"{name} (gap {_said(problem, name, gaps[name])})" for name in order)
    joints = _joints(problem)
    likely = ("a length is too short or too long, or axes do not fit; the joints of the loop are "
              f"{'; '.join(f'{name}: {joints[name]}' for name in order[:3])}.")
    needed = _needed(problem, nearest) if len(nearest) == 1 else []
    if needed:
        likely += f" One of these lengths would be just enough: {', or '.join(needed)}."
    error = AssemblyError(
        f"{problem.system.mechanism.name}: the {'loops' if len(gaps) > 1 else 'loop'} closed by {listed} cannot be "
        f"closed{together}, and no start was found with a smaller gap. Likely: {likely}", *order)
    error.state = state.copy()  # drawn as given: at the least gap all links lie on one line and hide it
    raise error


def _needed(problem: StartProblem, nearest: dict[str, tuple[np.ndarray, State]]) -> list[str]:
    """Lengths of links that would close the one loop which does not close."""
    (name, (_, state)), = nearest.items()
    joints = next((loop.joints for loop in problem.system.loops if loop.name == name), ())
    return needed_lengths(problem.system, state, name, joints)[:MOST]


def refuse_unreachable(problem: StartProblem, state: State) -> None:
    """An error that names given values which loops do not allow, each by itself or beside the others."""
    loops, given = problem.loop & (problem.levels == 0), problem.fixed & problem.said
    places = [k for k in np.flatnonzero(given) if problem.labels[k][2] is not None][:MOST]
    for held, said, cause in ((loops, "loops do not allow what was given.", "with the loops closed"),
                              (loops | given, "the initial conditions cannot all hold.", "with the others held")):
        lines, names = [], []
        for k in places:
            off = _nearest(problem, state, int(k), held)
            label, _, value = problem.labels[k]
            if off is not None and value is not None and abs(off) > REACHED:
                lines.append(f"  {label} = {value:g} cannot be reached; {cause} the nearest value found is "
                             f"{value + off:.6g}")
                names.append(label)
        if lines:
            error = InitialError(f"{said}\n" + "\n".join(lines) + f"\nAs given, {_gaps_around(problem, state, given)}. "
                                 "Give a value within reach, make it lw.guess(…), or change lengths.", *names)
            error.state = state.copy()
            raise error


def _gaps_around(problem: StartProblem, state: State, given: np.ndarray) -> str:
    """The gaps of loops, as small as they can be around the given values, in words."""
    rows_of = _rows_of(problem)
    rows = given | np.any(list(rows_of.values()), axis=0)
    left = np.zeros(len(rows))
    left[rows], _ = _least(problem, state, rows, np.where(given, HEAVY[-1], 1.0)[rows])
    order = sorted(rows_of, key=lambda name: -np.linalg.norm(left[rows_of[name]]))
    joints = _joints(problem)
    return "; ".join(f"the loop through {joints[name]} closed by {name} has a gap of "
                     f"{_said(problem, name, left[rows_of[name]])}" for name in order[:3]
                     if np.linalg.norm(left[rows_of[name]]) > LISTED)


def _rows_of(problem: StartProblem) -> dict[str, np.ndarray]:
    """Name of a constraint → its rows on position level."""
    names = [label.removeprefix("loop ").removesuffix(" (position)") for label, *_ in problem.labels]
    on_position = problem.loop & (problem.levels == 0)
    return {name: on_position & np.array([own == name for own in names])
            for name in dict.fromkeys(np.array(names)[on_position].tolist())}


def _least(problem: StartProblem, state: State, rows: np.ndarray,
           weights: np.ndarray | None = None) -> tuple[np.ndarray, State]:
    """The residuals of rows at the best of several minimisations, and the state there."""
    best, place, size = np.zeros(0), state, np.inf
    for trial in _starts(problem, state):
        found = levenberg(problem, trial, rows, np.ones(np.sum(rows)) if weights is None else weights,
                          GAP_PROGRESS, GAP_STEPS)
        if found < size:
            best, place, size = problem.residual(trial)[rows], trial, found
        if size < CLOSED:
            break
    return best, place


def _nearest(problem: StartProblem, state: State, row: int, held: np.ndarray) -> float | None:
    """The distance of a row from its given value, as small as the rows `held` allow; None where these cannot hold."""
    rows, held = held.copy(), held.copy()
    rows[row], held[row] = True, False
    found = []
    for trial in _starts(problem, state):
        for weight in HEAVY:
            levenberg(problem, trial, rows, np.where(held, weight, 1.0)[rows], NEAREST_PROGRESS, NEAREST_STEPS)
        r = problem.residual(trial)
        if np.abs(r[held]).max(initial=0.0) < REACHED:
            found.append(float(r[row]))
        if found and abs(found[-1]) < REACHED:
            break
    return min(found, key=abs, default=None)


def _starts(problem: StartProblem, state: State) -> Iterator[State]:
    random = np.random.default_rng(0)
    for k in range(GAP_STARTS):
        trial = state.copy()
        if k:
            mechanism = problem.system.mechanism
            problem.shift(trial, mechanism.spread * random.normal(scale=0.4 * k, size=mechanism.nu))
        yield trial


def _said(problem: StartProblem, name: str, gap: np.ndarray) -> str:
    """A gap in words, in m and rad, as far as the constraint labels its rows."""
    system = problem.system
    for constraint in system.mechanism.constraints:
        if constraint.name == name and constraint.length is not None:
            # the equation of a rod is (d² − L²)/2L
            length = system.names_table.value(constraint.length, system.state_from_defaults()).item()
            return f"{abs(np.sqrt(max(length * length + 2 * length * gap[0], 0.0)) - length):.3g} m"
    labels = next(r.labels for r in problem.system.equations.rows if r.name == name)
    along = np.array([label.startswith("displacement") for label in labels])
    about = np.array([label.startswith(("rotation", "angle")) for label in labels])
    if not np.all(along | about):
        return f"{np.linalg.norm(gap):.3g}"
    parts = sorted(((np.linalg.norm(gap[which]), unit) for which, unit in ((along, "m"), (about, "rad"))), reverse=True)
    return " and ".join(f"{size:.3g} {unit}" for size, unit in parts if size > NAMED_PART * parts[0][0])


def _joints(problem: StartProblem) -> dict[str, str]:
    """Constraint → the joints its loop runs through, for people."""
    return {loop.name: ", ".join(loop.joints[:MOST]) for loop in problem.system.loops}
