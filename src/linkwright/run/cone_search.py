"""Impulses, or forces, of few contacts and single rows: the exact cone, by a search that needs no good start.

With the motion v = W Λ + b that impulses leave, and x = Λ − r v, threes of rows obey Λ = P(x) (Alart and Curnier 1991):

    what presses, and rubs     P_n = max(least, x_n);   P_t = x_t, cut off at the length μ P_n, or −μ P_n `way` if known
    turning of contact c       spin x_1, and rolling (x_2, x_3), each cut off at its coefficient times P_n of c
    a single row               P_1 = x_1 between two bounds

A few sweeps of projected Gauss–Seidel, then Levenberg–Marquardt on Λ − P(x), which works for a singular W too, such as
that of four legs on a floor; where that ends short of a solution, more sweeps, and other starts.

Arrays of n threes (or larger ones, whose first n count): `W` (3n, 3n), `b`, `r` (3n); `kinds`, `partners`, `laws` as
in `integrate.gauss_seidel.sweep`;
`least` (n); `known` (n) is 1 where a direction of sliding is given, and `ways` (n, 2) are those directions.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf, pi

from ..codegen.dialect import compiled, hypot, log, power, real, reals, sin_cos, sqrt, whole
from ..integrate.gauss_seidel import CONTACT, SINGLE
from .tolerances import (
    CONE_DAMPING,
    CONE_DAMPINGS,
    CONE_ENDLESS,
    CONE_GAIN,
    CONE_HARDLY,
    CONE_LEAST_DAMPING,
    CONE_RESIDUAL,
    CONE_STARTS,
    CONE_STEPS,
    FOUND,
)

#: multiplier and summand of a generator of random numbers (Knuth, The Art of Computer Programming 2, §3.3.4)
NEXT, SHIFT, FRACTION = 6364136223846793005, 1442695040888963407, 2.0**-53


def move(n: int, W: real[:, :], b: real[:], force: real[:], motion: real[:]) -> None:
    """motion = W λ + b, of n numbers."""
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += W[i, j] * force[j]
        motion[i] = total + b[i]


def largest(n: int, values: real[:]) -> float:
    """The largest absolute value of n numbers."""
    most = 0.0
    for i in range(n):
        # what is not a number is larger than all
        most = abs(values[i]) if not abs(values[i]) <= most else most
    return most


def projected(c: int, x: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3], least: real[:],
              known: whole[:], ways: real[:, 2], p: real[3], D: real[3, 3], owed: real[3]) -> None:
    """p = P(x) of a three, its derivatives D by its own x, and `owed` by x_n of the contact it belongs to."""
    p[:] = 0.0
    D[:] = 0.0
    owed[:] = 0.0
    k = 3 * c
    if kinds[c] == SINGLE:
        p[0] = min(max(x[k], laws[c, 0]), laws[c, 1])
        D[0, 0] = 1.0 if laws[c, 0] < x[k] and x[k] < laws[c, 1] else 0.0
        return
    owner = c if kinds[c] == CONTACT else partners[c]
    presses = 1.0 if x[3 * owner] > least[owner] else 0.0
    push, coefficient = max(least[owner], x[3 * owner]), laws[c, 0]
    if kinds[c] == CONTACT:
        p[0], D[0, 0] = push, presses
    else:
        spin, limit = x[k], laws[c, 0] * push
        if abs(spin) <= limit:
            p[0], D[0, 0] = spin, 1.0
        else:
            p[0] = limit if spin > 0.0 else -limit
            owed[0] = laws[c, 0] * presses * (1.0 if spin > 0.0 else -1.0)
        coefficient = laws[c, 1]
    limit = coefficient * push
    e_1, e_2 = -ways[c, 0], -ways[c, 1]
    if known[c] == 0:
        length = hypot(x[k + 1], x[k + 2])
        if length <= limit:
            p[1], p[2], D[1, 1], D[2, 2] = x[k + 1], x[k + 2], 1.0, 1.0
            return
        e_1, e_2, part = x[k + 1] / length, x[k + 2] / length, limit / length
        D[1, 1], D[2, 2] = (1 - e_1 * e_1) * part, (1 - e_2 * e_2) * part
        D[1, 2] = -e_1 * e_2 * part
        D[2, 1] = D[1, 2]
    p[1], p[2] = limit * e_1, limit * e_2
    lean = coefficient * presses
    if kinds[c] == CONTACT:
        D[1, 0], D[2, 0] = lean * e_1, lean * e_2
    else:
        owed[1], owed[2] = lean * e_1, lean * e_2


@compiled
def residual(n: int, W: real[:, :], b: real[:], r: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3],
             least: real[:], known: whole[:], ways: real[:, 2], force: real[:], x: real[:], F: real[:]) -> None:
    """F = Λ − P(x), and x."""
    p, D, owed = reals(3), reals(3, 3), reals(3)
    move(3 * n, W, b, force, x)
    x[: 3 * n] = force[: 3 * n] - r[: 3 * n] * x[: 3 * n]
    for c in range(n):
        projected(c, x, kinds, partners, laws, least, known, ways, p, D, owed)
        F[3 * c : 3 * c + 3] = force[3 * c : 3 * c + 3] - p[:3]


@compiled
def jacobian(n: int, W: real[:, :], r: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3], least: real[:],
             known: whole[:], ways: real[:, 2], x: real[:], J: real[:, :]) -> None:
    """∂F/∂Λ = 1 − ∂P/∂x (1 − r W), into the first rows of J."""
    p, D, owed = reals(3), reals(3, 3), reals(3)
    size = 3 * n
    for c in range(n):
        projected(c, x, kinds, partners, laws, least, known, ways, p, D, owed)
        k, o = 3 * c, 3 * max(partners[c], 0)
        for i in range(3):
            J[k + i, :size] = 0.0
            for own in range(3):
                if D[i, own] != 0.0:
                    J[k + i, :size] += D[i, own] * r[k + own] * W[k + own, :size]
                    J[k + i, k + own] -= D[i, own]
            if owed[i] != 0.0:
                J[k + i, :size] += owed[i] * r[o] * W[o, :size]
                J[k + i, o] -= owed[i]
            J[k + i, k + i] += 1.0


def sweep(n: int, W: real[:, :], b: real[:], r: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3],
          least: real[:], known: whole[:], ways: real[:, 2], force: real[:], motion: real[:], sweeps: int,
          huge: float) -> None:
    """Projected Gauss–Seidel: one three after another takes what its own law allows; changes `force`."""
    move(3 * n, W, b, force, motion)
    was = reals(3)
    for _ in range(sweeps):
        for c in range(n):
            k = 3 * c
            was[:3] = force[k : k + 3]
            tried = was[0] - r[k] * motion[k]
            if kinds[c] == SINGLE:
                force[k] = min(max(tried, laws[c, 0]), laws[c, 1])
            else:
                coefficient = laws[c, 0]
                if kinds[c] == CONTACT:
                    force[k] = max(least[c], tried)
                    limit = coefficient * force[k]
                else:
                    push = force[3 * partners[c]]
                    force[k] = min(max(tried, -laws[c, 0] * push), laws[c, 0] * push)
                    limit = laws[c, 1] * push
                if known[c] != 0:
                    force[k + 1], force[k + 2] = -limit * ways[c, 0], -limit * ways[c, 1]
                else:
                    x = was[1] - r[k + 1] * (motion[k + 1] + W[k + 1, k] * (force[k] - was[0]))
                    y = was[2] - r[k + 2] * (motion[k + 2] + W[k + 2, k] * (force[k] - was[0]))
                    length = hypot(x, y)
                    part = limit / length if length > limit else 1.0
                    force[k + 1], force[k + 2] = x * part, y * part
            d_1, d_2, d_3 = force[k] - was[0], force[k + 1] - was[1], force[k + 2] - was[2]
            for j in range(3 * n):
                motion[j] += W[j, k] * d_1 + W[j, k + 1] * d_2 + W[j, k + 2] * d_3
        if not largest(3 * n, motion) < huge:
            return


def nearest(m: int, n: int, A: real[:, :], right: real[:], x: real[:]) -> None:
    """x of least |A x − right| by Householder's reflections; A (m, n) and `right` (m) are overwritten."""
    for k in range(n):
        total = 0.0
        for i in range(k, m):
            total += A[i, k] * A[i, k]
        length = sqrt(total)
        if length > 0.0:
            end = -length if A[k, k] > 0.0 else length
            first = A[k, k] - end
            scale = 1.0 / (-end * first)
            A[k, k] = first
            for j in range(k + 1, n):
                total = 0.0
                for i in range(k, m):
                    total += A[i, k] * A[i, j]
                total *= scale
                if total != 0.0:
                    for i in range(k, m):
                        A[i, j] -= total * A[i, k]
            total = 0.0
            for i in range(k, m):
                total += A[i, k] * right[i]
            total *= scale
            for i in range(k, m):
                right[i] -= total * A[i, k]
            A[k, k] = end
    for turn in range(n):
        at = n - 1 - turn
        total = right[at]
        for j in range(at + 1, n):
            total -= A[at, j] * x[j]
        x[at] = total / A[at, at] if A[at, at] != 0.0 else 0.0


