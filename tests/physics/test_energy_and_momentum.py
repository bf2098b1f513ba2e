"""Conservation laws for every kind of mobilizer and every stepper, through the compiled code."""

import numpy as np
import pytest
from physics_models import GRAVITY, energy, moving, on_kind

from linkwright.algebra import ForceMotor, Transform
from linkwright.studies import simulate
from linkwright.system import compile_mechanism
from mechanisms import KINDS

MOVABLE = [kind for kind in KINDS if kind != "Weld"]
QUICK_KINDS = ["Revolute", "Spherical", "Free", "Ellipsoid", "Custom"]

#: method → (options, drift of energy allowed over half a second, of some tens of joules)
METHODS = {
    "dop853": ({"accuracy": 1e-10}, 1e-6),
    "dopri5": ({"accuracy": 1e-9}, 1e-5),
    "radau": ({"accuracy": 1e-9}, 1e-6),
    "rk4": ({"h": 1e-3}, 1e-5),  # error ∝ h⁴
    "verlet": ({"h": 2e-4}, 1e-2),  # ∝ h²
    "semi_implicit_euler": ({"h": 1e-5}, 5e-2),  # ∝ h
}


def is_quick(kind, method) -> bool:
    return method == "dop853" or kind in QUICK_KINDS[:3]


PAIRS = [pytest.param(kind, method, marks=() if is_quick(kind, method) else pytest.mark.slow)
         for kind in MOVABLE for method in METHODS]


@pytest.mark.parametrize(("kind", "method"), PAIRS)
def test_energy_is_conserved(kind, method):
    system = compile_mechanism(on_kind(kind), tier="quick")
    options, drift = METHODS[method]
    result = simulate(system, 0.5, state=moving(system), method=method, step=0.05, **options)
    E = energy(result)
    assert np.ptp(E) < drift * max(1.0, np.max(np.abs(result["kinetic_energy"])) / 10)
    assert np.ptp(result["kinetic_energy"]) > 1e-3  # it did move


@pytest.mark.parametrize("kind", [pytest.param(k, marks=() if k in QUICK_KINDS else pytest.mark.slow) for k in KINDS])
@pytest.mark.parametrize("reversed", [False, True])
def test_momentum_changes_by_weight_and_reaction(kind, reversed):
    """ṗ = Σ m g + f,  ḣ_O = Σ c × m g + τ_O, where (f, τ_O) is the base joint's reaction."""
    system = compile_mechanism(on_kind(kind, reversed=reversed), tier="quick")
    result = simulate(system, 0.3, state=moving(system), accuracy=1e-11, step=0.1)
    t, h = 0.17, 2e-3
    p = result.at(t + h * np.array([-2, -1, 1, 2]))["momentum"]
    rate = (p[0] - 8 * p[1] + 8 * p[2] - p[3]) / (12 * h)
    now = result.at(t)
    mass = sum(body.inertia.m for body in system.mechanism.bodies)
    X_WM = Transform(now["R"].reshape(3, 3).T, now["p"])
    reaction = X_WM @ ForceMotor.from_vector(now["reactions"][:, 0])
    weight = mass * GRAVITY
    force = reaction.resultant + weight
    moment = reaction.moment + np.cross(now["centre_of_mass"], weight)
    np.testing.assert_allclose(rate, [*force, *moment], rtol=1e-7, atol=1e-5)


def test_free_body_conserves_momentum_and_energy():
    """Without gravity linear and angular momentum and energy of a free pair of bodies stay as they are."""
    system = compile_mechanism(on_kind("Free", gravity=(0, 0, 0)))
    result = simulate(system, 5.0, state=moving(system), accuracy=1e-11)
    assert np.max(np.ptp(result["momentum"], axis=0)) < 1e-8
    assert np.ptp(result["kinetic_energy"]) < 1e-8


def test_verlet_keeps_momentum_of_what_floats():
    """Kicks are momenta, so both momenta stay to rounding while energy wanders by h², and runs go back on their way."""
    system = compile_mechanism(on_kind("Free", gravity=(0, 0, 0)))
    start, h = moving(system), 0.01
    result = simulate(system, 20.0, state=start, method="verlet", h=h, step=0.5, accuracy=1e-10)
    # angular momentum about the centre of mass, whose path drifts with errors of rounding alone
    p, about_origin, centre = result["momentum"][:, :3], result["momentum"][:, 3:], result["centre_of_mass"]
    for kept in (p, about_origin - np.cross(centre, p)):
        assert np.max(np.ptp(kept, axis=0)) < 1e-11 * np.max(np.abs(result["momentum"]))
    E = result["kinetic_energy"]
    assert abs(np.polyfit(result.t, E, 1)[0]) * 20.0 < 1e-4 * E.mean()
    back = result.end
    back.u = -back.u
    end = simulate(system, 40.0, start=20.0, state=back, method="verlet", h=h, step=20.0, accuracy=1e-10).end
    np.testing.assert_allclose(np.abs(end.q), np.abs(start.q), atol=1e-8)
    np.testing.assert_allclose(end.u, -start.u, atol=1e-8)


def test_quaternions_stay_of_unit_length():
    system = compile_mechanism(on_kind("Spherical"))
    result = simulate(system, 5.0, state=moving(system, speed=5.0))
    np.testing.assert_allclose(np.linalg.norm(result.states[:, :4], axis=1), 1, atol=1e-13)


@pytest.mark.parametrize(("method", "order"), [("radau", 5), ("rk4", 4), ("verlet", 2), ("semi_implicit_euler", 1)])
def test_order_of_convergence(method, order):
    """Halving the step divides the error at the end by 2^order."""
    system = compile_mechanism(on_kind("Universal"), tier="quick")
    start = moving(system)
    exact = simulate(system, 0.4, state=start, accuracy=1e-13, step=0.4).states[-1]
    steps = {5: [0.1, 0.05], 4: [2e-2, 1e-2]}.get(order, [4e-3, 2e-3])
    coarse, fine = (np.linalg.norm(simulate(system, 0.4, state=start, method=method, h=h, step=0.4).states[-1] - exact)
                    for h in steps)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau"])
def test_error_follows_the_accuracy(method):
    system = compile_mechanism(on_kind("Universal"), tier="quick")
    start = moving(system)
    exact = simulate(system, 1.0, state=start, accuracy=1e-13, step=1.0).states[-1]
    errors = [np.linalg.norm(simulate(system, 1.0, state=start, method=method, accuracy=a, step=1.0).states[-1] - exact)
              for a in (1e-4, 1e-6, 1e-8)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-5
