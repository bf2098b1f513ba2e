"""Surfaces of shapes as triangles, in a unit box: x from 0 to 1, y and z from −½ to ½; a shape's size scales them.

Vertices are doubled along sharp edges, so that smooth shading keeps them sharp.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from .tolerances import NEXT_TO_NOTHING, NO_LENGTH, TINY

AROUND = 32  # facets around a round thing

Mesh = tuple[np.ndarray, np.ndarray]  # vertices (n, 3), faces (m, 3)


@lru_cache(maxsize=256)
def unit_mesh(kind: str, extra: float = 0.0, aspect: float = 1.0, wire: float = 0.1) -> Mesh:
    """The surface of a kind of shape; `aspect` is length/width, for wires and round ends that must not be squeezed;
    `wire` a spring's wire over its width."""
    return _spring(extra, aspect, wire) if kind == "spring" else _BUILDERS[kind](extra, aspect)


def join(*meshes: Mesh) -> Mesh:
    """Several surfaces as one."""
    shift, vertices, faces = 0, [], []
    for v, f in meshes:
        vertices.append(v)
        faces.append(f + shift)
        shift += len(v)
    return np.vstack(vertices), np.vstack(faces)


def grid(points: np.ndarray, wrap_u: bool = False, wrap_v: bool = False) -> Mesh:
    """Triangles over points (nu, nv, 3); facing along ∂u × ∂v."""
    nu, nv = points.shape[:2]
    index = np.arange(nu * nv).reshape(nu, nv)
    if wrap_u:
        index = np.vstack([index, index[:1]])
    if wrap_v:
        index = np.hstack([index, index[:, :1]])
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    faces = np.vstack([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return points.reshape(-1, 3).astype(float), faces


def lathe(profile: Sequence[tuple[float, float]], around: int = AROUND) -> Mesh:
    """A profile [(x, radius), …] turned about x; each piece of the profile is smooth around and sharp at its ends."""
    angle = np.linspace(0.0, 2 * np.pi, around, endpoint=False)
    ring = np.column_stack([np.zeros(around), np.cos(angle), np.sin(angle)])
    pieces = []
    for (x0, r0), (x1, r1) in zip(profile[:-1], profile[1:], strict=True):
        rings = np.stack([ring * r0 + [x0, 0, 0], ring * r1 + [x1, 0, 0]])
        pieces.append(grid(rings[::-1], wrap_v=True))
    return join(*pieces)


def prism(outline: np.ndarray) -> Mesh:
    """A flat convex (or star-shaped about its centre) outline (n, 2) in y, z, drawn from x = 0 to 1."""
    n = len(outline)
    ends = [np.column_stack([np.full(n, x), outline]) for x in (0.0, 1.0)]
    k = np.arange(n)
    sides = []
    for i in range(n):
        j = (i + 1) % n
        sides.append((np.array([ends[0][i], ends[0][j], ends[1][j], ends[1][i]]), np.array([[0, 1, 2], [0, 2, 3]])))
    caps = []
    for x, end in zip((0.0, 1.0), ends, strict=True):
        centre = np.array([[x, *outline.mean(axis=0)]])
        fan = np.column_stack([np.full(n, n), (k + 1) % n, k]) if x == 0 else np.column_stack([np.full(n, n), k,
                                                                                                 (k + 1) % n])
        caps.append((np.vstack([end, centre]), fan))
    return join(*sides, *caps)


def _box(extra: float, aspect: float) -> Mesh:
    return prism(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]))


def _cylinder(extra: float, aspect: float) -> Mesh:
    return lathe([(0, 0), (0, 0.5), (1, 0.5), (1, 0)])


def _cone(extra: float, aspect: float) -> Mesh:
    return lathe([(0, 0), (0, 0.5), (1, 0.5 * extra), (1, 0)] if extra else [(0, 0), (0, 0.5), (1, 0)])


def _sphere(extra: float, aspect: float) -> Mesh:
    u, v = np.meshgrid(np.linspace(0, np.pi, 17), np.linspace(0, 2 * np.pi, AROUND + 1), indexing="ij")
    points = np.stack([0.5 - 0.5 * np.cos(u), 0.5 * np.sin(u) * np.cos(v), 0.5 * np.sin(u) * np.sin(v)], -1)
    return grid(points[::-1])


def _pipe(extra: float, aspect: float) -> Mesh:
    """`extra` is the inner diameter over the outer one; 0 is solid, as in Modelica."""
    if extra <= 0:
        return _cylinder(0, aspect)
    inner = 0.5 * min(extra, 1.0)
    return lathe([(0, inner), (0, 0.5), (1, 0.5), (1, inner), (0, inner)])


def _beam(extra: float, aspect: float) -> Mesh:
    """A bar with round ends about axes along z: a box that reaches half a width beyond both ends."""
    end = 0.5 / max(aspect, NEXT_TO_NOTHING)
    a = np.linspace(np.pi / 2, 3 * np.pi / 2, 13)
    left = np.column_stack([end * np.cos(a), 0.5 * np.sin(a)])
    right = np.column_stack([1 - end * np.cos(a), -0.5 * np.sin(a)])
    # the outline lies in x, y; a prism is drawn along x, so turn it over
    v, f = prism(np.vstack([left, right]))
    return np.column_stack([v[:, 1], v[:, 2], v[:, 0] - 0.5]), f


