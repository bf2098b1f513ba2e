"""What can be switched on over a scene: names of parts, and ranges of joints with where they are in them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from ..language import Component, Model, parameter_value
from ..library import joints, parts, planar
from .scene_data import Shape, along
from .tolerances import MOST_NAMES

#: layers that are not seen until they are switched on
HIDDEN = ("names", "limits")
NAMED = (joints.Joint, parts.Body, parts.BodyShape, parts.BodyBox, parts.BodyCylinder, parts.PointMass, planar.Joint,
         planar.Body)
NAME, RANGE, NOW = (60, 60, 70), (240, 140, 0), (200, 0, 0)


def annotated(model: Model, s: SimpleNamespace) -> list[Shape]:
    """Names of bodies and joints at their frames; arcs and lines for the ranges of joints."""
    named = [c for c in model.leaves() if isinstance(c, NAMED) and _frame(c) is not None]
    out = [_name(c, s) for c in named] if len(named) <= MOST_NAMES else []
    for c in model.leaves():
        if isinstance(c, joints.Revolute):
            out += _turning(c, s)
        elif isinstance(c, joints.Prismatic):
            out += _sliding(c, s)
    return out


def _frame(c: Component) -> str | None:
    """The first frame of a component, in space or in a plane."""
    return next((port.path for port in c._connectors.values() if port.kind.endswith("frame")), None)


def _name(c: Component, s: SimpleNamespace) -> Shape:
    r = getattr(c, "r_cm", None)
    r = parameter_value(r) if r is not None else (0.0, 0.0, 0.0)
    place = tuple(np.asarray(r, dtype=float)) if np.shape(r) == (3,) else (0.0, 0.0, 0.0)
    return Shape(f"{c.path}.name", "label", (s.nominal_length / 24,) * 3, NAME, _frame(c), place, layer="names",
                 data=c.path)


def _range(c: Component, low: str, high: str) -> tuple[float, float] | None:
    ends = [parameter_value(getattr(c, name, None)) for name in (low, high)]
    if any(end is None or not np.isfinite(end) for end in ends):
        return None
    return float(ends[0]), float(ends[1])


def _turning(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    """An arc about the axis on frame_a, and a pointer that goes with frame_b."""
    ends = _range(c, "phi_min", "phi_max")
    if ends is None:
        return
    x, y = _across(np.asarray(c.n, dtype=float))
    radius = 1.5 * s.default_joint_length
    angles = np.linspace(*ends, 2 + int(24 * min(abs(ends[1] - ends[0]), 2 * np.pi)))
    arc = radius * (np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y)
    rays = [np.array([np.zeros(3), arc[0]]), np.array([np.zeros(3), arc[-1]])]
    yield _lines(f"{c.path}.range", [arc, *rays], RANGE, f"{c.path}.frame_a")
    yield _lines(f"{c.path}.now", [np.array([np.zeros(3), 1.1 * radius * x])], NOW, f"{c.path}.frame_b")


def _sliding(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    """A line along the axis on frame_a with a stroke at each end, and one that goes with frame_b."""
    ends = _range(c, "s_min", "s_max")
    if ends is None:
        return
    n = np.asarray(c.n, dtype=float)
    n /= np.linalg.norm(n)
    x, _ = _across(n)
    half = x * s.default_joint_length
    strokes = [np.array([end * n - half, end * n + half]) for end in ends]
    yield _lines(f"{c.path}.range", [np.array([ends[0] * n, ends[1] * n]), *strokes], RANGE, f"{c.path}.frame_a")
    yield _lines(f"{c.path}.now", [np.array([-0.8 * half, 0.8 * half])], NOW, f"{c.path}.frame_b")


def _across(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two directions across an axis, right-handed with it."""
    axes = along(n)
    return axes[:, 1], axes[:, 2]


def _lines(name: str, lines: list[np.ndarray], rgb: tuple[int, int, int], frame: str) -> Shape:
    return Shape(name, "lines", (1.0, 1.0, 1.0), rgb, frame, layer="limits", data=lines)
