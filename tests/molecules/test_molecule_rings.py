"""Rings: rigid by default, closed loops of six torsion joints where asked for."""

import numpy as np
import pytest
from small_molecules import alone, cyclohexane

import linkwright as lw
from linkwright import ModelError, joints, molecules, parts

KT = 300 * molecules.GAS_CONSTANT


def test_a_ring_is_rigid_unless_asked_for():
    mol = cyclohexane("chair", "torsions")
    assert len(mol.partition.clusters) == 1 and lw.compile(alone(mol)).dof == 6


def test_the_chair_has_no_freedom_and_the_boat_one():
    """With fixed lengths and angles; the boat is a Bricard loop, one of its equations follows from the others."""
    chair, boat = (lw.compile(alone(cyclohexane(kind))) for kind in ("chair", "boat"))
    assert (chair.dof, boat.dof) == (6, 7)
    assert (chair.redundant, boat.redundant) == (0, 1)
    for system, rank in ((chair, 5), (boat, 4)):
        state = system.state()
        assert np.linalg.matrix_rank(system.constraint_matrix(state), tol=1e-9) == rank


@pytest.mark.parametrize(("kind", "time"), [("boat", 1.0), pytest.param("boat", 100.0, marks=pytest.mark.slow)])
def test_the_boat_turns_and_stays_closed(kind, time):
    model = alone(cyclohexane(kind))
    r = lw.simulate(model, time, state=lw.thermal(model, KT, seed=1))
    places = r["mol.atoms.r_0"]
    ring = np.linalg.norm(places[:, :6] - np.roll(places[:, :6], -1, axis=1), axis=2)
    assert abs(ring - 0.153).max() < 1e-12
    assert np.ptp(r["mol.C1_C2.phi"]) > 0.5
    total = r["kinetic_energy"] + r["mol.potential_energy"]
    # accuracy 1e-8 over some 140 steps a ps
    assert np.ptp(total) < 1e-5 * max(1.0, time)


def test_half_a_ring_cannot_turn():
    with pytest.raises(ModelError, match="C1–C2 cannot turn: it is part of a ring whose other bonds are rigid"):
        cyclohexane("chair", {("C1", "C2"): "torsion"})


def test_fixmans_term_of_a_loop_conserves_energy():
    """A spatial loop (a four-bar of revolutes between a cylinder and a ball) whose determinant varies."""
    m = lw.Model("loop")
    m.world = lw.World(gravity=None)
    m.a = joints.Revolute(n=[1, 0, 0], phi=lw.guess(0.4), w=2.0)
    m.b = joints.Spherical(angles=lw.guess([0.1, 0.2, 0.3]))
    m.c, m.d = joints.Universal(n_a=[0, 1, 0], n_b=[0, 0, 1]), joints.Revolute(n=[0, 1, 0])
    m.x = parts.BodyShape(m=1.0, r=[0, 0, 0.3], r_cm=[0, 0, 0.15], inertia=[0.02, 0.02, 0.01])
    m.y = parts.BodyShape(m=1.5, r=[0.9, 0, 0], r_cm=[0.45, 0, 0], inertia=[0.01, 0.05, 0.05])
    m.z = parts.BodyShape(m=1.0, r=[0, 0, -0.5], r_cm=[0, 0, -0.25], inertia=[0.02, 0.02, 0.01])
    m.base = parts.Fixed(r=[0.8, 0.1, 0])
    m.fixman = molecules.Fixman(T=300)
    m.chain(m.world, m.a, m.x, m.b, m.y, m.c, m.z, m.d, m.base)
    r = lw.simulate(lw.compile(m, formulation="projection"), 1.0, accuracy=1e-10)
    total = r["kinetic_energy"] + r["fixman_energy"]
    assert np.ptp(r["fixman_energy"]) > 1e-3
    assert np.ptp(total) < 1e-6 * np.ptp(r["fixman_energy"]) + 1e-8
