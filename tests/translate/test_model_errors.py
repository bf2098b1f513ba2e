"""Mistakes in a model are refused before anything runs, by the names of the components and with advice."""

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, sensors, translational


def pendulum():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


# --- building ---


def test_unlike_connectors():
    m = pendulum()
    m.damper = rotational.Damper(d=1)
    m.rod = translational.Spring(c=1)
    with pytest.raises(lw.ModelError, match=r"cannot connect body.frame_a \(a frame\) with damper.flange_a \(a rotat"):
        m.connect(m.body.frame_a, m.damper.flange_a)
    with pytest.raises(lw.ModelError, match="damper.flange_a.*rod.flange_a"):
        m.connect(m.damper.flange_a, m.rod.flange_a)


def test_connecting_what_is_no_connector():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="connect joins connectors such as rev.frame_b"):
        m.connect(m.body, m.rev)
    with pytest.raises(lw.ModelError, match="at least two"):
        m.connect(m.body.frame_a)


def test_a_component_belongs_to_one_place():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="again: this Body is already 'body'"):
        m.again = m.body
    with pytest.raises(lw.ModelError, match="body is already there"):
        m.body = parts.Body(m=2)
    other = lw.Model("other")
    other.body = parts.Body(m=1)
    with pytest.raises(lw.ModelError, match="belongs to another model"):
        m.connect(m.rev.frame_b, other.body.frame_a)


def test_a_component_is_not_overwritten_by_a_number():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="body is a component and stays"):
        m.body = 3.0


@pytest.mark.parametrize("wrong, near", (
    (lambda m: m.rev.phy, "phi"), (lambda m: m.rev.frame_c, "frame_"), (lambda m: m.bodi.m, "body"),
    (lambda m: joints.Revolute(phii=0), "phi"), (lambda m: parts.Body(mass=1), "m"),
    (lambda m: setattr(m.body, "r_cn", [0, 0, 0]), "r_cm"),
    (lambda m: lw.simulate(m, 0.01)["rev.ph"], "rev.phi"),
    (lambda m: lw.simulate(m, 0.01)["body.frame_a.r"], "body.frame_a.r_0"),
))
def test_names_that_are_not_there_suggest_near_ones(wrong, near):
    with pytest.raises(lw.ModelError) as caught:
        wrong(pendulum())
    assert near in str(caught.value)


def test_result_names_raise_key_error_too():
    r = lw.simulate(pendulum(), 0.01)
    with pytest.raises(KeyError):
        r["nothing"]
    with pytest.raises(AttributeError):
        _ = pendulum().rev.nothing


def test_computed_variables_take_no_value():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="rev.phi is computed"):
        m.rev.phi = 3
    with pytest.raises(lw.ModelError, match="tau is computed"):
        joints.Revolute(tau=3)


# --- parameters ---


@pytest.mark.parametrize("make, message", (
    (lambda: joints.Revolute(n=[0, 0, 0]), r"axis n = \(0, 0, 0\) has no direction; give a non-zero vector"),
    (lambda: joints.Prismatic(n=[0, 0, 0]), "has no direction"),
    (lambda: joints.Revolute(n=[0, 1]), "three finite numbers"),
    (lambda: joints.Universal(n_a=[1, 0, 0], n_b=[2, 0, 0]), "parallel"),
    (lambda: lw.World(n=[0, 0, 0]), "n"),
    (lambda: parts.Body(m=-1), "mass cannot be negative"),
    (lambda: parts.Body(), "the parameter m"),
    (lambda: parts.Body(m=math.nan), "finite"),
    (lambda: parts.Body(m="heavy"), "expected a number"),
    (lambda: parts.Body(m=1, r_cm=[1, 2]), "expected 3 numbers"),
    (lambda: parts.Body(m=1, inertia=[1, 1, 1], I_11=2), "not both"),
    (lambda: parts.FixedTranslation(r=[0, 0]), "expected 3 numbers"),
    (lambda: parts.FixedRotation(rotation_type="quaternion"), "rotation_type"),
    (lambda: parts.BodyBox(r=[0, 0, 0]), "no length"),
    (lambda: parts.BodyCylinder(r=[1, 0, 0], diameter=0.1, inner_diameter=0.2), "must be smaller"),
    (lambda: forces.WorldForce(resolve_in_frame="frame_a"), "resolve_in_frame is one of"),
    (lambda: forces.SpringDamperSeries(c=1, d=0), "positive damping"),
    (lambda: forces.Spring(c=1, m=-1), "mass cannot be negative"),
    (lambda: sensors.AbsoluteSensor(resolve_in_frame="frame_b"), "resolve_in_frame is one of"),
    (lambda: joints.Revolute(phi=math.inf), "finite"),
    (lambda: lw.World(gravity="none"), "gravity is"),
    (lambda: forces.WorldForce(force=[1, 2]), "shape 3×1"),
))
def test_bad_parameters(make, message):
    with pytest.raises(lw.ModelError, match=message):
        make()


