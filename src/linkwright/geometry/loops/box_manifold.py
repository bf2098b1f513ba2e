"""Where two boxes touch: up to four points of the faces that lie on one another, or the crossing of two edges.

Of 15 directions (three faces of each box, nine products of edges) the one along which the boxes are farthest apart
decides (Gottschalk et al. 1996).  Where it is a face, the face of the other box that looks at it is cut off at its
sides (Sutherland and Hodgman 1974); of the corners of what is left the deepest is taken, the one farthest from it, and
the farthest on either side of these two.  Edges are asked only where faces are clearly worse, since boxes that rest on
one another are flat but for rounding.

Every point has a number that it keeps while the boxes move: 0 … 7 corners of a, 8 … 15 corners of b (z fastest),
16 + 3 i + j where an edge of a along its axis i crosses one of b along j, and from 25 on further crossings of such
edges.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, sqrt, whole, wholes
from ..tolerances import BOX_FACES, BOX_RIM, PARALLEL_EDGES

POINTS, MOST = 4, 16


@compiled
def box_points(row: real[30], found: real[44], work: real[1]) -> None:
    """Contact points (gap, normal, point_a, point_b) of two boxes, then their numbers; −1: none.

    `row` are the edge lengths of a and b, then their poses (the rotation by rows, then the position).
    """
    out, numbers = reals(4, 10), wholes(4)
    numbers[:] = -1
    out[:] = 0.0
    touch_boxes(row, out, numbers)
    for k in range(POINTS):
        found[40 + k] = float(numbers[k])
        found[10 * k : 10 * k + 10] = out[k]


def touch_boxes(row: real[30], out: real[4, 10], numbers: whole[4]) -> None:
    """The contact points of one pair."""
    R, d, e = reals(3, 3), reals(3), reals(3)
    size = 0.0
    for i in range(6):
        size += row[i]
    for i in range(3):
        R[i] = row[6 + i] * row[18:21] + row[9 + i] * row[21:24] + row[12 + i] * row[24:27]
        d[i] = (row[6 + i] * (row[27] - row[15]) + row[9 + i] * (row[28] - row[16]) + row[12 + i] * (row[29] - row[17]))
    e[:] = d[0] * R[0] + d[1] * R[1] + d[2] * R[2]
    face, best = 0, -np.inf
    for f in range(6):
        axis = f % 3
        apart = abs(d[axis]) if f < 3 else abs(e[axis])
        for k in range(3):
            turn = abs(R[axis, k]) if f < 3 else abs(R[k, axis])
            apart -= 0.5 * (turn * row[3 + k] if f < 3 else turn * row[k])
        apart -= 0.5 * row[axis if f < 3 else 3 + axis]
        if apart > best + (BOX_RIM * size if f > 0 else 0.0):
            face, best = f, apart
    edge, most = -1, best + BOX_FACES * size
    for i in range(3):
        for j in range(3):
            length = 1.0 - R[i, j] * R[i, j]
            if length > PARALLEL_EDGES:
                apart = edges_apart(row, R, d, i, j) / sqrt(length)
                if apart > most:
                    edge, most = 3 * i + j, apart
    if edge >= 0:
        cross_edges(row, R, d, edge // 3, edge % 3, most, out, numbers)
    else:
        lay_faces(row, R, d, face, size, out, numbers)


def edges_apart(row: real[30], R: real[3, 3], d: real[3], i: int, j: int) -> float:
    """How far the boxes are apart along a_i × b_j, times its length."""
    k, l = (i + 1) % 3, (i + 2) % 3
    # a_i × b_j in the axes of a: b_j = R[:, j]
    apart = abs(d[l] * R[k, j] - d[k] * R[l, j]) - 0.5 * (row[k] * abs(R[l, j]) + row[l] * abs(R[k, j]))
    m, n = (j + 1) % 3, (j + 2) % 3
    return apart - 0.5 * (row[3 + m] * abs(R[i, n]) + row[3 + n] * abs(R[i, m]))


def cross_edges(row: real[30], R: real[3, 3], d: real[3], i: int, j: int, gap: float, out: real[4, 10],
                numbers: whole[4]) -> None:
    """The crossing of the edges along a_i and b_j that face each other, in the axes of a."""
    n, p, q, between = reals(3), reals(3), reals(3), reals(3)
    k, l = (i + 1) % 3, (i + 2) % 3
    length = sqrt(R[k, j] * R[k, j] + R[l, j] * R[l, j])
    n[i], n[k], n[l] = 0.0, -R[l, j] / length, R[k, j] / length
    if n[0] * d[0] + n[1] * d[1] + n[2] * d[2] < 0.0:
        n[k], n[l] = -n[k], -n[l]
    p[i] = 0.0
    p[k] = 0.5 * row[k] if n[k] > 0.0 else -0.5 * row[k]
    p[l] = 0.5 * row[l] if n[l] > 0.0 else -0.5 * row[l]
    q[:] = d
    for following in range(1, 3):
        m = (j + following) % 3
        along = n[0] * R[0, m] + n[1] * R[1, m] + n[2] * R[2, m]
        for c in range(3):
            q[c] += (-0.5 if along > 0.0 else 0.5) * row[3 + m] * R[c, m]
    between[:] = q - p
    # p + s a_i is below q + t b_j:  s − t R_ij = between_i,  s R_ij − t = between · b_j
    turn, right = R[i, j], between[0] * R[0, j] + between[1] * R[1, j] + between[2] * R[2, j]
    s = (between[i] - turn * right) / (1.0 - turn * turn)
    p[i] += min(max(s, -0.5 * row[i]), 0.5 * row[i])
    numbers[0] = 16 + 3 * i + j
    out[0, 0] = gap
    for c in range(3):
        out[0, 1 + c] = row[6 + 3 * c] * n[0] + row[7 + 3 * c] * n[1] + row[8 + 3 * c] * n[2]
        out[0, 4 + c] = row[15 + c] + row[6 + 3 * c] * p[0] + row[7 + 3 * c] * p[1] + row[8 + 3 * c] * p[2]
        out[0, 7 + c] = out[0, 4 + c] + gap * out[0, 1 + c]


def lay_faces(row: real[30], R: real[3, 3], d: real[3], face: int, size: float, out: real[4, 10],
              numbers: whole[4]) -> None:
    """The face of one box (0 … 2: of a, 3 … 5: of b) and the face of the other that looks at it."""
    base = 0 if face < 3 else 1
    f = face % 3
    u, v = (f + 1) % 3, (f + 2) % 3
    # the other box in the axes of this one
    T, c = reals(3, 3), reals(3)
    for i in range(3):
        c[i] = d[i] if base == 0 else -(d[0] * R[0, i] + d[1] * R[1, i] + d[2] * R[2, i])
        for j in range(3):
            T[i, j] = R[i, j] if base == 0 else R[j, i]
    side = 1.0 if c[f] >= 0.0 else -1.0
    g = 0
    for axis in range(1, 3):
        if abs(T[f, axis]) > abs(T[f, g]) + BOX_RIM:
            g = axis
    away = -1.0 if side * T[f, g] > 0.0 else 1.0
    k, l = (g + 1) % 3, (g + 2) % 3
    x, y, z, ids, labels = reals(MOST), reals(MOST), reals(MOST), wholes(MOST), wholes(MOST)
    h = 3 - 3 * base  # where the sizes of the other box lie
    for corner in range(4):
        s = 1.0 if corner == 0 or corner == 3 else -1.0
        t = 1.0 if corner < 2 else -1.0
        p_g, p_k, p_l = 0.5 * away * row[h + g], 0.5 * s * row[h + k], 0.5 * t * row[h + l]
        x[corner] = c[u] + T[u, g] * p_g + T[u, k] * p_k + T[u, l] * p_l
        y[corner] = c[v] + T[v, g] * p_g + T[v, k] * p_k + T[v, l] * p_l
        z[corner] = side * (c[f] + T[f, g] * p_g + T[f, k] * p_k + T[f, l] * p_l) - 0.5 * row[3 * base + f]
        ids[corner] = 8 * (1 - base) + bit(g, away) + bit(k, s) + bit(l, t)
        labels[corner] = k if corner % 2 == 0 else l
    count = 4
    for cut in range(4):
        limit = 0.5 * row[3 * base + (u if cut < 2 else v)] - BOX_RIM * size
        count = cut_off(x, y, z, ids, labels, count, cut, limit, base, f, side)
        if count == 0:
            return
    chosen = wholes(4)
    found = choose_four(x, y, z, count, size, chosen)
    for m in range(found):
        at = chosen[m]
        number = ids[at]
        for other in range(m):
            if numbers[other] == number:
                number = 25 + other
        numbers[m] = number
        out[m, 0] = z[at]
        first = 6 + 12 * base
        for i in range(3):
            n = side * row[first + 3 * i + f]
            p = (row[first + 9 + i] + row[first + 3 * i + u] * x[at] + row[first + 3 * i + v] * y[at]
                 + 0.5 * row[3 * base + f] * n)
            out[m, 1 + i] = n if base == 0 else -n
            out[m, 4 + i] = p if base == 0 else p + z[at] * n
            out[m, 7 + i] = p + z[at] * n if base == 0 else p


def bit(axis: int, sign: float) -> int:
    """The part of a corner's number that says on which side of an axis it is."""
    weight = 4 if axis == 0 else 2 if axis == 1 else 1
    return weight if sign > 0.0 else 0


