"""Redundant equations are solved, counted and explained; mechanisms that cannot move are said so."""

import numpy as np
import pytest
from loop_mechanisms import bricard, slider_crank
from loop_models import check_laws, fourbar, rod

import linkwright as lw
from linkwright import forces, joints, parts


def test_a_planar_loop_says_which_equations_hold_by_themselves():
    system = lw.compile(fourbar())
    assert system.redundant == 0 and system.dof == 1
    text = system.report(full=True)
    assert ("3 equations of rev2 are always satisfied, because the loop is planar: displacement along z, rotation "
            "about y, rotation about x") in text
    assert "3 further equations are always satisfied, because the loops are planar" in str(system)


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
    assert "changes with the position" in system.report(full=True)


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


def test_freedoms_are_counted_in_general_position():
    """A parallelogram that starts flat: two motions begin there, each of one freedom."""
    m = fourbar(ground=0.9, lengths=(0.3, 0.9, 0.3), phi=0.0, w=lw.guess(1.0))
    m.rev2._initial["phi"], m.rev4._initial["phi"] = [lw.guess(0.0)], [lw.guess(0.0)]
    system = lw.compile(m)
    assert (system.redundancy.rank_here, system.redundancy.rank) == (1, 2)
    assert (system.dof, system.redundant) == (1, 0)
    assert "It starts in a singular position" in str(system)


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
    with pytest.raises(lw.AssemblyError, match=r"rev3 \(gap [0-9.]+e-0[67] "):
        lw.simulate(m, 1.0)


OUT_OF_PLANE = {"force along z", "torque about x", "torque about y"}


def test_joints_of_a_planar_loop_have_reactions_that_are_not_unique_and_others_do_not():
    """Across the plane a load may go either way round; a pendulum on the coupler hangs on one joint alone."""
    m = fourbar()
    m.hook, m.bob = joints.Revolute(n=[0, 1, 0]), parts.Body(m=0.1, r_cm=[0, -0.2, 0])
    m.chain(m.coupler, m.hook, m.bob)
    r = lw.simulate(m, 0.1)
    assert {name: set(found) for name, found in r.system.not_unique.items()} == dict.fromkeys(
        ("rev1", "rev2", "rev3", "rev4"), OUT_OF_PLANE)
    report = r.system.report(full=True)
    assert report.count("Reactions not unique at") == 1 and "force along z, torque about x, torque about y" in report
    assert not r.messages
    r.get_many(["hook.frame_b.f", "rev1.phi", "coupler.a_0"])
    assert not r.messages
    r.get_many(["rev1.frame_b.f", "rev1.frame_b.t"])
    assert len(r.messages) == 2 and all(message.startswith("rev1:") for message in r.messages)
    r["rev1.frame_a.f"]
    assert len(r.messages) == 2 and "force along z at frame_b is not unique" in r.messages[0]


def test_a_planar_loop_with_a_ball_and_a_cylindrical_joint_is_statically_determinate():
    """5 + 5 + 3 + 4 equations on three parts leave one freedom: nothing is redundant, no reaction is open."""
    m = lw.Model("determinate")
    m.world = lw.World(g=9.81)
    m.rev1, m.rev2 = joints.Revolute(phi=lw.deg(60), w=5.0), joints.Revolute(phi=lw.guess(-0.6))
    m.ball, m.sleeve = joints.Spherical(), joints.Cylindrical(n=[0, 0, 1], phi=lw.guess(2.0))
    m.crank, m.coupler, m.rocker = rod(0.3), rod(0.9), rod(0.6)
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.world, m.ground, m.sleeve, m.rocker)
    m.connect(m.coupler.frame_b, m.ball.frame_a)
    m.connect(m.ball.frame_b, m.rocker.frame_b)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert (r.system.dof, r.system.redundant, r.system.not_unique) == (1, 0, {})
    assert "not unique" not in str(r.system)
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(79.4412268629, abs=1e-6)
    r["sleeve.frame_b.t"]
    assert not r.messages


def test_every_joint_of_a_bricard_bears_what_nobody_knows():
    """One self-stress goes all the way round: through every joint, but not about its axis."""
    found = lw.compile(bricard()).not_unique
    assert set(found) == {f"rev{k}" for k in range(1, 7)}
    assert all("torque about z" not in directions for directions in found.values())


def test_reactions_that_are_called_unique_do_not_depend_on_which_joint_is_cut():
    """Pushed across its plane, a four-bar divides the load between its joints by which of them closes the loop."""
    def run(cut):
        m = fourbar()
        for k in (2, 3, 4):
            getattr(m, f"rev{k}").enforce_states = f"rev{k}" != cut
        m.push = forces.WorldForce(force=[0, 0, 3.0])
        m.connect(m.coupler.frame_b, m.push.frame_b)
        return lw.simulate(m, 1.0, accuracy=1e-10)

    one, other = run("rev2"), run("rev3")
    assert [r.system.loops[0].name for r in (one, other)] == ["rev2", "rev3"]
    differ = 0.0
    for name in ("rev1", "rev2", "rev3", "rev4"):
        for load, kind, axes in (("f", "force along", "xyz"), ("t", "torque about", "xyz")):
            gap = np.max(np.abs(one[f"{name}.frame_b.{load}"] - other[f"{name}.frame_b.{load}"]), axis=0)
            for axis, value in zip(axes, gap, strict=True):
                if f"{kind} {axis}" in one.system.not_unique[name]:
                    differ = max(differ, value)
                else:
                    assert value < 1e-6, (name, kind, axis)
    assert differ > 1


@pytest.mark.parametrize(("method", "accuracy"), [("dopri5", 1e-8), ("dopri5", 1e-10), ("dop853", 1e-10)])
def test_an_equation_that_follows_only_where_the_loop_is_closed_does_no_harm_between(method, accuracy):
    system = lw.compile(bricard())
    exact = lw.simulate(system, 2.0, accuracy=1e-12)
    r = lw.simulate(system, 2.0, method=method, accuracy=accuracy)
    assert abs(r["rev1.phi"][-1] - exact["rev1.phi"][-1]) < 30 * accuracy
    assert np.ptp(r["kinetic_energy"]) < 30 * accuracy * np.max(r["kinetic_energy"])
