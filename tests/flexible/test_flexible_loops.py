"""Loops with beams and modal bodies: accelerations, reactions and laws."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import null_space

import linkwright as lw
from linkwright import assemblies, flexible, joints, parts
from linkwright import planar as pl
from linkwright.equations import Equations


def four_bar():
    """Crank, a beam as coupler, a modal body as rocker; in space, so that the beam twists as well."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.far = parts.Fixed(r=[1.0, 0.1, 0.0])
    m.one, m.two, m.three = joints.Revolute(phi=1.2, w=3.0), joints.Spherical(), joints.Revolute(phi=lw.guess(1.4))
    m.crank = parts.BodyShape(r=[0.3, 0, 0], m=0.2, r_cm=[0.15, 0, 0])
    m.coupler = flexible.Beam(length=0.9, section=flexible.Rectangle(height=0.01, width=0.006), elements=1, degree=1,
                              material=flexible.Aluminium)
    m.rocker = flexible.ModalBody(flexible.beam_modes(0.5, flexible.Circle(diameter=0.01), flexible.Steel, 2))
    m.four = joints.Spherical()
    m.chain(m.world, m.one, m.crank, m.two, m.coupler, m.four)
    m.connect(m.far.frame_b, m.three.frame_a)
    m.connect(m.three.frame_b, m.rocker.frame_a)
    m.connect(m.rocker.frame_b, m.four.frame_b)
    return m


def test_accelerations_of_a_loop():
    """M u̇ + h = Jᵀλ and J u̇ = γ, with M and h of inverse dynamics and J of the closing equations: 1e-9."""
    system = lw.compile(four_bar())
    state = system.state()
    e = Equations(system.mechanism)
    names = ("t", "q", "u", "z", "d", "p", "f")
    arguments = [e.symbols[n] for n in names]
    values = [0, state.q, state.u, state.z, state.d, state.p, np.zeros(system.mechanism.nu)]
    udot = np.array(state.udot if hasattr(state, "udot") else system.function(["q", "u"], ["udot"])(state.q, state.u))
    found = ca.Function("f", [*arguments, e.symbols["udot"]], [e.mass_matrix, e.constraint_matrix, e.tau])
    M, J, tau = (np.array(x) for x in found.call([*values, udot]))
    free = null_space(J)
    scale = np.abs(M @ udot.ravel()).max()
    assert free.shape[1] < M.shape[0]  # there is a loop
    assert np.abs(free.T @ tau).max() < 1e-9 * scale
    # the same accelerations from M⁻¹ by the mass matrix and Lagrange's multipliers, in coordinates whose masses are 1
    h = (tau.ravel() - M @ udot.ravel())
    bias = J @ udot.ravel()
    unit = 1 / np.sqrt(np.diag(M))
    J_unit = J * unit
    kkt = np.block([[M * np.outer(unit, unit), J_unit.T], [J_unit, np.zeros((len(J), len(J)))]])
    again = unit * np.linalg.lstsq(kkt, np.concatenate([-h * unit, bias]), rcond=None)[0][: len(M)]
    assert np.abs(again - udot.ravel()).max() < 1e-9 * np.abs(udot).max()


@pytest.mark.slow
def test_energy_of_a_loop():
    r = lw.simulate(four_bar(), 0.05, accuracy=1e-9)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(total) < 1e-7 * np.ptp(r["kinetic_energy"])


def test_an_assembly_on_a_crank_that_bends_is_closed_by_equations():
    """A JointRRP has a closed form where its frames are rigid; the report names what closes it here."""
    m = lw.Model("engine")
    m.world, m.crank = lw.World(), joints.Revolute(phi=0.5, w=4.0)
    m.web = flexible.Beam(length=0.15, section=flexible.Circle(diameter=0.02), strains="planar", elements=1, degree=0)
    m.rrp = assemblies.JointRRP(n_a=[0, 0, 1], n_b=[1, 0, 0], r_rod1_ia=[0.4, 0, 0], r_rod2_ib=[0, 0, 0], s_guess=0.5)
    m.rod = parts.BodyShape(m=1.0, r=[0.4, 0, 0], r_cm=[0.2, 0, 0], inertia=[0.01] * 3)
    m.block = parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.crank, m.web)
    m.connect(m.web.frame_b, m.rrp.frame_a)
    m.connect(m.world.frame_b, m.rrp.frame_b)
    m.connect(m.rrp.frame_ia, m.rod.frame_a)
    m.connect(m.rrp.frame_ib, m.block.frame_a)
    system = lw.compile(m)
    assert "Constraint rrp.ball: 2 equations over crank" in system.report(full=True)
    r = lw.simulate(system, 0.1)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(total) < 1e-7 * np.ptp(r["kinetic_energy"])


def test_reactions_of_a_planar_loop_are_unique():
    """Pieces of a planar beam, like joints of that library, bear nothing across the plane."""
    m = lw.Model("four-bar")
    m.world, m.left, m.right = pl.World(), pl.Fixed(), pl.Fixed(r=[1.0, 0])
    m.one, m.two, m.three, m.four = pl.Revolute(phi=1.2, w=2.0), pl.Revolute(), pl.Revolute(), pl.Revolute()
    m.crank, m.rocker = pl.FixedTranslation(r=[0.4, 0]), pl.FixedTranslation(r=[0.8, 0])
    m.coupler = pl.flexible.Beam(length=1.0, section=flexible.Circle(diameter=0.006), material=flexible.Steel,
                                 elements=1, degree=1)
    m.chain(m.left, m.one, m.crank, m.two, m.coupler, m.three)
    m.chain(m.right, m.four, m.rocker)
    m.connect(m.rocker.frame_b, m.three.frame_b)
    assert lw.compile(m).not_unique == {}
