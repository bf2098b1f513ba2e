"""A surface z(x, y) of splines with its derivatives, in the dialect; programs call it by its name (`surfaces`)."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from .dense_solves import ENDLESS
from .dialect import real, reals

#: most terms of splines on a piece, and one more than the highest order of derivatives
TERMS, ORDERS = 6, 8


def piece_of(breaks: real[:], count: int, x: float) -> int:
    """The piece of an axis that x lies in, by halving; the end pieces go on beyond the ends."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if x >= breaks[middle]:
            low = middle
        else:
            high = middle
    return low


def splines_at(c: real[:], terms: int, u: float, order: int, found: real[:]) -> None:
    """The splines that live on a piece, and their derivatives: found[terms d + j], d up to order, at u from its
    beginning; c[terms r + j] are the coefficients of uʳ."""
    found[: terms * (order + 1)] = 0.0
    # Horner's scheme for the values and the derivatives over d!
    for r in range(terms - 1, -1, -1):
        for k in range(terms * (order + 1) - 1, terms - 1, -1):
            found[k] = found[k] * u + found[k - terms]
        found[:terms] = found[:terms] * u + c[terms * r : terms * (r + 1)]
    factor = 1.0
    for d in range(2, order + 1):
        factor *= float(d)
        found[terms * d : terms * (d + 1)] *= factor


def lw_surface(xy: real[ENDLESS], z: real[ENDLESS], stride: int, data: real[ENDLESS], pieces_x: int, terms_x: int,
               pieces_y: int, terms_y: int, order: int) -> None:
    """z, z_x, z_y, z_xx, z_xy, z_yy, … up to an order below 8, of z(x, y) = Σ cᵢⱼ Bᵢ(x) Bⱼ(y).

    data: of x, then of y, the breaks of the pieces and their splines; then c.  Each axis has a straight piece beyond
    either end, whose splines are those of the piece beside it.  Numbers of one call lie `stride` apart.
    """
    along, across, sums = reals(TERMS * ORDERS), reals(TERMS * ORDERS), reals(ORDERS)
    x, y = xy[0], xy[stride]
    at_x = pieces_x + 1
    at_breaks = at_x + pieces_x * terms_x * terms_x
    at_y = at_breaks + pieces_y + 1
    at_c = at_y + pieces_y * terms_y * terms_y
    i = piece_of(data[0:at_x], pieces_x, x)
    j = piece_of(data[at_breaks:at_y], pieces_y, y)
    wide, results = pieces_y - 3 + terms_y, (order + 1) * (order + 2) // 2
    size_x, size_y = terms_x * terms_x, terms_y * terms_y
    splines_at(data[at_x + i * size_x : at_x + (i + 1) * size_x], terms_x, x - data[i], order, along)
    splines_at(data[at_y + j * size_y : at_y + (j + 1) * size_y], terms_y, y - data[at_breaks + j], order, across)
    i = min(max(i - 1, 0), pieces_x - 3)
    j = min(max(j - 1, 0), pieces_y - 3)
    for k in range(results):
        z[k * stride] = 0.0
    for a in range(terms_x):
        row = at_c + (i + a) * wide + j
        for d in range(order + 1):
            total = 0.0
            for b in range(terms_y):
                total += data[row + b] * across[terms_y * d + b]
            sums[d] = total
        at = 0
        for degree in range(order + 1):
            for d in range(degree + 1):
                z[at * stride] = z[at * stride] + along[terms_x * (degree - d) + a] * sums[d]
                at += 1
