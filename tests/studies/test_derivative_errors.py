"""What has no derivative, or cannot be asked for, is refused by name: before anything runs, or with the run kept."""

import numpy as np
import pytest
from derivative_models import ball, fourbar, pendulum

import linkwright as lw
from linkwright import blocks, contact, joints, parts, rotational, translational
from linkwright.studies import varied


@pytest.fixture
def nothing_runs(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("nothing was to run")

    monkeypatch.setattr(varied, "simulate", refuse)


class Numbers(lw.Model):
    k = lw.parameter(2.0, "a number")


def with_a_number():
    m = lw.Model("own")
    m.world, m.data = lw.World(), Numbers()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=float(m.data.k), r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


class Built(lw.Model):
    """Built with a number: there are as many links."""

    k = lw.parameter(2.0, "a number")

    def __init__(self, **numbers):
        super().__init__(**numbers)
        self.world, self.rev = lw.World(), joints.Revolute(phi=1.0)
        self.body = parts.Body(m=3.0 if self.k > 1 else 1.0, r_cm=[0.5, 0, 0])
        self.chain(self.world, self.rev, self.body)


def test_numbers_of_the_structure_and_plain_numbers_are_refused_with_the_line():
    with pytest.raises(lw.ModelError, match="rev.n: this decides the structure"):
        lw.gradient(pendulum(), lw.final("rev.phi"), 1.0, ["rev.n[0]"])
    with pytest.raises(lw.ModelError, match=r"data.k: .* plain number in test_derivative_errors.py, line \d+"):
        lw.simulate(with_a_number(), 1.0, sensitivities=["data.k"])
    with pytest.raises(lw.ModelError, match=r"k: the model was built with its number \(test_derivative_errors.py"):
        lw.simulate(Built(), 1.0, sensitivities=["k"])
    with pytest.raises(lw.ModelError, match=r"crank.r\[2\]: no change of it can be followed"):
        lw.optimize(fourbar(), lw.final("rev4.phi"), {"crank.r[2]": (-0.1, 0.1)}, 0.1)


@pytest.mark.parametrize("ask", [
    lambda m: lw.gradient(m, lw.final("rev.phy"), 1.0, ["damper.d"]),
    lambda m: lw.gradient(m, lw.final("rev.phy"), 1.0, ["damper.d"], adjoint=True),
    lambda m: lw.optimize(m, lw.integral("rev.phy"), {"damper.d": (0, 1)}, 1.0),
    lambda m: lw.optimize(m, lw.final("rev.phi"), {"damper.d": (0, 1)}, 1.0, subject_to=[lw.largest("rev.phy") <= 1]),
    lambda m: lw.fit(m, {"t": [0, 1], "rev.phy": [1, 1]}, ["damper.d"])])
def test_goals_and_data_of_unknown_variables_are_refused_before_anything_runs(ask, nothing_runs):
    m = pendulum()
    with pytest.raises(lw.ModelError, match=r"'rev.phy'. Did you mean 'rev.phi'"):
        ask(m)
    assert not m._outputs


@pytest.mark.parametrize("column", ["body.r_0", "body.r_0[3]", "rev.phi[0]"])
def test_columns_of_data_are_single_numbers(column, nothing_runs):
    with pytest.raises(lw.ModelError, match="entries, counted from 0"):
        lw.fit(pendulum(), {"t": [0, 1], column: [1, 1]}, ["damper.d"])


def remembering(kind):
    """A motor whose torque comes from Python code, or from earlier."""
    m = pendulum()
    m.motor = rotational.Torque()
    m.connect(m.rev.axis, m.motor.flange)
    if kind == "balance":
        m.motor.tau = m.input("tau", 0.0)

        @m.every(0.1)
        def balance(t, y):
            return {"tau": -0.3 * y["rev.phi"]}

    elif kind == "seen":
        seen = m.discrete("seen", 0.0)
        m.each_step({seen: m.rev.phi})
        m.motor.tau = -0.3 * seen
    else:
        m.motor.tau = -0.3 * blocks.delay(m.rev.phi, 0.1)
    return m


@pytest.mark.parametrize("kind", ["balance", "seen", "a delay"])
def test_what_has_no_derivative_is_refused_by_name_or_frozen(kind):
    m = remembering(kind)
    with pytest.raises(lw.ModelError, match=r"derivative.*frozen=\[") as caught:
        lw.simulate(m, 1.0, sensitivities=["body.m"])
    name = caught.value.components[0]
    assert lw.simulate(m, 1.0, sensitivities=["body.m"], frozen=[name]).sensitivity("rev.phi", "body.m").shape == (501,)


def test_runs_with_something_frozen_go_forward_however_many_numbers():
    m = remembering("balance")
    m.pusher = rotational.Torque()
    m.pusher.tau = m.input("push", 0.0)
    m.connect(m.rev.axis, m.pusher.flange)
    t = np.linspace(0, 1, 20)
    names = [f"push[{k}]" for k in range(20)]
    asked = dict(inputs={"push": (t, np.zeros(20))}, frozen=["balance"])
    found = lw.gradient(m, lw.final("rev.phi"), 1.0, names, **asked)
    assert found.way == "forward" and found[1].shape == (20,)
    few = lw.gradient(m, lw.final("rev.phi"), 1.0, names[:2], adjoint=False, **asked)
    assert found[1][:2] == pytest.approx(few[1], rel=1e-6)
    with pytest.raises(lw.ModelError, match="forward only"):
        lw.gradient(m, lw.final("rev.phi"), 1.0, names, adjoint=True, **asked)


def two_at_once():
    m = ball(x={"s": 0.0, "v": 0.0})
    m.when(m.y.s < 0, {m.y.v: -0.8 * m.y.v})
    m.when(m.y.s < m.x.s, {m.x.v: 1.0})
    return m


def hardly_held():
    """A force that just reaches the friction that holds a block."""
    m = lw.Model("held")
    m.world, m.data = lw.World(), Numbers(k=2.0 * (1 + 1e-14))
    m.block, m.push = translational.Mass(m=1.0, s=0, v=0), translational.Force()
    m.push.f = m.data.k * lw.sin(lw.time)
    m.friction, m.wall = translational.SupportFriction(f_pos=[[0, 2.0]], peak=1.0), translational.Fixed()
    m.connect(m.push.flange, m.block.flange_a)
    m.connect(m.block.flange_b, m.friction.flange_a)
    m.connect(m.friction.support, m.wall.flange)
    return m


def sliding_hit():
    m = lw.Model("hit")
    m.world = lw.World(g=9.81)
    m.free = parts.Body(m=1, inertia=[0.1] * 3, r_0=[0, 1, 0], v_0=[6, 0, 0])
    m.skin, m.floor = contact.Sphere(radius=0.1), contact.Plane(n=[0, 1, 0])
    m.connect(m.free.frame_a, m.skin.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.3, rolling=0.01))
    return m


