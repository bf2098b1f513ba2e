"""Initial conditions: fixed, guessed, per entry, as equations, with parameters solved for, and at rest; by hand."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, forces, joints, parts, rotational, translational

G = 9.80665


def init_spring_constant(**rev):
    """Modelica's InitSpringConstant: the constant of a spring that holds a pendulum level."""
    m = lw.Model("InitSpringConstant")
    m.world = lw.World(g=9.81)
    m.rev = joints.Revolute(n=[0, 0, 1], **rev)
    m.damper = rotational.Damper(d=0.1)
    m.body = parts.BodyShape(r=[1, 0, 0], r_cm=[0.5, 0, 0], m=1)
    m.fixed = parts.Fixed(r=[1, 0.2, 0])
    m.spring = forces.Spring(c=lw.free(100), s_unstretched=0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.damper.flange_a, m.rev.support)
    m.connect(m.damper.flange_b, m.rev.axis)
    m.connect(m.fixed.frame_b, m.spring.frame_a)
    m.connect(m.body.frame_b, m.spring.frame_b)
    return m


def test_a_spring_constant_that_holds_a_pendulum():
    """Torque of the spring c (0.2 − 0.1)·1 against m g/2: c = 9.81 · 0.5/0.1 = 49.05."""
    m = init_spring_constant(phi=0, w=0, a=0)
    system = lw.compile(m)
    state = system.state()
    assert state.get("spring.c") == pytest.approx(49.05, abs=1e-9)
    r = lw.simulate(m, 1.0)
    assert r["rev.phi"] == pytest.approx(0 * r.t, abs=1e-9)
    assert r["rev.a"][0] == pytest.approx(0, abs=1e-9)


def test_the_parameter_moves_before_the_coordinate():
    """The angle is only a guess: it stays where it is guessed, since the constant alone can satisfy a = 0."""
    state = lw.compile(init_spring_constant(phi=lw.guess(0), a=0)).state()
    assert state.get("rev.phi") == pytest.approx(0, abs=1e-12)
    assert state.get("spring.c") == pytest.approx(49.05, abs=1e-8)


def test_the_parameter_moves_before_the_coordinates_of_a_loop():
    """Accelerations say nothing while a loop is open: a parameter that they decide is found when it has closed, and
    the length at rest of a spring that rides on a parallelogram does not move the crank."""
    m = lw.Model("parallelogram")
    m.world = lw.World(g=9.81)
    m.crank, m.elbow, m.knee, m.foot = (joints.Revolute(n=[0, 0, 1]) for _ in range(4))
    m.crank.start_at(phi=lw.guess(0.3))
    m.left, m.right = parts.BodyShape(r=[0, 0.4, 0], m=1), parts.BodyShape(r=[0, 0.4, 0], m=1)
    m.across, m.base = parts.BodyShape(r=[1, 0, 0], m=2), parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.crank, m.left, m.elbow, m.across)
    m.chain(m.world, m.base, m.foot, m.right, m.knee, m.across.frame_b)
    m.arm, m.tip = joints.Prismatic(n=[1, 0, 0], s=0.05, v=0, a=0), parts.Body(m=0.5)
    m.spring = translational.SpringDamper(c=60, d=0.5, s_rel0=lw.free(0.0))
    m.chain(m.across.frame_b, m.arm, m.tip)
    m.connect(m.arm.support, m.spring.flange_a)
    m.connect(m.arm.axis, m.spring.flange_b)
    state = lw.compile(m).state()
    assert state.get("crank.phi") == pytest.approx(0.3, abs=1e-14)
    assert state.get("arm.a") == pytest.approx(0.0, abs=1e-10)
    assert abs(state.get("spring.s_rel0")) > 1e-3


def test_a_free_parameter_that_nothing_determines_is_a_gap():
    with pytest.raises(lw.InitialError, match=r"spring.c.*lw.free.*do not determine"):
        lw.compile(init_spring_constant(phi=0, w=0)).state()


def test_steady_state_of_a_pendulum_on_a_spring():
    """a = 0 with the angle guessed: c (φ − 0.3) = −m g l cos φ."""
    m = lw.Model("steady")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=lw.guess(-0.2), w=0, a=0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.spring = rotational.Spring(c=20, phi_rel0=0.3)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.spring.flange_a)
    m.connect(m.rev.axis, m.spring.flange_b)
    r = lw.simulate(m, 1.0)
    phi = r["rev.phi"][0]
    assert 20 * (phi - 0.3) == pytest.approx(-G * 0.5 * np.cos(phi), abs=1e-9)
    assert r["rev.phi"] == pytest.approx(phi + 0 * r.t, abs=1e-8)


