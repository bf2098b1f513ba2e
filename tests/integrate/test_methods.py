"""Order of convergence of every method and of its dense output, coefficients, symplecticity, accuracy."""

import integrate_models as models
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients

from linkwright.errors import ModelError, UnknownNameError
from linkwright.integrate import METHODS
from linkwright.integrate.tableaux import DOP853, DOPRI5

X0 = np.array([0.7, -0.4, 0.2])
GRAVITY = 3.0


def stepper(method, **options):
    return models.stepper(method, {"rhs": models.driven.address}, 5, 0, (1, 1, 1), X0, rest=[GRAVITY], **options)


@pytest.fixture(scope="module")
def truth():
    def rhs(t, x):
        q, u, z = x
        return [u, -GRAVITY * np.sin(q) - 0.3 * u + 0.5 * np.cos(2 * t) + 0.2 * z, q - z]

    return solve_ivp(rhs, (0, 10), X0, method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True, max_step=0.02).sol


#: by the order of a method: small enough for its leading error, large enough to stay above rounding
STEPS = {1: 0.01, 2: 0.02, 4: 0.05, 5: 0.1, 8: 0.4}


def steps(method):
    h = STEPS[METHODS[method].order]
    return h, h / 2


@pytest.mark.parametrize("method", METHODS)
def test_error_shrinks_with_the_order_of_the_method(method, truth):
    errors = []
    for h in steps(method):
        s = stepper(method, h=h)
        assert s.run(2.0) == "end"
        assert s.counters["steps"] == round(2.0 / h)
        errors.append(np.abs(s.x - truth(2.0)).max())
    order = np.log2(errors[0] / errors[1])
    assert METHODS[method].order - 0.35 < order < METHODS[method].order + 1.2


@pytest.mark.parametrize("method", METHODS)
def test_dense_output_has_the_order_of_the_method(method, truth):
    grid = np.linspace(0, 2, 173)
    errors = []
    for h in steps(method):
        s = stepper(method, h=h)
        s.run(2.0, grid)
        assert s.grid_x.shape == (173, 3)
        errors.append(np.abs(s.grid_x - truth(grid).T).max())
        np.testing.assert_allclose(s.dense(grid), s.grid_x, rtol=0, atol=1e-12)
    assert np.log2(errors[0] / errors[1]) > METHODS[method].order - 0.5


