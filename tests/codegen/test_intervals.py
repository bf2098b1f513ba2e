"""Interval extensions contain every value, and are exact where each variable occurs once."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen.intervals import enclose, short_features
from linkwright.codegen.tables import Table

x, y, p = ca.SX.sym("x"), ca.SX.sym("y"), ca.SX.sym("p")
HAT = Table([-3, -0.2, 0, 0.1, 3], [0, 0, 1, 0, 0])
WAVE = Table(np.linspace(-2, 2, 41), np.sin(np.linspace(-9, 9, 41)), "smooth")

EXPRESSIONS = {
    "bell": ca.exp(-(((x - 0.3) / 0.1) ** 2)) - 0.5,
    "line": 1 / (1 + (x / 0.1) ** 2),
    "window": ca.tanh(10 * (x - 1)) - ca.tanh(10 * (x - 1.2)),
    "quotient": x / (y - 1),
    "pole": 1 / x,
    "wave": ca.sin(20 * x) * ca.cos(x + y),
    "tangent": ca.tan(x),
    "powers": ca.fabs(x) ** 1.5 - x**-2 + (x - y) ** 3 + ca.tanh(x) ** 5 + (2 + x * x) ** ca.sin(y),
    "roots": ca.sqrt(x * x + 1e-4) + ca.log(3 + x) + ca.atan(5 * x) + ca.sinh(x) - ca.cosh(y - x),
    "inverse functions": ca.asin(x / 4) - ca.acos(y / 4) + ca.asinh(x) + ca.erf(y),
    "direction": ca.atan2(y, x),
    "choice": ca.if_else(ca.logic_and(x < 1, y >= 0), ca.exp(x), 2 - y),
    "limits": ca.fmin(ca.fmax(x, -0.5), y) + ca.sign(x) * ca.floor(3 * y),
    "hat": ca.fmax(0, 1 - ca.fabs(x - 0.5) / 0.1),
    "table": HAT.casadi(x) + HAT.casadi(2 * y),
    "smooth table": WAVE.casadi(x - y),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_all_values_lie_within(name):
    rng = np.random.default_rng(0)
    made = enclose([EXPRESSIONS[name]], p)
    bases, values = (ca.Function("f", [x, y], [e]) for e in (made.bases, EXPRESSIONS[name]))
    for width in (5.0, 0.5, 0.02):
        for _ in range(40):
            a, b = rng.uniform(-3, 3 - min(width, 2), 2)
            X, Y = rng.uniform(a, min(a + width, 3), (1, 60)), rng.uniform(b, min(b + width, 3), (1, 60))
            at = np.array(bases(X, Y))
            low, high = (float(end) for end in made.bounds(at.min(axis=1), at.max(axis=1)))
            seen = np.array(values(X, Y))
            slack = 1e-12 * (1 + np.abs(seen))
            assert np.all(low - slack <= seen) and np.all(seen <= high + slack)


@pytest.mark.parametrize("name", ["bell", "line", "hat"])
def test_where_a_variable_occurs_once_the_range_is_that_of_the_function(name):
    made = enclose([EXPRESSIONS[name]], p)
    bases, values = (ca.Function("f", [x, y], [e]) for e in (made.bases, EXPRESSIONS[name]))
    for a, width in ((-1.3, 0.7), (0.29, 0.02), (0.31, 0.3), (-0.1, 2.0)):
        X = np.linspace(a, a + width, 40001)[None, :]
        at, seen = np.array(bases(X, 0.0)), np.array(values(X, 0.0))
        low, high = (float(end) for end in made.bounds(at.min(axis=1), at.max(axis=1)))
        np.testing.assert_allclose([low, high], [seen.min(), seen.max()], atol=1e-4)


def test_the_range_of_a_table_is_known_within_some_widths_of_the_interval():
    bounds = enclose([WAVE.casadi(x)], p).bounds
    for a in np.linspace(-4, 4, 57):
        for width in (0.8, 3.0):
            near = np.array(WAVE(np.linspace(a - 8 * width, a + 9 * width, 3001))).ravel()
            low, high = (float(end) for end in bounds(a, a + width))
            assert near.min() - 1e-3 <= low and high <= near.max() + 1e-3


def test_what_may_be_narrow_and_what_sharp():
    sharp = [ca.exp(-x), 1 / x, HAT.casadi(x), 1 / (1 + x * x), x**-2, x**20.5, 1 - ca.tanh(x - y)]
    narrow = [x / ca.sqrt(x * x + y * y), ca.fmax(x, 0), x**1.5, ca.if_else(ca.fabs(x) < 1, x, 0)]
    neither = [x / ca.exp(p), x * x - ca.sin(y), p**20 * x]
    found = short_features([ca.SX(1, 1), *sharp, *narrow, *neither], p)[1:]  # a structural zero has no features
    assert found == [(True, True)] * len(sharp) + [(True, False)] * len(narrow) + [(False, False)] * len(neither)


def test_what_has_no_rule_is_taken_as_it_is():
    made = enclose([ca.exp(ca.fmod(x, 2))], p)
    assert made.bases.numel() == 1
    assert [float(v) for v in made.bounds(0.0, 1.0)] == pytest.approx([1.0, np.e])
