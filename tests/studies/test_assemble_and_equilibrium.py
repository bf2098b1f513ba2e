"""Inverse kinematics with and without loops; equilibria."""

import importlib

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational


def arm(links=3):
    m = lw.Model("arm")
    m.world = lw.World(g=9.81)
    before = m.world
    for k in range(links):
        joint = joints.Revolute(n=[0, 0, 1], phi=lw.guess(0.2))
        link = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0], inertia=[0.01, 0.02, 0.02])
        setattr(m, f"rev{k}", joint)
        setattr(m, f"link{k}", link)
        m.chain(before, joint, link)
        before = link
    return m


def fourbar(**crank):
    m = lw.Model("four-bar")
    m.world = lw.World(g=9.81)
    m.rev1, m.rev2, m.rev3 = joints.Revolute(**crank), joints.Revolute(phi=lw.guess(-0.6)), joints.Revolute()
    m.rev4 = joints.Revolute(phi=lw.guess(2.0))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        setattr(m, name, parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0],
                                         inertia=[0.001, length**2 / 12, length**2 / 12]))
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.coupler.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def test_a_hand_reaches_its_goal():
    s = lw.assemble(arm(), goals={"link2.frame_b.r_0": [0.3, 0.9, 0]})
    assert s.get("link2.frame_b.r_0") == pytest.approx([0.3, 0.9, 0], abs=1e-9)


def test_a_goal_out_of_reach_is_approached():
    with pytest.warns(UserWarning, match=r"not met: link2.frame_b.r_0 by 3\.5\."):
        s = lw.assemble(arm(), goals={"link2.frame_b.r_0": [3, 4, 0]})
    assert s.get("link2.frame_b.r_0") == pytest.approx([0.9, 1.2, 0], abs=1e-6)


def test_a_joint_with_a_fixed_value_keeps_it():
    m = arm()
    m.rev0._initial["phi"] = [0.2]
    goal = {"link2.frame_b.r_0": [0.6, 0.9, np.nan]}
    s = lw.assemble(m, goals=goal)
    assert s.get("rev0.phi") == pytest.approx(0.2, abs=1e-12)
    assert s.get("link2.frame_b.r_0")[:2] == pytest.approx([0.6, 0.9], abs=1e-9)
    # beyond the last two links, and within reach once a goal or another state frees the first
    far = {"link2.frame_b.r_0": [0.0, 1.3, np.nan]}
    knee = 0.5 * np.array([np.cos(0.2), np.sin(0.2)])
    left = np.hypot(*(knee - [0, 1.3])) - 1
    with pytest.warns(UserWarning, match=rf"rev0.phi as given .* link2.frame_b.r_0 by {left:.3g}"):
        held = lw.assemble(m, goals=far)
    assert held.get("rev0.phi") == pytest.approx(0.2, abs=1e-12)
    for s in (lw.assemble(m, near=held, goals=far), lw.assemble(m, goals={**far, "rev0.phi": np.nan})):
        assert s.get("link2.frame_b.r_0")[:2] == pytest.approx([0, 1.3], abs=1e-8)


@pytest.mark.parametrize("formulation", ["minimal", "projection"])
def test_a_loop_whose_crank_is_fixed_does_not_move_for_a_goal(formulation):
    system = lw.compile(fourbar(phi=1.0, w=2.0), formulation=formulation)
    start = system.state()
    tip = start.get("coupler.frame_b.r_0")
    with pytest.warns(UserWarning, match=r"rev1.phi as given at the start: coupler.frame_b.r_0 by 0\.1\."):
        s = lw.assemble(system, goals={"coupler.frame_b.r_0": tip + [0.1, 0, 0]})
    assert s.get("coupler.frame_b.r_0") == pytest.approx(tip, abs=1e-9) and s.get("rev1.w") == pytest.approx(2.0)
    s = lw.assemble(system, goals={"rev1.phi": 1.4})
    assert s.get("rev1.phi") == pytest.approx(1.4, abs=1e-9)


def test_position_and_angle_together_and_entries_left_out():
    s = lw.assemble(arm(), goals={"link2.frame_b.r_0": [0.4, 0.8, np.nan], "rev0.phi": 0.2})
    assert s.get("link2.frame_b.r_0")[:2] == pytest.approx([0.4, 0.8], abs=1e-9)
    assert s.get("rev0.phi") == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize("angle", [-2.0, 0.5, 3.0])
def test_goals_in_a_loop(angle):
    s = lw.assemble(fourbar(phi=lw.guess(1.0)), goals={"rev1.phi": angle})
    assert s.get("rev1.phi") == pytest.approx(angle, abs=1e-9)
    assert np.max(np.abs(s.get("position_error"))) < 1e-12


