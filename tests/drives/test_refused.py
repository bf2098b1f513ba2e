"""Drive trains that make no sense are refused before anything runs, by name and with a remedy."""

import pytest

import linkwright as lw
from linkwright import parts, rotational, translational
from linkwright.language.fields import Parameter


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
    with pytest.raises(lw.ModelError, match="(ratio|radius) = 0 must be other than zero"):
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


@pytest.mark.parametrize(("name", "given", "said"), [
    ("J", -1, "load.J = -1 cannot be negative"), ("ratio", 0, "gear.ratio = 0 must be other than zero")])
def test_a_tuned_parameter_out_of_its_range(name, given, said):
    m = driven()
    m.gear, m.other = rotational.IdealGear(ratio=2), rotational.Inertia(J=1)
    m.connect(m.load.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.other.flange_a)
    path = "load.J" if name == "J" else "gear.ratio"
    system = lw.compile(m, tunable=[path])
    with pytest.raises(lw.ModelError, match=said):
        lw.simulate(system, 1.0, inputs={path: given})


NUMBERS = [(kind, given, name) for kind, given in (
    (rotational.Inertia, {"J": 1}), (rotational.Spring, {"c": 1}), (rotational.IdealGear, {"ratio": 2}),
    (rotational.BearingFriction, {}), (rotational.Brake, {"fn_max": 1}), (rotational.LossyGear, {"ratio": 2}),
    (rotational.Position, {}), (rotational.DCMotor, {"R": 1, "k": 1}), (rotational.ConstantSpeed, {"w_fixed": 1}),
    (translational.MassWithStopAndFriction, {"m": 1}), (translational.ElastoGap, {"c": 1}), (parts.Mounting1D, {}),
    (parts.Rotor1D, {"J": 1})) for name, field in kind.fields().items()
    if isinstance(field, Parameter) and not isinstance(field.default, bool)]


@pytest.mark.parametrize(("kind", "given", "name"), NUMBERS)
@pytest.mark.parametrize("wrong", ("a", "1", [1, 2], [], None, 1j, {}, float("nan"), [[0, 1, 2], [0]], lw.time))
def test_what_is_no_number_is_refused_by_name(kind, given, name, wrong):
    if wrong is None and kind.fields()[name].default is None:
        assert getattr(kind(**{**given, name: None}), name) is None  # no limit
        return
    with pytest.raises(lw.ModelError, match=name):
        kind(**{**given, name: wrong})


@pytest.mark.parametrize(("make", "said"), [
    (lambda: rotational.Position(f_crit=0), "f_crit = 0 must be positive"),
    (lambda: translational.Speed(f_crit=-5), "f_crit = -5 must be positive"),
    (lambda: rotational.Brake(fn_max=float("inf")), "fn_max must be finite"),
    (lambda: rotational.BearingFriction(peak=0.5), "peak = 0.5 must be at least 1"),
    (lambda: translational.MassWithStopAndFriction(m=1, restitution=-0.5), "restitution = -0.5 must lie between"),
    (lambda: rotational.Position(exact=None), "exact: expected True or False, got None"),
    (lambda: parts.Mounting1D(n=[0, 0, 0]), "axis n .* has no direction")])
def test_numbers_out_of_their_range(make, said):
    with pytest.raises(lw.ModelError, match=said):
        make()


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


def test_start_values_that_contradict_each_other_are_called_by_their_component():
    m = lw.Model("start")
    m.world = lw.World()
    m.load, m.first = rotational.Inertia(J=2.0, phi=0, w=1), rotational.InitializeFlange(w_start=2.0)
    m.connect(m.first.flange, m.load.flange_b)
    with pytest.raises(lw.InitialError, match=r"load.w = 1 .*\n.*first.w_start \(off by"):
        lw.simulate(m, 1.0)
