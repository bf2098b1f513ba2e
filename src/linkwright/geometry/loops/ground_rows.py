"""Bodies on a height field, for programs: one row for each ball, corner or rim, in the order of the body's own; and the
places under them, from which formulas go on."""

from __future__ import annotations

import numpy as np
from numba import carray

from ..compliant_pairs import Pressing
from ..shapes import HeightField, Shape
from ..tolerances import ON_ITS_SIDE
from .height_pairs import PROBE, cell_at, height_pair, nearest_angle, nearest_foot, on_ground, probe_at
from .jit import Pointer, entry, local, put3
from .rows import ROW, no_pose


def press_ground(ground: HeightField, body: Shape) -> Pressing:
    """A body on a height field."""
    pair = height_pair(ground, body)
    return Pressing(f"{__name__}:ground_rows", pair.routine.numbers, pair.routine.indices, pair.n_points)


@entry
def ground_rows(x: Pointer, n_x: int, numbers: Pointer, n_numbers: int, indices: Pointer, n_indices: int, y: Pointer,
                n_y: int) -> None:
    """Rows of a body b on the ground a."""
    rows = carray(y, (n_y,))
    found, X_a = np.empty((n_y // ROW, 10)), local(12)
    no_pose(X_a)
    on_ground(X_a, carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (n_indices,)), found)
    for k in range(n_y // ROW):
        for i in range(7):
            rows[ROW * k + i] = found[k, i]
        rows[ROW * k + 7] = 1.0


@entry
def ground_places(x: Pointer, n_x: int, numbers: Pointer, n_numbers: int, indices: Pointer, n_indices: int,
                  y: Pointer, n_y: int) -> None:
    """Of every probe of a body b on the ground a: the foot (x, y), and the angle of a rim; then of every probe the
    polynomial of the ground there (x₀, y₀, 16 coefficients) and, of a rim, whether it lies flat, and its angle."""
    X, given, counts = carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (n_indices,))
    out = carray(y, (n_y,))
    first = counts[0] + counts[1] + 16 * (counts[0] - 1) * (counts[1] - 1)
    p, foot, n, c, e, f = local(3), local(3), local(3), local(3), local(3), local(3)
    cell = local(18)
    at, held = 0, 2 * counts[2]
    for k in range(counts[2]):
        held += given[first + PROBE * k + 6] > 0
    for k in range(counts[2]):
        probe = given[first + PROBE * k:first + PROBE * k + PROBE]
        probe_at(X, probe, c, e, f)
        put3(p, c)
        angle = 0.0
        if probe[6] > 0:
            angle = nearest_angle(given, counts, c, e, f)
            for i in range(3):
                p[i] = c[i] + np.cos(angle) * e[i] + np.sin(angle) * f[i]
        nearest_foot(given, counts, p, foot, n)
        out[at], out[at + 1] = foot[0], foot[1]
        at += 2
        cell_at(given, counts, foot[0], foot[1], cell)
        for i in range(18):
            out[held + i] = cell[i]
        held += 18
        if probe[6] > 0:
            out[at] = angle
            at += 1
            # how much the rim bends away from the ground: nothing where it lies on its side
            bend = 0.0
            for i in range(3):
                bend += n[i] * (np.cos(angle) * e[i] + np.sin(angle) * f[i])
            out[held], out[held + 1] = abs(bend) < ON_ITS_SIDE * probe[6], angle
            held += 2