def descend(count: int, W: real[:, :], b: real[:], r: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3],
            least: real[:], known: whole[:], ways: real[:, 2], force: real[:], small: float, x: real[:], F: real[:],
            change: real[:], tried: real[:], right: real[:], J: real[:, :]) -> float:
    """Levenberg–Marquardt from `force`: the largest residual that is left."""
    n = 3 * count
    residual(count, W, b, r, kinds, partners, laws, least, known, ways, force, x, F)
    damping, size = CONE_DAMPING, norm(n, F)
    step = 0
    while step < CONE_STEPS and not largest(n, F) <= FOUND * small:
        gains, better, dampings = False, size, 0
        while not gains and dampings < CONE_DAMPINGS:
            jacobian(count, W, r, kinds, partners, laws, least, known, ways, x, J)
            weight = sqrt(damping * (min(1.0, size / small) + CONE_RESIDUAL))
            for i in range(n):
                J[n + i, :n] = 0.0
                J[n + i, i] = weight
                right[i], right[n + i] = -F[i], 0.0
            nearest(2 * n, n, J, right, change)
            tried[:n] = force[:n] + change[:n]
            residual(count, W, b, r, kinds, partners, laws, least, known, ways, tried, x, F)
            better = norm(n, F)
            gains = better < size * (1 - CONE_GAIN)
            if not gains:
                damping *= 10
                residual(count, W, b, r, kinds, partners, laws, least, known, ways, force, x, F)
            dampings += 1
        if not gains:
            break
        slow = better > 0.99 * size
        force[:n] = tried[:n]
        size, damping = better, max(damping / 5, CONE_LEAST_DAMPING)
        if slow and step > CONE_HARDLY:
            break
        step += 1
    return largest(n, F)


