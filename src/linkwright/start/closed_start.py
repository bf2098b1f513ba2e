"""A start on the right side of every loop: where loops have closed forms, the guesses choose among their solutions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import casadi as ca
import numpy as np

#: how much a coordinate counts of which nothing was said, and a value that must hold, beside a guess
UNSAID, MUST = 1e-3, 10.0
#: how many solutions are followed at once through rings that depend on one another
WIDTH = 64


@dataclass
class _Ring:
    """A closed form as numbers: its function of the state, where its coordinates and branches are, which are angles."""

    values: object
    places: list[int]
    branches: list[int]
    angles: np.ndarray
    rows: np.ndarray  # what is given of coordinates that are known once this ring is closed, and not before
    reads: set[int]  # coordinates it depends on, itself or through such rows


class ClosedStart:
    """The closed forms of a start problem's loops, as functions of its state.

    Rings are solved in their order.  Each has a few solutions; of all combinations that one is taken in which the
    coordinates known by then, of joints that close loops as well, come nearest to what was given.
    """

    def __init__(self, problem, numeric):
        self.problem = problem
        e, m = problem.system.equations, problem.system.mechanism
        q_slices, u_slices = m.slices()
        d, inputs = e.symbols["d"], ca.vertcat(*[ca.vec(e.symbols[name]) for name in "tquzdp"], e.y)
        where = {d[k].element_hash(): k for k in range(d.numel())}
        self.dependent = np.isin(np.arange(m.nu), [k for c in m.closures for k in _places(m, u_slices, c)])
        solved = {name for closure in m.closures for name in closure.constraints}
        #: whether there are other loops beside
        self.partial = bool(solved) and any(c.name not in solved and c.mode is None for c in m.constraints)
        later = {k for closure in m.closures for k in _places(m, q_slices, closure)}
        self.rings: list[_Ring] = []
        for closure in m.closures:
            places = _places(m, q_slices, closure)
            later -= set(places)
            rows = problem.said & problem.reads_q[:, places].any(1) & ~problem.reads_q[:, sorted(later)].any(1)
            values = e.laws.evaluate(closure.values)[0]
            reads = {*ca.jacobian_sparsity(values, e.symbols["q"]).get_col(),
                     *np.flatnonzero(problem.reads_q[rows].any(0)), *places}
            branches = [where[branch.element_hash()] for branch in closure.branches]
            self.rings.append(_Ring(numeric(inputs, values), places, branches, np.array(closure.angles), rows, reads))

    def close(self, state) -> bool:
        """Put dependent coordinates where the closed forms have them; False, and no change, where loops stay open."""
        trial = state.copy()
        for rings in self._chains():
            ways = [(0.0, trial.q, trial.d)]
            for ring in rings:
                ways = [(far + more, q, d) for far, *way in ways for more, q, d in self._solutions(trial, ring, *way)]
                ways = sorted(ways, key=lambda way: way[0])[:WIDTH]
            if not ways:
                return False
            _, trial.q, trial.d = ways[0]
        state.q, state.d = trial.q, trial.d
        return True

    def _chains(self) -> list[list[_Ring]]:
        """Rings that depend on one another, in order."""
        chains: list[list[_Ring]] = []
        for ring in self.rings:
            met = [chain for chain in chains if any(ring.reads & set(other.places) for other in chain)]
            chains = [chain for chain in chains if chain not in met]
            chains.append([*itertools.chain(*met), ring])
        return chains

    def _solutions(self, state, ring: _Ring, q, d) -> list[tuple]:
        """(distance² from what was given, q, d) of a ring's solutions around the coordinates q."""
        trial, found = state.copy(), []
        for signs in itertools.product((1.0, -1.0), repeat=len(ring.branches)):
            trial.q, trial.d = q.copy(), d.copy()
            trial.d[ring.branches] = signs
            values = ring.values(self.problem.values(trial)).ravel()
            if not np.all(np.isfinite(values)):
                continue
            change = values - q[ring.places]
            # angles in the turn nearest to where they were
            change = np.where(ring.angles, np.remainder(change + np.pi, 2 * np.pi) - np.pi, change)
            trial.q[ring.places] = q[ring.places] + change
            off = self.problem.residual(trial)[ring.rows] * np.where(self.problem.fixed[ring.rows], MUST, 1.0)
            moved = UNSAID * np.where(ring.angles, 2 * np.sin(change / 2), change)
            found.append((off @ off + moved @ moved, trial.q, trial.d))
        return found


def _places(m, slices, closure) -> list[int]:
    """Where a closure's coordinates are among those of a mechanism."""
    return [slices[m.index(joint)].start + index for joint, index in closure.coordinates]
