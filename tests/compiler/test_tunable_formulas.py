"""Tunable parameters take effect in all that was made of them: signals, other parameters, sub-models, start values."""

import math

import numpy as np
import pytest

import linkwright as lw
import linkwright.compiler.compiled as compile_module
from linkwright import assemblies, blocks, forces, joints, parts, rotational


@pytest.fixture(autouse=True)
def compilations(monkeypatch):
    """Counts compilations, from an empty memory."""
    count = []
    original = compile_module.compile_mechanism

    def counted(*arguments, **options):
        count.append(1)
        return original(*arguments, **options)

    monkeypatch.setattr(compile_module, "compile_mechanism", counted)
    monkeypatch.setattr(compile_module, "_known", {})
    return count


class Link(lw.Model):
    """A rod on a sprung joint, all of it computed from its length, its stiffness and an angle."""

    length = lw.parameter(0.5, "length", unit="m")
    stiffness = lw.parameter(3.0, "stiffness at the joint", unit="N.m/rad")
    angle = lw.parameter(0.3, "half the angle at the start", unit="rad")

    def __init__(self, name=None, **given):
        super().__init__(name, **given)
        self.rev = joints.Revolute(phi=2 * self.angle)
        self.rod = parts.BodyBox(r=[self.length, 0, 0], width=self.length / 10, density=1000.0)
        self.tip = parts.PointMass(m=0.2 * lw.sqrt(self.length))
        self.motor = rotational.Torque(tau=-self.stiffness * (self.rev.phi - self.angle) - 0.05 * self.rev.w)
        self.inner, self.outer = lw.Frame(), lw.Frame()
        self.connect(self.inner, self.rev.frame_a)
        self.connect(self.rev.frame_b, self.rod.frame_a)
        self.connect(self.rod.frame_b, self.outer, self.tip.frame_a)
        self.connect(self.rev.axis, self.motor.flange)


def two_links(**upper):
    m = lw.Model("two links")
    m.world = lw.World()
    m.upper, m.lower = Link(**upper), Link(length=0.3)
    m.connect(m.world.frame_b, m.upper.inner)
    m.connect(m.upper.outer, m.lower.inner)
    return m


VALUES = {"length": 0.7, "stiffness": 9.0, "angle": -0.2}


def motion(model_or_system, state=None, stop=1.0):
    r = lw.simulate(model_or_system, stop, state=state)
    return np.column_stack([r["upper.rev.phi"], r["lower.rev.phi"], r["lower.tip.r_0"], r["lower.rev.frame_a.f"]])


@pytest.mark.parametrize("tuned", VALUES)
def test_a_tuned_sub_model_moves_as_one_built_with_the_number(tuned):
    rebuilt = two_links(**{tuned: VALUES[tuned]})
    system = lw.compile(two_links(), tunable=[f"upper.{tuned}"])
    state = system.state().set(f"upper.{tuned}", VALUES[tuned]).set("upper.rev.phi", 2 * float(rebuilt.upper.angle))
    assert motion(system, state) == pytest.approx(motion(rebuilt), abs=1e-9)


def test_several_tunables_at_once_and_results_that_follow():
    system = lw.compile(two_links(angle=VALUES["angle"]), tunable=["upper.length", "upper.stiffness", "lower.length"])
    assert sorted(system.part_names("p")) == ["lower.length", "upper.length", "upper.stiffness"]
    state = system.state().set("upper.length", 0.7).set("upper.stiffness", 9.0)
    assert motion(system, state) == pytest.approx(motion(two_links(**VALUES)), abs=1e-9)
    assert state.get("upper.tip.m") == pytest.approx(0.2 * np.sqrt(0.7), rel=1e-14)
    assert state.get("upper.rod.r") == pytest.approx([0.7, 0, 0], rel=1e-14)
    assert state.get("upper.length") == 0.7


def test_a_parameter_changed_after_building_is_followed():
    m = two_links()
    for name, value in VALUES.items():
        setattr(m.upper, name, value)
    assert motion(m) == pytest.approx(motion(two_links(**VALUES)), abs=1e-9)


def test_a_hundred_values_of_a_sub_models_parameter_compile_twice(compilations):
    ends = [motion(two_links(length=length), stop=0.05)[-1] for length in np.linspace(0.4, 0.8, 100)]
    assert len(compilations) == 2
    compile_module._known.clear()
    assert ends[-1] == pytest.approx(motion(two_links(length=0.8), stop=0.05)[-1], abs=1e-9)


