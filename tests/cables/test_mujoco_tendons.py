"""Spatial tendons and muscles of MJCF files beside MuJoCo: lengths, rates, forces, accelerations."""

import os
import re
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


@pytest.mark.parametrize("kind", ["cylinder", "sphere"])
@pytest.mark.parametrize("side", ["", "0.02 0.15 0.1"])
def test_the_side_of_a_tendon_follows_from_the_pose_alone(tmp_path, kind, side):
    """An end anywhere around the geom, inside of it too: length and rate, whatever the pose before."""
    mujoco = pytest.importorskip("mujoco")
    if int(mujoco.__version__.split(".")[0]) < 4:
        pytest.skip("before 4.0 the side was chosen otherwise")
    path = tmp_path / "round.xml"
    path.write_text(f"""<mujoco><worldbody>
      <geom name="c" type="{kind}" size="{'.1 1' if kind == 'cylinder' else '.1'}" euler="70 20 0"/>
      <site name="side" pos="{side or '0 0 0'}"/><site name="a" pos="-.2 .03 -.05"/>
      <body name="b"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide"/><geom size=".05" mass="1"/><site name="e"/></body></worldbody>
      <tendon><spatial name="t" stiffness="3"><site site="a"/>
      <geom geom="c" {'sidesite="side"' if side else ''}/><site site="e"/></spatial></tendon></mujoco>""")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data, m = mujoco.MjData(theirs), lw.read(path)
    assert m.import_report.complete
    state, random, touching = lw.compile(m).state(), np.random.default_rng(1), set()
    for _ in range(60):
        data.qpos[:], data.qvel[:] = random.uniform(-0.4, 0.4, 3), random.uniform(-1, 1, 3)
        mujoco.mj_forward(theirs, data)
        for name, place, speed in zip("xyz", data.qpos, data.qvel, strict=True):
            state.set(f"{name}.s", place)
            state.set(f"{name}.v", speed)
        assert float(state.get("t.l")) == pytest.approx(data.ten_length[0], abs=1e-13)
        assert float(state.get("t.v")) == pytest.approx(data.ten_velocity[0], abs=1e-13)
        touching.add(int(data.ten_wrapnum[0]))
    assert touching == {2, 4}


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


@pytest.mark.parametrize("more", ["", '<pulley divisor="2"/><site site="a"/><site site="h"/>'])
def test_inertia_of_a_tendon_is_that_of_mujoco(tmp_path, more):
    """armature a adds a JᵀJ to the mass matrix, with J̇; beside a fixed tendon that has one too.

    MuJoCo refuses it for tendons over geoms.
    """
    mujoco = pytest.importorskip("mujoco")
    text = XML.format(kind="cylinder", size=".1 1", side="", more=more, rest=".5").replace(
        'stiffness="30"', 'stiffness="30" armature="0.7"').replace(
        "</spatial>", '</spatial><fixed name="own" armature="0.3"><joint joint="j" coef="1.5"/></fixed>').replace(
        '<geom geom="c" />', "")
    path = tmp_path / "heavy.xml"
    path.write_text(text)
    model, m = mujoco.MjModel.from_xml_string(text), lw.read(path)
    data = mujoco.MjData(model)
    assert m.import_report.complete
    system = lw.compile(m)
    state = system.state()
    for q, speed in ((-0.2, 2.0), (0.1, -3.0), (0.8, 1.0)):
        data.qpos[0], data.qvel[0] = q, speed
        mujoco.mj_forward(model, data)
        state.set("j.phi", q)
        state.set("j.w", speed)
        assert float(state.get("j.a")) == pytest.approx(data.qacc[0], rel=1e-9)


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