def test_an_initial_equation_ties_two_angles():
    """φ1 = 2 φ2 and the height of the end given: solved together."""
    m = lw.Model("tied")
    m.world = lw.World()
    m.one = joints.Revolute(phi=lw.guess(0.3))
    m.two = joints.Revolute(phi=lw.guess(0.1))
    m.near = parts.BodyShape(r=[1, 0, 0], m=1, r_cm=[0.5, 0, 0])
    m.far = parts.BodyShape(r=[0.7, 0, 0], m=1, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.one, m.near, m.two, m.far)
    m.init(m.one.phi, 2 * m.two.phi)
    m.init(m.far.frame_b.r_0[1], 0.5)
    m.init(m.one.w + m.two.w, 3.0)
    state = lw.compile(m).state()
    one, two = state.get("one.phi"), state.get("two.phi")
    assert one == pytest.approx(2 * two, abs=1e-10)
    assert np.sin(one) + 0.7 * np.sin(one + two) == pytest.approx(0.5, abs=1e-10)
    # the smallest speeds that satisfy w1 + w2 = 3
    assert [state.get("one.w"), state.get("two.w")] == pytest.approx([1.5, 1.5], abs=1e-9)


def test_vectors_in_initial_equations():
    m = lw.Model("vector")
    m.world = lw.World(gravity=None)
    m.bob = parts.PointMass(m=1)
    m.init(m.bob.r_0, [0.1, 0.2, 0.3])
    m.init(m.bob.v_0, 2 * m.bob.r_0)
    state = lw.compile(m).state()
    assert state.get("bob.r_0") == pytest.approx([0.1, 0.2, 0.3], abs=1e-12)
    assert state.get("bob.v_0") == pytest.approx([0.2, 0.4, 0.6], abs=1e-12)
    with pytest.raises(lw.ModelError, match="init"):
        m.init(m.bob.r_0, [0.1, 0.2])


def test_a_body_in_the_world_decides_the_joint():
    """The position of a body at the end of an arm is given instead of the angle."""
    m = lw.Model("inverse")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=lw.guess(0.5))
    m.arm = parts.FixedTranslation(r=[1, 0, 0])
    m.body = parts.Body(m=1, r_0=[None, 0.6, None], v_0=[None, 0.4, None])
    m.chain(m.world, m.rev, m.arm, m.body)
    state = lw.compile(m).state()
    assert state.get("rev.phi") == pytest.approx(np.arcsin(0.6), abs=1e-10)
    assert state.get("rev.w") == pytest.approx(0.4 / 0.8, abs=1e-10)


def test_contradictions_are_listed_with_what_they_became():
    m = lw.Model("contradiction")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3)
    m.arm = parts.FixedTranslation(r=[1, 0, 0])
    m.body = parts.Body(m=1, r_0=[0, 0.9, None])
    m.chain(m.world, m.rev, m.arm, m.body)
    with pytest.raises(lw.InitialError) as caught:
        lw.simulate(m, 1.0)
    text = str(caught.value)
    for name in ("rev.phi = 0.3", "body.r_0[0] = 0", "body.r_0[1] = 0.9", "3 conditions", "rank 1", "lw.guess"):
        assert name in text, text


def test_conditions_that_agree_may_say_a_thing_twice():
    m = lw.Model("twice")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.5)
    m.arm = parts.FixedTranslation(r=[1, 0, 0])
    m.body = parts.Body(m=1, r_0=[np.cos(0.5), np.sin(0.5), 0])
    m.chain(m.world, m.rev, m.arm, m.body)
    assert lw.compile(m).state().get("rev.phi") == pytest.approx(0.5, abs=1e-12)


