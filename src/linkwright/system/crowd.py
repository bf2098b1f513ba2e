"""Many shapes that may touch: a program for their poses and motions, and where its numbers go.

For stepping many contacts at once (`run.moreau`) no row of a contact is compiled: a program gives the poses of all
shapes, the Jacobians of their frames and the inertia; gaps and normals are found by code for every two kinds of shapes
(`gaps_of_many`).  Here is what stays as it is; where the shapes are at an instant is kept in `run.surroundings`.

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

from .. import geometry
from ..codegen import CompiledProgram, Program, compile_program
from ..equations import Equations
from ..mechanism import ENCOUNTER, Mechanism, Row
from .distances import in_numbers
from .event_programs import place
from .gaps_of_many import GapsOfMany
from .layout import Layout
from .programs import build_program

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
    conditional = {row.name for row in e.mechanism.events.conditional}
    rows = [r.G if r.mode is None else r.mode * r.G for r in e.rows if r.mode is None or r.name in conditional]
    return ca.sparsify(ca.vertcat(ca.SX(0, e.mechanism.nu), *rows))


def singles(mechanism: Mechanism) -> list[Row]:
    """The rows of one speed that take part in the impulses of a step: those that open, then those that slide."""
    return sorted(mechanism.events.bounded, key=lambda row: not row.opens)


def single_rows(e: Equations) -> ca.SX:
    """Their Jacobians; empty where nothing moves."""
    rows = [ca.SX(0, e.mechanism.nu)]
    for row in singles(e.mechanism):
        G = place(e, row.name)[1].G
        rows.append(G if G.shape[0] else ca.SX(1, e.mechanism.nu))
    return ca.sparsify(ca.vertcat(*rows))


def told_of_singles(e: Equations) -> ca.SX:
    """(gap, restitution, 0) of each that opens, (what rubs in motion, holds it back, holds it forth) of each that
    slides."""
    numbers = [ca.vertcat(ca.SX(row.gap), ca.SX(row.restitution), 0) if row.opens else
               ca.vertcat(ca.substitute(ca.SX(row.sliding), row.direction, ca.sign(row.speed)), row.limit, row.back)
               for row in singles(e.mechanism)]
    return ca.densify(e.finish(ca.vertcat(ca.SX(0, 1), *numbers))[0])


def laws_of(system: System, inputs: np.ndarray) -> np.ndarray:
    """The numbers of the laws of encounters, a row each with one of each; with the values that parameters have now."""
    program = laws_program(system)
    if program is not None:
        return program(inputs).reshape(len(ENCOUNTER), -1)
    return np.array(ca.evalf(_laws(system)), dtype=float).reshape(len(ENCOUNTER), -1)


def laws_program(system: System) -> CompiledProgram | None:
    """The program of these numbers; None where no parameter is among them."""
    def made() -> CompiledProgram | None:
        laws = _laws(system)
        if not ca.symvar(laws):
            return None
        return compile_program(build_program("laws", system.layout, {"laws": ca.vec(laws.T)}))

    return system.once(("laws of encounters",), made)


def _laws(system: System) -> ca.SX:
    return ca.densify(ca.horzcat(ca.SX(len(ENCOUNTER), 0), *[meet.law for meet in system.mechanism.events.encounters]))


#: kinds of shapes of which every two have a gap that is never larger than their distance, but for two boxes: the gap of
#: faces that overlap is larger than that of their rims
DISTANT = (geometry.Point, geometry.Plane, geometry.Sphere, geometry.Box, geometry.Capsule, geometry.Cylinder,
           geometry.Disc, geometry.Torus, geometry.Ellipsoid, geometry.Convex)


class Crowd:
    """The shapes that meet, in the order of `names`, with sizes as parameters are, as arrays that stay."""

    def __init__(self, system: System, state: State) -> None:
        mechanism = system.mechanism
        encounters = mechanism.events.encounters
        self.names = list(dict.fromkeys(name for meet in encounters for name in (meet.a, meet.b)))
        number = {name: k for k, name in enumerate(self.names)}
        self.shapes = [in_numbers(system, state, mechanism.shapes[name].shape) for name in self.names]
        #: the shapes a and b of every encounter, and which encounter two shapes have, or −1
        self.pairs = np.array([(number[meet.a], number[meet.b]) for meet in encounters], dtype=np.int64).reshape(-1, 2)
        self.meets = np.full((len(self.names),) * 2, -1, dtype=np.int64)
        for way in (self.pairs, self.pairs[:, ::-1]):
            self.meets[way[:, 0], way[:, 1]] = np.arange(len(encounters))
        self.reach = np.array([geometry.reach(shape) for shape in self.shapes])
        self.distant, self.boxes = (np.array([isinstance(shape, kinds) for shape in self.shapes], dtype=np.int64)
                                    for kinds in (DISTANT, geometry.Box))
        self.gaps = GapsOfMany(self.shapes)
        self.movers: Movers = system.once(("movers", *self.names), lambda: Movers(system, self.names))


class Movers:
    """What moves these shapes: the program of their places, and where its numbers go; the same for all numbers."""

    def __init__(self, system: System, names: Sequence[str]) -> None:
        e, mechanism = system.equations, system.mechanism
        self.program = system.code.places(tuple(names))
        # where the non-zeros go: few speeds move a shape
        patterns = [e.jacobian(mechanism.shapes[name].frame).sparsity() for name in names]
        used = [sorted(set(p.get_col())) for p in patterns]
        width = max([1, *map(len, used)])
        self.columns = np.full((len(used), width), -1)
        entries: list[int] = []
        for k, (pattern, own) in enumerate(zip(patterns, used, strict=True)):
            self.columns[k, : len(own)] = own
            entries += [(6 * k + row) * width + own.index(column) for row, column in
                        zip(pattern.row(), pattern.get_col(), strict=True)]
        nu, given = mechanism.nu, list(e.given_speeds)
        held, single = held_rows(e).sparsity(), single_rows(e).sparsity()
        self._held, self._single = ((np.array(p.row(), dtype=int), np.array(p.get_col(), dtype=int))
                                    for p in (held, single))
        self.single_places = _by_rows(*self._single, single.shape[0])
        #: rows of what holds always: those that the program gives, then one for every speed that is given
        self.rows = np.zeros((held.shape[0] + len(given), nu))
        self.rows[held.shape[0] + np.arange(len(given)), given] = 1.0
        inertia = ca.sparsify(e.mass_matrix).sparsity()
        rows, columns = np.array(inertia.row(), dtype=int), np.array(inertia.get_col(), dtype=int)
        self._blocks(rows, columns, nu)
        self.block_of_row = np.array([self.block_of[at] for at in [*_firsts(*self._held, held.shape[0]), *given]],
                                     dtype=np.int64)
        size = self.members.shape[1]
        #: where the program's non-zeros lie in the arrays
        self.jacobian_at = np.array(entries, dtype=np.int64)
        self.inertia_at = (self.block_of[rows] * size + self.place_in[rows]) * size + self.place_in[columns]
        self.held_at, self.single_at = (of[0] * nu + of[1] for of in (self._held, self._single))

    def _blocks(self, rows: np.ndarray, columns: np.ndarray, nu: int) -> None:
        """The parts of the inertia that hang together: by it, by constraints, or because they move one shape."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import connected_components

        one, other = self.columns[:, :1].repeat(self.columns.shape[1], axis=1).ravel(), self.columns.ravel()
        links = np.concatenate([rows, one[other >= 0]]), np.concatenate([columns, other[other >= 0]])
        for which, own in (self._held, self._single):
            # all that a row reads hangs on the first that it reads
            first = dict(zip(which[::-1].tolist(), own[::-1].tolist(), strict=True))
            links = (np.concatenate([links[0], np.array([first[k] for k in which.tolist()], dtype=int)]),
                     np.concatenate([links[1], own]))
        count, block_of = connected_components(csr_matrix((np.ones(len(links[0])), links), (nu, nu)), False)
        self.block_of = block_of.astype(np.int64)
        self.sizes = np.bincount(self.block_of, minlength=count).astype(np.int64)
        self.members = np.full((count, self.sizes.max(initial=1)), -1)
        self.place_in = np.zeros(nu, dtype=np.int64)
        for block in range(count):
            own = np.flatnonzero(self.block_of == block)
            self.members[block, : len(own)], self.place_in[own] = own, np.arange(len(own))


def _firsts(rows: np.ndarray, columns: np.ndarray, count: int) -> list[int]:
    """The first column of every row; rows that read nothing have that of the mechanism's first speed."""
    return [int(columns[rows == k].min()) if np.any(rows == k) else 0 for k in range(count)]


def _by_rows(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """The columns of every row, filled up with −1; one column at least."""
    own = [columns[rows == k] for k in range(count)]
    out = np.full((count, max([1, *map(len, own)])), -1)
    for k, found in enumerate(own):
        out[k, : len(found)] = found
    return out
