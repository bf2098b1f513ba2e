"""Functions of the dialect that the tests compile."""

from __future__ import annotations

import numpy as np

from linkwright.codegen.dialect import (
    ByAddress,
    ByName,
    approximate_power,
    atan2,
    bits,
    compiled,
    complexes_at,
    exp,
    fixed,
    floor,
    from_bits,
    hypot,
    log,
    power,
    real,
    reals,
    reals_at,
    record,
    sin_cos,
    sqrt,
    tan,
    whole,
    wholes_at,
)

N = 3
Three = tuple[float, float, float]
#: functions that tests put in by these names
SIZE = 2
twice = ByAddress(float, float, int, real)
model = ByName("model_rhs", 2)


@record
class Counts:
    steps: int
    rejected: int


@record
class Run:
    t: float
    x: real[N]
    counts: Counts
    marks: whole[2, N]
    h: float


def cross(a, b) -> Three:
    """a × b, of tuples or rows."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def numbers(a: real[:], b: real[:], i: whole[:], j: whole[:], out: real[:, 8], into: whole[:, 10]) -> None:
    """Every operation on every pair."""
    for k in range(len(a)):
        x, y, n, m = a[k], b[k], i[k], j[k]
        out[k] = x / y, sqrt(x), -x, min(x, y), max(x, y), floor(x), x ** 3, abs(x)
        into[k] = n + m, n * m, n // m, n % m, int(x), n << m, n >> m, bits(x), -n, abs(n)
        into[k, 0] += 1 if x < y else 0
        out[k, 7] = from_bits(bits(out[k, 7]) ^ 1)


@compiled
def functions(x: float, y: float) -> tuple[float, float, float, float, float, float, Three]:
    """Elementary functions."""
    sine, cosine = sin_cos(x)
    return power(abs(x), y), hypot(x, y), atan2(x, y), exp(x), log(abs(x)), approximate_power(abs(x), y), (
        sine, cosine, tan(y))


@compiled
def advance(run: Run, steps: int) -> tuple[float, bool]:
    """A record with everything in it."""
    for _ in range(steps):
        run.t += run.h
        run.counts.steps += 1
        if run.t > 1.0:
            run.counts.rejected += 2
            run.h *= 0.5
        for i in range(N):
            run.x[i] += run.t * (i + 1)
            run.marks[1, i] = int(run.x[i])
    return run.t, run.counts.rejected > 0


@compiled
def by_addresses(where: int, n: int, function: int) -> float:
    """Views from addresses, and a function by its address."""
    v, places, run = reals_at(where, n, 2), wholes_at(where + 16 * n, n), Run(where + 24 * n)
    total = run.h
    for k in range(n):
        total += twice(function, v[k, 0], places[k], v[k])
    return total


def sized(n: fixed, x: float) -> float:
    """Own memory of a size that the caller knows."""
    room = reals(n)
    for k in range(n):
        room[k] = x * k
    total = 0.0
    for k in range(len(room)):
        total += room[k]
    return total


@compiled
def both_sizes(x: float) -> float:
    return sized(3, x) + sized(7, x)


@compiled
def areas(corners: real[:, 3], faces: whole[:, 3], into: real[:]) -> float:
    """Rows by indices, tuples, functions of tuples or rows, slices."""
    total = 0.0
    for k in range(len(faces)):
        a, b, c = corners[faces[k, 0]], corners[faces[k, 1]], corners[faces[k, 2]]
        e = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        n = cross(e, (c[0] - a[0], c[1] - a[1], c[2] - a[2]))
        into[k] = 0.0
        for i in range(3):
            into[k] += n[i] * n[i]
        into[k] = sqrt(into[k]) / 2.0
        total += into[k]
    rest = into[len(faces):]
    rest[:] = total
    return total


@compiled
def rate(x: real[:], out: real[:]) -> None:
    """A model put in by its name, of constant size."""
    state, slope = reals(SIZE), reals(SIZE)
    for k in range(SIZE):
        state[k] = x[k]
    model(state, slope)
    for k in range(SIZE):
        out[k] = slope[k] * 2.0


PAIR, PAIRS = 0.5 + 2.0j, np.array([1.0 - 1.0j, 0.25j])


@compiled
def turned(where: int, n: int) -> float:
    """Complex numbers at an address, changed in place; loops over constants, and `in`."""
    z = complexes_at(where, n)
    most, total = 0.0, PAIRS[1]
    for k in range(n):
        for factor in (2.0, -0.5):
            z[k] = z[k] * PAIR / (PAIRS[0] - z[k]) * factor
        if k in (0, 2):
            z[k] -= 1.0
        total += z[k]
        most = max(most, abs(z[k]), -(1.0 / z[k]).imag)
    z[0] = total
    return most


CORNERS = np.random.default_rng(4).normal(size=(8, 3))
FACES = np.random.default_rng(5).integers(0, 8, (5, 3))


@compiled
def nested(n: int) -> int:
    """Loops whose variables nobody reads, one inside the other; too long to be written out."""
    total = 0
    for _ in range(n):
        for _ in range(3 * n):
            total += 1
            if total % 7 == 0:
                break
    return total


def scaled(x: float) -> float:
    """There are others of this name."""
    return 1.5 * x


@compiled
def arrays(a: real[:, 5], x: real[5], n: whole[4]) -> None:
    """Whole arrays at once: copies, sums, multiples, parts of rows, a part of itself further on."""
    a[0] = x
    a[1, 1:4] = -x[0:3] / 3.0 + 2.0 * a[0, 2:5]
    a[2] = x - a[0] * a[1, 1] + 1.0
    a[2, 0:2] -= x[3:5]
    a[1] *= x[0]
    a[0, 0:4] = a[0, 1:5]
    n[:] = 2 * n - 1
    a[2, 1:5] += n
    a[3, 0:4], a[3, 4] = n, 0.5


@compiled
def smeared(a: real[5]) -> None:
    a[1:5] = a[0:4]
