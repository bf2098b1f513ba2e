"""Rows of impulses in as few unknowns as they can move: where few points touch many bodies, or one of many joints.

Newton's method has as many unknowns y as there are speeds (`cone_newton`), but y = Aᵀ Λ lies in what the rows of A
span.  With an orthonormal basis Q of that (Gram and Schmidt, once more where much is taken away),

    A = B Q,      y = Qᵀ z

and z has as many numbers as there are independent rows.  The method is the same, with B in the place of A.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import real, sqrt, whole
from ..integrate.gauss_seidel import CONTACT, SINGLE, TURN
from ..integrate.record import View
from .stepped_record import crowd_at, integers, matrix, vector
from .tolerances import AGAIN_BELOW, ALONG_OTHERS


def narrowed(r: View, m: int) -> int:
    """Q and B of m rows; how many unknowns there are."""
    c, kinds, partners, found = crowd_at(r.crowd), integers(r.kinds, m), integers(r.partners, m), 0
    A, places = matrix(r.A, m, 3, 2 * c.block), integers(r.a_places, m, 2 * c.block)
    Q, spans = matrix(r.n_Q, r.nu, r.nu), integers(r.n_spans, r.nu, 2)
    shares, x = matrix(r.n_shares, 6, r.nu), vector(r.n_row, r.nu)
    for row in range(m):
        if kinds[row] == TURN:
            continue
        # a contact and its turning have the same places
        count = 6 if partners[row] >= 0 else acting(r, row)
        for i in range(count):
            own = row if i < 3 else partners[row]
            x[:r.nu] = 0.0
            shares[i, :r.nu] = 0.0
            low, high = r.nu, 0
            for k in range(2 * c.block):
                at = places[own, k]
                if at >= 0:
                    x[at] = A[own, i % 3, k]
                    low, high = min(low, at), max(high, at + 1)
            found += stripped(x, low, high, found, Q, spans, shares[i])
        lay_shares(r, row, count, found)
    return found


def acting(r: View, row: int) -> int:
    """How many rows of a three may have an impulse: of a contact without friction its normal has."""
    limits, kinds = matrix(r.limits, row + 1, 3), integers(r.kinds, row + 1)
    return 1 if kinds[row] == SINGLE or kinds[row] == CONTACT and limits[row, 0] == 0.0 else 3


def stripped(x: real[:], low: int, high: int, found: int, Q: real[:, :], spans: whole[:, 2], shares: real[:]) -> int:
    """Shares of a row in the basis, which grows by what is left of it; by how many.  It lies between low and high."""
    size, left = 0.0, 0.0
    for k in range(low, high):
        size += x[k] * x[k]
    for _ in range(2):
        for q in range(found):
            along = 0.0
            for k in range(max(low, spans[q, 0]), min(high, spans[q, 1])):
                along += Q[q, k] * x[k]
            if along != 0.0:
                shares[q] += along
                low, high = min(low, spans[q, 0]), max(high, spans[q, 1])
                x[spans[q, 0]:spans[q, 1]] -= along * Q[q, spans[q, 0]:spans[q, 1]]
        left = 0.0
        for k in range(low, high):
            left += x[k] * x[k]
        if left > AGAIN_BELOW * size:
            break
    if found == len(x) or not left > ALONG_OTHERS * ALONG_OTHERS * size:
        return 0
    shares[found] = sqrt(left)
    spans[found] = low, high
    Q[found, : len(x)] = x / shares[found]
    return 1


def lay_shares(r: View, row: int, count: int, found: int) -> None:
    """B of a row, and of its turning, at the places where some of them have a share."""
    shares, filled, last = matrix(r.n_shares, 6, r.nu), 0, row
    if count == 6:
        last = integers(r.partners, row + 1)[row]
    B, places = matrix(r.n_B, last + 1, 3, r.nu), integers(r.n_places, last + 1, r.nu)
    for k in range(found):
        some = False
        for i in range(count):
            some = some or shares[i, k] != 0.0
        if some:
            for side in range(2 if count == 6 else 1):
                own = row if side == 0 else last
                places[own, filled] = k
                for i in range(3):
                    B[own, i, filled] = shares[3 * side + i, k] if 3 * side + i < count else 0.0
            filled += 1
    for k in range(filled, r.nu):
        places[row, k] = -1
        if count == 6:
            places[last, k] = -1


def widened(r: View, z: real[:], y: real[:]) -> None:
    """y = Qᵀ z."""
    Q, spans = matrix(r.n_Q, r.nu, r.nu), integers(r.n_spans, r.nu, 2)
    y[:r.nu] = 0.0
    for q in range(len(z)):
        y[spans[q, 0]:spans[q, 1]] += Q[q, spans[q, 0]:spans[q, 1]] * z[q]
