"""A model that comes back with other numbers: right for the new ones, and compiled again only where it must be."""

import numpy as np
import pytest

import linkwright as lw
import linkwright.compiler.compiled as compile_module
from linkwright import blocks, forces, joints, parts, rotational


@pytest.fixture
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


def pendulum(mass=1.0, n=(0, -1, 0), length=0.5):
    m = lw.Model("pendulum")
    m.world = lw.World(n=n)
    m.rev = joints.Revolute(phi=1.0)
    m.rod = parts.BodyBox(r=[length, 0, 0], width=0.05)
    m.body = parts.Body(m=mass, r_cm=[0.1, 0, 0])
    m.chain(m.world, m.rev, m.rod, m.body)
    return m


def test_a_hundred_masses_compile_twice(compilations):
    for mass in np.linspace(1, 5, 100):
        lw.simulate(pendulum(mass), 0.1)
    assert len(compilations) == 2


def alone(build, *arguments):
    """phi after 1 s from a fresh compilation."""
    compile_module._known.clear()
    return lw.simulate(build(*arguments), 1.0)["rev.phi"][-1]


def test_the_direction_of_gravity_is_never_stale(compilations):
    directions = [(0, -1, 0), (0, 0, -1), (-1, 0, 0), (0, -1, 0)]
    together = [lw.simulate(pendulum(1.0, n), 1.0)["rev.phi"][-1] for n in directions]
    assert together == pytest.approx([alone(pendulum, 1.0, n) for n in directions], abs=1e-9)


def boxed(r):
    m = lw.Model("box")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[1, 1, 1], phi=0.3)
    m.box = parts.BodyBox(r=r, width=0.05, height=0.1)
    m.chain(m.world, m.rev, m.box)
    return m


def test_the_inertia_of_a_box_follows_its_direction(compilations):
    directions = [[0.5, 0, 0], [0, 0, 0.4], [0.1, 0.3, 0.2], [0, 0.5, 0], [0.5, 0, 0]]
    together = [lw.simulate(boxed(r), 1.0)["rev.phi"][-1] for r in directions]
    assert len(compilations) == 2
    assert together == pytest.approx([alone(boxed, r) for r in directions], abs=1e-9)


def tilted(n, angle):
    m = lw.Model("tilted")
    m.world = lw.World()
    m.tilt = parts.FixedRotation(n=n, angle=angle)
    m.rev = joints.Revolute(phi=0.3)
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.tilt, m.rev, m.body)
    return m


def test_a_fixed_rotation_follows_its_axis(compilations):
    cases = [([1, 0, 0], 0.3), ([0, 1, 0], 0.3), ([1, 2, 0], -0.4), ([1, 0, 0], 0.3)]
    together = [lw.simulate(tilted(*case), 1.0)["rev.phi"][-1] for case in cases]
    assert together == pytest.approx([alone(tilted, *case) for case in cases], abs=1e-9)


class Offset(forces.LineForce):
    """A user's law that reads one of its parameters as a plain number outside the law."""

    k = lw.parameter(10.0, "stiffness")

    def force(self, s, v):
        return self.k * s

    def describe(self, plan):
        super().describe(plan)
        plan.load(self, self.frame_b, [self.k, 0, 0], [0, 0, 0])


def offset(k):
    m = lw.Model("offset")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3)
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.arm = parts.FixedTranslation(r=[0.5, 0, 0])
    m.law = Offset(k=k)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.frame_b, m.arm.frame_a)
    m.connect(m.world.frame_b, m.law.frame_a)
    m.connect(m.arm.frame_b, m.law.frame_b)
    return m


def test_a_parameter_read_as_a_plain_number_is_not_made_an_input(compilations):
    values = [10.0, 11.0, 12.0, 10.0]
    together = [lw.simulate(offset(k), 1.0)["rev.phi"][-1] for k in values]
    assert together == pytest.approx([alone(offset, k) for k in values], abs=1e-9)
    with pytest.raises(lw.ModelError, match="law.k"):
        lw.compile(offset(10.0), tunable=["law.k"])


