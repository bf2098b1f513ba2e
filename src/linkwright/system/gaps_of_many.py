"""Gaps of pairs of many shapes: those of one kind by compiled code whose inputs are sizes and poses, others by a search
in Python that compiled code calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from .. import geometry
from ..algebra import Transform, axis_frame
from ..codegen import CompiledProgram, Program, Straight, compile_program
from ..codegen.dialect import Compiled


class GapsOfMany:
    """The gaps of pairs of these shapes: code by kinds, and what it wants.

    Code is `void f(double *in, double *out, double *work)`: of sizes and poses (12 numbers each: the rotation by rows,
    then the position) of a and b, with z along the axes of round shapes; or, where a kind is `searched`, of the
    numbers of the two shapes and their poses.  It writes (gap, normal, point on a, point on b) of `points`; where a
    kind is `numbered`, then their numbers, −1 where there is none.
    """

    def __init__(self, shapes: Sequence[geometry.Shape]) -> None:
        self.shapes = shapes
        kinds: dict[Signature, int] = {}
        self.kinds = np.array([kinds.setdefault(_signature(shape), len(kinds)) for shape in shapes], dtype=np.int64)
        own = [_sizes(shape) for shape in shapes]
        #: sizes of all shapes one after the other, and where those of each begin
        self.sizes, self.size_at = np.concatenate([np.zeros(0), *own]), np.cumsum([0, *map(len, own)], dtype=np.int64)
        frames = [axis_frame(np.asarray(shape.n, dtype=float)) if isinstance(shape, ROUND) else np.eye(3)
                  for shape in shapes]
        #: the axes of round shapes, by rows, and which shapes have others than their frame
        self.axes = np.array(frames).reshape(-1, 9)
        self.turned = np.array([not np.array_equal(frame, np.eye(3)) for frame in frames], dtype=np.int64)
        #: by kinds of a and b: the address of their code, points, whether these have numbers, whether it is a search
        self.code, self.points, self.numbered, self.searched = np.zeros((4, len(kinds), len(kinds)), dtype=np.int64)
        #: by kinds of a and b: compiled programs, or loops; None where it is a search
        self.made: dict[tuple[int, int], CompiledProgram | Compiled | None] = {}
        self.n_work, self.error = 1, None
        self._pairs: dict[tuple[int, int], geometry.PairGeometry] = {}
        self._search = _SEARCH(self._searched)

    def prepare(self, pairs: np.ndarray) -> None:
        """Make the code that pairs (n, 2) of shapes need."""
        first = {(int(self.kinds[i]), int(self.kinds[j])): (i, j) for i, j in pairs[::-1].tolist()}
        for kind, (i, j) in first.items():
            a, b = self.shapes[i], self.shapes[j]
            code = geometry.box_points() if isinstance(a, geometry.Box) and isinstance(b, geometry.Box) \
                else _compiled(_signature(a), _signature(b))
            if code is None:
                own = pairs[(self.kinds[pairs] == kind).all(axis=1)]
                self.points[kind] = max(self._pair(*pair).n_points for pair in own.tolist())
                self.code[kind] = ctypes.cast(self._search, ctypes.c_void_p).value
                self.numbered[kind] = self.searched[kind] = 1
            elif isinstance(code, CompiledProgram):
                self.code[kind], self.points[kind] = code.scalar_address, code.n_out // 10
                self.n_work = max(self.n_work, code.n_work)
            else:
                self.code[kind], self.points[kind], self.numbered[kind] = code.address, 4, 1
            self.made[kind] = code

    @property
    def room(self) -> tuple[int, int]:
        """How many numbers code reads and writes at most."""
        return 24 + 2 * int(max([1, *np.diff(self.size_at)])), 11 * int(max(1, self.points.max(initial=1)))

    def _pair(self, i: int, j: int) -> geometry.PairGeometry:
        if (i, j) not in self._pairs:
            self._pairs[i, j] = _pair(self.shapes[i], self.shapes[j])
        return self._pairs[i, j]

    def _searched(self, given: Any, out: Any, _: Any) -> None:
        """The points of a pair without code of its own; what goes wrong is kept, since compiled code asks."""
        numbers = np.ctypeslib.as_array(given, (26,))
        i, j, poses = int(numbers[0]), int(numbers[1]), numbers[2:].reshape(2, 12).copy()
        count = int(self.points[self.kinds[i], self.kinds[j]])
        written = np.ctypeslib.as_array(out, (11 * count,))
        written[:], written[10 * count :] = np.nan, -1.0
        try:
            found = self._points(self._pair(i, j), *poses)
        except Exception as error:  # compiled code knows none
            self.error = error
            return
        written[: found.size], written[10 * count : 10 * count + len(found)] = found.ravel(), np.arange(len(found))

    def _points(self, pair: geometry.PairGeometry, pose_a: np.ndarray, pose_b: np.ndarray) -> np.ndarray:
        if pair.routine is not None:
            return pair.routine(pose_a, pose_b, pair.n_points)
        X_a, X_b = (Transform(pose[:9].reshape(3, 3), pose[9:]) for pose in (pose_a, pose_b))
        return np.array([np.concatenate([[t.gap], *[np.asarray(v, float).ravel() for v in
                                                    (t.normal, t.point_a, t.point_b)]])
                         for t in pair.evaluate(X_a, X_b)]).reshape(-1, 10)


#: a function of compiled code: inputs, outputs, work space
_SEARCH = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 3)


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
    """The sizes of a shape in the order of `_symbolic`; none of one whose pairs are searched."""
    if type(shape) not in EXAMPLES:
        return np.zeros(0)
    own = [getattr(shape, field.name) for field in fields(shape) if _is_size(shape, field.name)]  # type: ignore[arg-type]
    return np.concatenate([np.zeros(0), *[np.asarray(v, float).ravel() for v in own]])


#: a kind of shape and the whole numbers that decide its code
Signature = tuple[type, tuple[int, ...]]
ROUND = (geometry.Capsule, geometry.Cylinder, geometry.Disc, geometry.Torus)
#: kinds of shapes whose pairs are compiled with their sizes as inputs
EXAMPLES = {type(shape): shape for shape in (
    geometry.Point(), geometry.Plane(), geometry.Sphere(1.0), geometry.Box([1.0, 1.0, 1.0]), geometry.Capsule(1.0, 1.0),
    geometry.Cylinder(1.0, 1.0), geometry.Disc(1.0), geometry.Torus(1.0, 0.5))}
