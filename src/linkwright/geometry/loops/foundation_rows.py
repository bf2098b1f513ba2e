"""Elastic foundation: a bed of springs, one on every face of a mesh, pressed by another body (Simbody's manual, 11.2).

At the centroid of a face of area A, at the depth x in the other body, with the closing speed v and the slip s,

    f = max(0, k A x (1 + c v)),     f_t = μ(s) f against the slip

Where both bodies are meshes each is rigid for the springs of the other, and each spring has half its area.

    x         pose of b in a (12) | velocity of b in a, (ω, v of its origin) in a's axes (6) | k, c, μ, μ_s, viscous,
              transition, law of friction
    y         least gap | force on b (3) | its moment about a's origin (3) | what presses (3) | centre of pressure (3)
              | energy | lost power | sum of what presses on each spring
    indices   kind of the body that presses | how many springs | whether they are b's | where its data begin in
              `numbers`, in `indices` | where the springs begin; and the same again for a second bed, or 0 springs
    numbers   for each bed centroids and areas (4 n), then the data of the body
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, sqrt, whole
from ...errors import ModelError
from ..compliant_pairs import Bed
from ..shapes import Mesh, Plane, Point, Shape
from ..tolerances import FAR, NO_SLIP_SQUARED
from .convex_bodies import CONVEX, HEADER, grown, pack, support
from .nearest_points import nearest
from .rows import no_pose
from .trees import pack_mesh, signed_distance
from .triangles import box_distance
from .vectors import Vector, carried, cross3, dot3, minus, plus, row3, seen, times, turned

PLANE, MESH, HULL = 0, 1, 2
HEAD = 6
RESULTS = 16


def press_bed(a: Shape, b: Shape) -> Bed:
    """A mesh, and what presses on its springs; two meshes."""
    meshes = [isinstance(shape, Mesh) for shape in (a, b)]
    if not any(meshes):
        raise ModelError(f"an elastic foundation needs a Mesh, whose faces carry its springs; a {a.kind} and a "
                         f"{b.kind} have none. Take contact.Mesh, or contact.Linear.")
    if any(isinstance(shape, Point) for shape in (a, b)):
        raise ModelError("a Point has no inside that could press on the springs of a Mesh. Take a small "
                         "contact.Sphere, or contact.Linear.")
    numbers: list[np.ndarray] = []
    head, indices = [], []
    for mesh, other, swapped in ((a, b, 0), (b, a, 1)):
        if not isinstance(mesh, Mesh):
            head += [0] * HEAD
            continue
        springs = _springs(mesh) * ([1, 1, 1, 0.5] if all(meshes) else [1, 1, 1, 1])
        first = sum(map(len, numbers))
        numbers.append(springs.ravel())
        start = sum(map(len, numbers))
        kind, data, integers = _under(other, start)
        head += [kind, len(springs), swapped, start, 2 * HEAD + sum(map(len, indices)), first]
        numbers.append(data)
        indices.append(integers)
    return Bed(f"{__name__}:bed_of_springs", np.concatenate(numbers),
               np.concatenate([head, *indices]).astype(np.int64), RESULTS)


def _springs(mesh: Mesh) -> np.ndarray:
    """Centroids and areas of the faces, (n, 4)."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.column_stack([(a + b + c) / 3, np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2])


def _under(shape: Shape, start: int) -> tuple[int, np.ndarray, np.ndarray]:
    """(kind, numbers, indices) of the body that presses; `start` is where its numbers begin."""
    if isinstance(shape, Plane):
        return PLANE, np.asarray(shape.n, dtype=float), np.zeros(0, dtype=np.int64)
    if isinstance(shape, Mesh):
        return MESH, *pack_mesh(shape, start)
    if isinstance(shape, CONVEX):
        numbers, indices = pack(Point(), shape)
        return HULL, np.concatenate([numbers, _box(shape)]), np.append(indices, len(numbers))
    raise ModelError(f"a Mesh and a {shape.kind} cannot be an elastic foundation; a Mesh meets Plane, Mesh, "
                     f"{', '.join(kind.__name__ for kind in CONVEX)} there.")


def _box(shape: Shape) -> np.ndarray:
    """A box along its axes that holds a convex body: low and high corner."""
    out = np.empty(6)
    _extent(*pack(shape), out)
    return out