def test_one_tunable_parameter_may_be_given_as_its_name():
    m = lw.Model("one")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    assert lw.compile(m, tunable="body.m").part_names("p") == ["body.m"]


def driven(gain, push, delay, exponent=3):
    """Constants in formulas of signals."""
    m = lw.Model("driven")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.5)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.motor = rotational.Torque(tau=-gain * m.rev.phi**exponent - 0.1 * m.rev.w + lw.where(lw.time > delay, 1.5, 0))
    m.connect(m.rev.axis, m.motor.flange)
    m.push = forces.WorldForce(force=[0, push, 0])
    m.connect(m.body.frame_a, m.push.frame_b)
    return m


def test_constants_in_signals_become_inputs(compilations):
    cases = [(2.5, 3.0, 0.3), (2.6, 4.0, 0.3), (2.7, 5.0, 0.3), (3.0, -5.0, 0.3), (2.5, 3.0, 0.3), (9.0, 7.0, 0.3)]
    together = [lw.simulate(driven(*case), 1.0)["rev.phi"][-1] for case in cases]
    assert len(compilations) == 2
    assert together == pytest.approx([alone(driven, *case) for case in cases], abs=1e-9)


def test_constants_that_differ_in_the_last_digits_are_not_the_same(compilations):
    near = [lw.simulate(driven(gain, 3.0, 0.3), 1.0)["rev.phi"][-1] for gain in (2.123456789, 2.123456799)]
    assert near == pytest.approx([alone(driven, gain, 3.0, 0.3) for gain in (2.123456789, 2.123456799)], abs=1e-13)
    assert near[0] != near[1]


def test_changed_times_and_exponents_are_never_stale(compilations):
    cases = [(2.5, 3.0, 0.3), (2.5, 3.0, 0.6), (2.5, 3.0, 0.6, 5), (2.5, 3.0, 0.7, 7), (2.5, 3.0, 0.3)]
    together = [lw.simulate(driven(*case), 1.0)["rev.phi"][-1] for case in cases]
    assert together == pytest.approx([alone(driven, *case) for case in cases], abs=1e-9)


def test_only_what_changed_becomes_an_input(compilations):
    for gain in (2.5, 3.5):
        system = lw.compile(driven(gain, 3.0, 0.3))
    (changed,) = system.part_names("p")
    assert "#" in changed


def test_the_number_of_a_signal_is_an_input_from_the_beginning(compilations):
    systems = [lw.compile(driven(2.5, push, 0.3)) for push in (3.0, 4.0)]
    assert systems[0].code is systems[1].code and not systems[1].part_names("p")


def test_an_object_that_took_the_place_of_another_is_not_taken_for_it(compilations):
    """Friction laws given one after another, each new one where an old one was in memory."""
    m = pendulum()
    ends = []
    for torque in (0.1, 0.5, 1.0, 0.1, 0.5, 1.0):
        m.rev.friction = lw.Coulomb(tau=torque)
        ends.append(lw.simulate(m, 0.3)["rev.phi"][-1])
    assert ends[:3] == ends[3:]
    assert len(set(ends)) == 3
    assert len(compilations) == 2


def controlled(gain, lag, start, rate, brake):
    """Constants of blocks and integrals, and where they start."""
    m = lw.Model("controlled")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.5)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.part = lw.Model()
    m.part.damper = rotational.Torque(tau=-m.input("brake", default=brake) * m.rev.w)
    slow = m.part.integral(rate * (0.3 - m.rev.phi), start=start, name="slow")
    m.motor = rotational.Torque(tau=blocks.first_order(gain * (0.3 - m.rev.phi), T=lag, name="lag") + slow)
    m.connect(m.rev.axis, m.motor.flange, m.part.damper.flange)
    return m


def test_constants_of_blocks_and_integrals_become_inputs(compilations):
    cases = [(20.0, 0.11, 1.5, 3.0, 0.1), (21.0, 0.12, 2.5, 4.0, 0.2), (22.0, 0.13, -1.5, 5.0, 0.3),
             (23.0, 0.14, 0.7, 6.0, 0.4), (20.0, 0.11, 1.5, 3.0, 0.1)]
    together = [lw.simulate(controlled(*case), 1.0)["rev.phi"][-1] for case in cases]
    assert len(compilations) == 2
    assert together == pytest.approx([alone(controlled, *case) for case in cases], abs=1e-9)