def norm(n: int, values: real[:]) -> float:
    """The root of the sum of squares of n numbers."""
    total = 0.0
    for i in range(n):
        total += values[i] * values[i]
    return sqrt(total)


def fraction(number: int) -> float:
    """A number between 0 and 1 of the upper bits of another."""
    return float((number >> 11) & 9007199254740991) * FRACTION


@compiled
def search(count: int, W: real[:, :], b: real[:], r: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3],
           least: real[:], known: whole[:], ways: real[:, 2], force: real[:], rounds: whole[:], scale: float,
           small: float, x: real[:], F: real[:], change: real[:], tried: real[:], right: real[:], J: real[:, :],
           walked: real[:], best: real[:]) -> float:
    """Forces from `force`, in `best`; the largest residual that is left, infinite where forces grow without end.

    Before each descent there are as many sweeps as `rounds` say.  What follows `small` is room to work in; J (6n, 3n),
    `right` (6n).
    """
    n = 3 * count
    left = inf
    walked[:n] = force[:n]
    turn = 0
    while turn < len(rounds):
        sweep(count, W, b, r, kinds, partners, laws, least, known, ways, walked, x, rounds[turn], CONE_ENDLESS * scale)
        if not largest(n, walked) < CONE_ENDLESS * small:
            return inf
        force[:n] = walked[:n]
        now = descend(count, W, b, r, kinds, partners, laws, least, known, ways, force, small, x, F, change, tried,
                      right, J)
        if now < left:
            left = now
            best[:n] = force[:n]
        if left <= FOUND * small:
            return left
        turn += 1
    size, number, starts = largest(n, walked), 1, 0
    while starts < CONE_STARTS:
        number = number * NEXT + SHIFT
        length = power(10.0, 3.0 * fraction(number) - 2.0) * size
        for i in range(n):
            # a normal distribution (Box and Muller 1958)
            number = number * NEXT + SHIFT
            radius = sqrt(-2.0 * log(fraction(number) + FRACTION))
            number = number * NEXT + SHIFT
            _, along = sin_cos(2.0 * pi * fraction(number))
            force[i] = length * radius * along
        for c in range(count):
            if kinds[c] == CONTACT:
                force[3 * c] = abs(force[3 * c])
        now = descend(count, W, b, r, kinds, partners, laws, least, known, ways, force, small, x, F, change, tried,
                      right, J)
        if now < left:
            left = now
            best[:n] = force[:n]
        if left <= FOUND * small:
            return left
        starts += 1
    return left
