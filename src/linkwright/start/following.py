"""Unknowns that follow from the rest: nothing else waits for them, so that they are found last, a few at a time.

A fibre in equilibrium with its tendon, or the points where a cable leaves one drum for the next: their equations read
positions, but no loop and no start value reads them.  The conditions on a start then fall into

    leading:    g(x) = 0                         positions, speeds, and all that start values or guesses read
    following:  h₁(x, w₁) = 0,  h₂(x, w₁, w₂) = 0, …     as many equations as unknowns in each

which is the block triangular form (Dulmage and Mendelsohn 1958) of the Jacobian's pattern.  The leading ones are solved
together, then each block by itself, from where its unknowns are, by Newton's method.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..system import seek_unknowns
from ..system.least_norm import as_dense, least_norm
from ..system.least_squares import descent
from .tolerances import CLOSED, CONVERGED, NEWTON_STEPS, SHORTER_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..system import State
    from .conditions import Conditions
    from .problem import StartProblem


class Split:
    """The conditions on a start in two parts: leading ones, which are solved together, and followers.

    Where `led` names equations, these lead, whatever else would be possible.
    """

    def __init__(self, conditions: Conditions, led: frozenset[int]) -> None:
        given, part = len(conditions.given), conditions.part
        in_row, in_column = np.array(conditions.pattern.row(), int), np.array(conditions.pattern.get_col(), int)
        of_freed = in_row[(in_column >= part["p"].start) & (in_column < part["p"].stop)]
        may = conditions.fixed & ~conditions.loop
        # several conditions may share a freed parameter, and start values lead whatever they read
        may[[*range(given), *of_freed, *led]] = False
        columns = np.zeros(conditions.pattern.shape[1], dtype=bool)
        columns[part["z"]] = columns[part["y"]] = True
        self.followers = [Follower(conditions, *block) for block in blocks(conditions.pattern, may, columns)]
        self.leading = np.ones(len(may), dtype=bool)
        self.leading[[row for follower in self.followers for row in follower.rows]] = False
        self.residual, self.jacobian = conditions.only(self.leading) if self.followers else (
            conditions.residual, conditions.jacobian)

    def follow(self, problem: StartProblem, state: State) -> frozenset[int]:
        """Find what follows; tells the equations for which that fails."""
        if not self.followers:
            return frozenset()
        seek_unknowns(problem.system, state, {k for follower in self.followers for k in follower.places["y"]})
        return frozenset(row for follower in self.followers if not follower.meet(problem, state)
                         for row in follower.rows)


class Follower:
    """One block: its equations, and the unknowns (columns of the Jacobian) that they alone determine."""

    def __init__(self, conditions: Conditions, rows: list[int], columns: list[int]) -> None:
        parts, self.rows = conditions.part, rows
        z, y = ([k - parts[name].start for k in sorted(columns) if parts[name].start <= k < parts[name].stop]
                for name in "zy")
        #: part of the state → places there of the unknowns
        self.places = {"z": np.array(conditions.loose_places, dtype=int)[z], "y": np.array(y, dtype=int)}
        self.residual, self.jacobian = conditions.extract(rows, self.places)

    def meet(self, problem: StartProblem, state: State) -> bool:
        """Solve the equations of this block, with everything else as it is; False where they find no solution."""

        def measure(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self._put(state, x)
            values = problem.values(state)
            return self.residual(values).ravel(), as_dense(self.jacobian(values))

        def trials(_: object, r: np.ndarray, J: np.ndarray) -> Iterator[np.ndarray]:
            weights = 1 / np.maximum(np.abs(J).max(axis=1), 1.0)
            step = -least_norm(J * weights[:, None], r * weights)
            return (share * step for share in SHORTER_STEPS)

        x = np.concatenate([getattr(state, part)[own] for part, own in self.places.items()])
        left = np.inf
        for found, r in itertools.islice(descent(x, measure, np.add, trials), NEWTON_STEPS + 1):
            x, left = found, np.abs(r).max()
            if left < CONVERGED:
                break
        self._put(state, x)
        return bool(left < CLOSED)

    def _put(self, state: State, x: np.ndarray) -> None:
        count = len(self.places["z"])
        for part, numbers in (("z", x[:count]), ("y", x[count:])):
            getattr(state, part)[self.places[part]] = numbers


def blocks(pattern: ca.Sparsity, rows: np.ndarray, columns: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """(rows, columns) of the blocks that follow from the rest, in the order in which they can be solved.

    `rows` and `columns` say (as masks) which equations and unknowns may follow.
    """
    in_row, in_column = np.array(pattern.row(), dtype=int), np.array(pattern.get_col(), dtype=int)
    rows = rows.copy()
    while True:
        # what a leading equation reads is found with the leading ones, and some of the others then have no unknown left
        led = np.isin(np.arange(pattern.shape[1]), in_column[~rows[in_row]])
        own, unknowns = np.flatnonzero(rows), np.flatnonzero(columns & ~led)
        part, _ = pattern.sub(own.tolist(), unknowns.tolist())
        _, row_order, column_order, row_ends, column_ends, parts, _ = part.btf()
        square = row_order[parts[2] : parts[3]]
        if len(square) == len(own):
            break
        rows[:] = False
        rows[own[square]] = True
    ends = zip(itertools.pairwise(row_ends), itertools.pairwise(column_ends), strict=True)
    return [(own[row_order[slice(*r)]].tolist(), unknowns[column_order[slice(*c)]].tolist()) for r, c in ends
            if r[1] > r[0]]