def test_zero_axis_of_a_fixed_rotation():
    with pytest.raises(lw.ModelError, match=r"axis n = \(0, 0, 0\) has no direction"):
        parts.FixedRotation(n=[0, 0, 0], angle=1)
    with pytest.raises(lw.ModelError, match="axis n_x"):
        parts.FixedRotation(rotation_type="two_axes", n_x=[0, 0, 0])


# --- topology ---


def test_two_worlds():
    m = pendulum()
    m.second = lw.World()
    with pytest.raises(lw.ModelError, match="second: a model has one World, but world is there already"):
        lw.simulate(m, 0.1)


def test_a_missing_world_warns_once():
    m = lw.Model("no world")
    m.body = parts.Body(m=1, r_0=[0, 0, 0])
    with pytest.warns(UserWarning, match="no World"):
        r = lw.simulate(m, 0.5)
    assert r["body.r_0"][-1, 1] == pytest.approx(-0.5 * 9.80665 * 0.25, abs=1e-7)


def test_a_massless_floating_part():
    m = pendulum()
    m.bar = parts.FixedTranslation(r=[1, 0, 0])
    with pytest.raises(lw.TopologyError, match="'bar.frame_a' is connected to nothing that leads to the world and has "
                                               "no mass"):
        lw.simulate(m, 0.1)


def test_massless_linkage_that_floats():
    m = pendulum()
    m.bar = parts.FixedTranslation(r=[1, 0, 0])
    m.hinge = joints.Revolute()
    m.bar2 = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.bar, m.hinge, m.bar2)
    with pytest.raises(lw.LinkwrightError, match="bar|hinge"):
        lw.simulate(m, 0.1)


def test_a_movable_part_without_inertia():
    m = pendulum()
    m.more = joints.Revolute(n=[1, 0, 0])
    m.bar = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.body, m.more, m.bar)
    with pytest.raises(lw.LinkwrightError, match="more"):
        lw.simulate(m, 0.1)


def ring(last):
    m = pendulum()
    m.a = parts.FixedTranslation(r=[1, 0, 0])
    m.b = parts.FixedRotation(r=[0, 1, 0], n=[0, 0, 1], angle=np.pi / 2)
    m.c = parts.FixedTranslation(r=last)
    m.chain(m.body, m.a, m.b, m.c)
    m.d = parts.FixedRotation(r=[0, 0, 0], n=[0, 0, 1], angle=-np.pi / 2)
    m.chain(m.c, m.d)
    m.connect(m.d.frame_b, m.body.frame_a)
    return m


def test_a_rigid_ring_that_closes():
    """From (1, 1) turned by 90°, (−1, 1) leads back to the origin."""
    r = lw.simulate(ring([-1, 1, 0]), 0.1)
    assert r["rev.a"][0] == pytest.approx(-9.80665 * 0.5 / (0.25 + 0.001))


def test_a_rigid_ring_that_does_not_close():
    with pytest.raises(lw.TopologyError, match="ring of rigid parts does not close: gap 0.5 m"):
        lw.simulate(ring([-1, 1.5, 0]), 0.1)


def test_a_joint_between_two_frames_of_one_part():
    m = pendulum()
    m.stuck = joints.Revolute()
    m.connect(m.body.frame_a, m.stuck.frame_a, m.stuck.frame_b)
    with pytest.raises(lw.TopologyError, match="stuck: both frames are fixed to the same part"):
        lw.simulate(m, 0.1)


