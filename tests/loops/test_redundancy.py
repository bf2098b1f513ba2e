"""Redundant equations are solved, counted and explained; mechanisms that cannot move are said so."""

import numpy as np
import pytest
from loop_mechanisms import bricard, slider_crank
from loop_models import check_laws, fourbar

import linkwright as lw
from linkwright import joints, parts


def test_a_planar_loop_says_which_equations_hold_by_themselves():
    system = lw.compile(fourbar())
    assert system.redundant == 0 and system.dof == 1
    text = str(system)
    assert "of rev2 hold by themselves: displacement along z, rotation about y, rotation about x" in text


def test_a_planar_loop_off_the_coordinate_axes():
    """Turned in space, the loop is planar only up to rounding: three equations are found redundant."""
    m = lw.Model("tilted")
    m.world = lw.World(g=9.81)
    m.tilt = parts.FixedRotation(n=[1, 0.3, 0.2], angle=0.7)
    m.connect(m.world.frame_b, m.tilt.frame_a)
    inner = fourbar()
    for name in ("rev1", "rev2", "rev3", "rev4", "crank", "coupler", "rocker", "ground"):
        part = inner.__dict__[name]
        part.__dict__["_parent"] = None
        setattr(m, name, part)
    m.chain(m.tilt, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.tilt, m.ground, m.rev4, m.rocker)
    m.connect(m.coupler.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert r.system.dof == 1
    check_laws(r)


def test_skewed_axis_directions_leave_redundant_equations_that_do_no_harm():
    """The same loop with axes given as (0, 0, 2) and turned coupler frames."""
    m = fourbar()
    m.rev2.n = (1e-17, 0, 2.0)
    m.rev3.n = (0, 1e-17, 3.0)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(79.4412268629, abs=1e-6)


def test_a_joint_twice_is_explained():
    m = slider_crank()
    m.twin = joints.Revolute()
    m.connect(m.bearing.frame_a, m.twin.frame_a)
    m.connect(m.bearing.frame_b, m.twin.frame_b)
    system = lw.compile(m)
    assert system.dof == 1
    assert "twin" in str(system)


def test_a_bricard_has_one_dependency_that_changes_with_the_position():
    system = lw.compile(bricard())
    found = system.redundancy
    # five revolutes in the tree, five equations of the sixth: one of them follows from the others
    assert (system.mechanism.nu, found.rows, found.rank, system.dof) == (5, 5, 4, 1)
    assert len(found.dependencies) == 1 and not found.dependencies[0].everywhere
    assert "changes with the position" in str(system)


def test_two_parallel_guides_are_redundant_in_every_position():
    """A carriage on two parallel slides: all five further equations follow."""
    m = lw.Model("guides")
    m.world = lw.World()
    m.slide1, m.slide2 = joints.Prismatic(n=[1, 2, 3], s=0, v=1), joints.Prismatic(n=[1, 2, 3])
    m.far, m.near = parts.FixedTranslation(r=[0, 1, 0]), parts.FixedTranslation(r=[0, 1, 0])
    m.body = parts.Body(m=1)
    m.chain(m.world, m.slide1, m.body)
    m.chain(m.world, m.far, m.slide2)
    m.connect(m.body.frame_a, m.near.frame_a)
    m.connect(m.near.frame_b, m.slide2.frame_b)
    r = lw.simulate(m, 1.0)
    assert r.system.dof == 1
    gravity = -9.80665 * 2 / np.sqrt(14)
    np.testing.assert_allclose(r["slide1.s"], r.t + gravity * r.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(r["slide2.s"], r["slide1.s"], atol=1e-9)


def test_a_frame_that_cannot_move_is_said_so():
    """A triangle of three pinned rods."""
    m = lw.Model("triangle")
    m.world = lw.World()
    m.rev1, m.rev2, m.rev3 = joints.Revolute(phi=lw.guess(0.5)), joints.Revolute(phi=lw.guess(-1)), joints.Revolute()
    m.a = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0])
    m.b = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0])
    m.ground = parts.FixedTranslation(r=[1.2, 0, 0])
    m.chain(m.world, m.rev1, m.a, m.rev2, m.b, m.rev3)
    m.chain(m.world, m.ground)
    m.connect(m.ground.frame_b, m.rev3.frame_b)
    system = lw.compile(m)
    assert system.dof == 0
    assert "cannot move" in str(system)
    r = lw.simulate(system, 1.0)
    assert np.ptp(r["rev1.phi"]) < 1e-9
    assert np.all(np.isfinite(r["rev1.frame_b.f"]))


def test_nearly_parallel_axes_are_refused_with_the_gap():
    """An axis off by 1e-6 rad: the loop does not close to better than about that."""
    m = fourbar(w=lw.guess(0.0))
    m.rev3.n = (1e-6, 0, 1)
    with pytest.raises(lw.AssemblyError, match=r"rev3 \(gap [0-9.]+e-0[67]\)"):
        lw.simulate(m, 1.0)
