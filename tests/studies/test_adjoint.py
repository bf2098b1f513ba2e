"""Gradients by the adjoint: equal to forward tangents on the same steps, to rounding, through loops and events."""

import numpy as np
import pytest
from derivative_models import (
    against_planes,
    between_stops,
    clutch,
    fourbar,
    pendulum,
    reset,
    stick_and_slip,
    stop_in_a_loop,
    thrown_back,
)

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.studies.adjoint import gradient_of
from linkwright.studies.goal_changes import Look
from linkwright.studies.sensitivities import Together


def forward_equals_adjoint(model, names, stop, outputs, times=(1.0, 0.37, 0.81), **options):
    """The companion direction, a sum of all columns, runs forward on the very steps that are taken backward."""
    r = lw.simulate(model, stop, sensitivities=Together(names), dense=True, **{"accuracy": 1e-10, **options})
    shares = np.linalg.lstsq(r.begun.columns.T, r._state.z[-r.system.equations.height:], rcond=None)[0]
    for output in outputs:
        for t in np.array(times) * stop:
            forward = float(r.at(t).sensitivity(output, "a companion"))
            backward = gradient_of(r, [Look(output, t, 1.0)])
            assert shares @ backward == pytest.approx(forward, rel=1e-11, abs=1e-11 * np.max(np.abs(shares * backward)))
    return r


PENDULUM = ["damper.d", "body.m", "body.r_cm[0]", "body.inertia[2]", "rev.phi", "rev.w", "world.g"]


@pytest.mark.parametrize("options", [{}, {"method": "dopri5"}, {"h": 0.02}])
def test_explicit_methods_backward(options):
    forward_equals_adjoint(pendulum(), PENDULUM, 1.0, ["rev.phi", "rev.a"], **options)


def test_start_values_alone_where_one_parameter_is_an_input():
    system = lw.compile(pendulum(), tunable=["damper.d"])
    forward_equals_adjoint(system, ["rev.phi"], 1.0, ["rev.phi"])


@pytest.mark.parametrize("formulation", [None, "projection", "minimal"])
def test_loops_backward(formulation):
    system = lw.compile(fourbar(), formulation=formulation)
    forward_equals_adjoint(system, ["crank.r[0]", "coupler.m", "rev1.phi", "rev1.w", "ground.r[0]"], 1.0,
                           ["rev4.phi", "rev1.frame_b.f[0]"])


EVENTS = [(thrown_back, 2.4, "y.s"), (between_stops, 2.4, "y.s"), (against_planes, 2.4, "y.v"),
          (stick_and_slip, 2.0, "block.s"), (clutch, 2.0, "a.w"), (reset, 1.4, "x.s"), (stop_in_a_loop, 1.0, "j1.phi")]


def with_names(made):
    m, by = made()
    return m, list(by) if made in (stick_and_slip, clutch, reset, stop_in_a_loop) else ["y.s", "world.g", *by.values()]


@pytest.mark.parametrize("made, stop, output", EVENTS)
def test_events_backward(made, stop, output):
    r = forward_equals_adjoint(*with_names(made), stop, [output])
    assert r.jumps


@pytest.mark.parametrize("made, stop, output", EVENTS)
@pytest.mark.parametrize("options", [{"method": "radau"}, {"method": "gauss4", "h": 0.02}], ids=["radau", "gauss4"])
def test_implicit_steps_that_events_cut_short(made, stop, output, options):
    """The state at the event, and before it, is on the interpolant of the whole step, which the run never finished."""
    m, names = with_names(made)
    r = forward_equals_adjoint(m, names, stop, [output], **options)
    cut = [jump for jump in r.jumps if jump.until > r._stepper.steps_t[jump.point]]
    assert cut
    t = r._stepper.steps_t[cut[0].point - 1 : cut[0].point + 1]
    forward_equals_adjoint(m, names, stop, [output], times=np.array([t.mean(), t[1]]) / stop, **options)


def test_given_motions_and_unknowns_backward():
    """A joint that follows a formula of parameters, and a law that uses the acceleration which it causes."""
    class Numbers(lw.Model):
        swing = lw.parameter(0.4, "amplitude")

    m = lw.Model("driven")
    m.world, m.data = lw.World(), Numbers()
    m.drive, m.source = joints.Revolute(), rotational.Position(exact=True)
    m.source.phi_ref = m.data.swing * lw.sin(3 * lw.time)
    m.arm, m.rev = parts.FixedTranslation(r=[0.4, 0, 0]), joints.Revolute(phi=0.3)
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.drive, m.arm, m.rev, m.body)
    m.connect(m.drive.axis, m.source.flange)
    m.push = rotational.Torque()
    m.push.tau = -0.05 * m.rev.a - 0.2 * m.rev.w
    m.connect(m.rev.axis, m.push.flange)
    forward_equals_adjoint(m, ["data.swing", "body.m", "arm.r[0]", "rev.phi"], 1.5, ["rev.phi", "rev.a"])