def test_starts_and_inputs_need_no_code(compilations):
    for start in (1.5, 2.5, 0.0):
        state = lw.compile(controlled(20.0, 0.1, start, 3.0, 2 * start)).state()
        assert state.get("part.slow") == start
        assert state.get("brake") == 2 * start
    assert len(compilations) == 1


class Branching(forces.LineForce):
    """A law that chooses by one of its parameters, counts by another, and starts a state at a third."""

    limit = lw.parameter(1.0)
    order = lw.parameter(2.0)
    first = lw.parameter(0.1)
    k = lw.parameter(3.0)

    def force(self, s, v):
        z = self.state("z", der=lambda z: s - z, start=self.first)
        return (self.k if self.limit > 0.5 else 2 * self.k) * sum(s**n for n in range(int(self.order))) + z


def branching(**given):
    m = offset(10.0)
    m.second = Branching(**given)
    m.connect(m.world.frame_b, m.second.frame_a)
    m.connect(m.arm.frame_b, m.second.frame_b)
    return m


def test_a_law_that_branches_on_a_number_is_translated_for_it(compilations):
    cases = [{}, {"limit": 0.2}, {"limit": 2.0, "k": 4.0}, {"order": 3.0, "k": 5.0}, {"first": 0.5}, {}]
    together = [lw.simulate(branching(**case), 0.5)["rev.phi"][-1] for case in cases]
    compile_module._known.clear()
    for case, end in zip(cases, together, strict=True):
        compile_module._known.clear()
        assert end == pytest.approx(lw.simulate(branching(**case), 0.5)["rev.phi"][-1], abs=1e-9)
    assert lw.compile(branching(), tunable=["second.k"]).part_names("p") == ["second.k"]
    for name in ("limit", "order", "first"):
        with pytest.raises(lw.ModelError, match=f"second.{name}: this decides the structure"):
            lw.compile(branching(), tunable=[f"second.{name}"])


def spun(kind, x):
    """A wheel at speed 1 with one number in an expression that is no signal."""
    m = lw.Model("spun")
    m.world = lw.World()
    m.wheel = rotational.Inertia(J=1.0, phi=lw.guess(0.0), w=1.0)
    count = m.discrete("count", 0)
    if kind != "init":
        m.init(m.wheel.phi, 0.0)
    {"when": lambda: m.when(m.wheel.phi > x, {count: 1}), "time": lambda: m.when(lw.time > x, {count: 1}),
     "value": lambda: m.when(m.wheel.phi > 0.5, {count: x}), "each_step": lambda: m.each_step({count: x * m.wheel.w}),
     "both": lambda: m.when(lw.logical_and(m.wheel.phi > x, m.wheel.w < 3), {count: 1}),
     "terminate": lambda: m.terminate(m.wheel.phi > x), "output": lambda: m.output("y", x * m.wheel.phi),
     "init": lambda: m.init(m.wheel.phi, x)}[kind]()
    return m


@pytest.mark.parametrize("kind", ["when", "time", "both", "value", "each_step", "terminate", "output", "init"])
def test_thresholds_new_values_outputs_and_initial_equations_compile_twice(compilations, kind):
    for x in (0.3, 0.37, 0.4, 0.45, 0.52):
        r = lw.simulate(spun(kind, x), 1.0)
        shown = {"value": "count", "each_step": "count", "output": "y", "terminate": "wheel.phi"}
        found = r[shown[kind]][-1] if kind in shown else r["wheel.phi"][0] if kind == "init" else r.events[-1].time
        assert found == pytest.approx(x, abs=1e-9)
        if kind in ("when", "time", "terminate"):
            assert r.events[-1].what == ("time" if kind == "time" else "wheel.phi") + f" > {x}"
    assert len(compilations) == 2
