"""The implicit method, its linear algebra, and the choice between it and explicit methods."""

from __future__ import annotations

import integrate_models as models
import numpy as np
import pytest
from integrate_models import SIZE
from scipy.integrate import solve_ivp

from linkwright.codegen.dialect import real, sin_cos, sqrt
from linkwright.errors import ModelError
from linkwright.integrate import Linearised, dense_lu
from linkwright.integrate.implicit import pivots_of


@models.model
def van_der_pol(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """ẍ = μ ((1 − x²) ẋ − x): slow arcs and jumps; rest = (μ,)."""
    x, v, mu = i[1], i[2], i[3]
    o[0] = v
    o[1] = mu * ((1.0 - x * x) * v - x)
    o[2] = 1.0


@models.model
def van_der_pol_linearised(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    x, v, mu = i[1], i[2], i[3]
    o[0], o[1] = 1.0, 1.0
    o[2] = 1.0
    o[3] = mu * (-2.0 * x * v - 1.0)
    o[4] = mu * (1.0 - x * x)


@models.model
def robertson(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Robertson's kinetics, rates from 0.04 to 3e7."""
    a, b, c = i[1], i[2], i[3]
    o[0] = -0.04 * a + 1e4 * b * c
    o[2] = 3e7 * b * b
    o[1] = -o[0] - o[2]
    o[3] = 1.0


@models.model
def follower(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """ẋ = −λ (x − cos t) − sin t, whose solution from x = 1 is cos t for any λ; rest = (λ,)."""
    o[0] = -i[2] * (i[1] - sin_cos(i[0])[1]) - sin_cos(i[0])[0]
    o[1] = 1.0


@models.model
def bumper(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A mass that falls on a spring of 1e6 N/m without any event: q̈ = −9.81 + 1e6 max(0, −q)."""
    o[0] = i[2]
    o[1] = -9.81 + 1e6 * max(0.0, -i[1])
    o[2] = 1.0


@models.model
def through_unknown(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """ẋ = −w with w = 1000 x + x³, as a model with an unknown of its own."""
    x = i[1]
    o[0] = -(1000.0 * x + x**3)
    o[1] = 1.0


@models.model
def through_unknown_linearised(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """2 δẋ = −2 δw,  0 = (1000 + 3x²) δx − δw."""
    o[0] = 2.0
    o[1], o[2], o[3] = -2.0, 1000.0 + 3.0 * i[1] ** 2, -1.0


def relaxing(method, mu, **options):
    return models.plain(method, {"rhs": van_der_pol.address}, 4, 0, (1, 1, 0), [2.0, 0.0], rest=[mu],
                   linearised=lambda: Linearised(van_der_pol_linearised.address, ([0, 1], [0, 1]),
                                                 ([0, 1, 1], [1, 0, 1])), **options)


def following(method, rate, **options):
    functions = {"rhs": follower.address, **options.pop("functions", {})}
    return models.stepper(method, functions, 3, 0, (0, 0, 1), [1.0], rest=[rate], **options)


# --- the method ---


def test_coefficients_are_those_of_collocation():
    from linkwright.integrate import collocation as radau

    A = np.array(radau.A)
    for k in range(3):
        np.testing.assert_allclose(A @ radau.NODES**k, radau.NODES ** (k + 1) / (k + 1), atol=1e-15)
    left = np.array([radau.L_REAL, radau.L_PAIR, radau.L_PAIR.conj()])
    right = np.array([radau.V_REAL, radau.V_PAIR, radau.V_PAIR.conj()]).T
    np.testing.assert_allclose(left @ right, np.eye(3), atol=1e-14)
    parted = left @ np.linalg.inv(A) @ right
    np.testing.assert_allclose(parted, np.diag([radau.MU, radau.MU_PAIR, radau.MU_PAIR.conjugate()]), atol=1e-13)


@pytest.fixture(scope="module")
def relaxation():
    """Van der Pol's equation for μ = 1e6 by SciPy's own Radau."""
    mu, times = 1e6, [0.5, 0.9, 1.4]

    def rhs(t, x):
        return [x[1], mu * ((1 - x[0] ** 2) * x[1] - x[0])]

    def jacobian(t, x):
        return [[0, 1], [mu * (-2 * x[0] * x[1] - 1), mu * (1 - x[0] ** 2)]]

    return mu, solve_ivp(rhs, (0, 1.4), [2.0, 0.0], "Radau", jac=jacobian, rtol=1e-9, atol=1e-10, t_eval=times)


@pytest.mark.parametrize("method", ["radau", "auto"])
def test_van_der_pol_agrees_with_an_independent_implementation(method, relaxation):
    mu, truth = relaxation
    s = relaxing(method, mu, accuracy=1e-7)
    assert s.run(1.4, truth.t) == "end"
    # the jump magnifies errors of time
    np.testing.assert_allclose(s.grid_x, truth.y.T, rtol=2e-6)
    assert s.counters["steps"] < 1500 and s.counters["implicit_steps"] > 100


def test_robertson_keeps_its_mass_and_published_values():
    """Values at t = 0.4, 40 and 4000 as printed with CVODE (Hindmarsh et al. 2005)."""
    s = models.stepper("radau", {"rhs": robertson.address}, 4, 0, (0, 0, 3), [1.0, 0.0, 0.0], accuracy=1e-9)
    assert s.run(4000.0, [0.4, 40.0, 4000.0]) == "end"
    np.testing.assert_allclose(s.grid_x.sum(axis=1), 1.0, atol=1e-10)
    published = [[9.8517e-01, 3.3864e-05, 1.4794e-02], [7.1583e-01, 9.1855e-06, 2.8416e-01],
                 [1.8320e-01, 8.9422e-07, 8.1680e-01]]
    np.testing.assert_allclose(s.grid_x, published, rtol=2e-4)
    assert s.counters["steps"] < 600


@pytest.mark.parametrize("rate", [1e3, 1e6, 1e10])
def test_fast_parts_that_have_died_out_do_not_limit_the_steps(rate):
    s = following("radau", rate, accuracy=1e-7)
    grid = np.linspace(0, 10, 201)
    assert s.run(10.0, grid) == "end"
    assert np.abs(s.grid_x[:, 0] - np.cos(grid)).max() < 1e-6
    assert s.counters["steps"] < 500


def test_derivatives_that_change_within_a_step_do_not_go_unnoticed():
    """Where the spring lets go, its stiffness in the Jacobian would make any change look small."""
    s = models.stepper("radau", {"rhs": bumper.address}, 3, 0, (1, 1, 0), [1.0, 0.0], accuracy=1e-9)
    assert s.run(5.0, np.linspace(0, 5, 101)) == "end"
    energy = 0.5 * s.grid_x[:, 1] ** 2 + 9.81 * s.grid_x[:, 0] + 0.5e6 * np.minimum(s.grid_x[:, 0], 0) ** 2
    # five bounces; the error of a step per bounce, magnified by the speed of the spring, 1e3 rad/s
    assert np.abs(energy - 9.81).max() < 1e-5


def test_an_event_inside_a_stiff_step_is_found_to_1e_10():
    s = following("radau", 1e6, functions={"events": models.height.address}, n_events=1, accuracy=1e-11)
    assert s.run(3.0) == "event" and s.event.crossings == [(0, -1)]
    assert abs(s.t - np.pi / 2) < 1e-10
    # the step before it, cut short there, is still known
    times = np.linspace(0, s.t, 301)
    np.testing.assert_allclose(s.dense(times)[:, 0], np.cos(times), atol=1e-10)
    assert s.run(3.0) == "end"


def test_dense_output_of_stiff_steps_is_what_the_grid_got():
    s = relaxing("radau", 1e3, accuracy=1e-8)
    grid = np.linspace(0, 2, 501)
    s.run(2.0, grid)
    np.testing.assert_array_equal(s.dense(grid), s.grid_x)


def test_fixed_steps_and_steps_that_cannot_be_solved():
    s = following("radau", 1e6, h=0.05)
    assert s.run(5.0) == "end" and s.counters["steps"] == 100
    assert abs(s.x[0] - np.cos(5.0)) < 1e-7
    s = relaxing("radau", 1e6, h=0.5)
    assert s.run(5.0) == "failed" and s.failure[1] == "unsolved"


def test_a_model_that_solves_for_unknowns_of_its_own():
    """P and Q with a row and a column beyond the states give the same steps as the Jacobian itself."""
    plain = models.stepper("radau", {"rhs": through_unknown.address}, 2, 0, (0, 0, 1), [1.0])
    own = models.plain("radau", {"rhs": through_unknown.address}, 2, 0, (0, 0, 1), [1.0],
                  linearised=lambda: Linearised(through_unknown_linearised.address, ([0], [0]), ([0, 1, 1], [1, 0, 1])))
    for s in (plain, own):
        assert s.run(0.02) == "end"
    assert own.counters["steps"] == plain.counters["steps"]
    np.testing.assert_allclose(own.x, plain.x, rtol=1e-9)
    # x² = 1000/((1000/x₀² + 1) e^{2000 t} − 1)
    np.testing.assert_allclose(own.x, np.sqrt(1000 / (1001 * np.exp(2000 * 0.02) - 1)), atol=1e-8)


def test_radau_without_derivatives_is_refused():
    with pytest.raises(ModelError, match="linearised"):
        models.plain("radau", {"rhs": van_der_pol.address}, 4, 0, (1, 1, 0), [2.0, 0.0], rest=[1.0])


# --- linear algebra ---


@pytest.mark.parametrize("seed", range(8))
def test_sparse_factors_solve(seed):
    """Random sparse systems of very different scales, zeros on the diagonal among them."""
    from linkwright.integrate.sparse_lu import factorise, solve

    random = np.random.default_rng(seed)
    n, extra = 12, seed % 3
    size = n + extra
    A = np.where(random.random((size, size)) < 0.2, random.normal(size=(size, size)), 0)
    A[np.arange(size), random.permutation(size)] += 3.0  # regular whatever the rest
    A *= 10.0 ** random.integers(-4, 5, size)[:, None]
    P = random.normal(size=(size, n)) * (A[:, :n] != 0)
    linearised = Linearised(0, np.nonzero(P), np.nonzero(A))
    entries = np.concatenate([P[np.nonzero(P)], A[np.nonzero(A)]])
    mu = 0.3 + 0.4j
    chosen = pivots_of(linearised, entries, mu)
    matrix = -A + mu * np.hstack([P, np.zeros((size, extra))])
    scaled = entries * chosen.scale
    np.testing.assert_array_equal(scaled / chosen.scale, entries)
    values, count = np.zeros(len(chosen.column), dtype=complex), len(linearised.P[0])
    np.add.at(values, chosen.slot[:count], mu * scaled[:count])
    np.add.at(values, chosen.slot[count:], -scaled[count:])
    assert factorise(chosen.start, chosen.column, chosen.diagonal, values, np.zeros(size, complex)) < 1e3
    x = random.normal(size=n)
    side = np.zeros(size, dtype=complex)
    np.add.at(side, chosen.place, scaled[:count] * (x / chosen.unscale[:n])[linearised.P[1]])
    solve(chosen.start, chosen.column, chosen.diagonal, values, side)
    found = np.empty(size, dtype=complex)
    found[chosen.target] = side
    expected = np.linalg.solve(matrix, P @ x)
    np.testing.assert_allclose(found * chosen.unscale, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_a_chain_of_masses_fills_in_nothing_beyond_its_neighbours():
    """q̇ = u, u̇ = second differences: coordinates are eliminated first, three entries a row are left."""
    n = 200
    k = np.arange(n)
    rows, columns = np.concatenate([k, n + k, n + k[1:], n + k[:-1]]), np.concatenate([n + k, k, k[:-1], k[1:]])
    linearised = Linearised(0, (np.arange(2 * n),) * 2, (rows, columns))
    entries = np.concatenate([np.ones(3 * n), np.full(n, -2e7), np.full(2 * n - 2, 1e7)])
    chosen = pivots_of(linearised, entries, 1e4 + 1e4j)
    assert len(chosen.column) <= 2 * n + 3 * n + 2 * n


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [float, complex])
def test_whole_factors_solve(seed, kind):
    """Rows of very different scales, zeros on the diagonal."""
    random = np.random.default_rng(seed)
    n = 9
    A = np.where(random.random((n, n)) < 0.3, random.normal(size=(n, n)), 0)
    A[np.arange(n), random.permutation(n)] += 3.0
    A *= 10.0 ** random.integers(-12, 12, n)[:, None]
    A = A.astype(kind) * (1 if kind is float else 1 + 0.5j)
    x = random.normal(size=n).astype(kind)
    found, factors, order = A @ x, A.copy(), np.zeros(n, int)
    assert dense_lu.factorise_wholly(factors, order, np.zeros(n))
    dense_lu.solve_wholly(factors, order, found)
    np.testing.assert_allclose(found, x, rtol=1e-10, atol=1e-12)


def test_a_singular_matrix_has_no_whole_factors():
    A = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 1.0, 1.0]])
    assert not dense_lu.factorise_wholly(A, np.zeros(3, int), np.zeros(3))


def test_a_run_without_pivots_chosen_beforehand_searches_the_whole_matrix():
    """It differs by rounding from one that has them."""
    own = Linearised(van_der_pol_linearised.address, ([0, 1], [0, 1]), ([0, 1, 1], [1, 0, 1]))
    chosen = pivots_of(own, np.array([1.0, 1.0, 1.0, -1e3, -3e3]), 1e3 + 1e3j)
    runs = [models.plain("radau", {"rhs": van_der_pol.address}, 4, 0, (1, 1, 0), [2.0, 0.0], rest=[1e3],
                         linearised=lambda pivots=pivots: own._replace(pivots=pivots)) for pivots in (chosen, None)]
    for s, whole in zip(runs, (0, 1), strict=True):
        assert s.run(0.5) == "end"
        assert s._methods.own(s.method).view.whole == whole
    np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=1e-11)


def test_a_singular_matrix_has_no_pivots():
    linearised = Linearised(0, ([0], [0]), ([0, 1], [1, 0]))
    assert pivots_of(linearised, np.array([1.0, 0.0, 1.0]), 1.0) is None


# --- the choice ---


@pytest.mark.parametrize("accuracy", [1e-4, 1e-8])
def test_auto_goes_over_to_radau_and_comes_back(accuracy):
    s, plain = (following(method, 1e6, accuracy=accuracy) for method in ("auto", "dopri5"))
    grid = np.linspace(0, 30, 1001)
    for x in (s, plain):
        assert x.run(30.0, grid, pauses=[1.0]) == "stop"
        x.inputs[2] = 1.0
        assert x.run(30.0, grid) == "end"
    first, *changes = [name for _, name in s.methods]
    assert changes == ["radau", first]
    assert s.methods[1][0] < 0.01 and 1.0 < s.methods[2][0] < 30.0
    assert 50 * s.counters["steps"] < plain.counters["steps"]
    assert np.abs(s.grid_x[:, 0] - np.cos(grid)).max() < 20 * accuracy
    np.testing.assert_allclose(s.dense(grid), s.grid_x, atol=1e-13)


def test_pausing_around_a_change_of_method_gives_the_same_bits():
    whole, pieces = relaxing("auto", 1e5, accuracy=1e-7), relaxing("auto", 1e5, accuracy=1e-7)
    grid = np.linspace(0, 1.5, 77)
    whole.run(1.5, grid)
    pieces.run(1.5, grid, chunk=1)
    assert len(whole.methods) > 1 and pieces.methods == whole.methods
    np.testing.assert_array_equal(pieces.steps_x, whole.steps_x)
    np.testing.assert_array_equal(pieces.grid_x, whole.grid_x)


def test_motions_that_are_not_stiff_stay_with_their_method():
    cases = [("arenstorf", 4, models.ARENSTORF_X0, models.ARENSTORF_PERIOD), ("kepler", 4, [1.0, 0.0, 0.0, 0.8], 50.0),
             ("oscillator", 2, [1.0, 0.0], 1e4)]
    for name, n, x0, end in cases:
        for accuracy in (1e-3, 1e-9):
            rhs = getattr(models, name).address
            s = models.stepper("auto", {"rhs": rhs}, 1 + n, 0, (n // 2, n // 2, 0), x0, accuracy=accuracy)
            assert s.run(end) == "end" and len(s.methods) == 1, (name, accuracy)


def test_a_short_run_is_not_worth_a_change():
    s = following("auto", 1e6)
    assert s.run(1e-2) == "end" and len(s.methods) == 1


def test_an_interrupt_while_the_derivatives_are_made_leaves_the_run_as_it_was():
    calls = []

    def interrupted():
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return models.linearised(follower.address, 1, 3, 0, 2)

    s = following("auto", 1e6, linearised=interrupted)
    assert s.run(1.0) == "interrupted" and len(s.methods) == 1
    assert s.run(1.0) == "end" and [name for _, name in s.methods] == ["dop853", "radau"]
    assert abs(s.x[0] - np.cos(1.0)) < 1e-7


def test_a_system_without_states_passes_time():
    s = models.stepper("radau", {"rhs": models.nothing.address}, 1, 0, (0, 0, 0), [])
    assert s.run(3.0, [0.0, 1.0, 3.0]) == "end" and s.grid_x.shape == (3, 0) and s.t == 3.0


@models.model
def rubbing(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A block on a rough plane, pulled from rest: q̈ = 1 − 0.2 |u| u."""
    o[0] = i[2]
    o[1] = 1.0 - 0.2 * abs(i[2]) * i[2]
    o[2] = 1.0


@models.model
def rubbing_linearised(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """|u| differentiated as √u² is: 0/0 at rest."""
    size = sqrt(i[2] * i[2])
    o[0], o[1], o[2] = 1.0, 1.0, 1.0
    o[3] = -0.2 * (size + i[2] * i[2] / size) if size > 0.0 else np.nan


def test_laws_without_a_derivative_at_rest():
    s = models.plain("radau", {"rhs": rubbing.address}, 3, 0, (1, 1, 0), [0.0, 0.0],
                linearised=lambda: Linearised(rubbing_linearised.address, ([0, 1], [0, 1]), ([0, 1], [1, 1])))
    assert s.run(3.0) == "end"
    np.testing.assert_allclose(s.x[1], np.sqrt(5) * np.tanh(3 / np.sqrt(5)), atol=1e-7)
