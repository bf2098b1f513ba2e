"""A start in the configuration that was meant: closed forms of loops have several solutions, and guesses choose one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..mechanism import Closure, Joined, Mechanism
from .tolerances import EQUALLY_NEAR, MUST, UNSAID, WIDTH

if TYPE_CHECKING:
    from ..system import State
    from .conditions import Conditions, Numeric
    from .problem import StartProblem


@dataclass
class _Ring:
    """A closed form as numbers: its function of the state, where its coordinates and branches are, which are angles."""

    values: Callable[[np.ndarray], np.ndarray]
    places: list[int]
    branches: list[int]
    angles: np.ndarray
    #: residuals of the given values that can be computed once this ring is closed, and not before
    off: Callable[[np.ndarray], np.ndarray]
    counts: np.ndarray  # the weight of each residual
    reads: set[int]  # coordinates it depends on, itself or through what is given


class ClosedStart:
    """The closed forms of loops, as functions of what the conditions on a start depend on.

    Rings are solved in their order.  Each has a few solutions.  Of all combinations the one is taken whose coordinates,
    those of joints that close loops included, are nearest to the given values and guesses; of two that are equally near
    (mirror images of one another), the one beyond its guess, as MultiBody's slides choose.
    """

    def __init__(self, problem: Conditions, numeric: type[Numeric]) -> None:
        e, m = problem.equations, problem.mechanism
        q_slices, u_slices = m.slices()
        d, inputs = e.symbols["d"], problem.inputs
        where = {d[k].element_hash(): k for k in range(d.numel())}
        self.dependent = np.isin(np.arange(m.nu), [k for c in m.closures for k in _places(m, u_slices, c)])
        solved = {name for closure in m.closures for name in closure.constraints}
        #: whether there are loops without a closed form
        self.partial = bool(solved) and any(c.name not in solved and c.mode is None for c in m.constraints)
        self._q = slice(1, 1 + m.nq)  # where coordinates and discrete variables are in the inputs
        first = 1 + m.nq + m.nu + e.symbols["z"].numel()
        self._d = slice(first, first + d.numel())
        places = [_places(m, q_slices, closure) for closure in m.closures]
        last, reads_q = _known_with(problem, places)
        self.rings: list[_Ring] = []
        for k, (closure, own) in enumerate(zip(m.closures, places, strict=True)):
            rows = np.flatnonzero(problem.said & (last == k))
            values = e.laws.evaluate(closure.values)[0]
            reads = {*ca.jacobian_sparsity(values, e.symbols["q"]).get_col(), *own}
            reads |= set().union(*(reads_q[row] for row in rows))
            branches = [where[branch.element_hash()] for branch in closure.branches]
            self.rings.append(_Ring(numeric(inputs, values), own, branches, np.array(closure.angles),
                                    numeric(inputs, problem.expressions[rows.tolist()]),
                                    np.where(problem.fixed[rows], MUST, 1.0), reads))

    def close(self, problem: StartProblem, state: State) -> bool:
        """Set dependent coordinates by the closed forms; False, and no change, where loops stay open."""
        x = problem.values(state)
        for rings in self._chains():
            ways = [(0.0, 0.0, x)]
            for ring in rings:
                ways = [(far + more, above + beyond, new) for far, above, old in ways
                        for more, beyond, new in self._solutions(ring, old)]
                ways = sorted(ways, key=lambda way: way[0])[:WIDTH]
            if not ways:
                return False
            nearest = [way for way in ways if way[0] <= ways[0][0] * (1 + EQUALLY_NEAR)]
            x = max(nearest, key=lambda way: way[1])[2]
        state.q, state.d = x[self._q], x[self._d]
        return True

    def _chains(self) -> list[list[_Ring]]:
        """Rings that depend on one another, in order."""
        solver: dict[int, int] = {}  # coordinate → the ring that solves it
        links = []
        for k, ring in enumerate(self.rings):
            links += [(solver[place], k) for place in ring.reads if place in solver]
            solver |= dict.fromkeys(ring.places, k)
        together = Joined()
        for one, other in links:
            together.join(one, other)
        chains: dict[int, list[_Ring]] = {}
        for k, ring in enumerate(self.rings):
            chains.setdefault(together.find(k), []).append(ring)
        return list(chains.values())

    def _solutions(self, ring: _Ring, x: np.ndarray) -> list[tuple[float, float, np.ndarray]]:
        """(distance² from what was given, how far beyond it, inputs) of a ring's solutions around those in x."""
        found, q = [], x[self._q][ring.places]
        for signs in itertools.product((1.0, -1.0), repeat=len(ring.branches)):
            trial = x.copy()
            trial[self._d][ring.branches] = signs
            values = ring.values(trial).ravel()
            if not np.all(np.isfinite(values)):
                continue
            change = values - q
            # of an angle, the value with the number of full turns nearest to that before
            change = np.where(ring.angles, np.remainder(change + np.pi, 2 * np.pi) - np.pi, change)
            trial[self._q][ring.places] = q + change
            off = ring.off(trial).ravel() * ring.counts
            moved = UNSAID * np.where(ring.angles, 2 * np.sin(change / 2), change)
            found.append((off @ off + moved @ moved, off.sum(), trial))
        return found


def _known_with(problem: Conditions, places: list[list[int]]) -> tuple[np.ndarray, list[set[int]]]:
    """For every equation the last of the rings it depends on (-1 for none), and which coordinates it reads."""
    step = np.full(problem.mechanism.nq, -1)
    for k, own in enumerate(places):
        step[own] = k
    rows, columns = problem.reads_q.get_triplet()
    last = np.full(problem.reads_q.shape[0], -1)
    reads: list[set[int]] = [set() for _ in last]
    np.maximum.at(last, rows, step[columns])
    for row, column in zip(rows, columns, strict=True):
        reads[row].add(column)
    return last, reads


def _places(m: Mechanism, slices: Sequence[slice], closure: Closure) -> list[int]:
    """Where a closure's coordinates are among those of a mechanism."""
    return [slices[m.index(joint)].start + index for joint, index in closure.coordinates]
