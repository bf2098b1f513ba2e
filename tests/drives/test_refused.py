"""Drive trains that make no sense are refused before anything runs, by name and with a remedy."""

import pytest

import linkwright as lw
from linkwright import rotational, translational


def driven():
    m = lw.Model("driven")
    m.world = lw.World()
    m.load, m.motor = rotational.Inertia(J=2.0), rotational.Torque()
    m.connect(m.motor.flange, m.load.flange_a)
    return m


@pytest.mark.parametrize("make", (
    lambda: rotational.IdealGear(ratio=0), lambda: translational.IdealGear(ratio=0),
    lambda: rotational.LossyGear(ratio=0), lambda: rotational.IdealPlanetary(ratio=0),
    lambda: rotational.IdealDifferential(ratio=0), lambda: rotational.IdealGearR2T(ratio=0),
    lambda: rotational.IdealRollingWheel(radius=0)))
def test_a_gear_with_ratio_zero(make):
    with pytest.raises(lw.ModelError, match="needs a (ratio|radius) other than zero"):
        make()


@pytest.mark.parametrize("make", (
    lambda: rotational.Inertia(J=-1), lambda: translational.Mass(m=-1), lambda: rotational.DCMotor(R=1, k=1, J=-1),
    lambda: translational.MassWithStopAndFriction(m=-1), lambda: rotational.Spring(c=-1),
    lambda: rotational.Damper(d=-1), lambda: translational.SpringDamper(c=1, d=-1),
    lambda: rotational.Clutch(fn_max=-1)))
def test_negative_inertia_stiffness_or_damping(make):
    with pytest.raises(lw.ModelError, match="= -1 cannot be negative"):
        make()


@pytest.mark.parametrize(("options", "said"), [
    ({"s_min": 1.0, "s_max": -1.0}, "between s_min = 1.0 and s_max = -1.0 there is no room"),
    ({"s_min": -1.0, "s_max": 1.0, "L": 5.0}, "no room for its length L = 5.0"),
    ({"restitution": 1.5}, "restitution = 1.5 must lie between 0 and 1"),
])
def test_stops_that_leave_no_room(options, said):
    with pytest.raises(lw.ModelError, match=said):
        translational.MassWithStopAndFriction(m=1, **options)


def test_an_inertia_that_becomes_negative():
    m = driven()
    with pytest.raises(lw.ModelError, match="load.J = -3 cannot be negative"):
        m.load.J = -3
    assert m.load.J == 2.0


def test_two_position_sources_on_one_shaft():
    m = driven()
    m.a, m.b = rotational.Position(phi_ref=0.0), rotational.Position(phi_ref=lw.time)
    m.gear = rotational.IdealGear(ratio=3)
    m.connect(m.a.flange, m.load.flange_a)
    m.connect(m.load.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.b.flange)
    with pytest.raises(lw.TopologyError, match="a, b: two sources prescribe the motion of one shaft; remove one"):
        lw.compile(m)


def test_a_position_source_on_a_shaft_that_is_fixed():
    m = driven()
    m.a, m.fixed = rotational.Position(phi_ref=0.0), rotational.Fixed()
    m.connect(m.a.flange, m.load.flange_a)
    m.connect(m.load.flange_b, m.fixed.flange)
    with pytest.raises(lw.TopologyError, match="a moves a flange that is fixed to the ground"):
        lw.compile(m)


@pytest.mark.parametrize("law, error, said", [
    (lambda m: m.motor.tau + 1, lw.ModelError, "motor.tau"),  # x = x + 1
    (lambda m: m.motor.tau**2 + 1, lw.InitialError, "motor.tau: no solution"),  # x = x² + 1
    (lambda m: 2.0 * m.load.a + 1, lw.InitialError, "load: no acceleration fulfils the law"),  # J a = J a + 1
])
def test_an_algebraic_loop_without_solution(law, error, said):
    m = driven()
    m.motor.tau = law(m)
    with pytest.raises(error, match=said):
        lw.simulate(m, 0.1)


def test_an_algebraic_loop_with_a_solution_is_solved():
    m = driven()
    m.motor.tau = 3.0 - 0.5 * m.motor.tau - 1.0 * m.load.a
    r = lw.simulate(m, 0.1)
    assert r["load.a"] == pytest.approx(3.0 / 1.5 / (2.0 + 1.0 / 1.5))
    assert r["motor.tau"] == pytest.approx(2 * r["load.a"])


def test_efficiency_outside_its_range():
    for eta in (0.0, 1.01, -0.5):
        with pytest.raises(lw.ModelError, match=f"eta_mf1 = {eta:g} must lie above 0 and not above 1"):
            rotational.LossyGear(ratio=2, loss_table=[[0, eta, 0.9, 0, 0]])


def test_gears_that_block_one_another():
    m = driven()
    m.other = rotational.Inertia(J=1.0)
    m.one, m.two = rotational.IdealGear(ratio=3), rotational.IdealGear(ratio=4)
    for gear in (m.one, m.two):
        m.connect(m.load.flange_b, gear.flange_a)
        m.connect(gear.flange_b, m.other.flange_a)
    with pytest.raises(lw.TopologyError, match="contradicting ratios"):
        lw.compile(m)


@pytest.mark.parametrize(("library", "friction", "mass", "part"), [
    (rotational, "BearingFriction", "Inertia", "an Inertia"), (translational, "SupportFriction", "Mass", "a Mass")])
def test_dry_friction_on_a_shaft_without_inertia(library, friction, mass, part):
    m = lw.Model("light")
    m.world = lw.World()
    m.rub, m.spring = getattr(library, friction)(), library.Spring(c=1.0)
    m.load = library.Inertia(J=1.0) if mass == "Inertia" else library.Mass(m=1.0)
    m.connect(m.rub.flange_b, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.load.flange_a)
    with pytest.raises(lw.TopologyError, match=rf"rub: dry friction .* without inertia \(.*\).*connect {part} to it"):
        lw.compile(m)
