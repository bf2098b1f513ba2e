"""Dense linear equations inside programs, in the dialect: LU with partial pivoting, the numbers of Newton's method, and
equations of which some are in force.

Programs call these by their names (`runtime`), one lane after the other: numbers of a lane lie a stride apart.  Inner
loops run down columns, and every entry sees the same operations in the same order however many of them a processor
takes at once.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from .dialect import known, real, whole
from .tolerances import STALL

#: the size of an array whose length others know
ENDLESS = 2**40


def eliminate(y: real[:], x: real[:], f: float) -> None:
    """y −= f x"""
    y[:] -= x * f


def lu_factor(a: real[:], order: real[:], n: known) -> None:
    """A by columns, n × n, becomes its factors L and U; row k was exchanged with row order[k]."""
    for k in range(n):
        column = a[k * n : (k + 1) * n]
        best, row = -1.0, k
        for i in range(k, n):
            size = abs(column[i])
            if size > best:
                best, row = size, i
        order[k] = float(row)
        if row != k:
            for j in range(n):
                held = a[j * n + k]
                a[j * n + k] = a[j * n + row]
                a[j * n + row] = held
        pivot = column[k]
        column[k + 1 : n] /= pivot
        for j in range(k + 1, n):
            eliminate(a[j * n + k + 1 : (j + 1) * n], column[k + 1 : n], a[j * n + k])


def lu_substitute(a: real[:], order: real[:], b: real[:], n: known) -> None:
    """b becomes the solution of A x = b, by the factors of A."""
    for k in range(n):
        row, held = int(order[k]), b[k]
        b[k] = b[row]
        b[row] = held
    for k in range(n):
        eliminate(b[k + 1 : n], a[k * n + k + 1 : (k + 1) * n], b[k])
    for k in range(n - 1, -1, -1):
        b[k] = b[k] / a[k * n + k]
        eliminate(b[0:k], a[k * n : k * n + k], b[k])


# --- what programs call ---


def lw_copy(to: real[ENDLESS], source: real[ENDLESS], n: int, to_stride: int, stride: int) -> None:
    """n numbers from one stride to another."""
    for i in range(n):
        to[i * to_stride] = source[i * stride]


def lw_norm(x: real[ENDLESS], n: int, stride: int) -> float:
    """The largest |x|, not a number if one is not."""
    most = 0.0
    for i in range(n):
        size = abs(x[i * stride])
        if size > most or size != size:
            most = size
    return most


def solve(a: real[ENDLESS], n: known) -> None:
    """[A | b | order], n × n, n and n: A is destroyed, b becomes the solution of A x = b."""
    end = n * n + n
    lu_factor(a[0 : n * n], a[end : end + n], n)
    lu_substitute(a[0 : n * n], a[end : end + n], a[n * n : end], n)


def lw_solve(a: real[ENDLESS], n: int) -> None:
    """The same, written out for small systems, in which loops would take longer than their work."""
    if n == 1:
        solve(a, 1)
    elif n == 2:
        solve(a, 2)
    elif n == 3:
        solve(a, 3)
    elif n == 4:
        solve(a, 4)
    else:
        solve(a, n)


def lw_advance(y: real[ENDLESS], step: real[ENDLESS], n: int, stride: int) -> int:
    """y −= step; whether it was too small to matter."""
    size = lw_norm(step, n, 1)
    for i in range(n):
        y[i * stride] = y[i * stride] - step[i]
    return int(size <= STALL * lw_norm(y, n, stride))


# --- the segments of programs that solve, in all lanes ---


def into_scratch(scratch: real[ENDLESS], a: real[ENDLESS], b: real[ENDLESS], n: int, lanes: int, l: int) -> None:
    """[A | b] of one lane side by side, solved: x is where b was."""
    lw_copy(scratch, a[l : n * n * lanes], n * n, 1, lanes)
    lw_copy(scratch[n * n : n * n + n], b[l : n * lanes], n, 1, lanes)
    lw_solve(scratch, n)


def lw_solve_lanes(a: real[ENDLESS], b: real[ENDLESS], x: real[ENDLESS], scratch: real[ENDLESS], n: int,
                   lanes: int) -> None:
    """A x = b in every lane."""
    for l in range(lanes):
        into_scratch(scratch, a, b, n, lanes, l)
        lw_copy(x[l : n * lanes], scratch[n * n : n * n + n], n, lanes, 1)


def lw_newton_begin(y: real[ENDLESS], guess: real[ENDLESS], status: real[ENDLESS], stalled: real[ENDLESS], n: int,
                    lanes: int) -> None:
    """Newton's method begins at the guess; status is [iterations, ‖r‖∞]."""
    for l in range(lanes):
        lw_copy(y[l : n * lanes], guess[l : n * lanes], n, lanes, lanes)
        status[l] = 0.0
        stalled[l] = 0.0


def newton_step(y: real[ENDLESS], a: real[ENDLESS], b: real[ENDLESS], status: real[ENDLESS], stalled: real[ENDLESS],
                scratch: real[ENDLESS], n: int, lanes: int, l: int) -> None:
    """y −= A⁻¹ b in one lane."""
    into_scratch(scratch, a, b, n, lanes, l)
    stalled[l] = float(lw_advance(y[l : n * lanes], scratch[n * n : n * n + n], n, lanes))
    status[l] = status[l] + 1.0


