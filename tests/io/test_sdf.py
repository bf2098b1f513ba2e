"""SDF: the same arm as in URDF, frames that count from one another, what is free and static, models in models."""

import re

import numpy as np
import pytest

import linkwright as lw

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0.02 0.3" rpy="0.3 -0.2 0.5"/><mass value="2.5"/>
    <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.04" iyz="0.003" izz="0.02"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 0.2"/><mass value="1.2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.004"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/><dynamics damping="0.7"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 0.6" rpy="0 1.5 0"/><axis xyz="1 2 0"/>
    <limit lower="-0.2" upper="2.5" effort="30" velocity="2"/></joint>
</robot>
"""

#: the fore arm's pose counts from the upper arm; the axis of the slide is the fore arm's, its joint stands beside it
SDF = """<sdf version="1.9"><model name="arm">
  <link name="upper"><pose>0 0 0.1 0.1 0.2 0.3</pose>
    <inertial><pose>0.1 0.02 0.3 0.3 -0.2 0.5</pose><mass>2.5</mass><inertia><ixx>0.03</ixx><ixy>0.001</ixy>
      <ixz>-0.002</ixz><iyy>0.04</iyy><iyz>0.003</iyz><izz>0.02</izz></inertia></inertial></link>
  <link name="fore"><pose relative_to="tool">0 0 0.5 0 0 0</pose>
    <inertial><pose>0 0 0.2 0 0 0</pose><mass>1.2</mass><inertia><ixx>0.01</ixx><iyy>0.012</iyy><izz>0.004</izz>
      <ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>
  <frame name="seat" attached_to="upper"><pose>0 0 0.6 0 1.5 0</pose></frame>
  <frame name="tool"><pose relative_to="seat">0 0 -0.5 0 0 0</pose></frame>
  <joint name="shoulder" type="continuous"><parent>world</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><dynamics><damping>0.7</damping></dynamics></axis></joint>
  <joint name="slide" type="prismatic"><pose>0.1 0 0 0.4 0 0</pose><parent>seat</parent><child>fore</child>
    <axis><xyz expressed_in="fore">1 2 0</xyz><limit><lower>-0.2</lower><upper>2.5</upper><effort>30</effort></limit>
    </axis></joint>
</model></sdf>
"""


def test_an_arm_is_the_one_of_urdf(tmp_path):
    """Mass matrix, and forces of gravity, speed and damping, at random states."""
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.sdf").write_text(SDF)
    models = [lw.read(tmp_path / name) for name in ("arm.urdf", "arm.sdf")]
    assert models[1].import_report.complete, str(models[1].import_report)
    assert (models[1].slide.s_min, models[1].slide.s_max) == (-0.2, 2.5)
    systems, random = [lw.compile(m) for m in models], np.random.default_rng(0)
    assert systems[0].part_names("u") == systems[1].part_names("u")
    for _ in range(5):
        q, u = random.uniform(-2, 2, 2), random.uniform(-2, 2, 2)
        found = []
        for system in systems:
            state = system.state_from_defaults()
            state.q[:], state.u[:] = q, u
            found.append((system.mass_matrix(state), system.inverse_dynamics(state, np.zeros(2))))
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


WORLD = """<sdf version="1.8"><world name="room"><gravity>0 0 -10</gravity>
  <model name="floor"><static>true</static><link name="slab"><collision name="c"><geometry><plane>
    <normal>0 0 1</normal></plane></geometry></collision></link></model>
  <include><uri>model://ball</uri><name>one</name><pose>0 0 0.1 0 0 0</pose></include>
  <include><uri>model://ball</uri><name>two</name><pose>1 0 0.5 0 0 0</pose></include>
</world></sdf>
"""
BALL = """<sdf version="1.8"><model name="ball"><link name="shell"><inertial><mass>2</mass><inertia><ixx>0.01</ixx>
  <iyy>0.01</iyy><izz>0.01</izz></inertia></inertial><collision name="c"><geometry><sphere><radius>0.1</radius></sphere>
  </geometry><surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision></link></model></sdf>
