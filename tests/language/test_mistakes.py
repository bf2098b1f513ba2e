"""Mistakes of people who are new here: each is refused where it is made, in words that help."""

import pytest

import linkwright as lw
from linkwright import constraints, forces, joints, parts, rotational


def pendulum():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.motor = rotational.Torque()
    m.connect(m.rev.axis, m.motor.flange)
    return m


BUILDING = [
    (r"rev.frame_a is connected to itself", lambda m: m.connect(m.rev.frame_a, m.rev.frame_a)),
    (r"chain takes two or more components one after another", lambda m: m.chain([m.world, m.rev])),
    (r"chain takes two or more .* got <World world>", lambda m: m.chain(m.world)),
    (r"this Body is no part of pendulum yet; give it a name first", lambda m: m.connect(m.rev.frame_b,
                                                                                      parts.Body(m=1).frame_a)),
    (r"rev is a component and stays", lambda m: delattr(m, "rev")),
    (r"connect: a model uses this name itself", lambda m: setattr(m, "connect", parts.Body(m=1))),
    (r"path: a model uses this name itself", lambda m: setattr(m, "path", 3)),
    (r"title: a model uses this name itself", lambda m: setattr(m, "title", parts.Body(m=1))),
    (r"self_: a model cannot be a part of itself", lambda m: setattr(m, "self_", m)),
    (r"k: parameters are declared in a class", lambda m: setattr(m, "k", lw.parameter(3.0))),
    (r"rev.phi is already there", lambda m: m.output("rev.phi", m.rev.w)),
    (r"speed is already there", lambda m: (m.output("speed", m.rev.w), m.integral(m.rev.w, name="speed"))),
    (r"speed is already there; .* It is an input: give that a name of its own",
     lambda m: (m.input("speed"), setattr(m, "speed", parts.Body(m=1)))),
    (r"a name is a word in quotes, got SX\(rev.phi\)", lambda m: m.output(m.rev.phi, "angle")),
    (r"angle: expected a number or an expression, got <Revolute rev>", lambda m: m.output("angle", m.rev)),
    (r"motor.tau: expected .* got <function.*expression of lw.time", lambda m: setattr(m.motor, "tau", lambda t: t)),
    (r"lw.der: expected a number or an expression, got <Revolute", lambda m: lw.der(m.rev)),
    (r"work: the start value: expected a number, got 'low'", lambda m: m.integral(m.rev.w, start="low", name="work")),
    (r"brake: the default: expected a number, got None", lambda m: m.input("brake", default=None)),
    (r"init\(left, right\) takes two sides of an equation, not a comparison", lambda m: m.init(m.rev.phi == 1, 0)),
    (r"init\(left, right\): expected a number or an expression, got 'up'", lambda m: m.init(m.rev.phi, "up")),
    (r"r_0_2\] has 3×1 entries and none at 3", lambda m: m.body.r_0[3]),
    (r"body.r_0_.* is a variable, it cannot be written to", lambda m: m.body.r_0.__setitem__(0, 1.0)),
    (r"the new value of \[body.v_0_0, .*must be 3 numbers or expressions, got 0",
     lambda m: m.when(m.rev.phi > 1, {m.body.v_0: 0})),
    (r"body.m = lw.guess\(2.0\): .* is lw.free", lambda m: setattr(m.body, "m", lw.guess(2.0))),
    (r"rev.n = lw.free.*: this decides the structure", lambda m: setattr(m.rev, "n", lw.free([0, 0, 1]))),
    (r"start value of phi: expected a number, got 'up'", lambda m: joints.Revolute(phi="up")),
    (r"start value of phi: expected a number, got \[1\]", lambda m: joints.Revolute(phi=[1])),
    (r"start value of phi takes numbers, .* m.init\(left, right\)", lambda m: joints.Revolute(phi=2 * m.rev.phi)),
    (r"inertia is three principal moments or 3×3 numbers, got .* \(2,\)", lambda m: parts.Body(m=1, inertia=[1, 2])),
    (r"WorldForce.force: expected .* got \['up', 0, 0\]", lambda m: forces.WorldForce(force=["up", 0, 0])),
]


@pytest.mark.parametrize("message, mistake", BUILDING)
def test_a_mistake_in_a_model(message, mistake):
    with pytest.raises(lw.ModelError, match=message):
        mistake(pendulum())


