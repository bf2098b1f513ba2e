"""Many shapes that may touch: their poses and motions, which of them are near each other, and their gaps.

For stepping many contacts at once (`run.moreau`) no row of a contact is compiled: a program gives the poses of all
shapes, the Jacobians of their frames and the inertia; pairs that are near are known by `nearness`; gaps
and normals of all pairs of one kind are computed together by compiled code, others one by one.

Over a step h the forces of springs k and dampers d on joints change with the speeds that the step leaves,

    (M + h d + h² k (1 + 3 w)/4) (u⁺ − u) = h M u̇ − w h² k u,      w = h² k/(h² k + M_ii)

so that no step is too long for them.  Where w is small, springs keep their energy (the rule is conjugate to that of the
midpoint), where they are too stiff for the step (w near 1), and for dampers, it is Euler's implicit rule.  The inertia
here is that of the left side.

Loops, locks and given motions hold whatever the impulses are: the inverse inertia is that of the motions they leave,

    [[M, Gᵀ], [G, 0]]⁺ = [[M_c⁻¹, ·], [·, ·]]      G: the rows of loops and locks, and one for every speed that is given

and stops and friction in joints are rows of one speed each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..codegen import Program
from ..equations import Equations
from .distances import in_numbers
from .event_programs import place
from .gaps_of_many import GapsOfMany
from .layout import Layout
from .nearness import Nearness
from .programs import build_program
from .tolerances import DEPENDENT, RANK_TOLERANCE, TINY

if TYPE_CHECKING:
    from .state import State
    from .system import System


def places_program(layout: Layout, shapes: Sequence[str]) -> Program:
    """Poses (12 numbers each: the rotation by rows, then the position), Jacobians' and the inertia's non-zeros."""
    e = layout.equations
    frames = [e.mechanism.shapes[name].frame for name in shapes]
    poses = []
    for frame in frames:
        X = e.laws.relative("world", frame).X_AB
        poses += [ca.vec(ca.SX(X.R).T), ca.SX(X.p)]
    jacobians = [e.jacobian(frame) for frame in frames]
    outputs = {"poses": ca.densify(ca.vertcat(*poses)),
               "jacobians": ca.vertcat(ca.SX(0, 1), *[J.nz[:] for J in jacobians]),
               "inertia": ca.sparsify(e.mass_matrix).nz[:],
               "stiff": ca.densify(e.springs_and_dampers[0]), "damping": ca.densify(e.springs_and_dampers[1]),
               "held": held_rows(e).nz[:], "singles": single_rows(e).nz[:], "told": told_of_singles(e)}
    return build_program("places", layout, outputs)


def held_rows(e: Equations) -> ca.SX:
    """The rows of loops and other constraints that always hold, and of locks, which are zero while they do not."""
    locks = {lock.name for lock in e.mechanism.events.locks}
    rows = [r.G if r.mode is None else r.mode * r.G for r in e.rows if r.mode is None or r.name in locks]
    return ca.sparsify(ca.vertcat(ca.SX(0, e.mechanism.nu), *rows))


def single_rows(e: Equations) -> ca.SX:
    """The rows of stops, then of friction in joints; empty where nothing moves."""
    events, rows = e.mechanism.events, [ca.SX(0, e.mechanism.nu)]
    for item in (*events.stops, *events.frictions):
        G = place(e, item.name)[1].G
        rows.append(G if G.shape[0] else ca.SX(1, e.mechanism.nu))
    return ca.sparsify(ca.vertcat(*rows))


def told_of_singles(e: Equations) -> ca.SX:
    """(gap, restitution, 0) of every stop, then (what rubs in motion, holds it back, holds it forth) of frictions."""
    events = e.mechanism.events
    numbers = [ca.vertcat(ca.SX(s.gap), ca.SX(s.restitution), 0) for s in events.stops]
    numbers += [ca.vertcat(ca.substitute(ca.SX(f.sliding), f.direction, ca.sign(f.speed)), f.limit, f.back)
                for f in events.frictions]
    return ca.densify(e.finish(ca.vertcat(ca.SX(0, 1), *numbers))[0])


class Crowd:
    """The shapes that meet: numbers by shape, in the order of `names`."""

    def __init__(self, system: System, state: State) -> None:
        e, mechanism = system.equations, system.mechanism
        encounters = mechanism.events.encounters
        self.names = list(dict.fromkeys(name for meet in encounters for name in (meet.a, meet.b)))
        number = {name: k for k, name in enumerate(self.names)}
        self.shapes = [in_numbers(system, state, mechanism.shapes[name].shape) for name in self.names]
        #: which encounter two shapes have, or −1
        self.meets = np.full((len(self.names),) * 2, -1, dtype=np.int32)
        for k, meet in enumerate(encounters):
            self.meets[number[meet.a], number[meet.b]] = self.meets[number[meet.b], number[meet.a]] = k
        self._count, first = len(encounters), np.array([number[meet.a] for meet in encounters])
        self.nearness = Nearness(self.shapes, self.meets, first)
        self._measured: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None
        self.reach, self._gaps = self.nearness.reach, GapsOfMany(self.shapes)
        self._program = system.code.places(tuple(self.names))
        self._out = np.zeros(self._program.n_out)
        self._at = {name: self._program.slice_out(name) for name, _ in self._program.program.outputs}
        # where the non-zeros go: few speeds move a shape
        patterns = [e.jacobian(mechanism.shapes[name].frame).sparsity() for name in self.names]
        used = [sorted(set(p.get_col())) for p in patterns]
        width = max([1, *map(len, used)])
        self.columns = np.full((len(used), width), -1)
        entries: list[tuple[int, int, int]] = []
        for k, (pattern, own) in enumerate(zip(patterns, used, strict=True)):
            self.columns[k, : len(own)] = own
            entries += [(k, row, own.index(column)) for row, column in
                        zip(pattern.row(), pattern.get_col(), strict=True)]
        self._entries = tuple(np.array(entries, dtype=int).reshape(-1, 3).T)
        self.jacobians = np.zeros((len(used), 6, width))
        self.poses = np.zeros((len(used), 12))
        held, single = held_rows(e).sparsity(), single_rows(e).sparsity()
        self._held, self._single = (tuple(map(np.array, (p.row(), p.get_col()))) for p in (held, single))
        self.singles = np.zeros((single.shape[0], mechanism.nu))
        self.single_places = _by_rows(self._single[0], self._single[1], single.shape[0])
        self.told = np.zeros((single.shape[0], 3))
        #: what they add to the inertia, h d + h² k (1 + 3 w)/4, and w h² k, of every speed
        self.added, self.pull = np.zeros(mechanism.nu), np.zeros(mechanism.nu)
        self._rows = np.zeros((held.shape[0] + len(e.given_speeds), mechanism.nu))
        self._rows[held.shape[0] + np.arange(len(e.given_speeds)), e.given_speeds] = 1.0
        self._blocks(ca.sparsify(e.mass_matrix).sparsity(), mechanism.nu)

    def _blocks(self, pattern: ca.Sparsity, nu: int) -> None:
        """The parts of the inertia that hang together: by it, by constraints, or because they move one shape."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import connected_components

        rows, columns = np.array(pattern.row()), np.array(pattern.get_col())
        one, other = self.columns[:, :1].repeat(self.columns.shape[1], axis=1).ravel(), self.columns.ravel()
        links = np.concatenate([rows, one[other >= 0]]), np.concatenate([columns, other[other >= 0]])
        for which, own in (self._held, self._single):
            # all that a row reads hangs on the first that it reads
            first = dict(zip(which[::-1].tolist(), own[::-1].tolist(), strict=True))
            links = (np.concatenate([links[0], np.array([first[k] for k in which.tolist()], dtype=int)]),
                     np.concatenate([links[1], own.astype(int)]))
        count, self.block_of = connected_components(csr_matrix((np.ones(len(links[0])), links), (nu, nu)), False)
        self.block_of = self.block_of.astype(np.int64)
        sizes = np.bincount(self.block_of, minlength=count)
        self.members, self.place_in = np.full((count, sizes.max(initial=1)), -1), np.zeros(nu, dtype=int)
        for block in range(count):
            own = np.flatnonzero(self.block_of == block)
            self.members[block, : len(own)], self.place_in[own] = own, np.arange(len(own))
        self._inertia_at = self.block_of[rows], self.place_in[rows], self.place_in[columns]
        self._inertia = np.zeros((count, sizes.max(initial=1), sizes.max(initial=1)))
        padding = np.arange(sizes.max(initial=1))[None, :] >= sizes[:, None]
        block, entry = np.nonzero(padding)
        self._inertia[block, entry, entry] = 1.0
        given = np.flatnonzero(self._rows.any(axis=0))  # speeds that are given; those in loops come with their rows
        reads = np.concatenate([self._held[1], given]).astype(int)
        self._constrained = sorted(set(self.block_of[reads].tolist()))
        self._plain = np.setdiff1d(np.arange(count), self._constrained)

    def look(self, inputs: np.ndarray, step: float = 0.0, inertia: bool = True) -> None:
        """Poses, Jacobians and (unless the last are good enough) inverse inertias at the inputs of a program.

        Forces of springs and dampers on joints act for so long as a `step` (s).
        """
        self._program(inputs, self._out)
        self.poses[:] = self._out[self._at["poses"]].reshape(-1, 12)
        self.nearness.move(self.poses)
        self._measured = None
        if "jacobians" in self._at:
            self.jacobians[self._entries] = self._out[self._at["jacobians"]]
        if "inertia" in self._at and inertia:
            self._inertia[self._inertia_at] = self._out[self._at["inertia"]]
            own, stiff = (self.block_of, self.place_in, self.place_in), step**2 * self._out[self._at["stiff"]]
            share = stiff / np.maximum(stiff + self._inertia[own], TINY)
            self.added[:] = step * self._out[self._at["damping"]] + stiff * (1 + 3 * share) / 4
            self.pull[:] = share * stiff
            self._inertia[own] += self.added
        if "singles" in self._at:
            self.singles[self._single] = self._out[self._at["singles"]]
        if "told" in self._at:
            self.told[:] = self._out[self._at["told"]].reshape(-1, 3)
        if "held" in self._at:
            self._rows[self._held] = self._out[self._at["held"]]
        if inertia:
            self._invert()

    def tell(self, inputs: np.ndarray) -> None:
        """What stops and friction bear at other inputs, those with the modes of contacts in force."""
        self.told[:] = self._program(inputs)[self._at["told"]].reshape(-1, 3)

    def _invert(self) -> None:
        """Inverse inertias and F with FᵀF = M⁻¹; of blocks with constraints those of the motions that these leave."""
        self.factors = np.zeros_like(self._inertia)
        if len(self._plain):
            self.factors[self._plain] = np.linalg.inv(np.linalg.cholesky(self._inertia[self._plain]))
        for block in self._constrained:
            own = self.members[block][self.members[block] >= 0]
            G = self._rows[:, own]
            n = len(own)
            self.factors[block, :n, :n] = _factor_left(self._inertia[block, :n, :n], G[G.any(axis=1)])
        self.inverse = np.swapaxes(self.factors, 1, 2) @ self.factors

    def give(self, forces: np.ndarray) -> np.ndarray:
        """M⁻¹ times forces on all speeds."""
        own = np.where(self.members >= 0, forces[np.maximum(self.members, 0)], 0.0)
        out = np.zeros(len(forces))
        out[self.members[self.members >= 0]] = np.einsum("bij,bj->bi", self.inverse, own)[self.members >= 0]
        return out

    def near(self, margin: np.ndarray) -> np.ndarray:
        """Pairs (n, 2) of shapes that may be closer than the sum of their margins, a first."""
        return self.nearness.pairs(margin)

    def gaps(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(which pair, which of its points; gap, normal, point on a, point on b) of all points of contact of pairs."""
        found = self._known(pairs)
        if found is None:
            found = self._gaps.of(pairs, self.poses)
            self._measured = pairs, *found
            self.nearness.measured(pairs, found[0], found[2][:, 0])
        return found

    def _known(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The points of pairs that were measured at this look already, in the same order; None where some were not."""
        if self._measured is None or not len(pairs):
            return None
        known, owners, points, numbers = self._measured
        wanted = np.zeros(self._count, dtype=bool)
        wanted[self.meets[pairs[:, 0], pairs[:, 1]]] = True
        asked = wanted[self.meets[known[:, 0], known[:, 1]]]
        if not np.array_equal(known[asked], pairs):
            return None
        kept = asked[owners]
        return (np.cumsum(asked) - 1)[owners[kept]], points[kept], numbers[kept]


def _by_rows(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """The columns of every row, filled up with −1; one column at least."""
    own = [columns[rows == k] for k in range(count)]
    out = np.full((count, max([1, *map(len, own)])), -1)
    for k, found in enumerate(own):
        out[k, : len(found)] = found
    return out


def _factor_left(M: np.ndarray, G: np.ndarray) -> np.ndarray:
    """F with FᵀF the inverse inertia of the motions that G u = 0 leaves: (1 − QᵀQ) L⁻¹, M = L Lᵀ, Q a basis of G L⁻ᵀ.

    Where parts without mass make M singular it is taken from [[M, Gᵀ], [G, 0]]⁺.
    """
    n = len(M)
    try:
        F = np.linalg.inv(np.linalg.cholesky(M))
    except np.linalg.LinAlgError:
        size = np.abs(np.diagonal(M)).max()
        kkt = np.zeros((n + len(G),) * 2)
        kkt[:n, :n], kkt[:n, n:], kkt[n:, :n] = M, size * G.T, size * G
        free = np.linalg.pinv(kkt, rcond=DEPENDENT, hermitian=True)[:n, :n]
        sizes, ways = np.linalg.eigh((free + free.T) / 2)
        return (ways * np.sqrt(np.where(sizes > DEPENDENT * sizes[-1], sizes, 0.0))).T
    rows = G @ F.T
    lengths = np.linalg.norm(rows, axis=1)
    _, sizes, ways = np.linalg.svd(rows / np.maximum(lengths, TINY)[:, None], full_matrices=False)
    Q = ways[sizes > RANK_TOLERANCE * sizes.max(initial=0.0)]
    return F - Q.T @ (Q @ F)
