"""What the laws of contacts make of trial impulses: P(x) of `cone_newton`, its slopes, and the equations that follow.

Of a contact with its turning x is (normal, tangents; spin, rolling), P the nearest of the impulses

    |p_t| ≤ μ p_n,    |p_s| ≤ spinning p_n,    |p_r| ≤ rolling p_n

in the metric of R, where slipping is taken as if it lifted (`convex`); else p_n = max(0, x_n), and the others are cut
off at what it allows.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import real, reals, sqrt, whole, wholes
from ..integrate.gauss_seidel import SINGLE, TURN


def allowed(kind: int, rows: int, convex: bool, slopes: bool, x: real[6], limits: real[3], one: float, other: float,
            p: real[6], D: real[6, 6]) -> None:
    """p = P(x) and (if asked for) D = ∂P/∂x of the `rows` numbers of a contact (3, or 6 with its turning) or of a
    single row (1).

    `limits` are a contact's friction, and its arms of spin and rolling, or the bounds of a single row; `one` and
    `other` are R of what slides and of what turns.
    """
    for i in range(rows):
        p[i] = 0.0
        if slopes:
            D[i, :rows] = 0.0
    if kind == SINGLE:
        p[0] = min(max(x[0], limits[0]), limits[1])
        if slopes and limits[0] < x[0] and x[0] < limits[1]:
            D[0, 0] = 1.0
        return
    # discs: what slips, spins, rolls
    discs = 1 if rows == 3 else 3
    rub, ahead, give = reals(3), wholes(4), reals(3)
    ahead[0], ahead[1], ahead[2], ahead[3] = 1, 3, 4, 6
    rub[0], give[0] = sqrt(x[1] * x[1] + x[2] * x[2]), one
    if discs == 3:
        rub[1], give[1] = abs(x[3]), other
        rub[2], give[2] = sqrt(x[4] * x[4] + x[5] * x[5]), other
    push, total = x[0], one
    if convex:
        # R (n − x_n) = Σ R μ (|x| − μ n) over the discs that are full, from below
        for _ in range(discs + 1):
            raised, total = one * x[0], one
            for d in range(discs):
                if rub[d] > limits[d] * push:
                    raised += give[d] * limits[d] * rub[d]
                    total += give[d] * limits[d] * limits[d]
            push = raised / total
    if push <= 0.0:
        return
    p[0] = push
    for d in range(discs):
        # what has no friction slides, also where nothing says which way
        full = rub[d] > limits[d] * push
        for i in range(ahead[d], ahead[d + 1]):
            p[i] = limits[d] * push * x[i] / rub[d] if full else x[i] if limits[d] > 0.0 else 0.0
    if not slopes:
        return
    D[0, 0] = one / total
    if convex:
        for d in range(discs):
            if rub[d] > limits[d] * push:
                D[0, ahead[d]:ahead[d + 1]] = give[d] * limits[d] / total * x[ahead[d]:ahead[d + 1]] / rub[d]
    for d in range(discs):
        for i in range(ahead[d], ahead[d + 1]):
            if rub[d] <= limits[d] * push:
                D[i, i] = 1.0 if limits[d] > 0.0 else 0.0
                continue
            along = x[i] / rub[d]
            D[i, :rows] = limits[d] * along * D[0, :rows]
            for j in range(ahead[d], ahead[d + 1]):
                D[i, j] += limits[d] * push / rub[d] * ((1.0 if i == j else 0.0) - along * x[j] / rub[d])


def placed(y: real[:], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], before: real[:, 3], R: real[:],
           lift: real[:], X: real[:, 3]) -> None:
    """X = Λ_k − v/R of every three, v_n raised by its lift."""
    for c in range(len(R)):
        for i in range(3):
            total = b[c, i]
            for k in range(places.shape[1]):
                if places[c, k] < 0:
                    break
                total += A[c, i, k] * y[places[c, k]]
            X[c, i] = before[c, i] - (total + (lift[c] if i == 0 else 0.0)) / R[c]


def moved(way: real[:], A: real[:, 3, :], places: whole[:, :], R: real[:], dX: real[:, 3]) -> None:
    """How X changes along a way of y."""
    for c in range(len(R)):
        for i in range(3):
            total = 0.0
            for k in range(places.shape[1]):
                if places[c, k] < 0:
                    break
                total += A[c, i, k] * way[places[c, k]]
            dX[c, i] = -total / R[c]


def taken(c: int, convex: bool, slopes: bool, share: float, X: real[:, 3], dX: real[:, 3], kinds: whole[:],
          partners: whole[:], laws: real[:, 3], R: real[:], x: real[6], p: real[6], D: real[6, 6]) -> int:
    """x = X + share dX of a contact with its turning, or of a single row, and P(x); how many numbers these are."""
    kind, partner = kinds[c], partners[c]
    rows = 1 if kind == SINGLE else 3 if partner < 0 else 6
    limits, turning = reals(3), c
    limits[0], limits[1], limits[2] = laws[c, 0], laws[c, 1], 0.0
    x[:3] = X[c, :3] + share * dX[c, :3]
    if rows == 6:
        turning = partner
        limits[1], limits[2] = laws[partner, 0], laws[partner, 1]
        x[3:6] = X[partner, :3] + share * dX[partner, :3]
    allowed(kind, rows, convex, slopes, x, limits, R[c], R[turning], p, D)
    return rows


def looked(convex: bool, share: float, y: real[:], way: real[:], A: real[:, 3, :], places: whole[:, :], X: real[:, 3],
           dX: real[:, 3], kinds: whole[:], partners: whole[:], laws: real[:, 3], R: real[:], after: real[:, 3],
           F: real[:]) -> float:
    """Λ = P(x) and F = y − Aᵀ Λ at y + share way; ½ |F|²."""
    x, p, D = reals(6), reals(6), reals(6, 6)
    F[: len(y)] = y + share * way[: len(y)]
    for c in range(len(kinds)):
        if kinds[c] == TURN:
            continue
        rows = taken(c, convex, False, share, X, dX, kinds, partners, laws, R, x, p, D)
        acts = False
        for i in range(rows):
            after[c if i < 3 else partners[c], i % 3] = p[i]
            acts = acts or p[i] != 0.0
        if acts:
            for k in range(places.shape[1]):
                at = places[c, k]
                if at < 0:
                    break
                for i in range(rows):
                    F[at] -= A[c if i < 3 else partners[c], i % 3, k] * p[i]
    total = 0.0
    for j in range(len(y)):
        total += 0.5 * F[j] * F[j]
    return total


def sloped(convex: bool, A: real[:, 3, :], places: whole[:, :], X: real[:, 3], kinds: whole[:], partners: whole[:],
           laws: real[:, 3], R: real[:], H: real[:, :], V: real[:, :], first: whole[:]) -> None:
    """H = ∂F/∂y, and in V its entries above the diagonal, turned over."""
    x, p, D, row = reals(6), reals(6), reals(6, 6), reals(6)
    for j in range(len(first)):
        H[j, first[j] : j] = 0.0
        for k in range(first[j], j):
            H[k, j] = 0.0
        H[j, j] = 1.0
    for c in range(len(kinds)):
        if kinds[c] == TURN:
            continue
        rows = taken(c, convex, True, 0.0, X, X, kinds, partners, laws, R, x, p, D)
        if D[0, 0] == 0.0:
            continue
        count = filled(places[c])
        side_by_side = True
        for k in range(count):
            side_by_side = side_by_side and places[c, k] == places[c, 0] + k
        for k in range(count):
            for i in range(rows):
                row[i] = 0.0
                for j in range(rows):
                    row[i] += A[c if j < 3 else partners[c], j % 3, k] * D[j, i]
                row[i] /= R[c if i < 3 else partners[c]]
            target = H[places[c, k]]
            if rows == 3 and side_by_side:
                target[places[c, 0] : places[c, 0] + count] += (
                    row[0] * A[c, 0, :count] + row[1] * A[c, 1, :count] + row[2] * A[c, 2, :count])
                continue
            for l in range(count):
                entry = row[0] * A[c, 0, l]
                for i in range(1, rows):
                    entry += row[i] * A[c if i < 3 else partners[c], i % 3, l]
                target[places[c, l]] += entry
    for j in range(len(first)):
        for k in range(first[j], j):
            V[j, k] = H[k, j]


def filled(places: whole[:]) -> int:
    """How many places there are, from the left."""
    count = 0
    for k in range(len(places)):
        if places[k] < 0:
            break
        count += 1
    return count


def rising(share: float, y: real[:], way: real[:], X: real[:, 3], dX: real[:, 3], kinds: whole[:], partners: whole[:],
           laws: real[:, 3], R: real[:]) -> float:
    """The slope of the convex function along the way, at a share of it; it only grows."""
    x, p, D = reals(6), reals(6), reals(6, 6)
    total = 0.0
    for j in range(len(y)):
        total += (y[j] + share * way[j]) * way[j]
    for c in range(len(kinds)):
        if kinds[c] != TURN:
            rows = taken(c, True, False, share, X, dX, kinds, partners, laws, R, x, p, D)
            for i in range(rows):
                own = c if i < 3 else partners[c]
                total += R[own] * p[i] * dX[own, i % 3]
    return total