def lw_newton_step(y: real[ENDLESS], a: real[ENDLESS], b: real[ENDLESS], status: real[ENDLESS], stalled: real[ENDLESS],
                   scratch: real[ENDLESS], n: int, lanes: int, tolerance: float, most: float) -> int:
    """One step where it is needed: J = A and r = b at y; whether some lane goes on.

    A lane that has finished no longer changes, so evaluating it again with the others gives the same decision.
    """
    going = 0
    for l in range(lanes):
        norm = lw_norm(b[l : n * lanes], n, lanes)
        status[lanes + l] = norm
        if tolerance < norm < np.inf and status[l] < most and stalled[l] == 0.0:
            newton_step(y, a, b, status, stalled, scratch, n, lanes, l)
            going = 1
    return going


def lw_affine_step(y: real[ENDLESS], a: real[ENDLESS], b: real[ENDLESS], status: real[ENDLESS], stalled: real[ENDLESS],
                   scratch: real[ENDLESS], n: int, lanes: int) -> None:
    """The one step that an affine residual needs."""
    for l in range(lanes):
        newton_step(y, a, b, status, stalled, scratch, n, lanes, l)


def lw_affine_end(b: real[ENDLESS], status: real[ENDLESS], n: int, lanes: int) -> None:
    """What is left of it."""
    for l in range(lanes):
        status[lanes + l] = lw_norm(b[l : n * lanes], n, lanes)


# --- equations of which some are in force ---


def weighted(y: real[:], x: real[:], e: real[:], rows: real[:], m: int) -> None:
    """yᵢ = e[rowsᵢ] xᵢ"""
    for i in range(m):
        y[i] = e[int(rows[i])] * x[i]


def lw_closed(given: real[ENDLESS], out: real[ENDLESS], scratch: real[ENDLESS], stride: int, starts: whole[ENDLESS],
              places: whole[ENDLESS], n: int, dims: int, count: int, gently: int) -> None:
    """(LᵀR + e) x = b over the rows in force, x = 0 elsewhere, refined against e = 0 once (gently) or twice.

    given: L and R (`count` entries each, by columns that begin at `starts`, each entry at its place among `dims`) | e |
    mask | b; of rows that are not in force nothing is read but the mask.  scratch: R of what is in force | L by rows
    over that | rows in force | order of pivots | e | A | three vectors.
    """
    at_e = 2 * count
    at_mask, at_b = at_e + n, at_e + 2 * n
    at_rows = count + dims * n
    right, w, rows = scratch[0:count], scratch[count:at_rows], scratch[at_rows : at_rows + n]
    order, e = scratch[at_rows + n : at_rows + 2 * n], scratch[at_rows + 2 * n : at_rows + 3 * n]
    at_a = at_rows + 3 * n
    at_x = at_a + n * n
    a, x = scratch[at_a:at_x], scratch[at_x : at_x + n]
    x2, x3 = scratch[at_x + n : at_x + 2 * n], scratch[at_x + 2 * n : at_x + 3 * n]
    m = 0
    for c in range(n):
        out[c * stride] = 0.0
        if given[(at_mask + c) * stride] != 0.0:
            rows[m] = float(c)
            x[m] = given[(at_b + c) * stride]
            e[c] = given[(at_e + c) * stride]
            m += 1
    # the rows of L over what is in force, so that a column of A is a sum of them, element by element
    w[: dims * m] = 0.0
    for i in range(m):
        row = int(rows[i])
        for p in range(starts[row], starts[row + 1]):
            w[places[p] * m + i] = given[p * stride]
            right[p] = given[(count + p) * stride]
    for j in range(m):
        row = int(rows[j])
        a[j * m : (j + 1) * m] = 0.0
        for p in range(starts[row], starts[row + 1]):
            eliminate(a[j * m : (j + 1) * m], w[places[p] * m : (places[p] + 1) * m], -right[p])
        a[j * m + j] = a[j * m + j] + e[row]
    lu_factor(a, order, m)
    lu_substitute(a, order, x, m)
    weighted(x2, x, e, rows, m)
    lu_substitute(a, order, x2, m)
    weighted(x3, x2, e, rows, m)
    lu_substitute(a, order, x3, m)
    for i in range(m):
        out[int(rows[i]) * stride] = x[i] - x2[i] if gently else x[i] + x2[i] - 2.0 * x3[i]


def lw_in_force(given: real[ENDLESS], out: real[ENDLESS], stride: int, starts: whole[ENDLESS], places: whole[ENDLESS],
                n: int, dims: int, count: int) -> None:
    """C x over the columns in force: given are C (`count` entries, by columns) | mask | x."""
    for i in range(dims):
        out[i * stride] = 0.0
    for c in range(n):
        if given[(count + c) * stride] != 0.0:
            x = given[(count + n + c) * stride]
            for p in range(starts[c], starts[c + 1]):
                out[places[p] * stride] = out[places[p] * stride] + given[p * stride] * x