@pytest.mark.parametrize("make, loose", (
    (lambda: forces.Spring(c=1), "part.frame_b is connected to nothing; a Spring"),
    (lambda: forces.ForceAndTorque(), "part.frame_b is connected"),
    (lambda: sensors.RelativeSensor(), "part.frame_b is connected"),
    (lambda: sensors.CutForce(), "part.frame_b is connected"),
    (lambda: sensors.AbsoluteSensor(resolve_in_frame="frame_resolve"), "part.frame_resolve is connected to nothing; it "
                                                                       "was chosen"),
    (lambda: forces.LineForceWithMass(), "part.frame_b is connected"),
))
def test_required_frames_that_are_not_connected(make, loose):
    m = pendulum()
    m.part = make()
    m.connect(m.body.frame_a, m.part.frame_a)
    with pytest.raises(lw.TopologyError, match=loose):
        lw.simulate(m, 0.1)


def test_required_frames_of_loads_on_nothing():
    m = pendulum()
    m.push = forces.WorldForce(force=[1, 0, 0])
    with pytest.raises(lw.TopologyError, match="push.frame_b is connected to nothing"):
        lw.simulate(m, 0.1)


@pytest.mark.parametrize("joint", (joints.Revolute, joints.Spherical, joints.FreeMotion))
def test_a_joint_that_hangs_on_nothing(joint):
    """The connection to the world was forgotten."""
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.joint = joint()
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.joint, m.body)
    with pytest.raises(lw.TopologyError, match=f"joint.frame_a is connected to nothing; a {joint.__name__} works only"):
        lw.simulate(m, 0.1)


def test_a_port_of_a_sub_model_alone_is_no_connection():
    class Strut(lw.Model):
        def __init__(self):
            super().__init__()
            self.end = lw.Frame()
            self.spring = forces.Spring(c=1)
            self.connect(self.end, self.spring.frame_a)

    m = pendulum()
    m.strut = Strut()
    m.connect(m.body.frame_a, m.strut.spring.frame_b)
    with pytest.raises(lw.TopologyError, match="strut.spring.frame_a is connected to nothing"):
        lw.simulate(m, 0.1)


def test_optional_frames_may_stay_loose():
    m = pendulum()
    m.look = sensors.AbsoluteSensor()
    m.push = forces.WorldForce()
    m.bar = parts.BodyShape(r=[1, 0, 0], m=1, r_cm=[0.5, 0, 0])
    m.connect(m.body.frame_a, m.look.frame_a, m.push.frame_b, m.bar.frame_a)
    r = lw.simulate(m, 0.1)
    assert r["bar.frame_b.f"] == pytest.approx(np.zeros((len(r.t), 3)), abs=1e-12)


def test_errors_carry_the_components():
    m = pendulum()
    m.part = forces.Spring(c=1)
    m.connect(m.body.frame_a, m.part.frame_a)
    with pytest.raises(lw.LinkwrightError) as caught:
        lw.simulate(m, 0.1)
    assert caught.value.components == (m.part,)


@pytest.mark.parametrize("use", [
    float, math.sin, math.sqrt, lambda x: float(2 * x + 1), lambda x: math.cos(lw.sin(x)), lambda x: math.hypot(x, 1),
])
def test_a_variable_has_no_number(use):
    """CasADi would give NaN."""
    with pytest.raises(lw.ModelError, match="rev.phi.* has no value while the model is written.*lw.sin"):
        use(pendulum().rev.phi)


@pytest.mark.parametrize("use", [
    lambda x: x > 0 or x < -1, lambda x: 1.0 if 2 * x - 1 >= 0 else -1.0, lambda x: max(x, 0), lambda x: 0 < x < 1,
    lambda x: not lw.logical_and(x > 0, x < 1), lambda x: x == 1 and 2, lambda x: 1 if lw.time > 1 + x else 0,
])
def test_a_condition_of_variables_has_no_truth(use):
    with pytest.raises(lw.ModelError, match=r"rev.phi.* has no value while the model is written.*lw.where"):
        use(pendulum().rev.phi)


def test_a_number_of_turns_cannot_be_counted_with_int():
    with pytest.raises(lw.ModelError, match="lw.floor"):
        int(pendulum().rev.phi)


def test_the_entries_of_a_vector_can_be_unpacked():
    m = pendulum()
    x, y, z = m.body.r_0
    m.output("height", y)
    assert lw.compile(m).state().get("height") == pytest.approx(lw.compile(m).state().get("body.r_0")[1])


