"""Every law of muscles at 20 random states beside OpenSim, which runs in a process of its own, and MuJoCo."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, muscles, parts

pytestmark = pytest.mark.slow
NUMBERS = {"F_max": 1200.0, "l_opt": 0.11, "l_slack": 0.22, "alpha": 0.3, "v_max": 10.0}
STATES = 20

#: asked for (kind, options, [(length, speed, activation, excitation, fibre or force of the tendon), …])
OPENSIM = """
import json, os, sys, opensim as o
o.Logger.setLevelString("Off")
kind, options, states = json.load(sys.stdin)
m = o.Model(); m.setGravity(o.Vec3(0)); b = o.Body("b", 1, o.Vec3(0), o.Inertia(1, 1, 1)); m.addBody(b)
m.addJoint(o.SliderJoint("s", m.getGround(), b))
q = getattr(o, kind)(); q.setName("q"); q.setMaxIsometricForce(1200.0); q.setOptimalFiberLength(0.11)
q.setTendonSlackLength(0.22); q.setPennationAngleAtOptimalFiberLength(0.3); q.setMaxContractionVelocity(10.0)
for name, value in options.items():
    getattr(q, "set_" + name)(value)
q.updGeometryPath().appendNewPathPoint("o", m.getGround(), o.Vec3(0))
q.updGeometryPath().appendNewPathPoint("i", b, o.Vec3(0))
m.addForce(q)
s = m.initSystem()
q, c = getattr(o, kind).safeDownCast(m.getMuscles().get(0)), m.getCoordinateSet().get(0)
names = [n for n in (q.getStateVariableNames().get(k) for k in range(q.getNumStateVariables()))]
found = []
for length, speed, a, e, inner in states:
    c.setValue(s, length, False); c.setSpeedValue(s, speed)
    if kind != "RigidTendonMuscle":
        q.setActivation(s, a)
    if any("tendon_force" in n for n in names):
        q.setNormalizedTendonForce(s, inner)
    elif any("fiber_length" in n for n in names):
        q.setFiberLength(s, inner)
    m.realizeVelocity(s); m.setControls(s, o.Vector(1, e)); m.realizeAcceleration(s)
    rates = {n.split("/")[-1]: m.getStateVariableDerivativeValue(s, n) for n in names}
    found.append({"f": q.getActuation(s), "v_fiber": None if kind == "RigidTendonMuscle" else q.getFiberVelocity(s),
                  **rates})
