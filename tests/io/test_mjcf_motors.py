"""Actuators with controllers and windings of their own, beside mj_forward and beside runs from a keyframe."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import Against

mujoco = pytest.importorskip("mujoco")

#: a time step so short that "the activation of the next step" is the one of now
MOTORS = """<mujoco model="motors">
  <compiler angle="radian"/>
  <option timestep="1e-9" gravity="0 0 -9.81"/>
  <default>
    <default class="small"><dcmotor motorconst="0.05 0.06" resistance="2"/></default>
    <default class="stiff"><pid kp="7"/></default>
  </default>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0" range="-1 2"/><geom size="0.05" pos="0.3 0 0"/>
      <body name="fore" pos="0.3 0 0"><joint name="k" axis="0 1 0" damping="0.1"/><geom size="0.04" pos="0.2 0 0"/>
        <body name="tip" pos="0.3 0 0"><joint name="s" type="slide" axis="1 0 0"/><geom size="0.03"/></body></body>
    </body>
  </worldbody>
  <tendon><fixed name="rope"><joint joint="j" coef="0.5"/><joint joint="k" coef="-0.4"/></fixed></tendon>
  <actuator>
    {actuator}
  </actuator>
  {keyframe}
</mujoco>
"""
ACTUATORS = {
    "servo": '<pid name="a" joint="j" kp="5" kv="0.3"/>',
    "servo of a class": '<pid name="a" joint="j" class="stiff" kv="0.3" gear="2" forcerange="-3 2"/>',
    "position and feedforward": '<pid name="a" joint="k" kp="5" kv="0.3" input="pos ff" ffrange="-0.2 0.1"/>',
    "speed alone": '<pid name="a" joint="k" kp="5" kv="0.3" input="vel" velrange="-0.4 0.3"/>',
    "integral": '<pid name="a" joint="j" kp="5" ki="2" imax="0.5" kv="0.1" posrange="-0.3 0.4"/>',
    "along a tendon": '<pid name="a" tendon="rope" kp="5" dampratio="0.7" gear="1.5"/>',
    "range of its joint": '<pid name="a" joint="j" kp="5" inheritrange="0.2" input="pos"/>',
    "motor": '<dcmotor name="a" joint="j" class="small" gear="3" ctrlrange="-0.5 0.5"/>',
    "nominal": '<dcmotor name="a" joint="j" nominal="12 0.8 40" damping="0.001"/>',
    "nominal with resistance": '<dcmotor name="a" joint="j" nominal="12 0 40" resistance="3" damping="0.001 0.002"/>',
    "windings": '<dcmotor name="a" joint="k" class="small" inductance="0.01" saturation="0 0.3 15"/>',
    "warm": '<dcmotor name="a" joint="k" class="small" thermal="2 30 0 0.004 25 20" inductance="0 0.02"/>',
    "rubs": '<dcmotor name="a" joint="s" class="small" cogging="0.1 6 0.3" lugre="20 0.4 0.2 0.3 0.1"/>',
    "controlled": '<dcmotor name="a" joint="k" class="small" input="pos vel ff" controller="3 2 0.1 0 0.2 9"/>',
    "voltage besides": '<dcmotor name="a" joint="k" class="small" input="pos voltage" controller="0.3 0 0.1 0 0 0.9"/>',
    "all": '<dcmotor name="a" joint="k" class="small" input="pos vel ff voltage" controller="3 2 0.1 0 0.2 9" '
           'thermal="2 30 0 0.004 25 20" lugre="20 0.4 0.2 0.3 0.1" inductance="0.01" gear="2" saturation="0.05"/>',
    "no input": '<dcmotor name="a" joint="k" class="small" input="none"/>',
    "damped": '<motor name="a" joint="k" damping="0.2 0.1 0.3" armature="0.03" gear="2"/>',
    "damped tendon": '<motor name="a" tendon="rope" damping="0.2 0.1" gear="2"/>',
}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_forces_and_rates_are_mujocos(tmp_path, kind):
    file, random = tmp_path / "m.xml", np.random.default_rng(0)
    file.write_text(MOTORS.format(actuator=ACTUATORS[kind], keyframe=""))
    both = Against(file, stops=False)
    assert both.model.import_report.complete
    for _ in range(10):
        both.at_random(random, controls=True)
        assert np.all(both.errors() < 1e-7)  # K i is taken one step of 1e-9 s later there


@pytest.mark.parametrize("kind", ["integral", "windings", "all", "slow setpoint", "slow torque", "plugin"])
def test_runs_are_mujocos(tmp_path, kind):
    """Half a second from the keyframe, against MuJoCo's Euler steps of 10 µs: first order, so to 1e-4."""
    slow = {"slow setpoint": '<pid name="a" joint="k" kp="2" ki="1" kv="0.3" slewmax="0.6" input="pos"/>',
            "slow torque": '<dcmotor name="a" joint="k" class="small" input="ff" controller="0 0 0 3 0 0" '
                           'inductance="0.01"/>',
            "plugin": '<plugin name="a" joint="k" plugin="mujoco.pid" actdim="2" forcerange="-3 3"><config key="kp" '
                      'value="2"/><config key="ki" value="4"/><config key="imax" value="0.3"/><config key="kd" '
                      'value="0.2"/><config key="slewmax" value="0.5"/></plugin>'}
    text, file = (ACTUATORS | slow)[kind], tmp_path / "m.xml"
    given = text.split('input="')[1].split('"')[0].split() if 'input="' in text else ["one"]
    given = ["pos", "vel"] if kind == "integral" else given
    acts = {"integral": 1, "windings": 1, "all": 4, "slow setpoint": 2, "slow torque": 2, "plugin": 2}[kind]
    act = "0.05 0.4" if kind == "plugin" else " ".join(["0.05"] * acts)  # its setpoint begins at the control there
    key = (f'<keyframe><key name="k" qpos="0.2 -0.1 0.05" qvel="0.1 0.3 0" ctrl="{" ".join(["0.4"] * len(given))}" '
           f'act="{act}"/></keyframe>')
    whole = MOTORS.format(actuator=text, keyframe=key).replace("1e-9", "1e-5").replace(' range="-1 2"', "")
    extension = '<extension><plugin plugin="mujoco.pid"/></extension>' if kind == "plugin" else ""
    file.write_text(whole.replace("<worldbody>", f"{extension}<worldbody>"))
    m = lw.read(file, key="k")
    assert m.import_report.complete
    r = lw.simulate(m, 0.5)
    theirs = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    for _ in range(50_000):
        mujoco.mj_step(theirs, data)
    ((_, states),) = m.import_report.data["drives"].values()
    ours = [r[name][-1] for name in ("j.phi", "k.phi", "s.s", *(f"{state}.x" for state in states))]
    np.testing.assert_allclose(ours, [*data.qpos, *data.act], atol=1e-4, rtol=1e-4)