def test_guesses_choose_among_solutions():
    """Two springs hold a point above or below the line between their ends."""
    heights = []
    for side in (0.4, -0.4):
        m = lw.Model("sides")
        m.world = lw.World(gravity=None)
        m.rev = joints.Revolute(n=[1, 0, 0], phi=0)
        m.far = parts.Fixed(r=[1, 0, 0])
        m.bob = parts.PointMass(m=1, r_0=[0.5, lw.guess(side), 0], v_0=[0, 0, 0])
        m.one = forces.Spring(c=10, s_unstretched=0.8)
        m.two = forces.Spring(c=10, s_unstretched=0.8)
        m.disc = parts.Body(m=1)
        m.chain(m.world, m.rev, m.disc)
        m.connect(m.world.frame_b, m.one.frame_a)
        m.connect(m.far.frame_b, m.two.frame_a)
        m.connect(m.bob.frame_a, m.one.frame_b, m.two.frame_b)
        m.init(m.bob.a_0[1], 0)
        heights.append(lw.compile(m).state().get("bob.r_0")[1])
    assert heights == pytest.approx([np.sqrt(0.64 - 0.25), -np.sqrt(0.64 - 0.25)], abs=1e-9)


def test_start_values_do_not_recompile():
    def pendulum(phi):
        m = lw.Model("pendulum")
        m.world = lw.World()
        m.rev = joints.Revolute(phi=phi)
        m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
        m.chain(m.world, m.rev, m.body)
        return lw.compile(m)

    first, second = pendulum(0.1), pendulum(0.7)
    assert first.equations is second.equations
    assert [s.state().get("rev.phi") for s in (first, second)] == pytest.approx([0.1, 0.7], abs=1e-12)


def test_spherical_and_free_joints_start_by_angles_or_by_body():
    m = lw.Model("ball")
    m.world = lw.World()
    m.ball = joints.Spherical(sequence_start=(3, 1, 2), angles=[0.4, -0.3, 0.2], w_rel_a=[1, 2, 3])
    m.body = parts.Body(m=1, r_cm=[0, -0.5, 0], inertia=[0.1, 0.2, 0.1])
    m.chain(m.world, m.ball, m.body)
    state = lw.compile(m).state()
    from linkwright.algebra import rotation_from_angles

    R = rotation_from_angles((3, 1, 2), [0.4, -0.3, 0.2])
    assert state.get("body.frame_a.R.T") == pytest.approx(R.T, abs=1e-10)
    assert state.get("body.w_0") == pytest.approx([1, 2, 3], abs=1e-10)


def test_a_mass_and_a_length_may_be_solved_for():
    """A balance: m2 (1 − x) = m1 x; first the mass, then the lever is free."""
    def balance(mass, lever):
        m = lw.Model("balance")
        m.world = lw.World()
        m.rev = joints.Revolute(phi=0, w=0, a=0)
        m.left = parts.FixedTranslation(r=[-0.4, 0, 0])
        m.one = parts.Body(m=3.0)
        m.two = parts.Body(m=mass, r_cm=lever)
        m.connect(m.world.frame_b, m.rev.frame_a)
        m.connect(m.rev.frame_b, m.left.frame_a, m.two.frame_a)
        m.connect(m.left.frame_b, m.one.frame_a)
        return lw.compile(m).state()

    assert balance(lw.free(1.0), [0.6, 0, 0]).get("two.m") == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(lw.InitialError, match="two.r_cm"):
        balance(2.0, lw.free([0.5, 0, 0]))  # the height of the mass stays open


def test_free_motion_that_only_gives_start_values():
    """enforce_states=False: the body hangs on a joint; the helper says where its end is."""
    m = lw.Model("helper")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=lw.guess(0.3))
    m.body = parts.BodyShape(r=[1, 0, 0], m=1, r_cm=[0.5, 0, 0])
    m.start = joints.FreeMotion(enforce_states=False, r_rel_a=[None, 0.6, None], v_rel_a=[None, 0.8, None])
    m.chain(m.world, m.rev, m.body)
    m.connect(m.world.frame_b, m.start.frame_a)
    m.connect(m.body.frame_b, m.start.frame_b)
    state = lw.compile(m).state()
    assert state.get("rev.phi") == pytest.approx(np.arcsin(0.6), abs=1e-10)
    assert state.get("rev.w") == pytest.approx(1.0, abs=1e-10)
    assert state.get("start.frame_a.f") == pytest.approx([0, 0, 0], abs=1e-12)


def test_one_condition_that_nothing_fulfils():
    m = lw.Model("impossible")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.init(lw.sin(m.rev.phi), 2.0)
    with pytest.raises(lw.InitialError, match="the initial condition cannot hold") as caught:
        lw.simulate(m, 0.1)
    assert "two of them" not in str(caught.value)


