"""Temperature: speeds drawn by the factors of the recursion, Fixman's term, distributions of butane's torsion angle."""

import numpy as np
import pytest
from small_molecules import alone, chain, ethane, random_molecule, united_butane

import linkwright as lw
from linkwright import ModelError, joints, molecules, parts

KT = 300 * molecules.GAS_CONSTANT
#: √det M(φ)/√det M(180°) of united-atom butane at 0, 30 … 180°
ROOTS = [0.8722, 0.9858, 1.1863, 1.2856, 1.2253, 1.0790, 1.0]


def butane(phi=np.pi, fixman=True, **options):
    model = alone(united_butane(phi, **options))
    if fixman:
        model.fixman = molecules.Fixman(T=300)
    return model


def over_the_turn(system, names, count=360):
    """Values of variables over a full turn of the torsion angle."""
    state = system.state()
    angles = (np.arange(count) + 0.5) * 2 * np.pi / count
    rows = [system.evaluate(state.set("mol.C2_C3.phi", phi), *names) for phi in angles]
    return angles, np.array(rows)


@pytest.mark.parametrize("model", [alone(ethane()), alone(random_molecule(5, "torsions")),
                                   alone(ethane("cartesian"))], ids=["ethane", "random", "cartesian"])
def test_speeds_are_drawn_with_the_inverse_mass_matrix(model):
    system = lw.compile(model)
    state = system.state()
    T = np.column_stack([system.thermal_speeds(state, e) for e in np.eye(len(state.u))])
    np.testing.assert_allclose(T @ T.T @ system.mass_matrix(state), np.eye(len(state.u)), atol=1e-9)


def test_mean_kinetic_energy_is_half_kt_for_every_freedom():
    system = lw.compile(alone(ethane()))
    random = np.random.default_rng(4)
    found = [system.kinetic_energy(lw.thermal(system, KT, seed=random)) for _ in range(400)]
    # the mean of 400 × 7 squares of normal numbers: ± 2.7 %, five times that
    assert np.mean(found) == pytest.approx(3.5 * KT, rel=0.13)
    again = lw.thermal(system, KT, seed=7)
    assert (lw.thermal(system, KT, seed=7).u == again.u).all()
    with pytest.raises(ModelError, match="not negative"):
        lw.thermal(system, -1.0)


def test_speeds_of_a_loop_keep_it_closed():
    m = lw.Model("four-bar")
    m.world = lw.World(gravity=None)
    m.a, m.b, m.c, m.d = (joints.Revolute() for _ in range(4))
    m.x = parts.BodyShape(m=1.0, r=[0.3, 0.4, 0], inertia=[0.1] * 3)
    m.y = parts.BodyShape(m=2.0, r=[0.5, 0, 0], inertia=[0.1] * 3)
    m.z = parts.BodyShape(m=1.0, r=[0.2, -0.4, 0], inertia=[0.1] * 3)
    m.base = parts.Fixed(r=[1.0, 0, 0])
    m.chain(m.world, m.a, m.x, m.b, m.y, m.c, m.z, m.d, m.base)
    system = lw.compile(m, formulation="projection")
    state = lw.thermal(system, 2.0, seed=1)
    assert abs(system.constraint_matrix(state) @ state.u).max() < 1e-12
    energies = [system.kinetic_energy(lw.thermal(system, 2.0, seed=k)) for k in range(300)]
    assert np.mean(energies) == pytest.approx(1.0, rel=0.4)


def test_the_determinant_of_butane():
    system = lw.compile(butane())
    state = system.state()
    energies = [system.evaluate(state.set("mol.C2_C3.phi", np.pi * k / 6), "fixman_energy") for k in range(7)]
    # four digits are given
    np.testing.assert_allclose(np.exp((np.array(energies) - energies[-1]) / KT), ROOTS, atol=5e-5)
    assert energies[2] == pytest.approx(0.5 * KT * np.linalg.slogdet(
        system.mass_matrix(state.set("mol.C2_C3.phi", np.pi / 3)))[1], rel=1e-12)