def test_numbers_fold_where_nothing_is_tunable():
    """The same code as with numbers in the place of the parameters."""
    m = two_links()
    counted = lw.compile(m).instructions
    for link in (m.upper, m.lower):
        length, stiffness, angle = float(link.length), float(link.stiffness), float(link.angle)
        link.rod.r, link.rod.width, link.tip.m = [length, 0, 0], length / 10, 0.2 * np.sqrt(length)
        link.motor.tau = -stiffness * (link.rev.phi - angle) - 0.05 * link.rev.w
    assert lw.compile(m).instructions == counted


def springs(c=20.0, factor=2.0, gain=3.0):
    """A bob between two springs and a motor, each with a formula of the first spring's stiffness."""
    m = lw.Model("springs")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.4)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.left, m.right = parts.Fixed(r=[-1, 0.2, 0]), parts.Fixed(r=[1, 0.3, 0])
    m.arm = parts.FixedTranslation(r=[0.5, 0, 0])
    m.spring1 = forces.Spring(c=c, s_unstretched=0.3)
    m.spring2 = forces.Spring(c=factor * m.spring1.c, s_unstretched=m.spring1.s_unstretched + 0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.frame_b, m.arm.frame_a)
    for fixed, spring in ((m.left, m.spring1), (m.right, m.spring2)):
        m.connect(fixed.frame_b, spring.frame_a)
        m.connect(spring.frame_b, m.arm.frame_b)
    m.motor = rotational.Torque(tau=-m.spring1.c / gain * m.rev.phi)
    m.connect(m.rev.axis, m.motor.flange)
    m.work = m.integral(m.spring1.c * m.rev.w**2, name="work")
    m.output("scaled", m.spring1.c * m.rev.phi)
    return m


NAMES = ("rev.phi", "work", "scaled", "spring2.f")


def test_a_formula_with_a_tuned_parameter():
    system = lw.compile(springs(), tunable=["spring1.c"])
    assert system.part_names("p") == ["spring1.c"]
    r = lw.simulate(system, 1.0, state=system.state().set("spring1.c", 35.0))
    rebuilt = lw.simulate(springs(c=35.0), 1.0)
    for name in NAMES:
        assert r[name] == pytest.approx(rebuilt[name], abs=1e-8)


def test_a_tuned_parameter_with_a_formula_is_an_input_of_its_own():
    system = lw.compile(springs(), tunable=["spring2.c"])
    assert system.part_names("p") == ["spring2.c"]
    r = lw.simulate(system, 1.0, state=system.state().set("spring2.c", 60.0))
    assert r["rev.phi"] == pytest.approx(lw.simulate(springs(factor=3.0), 1.0)["rev.phi"], abs=1e-8)


def test_changed_factors_in_formulas_are_never_stale(compilations):
    cases = [(20.0, 2.0, 3.0), (21.0, 2.5, 3.5), (22.0, 2.5, 3.0), (20.0, 2.0, 4.0), (23.0, 2.7, 4.5), (20.0, 2.0, 3.0)]
    together = [lw.simulate(springs(*case), 0.5)["rev.phi"][-1] for case in cases]
    assert len(compilations) <= 3
    for case, end in zip(cases, together, strict=True):
        compile_module._known.clear()
        assert end == pytest.approx(lw.simulate(springs(*case), 0.5)["rev.phi"][-1], abs=1e-9)


def test_a_changed_factor_of_a_tuned_parameter_is_never_stale():
    for factor in (2.0, 2.5):
        system = lw.compile(springs(factor=factor), tunable=["spring1.c"])
        end = lw.simulate(system, 0.5, state=system.state().set("spring1.c", 30.0))["rev.phi"][-1]
        assert end == pytest.approx(lw.simulate(springs(30.0, factor), 0.5)["rev.phi"][-1], abs=1e-9)


