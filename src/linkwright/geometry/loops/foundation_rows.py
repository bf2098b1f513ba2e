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

from __future__ import annotations

import numpy as np
from numba import carray

from ...errors import ModelError
from ..pressing import Bed
from ..shapes import Mesh, Plane, Point, Shape
from .bodies import CONVEX, HEADER, grown, pack, support
from .convex_pairs import nearest
from .jit import cross3, dot3, entry, part
from .rows import no_pose
from .trees import box_distance, pack_mesh, signed_distance

PLANE, MESH, HULL = 0, 1, 2
HEAD = 6
RESULTS = 16


def press_bed(a: Shape, b: Shape) -> Bed:
    """A mesh, and what presses on its springs; two meshes."""
    meshes = [isinstance(shape, Mesh) for shape in (a, b)]
    if not any(meshes):
        raise ModelError(f"an elastic foundation needs a Mesh, whose faces carry its springs; a {a.kind} and a "
                         f"{b.kind} have none. Take contact.Mesh, or contact.Linear.")
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
    numbers, indices = pack(shape)
    out, faces = np.empty(3), []
    for k in range(3):
        for side in (-1.0, 1.0):
            support(numbers, indices, 0, no_pose(), side * np.eye(3)[k], out)
            faces.append(out[k] + side * grown(numbers, indices, 0))
    return np.array([*faces[::2], *faces[1::2]])


@part
def _outside(numbers, indices, kind, data, integers, X, q, limit, m):
    """Distance of a point from a body in the pose X, negative inside, and the normal; `limit` where it is farther."""
    p, point, n, other = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    if kind == PLANE:
        for i in range(3):
            m[i] = X[3 * i] * numbers[data] + X[3 * i + 1] * numbers[data + 1] + X[3 * i + 2] * numbers[data + 2]
        return m[0] * (q[0] - X[9]) + m[1] * (q[1] - X[10]) + m[2] * (q[2] - X[11])
    if kind == MESH:
        for i in range(3):
            p[i] = X[i] * (q[0] - X[9]) + X[3 + i] * (q[1] - X[10]) + X[6 + i] * (q[2] - X[11])
        boxes = indices[integers + 3] + 6 * indices[integers] + 12 * indices[integers + 1]
        if limit > 0 and box_distance(numbers, boxes, p) >= limit * limit:
            return limit
        if limit <= 0 and box_distance(numbers, boxes, p) > 0:
            return 0.0
        distance = signed_distance(numbers, indices, integers, p, 1e30, point, n)
        for i in range(3):
            m[i] = X[3 * i] * n[0] + X[3 * i + 1] * n[1] + X[3 * i + 2] * n[2]
        return distance
    for i in range(3):
        p[i] = X[i] * (q[0] - X[9]) + X[3 + i] * (q[1] - X[10]) + X[6 + i] * (q[2] - X[11])
    if limit < 1e29 and box_distance(numbers, data + indices[integers + 2 * HEADER], p) >= max(limit, 0.0) ** 2:
        return max(limit, 0.0)
    at = no_pose()
    at[9:12] = q
    distance = nearest(numbers[data:], indices[integers:], at, X, n, point, other)
    for i in range(3):
        m[i] = -n[i]
    return distance


@part
def _coefficient(law, slip):
    """μ over the slip speed, by one of Simbody's two laws (see `library/contact/friction`)."""
    mu, mu_s, viscous, v = law[2], law[3], law[4], slip / law[5]
    if law[6] > 0.5:
        return min(v, 1.0) * (mu + 2 * (mu_s - mu) / (1 + v * v)) + viscous * slip
    u, w = min(v, 1.0), min(max((v - 1) / 2, 0.0), 1.0)
    rising, falling = u * u * u * (10 + u * (6 * u - 15)), w * w * w * (10 + w * (6 * w - 15))
    return mu_s * rising - (mu_s - mu) * falling + viscous * slip


@part
def _press(x, numbers, indices, head, y):
    """Add one bed of springs to the results."""
    kind, count, swapped = indices[head], indices[head + 1], indices[head + 2]
    data, integers, springs = indices[head + 3], indices[head + 4], indices[head + 5]
    X_a, X_b, law = no_pose(), x[:12].copy(), x[18:25]
    own, other, side = (X_b, X_a, -1.0) if swapped else (X_a, X_b, 1.0)
    q, m, n, slip = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(count):
        at = springs + 4 * k
        for i in range(3):
            q[i] = own[9 + i]
            for j in range(3):
                q[i] += own[3 * i + j] * numbers[at + j]
        gap = _outside(numbers, indices, kind, data, integers, other, q, y[0], m)
        y[0] = min(y[0], gap)
        if gap >= 0:
            continue
        velocity = x[15:18] + cross3(x[12:15], q - X_b[9:12])
        rate = 0.0
        for i in range(3):
            n[i] = -side * m[i]
            rate -= n[i] * velocity[i]
        for i in range(3):
            slip[i] = velocity[i] + rate * n[i]
        spring = -law[0] * numbers[at + 3] * gap
        pressed = max(0.0, spring * (1 + law[1] * rate))
        speed = np.sqrt(dot3(slip, slip) + 1e-28)
        rub = _coefficient(law, speed) * pressed / speed
        force = pressed * n - rub * slip
        y[1:4] += force
        y[4:7] += cross3(q, force)
        y[7:10] += pressed * n
        y[10:13] += pressed * q
        y[13] -= spring * gap / 2
        y[15] += pressed
        y[14] += rate * (pressed - spring) + rub * dot3(slip, slip)


@part
def _both(x, numbers, indices, y):
    y[:] = 0.0
    y[0] = 1e30
    for head in (0, HEAD):
        if indices[head + 1]:
            _press(x, numbers, indices, head, y)
    if y[15] > 0:
        y[10:13] /= y[15]


@entry
def bed_of_springs(x, n_x, numbers, n_numbers, indices, n_indices, y, n_y):
    """What a bed of springs does."""
    _both(carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (n_indices,)), carray(y, (n_y,)))