def test_quaternions_backward():
    m = lw.Model("top")
    m.world = lw.World()
    m.ball = joints.Spherical(w_rel_a=[0.2, 2.0, 9.0])
    m.body = parts.Body(m=2, r_cm=[0, 0, 0.3], inertia=[0.1, 0.2, 0.35])
    m.chain(m.world, m.ball, m.body)
    forward_equals_adjoint(m, ["body.m", "body.r_cm[0]", "body.inertia[0]", "world.g"], 1.0, ["body.r_0[0]"])


def goals(m):
    return {"formula": lw.integral(m.rev.phi**2) + 0.1 * lw.final("rev.w") ** 2, "mean": lw.mean("rev.phi"),
            "extremes": lw.largest("rev.w") + lw.smallest(m.rev.phi**3), "instant": lw.when("rev.phi", below=0.2),
            "times": lw.final("rev.phi", at=0.7) ** 2 + lw.final(m.rev.w * m.rev.phi, at=1.3) + lw.final("rev.phi")}


@pytest.mark.parametrize("kind", ["formula", "mean", "extremes", "instant", "times"])
def test_goals_both_ways(kind):
    """Steps differ, so that both are as accurate as the run."""
    m = pendulum()
    names = ["damper.d", "rev.phi", "body.m"]
    (a, backward), (b, forward) = (
        lw.gradient(m, goals(m)[kind], 2.0, names, adjoint=way, accuracy=1e-10) for way in (True, False))
    assert a == pytest.approx(b, abs=1e-8)
    assert np.allclose(backward, forward, rtol=0, atol=1e-7 * np.max(np.abs(forward)))


def chain(count):
    m = lw.Model("chain")
    m.world, last = lw.World(), None
    for k in range(count):
        joint = joints.Revolute(phi=0.3, w=0)
        body = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1])
        setattr(m, f"j{k}", joint)
        setattr(m, f"b{k}", body)
        m.chain(m.world if last is None else last, joint, body)
        last = body
    return m


def test_many_numbers_take_the_adjoint_few_go_forward():
    m = chain(3)
    many = [f"b{k}.{x}" for k in range(3) for x in ("m", "r[0]", "r[1]", "r_cm[0]", "r_cm[1]", "inertia[2]")]
    found = lw.gradient(m, lw.final("b2.frame_b.r_0[0]"), 1.0, many, accuracy=1e-10)
    assert found.way == "adjoint" and found.names == tuple(many)
    few = lw.gradient(m, lw.final("b2.frame_b.r_0[0]"), 1.0, many[:3], accuracy=1e-10)
    assert few.way == "forward"
    assert np.allclose(found[1][:3], few[1], rtol=0, atol=1e-8 * np.max(np.abs(few[1])))


def test_at_rest_the_companion_chooses_the_steps():
    """A chain that hangs at rest says nothing of its neighbours; the direction beside it does."""
    m = lw.Model("hanging")
    m.world = lw.World(g=9.81)
    m.rev, m.body = joints.Revolute(phi=-np.pi / 2, w=0), parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0, 0, 0])
    m.chain(m.world, m.rev, m.body)
    _, slope = lw.gradient(m, lw.final("rev.phi"), 5.0, ["rev.phi", "rev.w"], adjoint=True)
    omega = np.sqrt(9.81 / 0.5)
    assert slope == pytest.approx([np.cos(5 * omega), np.sin(5 * omega) / omega], abs=1e-5)


@pytest.mark.parametrize("made, names, output", [
    (pendulum, PENDULUM, "rev.phi"), (fourbar, ["crank.r[0]", "coupler.m", "rev1.phi", "rev1.w"], "rev4.phi"),
    (lambda: clutch()[0], ["a.J", "load.d", "a.w"], "a.w")])
def test_implicit_steps_backward(made, names, output):
    """By the transposed equations of their stages, which the run itself solves to a part of its accuracy."""
    forward_equals_adjoint(made(), names, 1.0, [output], method="radau")


def test_gauss_steps_backward():
    forward_equals_adjoint(pendulum(), PENDULUM, 1.0, ["rev.phi"], times=[1.0], method="gauss4", h=0.02)


def test_a_run_that_turns_out_stiff():
    """A stiff spring and damper: explicit steps first, implicit ones then, and one gradient over both."""
    m = pendulum()
    m.damper.d = 3e4
    names = ["damper.d", "body.m", "rev.phi"]
    found = {way: lw.gradient(m, lw.final("rev.phi"), 3.0, names, adjoint=way) for way in (True, False)}
    assert [name for _, name in found[True].result._stepper.methods] == ["dop853", "radau"]
    assert np.allclose(found[True][1], found[False][1], rtol=1e-7, atol=1e-12)


def test_what_does_not_go_backward_is_said():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="verlet"):
        lw.gradient(m, lw.final("rev.phi"), 0.5, ["damper.d"], adjoint=True, method="verlet", h=0.01)
    with pytest.raises(lw.ModelError, match="adjoint = 3"):
        lw.gradient(m, lw.final("rev.phi"), 0.5, ["damper.d"], adjoint=3)
