"""Gaps of many pairs of shapes at once: those of one kind by compiled code whose inputs are sizes and poses, others one
by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from .. import geometry
from ..algebra import Transform, axis_frame
from ..building import cached_property
from ..codegen import CompiledProgram, Program, Straight, compile_program


class GapsOfMany:
    """The gaps of pairs of these shapes."""

    def __init__(self, shapes: Sequence[geometry.Shape]) -> None:
        self.shapes = shapes
        self._codes: dict[tuple[int, int], Any] = {}
        self._pairs: dict[tuple[int, int], geometry.PairGeometry] = {}

    @cached_property
    def _kinds(self) -> np.ndarray:
        kinds: dict[Signature, int] = {}
        return np.array([kinds.setdefault(_signature(shape), len(kinds)) for shape in self.shapes])

    @cached_property
    def _axes(self) -> np.ndarray | None:
        """The axes of round shapes, which are compared as if they lay along z; None where all do."""
        frames = np.array([axis_frame(np.asarray(shape.n, dtype=float)) if isinstance(shape, ROUND) else np.eye(3)
                           for shape in self.shapes])
        return None if np.array_equal(frames, np.tile(np.eye(3), (len(frames), 1, 1))) else frames

    def _aligned(self, poses: np.ndarray) -> np.ndarray:
        """The poses, with z along the axes of round shapes."""
        if self._axes is None:
            return poses
        turned = poses[:, :9].reshape(-1, 3, 3) @ self._axes
        return np.hstack([turned.reshape(-1, 9), poses[:, 9:]])

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

    def of(self, pairs: np.ndarray, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(which pair, which of its points; gap, normal, point on a, point on b) of all points of contact of pairs."""
        found = [_NO_POINTS]
        count = self._kinds.max(initial=0) + 1
        kinds, aligned = self._kinds[pairs[:, 0]] * count + self._kinds[pairs[:, 1]], self._aligned(poses)
        for number in sorted(set(kinds.tolist())):
            own, kind = np.flatnonzero(kinds == number), divmod(number, int(count))
            i, j = pairs[own].T
            code = self._code(*kind)
            if code is None:
                touches = [self._one(a, b, poses) for a, b in pairs[own].tolist()]
                sizes = [len(touch) for touch in touches]
                found.append((own.repeat(sizes), np.concatenate([np.arange(n) for n in sizes]), np.vstack(touches)))
                continue
            rows = np.hstack([self._sizes[kind[0]][i], self._sizes[kind[1]][j], aligned[i], aligned[j]])
            if code is geometry.box_manifolds:
                which, point, numbers = code(rows)
                found.append((own[which], point, numbers))
                continue
            numbers = code.batch(rows).reshape(len(own), -1, 10)
            n = numbers.shape[1]
            found.append((own.repeat(n), np.arange(n * len(own)) % n, numbers.reshape(-1, 10)))
        owners, points, numbers = (np.concatenate(part) for part in zip(*found, strict=True))
        return owners, points, numbers

    def _code(self, kind_a: int, kind_b: int) -> Any:
        """What gives the points of many pairs of two kinds at once; None where they are looked at one by one."""
        if (kind_a, kind_b) not in self._codes:
            a, b = (next(shape for shape, kind in zip(self.shapes, self._kinds, strict=True) if kind == own)
                    for own in (kind_a, kind_b))
            both = isinstance(a, geometry.Box) and isinstance(b, geometry.Box)
            self._codes[kind_a, kind_b] = geometry.box_manifolds if both else _compiled(_signature(a), _signature(b))
        return self._codes[kind_a, kind_b]

    def _one(self, i: int, j: int, poses: np.ndarray) -> np.ndarray:
        """The points of one pair."""
        if (i, j) not in self._pairs:
            self._pairs[i, j] = _pair(self.shapes[i], self.shapes[j])
        pair = self._pairs[i, j]
        if pair.routine is not None:
            return pair.routine(poses[i], poses[j], pair.n_points)
        X_a, X_b = (Transform(pose[:9].reshape(3, 3), pose[9:]) for pose in (poses[i], poses[j]))
        return np.array([np.concatenate([[t.gap], *[np.asarray(v, float).ravel() for v in
                                                    (t.normal, t.point_a, t.point_b)]])
                         for t in pair.evaluate(X_a, X_b)]).reshape(-1, 10)


