"""Functions that the dialect refuses."""

from __future__ import annotations

import math

import numpy as np

from linkwright.codegen.dialect import real, reals


def listed(x: float) -> float:
    y = [x, x]
    return y[0]


def raising(x: float) -> float:
    if x < 0.0:
        raise ValueError
    return x


def recursive(n: int) -> int:
    return n * recursive(n - 1)


def two_kinds(a: real[:]) -> float:
    total = 0
    for k in range(len(a)):
        total += a[k]
    return total


def mixed(x: float) -> float:
    return x if x > 0.0 else 0


def after_the_loop(a: real[:]) -> int:
    for k in range(len(a)):
        if a[k] > 0.0:
            break
    return k


def moved(a: real[:]) -> int:
    count = 0
    for k in range(len(a)):
        k += 1
        count += k
    return count


def without_a_value(x: float) -> float:
    x += y  # noqa: F821
    y = 1.0
    return x + y


def over_a_list(a: real[:]) -> float:
    total = 0.0
    for x in a:
        total += x
    return total


def large(n: int) -> float:
    room = reals(n)
    room[0] = 1.0
    return room[0]


def root(x: float) -> float:
    return math.sqrt(x)


def whole_array(a: real[3], b: real[3]) -> float:
    total = a + b
    return total[0]


def other_size(a: real[3], b: real[4]) -> None:
    a[:] = b


def whole_matrix(a: real[3, 3], b: real[3, 3]) -> None:
    a[:] = 2.0 * b


def two_at_once(a: real[3], b: real[3]) -> None:
    a[:] = b[:] = a + b


def handed_on(a: real[3]) -> float:
    return root(2.0 * a)


def missing(x: float) -> float:
    if x > 0.0:
        return x


def real_remainder(x: float) -> float:
    return x % 2.0


def wrong_index(a: real[3]) -> float:
    return a[5]


def shifted(x: float, n: int) -> float:
    return x * n


def by_name(x: float) -> float:
    return shifted(x, n=1)


def unknown(a: real[:]) -> float:
    return np.linalg.norm(a)


def two_arrays(a: real[:, :]) -> float:
    row = a[0]
    if a[0, 0] > 0.0:
        row = a[1]
    return row[0]


def entry_without_types(x) -> float:
    return x


def of_matrix(a: real[:, :]) -> float:
    return a[0, 0]


def wrong_rank(a: real[:]) -> float:
    return of_matrix(a)


def half_power(x: float) -> float:
    return x ** 0.5


def filled(a: real[:]) -> None:
    a[:] = 1.0


def same_variable(n: int) -> int:
    total = 0
    for k in range(n):
        for k in range(n):
            total += k
    return total