@compiled
def _extent(numbers: real[:], indices: whole[:], out: real[6]) -> None:
    """Low and high corner of that box."""
    X = reals(12)
    no_pose(X)
    for k in range(3):
        along = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        out[k] = support(numbers, indices, 0, X, times(-1.0, along))[k] - grown(numbers, indices, 0)
        out[3 + k] = support(numbers, indices, 0, X, along)[k] + grown(numbers, indices, 0)


def _outside(numbers: np.ndarray, indices: np.ndarray, kind: int, data: int, integers: int, X: np.ndarray, q: Vector,
             limit: float, m: np.ndarray) -> float:
    """Distance of a point from a body in the pose X, negative inside, and the normal; `limit` where it is farther."""
    if kind == PLANE:
        m[:] = turned(X, row3(numbers, data))
        return m[0] * (q[0] - X[9]) + m[1] * (q[1] - X[10]) + m[2] * (q[2] - X[11])
    p, point, other, n, at = seen(X, q), reals(3), reals(3), reals(3), reals(12)
    if kind == MESH:
        box = indices[integers + 3] + 6 * indices[integers] + 12 * indices[integers + 1]
    else:
        box = data + indices[integers + 2 * HEADER]
    apart = box_distance(numbers, box, p)
    if apart > 0 and apart >= max(limit, 0.0) ** 2:
        return max(limit, 0.0)
    if kind == MESH:
        distance = signed_distance(numbers, indices, integers, p, FAR, point, n)
        m[:] = turned(X, n)
        return distance
    no_pose(at)
    at[9:12] = q
    distance = nearest(numbers[data:], indices[integers:], at, X, n, point, other)
    m[:] = times(-1.0, n)
    return distance


def _coefficient(law: np.ndarray, slip: float) -> float:
    """μ over the slip speed, by one of Simbody's two laws (see `library/contact/friction`)."""
    mu, mu_s, viscous, v = law[2], law[3], law[4], slip / law[5]
    if law[6] > 0.5:
        return min(v, 1.0) * (mu + 2 * (mu_s - mu) / (1 + v * v)) + viscous * slip
    u, w = min(v, 1.0), min(max((v - 1) / 2, 0.0), 1.0)
    rising, falling = u * u * u * (10 + u * (6 * u - 15)), w * w * w * (10 + w * (6 * w - 15))
    return mu_s * rising - (mu_s - mu) * falling + viscous * slip


def _press(x: np.ndarray, numbers: np.ndarray, indices: np.ndarray, head: int, y: np.ndarray) -> None:
    """Add one bed of springs to the results."""
    kind, count, swapped = indices[head], indices[head + 1], indices[head + 2]
    data, integers, springs = indices[head + 3], indices[head + 4], indices[head + 5]
    own, other, m, law = reals(12), reals(12), reals(3), x[18:25]
    side = -1.0 if swapped > 0 else 1.0
    no_pose(own)
    no_pose(other)
    for i in range(12):
        if swapped > 0:
            own[i] = x[i]
        else:
            other[i] = x[i]
    for k in range(count):
        at = springs + 4 * k
        q = carried(own, row3(numbers, at))
        gap = _outside(numbers, indices, kind, data, integers, other, q, y[0], m)
        y[0] = min(y[0], gap)
        if gap >= 0:
            continue
        velocity = plus(row3(x, 15), cross3(row3(x, 12), minus(q, row3(x, 9))), 1.0)
        n = times(-side, m)
        rate = -dot3(n, velocity)
        slip = plus(velocity, n, rate)
        spring = -law[0] * numbers[at + 3] * gap
        pressed = max(0.0, spring * (1 + law[1] * rate))
        speed = sqrt(dot3(slip, slip) + NO_SLIP_SQUARED)
        rub = _coefficient(law, speed) * pressed / speed
        force = plus(times(pressed, n), slip, -rub)
        moment = cross3(q, force)
        for i in range(3):
            y[1 + i] += force[i]
            y[4 + i] += moment[i]
            y[7 + i] += pressed * n[i]
            y[10 + i] += pressed * q[i]
        y[13] -= spring * gap / 2
        y[15] += pressed
        y[14] += rate * (pressed - spring) + rub * dot3(slip, slip)


@compiled
def bed_of_springs(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """What a bed of springs does."""
    y[:] = 0.0
    y[0] = FAR
    for bed in range(2):
        if indices[HEAD * bed + 1] > 0:
            _press(x, numbers, indices, HEAD * bed, y)
    if y[15] > 0:
        y[10:13] /= y[15]