#: no points: owners, numbers of points, and theirs
_NO_POINTS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 10))


@cache
def _pair(a: geometry.Shape, b: geometry.Shape) -> geometry.PairGeometry:
    return geometry.pair(a, b)


@cache
def _compiled(kind_a: Signature, kind_b: Signature) -> CompiledProgram | None:
    """Compiled code of the points of contact of two kinds of shapes, their sizes inputs; None where there is none."""
    if kind_a[0] not in EXAMPLES or kind_b[0] not in EXAMPLES:
        return None
    known = geometry.pair(EXAMPLES[kind_a[0]], EXAMPLES[kind_b[0]])
    if known.routine is not None or known.unknowns is not None:
        return None
    a, b = _symbolic(kind_a), _symbolic(kind_b)
    poses = [ca.SX.sym("pose", 12) for _ in range(2)]
    X = [Transform(ca.reshape(pose[:9], 3, 3).T, pose[9:]) for pose in poses]
    touches = geometry.pair(a[0], b[0]).evaluate(*X)
    numbers = ca.vertcat(*[ca.vertcat(ca.SX(t.gap), ca.SX(t.normal), ca.SX(t.point_a), ca.SX(t.point_b))
                           for t in touches])
    arguments = [ca.vertcat(a[1], b[1], *poses)]
    f = ca.Function("touches", arguments, [numbers])
    return compile_program(Program("touches", [("x", f.numel_in(0))], [("touches", f.numel_out(0))],
                                   [Straight(f, ("x",), ("touches",))]))


def _signature(shape: geometry.Shape) -> Signature:
    """What decides the code of a shape: its kind, and the whole numbers among its sizes."""
    own = [getattr(shape, field.name) for field in fields(shape)]  # type: ignore[arg-type]
    return type(shape), tuple(value for value in own if isinstance(value, bool | int))


def _symbolic(kind: Signature) -> tuple[geometry.Shape, ca.SX]:
    """A shape of a kind with symbols for sizes, and the symbols; what is round lies along z."""
    example = EXAMPLES[kind[0]]
    symbols, changed, counts = [ca.SX(0, 1)], {}, iter(kind[1])
    for field in fields(example):
        value = getattr(example, field.name)
        if isinstance(value, bool | int):
            changed[field.name] = next(counts)
        elif _is_size(example, field.name):
            symbol = ca.SX.sym(field.name, np.size(value))
            symbols.append(symbol)
            single = ca.vertsplit(symbol)
            vector = single if isinstance(value, list) else symbol
            changed[field.name] = vector if np.ndim(value) else single[0]
    made = object.__new__(kind[0])
    for field in fields(example):
        object.__setattr__(made, field.name, changed.get(field.name, getattr(example, field.name)))
    return made, ca.vertcat(*symbols)


def _is_size(shape: geometry.Shape, name: str) -> bool:
    """Whether a field is a size: an axis of what is round is none, it is part of the pose."""
    return not isinstance(getattr(shape, name), bool | int) and not (isinstance(shape, ROUND) and name == "n")


def _sizes(shape: geometry.Shape) -> np.ndarray:
    """The sizes of a shape in the order of `_symbolic`."""
    own = [getattr(shape, field.name) for field in fields(shape) if _is_size(shape, field.name)]  # type: ignore[arg-type]
    return np.concatenate([np.zeros(0), *[np.asarray(v, float).ravel() for v in own]])


#: a kind of shape and the whole numbers that decide its code
Signature = tuple[type, tuple[int, ...]]
ROUND = (geometry.Capsule, geometry.Cylinder, geometry.Disc, geometry.Torus)
#: kinds of shapes whose pairs are compiled with their sizes as inputs
EXAMPLES = {type(shape): shape for shape in (
    geometry.Point(), geometry.Plane(), geometry.Sphere(1.0), geometry.Box([1.0, 1.0, 1.0]), geometry.Capsule(1.0, 1.0),
    geometry.Cylinder(1.0, 1.0), geometry.Disc(1.0), geometry.Torus(1.0, 0.5))}
