"""Surfaces through heights: values, derivatives, smoothness, and the same numbers from every target."""

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

from linkwright.codegen import Least, Program, Straight, Surface, compile_program, surface_data
from linkwright.errors import ModelError

RNG = np.random.default_rng(7)
X, Y = np.sort(RNG.uniform(-2, 3, 12)), np.linspace(0, 2, 9)
Z = RNG.normal(size=(12, 9))
GROUND = Surface(X, Y, Z)


def compiled(build, lanes=1):
    s = ca.SX.sym("s", 2)
    f = ca.Function("f", [s], [build(s)])
    program = Program("t", [("s", 2)], [("y", f.numel_out(0))], [Straight(f, ("s",), ("y",))])
    return f, compile_program(program, lanes=lanes)


def places(count=40, beyond=0.0):
    return np.column_stack([RNG.uniform(X[0] - beyond, X[-1] + beyond, count),
                            RNG.uniform(Y[0] - beyond, Y[-1] + beyond, count)])


@pytest.mark.parametrize("lanes", [1, 4])
def test_values_and_derivatives_agree_with_scipy_and_casadi(lanes):
    f, code = compiled(lambda s: GROUND(s, 3), lanes)
    spline, at = RectBivariateSpline(X, Y, Z, kx=5, ky=5, s=0), places()
    found = code.batch(at)
    for k, (a, b) in enumerate([(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]):
        expected = spline(*at.T, dx=a, dy=b, grid=False)
        np.testing.assert_allclose(found[:, k], expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    anywhere = places(beyond=1.0)
    np.testing.assert_allclose(code.batch(anywhere), [np.array(f(p)).ravel() for p in anywhere], rtol=1e-11, atol=1e-9)


def test_lanes_give_the_same_bits():
    at = places(17, beyond=0.5)
    one, four = (compiled(lambda s: GROUND(s, 2), lanes)[1].batch(at) for lanes in (1, 4))
    assert np.array_equal(one, four)


def test_it_goes_through_the_heights():
    _, code = compiled(lambda s: GROUND(s))
    corners = np.array([(x, y) for x in X for y in Y])
    np.testing.assert_allclose(code.batch(corners)[:, 0], Z.ravel(), atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_a_polynomial_is_what_it_is(n):
    """Of as many terms as there are points, up to degree five."""
    x, degree = np.linspace(-1, 2, n), min(n - 1, 5)
    surface = Surface(x, x, np.add.outer(x**degree, 0.3 * x ** (degree - 1)) + x[:, None] * x)
    _, code = compiled(lambda s: surface(s))
    u, v = RNG.uniform(-1, 2, (2, 30))
    np.testing.assert_allclose(code.batch(np.column_stack([u, v]))[:, 0], u**degree + 0.3 * v ** (degree - 1) + u * v,
                               atol=1e-12)


def test_derivatives_up_to_the_fourth_are_continuous():
    _, code = compiled(lambda s: GROUND(s, 4))
    for x in X[3:-3]:
        sides = code.batch(np.array([[x - 1e-9, 0.7], [x + 1e-9, 0.7]]))
        np.testing.assert_allclose(sides[0], sides[1], rtol=1e-6, atol=1e-6 * np.abs(sides).max())


def test_beyond_its_grid_it_goes_on_straight():
    _, code = compiled(lambda s: GROUND(s, 2))
    edge, beyond = code.batch(np.array([[X[-1], 0.7], [X[-1] + 2, 0.7]]))
    assert beyond[0] == pytest.approx(edge[0] + 2 * edge[1], rel=1e-12)
    assert beyond[1] == pytest.approx(edge[1], rel=1e-12) and beyond[3] == 0


def test_derivatives_of_expressions_are_those_of_differences():
    def build(s):
        e = ca.sin(GROUND(ca.vertcat(s[0] + s[1] / 2, s[1]))) * s[0]
        h, g = ca.hessian(e, s)
        return ca.vertcat(e, g, ca.densify(h[:]))

    f, code = compiled(build)
    at, h = places(20) * 0.5 + [0.2, 0.4], 1e-5
    found = code.batch(at)
    np.testing.assert_allclose(found, [np.array(f(p)).ravel() for p in at], rtol=1e-10, atol=1e-10)
    for k in range(2):
        aside = h * np.eye(2)[k]
        slopes = (code.batch(at + aside) - code.batch(at - aside)) / (2 * h)
        np.testing.assert_allclose(found[:, 1 + k], slopes[:, 0], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found[:, 3 + 2 * k:5 + 2 * k], slopes[:, 1:3], rtol=1e-4, atol=1e-3)


def test_its_numbers_can_be_read_back():
    data, (n, p, m, q) = surface_data(GROUND.casadi(2))
    assert (p, q) == (6, 6) and len(data) == n + 1 + n * p * p + m + 1 + m * q * q + Z.size
    assert np.array_equal(data[-Z.size:].reshape(Z.shape), GROUND.coefficients)


def test_cells_are_the_surface():
    cells, spline = GROUND.cells(), RectBivariateSpline(X, Y, Z, kx=5, ky=5, s=0)
    corners = GROUND.x.breaks[1:-2], GROUND.y.breaks[1:-2]
    np.testing.assert_allclose(cells[:, :, 0, 0], spline(*corners), atol=1e-12)
    np.testing.assert_allclose(cells[:, :, 1, 1], spline(*corners, dx=1, dy=1), atol=1e-10)


def test_heights_that_do_not_fit_are_refused():
    with pytest.raises(ModelError, match="12 × 9 points"):
        Surface(X, Y, Z.T)


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_search_over_samples_can_ask_for_it(lanes):
    """The lowest place on a ring around a point."""
    x, row, none = ca.SX.sym("x", 2), ca.SX.sym("row", 2), ca.SX.sym("none")
    kernel = ca.Function("lowest", [x, row, none], [ca.vertcat(GROUND(x + row), row)])
    ring = 0.3 * np.column_stack([np.cos(np.arange(12)), np.sin(np.arange(12))])
    _, code = compiled(lambda s: Least(kernel, ring)(s), lanes)
    for place, found in zip(at := places(9), code.batch(at), strict=True):
        heights = [float(GROUND.casadi(0)(place + aside)) for aside in ring]
        assert found == pytest.approx([min(heights), *ring[int(np.argmin(heights))]], rel=1e-9)