def test_a_coupler_point_is_put_somewhere():
    s = lw.assemble(fourbar(phi=lw.guess(1.0)), goals={"coupler.frame_b.r_0": [0.7, np.nan, np.nan]})
    assert s.get("coupler.frame_b.r_0")[0] == pytest.approx(0.7, abs=1e-9)


def test_a_pendulum_hangs_down():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    assert lw.equilibrium(m).get("rev.phi") == pytest.approx(-np.pi / 2, abs=1e-9)


def test_a_loop_comes_to_rest_where_its_energy_is_least():
    m = fourbar(phi=lw.guess(1.0))
    system = lw.compile(m)
    s = lw.equilibrium(system)
    assert np.max(np.abs(s.get("udot"))) < 1e-8
    energies = [lw.assemble(system, near=s, goals={"rev1.phi": s.get("rev1.phi") + d}).get("potential_energy")
                for d in (-0.02, 0.02)]
    assert min(energies) > s.get("potential_energy")


def test_a_mass_sinks_into_its_spring():
    m = lw.Model("spring")
    m.world = lw.World(g=10.0)
    m.slide = joints.Prismatic(n=[0, 1, 0])
    m.body = parts.Body(m=2.0)
    m.spring = translational.SpringDamper(c=400.0, d=1.0, s_rel0=0.1)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.slide.support, m.spring.flange_a)
    m.connect(m.slide.axis, m.spring.flange_b)
    assert lw.equilibrium(m).get("slide.s") == pytest.approx(0.1 - 20 / 400, abs=1e-10)


def test_a_free_body_on_springs_with_a_quaternion():
    m = lw.Model("free")
    m.world = lw.World(g=9.81)
    m.bar = parts.FixedTranslation(r=[0.8, 0, 0])
    m.s1, m.s2 = forces.Spring(c=40), forces.Spring(c=40)
    m.body = parts.BodyShape(m=1, inertia=[0.1, 0.1, 0.1], r=[0.4, 0, 0], r_cm=[0.2, -0.05, 0],
                             r_0=[0.2, -0.5, 0.1], angles=[0.3, 0.2, 0.1])
    m.connect(m.world.frame_b, m.bar.frame_a, m.s1.frame_a)
    m.connect(m.s1.frame_b, m.body.frame_a)
    m.connect(m.bar.frame_b, m.s2.frame_a)
    m.connect(m.body.frame_b, m.s2.frame_b)
    s = lw.equilibrium(m)
    r = s.get("body.r_0")
    assert r == pytest.approx([0.2, r[1], 0], abs=1e-7)
    # both springs of free length zero carry half the weight: c · drop = m g / 2
    assert -r[1] == pytest.approx(9.81 / 80, abs=1e-7)


def test_no_equilibrium_is_said_so():
    m = lw.Model("falls")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[0, 1, 0])
    m.body = parts.Body(m=2.0)
    m.chain(m.world, m.slide, m.body)
    with pytest.raises(lw.AssemblyError, match=r"no equilibrium .* what is left over is 19\.6 along slide.s"):
        lw.equilibrium(m)


@pytest.mark.parametrize("formulation", ["minimal", "projection"])
def test_damped_motion_leads_to_where_a_few_steps_of_newtons_method_do_not(monkeypatch, formulation):
    # the function of the same name hides the module
    module = importlib.import_module("linkwright.studies.equilibrium")
    system = lw.compile(fourbar(phi=lw.guess(3.0)), formulation=formulation)
    exact = lw.equilibrium(system).get("rev1.phi")
    monkeypatch.setattr(module, "BALANCE_STEPS", 4)
    assert np.cos(lw.equilibrium(system).get("rev1.phi") - exact) == pytest.approx(1, abs=1e-12)
    monkeypatch.setattr(module, "RELAXING_STEPS", 0)
    with pytest.raises(lw.AssemblyError, match="no equilibrium"):
        monkeypatch.setattr(module, "BALANCE_TRIES", 1)
        lw.equilibrium(system)


def test_a_motor_holds_an_arm():
    m = arm(1)
    m.hold = rotational.Spring(c=100.0)
    m.connect(m.rev0.support, m.hold.flange_a)
    m.connect(m.rev0.axis, m.hold.flange_b)
    phi = lw.equilibrium(m).get("rev0.phi")
    assert 100 * phi == pytest.approx(-9.81 * 0.25 * np.cos(phi), abs=1e-8)