@pytest.mark.parametrize("make", [parts.PointMass, parts.Body])
@pytest.mark.parametrize("mass", [1.0, 2.0])
def test_a_law_that_leaves_an_acceleration_open_is_named(make, mass):
    """F = m a on a mass m: 0 = 0."""
    m = lw.Model("open")
    m.world = lw.World(gravity=None)
    m.mass = make(m=mass, r_0=[0, 0, 0])
    m.thrust = forces.WorldForce(force=m.mass.m * m.mass.a_0)
    m.connect(m.mass.frame_a, m.thrust.frame_b)
    with pytest.raises(lw.LinkwrightError, match="^thrust: the law leaves the acceleration mass.frame_a.a") as caught:
        lw.simulate(m, 0.1)
    assert caught.value.components == ("thrust",)


def test_a_force_that_takes_all_inertia_away():
    """F = m a + 1 N on a mass m: 0 = 1 N."""
    m = lw.Model("no balance")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[1, 0, 0])
    m.body = parts.Body(m=2)
    m.push = forces.WorldForce(force=[2 * m.slide.a + 1, 0, 0])
    m.chain(m.world, m.slide, m.body)
    m.connect(m.push.frame_b, m.body.frame_a)
    with pytest.raises(lw.InitialError, match="push: no acceleration fulfils the law") as caught:
        lw.simulate(m, 0.1)
    assert "r_rel_0" not in str(caught.value)


def test_states_of_signals_and_motors_are_found_where_they_are_guesses():
    """An arm held level by a motor: k i = m g l, v = R i; the integral is told to carry a third of the voltage."""
    m = lw.Model("held")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0, w=0, a=0)
    m.body = parts.Body(m=2.0, r_cm=[0.3, 0, 0])
    m.motor = rotational.DCMotor(R=1.5, L=0.01, k=0.2, i=lw.guess(0))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    slow = m.integral(-m.rev.phi, start=lw.guess(1), name="slow")
    m.motor.v = blocks.pi(0.1 - m.rev.phi, k=4, T=0.5, start=lw.guess(0), name="control") + slow
    m.init(lw.der(m.motor.i), 0)
    m.init(slow, m.motor.v / 3)
    state = lw.compile(m).state()
    current = 2.0 * G * 0.3 / 0.2
    assert state.get("motor.i") == pytest.approx(current, abs=1e-9)
    assert state.get("slow") == pytest.approx(0.5 * current, abs=1e-9)
    assert state.get("control.x") == pytest.approx(current / 4 - 0.1, abs=1e-9)


def test_a_current_that_is_given_holds():
    m = lw.Model("given")
    m.world = lw.World()
    m.load = rotational.Inertia(J=1.0)
    m.motor = rotational.DCMotor(R=1.5, L=0.01, k=0.2, i=3.0)
    m.connect(m.motor.flange, m.load.flange_a)
    assert lw.simulate(m, 0.01)["motor.i"][0] == 3.0


@pytest.mark.parametrize("speed, share", [(0.0, 0.0), (-2.0, -1.0), (3.0, 1.0)])
def test_a_start_in_balance_counts_friction_against_the_motion_and_none_at_rest(speed, share):
    """k i = m g l ± 0.5 N m in the level position; at rest friction could hold anything, and is asked for nothing."""
    m = lw.Model("rubs")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0, w=speed, a=0, friction=lw.Coulomb(tau=0.5))
    m.body = parts.Body(m=2.0, r_cm=[0.3, 0, 0])
    m.motor = rotational.DCMotor(R=1.5, L=0.01, k=0.2, i=lw.guess(0))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    r = lw.simulate(m, 1e-6)
    assert r["motor.i"][0] == pytest.approx((2.0 * G * 0.3 + share * 0.5) / 0.2, abs=1e-9)
    assert r["rev.a"][0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("angle, value", [(0.5, 3.0), (-0.5, 1.0)])
def test_conditions_in_signals_are_those_of_the_start(angle, value):
    m = lw.Model("switched")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=angle, w=0)
    m.body = parts.Body(m=1.0, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.output("filtered", blocks.first_order(lw.where(m.rev.phi > 0, 3.0, 1.0), start="steady", name="filter"))
    assert lw.compile(m).state().get("filter.x") == pytest.approx(value, abs=1e-12)
