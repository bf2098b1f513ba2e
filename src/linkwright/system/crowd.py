"""Many shapes that may touch: their poses and motions, which of them are near each other, and their gaps.

For stepping many contacts at once (`run.moreau`) no row of a contact is compiled: a program gives the poses of all
shapes, the Jacobians of their frames and the inertia; pairs that are near are found by boxes (sweep and prune); gaps
and normals of all pairs of one kind are computed together by compiled code, others one by one.

Loops, locks and given motions hold whatever the impulses are: the inverse inertia is that of the motions they leave,

    [[M, Gᵀ], [G, 0]]⁺ = [[M_c⁻¹, ·], [·, ·]]      G: the rows of loops and locks, and one for every speed that is given

and stops and friction in joints are rows of one speed each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache, cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from .. import geometry
from ..algebra import Transform
from ..codegen import CompiledProgram, Program, Straight, compile_program
from ..equations import Equations
from ..errors import ModelError
from .distances import in_numbers
from .event_programs import place
from .layout import Layout
from .programs import build_program
from .tolerances import DEPENDENT

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
        self.reach = np.array([geometry.reach(shape) for shape in self.shapes])
        #: which encounter two shapes have, or −1
        self.meets = np.full((len(self.names),) * 2, -1, dtype=np.int32)
        for k, meet in enumerate(encounters):
            self.meets[number[meet.a], number[meet.b]] = self.meets[number[meet.b], number[meet.a]] = k
        self.first = np.array([number[meet.a] for meet in encounters])
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
        self.told = np.zeros((single.shape[0], 3))
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

    def look(self, inputs: np.ndarray, inertia: bool = True) -> None:
        """Poses, Jacobians and (unless the last are good enough) inverse inertias at the inputs of a program."""
        self._program(inputs, self._out)
        self.poses[:] = self._out[self._at["poses"]].reshape(-1, 12)
        if "jacobians" in self._at:
            self.jacobians[self._entries] = self._out[self._at["jacobians"]]
        if "inertia" in self._at and inertia:
            self._inertia[self._inertia_at] = self._out[self._at["inertia"]]
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
        """Inverse inertias, of blocks with constraints that of the motions these leave."""
        plain = np.setdiff1d(np.arange(len(self._inertia)), self._constrained)
        self.inverse = np.zeros_like(self._inertia)
        if len(plain):
            self.inverse[plain] = np.linalg.inv(self._inertia[plain])
        for block in self._constrained:
            own = self.members[block][self.members[block] >= 0]
            G = self._rows[:, own]
            G = G[G.any(axis=1)]
            n, size = len(own), np.sqrt(np.abs(np.diagonal(self._inertia[block])[: len(own)]).max())
            kkt = np.zeros((n + len(G),) * 2)
            kkt[:n, :n] = self._inertia[block, :n, :n]
            kkt[:n, n:], kkt[n:, :n] = size**2 * G.T, size**2 * G
            self.inverse[block, :n, :n] = np.linalg.pinv(kkt, rcond=DEPENDENT, hermitian=True)[:n, :n]

    def near(self, margin: np.ndarray) -> np.ndarray:
        """Pairs (n, 2) of shapes that may be closer than the sum of their margins, a first."""
        wide = (self.reach + margin)[:, None]
        found = geometry.near_pairs(self.poses[:, 9:] - wide, self.poses[:, 9:] + wide)
        meets = self.meets[found[:, 0], found[:, 1]]
        found, meets = found[meets >= 0], meets[meets >= 0]
        swapped = self.first[meets] != found[:, 0]
        found[swapped] = found[swapped][:, ::-1]
        return found

    @cached_property
    def _kinds(self) -> np.ndarray:
        kinds: dict[type, int] = {}
        return np.array([kinds.setdefault(type(shape), len(kinds)) for shape in self.shapes])

    @cached_property
    def _sizes(self) -> list[np.ndarray]:
        """Of every kind the sizes of all shapes, one row each; rows of other kinds are empty."""
        found = []
        for kind in range(self._kinds.max(initial=-1) + 1):
            own = {k: _sizes(self.shapes[k]) for k in np.flatnonzero(self._kinds == kind)}
            table = np.zeros((len(self.shapes), len(next(iter(own.values())))))
            for k, sizes in own.items():
                if len(sizes) == table.shape[1]:
                    table[k] = sizes
            found.append(table)
        return found

    def gaps(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(which pair, which of its points; gap, normal, point on a, point on b) of all points of contact of pairs."""
        owners, points, found = [np.zeros(0, dtype=int)], [np.zeros(0, dtype=int)], [np.zeros((0, 10))]
        count = self._kinds.max(initial=0) + 1
        kinds = self._kinds[pairs[:, 0]] * count + self._kinds[pairs[:, 1]]
        for number in np.unique(kinds):
            own, kind = np.flatnonzero(kinds == number), divmod(int(number), int(count))
            a, b = self.shapes[pairs[own[0], 0]], self.shapes[pairs[own[0], 1]]
            code = _compiled(type(a), type(b))
            if code is None:
                touches = [self._one(*pairs[k]) for k in own]
                owners += [np.full(len(touch), k) for k, touch in zip(own, touches, strict=True)]
                points += [np.arange(len(touch)) for touch in touches]
                found += touches
                continue
            i, j = pairs[own].T
            rows = np.hstack([self._sizes[kind[0]][i], self._sizes[kind[1]][j], self.poses[i], self.poses[j]])
            numbers = code.batch(rows).reshape(len(own), -1, 10)
            owners.append(own.repeat(numbers.shape[1]))
            points.append(np.tile(np.arange(numbers.shape[1]), len(own)))
            found.append(numbers.reshape(-1, 10))
        return np.concatenate(owners), np.concatenate(points), np.vstack(found)

    def _one(self, i: int, j: int) -> np.ndarray:
        pair = _pair(self.shapes[i], self.shapes[j])
        if pair.routine is not None:
            return pair.routine(self.poses[i], self.poses[j], pair.n_points)
        X_a, X_b = (Transform(pose[:9].reshape(3, 3), pose[9:]) for pose in (self.poses[i], self.poses[j]))
        return np.array([np.concatenate([[t.gap], *[np.asarray(v, float).ravel() for v in
                                                    (t.normal, t.point_a, t.point_b)]])
                         for t in pair.evaluate(X_a, X_b)])