def test_mistakes_are_told_with_their_place(tmp_path):
    file = tmp_path / "m.xml"
    for actuator, said in (('<pid joint="j" kp="1" kv="1" dampratio="1"/>', "kv or dampratio"),
                           ('<pid joint="j" input="vel pos"/>', "in this order"),
                           ('<pid joint="j" input="vel" ki="1"/>', "needs the input pos"),
                           ('<dcmotor joint="j" resistance="2"/>', "positive constant and resistance"),
                           ('<dcmotor joint="j" class="small" lugre="3 1"/>', "lugre needs"),
                           ('<plugin joint="j" instance="none"/>', "no plugin instance 'none'")):
        file.write_text(MOTORS.format(actuator=actuator, keyframe=""))
        with pytest.raises(lw.ModelError, match=rf"m\.xml, line \d+, .*{said}"):
            lw.read(file)


def test_plugins_that_are_not_known_are_refused_by_name(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(MOTORS.format(actuator='<plugin joint="j" plugin="mine.law"/>', keyframe="").replace(
        '<geom size="0.03"/>', '<geom size="0.03"/><plugin plugin="mujoco.elasticity.cable"/>'))
    lost = " ".join(map(str, lw.read(file).import_report.ignored))
    assert "mine.law" in lost and "mujoco.elasticity.cable" in lost


@pytest.mark.parametrize("servo", ["position", "pid", "intvelocity"])
def test_setpoints_of_balls_lie_on_the_circle(tmp_path, servo):
    """More than half a turn away, the servo goes the other way round."""
    more = 'kp="3" kv="0.2"' if servo == "pid" else 'kp="3" actrange="-9 9"' if servo == "intvelocity" else 'kp="3"'
    file, random = tmp_path / "m.xml", np.random.default_rng(3)
    file.write_text(f"""<mujoco><worldbody><body><joint name="j" type="ball"/><geom type="box" size=".1 .2 .3"/></body>
      </worldbody><actuator><{servo} name="a" joint="j" gear="0.2 1 0.5" {more}/></actuator></mujoco>""")
    both = Against(file)
    (inputs, states) = both.model.import_report.data["drives"]["a"]
    for _ in range(10):
        both.at_random(random, controls=True)
        both.data.ctrl[0] = random.uniform(-9, 9)
        both.state.set(inputs[0], both.data.ctrl[0])
        for name in states:
            both.data.act[0] = random.uniform(-9, 9)
            both.state.set(f"{name}.x", both.data.act[0])
        assert np.all(both.errors() < 1e-9)


@pytest.mark.parametrize(("default", "actuator"), [
    ('<position kp="10" kv="1"/><default class="c"><motor ctrlrange="-2 2"/></default>', "position"),
    ('<position kp="10"/><default class="c"><velocity kv="4"/></default>', "general"),
    ('<velocity kv="3"/><default class="c"><position kp="5"/></default>', "velocity"),
    ('<position kp="3"/><velocity kv="4"/><default class="c"><position kv="7"/></default>', "position"),
    ('<general gainprm="5"/><default class="c"><motor gear="2"/></default>', "position"),
    ('<general gainprm="5" gaintype="affine"/><default class="c"/>', "position")])
def test_shortcuts_take_the_nearest_law_of_their_kind(tmp_path, default, actuator):
    if int(mujoco.__version__.split(".")[0]) < 4:
        pytest.skip("before 4.0 a class held one law")
    path = tmp_path / "classes.xml"
    path.write_text(f"""<mujoco><default>{default}</default><worldbody><body><joint name="j"/><geom size="0.1"/></body>
      </worldbody><actuator><{actuator} name="a" class="c" joint="j"/></actuator></mujoco>""")
    both = Against(path)
    for _ in range(3):
        both.at_random(np.random.default_rng(1), controls=True)
        assert np.all(both.errors() < 1e-12)
