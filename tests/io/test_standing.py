"""Files that stand on their ground: who touches whom as MuJoCo decides it, keyframes, overlaps of the start."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact
from linkwright.run.instant import Instant

sys.path.insert(0, str(Path(__file__).parent))

#: a table with a walker of two hinges per hip; bits, priorities, excludes, pairs and margins
WALKER = """<mujoco model="walker">
  <compiler angle="radian"/>
  <default><geom type="capsule" size="0.03" friction="0.7"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1" friction="0.9 0.01 0.001"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="5 0 0"/>
    <body name="post" pos="3 0 0.3"><geom name="pole" fromto="0 0 0 0 0 0.5"/>
      <body name="sign"><joint name="swing" axis="0 0 1"/><geom name="board" type="box" size="0.2 0.02 0.1"
        pos="0 0.1 0.4"/></body></body>
    <body name="trunk" pos="0 0 0.6"><freejoint name="root"/>
      <geom name="belly" type="box" size="0.2 0.1 0.05"/>
      <body name="thigh" pos="0.1 0 -0.02"><joint name="h1" axis="1 0 0"/><joint name="h2" axis="0 1 0"/>
        <geom name="thigh" fromto="0 0 0 0 0 -0.25"/>
        <body name="shin" pos="0 0 -0.25"><joint name="k" axis="0 1 0" range="-1 0.1"/>
          <geom name="shin" fromto="0 0 0 0 0 -0.25" contype="2" conaffinity="1"/>
          <body name="shoe" pos="0 0 -0.25"><geom name="foot" type="sphere" size="0.05" condim="4" priority="1"
            friction="0.5 0.02 0.003" margin="0.002"/></body></body></body>
      <body name="tail" pos="-0.2 0 0"><joint name="t" axis="0 1 0"/><geom name="tail" fromto="0 0 0 -0.3 0 0"/></body>
      <body name="ghost" pos="0 0.3 0"><joint name="g" axis="0 1 0"/>
        <geom name="mist" type="sphere" size="0.04" contype="0" conaffinity="0"/></body>
    </body>
  </worldbody>
  <contact>
    <exclude body1="tail" body2="shin"/>
    <pair geom1="mist" geom2="foot" friction="0.2 0.2 0.01 0.001 0.001" condim="3"/>
  </contact>
  <actuator><position name="knee" joint="k" kp="50"/></actuator>
  <keyframe>
    <key name="stand" qpos="0  0 0 0.6 1 0 0 0  0 0 0 0 0" ctrl="-0.1"/>
    <key name="lie" qpos="0  0 0 0.2 0.7071068 0 0.7071068 0  0 0 -0.5 0 0"
      qvel="0  0 0 1 0 0 0  0.5 0 0 0 0"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture
def walker(tmp_path):
    file = tmp_path / "walker.xml"
    file.write_text(WALKER)
    return file


def pairs_of(m: lw.Model) -> dict[frozenset[str], contact.Rigid]:
    """The pairs of shapes that a model lets touch, by name, with their laws."""
    return {frozenset((a.path, b.path)): asked.law for asked in m._contacts for a, b in asked.between}


def drawn_together(mujoco, theirs) -> set[frozenset[str]]:
    """All pairs that MuJoCo's filters let touch: every geom grown so much that all overlap."""
    data = mujoco.MjData(theirs)
    theirs.geom_margin[:] = theirs.pair_margin[:] = 100.0
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    mujoco.mj_forward(theirs, data)
    return {frozenset(theirs.geom(k).name for k in (c.geom1, c.geom2)) for c in data.contact}


def test_pairs_are_those_of_mujocos_filters(walker):
    mujoco = pytest.importorskip("mujoco")
    ours = pairs_of(lw.read(walker, contact="file", key="stand"))
    theirs = drawn_together(mujoco, mujoco.MjModel.from_xml_path(str(walker)))
    assert len(theirs) > 15
    # a geom named as a body is called …_part here
    assert {frozenset(name.removesuffix("_part") for name in pair) for pair in ours} == theirs


def test_friction_goes_by_priority_then_by_the_larger(walker):
    laws = pairs_of(lw.read(walker, contact="file"))
    assert laws[frozenset(("floor", "foot"))] == contact.Rigid(mu=0.5, spinning=0.02)  # the foot's word, condim 4
    assert laws[frozenset(("floor", "belly"))] == contact.Rigid(mu=0.9)
    assert laws[frozenset(("mist", "foot"))] == contact.Rigid(mu=0.2)  # what the pair says


def test_a_margin_is_part_of_the_shape(walker):
    assert lw.read(walker, contact="file").foot.radius == pytest.approx(0.052)
    assert lw.read(walker).foot.radius == pytest.approx(0.05)