@pytest.mark.parametrize("made, names, when, said", [
    (two_at_once, ["y.s", "x.s"], np.sqrt(2 / 9.81), "y.s < 0 and y.s < x.s come at the same time"),
    (hardly_held, ["data.k"], np.pi / 2, "friction is touched, not passed"),
    (sliding_hit, ["free.v_0[0]"], np.sqrt(1.8 / 9.81), "touch slides in an impact with friction")])
@pytest.mark.parametrize("adjoint", [False, True])
def test_events_without_a_derivative_are_named_and_the_run_is_kept(made, names, when, said, adjoint):
    with pytest.raises(lw.SimulationError, match="has no derivative") as caught:
        if adjoint:
            lw.gradient(made(), lw.final(names[0].replace("data.k", "block.s")), 2.0, names, adjoint=True)
        else:
            lw.simulate(made(), 2.0, sensitivities=names)
    error = caught.value
    assert said in str(error) and error.time == pytest.approx(when, abs=1e-5)
    assert error.result.t[-1] == pytest.approx(when, abs=1e-5)


def test_events_that_move_together_have_a_derivative():
    r = lw.simulate(two_at_once(), 1.0, sensitivities=["y.s"])
    assert np.isfinite(r.sensitivity("x.s", "y.s")).all()


def test_limits_that_cannot_be_kept_are_named_with_their_amount():
    best = lw.optimize(pendulum(), lw.final("rev.phi"), {"damper.d": (0.0, 1.0)}, 0.5,
                       subject_to=[lw.largest("rev.w") <= -5.0])
    assert not best.success and "largest(rev.w) ≤ -5 by 5.3" in best.message