@pytest.mark.parametrize("norm", ["rms", "max"])
@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau"])
def test_error_is_proportional_to_the_accuracy(method, norm, truth):
    accuracies = np.array([1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
    errors = []
    for accuracy in accuracies:
        s = stepper(method, accuracy=accuracy, norm=norm)
        grid = np.linspace(0, 10, 50)
        s.run(10.0, grid)
        errors.append(np.abs(s.grid_x - truth(grid).T).max())
    assert np.all(errors < 10 * accuracies + 1e-13)
    slope = np.polyfit(np.log(accuracies), np.log(errors), 1)[0]
    assert 0.75 < slope < 1.25


def test_arenstorf_orbit_closes():
    s = models.plain("auto", {"rhs": models.arenstorf.address}, 5, 0, (2, 2, 0), models.ARENSTORF_X0, accuracy=1e-13)
    assert s.method.name == "dop853"
    s.run(models.ARENSTORF_PERIOD)
    # the close passes magnify errors; measured 2e-12
    assert np.abs(s.x - models.ARENSTORF_X0)[:2].max() < 1e-10


def test_coordinates_are_absolute_and_speeds_relative():
    """A large offset of q must not loosen the accuracy of the motion about it; a weight tightens it."""
    s = stepper("dopri5")
    t = stepper("dopri5", weights=[1e3, 1.0, 1.0])
    u = stepper("dopri5", time_scale=100.0)
    for x in (s, t, u):
        x.run(2.0)
    assert t.counters["steps"] > 1.5 * s.counters["steps"]
    assert u.counters["steps"] >= s.counters["steps"]
    fast = models.plain("dopri5", {"rhs": models.steady.address}, 2, 0, (1, 0, 0), [1e6])
    fast.run(1.0)
    assert abs(fast.x[0] - 1e6 - 1) < 1e-9


def test_coefficients_agree_with_an_independent_table():
    np.testing.assert_array_equal(DOP853.a, dop853_coefficients.A)
    np.testing.assert_array_equal(DOP853.c, dop853_coefficients.C)
    np.testing.assert_array_equal(DOP853.d, dop853_coefficients.D)
    np.testing.assert_array_equal(DOP853.e[:, :13], [dop853_coefficients.E5, dop853_coefficients.E3])
    for tableau in (DOPRI5, DOP853):
        np.testing.assert_allclose(tableau.a.sum(axis=1), tableau.c, atol=1e-13)
        np.testing.assert_allclose(tableau.e.sum(axis=1), 0, atol=1e-14)


@pytest.mark.parametrize(("method", "bound"), [("semi_implicit_euler", 0.06), ("verlet", 0.003)])
def test_symplectic_methods_keep_the_energy_bounded(method, bound):
    for extra in ({}, {"plain_speeds": True}):
        s = models.stepper(method, {"rhs": models.oscillator.address}, 3, 0, (1, 1, 0), [1.0, 0.0], h=0.1, **extra)
        s.run(2000.0)
        energy = 0.5 * (s.steps_x**2).sum(axis=1)
        early, late = energy[:2000], energy[-2000:]
        assert np.abs(energy - 0.5).max() < bound
        assert abs(early.max() - late.max()) < 0.01 * bound


def test_evaluations_per_step():
    """The last slope of a step is the first of the next, so no method evaluates twice at one point."""
    for method, per_step in (("rk4", 4), ("dopri5", 6), ("dop853", 12)):
        s = stepper(method, h=0.1)
        s.run(2.0)
        assert s.counters["evaluations"] == 20 * per_step + 1
    functions = {"rhs": models.oscillator.address}
    s = models.plain("verlet", functions, 3, 0, (1, 1, 0), [1.0, 0.0], h=0.1, plain_speeds=True)
    s.run(2.0)
    assert s.counters["evaluations"] == 41


def test_a_cheap_map_of_speeds_replaces_evaluations():
    x0, options = [1.0, 0.0, 0.0, 1.1], {"h": 0.01}
    for method in ("verlet", "semi_implicit_euler"):
        results = []
        for functions in ({}, {"qdot": models.kepler_qdot.address}):
            s = models.stepper(method, {"rhs": models.kepler.address, **functions}, 5, 0, (2, 2, 0), x0, **options)
            s.run(5.0)
            results.append(s)
        np.testing.assert_allclose(results[0].x, results[1].x, atol=1e-13)
        assert results[1].counters["evaluations"] < 0.7 * results[0].counters["evaluations"]


def test_auto_chooses_by_accuracy_and_step():
    assert stepper("auto", accuracy=1e-3).method.name == "dopri5"
    assert stepper("auto").method.name == "dop853"
    assert stepper("auto", h=0.1).method.name == "rk4"


def test_wrong_arguments_are_refused():
    with pytest.raises(UnknownNameError, match="dopri5"):
        stepper("dopri")
    with pytest.raises(ModelError, match="give fixed_step"):
        stepper("rk4")
    with pytest.raises(ModelError, match="between"):
        stepper("dopri5", accuracy=0.0)
    with pytest.raises(ModelError, match="sizes"):
        models.plain("rk4", {"rhs": 1}, 5, 0, (1, 1, 1), X0, h=0.1)
    with pytest.raises(ModelError, match="increasing"):
        stepper("dopri5").run(1.0, [0.0, 0.5, 0.5])


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau"])
def test_a_step_does_not_grow_right_after_a_rejected_one(method):
    """What the rejected step met lies just ahead: a longer step would be rejected again."""
    s = models.stepper(method, {"rhs": models.arenstorf.address}, 5, 0, (2, 2, 0), models.ARENSTORF_X0, accuracy=1e-4)
    seen = []
    s.run(12.0, chunk=1, on_pause=lambda s: seen.append((s.t, s.counters["rejected"], s.h)))
    attempts = zip(seen, seen[1:], seen[2:], strict=False)
    after = [(h, t - t_before) for (_, r0, _), (t_before, r1, _), (t, r2, h) in attempts
             if r1 > r0 and r2 == r1 and t > t_before]
    assert len(after) >= 2
    assert all(h <= length * (1 + 1e-12) for h, length in after)


def test_gauss_keeps_a_quadratic_energy_that_explicit_steps_lose():
    """Of ẍ = −x the energy is quadratic, which Gauss methods keep (Hairer, Lubich, Wanner, Theorem IV.2.1)."""
    ends = {}
    for method in ("gauss4", "rk4"):
        s = models.plain(method, {"rhs": models.oscillator.address}, 3, 0, (1, 1, 0), [1.0, 0.0], h=0.2)
        s.run(1000.0)
        ends[method] = abs(s.x @ s.x - 1)
    assert ends["gauss4"] < 1e-8 < 1e-3 < ends["rk4"]


def test_a_gauss_step_too_long_for_its_iteration_says_so():
    s = models.plain("gauss4", {"rhs": models.oscillator.address}, 3, 0, (1, 1, 0), [1.0, 0.0], h=10.0)
    assert s.run(100.0) == "failed" and s.failure[1] == "unsolved"