@cache
def _pair(a: geometry.Shape, b: geometry.Shape) -> geometry.PairGeometry:
    return geometry.pair(a, b)


@cache
def _compiled(kind_a: type, kind_b: type) -> CompiledProgram | None:
    """Compiled code of the points of contact of two kinds of shapes, their sizes inputs; None where there is none."""
    try:
        a, b = _symbolic(kind_a), _symbolic(kind_b)
        pair = geometry.pair(a[0], b[0])
        if pair.routine is not None or pair.unknowns is not None:
            return None
        poses = [ca.SX.sym("pose", 12) for _ in range(2)]
        X = [Transform(ca.reshape(pose[:9], 3, 3).T, pose[9:]) for pose in poses]
        touches = pair.evaluate(*X)
    except (TypeError, ValueError, AttributeError, RuntimeError, KeyError, ModelError):
        return None
    numbers = ca.vertcat(*[ca.vertcat(ca.SX(t.gap), ca.SX(t.normal), ca.SX(t.point_a), ca.SX(t.point_b))
                           for t in touches])
    arguments = [ca.vertcat(a[1], b[1], *poses)]
    f = ca.Function("touches", arguments, [numbers])
    return compile_program(Program("touches", [("x", f.numel_in(0))], [("touches", f.numel_out(0))],
                                   [Straight(f, ("x",), ("touches",))]))


def _symbolic(kind: type) -> tuple[geometry.Shape, ca.SX]:
    """A shape of a kind with symbols for sizes, and the symbols."""
    example = EXAMPLES[kind]
    symbols, changed = [ca.SX(0, 1)], {}
    for field in fields(example):
        value = getattr(example, field.name)
        if isinstance(value, bool | int | str):
            continue
        symbol = ca.SX.sym(field.name, np.size(value))
        symbols.append(symbol)
        changed[field.name] = symbol if np.size(value) > 1 else symbol[0]
    made = object.__new__(kind)
    for field in fields(example):
        object.__setattr__(made, field.name, changed.get(field.name, getattr(example, field.name)))
    return made, ca.vertcat(*symbols)


#: kinds of shapes whose pairs are compiled with their sizes as inputs
EXAMPLES = {geometry.Point: geometry.Point(), geometry.Plane: geometry.Plane(), geometry.Sphere: geometry.Sphere(1.0),
            geometry.Box: geometry.Box([1.0, 1.0, 1.0]), geometry.Capsule: geometry.Capsule(1.0, 1.0)}


def _sizes(shape: geometry.Shape) -> np.ndarray:
    """The sizes of a shape in the order of `_symbolic`."""
    own = [getattr(shape, field.name) for field in fields(shape)]
    return np.concatenate([np.zeros(0), *[np.asarray(v, float).ravel() for v in own if not isinstance(v, bool | int)]])
