"""Spatial tendons and muscles of MJCF files beside MuJoCo: lengths, rates, forces, accelerations."""

import os
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

XML = """<mujoco><worldbody><geom name="c" type="{kind}" size="{size}" euler="90 0 0"/><site name="side" pos="0 0 .2"/>
  <site name="a" pos="-.3 0 -.05"/><body name="b"><joint name="j" type="hinge" axis="0 1 0"/>
  <geom size=".05" pos=".3 0 0" mass="1"/><site name="e" pos=".3 .1 -.05"/><site name="h" pos=".25 0 .02"/></body>
  </worldbody>
  <tendon><spatial name="t" stiffness="30" damping="1" springlength="{rest}"><site site="a"/>
  <geom geom="c" {side}/><site site="e"/>{more}</spatial></tendon>
  <actuator><muscle name="m" tendon="t" lengthrange=".6 .9" force="100" tausmooth=".2"/>
  <motor name="pull" tendon="t" gear="2"/></actuator></mujoco>"""


@pytest.mark.parametrize("kind", ["cylinder", "sphere"])
@pytest.mark.parametrize("side", ['sidesite="side"', ""])
@pytest.mark.parametrize(("more", "rest"), [
    ("", ".5"), ('<pulley divisor="2"/><site site="a"/><site site="h"/>', ".2 .3"), ("", "-1")])
def test_tendons_are_those_of_mujoco(tmp_path, kind, side, more, rest):
    mujoco = pytest.importorskip("mujoco")
    if int(mujoco.__version__.split(".")[0]) < 4:
        pytest.skip("before 4.0 the side was chosen otherwise")
    text = XML.format(kind=kind, size=".1 1" if kind == "cylinder" else ".1", side=side, more=more, rest=rest)
    path = tmp_path / "tendon.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    m = lw.read(path)
    assert not m.import_report.ignored
    system = lw.compile(m)
    state = system.state()
    act = next(k for k, name in enumerate(system.part_names("z")) if "act" in name)
    controls = [k for k, name in enumerate(system.part_names("d")) if name in ("m", "pull")]
    for q in (-0.2, 0.0, 0.4, 0.8):
        data.qpos[0], data.qvel[0], data.act[0], data.ctrl[:] = q, 0.3, 0.4, (0.7, 1.5)
        mujoco.mj_forward(model, data)
        state.set("j.phi", q)
        state.set("j.w", 0.3)
        state.z[act], state.d[controls] = 0.4, [0.7, 1.5]
        length = float(state.get("t.l")) + (float(state.get("t_2.l")) / 2 if more else 0.0)
        rate = float(state.get("t.v")) + (float(state.get("t_2.v")) / 2 if more else 0.0)
        assert length == pytest.approx(data.ten_length[0], abs=1e-14)
        assert rate == pytest.approx(data.ten_velocity[0], abs=1e-14)
        assert float(state.get("j.a")) == pytest.approx(data.qacc[0], rel=1e-9, abs=1e-9)


def test_friction_of_a_tendon_that_slides_is_that_of_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = XML.format(kind="cylinder", size=".1 1", side="", more="", rest="-1").replace(
        'stiffness="30"', 'stiffness="30" frictionloss="4"')
    path = tmp_path / "rubbing.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    m = lw.read(path)
    assert not m.import_report.ignored and not m.import_report.approximated
    assert m.t.friction == 4.0
    for speed in (2.0, -2.0):
        data.qpos[0], data.qvel[0] = 0.1, speed
        mujoco.mj_forward(model, data)
        m.j._initial["phi"], m.j._initial["w"] = [0.1], [speed]
        state = lw.compile(m).state()
        assert float(state.get("j.a")) == pytest.approx(data.qacc[0], rel=1e-6)


@pytest.mark.parametrize(("kind", "size"), [("sphere", "0.1"), ("cylinder", "0.1 0.2")])
def test_a_side_site_inside_leads_the_tendon_through_the_geom(tmp_path, kind, size):
    """Touched from within, and free of it at the last pose; MuJoCo stops its search where angles are off by 1e-6."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "within.xml"
    path.write_text(f"""<mujoco><worldbody><geom name="ring" type="{kind}" size="{size}" euler="90 0 0"/>
      <site name="in" pos="0 0 0.05"/><site name="a" pos="-0.2 0.03 0.25"/>
      <body name="b"><joint name="j" axis="0 1 0"/><geom size="0.05" pos="0.3 0 0.1"/>
      <site name="e" pos="0.25 -0.02 0.3"/></body></worldbody>
      <tendon><spatial name="t"><site site="a"/><geom geom="ring" sidesite="in"/><site site="e"/></spatial></tendon>
      </mujoco>""")
    model = mujoco.MjModel.from_xml_path(str(path))
    data, m = mujoco.MjData(model), lw.read(path)
    assert m.import_report.complete
    state, points = lw.compile(m).state(), []
    for q in (-1.0, -0.3, 0.0, 0.3, 1.0, 1.4):
        data.qpos[0], data.qvel[0] = q, 0.3
        mujoco.mj_forward(model, data)
        state.set("j.phi", q)
        state.set("j.w", 0.3)
        assert float(state.get("t.l")) == pytest.approx(data.ten_length[0], abs=1e-12)
        assert float(state.get("t.v")) == pytest.approx(data.ten_velocity[0], abs=1e-6)
        points.append(int(data.ten_wrapnum[0]))
    assert points == [4, 4, 4, 4, 4, 2]


def test_muscles_whose_numbers_mujocos_compiler_finds_are_named(tmp_path):
    path = tmp_path / "muscle.xml"
    path.write_text(XML.format(kind="sphere", size=".1", side="", more="", rest="-1").replace('force="100"', ""))
    ignored = lw.read(path).import_report.ignored
    assert "lengthrange or force" in ignored[0].text
    assert "'m'" in ignored[0].element


def test_a_run_with_tendon_and_muscle_moves(tmp_path):
    path = tmp_path / "muscle.xml"
    path.write_text(XML.format(kind="cylinder", size=".1 1", side="", more="", rest="-1"))
    r = lw.simulate(lw.read(path), 0.5, inputs={"m": 1.0})
    assert np.ptp(r["j.phi"]) > 0.1
    assert np.isfinite(r["t.l"]).all()


@pytest.mark.slow
@pytest.mark.skipif("LINKWRIGHT_MENAGERIE" not in os.environ, reason="LINKWRIGHT_MENAGERIE is not set")
def test_tendons_of_a_hand():
    """20 tendons over 42 cylinders (tetheria_aero_hand_open of github.com/google-deepmind/mujoco_menagerie)."""
    mujoco = pytest.importorskip("mujoco")
    path = Path(os.environ["LINKWRIGHT_MENAGERIE"]) / "tetheria_aero_hand_open" / "right_hand.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    m = lw.read(path)
    assert m.import_report.complete
    names, state = m.import_report.names, lw.compile(m).state()
    for j in range(model.njnt):
        (low, high), own = model.jnt_range[j], mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        data.qpos[j] = low + (high - low) * (0.3 + 0.05 * (j % 5))
        state.set(f"{names['joint'].get(own, own)}.phi", data.qpos[j])
    mujoco.mj_forward(model, data)
    for t in range(model.ntendon):
        own = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, t)
        assert float(state.get(f"{names['spatial'][own]}.l")) == pytest.approx(data.ten_length[t], abs=1e-15)