def posed(mujoco, path):
    """(MuJoCo's model and data, ours and its state, names) where every joint has a place within its range, a speed, and
    every actuator a control and an activation."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data, m = mujoco.MjData(model), lw.read(path)
    assert m.import_report.complete
    names, system = m.import_report.names, lw.compile(m)
    state = system.state()
    for j in range(model.njnt):
        (low, high), own = model.jnt_range[j], mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        data.qpos[j], data.qvel[j] = low + (high - low) * (0.3 + 0.05 * (j % 5)), 0.1 * np.cos(j)
        state.set(f"{names['joint'].get(own, own)}.phi", data.qpos[j])
        state.set(f"{names['joint'].get(own, own)}.w", data.qvel[j])
    controls, states = system.part_names("d"), system.part_names("z")
    for i in range(model.nu):
        own = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
        data.ctrl[i] = np.clip(0.3, *model.actuator_ctrlrange[i])
        state.d[controls.index(own)] = data.ctrl[i]
        if model.na:
            data.act[i] = 0.2 + 0.1 * (i % 4)
            state.z[states.index(f"{own}_act.x")] = data.act[i]
    mujoco.mj_forward(model, data)
    return model, data, system, state, names


def compare_tendons(mujoco, model, data, system, state, names):
    """Lengths, rates, forces and moment arms of all tendons; what they do on joints follows from these."""
    lengths, rates = data.ten_length.copy(), data.ten_velocity.copy()
    forces = -model.tendon_damping[:, 0] * rates if model.tendon_damping.ndim == 2 else -model.tendon_damping * rates
    stiffness = model.tendon_stiffness[:, 0] if model.tendon_stiffness.ndim == 2 else model.tendon_stiffness
    forces -= stiffness * (lengths - np.clip(lengths, *model.tendon_lengthspring.T))
    for i in range(model.nu):
        if model.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_TENDON:
            forces[model.actuator_trnid[i, 0]] += data.actuator_force[i] * model.actuator_gear[i, 0]
    own = [names["spatial"][mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, t)] for t in range(model.ntendon)]
    for name, length, rate, force in zip(own, lengths, rates, forces, strict=True):
        assert float(state.get(f"{name}.l")) == pytest.approx(length, abs=1e-15)
        assert float(state.get(f"{name}.v")) == pytest.approx(rate, abs=1e-15)
        assert float(state.get(f"{name}.f")) == pytest.approx(-force, rel=1e-9, abs=1e-12)
    for j in range(model.njnt):
        data.qvel[:] = np.arange(model.njnt) == j
        mujoco.mj_forward(model, data)  # rates at a speed of one
        joint = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        arms = [system.moment_arm(state, f"{name}.l", f"{names['joint'].get(joint, joint)}.phi") for name in own]
        assert -np.array(arms) == pytest.approx(data.ten_velocity, abs=1e-12)


@pytest.mark.slow
@pytest.mark.skipif("LINKWRIGHT_MENAGERIE" not in os.environ, reason="LINKWRIGHT_MENAGERIE is not set")
def test_tendons_of_a_hand():
    """20 tendons over 42 cylinders (tetheria_aero_hand_open of github.com/google-deepmind/mujoco_menagerie)."""
    mujoco = pytest.importorskip("mujoco")
    path = Path(os.environ["LINKWRIGHT_MENAGERIE"]) / "tetheria_aero_hand_open" / "right_hand.xml"
    model, data, *ours = posed(mujoco, path)
    assert data.ten_length.sum() == pytest.approx(.933739542272, abs=1e-12)
    assert np.linalg.norm(data.qfrc_actuator) == pytest.approx(6.784883694686, rel=1e-9)
    compare_tendons(mujoco, model, data, *ours)


@pytest.mark.slow
@pytest.mark.skipif("LINKWRIGHT_MYO_SIM" not in os.environ, reason="LINKWRIGHT_MYO_SIM is not set")
def test_muscles_of_an_elbow(tmp_path):
    """Six muscles over spheres and cylinders (elbow of github.com/MyoHub/myo_sim), without meshes and scene."""
    mujoco = pytest.importorskip("mujoco")
    parts = [(Path(os.environ["LINKWRIGHT_MYO_SIM"]) / "elbow/assets" / name).read_text()
             for name in ("myoelbow_assets.xml", "myoelbow_2dof6muscles_body.xml")]
    left_out = r"</?mujocoinclude[^>]*>|<asset>.*?</asset>|<geom[^>]*\"mesh\"[^>]*?(/>|></geom>)|material=\"geom\""
    text = re.sub(left_out, "", "".join(parts), flags=re.DOTALL)
    path = tmp_path / "elbow.xml"
    path.write_text(f"<mujoco>{text}</mujoco>")
    model, data, system, state, names = posed(mujoco, path)
    assert data.actuator_force == pytest.approx([-159.86343, -136.22779, -155.779708, -343.59582, -86.198731,
                                                 -291.118792], abs=1e-6)
    assert data.qfrc_actuator == pytest.approx([3.95690117, 8.01380846], abs=1e-8)
    for j, name in enumerate(("r_shoulder_elev", "r_elbow_flex")):
        assert float(state.get(f"{name}.a")) == pytest.approx(data.qacc[j], rel=1e-9)
    compare_tendons(mujoco, model, data, system, state, names)