def _gearwheel(extra: float, aspect: float) -> Mesh:
    """`extra` teeth; negative: an internal gear inside a ring."""
    teeth = max(int(abs(extra)) or 20, 3)
    depth = min(2.25 / (teeth + 2), 0.25)
    angle, radius = [], []
    for k in range(teeth):
        for part, r in ((0.0, 1 - depth), (0.25, 1 - depth), (0.35, 1.0), (0.65, 1.0), (0.75, 1 - depth)):
            angle.append(2 * np.pi * (k + part) / teeth)
            radius.append(0.5 * r)
    angle, radius = np.array(angle), np.array(radius)
    if extra >= 0:
        return prism(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))
    inner = 0.4 * (2.0 - 2 * radius)
    rings = [np.column_stack([np.full(len(angle), x), r * np.cos(angle), r * np.sin(angle)])
             for x, r in ((0, inner), (0, 0.5), (1, 0.5), (1, inner), (0, inner))]
    return join(*(grid(np.stack([b, a]), wrap_v=True) for a, b in zip(rings[:-1], rings[1:], strict=True)))


def _spring(extra: float, aspect: float, wire: float) -> Mesh:
    """A helix of `extra` windings of a wire `wire` thick."""
    windings = max(extra, 0.5) if extra else 5.0
    wire = wire / 2
    n, m = int(windings * 20) + 1, 8
    s = np.linspace(0.0, 1.0, n)
    phi = 2 * np.pi * windings * s
    inset = min(wire / max(aspect, NEXT_TO_NOTHING), 0.1)  # keep the wire within the ends
    x, r = inset + (1 - 2 * inset) * s, 0.5 - wire
    centre = np.column_stack([x, r * np.cos(phi), r * np.sin(phi)])
    out = np.column_stack([np.zeros(n), np.cos(phi), np.sin(phi)])
    a = np.linspace(0, 2 * np.pi, m, endpoint=False)
    x_thick = wire / max(aspect, NEXT_TO_NOTHING)
    ring = (centre[:, None] + wire * np.cos(a)[None, :, None] * out[:, None]
            + x_thick * np.sin(a)[None, :, None] * np.array([1.0, 0, 0]))
    tube = grid(ring, wrap_v=True)
    caps = []
    for k, order in ((0, 1), (n - 1, -1)):
        fan = np.array([[m, i, (i + 1) % m][::order] for i in range(m)])
        caps.append((np.vstack([ring[k], centre[k]]), fan))
    return join(tube, *caps)


def torus(big: float, small: float, opening: float = 0.0, start: float = -np.pi, stop: float = np.pi,
          n_big: int = 40, n_small: int = 20) -> Mesh:
    """A torus about z (radius `big` to the middle of a tube of radius `small`), in metres.

    `opening` is cut out of the tube's inside, start … stop is the sector that is there.
    """
    a = np.linspace(start, stop, n_big)
    b = np.linspace(-np.pi + opening, np.pi - opening, n_small)
    A, B = np.meshgrid(a, b, indexing="ij")
    r = big + small * np.cos(B)
    return grid(np.stack([r * np.cos(A), r * np.sin(A), small * np.sin(B)], -1))


def wheel(tyre: float, rim: float, width: float, curvature: float, n_tyre: int = 40, n_curvature: int = 20) -> Mesh:
    """A tyre about y: the tread is an arc of radius `curvature`, the flanks go in to the rim; in metres."""
    half = width / 2
    reach = np.arcsin(min(half / curvature, 1.0))
    b = np.linspace(-reach, reach, n_curvature)
    tread = [(curvature * np.sin(x), tyre - curvature + curvature * np.cos(x)) for x in b]
    v, f = lathe([(-half, rim), *tread, (half, rim), (-half, rim)], n_tyre)
    return np.column_stack([-v[:, 1], v[:, 0], v[:, 2]]), f


_BUILDERS = {"box": _box, "cylinder": _cylinder, "cone": _cone, "sphere": _sphere, "pipe": _pipe, "beam": _beam,
             "gearwheel": _gearwheel}


def tube(points: np.ndarray, radius: float, around: int = 6) -> Mesh:
    """A thin tube along a polyline (n, 3)."""
    points = np.asarray(points, dtype=float)
    step = np.gradient(points, axis=0)
    step /= np.maximum(np.linalg.norm(step, axis=1, keepdims=True), NO_LENGTH)
    least = np.eye(3)[np.argmin(np.abs(step), axis=1)]
    side = np.cross(step, least)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), NO_LENGTH)
    other = np.cross(step, side)
    a = np.linspace(0, 2 * np.pi, around, endpoint=False)[None, :, None]
    return grid(points[:, None] + radius * (np.cos(a) * side[:, None] + np.sin(a) * other[:, None]), wrap_v=True)


def vertex_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals at vertices, weighted by the area of the faces around."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    out = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(out, faces[:, k], flat)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), TINY)
