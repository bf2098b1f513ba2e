"""Distances between shapes of a mechanism at a state."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..algebra import Transform
from ..errors import unknown_name
from ..geometry import Shape, Touch, distance

if TYPE_CHECKING:
    from .state import State
    from .system import System


def shape_distance(system: System, state: State, a: str, b: str) -> Touch:
    """The least gap of two shapes, its normal from a to b, and a point on each, in world axes."""
    placed = system.mechanism.shapes
    for name in (a, b):
        if name not in placed:
            raise unknown_name(name, placed, "the list of shapes", placed)
    shapes = [in_numbers(system, state, placed[name].shape) for name in (a, b)]
    poses = []
    for name in (a, b):
        frame = placed[name].frame
        r, T = system.evaluate(state, f"{frame}.r_0", f"{frame}.R.T")
        poses.append(Transform(np.asarray(T).T, r))
    return distance(shapes[0], poses[0], shapes[1], poses[1])


def in_numbers(system: System, state: State, shape: Shape) -> Shape:
    """A shape with the sizes it has at a state."""
    changed = {}
    for field in fields(shape):
        value = getattr(shape, field.name)
        entries = value if isinstance(value, list) else [value]
        if any(isinstance(entry, ca.SX) for entry in entries):
            numbers = [system.names_table.value(ca.SX(entry), state).item() for entry in entries]
            changed[field.name] = numbers if isinstance(value, list) else numbers[0]
    described: Any = shape  # every kind of shape is a dataclass
    return replace(described, **changed) if changed else shape
