"""Forces, or impulses, of the contacts that take part at an instant: the cone problem over their record."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ..codegen.dialect import hypot, real
from ..integrate.gauss_seidel import CONTACT
from ..integrate.record import View
from . import tolerances as tol
from .cone_search import largest, move, search
from .row_record import integers, matrix, vector

#: sweeps before each descent
ROUNDS = np.array([*tol.CONE_SWEEPS, tol.CONE_SLOWLY])


def prepare_cone(r: View) -> None:
    """The matrix for the search, with ones where nothing moves (the second tangent in a plane), and its steps.

    r of every row is one over what it gives way, and over the most that two which share a disc do.
    """
    W, steps, n = matrix(r.W, r.size, r.size), vector(r.steps, r.size), r.n_which
    kinds, partners = integers(r.kinds_of, r.most), integers(r.partners, r.most)
    for i in range(3 * n):
        if W[i, i] <= 0.0:
            W[i, i] = 1.0
    for c in range(n):
        kinds[c], partners[c] = CONTACT, -1
        k = 3 * c
        first, second, across = W[k + 1, k + 1], W[k + 2, k + 2], W[k + 1, k + 2]
        most = (first + second) / 2 + hypot((first - second) / 2, across)
        steps[k], steps[k + 1], steps[k + 2] = 1 / W[k, k], 1 / most, 1 / most


def within_cones(r: View, b: real[:], scale: float) -> bool:
    """Forces, in `best`, of the contacts in `which`; whether there are any.  `b` is the motion without them."""
    W, steps, n = matrix(r.W, r.size, r.size), vector(r.steps, r.size), r.n_which
    kinds, partners = integers(r.kinds_of, r.most), integers(r.partners, r.most)
    laws, ways = matrix(r.laws, r.most, 3), matrix(r.ways, r.most, 2)
    least, known = vector(r.least, r.most), integers(r.slides, r.most)
    force, best, x = vector(r.force, r.size), vector(r.best, r.size), vector(r.cone_x, r.size)
    pressing = 0.0
    for c in range(n):
        force[3 * c], force[3 * c + 1], force[3 * c + 2] = least[c], 0.0, 0.0
        pressing = max(pressing, steps[3 * c])
    best[: 3 * n] = 0.0
    x[: 3 * n] = 0.0
    size = max(scale, largest(3 * n, b))
    move(3 * n, W, x, force, best)
    size = max(size, largest(3 * n, best))
    small = size * pressing + tol.TINY
    left = search(n, W, b, steps, kinds, partners, laws, least, known, ways, force, ROUNDS, size, small, x,
                  vector(r.cone_F, r.size), vector(r.cone_change, r.size), vector(r.cone_tried, r.size),
                  vector(r.cone_right, 2 * r.size), matrix(r.cone_J, 2 * r.size, r.size),
                  vector(r.cone_walked, r.size), best)
    return left <= tol.CONE_ROUGHLY * small