print("RESULT " + json.dumps(found), flush=True)
os._exit(0)  # OpenSim's destructors and Python's do not agree about who goes first
"""


def opensim(kind, options, states):
    done = subprocess.run([sys.executable, "-c", OPENSIM], input=json.dumps([kind, options, states]), timeout=120,
                          capture_output=True, text=True)
    found = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
    assert found is not None, done.stderr[-500:]
    return json.loads(found.removeprefix("RESULT "))


def states(seed, rigid=False):
    """(length, speed, activation, excitation, fibre, stretch of the tendon) at random."""
    random, width = np.random.default_rng(seed), 0.11 * np.sin(0.3)
    for _ in range(STATES):
        a, fibre, e = random.uniform(0.02, 1), 0.11 * random.uniform(0.55, 1.55), random.uniform(0, 1)
        stretch, speed = 1.0 if rigid else random.uniform(0.985, 1.06), random.uniform(-0.8, 0.8)
        yield float(np.sqrt(fibre**2 - width**2) + stretch * 0.22), speed, a, e, fibre, stretch


def ours(kind, told, given, numbers=NUMBERS, **options):
    """What `told` names at given states, {name of a state or input: value} one after another."""
    m = lw.Model("rig")
    m.world = lw.World(gravity=None)
    m.slider, m.body = joints.Prismatic(n=[1, 0, 0], s=0.33), parts.Body(m=1.0)
    m.chain(m.world, m.slider, m.body)
    m.muscle = kind([m.world.frame_b, m.body.frame_a], **numbers, **options)
    for name in ("a", "f_tendon"):
        if name in type(m.muscle).fields() and kind is not muscles.RigidTendon and f"{name}_rate" in told:
            m.output(f"{name}_rate", lw.der(getattr(m.muscle, name)))
    system = lw.compile(m)
    state = system.state()
    for values in given:
        state.d[system.part_names("d").index("muscle.excitation")] = values.pop("e")
        for name, value in values.items():
            state.set(name, value)
        yield [float(np.ravel(state.get(name))[0]) for name in told]


needs_opensim = pytest.mark.skipif(importlib.util.find_spec("opensim") is None, reason="opensim is not installed")


@needs_opensim
@pytest.mark.parametrize(("kind", "theirs", "rate"), [(muscles.Thelen2003, "Thelen2003Muscle", 1e-11),
                                                      (muscles.Millard2012, "Millard2012EquilibriumMuscle", 1e-8)])
def test_laws_with_a_state_of_the_fibre(kind, theirs, rate):
    rows = list(states(11))
    expected = opensim(theirs, {}, [row[:5] for row in rows])
    found = ours(kind, ("muscle.f", "muscle.v_fiber", "a_rate"),
                 [{"slider.s": l, "slider.v": v, "muscle.a": a, "muscle.l_fiber": fibre, "e": e}
                  for l, v, a, e, fibre, _ in rows])
    for (f, v_fiber, a_rate), there in zip(found, expected, strict=True):
        assert f == pytest.approx(there["f"], rel=1e-11, abs=1e-11 * 1200)
        assert v_fiber == pytest.approx(there["v_fiber"], rel=rate, abs=rate)
        assert a_rate == pytest.approx(there["activation"], rel=1e-11)


@needs_opensim
def test_degroote_fregly_with_an_elastic_tendon():
    width, k = 0.11 * np.sin(0.3), np.log(6) / 0.049
    rows = []
    for _, v, a, e, fibre, stretch in states(12):
        pull = max(0.2 * np.exp(k * (stretch - 1)) - 0.2, 0.01)
        tendon = 0.22 * (1 + np.log((pull + 0.2) / 0.2) / k)
        rows.append((float(np.sqrt(fibre**2 - width**2) + tendon), v, a, e, float(pull)))
    expected = opensim("DeGrooteFregly2016Muscle", {"ignore_tendon_compliance": False}, rows)
    found = ours(muscles.DeGrooteFregly2016, ("muscle.f", "muscle.v_fiber", "f_tendon_rate", "a_rate"),
                 [{"slider.s": l, "slider.v": v, "muscle.a": a, "muscle.f_tendon": pull, "e": e}
                  for l, v, a, e, pull in rows])
    for numbers, there in zip(found, expected, strict=True):
        theirs = [there[name] for name in ("f", "v_fiber", "normalized_tendon_force", "activation")]
        assert numbers == pytest.approx(theirs, rel=1e-11)


@needs_opensim
@pytest.mark.parametrize(("kind", "theirs", "own", "options", "tolerance"), [
    (muscles.DeGrooteFregly2016, "DeGrooteFregly2016Muscle", {"tendon": "rigid", "damping": 0.05},
     {"ignore_tendon_compliance": True, "fiber_damping": 0.05}, 1e-11),
    # OpenSim stops its search on the curves of Millard's muscle some 1e-10 before the point
    (muscles.Millard2012, "Millard2012EquilibriumMuscle", {"tendon": "rigid"}, {"ignore_tendon_compliance": True},
     1e-9),
    (muscles.RigidTendon, "RigidTendonMuscle", {}, {}, 1e-11)])
def test_rigid_tendons(kind, theirs, own, options, tolerance):
    rows = list(states(13, rigid=True))
    if kind is muscles.RigidTendon:  # the excitation is the activation
        rows = [(l, v, a, a, *rest) for l, v, a, _, *rest in rows]
    expected = opensim(theirs, options, [row[:5] for row in rows])
    activation = {} if kind is muscles.RigidTendon else {"muscle.a"}
    found = ours(kind, ("muscle.f",), [{"slider.s": l, "slider.v": v, **dict.fromkeys(activation, a), "e": e}
                                       for l, v, a, e, *_ in rows], **own)
    for (f,), there in zip(found, expected, strict=True):
        assert f == pytest.approx(there["f"], rel=tolerance, abs=tolerance * 1200)


@pytest.mark.parametrize("smooth", [0, 0.3])
def test_mujocos_law(smooth):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option gravity="0 0 0"/><worldbody><site name="a"/><body>
      <joint type="slide" axis="1 0 0"/><geom size=".1" mass="2"/><site name="b" pos=".3 0 0"/></body></worldbody>
      <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
      <actuator><muscle name="m" tendon="t" lengthrange=".2 .45" range=".7 1.1" force="400" lmin=".5" lmax="1.6"
      vmax="1.5" fpmax="1.3" fvmax="1.2" timeconst=".01 .04" tausmooth="{smooth}"/></actuator></mujoco>""")
    data, random, given, expected = mujoco.MjData(model), np.random.default_rng(14), [], []
    for _ in range(STATES):
        data.qpos[0], data.qvel[0] = random.uniform(-0.15, 0.35), random.uniform(-1.2, 1.2)
        data.act[0], data.ctrl[0] = random.uniform(0, 1), random.uniform(-0.2, 1.2)
        mujoco.mj_forward(model, data)
        given.append({"slider.s": data.actuator_length[0], "slider.v": data.qvel[0], "muscle.a": data.act[0],
                      "e": data.ctrl[0]})
        expected.append((-data.actuator_force[0], data.act_dot[0]))
    found = ours(muscles.MujocoMuscle, ("muscle.f", "a_rate"), given, numbers={"F_max": 400.0},
                 lengthrange=[.2, .45], range=[.7, 1.1], tausmooth=smooth)
    for numbers, theirs in zip(found, expected, strict=True):
        assert numbers == pytest.approx(theirs, rel=1e-11, abs=1e-11 * 400)