def cut_off(x: real[MOST], y: real[MOST], z: real[MOST], ids: whole[MOST], labels: whole[MOST], count: int, cut: int,
            limit: float, base: int, f: int, side: float) -> int:
    """Cut a polygon off at one side of the face below it; how many corners are left.

    `labels` say on what the way from a corner to the next lies: an edge along that axis, or (from MOST on) a side.
    """
    nx, ny, nz, nids, nlabels = reals(MOST), reals(MOST), reals(MOST), wholes(MOST), wholes(MOST)
    sign = 1.0 if cut % 2 == 0 else -1.0
    left = 0
    for k in range(count):
        following = (k + 1) % count
        here = sign * (x[k] if cut < 2 else y[k]) - limit
        there = sign * (x[following] if cut < 2 else y[following]) - limit
        if here <= 0.0:
            nx[left], ny[left], nz[left], nids[left], nlabels[left] = x[k], y[k], z[k], ids[k], labels[k]
            left += 1
        if (here <= 0.0) != (there <= 0.0):
            t = here / (here - there)
            nx[left], ny[left] = x[k] + t * (x[following] - x[k]), y[k] + t * (y[following] - y[k])
            nz[left] = z[k] + t * (z[following] - z[k])
            nlabels[left] = MOST + cut if here <= 0.0 else labels[k]
            u, v = (f + 1) % 3, (f + 2) % 3
            if labels[k] < MOST:  # two edges cross
                own = v if cut < 2 else u
                nids[left] = 16 + (3 * own + labels[k] if base == 0 else 3 * labels[k] + own)
            else:  # a corner of the face below
                other = labels[k] - MOST
                across, up = (cut, other) if cut < 2 else (other, cut)
                nids[left] = (8 * base + bit(f, side) + bit(u, 1.0 if across % 2 == 0 else -1.0)
                              + bit(v, 1.0 if up % 2 == 0 else -1.0))
            left += 1
    for k in range(left):
        x[k], y[k], z[k], ids[k], labels[k] = nx[k], ny[k], nz[k], nids[k], nlabels[k]
    return left


def choose_four(x: real[MOST], y: real[MOST], z: real[MOST], count: int, size: float, chosen: whole[4]) -> int:
    """The deepest corner, the farthest from it, the farthest on either side of these; how many are different."""
    if count <= 4:
        for k in range(count):
            chosen[k] = k
        return count
    first = 0
    for k in range(1, count):
        # of those that are equally deep the one farthest out, so that rounding does not choose
        lower = z[k] - z[first]
        if lower < -BOX_RIM * size or lower < BOX_RIM * size and x[k] + 0.3 * y[k] > x[first] + 0.3 * y[first]:
            first = k
    second, far = first, -1.0
    for k in range(count):
        way = (x[k] - x[first]) ** 2 + (y[k] - y[first]) ** 2
        if way > far * (1.0 + BOX_RIM):
            second, far = k, way
    chosen[0], chosen[1] = first, second
    found = 2
    for turn in range(2):
        best, most = -1, BOX_RIM * size * size
        for k in range(count):
            area = ((x[second] - x[first]) * (y[k] - y[first]) - (y[second] - y[first]) * (x[k] - x[first]))
            area = area if turn == 0 else -area
            if area > most:
                best, most = k, area
        if best >= 0:
            chosen[found] = best
            found += 1
    return found