def test_it_starts_at_the_first_keyframe_or_at_the_one_named(walker):
    state = lw.compile(lw.read(walker, key="lie")).state()
    np.testing.assert_allclose(state.get("trunk.r_0"), [0, 0, 0.2], atol=1e-12)
    np.testing.assert_allclose(state.get("trunk.v_0"), [0, 0, 1], atol=1e-12)
    assert state.get("k.phi") == pytest.approx(-0.5) and state.get("h1.w") == pytest.approx(0.5)
    assert lw.compile(lw.read(walker, contact="file")).state().get("knee") == pytest.approx(-0.1)
    assert lw.compile(lw.read(walker, key=False)).state().get("knee") == 0
    with pytest.raises(lw.ModelError, match=r"line 1, <mujoco>: there is no keyframe 'sit'; the file has stand, lie"):
        lw.read(walker, key="sit")


def test_small_overlaps_of_the_start_are_lifted_out_along_one_coordinate(walker):
    """The foot 30 mm in the floor (and 2 mm of margin): all of it is set 32 mm higher, nothing else moves."""
    walker.write_text(WALKER.replace('qpos="0  0 0 0.6', 'qpos="0  0 0 0.54'))
    m = lw.read(walker, contact="file")
    lifted = 0.03 + 0.002
    state = lw.compile(m).state()
    np.testing.assert_allclose(state.get("trunk.r_0"), [0, 0, 0.54 + lifted], atol=1e-8)
    assert state.get("k.phi") == pytest.approx(0, abs=1e-9)
    said = [note.text for note in m.import_report.remarks if "lifted out" in note.text]
    assert len(said) == 1 and "floor/foot 32 mm deep" in said[0]


def test_shapes_that_share_a_place_are_left_out_with_a_remark(walker):
    walker.write_text(WALKER.replace('<geom name="tail" fromto="0 0 0 -0.3 0 0"/>',
                                     '<geom name="tail" fromto="0.2 0 0 0.35 0 -0.3"/>'))
    m = lw.read(walker, contact="file")
    assert frozenset(("thigh_part", "tail_part")) not in pairs_of(m)
    assert any("cannot be moved apart" in note.text and "tail" in note.text for note in m.import_report.remarks)


def test_without_contact_a_run_says_that_things_fall_through(walker):
    r = lw.simulate(lw.read(walker), 0.01)
    assert sum("pass through one another" in message for message in r.messages) == 1
    assert not any("pass through" in message for message in lw.simulate(lw.read(walker, contact="file"), 0.01).messages)


def test_a_law_may_stand_for_the_files_friction(walker):
    m = lw.read(walker, contact=contact.HuntCrossley(stiffness=1e5, dissipation=0.5, mu=0.8))
    assert all(isinstance(law, contact.HuntCrossley) for law in pairs_of(m).values())
    for wrong in ("hard", contact.Rigid, 3):
        with pytest.raises(lw.ModelError, match="lw.read"):
            lw.read(walker, contact=wrong)


