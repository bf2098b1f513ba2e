"""Modal bodies in models: frequencies, energy, momentum, hanging by any frame, loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

import linkwright as lw
from linkwright import flexible, joints, parts

#: roots of cosh β cos β = −1, squared (Blevins 1979, table 8-1)
CLAMPED = np.array([3.516015269, 22.034491564, 61.697214410, 120.901916052])


def strip(modes=3, **given):
    return flexible.beam_modes(1.0, flexible.Rectangle(height=0.02, width=0.005), flexible.Steel, modes, **given)


def test_frequencies_of_a_clamped_beam():
    m = lw.Model("clamped")
    m.world = lw.World(gravity=None)
    m.arm = flexible.ModalBody(strip(4), zeta=0.01)
    m.connect(m.world.frame_b, m.arm.frame_a)
    found = lw.modes(m)
    section, material = flexible.Rectangle(height=0.02, width=0.005), flexible.Steel
    unit = np.sqrt(material.E * section.Iz / (material.rho * section.A)) / (2 * np.pi)
    assert found.frequency == pytest.approx(unit * CLAMPED, rel=1e-8)
    assert found.damping == pytest.approx([0.01] * 4, rel=1e-6)


def arm(hung="frame_a", carries="frame_b"):
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3)
    m.arm = flexible.ModalBody(strip(2), q=[0.01, 0.0])
    m.load = parts.Body(m=0.1, r_cm=[0.02, 0.01, 0.0], inertia=[1e-4] * 3)
    m.connect(m.world.frame_b, m.rev.frame_a)
    m.connect(m.rev.frame_b, getattr(m.arm, hung))
    m.connect(getattr(m.arm, carries), m.load.frame_a)
    return m


@pytest.mark.parametrize("ends", [("frame_a", "frame_b"), ("frame_b", "frame_a")])
def test_energy_is_kept(ends):
    r = lw.simulate(arm(*ends), 0.5, accuracy=1e-9)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(total) < 1e-8 * np.ptp(r["kinetic_energy"])


def test_cut_forces_balance():
    """What the arm feels at its ends changes its momentum, together with gravity."""
    m = arm()
    r = lw.simulate(m, 0.02, step=2e-5)
    R = r["arm.frame_a.R.T"]
    at_a = np.einsum("tba,tb->ta", R, r["arm.frame_a.f"])
    at_b = np.einsum("tba,tb->ta", r["arm.frame_b.R.T"], r["arm.frame_b.f"])
    mass = strip(2).integrals.m
    total = r["momentum"][:, :3] - 0.1 * (r["load.v_0"] + np.cross(r["load.w_0"], np.einsum(
        "tba,b->ta", r["load.frame_a.R.T"], [0.02, 0.01, 0.0])))
    rate = np.gradient(total, r.t, axis=0, edge_order=2)
    expected = at_a + at_b + mass * np.array([0, -9.80665, 0])
    assert np.abs(rate - expected)[5:-5].max() < 1e-3 * np.abs(expected).max()


def test_a_free_body_keeps_its_momentum():
    m = lw.Model("free")
    m.world = lw.World(gravity=None)
    m.arm = flexible.ModalBody(strip(2, planes="xy xz"), q=[0.02, 0, 0, 0.005], w_a=[1.0, 2.0, 3.0], v_0=[1, 0, 0])
    m.load = parts.Body(m=0.1, r_cm=[0, 0, 0], inertia=[1e-4] * 3)
    m.connect(m.arm.frame_b, m.load.frame_a)
    r = lw.simulate(m, 0.2, accuracy=1e-9)
    momentum, energy = r["momentum"], r["kinetic_energy"] + r["elastic_energy"]
    assert np.ptp(momentum, axis=0).max() < 1e-8 * np.abs(momentum).max()
    assert np.ptp(energy) < 1e-7 * energy[0]


def slider_crank(**given):
    m = lw.Model("slider-crank")
    m.world = lw.World()
    m.crank, m.web = joints.Revolute(phi=0.5, w=4.0), parts.BodyShape(r=[0.15, 0, 0], m=1.0, r_cm=[0.05, 0, 0])
    m.left, m.right = joints.Revolute(phi=lw.guess(-0.5)), joints.Revolute()
    m.rod, m.slide = flexible.ModalBody(strip(2), **given), joints.Prismatic(n=[1, 0, 0], s=lw.guess(1.1))
    m.block = parts.Body(m=0.5, r_cm=[0, 0, 0])
    m.chain(m.world, m.crank, m.web, m.left, m.rod, m.right)
    m.chain(m.world, m.slide, m.block)
    m.connect(m.right.frame_b, m.slide.frame_b)
    return m


def test_a_loop_closed_at_any_joint():
    """Whichever joint closes the loop, so that the rod hangs by either end, the motion is the same."""
    ends = []
    for kept in ("left", "right"):
        m = slider_crank()
        m.slide.enforce_states = getattr(m, kept).enforce_states = True
        r = lw.simulate(m, 0.3, accuracy=1e-9, step=0.01)
        total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
        assert np.ptp(total) < 1e-6 * np.ptp(r["kinetic_energy"])
        ends.append([r["slide.s"][-1], *r["rod.q"][-1]])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_both_ends_fixed():
    """Shapes that are free at one end, clamped there by equations: as Ritz's method finds it from the same shapes."""
    data = strip(4)
    m = lw.Model("bridge")
    m.world = lw.World(gravity=None)
    m.far = parts.Fixed(r=[1.0, 0, 0])
    m.beam = flexible.ModalBody(data)
    m.connect(m.world.frame_b, m.beam.frame_a)
    m.connect(m.beam.frame_b, m.far.frame_b)
    end = data.nodes[data.frames["frame_b"]]
    Z = null_space(np.vstack([end.phi[1, :4], end.psi[2, :4]]))
    expected = np.sqrt(np.linalg.eigvalsh(Z.T @ data.K @ Z)) / (2 * np.pi)
    assert lw.modes(m).frequency == pytest.approx(expected, rel=1e-6)


def test_errors_name_what_is_wrong():
    with pytest.raises(lw.ModelError, match="a reduced body is needed"):
        flexible.ModalBody("arm.inp")
    with pytest.raises(lw.ModelError, match="frame 'tip' is node 999"):
        flexible.ModalBody(strip(), frames={"tip": 999})
    with pytest.raises(lw.ModelError, match="names and numbers of nodes are needed"):
        flexible.ModalBody(strip(), frames=[12])
    with pytest.raises(lw.ModelError, match=r"Rectangle\(height=0"):
        flexible.Rectangle(height=0, width=1)


def test_saved_and_read_again(tmp_path):
    data = strip()
    data.save(tmp_path / "arm.npz")
    again = flexible.Reduced.load(tmp_path / "arm.npz")
    assert str(again) == str(data)
    assert np.array_equal(again.integrals.J2, data.integrals.J2)