def test_nan_is_refused_where_it_enters():
    m = pendulum()
    m.motor = rotational.Torque()
    with pytest.raises(lw.ModelError, match="motor.tau is nan"):
        m.motor.tau = math.nan
    with pytest.raises(lw.ModelError, match="not finite"):
        m.integral(math.inf)
    with pytest.raises(lw.ModelError, match="not finite"):
        m.output("bad", math.nan)
    with pytest.raises(lw.ModelError, match="not finite"):
        m.init(m.rev.w, math.nan)


def test_signals_of_a_wrong_kind():
    m = pendulum()
    m.motor = rotational.Torque()
    with pytest.raises(lw.ModelError, match="motor.tau: expected a number or an expression"):
        m.motor.tau = "fast"
    with pytest.raises(lw.ModelError, match="motor.tau"):
        m.motor.tau = m.body.r_0
    with pytest.raises(lw.ModelError, match="body.m is a parameter and takes numbers, not an expression of variables"):
        m.body.m = m.rev.phi
    with pytest.raises(lw.ModelError, match="body.r_cm is a parameter and takes numbers, not an expression"):
        m.body.r_cm = [m.body.m, 2 * m.rev.phi, 0]


@pytest.mark.parametrize("where, use", [
    ("motor.tau reads", lambda m, x: setattr(m.motor, "tau", 2 * x)),
    ("motor.tau reads", lambda m, x: setattr(m.motor, "tau", lw.der(x) + m.rev.phi)),
    ("filter reads", lambda m, x: setattr(m.motor, "tau", lw.blocks.first_order(x - m.rev.phi, name="filter"))),
    ("work reads", lambda m, x: m.integral(x * m.rev.w, name="work")),
    ("the output lead reads", lambda m, x: m.output("lead", [m.rev.phi, m.rev.phi - x])),
    ("initial equation 1 of pendulum reads", lambda m, x: m.init(m.rev.phi, x)),
    ("pendulum: when .* reads", lambda m, x: m.when(x > 1, {m.rev.w: 0})),
    ("pendulum: when rev.phi > 1 sets", lambda m, x: m.when(m.rev.phi > 1, {x: 0})),
    ("pendulum: when rev.phi > 1 reads", lambda m, x: m.when(m.rev.phi > 1, {m.rev.w: -x})),
    ("pendulum: when .* reads", lambda m, x: m.terminate(lw.logical_and(lw.time > 1, x > 1), "over")),
])
@pytest.mark.parametrize("foreign", ["another model", "no model", "another model's input"])
def test_what_another_model_knows_is_refused_with_its_name_and_place(where, use, foreign):
    m, other = pendulum(), pendulum()
    m.motor = rotational.Torque()
    m.connect(m.motor.flange, m.rev.axis)
    read = {"another model": other.rev.phi, "no model": joints.Revolute().phi,
            "another model's input": other.input("brake")}[foreign]
    use(m, read)
    with pytest.raises(lw.ModelError, match=f"^{where} {read.name()}, which is no variable of the model 'pendul"):
        lw.simulate(m, 0.1)


def test_an_input_named_twice():
    m = pendulum()
    m.input("drive")
    with pytest.raises(lw.ModelError, match="drive"):
        m.input("drive")


def test_an_input_named_like_a_component():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="body is already there; choose another name"):
        m.input("body")


def test_a_gravity_field_of_a_wrong_shape():
    for field in (lambda r: [0, 1], lambda r: [0, math.sin(r[0]), 0]):
        m = pendulum()
        m.world._parameters["gravity"] = field
        with pytest.raises(lw.ModelError, match="world: gravity"):
            lw.simulate(m, 0.1)


@pytest.mark.parametrize("gap, closes", [(1e-10, True), (1e-6, False)])
def test_a_ring_may_be_off_by_rounding_only(gap, closes):
    if closes:
        lw.compile(ring([-1 + gap, 1, 0]))
        return
    with pytest.raises(lw.TopologyError, match="does not close"):
        lw.compile(ring([-1 + gap, 1, 0]))


def test_a_ring_is_looked_at_however_often_its_numbers_change():
    """Numbers that changed before are inputs of the code made then; whether a ring closes is asked all the same."""
    for gap in (0.0, 1e-10, 2e-10):
        lw.compile(ring([-1 + gap, 1, 0]))
    with pytest.raises(lw.TopologyError, match="does not close"):
        lw.compile(ring([-1 + 1e-6, 1, 0]))