def test_the_share_of_trans():
    """Within 60° of trans at 300 K with the torsion law of Ryckaert and Bellemans, by quadrature."""
    phi, values = over_the_turn(lw.compile(butane()), ["mol.energy.torsion", "fixman_energy"], 720)
    trans = abs(phi - np.pi) < np.pi / 3
    for weight, share in ((np.exp(-values[:, 0] / KT), 0.6504),
                          (np.exp(-(values[:, 0] - values[:, 1]) / KT), 0.6122)):
        assert weight[trans].sum() / weight.sum() == pytest.approx(share, abs=1e-4)


@pytest.mark.parametrize("seed", [1, 2])
def test_fixmans_torque_is_the_gradient_of_its_energy(seed):
    model = alone(random_molecule(seed, "torsions", n=7))
    with_term, without = lw.compile(_with_fixman(seed)), lw.compile(model)
    state, plain = with_term.state(), without.state()
    nothing = np.zeros(len(state.u))
    torque = without.inverse_dynamics(plain, nothing) - with_term.inverse_dynamics(state, nothing)
    u, h, values = np.random.default_rng(seed).normal(size=len(nothing)), 1e-5, []
    qdot = np.array(with_term.function(["q", "u"], ["qdot"])(state.q, u)).ravel()
    for sign in (1, -1):
        moved = with_term.state()
        moved.q = state.q + sign * h * qdot
        values.append(with_term.evaluate(moved, "fixman_energy"))
    assert torque @ u == pytest.approx(-(values[0] - values[1]) / (2 * h), abs=1e-6)
    assert abs(torque @ u) > 1e-3


def _with_fixman(seed):
    model = alone(random_molecule(seed, "torsions", n=7))
    model.fixman = molecules.Fixman(T=400)
    return model


def test_energy_with_fixmans_term_is_conserved():
    model = butane(2.0)
    r = lw.simulate(model, 3.0, state=lw.thermal(model, KT, seed=3))
    total = r["kinetic_energy"] + r["mol.potential_energy"] + r["fixman_energy"]
    assert np.ptp(r["fixman_energy"]) > 0.1
    assert np.ptp(total) < 1e-5


def test_fixman_acts_once():
    model = butane()
    model.again = molecules.Fixman(T=300)
    with pytest.raises(ModelError, match="once is enough"):
        lw.compile(model)


@pytest.mark.slow
@pytest.mark.parametrize("fixman", [True, False])
def test_a_free_torsion_is_uniform_with_fixmans_term_and_not_without(fixman):
    model = butane(fixman=fixman, terms=False)
    found = lw.sample(model, KT, 4000, 2.0, "mol.C2_C3.phi", seed=11, method="verlet", h=0.01)["mol.C2_C3.phi"]
    counts = np.histogram(np.mod(found, 2 * np.pi), 36, (0, 2 * np.pi))[0]
    with_term = lw.compile(butane(terms=False))
    _, energy = over_the_turn(with_term, ["fixman_energy"], 360)
    root = np.exp(energy.ravel() / KT).reshape(36, 10).sum(axis=1)
    shares = np.full(36, 1 / 36), root / root.sum()
    right, wrong = shares if fixman else shares[::-1]
    chi2 = (((counts - 4000 * right) ** 2) / (4000 * right)).sum()
    assert chi2 < 66.6  # 35 degrees of freedom: one in a thousand lies above
    # the other law is less likely by e^26 on average, with a deviation of e^7
    assert counts @ np.log(right / wrong) > 5


def test_places_of_a_chain():
    places = chain(0.15, 1.9, [0.5, -2.0])
    assert lw.compile(alone(united_butane(0.5))).state().get("mol.C2_C3.phi") == pytest.approx(0.5, abs=1e-12)
    assert np.linalg.norm(places[4] - places[3]) == pytest.approx(0.15)