def test_components_put_into_a_list_later_are_missed():
    m = pendulum()
    m.weights = []
    m.weights.extend([parts.Body(m=1.0), parts.Body(m=2.0)])
    with pytest.raises(lw.ModelError, match=r"weights holds a Body without a name of its own.*m.weights = \[…\]"):
        lw.compile(m)
    m.weights = m.weights
    for body in m.weights:
        m.connect(m.rev.frame_b, body.frame_a)
    assert lw.compile(m).state().get("weights[1].m") == 2.0


def own(base, **members):
    return type("Own", (base,), members)


def forgot(self, stiffness):
    self.stiffness = stiffness


CLASSES = [
    (r"Own: its __init__ must call super\(\).__init__", lambda: own(lw.Model, __init__=forgot)(3.0)),
    (r"Own: its __init__ must call super\(\).__init__", lambda: own(
        forces.LineForce, stiffness=lw.parameter(1.0), __init__=forgot)(3.0)),
    (r"Own.s: Line has something else of this name", lambda: own(forces.LineForce, s=lw.parameter(1.0))),
    (r"Own.symbol: Component has something else", lambda: own(forces.LineForce, symbol=lw.parameter(1.0))),
    (r"Own.frame_a is a connector already", lambda: own(forces.LineForce, frame_a=lw.parameter(1.0))()),
]


@pytest.mark.parametrize("message, mistake", CLASSES)
def test_a_mistake_in_a_class(message, mistake):
    with pytest.raises(lw.ModelError, match=message):
        mistake()


def between(part):
    """A body and something between it and the world."""
    m = lw.Model("between")
    m.world, m.part, m.body = lw.World(), part, parts.Body(m=1.0, r_cm=[0.3, 0, 0], r_0=lw.guess([1, 0, 0]))
    m.chain(m.world, m.part, m.body)
    return m


def twice(self, X_ab, V_ab):
    return lw.ForceMotor([self.state("z", der=lambda z: -z) + self.state("z", der=lambda z: z), 0, 0], [0, 0, 0])


LAWS = [
    (r"part: transform\(q\) does not depend on q\[1\], though dof = 2",
     own(joints.Joint, dof=2, transform=lambda self, q: lw.Transform(lw.rotation_z(q[0]), [0, 0, 0]))),
    (r"part.q has 1×1 entries and none at 1",
     own(joints.Joint, dof=1, transform=lambda self, q: lw.Transform(lw.rotation_z(q[0]), [q[1], 0, 0]))),
    (r"part: the law calls 'z' what is .* already", own(forces.TwoFrameForce, wrench=twice)),
    (r"part: residual\(X_a, X_b\) returns 1, which does not depend on the frames",
     own(constraints.Constraint, residual=lambda self, X_a, X_b: [1.0])),
    (r"part: residual\(X_a, X_b\): expected a number or an expression, got None",
     own(constraints.Constraint, residual=lambda self, X_a, X_b: None)),
    (r"part: residual\(X_a, X_b\) returns expressions that shall be 0, not comparisons",
     own(constraints.Constraint, residual=lambda self, X_a, X_b: [X_b.p[0] == 1])),
]


@pytest.mark.parametrize("message, law", LAWS)
def test_a_mistake_in_a_law(message, law):
    with pytest.raises(lw.ModelError, match=message):
        lw.compile(between(law()))


def test_vectors_and_conditions_work_as_in_numpy():
    import warnings

    import numpy as np

    m = pendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.output("inner", m.body.r_0 @ m.body.r_0 - [1, 2, 3] @ m.body.r_0)
        m.output("norm", np.linalg.norm(m.body.r_0) + np.sum(m.body.r_0))
        m.output("cross", np.cross(m.body.r_0, [0, 0, 1]))
        m.output("sine", np.sin(m.rev.phi) * m.body.m)
        m.output("both", lw.where((m.rev.phi > 0) & ~(m.rev.phi > 2) | (m.rev.w > 1), 1.0, 0.0))
    m.body.r_cm = [0, 0, 0]
    m.arm = parts.FixedTranslation(r=[2, 0, 0])
    m.tip = parts.Body(m=1.0)
    m.chain(m.body, m.arm, m.tip)
    state = lw.compile(m).state()
    r = state.get("body.r_0")
    assert state.get("inner") == r @ r - [1, 2, 3] @ r
    assert state.get("norm") == np.linalg.norm(r) + np.sum(r)
    assert state.get("cross") == pytest.approx(np.cross(r, [0, 0, 1]))
    assert state.get("sine") == pytest.approx(np.sin(1.0))
    assert state.get("both") == 1.0
