"""Instants decided by compiled code and by Python: the same events, messages and bits, whoever decides."""

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright.run import going_through, run


def pushed(force, **joint):
    m = models.slider(**joint)
    return models.push(m, force(m))


def relay():
    m = pushed(lambda m: m.discrete("mode", 1))
    mode = m._inputs["mode"][0]
    m.when(m.s.v > 1e-3, {mode: -1})
    m.when(m.s.v < -1e-3, {mode: 1})
    return m


def thrown_back():
    m = models.slider(s=1e-3, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -m.s.v})
    return m


def sampled_formula():
    m = pushed(lambda m: m.input("u"), s=1.0)
    u = m._inputs["u"][0]
    m.sample(0.01, {u: -4 * m.s.s - 3 * m.s.v + lw.sign(m.s.v)})
    return m


def controlled():
    m = pushed(lambda m: m.input("u"), s=1.0, friction=lw.Coulomb(tau=0.3, peak=1.3))

    @m.every(0.01)
    def control(t, y):
        return {"u": 3 * np.sin(9 * t) - y["s.s"]}

    return m


def locked():
    m = pushed(lambda m: 8 * lw.sin(40 * lw.time), v=0.1, friction=lw.Coulomb(tau=1.0), s_min=-0.02, s_max=0.05,
               restitution=0.7)
    m.lock(m.s, when=lw.sin(11 * lw.time) > 0.8)
    return m


def ball():
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.05)
    m.ball = parts.Body(m=1, inertia=[1e-3] * 3, r_0=[0, 0.3, 0], v_0=[1.0, 0, 0.2], w_0=[0, 3.0, 20.0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.7, mu=0.3))
    return m


def ended():
    """Three conditions come true at the place at which the run ends."""
    m = pushed(lambda m: sum((lw.where(k * m.s.s > k * 0.5, 0.1, 0.0) for k in (1, 2, 4)), lw.sign(lw.sin(99 * m.s.s))),
               v=1.0)
    m.terminate(m.s.s > 0.5, "there")
    return m


MODELS = {
    "end": (ended, 2.0),
    "sign": (lambda: pushed(lambda m: 1e-3 * lw.sign(lw.sin(200 * m.s.s)), v=1.0), 2.0),
    "floor of time": (lambda: pushed(lambda m: lw.floor(50 * lw.time) - 2 * lw.floor(25 * lw.time)), 2.0),
    "discrete variable": (relay, 0.2),
    "speed": (thrown_back, 2.0),
    "sampled formula": (sampled_formula, 1.0),
    "controller and friction": (controlled, 1.0),
    "friction": (lambda: pushed(lambda m: 10 * lw.sin(200 * lw.time), friction=lw.Coulomb(tau=4.0, peak=1.5)), 0.8),
    "stop": (lambda: models.slider(s=1e-3, n=(0, 1, 0), s_min=0.0, restitution=0.98), 2.0),
    "lock, friction and stops": (locked, 2.0),
    "ball": (ball, 3.0),
}

def everything(r):
    """All that a result tells."""
    dense = r.at(np.linspace(0.0, r.t[-1], 97))
    between = {name: np.asarray(dense[name]).tobytes() for name in r.system.names[:9]}
    return ([tuple(e) for e in r.events], [tuple(c) for c in r.contacts], r.messages, r.counters, r.t.tobytes(),
            r.states.tobytes(), r._d.tobytes(), between)


@pytest.mark.parametrize("name", MODELS)
def test_compiled_code_decides_what_python_decides(name, monkeypatch):
    build, stop = MODELS[name]
    system, told, by_python = lw.compile(build()), [], []
    decide = run.EventRun._agree
    monkeypatch.setattr(run.EventRun, "_agree", lambda *given, **named: by_python.append(1) or decide(*given, **named))
    for after, at_once in ((-1, 1024), (1, 1024), (5, 16)):
        monkeypatch.setattr(run, "MADE_AFTER", -1)
        monkeypatch.setattr(run, "COMPILED_AFTER", after)
        monkeypatch.setattr(going_through, "INSTANTS_AT_ONCE", at_once)
        by_python.append(0)
        told.append(everything(lw.simulate(system, stop)))
    assert told[1] == told[0] and told[2] == told[0]
    first, second = np.flatnonzero(np.array(by_python) == 0)[1:]
    events = len({time for time, *_ in told[0][0]})
    if name != "controller and friction":  # whose instants are Python's
        assert events == 0 or second - first < 12 < events


def failures(build, stop, monkeypatch):
    for after in (-1, 1):
        monkeypatch.setattr(run, "MADE_AFTER", -1)
        monkeypatch.setattr(run, "COMPILED_AFTER", after)
        with pytest.raises(lw.SimulationError) as failed:
            lw.simulate(build(), stop)
        yield str(failed.value), failed.value.time, everything(failed.value.result)


def contradicting():
    m = thrown_back()
    m.when(lw.time > 0.5, {m.s.v: 2.0})
    m.when(lw.time > 0.5, {m.s.v: 5.0})
    return m


def without_end():
    m = models.slider(s=1.0, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -0.5 * m.s.v})
    return m


@pytest.mark.parametrize("build", [contradicting, without_end])
def test_troubles_are_told_in_the_same_words(build, monkeypatch):
    python, compiled = failures(build, 3.0, monkeypatch)
    assert compiled == python


def test_an_action_that_ends_the_run_is_left_to_python(monkeypatch):
    m = thrown_back()
    m.terminate(lw.time > 0.7, "enough")
    monkeypatch.setattr(run, "COMPILED_AFTER", 1)
    r = lw.simulate(m, 2.0)
    assert r.t[-1] == 0.7 and "enough" in r.messages[-1] and len(r.events) > 20