def test_three_hinges_in_a_row_are_one_joint_to_contacts():
    """A thigh on a ball joint made of hinges is a neighbour of the pelvis, as one on a Spherical is."""
    m = lw.Model("hip")
    m.world = lw.World(n=(0, 0, -1))
    m.pelvis, m.thigh = lw.parts.Body(m=5), lw.parts.Body(m=1, r_cm=[0, 0, -0.2])
    m.a, m.b, m.c = lw.joints.Revolute(n=[1, 0, 0]), lw.joints.Revolute(n=[0, 1, 0]), lw.joints.Revolute(n=[0, 0, 1])
    m.round, m.long = contact.Sphere(radius=0.1), contact.Sphere(radius=0.1)
    m.chain(m.pelvis, m.a, m.b, m.c, m.thigh)
    m.connect(m.pelvis.frame_a, m.round.frame_a)
    m.connect(m.thigh.frame_a, m.long.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    with pytest.warns(UserWarning, match="1 on bodies that a joint connects"):
        lw.compile(m)
    m.contacts(law=contact.Linear(stiffness=1e4), between=[(m.round, m.long)])
    with pytest.warns(UserWarning, match="1 on bodies that a joint connects"):
        assert "round/long" in lw.compile(m).mechanism.events.pressed
    with pytest.raises(lw.ModelError, match="pairs of different shapes"):
        m.contacts(between=[(m.round, m.pelvis)])


CART = """<robot name="cart">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="mid"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="tip"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial><collision><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="rigid" type="fixed"><parent link="base"/><child link="mid"/><origin xyz="0.2 0 0"/></joint>
  <joint name="j1" type="continuous"><parent link="mid"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="j2" type="continuous"><parent link="arm"/><child link="tip"/><origin xyz="0.2 0 0"/>
    <axis xyz="0 1 0"/></joint>
  <gazebo reference="tip"><mu1>0.3</mu1></gazebo>
</robot>
"""


def test_a_urdf_robot_is_set_on_a_ground(tmp_path):
    """Free, with its links at z = 0: lifted by the radius of its largest ball; SRDF takes pairs out."""
    file = tmp_path / "cart.urdf"
    file.write_text(CART)
    m = lw.read(file, contact="file", ground=True, floating=True)
    laws = pairs_of(m)
    assert set(laws) == {frozenset(pair) for pair in (("base_collision", "tip_collision"), ("ground", "base_collision"),
                                                      ("ground", "arm_collision"), ("ground", "tip_collision"))}
    assert laws[frozenset(("ground", "tip_collision"))].mu == 0.3
    assert lw.compile(m).state().get("base.r_0")[2] == pytest.approx(0.1, abs=1e-8)
    r = lw.simulate(m, 0.05)
    assert r["base.r_0"][-1][2] == pytest.approx(0.1, abs=1e-7)  # it lies on its ball, however the arm falls
    (tmp_path / "cart.srdf").write_text('<robot name="cart"><disable_collisions link1="base" link2="tip" '
                                        'reason="Never"/></robot>')
    assert frozenset(("base_collision", "tip_collision")) not in pairs_of(lw.read(file, contact="file", ground=0.0))
    with pytest.raises(lw.ModelError, match="ground="):
        lw.read(file, ground="flat")


def test_the_command_line_runs_a_file(walker, capsys):
    from linkwright.cli import main

    assert main(["run", str(walker), "--stop", "0.01", "--key", "stand"]) == 0
    told = capsys.readouterr().out
    assert "kept" in told and "walker" in told
    assert main(["run", str(walker), "--stop", "0.01", "--contact", "none"]) == 0
    assert "pass through one another" in capsys.readouterr().out


def gymnasium_files() -> list[Path]:
    folder = os.environ.get("LINKWRIGHT_GYMNASIUM")
    if folder is None:
        try:
            import gymnasium
        except ImportError:
            return []
        folder = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
    return [Path(folder) / f"{name}.xml" for name in ("ant", "hopper", "half_cheetah", "walker2d", "humanoid")]


@pytest.mark.slow
@pytest.mark.parametrize("file", gymnasium_files() or [None], ids=lambda file: file.stem if file else "absent")
def test_public_robots_stand_on_the_ground(file):
    """Dropped for half a second: nothing sinks into the floor by more than a micrometre."""
    if file is None:
        pytest.skip("gymnasium is not installed")
    m = lw.read(file, contact="file")
    r = lw.simulate(m, 0.5)
    system, floor = r.system, "floor"
    shapes = [a.path if b.path == floor else b.path for asked in m._contacts for a, b in asked.between
              if floor in (a.path, b.path)]
    gaps = [float(system.distance(r.end, floor, shape).gap) for shape in shapes]
    assert len(shapes) >= 7 and min(gaps) > -1e-6


#: a chain in one plane whose capsules may touch one another; no motion of it changes the normal of coplanar ones
FLAT = """<mujoco model="flat">
  <default><joint axis="0 1 0" damping="0.05" armature="0.2"/><geom type="capsule"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/>
    <body name="trunk" pos="0 0 0.75"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn"/>
      <geom fromto="0 0 -0.05 0 0 0.2" size="0.06"/>
      <body name="thigh" pos="0 0 -0.05"><joint name="hip" range="-170 10"/>
        <geom fromto="0 0 -0.1 0 0 -0.33" size="0.04"/>
        <body name="calf" pos="0 0 -0.33"><joint name="knee" range="5 150"/><geom fromto="0 0 0 0 0 -0.32" size="0.03"/>
        </body></body></body>
  </worldbody>
</mujoco>
"""


def test_contacts_that_no_motion_changes_do_not_count_among_the_forces(tmp_path):
    """Normals of coplanar capsules have an ease of rounding; an acceleration over it would be the largest force."""
    file = tmp_path / "flat.xml"
    file.write_text(FLAT)
    system, random = lw.compile(lw.read(file, contact="file")), np.random.default_rng(0)
    now = Instant(system, system.layout.pack(system.state()))
    for _ in range(30):
        now.q[:] = 0.5, random.uniform(-1, 1), random.uniform(-2, 0), random.uniform(0.2, 2)
        now.u[:] = random.uniform(-1, 1, 4)
        assert now.look().forces < 1e6
    assert 0 < min(now.look().contacts.ease) < 1e-12
