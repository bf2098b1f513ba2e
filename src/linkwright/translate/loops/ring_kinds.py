"""Which closed form a ring of three joints has: by its letters in space, by its letters and its geometry in a plane."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ...algebra import Scalar, Transform, is_symbolic
from ..tolerances import ALIKE
from .clusters import Side, Ways

IN_PLANE = ("RRR", "RRP", "RPR", "PRP", "RPP")
IN_SPACE = ("UPS", "URS", "USR", "USP", "SUR", "SUP")
Z = np.array([0.0, 0.0, 1.0])


@dataclass
class Found:
    """A pattern, the steps in its order, and in a plane its normal in the axes of every joint (near, far)."""

    pattern: str
    steps: list
    normals: list | None = None


class Geometry:
    """Rotations as numbers, for two sets of values of tunable parameters: what is true for both is no coincidence."""

    def __init__(self, parameters: dict) -> None:
        self.symbols = [symbol for symbol, _ in parameters.values()]
        values = [value for _, value in parameters.values()]
        rng = np.random.default_rng(2)
        self.samples = [values, [v * rng.uniform(0.8, 1.2, len(v)) for v in values]] if values else [values]

    def numbers(self, X: Transform) -> Transform:
        """A pose at the values that parameters have."""
        if not X.is_symbolic():
            return X
        R, p = ca.Function("X", self.symbols, [ca.densify(ca.SX(X.R)), ca.densify(ca.SX(X.p))]).call(
            [ca.DM(value) for value in self.samples[0]])
        return Transform(np.array(R), np.array(p).ravel())

    def turns(self, X: Transform) -> np.ndarray:
        """R of a pose for every set of values."""
        if not X.is_symbolic():
            return np.array([X.R] * len(self.samples))
        R = ca.Function("R", self.symbols, [ca.densify(ca.SX(X.R))])
        return np.array([np.array(R(*values)) for values in self.samples])

    def vanishes(self, length: Scalar) -> bool:
        """Whether a length is zero, for every set of values."""
        if not is_symbolic(length):
            return abs(length) < ALIKE
        value = ca.Function("length", self.symbols, [length])
        return all(abs(float(value(*values))) < ALIKE for values in self.samples)


def pattern_of(steps: list, geometry: Geometry, ways: Ways) -> Found | None:
    """The closed form of a ring, or None; `ways` lead along the joints of the tree."""
    for order in (steps, [step.reversed() for step in reversed(steps)]):
        letters = "".join(step.link.letter for step in order)
        if letters in IN_SPACE:
            return Found(letters, order)
        flat = letters.replace("S", "R")  # between parts that stay in a plane a ball is a pin
        if flat in IN_PLANE and not any(step.link.chain for step in order):
            normals = _normals(order, geometry, ways)
            if normals is not None:
                return Found(flat, order, normals)
    return None


def _normals(steps: list, geometry: Geometry, ways: Ways) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """The normal of the ring's plane at every joint, in the axes of its near and far frames; None if it has none.

    It starts along the axis of a revolute joint and is carried around the ring, both ways where a ball stops it.  Every
    joint on the way must not change it: revolute about it, or prismatic across it.
    """
    start = next((k for k, step in enumerate(steps) if step.link.letter == "R"), None)
    if start is None:
        return None
    near: list = [None] * 3
    far: list = [None] * 3
    near[start] = far[start] = np.array([Z] * len(geometry.samples))
    for direction, sources, targets in ((1, far, near), (-1, near, far)):
        k = start
        for _ in range(3):
            ahead = (k + direction) % 3
            one, other = (steps[k], steps[ahead])
            leave, arrive = (one.far, other.near) if direction > 0 else (one.near, other.far)
            n = _carried(geometry, ways, sources[k], leave, arrive)
            if n is None or (targets[ahead] is not None and not _same(n, targets[ahead])):
                return None
            targets[ahead] = n
            k = ahead
            if steps[k].link.letter == "S" or k == start:
                break
            if not _leaves(steps[k].link.letter, n):
                return None
            sources[k] = n
    pairs = list(zip(near, far, strict=True))
    if any(n is None or not _same(n[:1], n) for pair in pairs for n in pair):
        return None
    return [(one[0], other[0]) for one, other in pairs]


def _carried(geometry: Geometry, ways: Ways, n: np.ndarray, leave: Side, arrive: Side) -> np.ndarray | None:
    """A normal from one joint's frame to another's on the same cluster, through the joints between; or None."""
    n = _turn(geometry.turns(leave.X), n)
    for step in ways.between(leave.group, arrive.group):
        at_joint = _turn_back(geometry.turns(step.near.X), n)
        if not _leaves(step.link.letter, at_joint):
            return None
        n = _turn(geometry.turns(step.far.X), at_joint)
    return _turn_back(geometry.turns(arrive.X), n)


def _leaves(letter: str, n: np.ndarray) -> bool:
    """Whether a joint leaves a normal (in its own axes) as it is, and motion in the plane across it."""
    if letter == "R":
        return bool(np.all(np.abs(n[:, :2]) < ALIKE))
    return letter == "P" and bool(np.all(np.abs(n[:, 2]) < ALIKE))


def _turn(R: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.einsum("kij,kj->ki", R, n)


def _turn_back(R: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.einsum("kji,kj->ki", R, n)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.all(np.abs(a - b) < ALIKE))