"""


def test_included_models_are_free_and_touch_what_is_static(tmp_path):
    (tmp_path / "ball").mkdir()
    (tmp_path / "ball/model.sdf").write_text(BALL)
    file = tmp_path / "room.sdf"
    file.write_text(WORLD)
    m = lw.read(file, contact="file")
    laws = {asked.law.mu: asked.between for asked in m._contacts}
    assert set(laws) == {0.4} and len(laws[0.4]) == 3
    r = lw.simulate(m, 0.2)
    assert r["one__shell.r_0"][-1][2] == pytest.approx(0.1, abs=1e-9)
    assert r["two__shell.r_0"][-1][2] == pytest.approx(0.5 - 5 * 0.2**2, abs=1e-7)


def test_a_follower_and_a_link_without_gravity(tmp_path):
    mimic = '</axis><drake:mimic joint="shoulder" multiplier="0.5"/></joint>\n</model>'
    text = SDF.replace("</axis></joint>\n</model>", mimic)
    text = text.replace('<link name="fore">', '<link name="fore"><gravity>0</gravity>')
    file = tmp_path / "arm.sdf"
    file.write_text(text)
    m = lw.read(file)
    r = lw.simulate(m, 0.2)
    np.testing.assert_allclose(r["slide.s"], 0.5 * r["shoulder.phi"], atol=1e-9)
    assert "fore_lift" in {part.path for part in m.leaves()}


@pytest.mark.parametrize(("old", "new", "says"), [
    ('relative_to="tool"', 'relative_to="fool"', "there is no link, joint, frame or model 'fool'"),
    ('relative_to="seat"', 'relative_to="fore"', "go round in a ring"),
    ("<child>fore</child>", "<child>upper</child>", "are the same"),
    ('type="prismatic"', 'type="sliding"', "type is one of revolute"),
    ("<mass>1.2</mass>", "<mass>-1</mass>", "must be finite and not negative"),
    ("<lower>-0.2</lower>", "<lower>3</lower>", "lies above upper"),
])
def test_mistakes_are_told_with_file_and_line(tmp_path, old, new, says):
    file = tmp_path / "arm.sdf"
    assert old in SDF
    file.write_text(SDF.replace(old, new, 1))
    with pytest.raises(lw.ModelError, match=re.escape(says)) as error:
        lw.read(file)
    assert re.search(r"arm\.sdf, line \d+", str(error.value))


TOOL = """<sdf version="1.9"><model name="tool">
  <pose>0 0 0.5 0 0 0</pose>
  <link name="grip"><pose>0.1 0 0 0 0 0.3</pose></link>
  <frame name="mount" attached_to="grip"><pose>0 0 -0.2 0 0.4 0</pose></frame>
  <model name="pad"><pose>0 0.2 0 0 0 0</pose><link name="skin"/></model>
  <joint name="glue" type="fixed"><parent>grip</parent><child>pad::skin</child></joint>
</model></sdf>
"""

#: the tool by its mount frame on the hand, as a model of its own or merged; a robot of URDF beside it
HOLDER = """<sdf version="1.9"><model name="holder">
  <model name="shelf"><pose relative_to="hand">0 1 0 0 0 0</pose><link name="board"/></model>
  <link name="hand"><pose>1 0 0 0.2 0 0</pose></link>
  <joint name="base" type="fixed"><parent>world</parent><child>hand</child></joint>
  <joint name="hold" type="fixed"><parent>hand</parent><child>{grip}</child></joint>
  <joint name="lay" type="fixed"><parent>hand</parent><child>shelf::board</child></joint>
  <include{merge}><uri>tool.sdf</uri><placement_frame>mount</placement_frame>
    <pose relative_to="hand">0 0 0.3 0 0 0</pose></include>
  <include><uri>arm.urdf</uri><pose>0 0 2 0 0 0</pose></include>
  <joint name="arm_base" type="fixed"><parent>hand</parent><child>arm::base</child></joint>
</model></sdf>
"""


@pytest.mark.parametrize("merge", [False, True])
def test_included_models_stand_where_their_placement_frame_says(tmp_path, merge):
    (tmp_path / "tool.sdf").write_text(TOOL)
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "holder.sdf").write_text(HOLDER.format(merge=' merge="true"' if merge else "",
                                                       grip="grip" if merge else "tool::grip"))
    m = lw.read(tmp_path / "holder.sdf")
    names, state = m.import_report.names["link"], lw.compile(m).state()
    hand = lw.Transform(lw.rotation_x(0.2), [1, 0, 0])
    tool = hand @ lw.Transform(None, [0, 0, 0.3]) \
        @ (lw.Transform(lw.rotation_z(0.3), [0.1, 0, 0]) @ lw.Transform(lw.rotation_y(0.4), [0, 0, -0.2])).inverse()
    grip = tool @ lw.Transform(lw.rotation_z(0.3), [0.1, 0, 0])
    wanted = {"grip": grip.p, "pad::skin": tool.p + tool.R @ [0, 0.2, 0], "shelf::board": hand.p + hand.R @ [0, 1, 0],
              "arm::upper": [0, 0, 2.1]}
    for link, place in wanted.items():
        name = names[link if merge or link in names else f"tool::{link}"]
        np.testing.assert_allclose(state.get(f"{name}.frame_a.r_0"), place, atol=1e-12)
    assert lw.compile(m).dof == 2 and float(getattr(m, names["arm::upper"]).m) == 2.5
    (tmp_path / "holder.sdf").write_text(HOLDER.format(merge="", grip="tool::grip").replace("tool.sdf", "robot.xml"))
    (tmp_path / "robot.xml").write_text("<mujoco/>")
    with pytest.raises(lw.ModelError, match="there is no link, joint, frame or model 'tool::grip'"):
        lw.read(tmp_path / "holder.sdf")


def test_frames_and_models_that_count_from_one_another_in_a_ring_are_refused(tmp_path):
    file = tmp_path / "ring.sdf"
    file.write_text('<sdf version="1.9"><model name="a"><link name="l"/>'
                    '<model name="b"><pose relative_to="c">0 0 0 0 0 0</pose><link name="l"/></model>'
                    '<model name="c"><pose relative_to="b">0 0 0 0 0 0</pose><link name="l"/></model></model></sdf>')
    with pytest.raises(lw.ModelError, match=r"ring.sdf, line 1, <model name='.'>: .*go round in a ring"):
        lw.read(file)
