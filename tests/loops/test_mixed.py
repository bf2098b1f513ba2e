"""Loops without a closed form beside loops with one: the one by projection, the others solved."""

import numpy as np
import pytest
from assembly_models import largest_difference
from loop_mechanisms import bricard, v_engine
from loop_models import check_laws, fourbar, rod

import linkwright as lw
from linkwright import constraints, joints, parts
from linkwright.algebra import Transform, axis_rotation, rotation_vector


def engine(cylinders: int) -> lw.Model:
    """With a spatial loop from its crank back to the ground: six more revolutes in general position."""
    m = v_engine(cylinders)
    random, X, start = np.random.default_rng(20), Transform(), m.crank.frame_a
    for k in range(1, 7):
        r, n, angle = random.uniform(-0.5, 0.5, 3), random.normal(size=3), float(random.uniform(-0.5, 0.5))
        r = r if k > 1 else np.array([0, 0.04, 0])  # a short crank, which can turn
        link = parts.BodyShape(m=0.5, r=r, r_cm=r / 2, inertia=[2e-3, 3e-3, 4e-3])
        joint = joints.Revolute(n=n, phi=lw.guess(angle))
        setattr(m, f"link{k}", link)
        setattr(m, f"joint{k}", joint)
        m.connect(start, link.frame_a)
        m.chain(link, joint)
        start, X = joint.frame_b, X @ Transform(None, r) @ Transform(axis_rotation(n, angle))
    turn = rotation_vector(X.R)
    m.end = parts.FixedRotation(r=X.p, n=turn, angle=float(np.linalg.norm(turn)))
    m.connect(m.world.frame_b, m.end.frame_a)
    m.connect(m.end.frame_b, start)
    return m


def both(model, time: float, accuracy: float = 1e-11):
    """The same motion as compiled by default, with some loops in closed form, and by projection."""
    mixed, numeric = (lw.compile(model(), tier="quick", formulation=name) for name in (None, "projection"))
    assert mixed.equations.explicit.partial and not numeric.minimal
    assert mixed.dof == numeric.dof
    return [lw.simulate(system, time, accuracy=accuracy) for system in (mixed, numeric)]


def test_an_engine_with_a_general_loop_keeps_its_closed_forms():
    one, other = both(lambda: engine(2), 0.3)
    assert len(one.system.mechanism.closures) == 2
    assert np.ptp(one["bearing.phi"]) > 12
    assert largest_difference(one, other, ["bearing.phi", "joint1.phi", "joint6.phi", "cylinder2.slider.s"]) < 1e-8
    check_laws(one)


def test_the_code_is_that_of_the_loops_one_by_one():
    counts = [lw.compile(model, tier="quick").instructions for model in (engine(6), v_engine(6), engine(0))]
    assert abs(counts[0] - counts[1] - counts[2]) < 0.02 * counts[0]
    assert counts[0] < lw.compile(engine(6), tier="quick", formulation="projection").instructions


def test_the_report_says_which_loops_are_solved():
    text = lw.compile(engine(2), tier="quick").report(full=True)
    assert text.count("in closed form: RRP of") == 2
    assert "except for loops closed by projection (joint" in text


def swinging(**crank) -> lw.Model:
    """A four-bar in which no joint turns fully, and a bar whose end is held on a line."""
    m = fourbar(1.0, (0.8, 0.5, 0.6), **crank)
    m.hinge, m.bar, m.tie = joints.Revolute(phi=lw.guess(-1.0)), rod(1.1), constraints.PointOnLine(n=[1, 0, 0])
    m.chain(m.crank, m.hinge, m.bar)
    m.connect(m.world.frame_b, m.tie.frame_a)
    m.connect(m.bar.frame_b, m.tie.frame_b)
    return m


def test_through_dead_points_of_what_is_solved():
    one, other = both(lambda: swinging(phi=0.5, w=4.0), 4.0)
    assert one.counters["exchanges"] > 5
    assert largest_difference(one, other, ["rev1.phi", "rev4.phi", "hinge.phi"]) < 1e-6
    check_laws(one, tolerance=1e-8)


def test_loops_whose_redundancy_changes_with_the_position():
    """Bricard's loop, of six joints and one freedom, beside a slider-crank."""
    def model():
        m = bricard()
        m.bearing, m.crank, m.rod = joints.Revolute(phi=0.5, w=12.0), rod(0.1, 2.0), rod(0.3)
        m.pin, m.slider = joints.Revolute(phi=lw.guess(-0.7)), joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.35))
        m.piston_pin, m.block = joints.Revolute(), parts.Body(m=1.0)
        m.chain(m.world, m.bearing, m.crank, m.pin, m.rod, m.piston_pin, m.block)
        m.connect(m.world.frame_b, m.slider.frame_a)
        m.connect(m.slider.frame_b, m.block.frame_a)
        return m

    one, other = both(model, 2.0)
    assert largest_difference(one, other, ["rev1.phi", "rev4.phi", "bearing.phi"]) < 1e-8
    check_laws(one)


@pytest.mark.parametrize("level", ["speed", "acceleration"])
def test_a_constraint_on_speeds_or_accelerations_beside_a_loop(level):
    """The speed of a flywheel is a fixed multiple of the rocker's; or its acceleration is constant."""
    def model():
        m = fourbar()
        m.axle, m.wheel = joints.Revolute(w=lw.guess(0.0)), parts.Body(m=1.0, inertia=[0.1, 0.1, 0.1])
        m.chain(m.ground, m.axle, m.wheel)
        m.gear = (constraints.SpeedCoupler(function=m.axle.w - 3 * m.rev4.w) if level == "speed"
                  else constraints.ConstantAcceleration(acceleration=m.axle.a, value=0.5))
        return m

    one, other = both(model, 3.0)
    assert largest_difference(one, other, ["rev1.phi", "axle.phi"]) < 1e-8
    held = one["axle.w"] - 3 * one["rev4.w"] if level == "speed" else one["axle.a"] - 0.5
    np.testing.assert_allclose(held, 0, atol=1e-9)


@pytest.mark.parametrize("what", [{"friction": lw.Coulomb(tau=2.0)}, {"phi_max": 3.0, "restitution": 0.5}])
def test_friction_and_stops_beside_both(what):
    def model():
        m = engine(1)
        m.bearing._initial["w"] = [3.0]
        for name, value in what.items():
            setattr(m.bearing, name, value)
        return m

    one, other = both(model, 1.0)
    assert len(one.events) == len(other.events) > 0
    assert largest_difference(one, other, ["bearing.phi", "joint2.phi"]) < 1e-7


def test_a_given_motion_leaves_loops_of_both_kinds():
    def model():
        m = engine(1)
        m.bearing._initial.clear()
        m.prescribe(m.bearing.phi, 20 * lw.time)
        return m

    one, other = both(model, 0.5)
    assert largest_difference(one, other, ["joint1.phi", "joint5.phi", "cylinder1.slider.s"]) < 1e-8
    assert one.closure < 1e-9
