"""One grammar of names: what one study takes for a number of the model, every study takes, and means the same by it."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.errors import UnknownNameError

STOP = 0.2
ASKED = ["rev.phi", "ball.r_0[1]", "body.frame_a.R.T[0,1]"]
#: what a name stands for → another number for it
PARAMETERS = {"body.m": 1.1, "body.r_cm[0]": 0.6, "body.inertia[2,2]": 0.2, "rev.friction.tau": 0.02, "world.g": 9.0,
              "leg[1].m": 0.4}
STARTS = {"rev.phi": 0.6, "ball.v_0[1]": 0.3, "ball.r_0[0]": 1.2}
INPUTS = {"motor.tau": 0.1}
ALL = PARAMETERS | STARTS | INPUTS


def arm():
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.5, w=0.0, friction=lw.Coulomb(tau=0.01))
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0.1, 0], inertia=np.diag([0.1, 0.1, 0.1]))
    m.motor = rotational.Torque(tau=0.0)
    m.leg = [parts.Body(m=0.1, r_cm=[0.2, 0, 0]), parts.Body(m=0.2, r_cm=[0.3, 0, 0])]
    m.chain(m.world, m.rev, m.body)
    m.connect(m.body.frame_a, m.leg[0].frame_a, m.leg[1].frame_a)
    m.connect(m.rev.axis, m.motor.flange)
    m.ball = parts.Body(m=0.5, r_0=[1, 1, 0], v_0=[1, 0, 0])
    return m


def wanted(name, value):
    """The end of a run of a model that was written with the number."""
    m, inputs = arm(), {}
    if name == "rev.friction.tau":
        m.rev.friction = lw.Coulomb(tau=value)
    elif name == "body.r_cm[0]":
        m.body.r_cm = [value, 0.1, 0]
    elif name == "body.inertia[2,2]":
        m.body.inertia = np.diag([0.1, 0.1, value])
    elif name == "leg[1].m":
        m.leg[1].m = value
    elif name in INPUTS:
        inputs = {name: value}
    elif name in STARTS:
        component, own, start = {"rev.phi": (m.rev, "phi", value), "ball.v_0[1]": (m.ball, "v_0", [1, value, 0]),
                                 "ball.r_0[0]": (m.ball, "r_0", [value, 1, 0])}[name]
        component._initial[own] = component._start(type(component).fields()[own], start)
    else:
        path, own = name.split(".")
        setattr(getattr(m, path), own, value)
    return ended(lw.simulate(m, STOP, inputs=inputs))


def ended(r):
    return np.array([r[asked][-1] for asked in ASKED])


@pytest.mark.parametrize("name", ALL)
def test_sweeps_and_their_results(name):
    study = lw.sweep(arm(), {name: [ALL[name], ALL[name] * 1.01]}, STOP, outputs=ASKED)
    found = np.array([study.data[asked].values[:, -1] for asked in ASKED]).T
    for k in range(2):
        np.testing.assert_allclose(found[k], wanted(name, ALL[name] * 1.01**k), atol=1e-7)
        np.testing.assert_array_equal(ended(study.result(k)), found[k])
    assert study.values(1) == {name: ALL[name] * 1.01}
    assert study.data[f"{name} (start)" if name in ASKED else name].values[0] == ALL[name]


@pytest.mark.parametrize("name", ALL)
def test_simulators(name):
    sim = lw.Simulator(arm(), STOP, n=2, parameters=[name] if name in PARAMETERS else [])
    sim.reset({name: [ALL[name], ALL[name] * 1.01]})
    sim.step()
    found = np.array([sim[asked] for asked in ASKED]).T
    for k in range(2):
        np.testing.assert_allclose(found[k], wanted(name, ALL[name] * 1.01**k), atol=1e-7)


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_of_a_compiled_system(name):
    system = lw.compile(arm(), tunable=[name])
    state = system.state().set(name, ALL[name])
    assert state.get(name) == pytest.approx(ALL[name])
    np.testing.assert_allclose(ended(lw.simulate(system, STOP, state=state)), wanted(name, ALL[name]), atol=1e-7)


@pytest.mark.parametrize("name", ALL)
def test_derivatives_and_searches(name):
    """The sensitivity is the slope between two runs by hand; `gradient`, `optimize` and `fit` take the same name."""
    now = {"body.m": 1.0, "body.r_cm[0]": 0.5, "body.inertia[2,2]": 0.1, "rev.friction.tau": 0.01, "world.g": 9.80665,
           "leg[1].m": 0.2, "rev.phi": 0.5, "ball.v_0[1]": 0.0, "ball.r_0[0]": 1.0, "motor.tau": 0.0}[name]
    d = 1e-4
    slope = (wanted(name, now + d) - wanted(name, now - d)) / (2 * d)
    r = lw.simulate(arm(), STOP, sensitivities=[name])
    found = np.array([r.sensitivity(asked, name)[-1] for asked in ASKED])
    np.testing.assert_allclose(found, slope, atol=2e-4 * max(1, np.abs(slope).max()))
    goal = lw.final("rev.phi") + lw.final("ball.r_0[1]")
    np.testing.assert_allclose(lw.gradient(arm(), goal, STOP, [name])[1], found[:2].sum(), atol=1e-6)
    best = lw.optimize(arm(), goal, {name: (ALL[name] * 0.99, ALL[name])}, STOP, runs=2)
    assert list(best.values) == [name]


@pytest.mark.parametrize("name", ["body.r_cm[0]", "rev.friction.tau", "ball.v_0[1]"])
def test_fits_find_what_the_data_were_made_with(name):
    times = np.linspace(0, 1.0, 11)
    study = lw.sweep(arm(), {name: [ALL[name]]}, 1.0, step=0.1, outputs=ASKED[:2])
    data = {"t": times, **{asked: study.data[asked].values[0] for asked in ASKED[:2]}}
    assert lw.fit(arm(), data, [name]).values[name] == pytest.approx(ALL[name], abs=1e-6)


@pytest.mark.parametrize("name, said", [("body.r_cm[3]", "has 3 entries"), ("body.r_cm[0,1]", "has 3 entries"),
                                        ("body.inertia[2]", "3×3"), ("body.m[0]", "has no entries"),
                                        ("body.r_cn[0]", "r_cm"), ("rev.friction.f", "rev.friction.tau")])
def test_entries_that_are_not_there_are_refused_everywhere(name, said):
    studies = [lambda: lw.sweep(arm(), {name: [1.0]}, STOP), lambda: lw.compile(arm(), tunable=[name]),
               lambda: lw.Simulator(arm(), STOP, parameters=[name]),
               lambda: lw.optimize(arm(), lw.final("rev.phi"), {name: (0, 1)}, STOP)]
    for study in studies:
        with pytest.raises((lw.ModelError, UnknownNameError), match=said):
            study()


def test_an_entry_beside_open_ones_is_refused():
    """Giving one entry of a start value would give the others, which are guesses."""
    m = arm()
    m.ball._initial["v_0"] = [lw.guess(0.0), 0.0, 0.0]
    with pytest.raises(lw.ModelError, match=r"v_0\[0\] is not given, or a guess"):
        lw.sweep(m, {"ball.v_0[1]": [0.1]}, STOP)
    with pytest.raises(lw.ModelError, match="given as a whole"):
        lw.sweep(arm(), {"body.r_cm": [[0.5, 0, 0]], "body.r_cm[0]": [0.6]}, STOP)