def test_a_freed_parameter_takes_what_follows_it_along():
    """The angle at rest of the spring is found so that the pendulum starts at rest; another parameter is twice that."""
    m = lw.Model("freed")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(phi=0.5, a=0.0, w=0.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.spring = rotational.Spring(c=10.0, phi_rel0=lw.free(0.1))
    m.second = rotational.Spring(c=4.0, phi_rel0=2 * m.spring.phi_rel0)
    m.chain(m.world, m.rev, m.body)
    for spring in (m.spring, m.second):
        m.connect(m.rev.support, spring.flange_a)
        m.connect(m.rev.axis, spring.flange_b)
    state = lw.compile(m).state()
    rest = state.get("spring.phi_rel0")
    assert state.get("second.phi_rel0") == pytest.approx(2 * rest, rel=1e-14)
    torque = -10.0 * (0.5 - rest) - 4.0 * (0.5 - 2 * rest)
    assert torque == pytest.approx(9.80665 * 0.5 * np.cos(0.5), rel=1e-9)


def test_numbers_of_another_model_are_numbers():
    first, second = springs(c=33.0), springs()
    second.spring1.c = 2 * first.spring1.c
    second.body.m = first.body.m * second.spring1.c / 60
    system = lw.compile(second, tunable=["spring1.c"])
    assert system.state().get("spring1.c") == 66.0
    assert system.state().set("spring1.c", 30.0).get("body.m") == pytest.approx(0.5)
    second.motor.tau = first.spring1.c * second.rev.phi
    with pytest.raises(lw.ModelError, match=r"motor.tau reads spring1.c, which is no variable of the model"):
        lw.compile(second)


@pytest.mark.parametrize("make, size", [(parts.BodyBox, "width"), (parts.BodyCylinder, "diameter")])
def test_the_mass_of_a_shape_is_a_formula_of_its_sizes(make, size):
    """A counterweight as heavy as the rod, at the mirror image of its centre."""
    m = lw.Model("balance")
    m.world = lw.World()
    m.rev, m.rod = joints.Revolute(phi=0.3), make(r=[0.5, 0, 0])
    setattr(m.rod, size, 0.04)
    m.weight = parts.Body(m=m.rod.m, r_cm=-m.rod.r_cm)
    m.chain(m.world, m.rev, m.rod)
    m.connect(m.rev.frame_b, m.weight.frame_a)
    state = lw.compile(m, tunable=[f"rod.{size}", "rod.density", "rod.r"]).state()
    state.set(f"rod.{size}", 0.06).set("rod.density", 2700.0).set("rod.r", [0.7, 0.1, 0])
    area = 0.06**2 * (np.pi / 4 if size == "diameter" else 1)
    assert state.get("weight.m") == pytest.approx(2700 * area * np.hypot(0.7, 0.1), rel=1e-12)
    assert state.get("rev.a") == pytest.approx(0.0, abs=1e-12)


class Grid(lw.Model):
    """As many bodies as its parameter says."""

    count = lw.parameter(2.0, "number of bodies")
    pitch = lw.parameter(0.1, "their distance")

    def __init__(self, **given):
        super().__init__(**given)
        self.rev = joints.Revolute(phi=1.0)
        for k in range(int(self.count)):
            arm, body = parts.FixedTranslation(r=[(k + 1) * self.pitch, 0, 0]), parts.Body(m=1.0)
            setattr(self, f"arm{k}", arm)
            setattr(self, f"body{k}", body)
            self.connect(self.rev.frame_b, arm.frame_a)
            self.connect(arm.frame_b, body.frame_a)
        self.world = lw.World()
        self.connect(self.world.frame_b, self.rev.frame_a)


def test_a_parameter_that_decided_the_structure_is_refused_by_name():
    with pytest.raises(lw.ModelError, match=r"count: the model was built with its number \(test_tunable_formulas.py, "):
        lw.compile(Grid(), tunable=["count"])
    with pytest.raises(lw.ModelError, match=r"count: the model was built with another value; .*test_tunable_formulas"):
        Grid().count = 3
    system = lw.compile(Grid(), tunable=["pitch"])
    assert system.part_names("p") == ["pitch"]


@pytest.mark.parametrize("name", ["rev.n", "body0.inertia", "rev.friction.tau", "rev.phi"])
def test_what_is_no_number_cannot_be_tuned(name):
    with pytest.raises(lw.ModelError, match=name):
        lw.compile(Grid(), tunable=[name])


class Tilted(lw.Model):
    """Passes a parameter through formulas of another one, into an axis."""

    lean = lw.parameter(0.1, "lean of the axis")

    def __init__(self, **given):
        super().__init__(**given)
        self.tilt = parts.FixedRotation(n=[1, 0, 0], angle=2 * self.lean)
        self.rev = joints.Revolute(n=[0, lw.sin(self.tilt.angle), lw.cos(self.tilt.angle)])


def test_a_parameter_that_decided_an_axis_through_another_is_refused_by_name():
    m = lw.Model("tilted")
    m.part = Tilted()
    with pytest.raises(lw.ModelError, match="part.lean: the model was built with its number through part.tilt.angle"):
        lw.compile(m, tunable=["part.lean"])


def test_a_number_taken_outside_a_class_is_said_to_stay():
    m = springs()
    m.body.m = math.sqrt(m.spring1.c)
    with pytest.warns(UserWarning, match=r"spring1.c: it was used as a plain number in test_tunable_formulas.py"):
        system = lw.compile(m, tunable=["spring1.c"])
    assert system.state().set("spring1.c", 30.0).get("body.m") == np.sqrt(20.0)


def test_a_parameter_that_nothing_depends_on_is_refused():
    class Idle(lw.Model):
        length = lw.parameter(0.5)

        def __init__(self, length=0.5):
            super().__init__(length=length)
            self.rod = parts.BodyBox(r=[length, 0, 0], width=0.05)  # not self.length

    m = lw.Model("idle")
    m.link = Idle(0.4)
    with pytest.raises(lw.ModelError, match="link.length: nothing in the model depends on it.*self.length"):
        lw.compile(m, tunable=["link.length"])


class Controlled(lw.Model):
    """Parameters in blocks and sources."""

    gain = lw.parameter(20.0, "gain of the controller")
    lag = lw.parameter(0.2, "its time constant")
    limit = lw.parameter(3.0, "largest torque")

    def __init__(self, **given):
        super().__init__(**given)
        self.world, self.rev, self.body = lw.World(), joints.Revolute(phi=0.5), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        self.chain(self.world, self.rev, self.body)
        error = blocks.ramp(0.3, duration=self.lag) - self.rev.phi
        self.motor = rotational.Torque(tau=blocks.limiter(blocks.pi(error, k=self.gain, T=self.lag), self.limit))
        self.connect(self.rev.axis, self.motor.flange)


def test_parameters_in_blocks_are_tunable():
    system = lw.compile(Controlled(), tunable=["gain", "lag", "limit"])
    state = system.state().set("gain", 25.0).set("lag", 0.3).set("limit", 4.0)
    tuned = lw.simulate(system, 1.0, state=state)["rev.phi"]
    compile_module._known.clear()
    assert tuned == pytest.approx(lw.simulate(Controlled(gain=25.0, lag=0.3, limit=4.0), 1.0)["rev.phi"], abs=1e-9)


class Rubbing(lw.Model):
    """Parameters in the friction and the elastic stops of a joint."""

    tau = lw.parameter(0.3, "friction torque")
    c = lw.parameter(200.0, "stiffness of the stops")

    def __init__(self, **given):
        super().__init__(**given)
        self.world, self.body = lw.World(), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        self.rev = joints.Revolute(phi=0.5, phi_min=-1.2, friction=lw.Coulomb(tau=self.tau, viscous=0.1 * self.tau),
                                   stop=lw.CompliantStop(c=self.c, d=self.c / 100))
        self.chain(self.world, self.rev, self.body)


def test_parameters_in_friction_and_stops_are_tunable():
    system = lw.compile(Rubbing(), tunable=["tau", "c"])
    tuned = lw.simulate(system, 1.0, state=system.state().set("tau", 0.5).set("c", 300.0))["rev.phi"]
    own = lw.compile(Rubbing(), tunable=["rev.friction.tau", "rev.friction.viscous", "rev.stop.c", "rev.stop.d"])
    state = own.state().set("rev.friction.tau", 0.5).set("rev.friction.viscous", 0.05)
    alone = lw.simulate(own, 1.0, state=state.set("rev.stop.c", 300.0).set("rev.stop.d", 3.0))["rev.phi"]
    compile_module._known.clear()
    rebuilt = lw.simulate(Rubbing(tau=0.5, c=300.0), 1.0)["rev.phi"]
    assert tuned == pytest.approx(rebuilt, abs=1e-9)
    assert alone == pytest.approx(rebuilt, abs=1e-9)


def test_parameters_of_assemblies_are_tunable():
    def strut(offset):
        m = lw.Model("strut")
        m.world = lw.World()
        m.rev, m.arm = joints.Revolute(phi=0.3), parts.BodyShape(m=1.0, r=[1, 0, 0], r_cm=[0.5, 0, 0])
        m.foot = parts.Fixed(r=[0.2, -1, 0])
        m.strut = assemblies.JointUPS(n_axis_ia=[0.5, 1, 0], s_offset=offset)
        m.chain(m.world, m.rev, m.arm)
        m.connect(m.foot.frame_b, m.strut.frame_a)
        m.connect(m.arm.frame_b, m.strut.frame_b)
        return m

    system = lw.compile(strut(0.1), tunable=["strut.s_offset"])
    assert system.state().set("strut.s_offset", 0.4).get("strut.offset.r") == pytest.approx(
        lw.compile(strut(0.4)).state().get("strut.offset.r"), rel=1e-14)


def test_two_sub_models_are_told_apart_though_their_symbols_are_named_alike(compilations):
    """The same formula, once of the model's own joint and once of its neighbour's."""
    def pair(crossed):
        m = two_links()
        m.upper.motor.tau = -5 * (m.lower if crossed else m.upper).rev.phi
        return motion(m)[-1, 0]

    own, crossed = pair(False), pair(True)
    compile_module._known.clear()
    assert crossed == pair(True)
    assert abs(own - crossed) > 1e-3
