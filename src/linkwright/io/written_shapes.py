"""Shapes of a model that other formats can hold, by the link they ride on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..view import along
from .links_and_joints import Skeleton
from .shapes import SolidShape

if TYPE_CHECKING:
    from ..language import Component


def shapes_on(skeleton: Skeleton, body: int | None) -> Iterator[tuple[str, SolidShape, tuple | None]]:
    """("visual" or "collision", shape in the link's frame, colour) of all shapes on a link (None: the ground)."""
    for part in skeleton.model.leaves():
        if not isinstance(part, (lw.visualizers.FixedShape, lw.contact.ContactShape)):
            continue
        on, X = skeleton.frame(f"{part.path}.frame_a")
        if on != body:
            continue
        if isinstance(part, lw.contact.ContactShape):
            shape = _touching(part, X)
            if shape is not None:
                yield "collision", shape, tuple(part.color) if part.animation else None
        elif part.animation:
            shape = _seen(part, X)
            if shape is not None:
                yield "visual", shape, tuple(part.color)


def _seen(part: Component, X: lw.Transform) -> SolidShape | None:
    R, start = along(part.length_direction, part.width_direction), np.asarray(part.r_shape, dtype=float)
    kind = str(part.shape_type)
    if "." in kind or "/" in kind:
        return SolidShape("mesh", X @ lw.Transform(R, start), tuple(map(float, part.scale)), kind)
    length, width = float(part.length), float(part.width)
    height = width if part.height is None else float(part.height)
    middle = X @ lw.Transform(R, start + R[:, 0] * length / 2)
    if kind == "box":
        return SolidShape("box", middle, (length, width, height))
    if kind == "cylinder":
        # along x here, along z there
        return SolidShape("cylinder", middle @ lw.Transform(lw.rotation_y(np.pi / 2)), (width / 2, length))
    if kind == "sphere":
        same = length == width == height
        return SolidShape("sphere", middle, (length / 2,)) if same else \
            SolidShape("ellipsoid", middle, (length / 2, width / 2, height / 2))
    return None


def _touching(part: Component, X: lw.Transform) -> SolidShape | None:
    C = lw.contact
    if isinstance(part, (C.Cylinder, C.Capsule)):
        return SolidShape("cylinder" if isinstance(part, C.Cylinder) else "capsule", X @ _along(part.n),
                          (float(part.radius), float(part.length)))
    if isinstance(part, C.Plane):
        return SolidShape("plane", X @ _along(part.n), ())
    if isinstance(part, C.Sphere):
        return SolidShape("sphere", X, (float(part.radius),))
    if isinstance(part, C.Box):
        return SolidShape("box", X, tuple(map(float, part.size)))
    if isinstance(part, C.Ellipsoid):
        return SolidShape("ellipsoid", X, tuple(map(float, part.radii)))
    return None


def _along(n: Sequence[float]) -> lw.Transform:
    """A frame whose z axis is n."""
    z = np.asarray(n, dtype=float) / np.linalg.norm(n)
    if np.array_equal(z, [0, 0, 1]):
        return lw.Transform()
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    return lw.Transform(np.column_stack([x, np.cross(z, x), z]))
