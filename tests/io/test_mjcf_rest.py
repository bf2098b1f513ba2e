"""Rarer words of MJCF beside MuJoCo: replicas, tendons with bounds and curved laws, groups switched off, polygons."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import Against

mujoco = pytest.importorskip("mujoco")

WHEELS = """<mujoco model="wheels">
  <worldbody>
    <replicate count="3" offset="0.5 0.1 0" euler="0 20 30" sep="-">
      <body name="hub" pos="0 0 1"><joint name="spin" axis="0 1 0"/>
        <geom type="cylinder" size="0.1 0.05"/>
        <replicate count="2" euler="0 90 0">
          <body name="spoke" pos="0 0 0.1"><joint name="flex" axis="1 0 0" stiffness="2"/>
            <geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/><site name="end" pos="0 0 0.3"/></body>
        </replicate>
      </body>
    </replicate>
  </worldbody>
  <tendon><fixed name="pull" stiffness="3" springlength="-0.1 0.2"><joint joint="spin" coef="0.4"/></fixed></tendon>
  <actuator><motor name="drive" joint="spin" gear="2"/><position name="hold" tendon="pull" kp="2"/></actuator>
  <sensor><framepos name="place" objtype="site" objname="end"/></sensor>
</mujoco>
"""


def test_replicas_are_those_of_mujoco(tmp_path):
    """Three wheels of two spokes each, with what refers to them, in one another's frames."""
    file = tmp_path / "wheels.xml"
    file.write_text(WHEELS)
    both, random = Against(file), np.random.default_rng(0)
    ours = both.model.import_report.names
    assert set(ours["joint"]) == {both.theirs.joint(k).name for k in range(both.theirs.njnt)}
    assert "flex0-2" in ours["joint"] and len(both.model.import_report.data["drives"]) == both.theirs.nu == 6
    for _ in range(3):
        both.at_random(random)
        assert np.all(both.errors() < 1e-9)
        errors = both.sensor_errors()
        assert len(errors) == 6 and max(errors.values()) < 1e-9


def test_replicas_without_end_are_refused(tmp_path):
    file = tmp_path / "many.xml"
    inner = '<body><joint/><geom size="1"/></body>'
    for _ in range(4):
        inner = f'<replicate count="99">{inner}</replicate>'
    file.write_text(f"<mujoco><worldbody>{inner}</worldbody></mujoco>")
    with pytest.raises(lw.ModelError, match=r"many.xml, line 1, <replicate>: it stands for more than"):
        lw.read(file)
    file.write_text('<mujoco><worldbody><replicate count="1.5"/></worldbody></mujoco>')
    with pytest.raises(lw.ModelError, match="count is a whole number"):
        lw.read(file)


TENDONS = """<mujoco model="tendons">
  <compiler angle="radian"/>
  <option {option}/>
  <worldbody>
    <site name="a" pos="0 0 1"/>
    <body name="arm" pos="0.6 0 0.8"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/>
      <site name="b" pos="0.1 0 0.05"/>
      <body name="fore" pos="0.3 0 0"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body></body>
  </worldbody>
  <tendon>
    <spatial name="s" actuatorfrcrange="-1 2" stiffness="3 1 2" damping="0.2 0.1" springlength="0.4 0.5">
      <site site="a"/><site site="b"/></spatial>
    <fixed name="f" actuatorfrcrange="-0.2 0.3" stiffness="1 0.5" damping="0.1 0 0.2" springlength="0.01 0.03">
      <joint joint="j" coef="0.5"/><joint joint="k" coef="-0.3"/></fixed>
  </tendon>
  <actuator>
    <motor name="m1" tendon="s" gear="3" group="1"/><motor name="m2" tendon="f" gear="2"/>
    <motor name="m3" joint="k" group="2"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize("option", ["", 'actuatorgroupdisable="2 1"'])
def test_tendons_with_bounds_and_curved_laws_are_mujocos(tmp_path, option):
    """Bounds of what actuators do along a tendon, powers of its length and rate, slack between two lengths."""
    file, random = tmp_path / "t.xml", np.random.default_rng(0)
    file.write_text(TENDONS.format(option=option))
    both = Against(file)
    assert both.model.import_report.complete
    for _ in range(10):
        both.at_random(random, controls=True)
        both.data.ctrl *= 4
        for name, ((control,), _) in both.model.import_report.data["drives"].items():
            both.state.set(control, both.data.ctrl[both.theirs.actuator(name).id])
        assert np.all(both.errors() < 1e-9)


def test_controls_of_a_key_belong_to_their_actuators_where_one_before_is_not_known(tmp_path):
    file = tmp_path / "t.xml"
    file.write_text(TENDONS.format(option="").replace("<actuator>", '<actuator><adhesion body="arm" ctrlrange="0 1"/>')
                    .replace("</actuator>", '</actuator><keyframe><key name="k" ctrl="0.9 1 2 3"/></keyframe>'))
    state = lw.compile(lw.read(file, key="k")).state()
    assert [float(state.get(name)) for name in ("m1", "m2", "m3")] == [1, 2, 3]


@pytest.mark.parametrize("n", [10, 110])
def test_polygons_of_obj_files_weigh_what_mujocos_triangles_do(tmp_path, n):
    """A prism over a star, far from the origin, with side faces that are not flat: read by others, it weighs less."""
    angles = np.arange(n) * 2 * np.pi / n
    star = np.column_stack([np.cos(angles), np.sin(angles)]) * np.where(np.arange(n) % 2, 0.4, 1.0)[:, None]
    points = [(x + 3, y + 2, z) for z in (0.0, 0.5) for x, y in star]
    points[3] = (*points[3][:2], 0.07)
    faces = [list(range(n, 0, -1)), list(range(n + 1, 2 * n + 1)),
             *([k + 1, (k + 1) % n + 1, (k + 1) % n + n + 1, k + n + 1] for k in range(n))]
    (tmp_path / "star.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points)
                                       + "".join(f"f {' '.join(map(str, face))}\n" for face in faces))
    file = tmp_path / "m.xml"
    file.write_text('<mujoco><asset><mesh name="star" file="star.obj"/></asset><worldbody><body name="b"><freejoint/>'
                    '<geom type="mesh" mesh="star"/></body></worldbody></mujoco>')
    theirs, ours = mujoco.MjModel.from_xml_path(str(file)), lw.read(file)
    assert float(ours.b.m) == pytest.approx(theirs.body_mass[1], rel=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(np.asarray(ours.b.inertia, dtype=float)),
                               np.sort(theirs.body_inertia[1]), rtol=1e-9)


def test_a_plane_that_touches_nothing_is_seen(tmp_path):
    """As walls and floors of Gymnasium's and brax's reacher are; turned as the file says."""
    file = tmp_path / "m.xml"
    file.write_text("""<mujoco><worldbody><geom name="wall" type="plane" size="0 0 1" contype="0" conaffinity="0"
      pos="1 0 2" zaxis="1 0 0"/><body><joint name="j"/><geom size="0.1" pos="1 0 0"/></body></worldbody></mujoco>""")
    m = lw.read(file)
    assert m.import_report.complete
    assert np.allclose(np.cross(m.wall.direction_u, m.wall.direction_v), [1, 0, 0])
    np.testing.assert_allclose(lw.simulate(m, 0.1)["wall.frame_a.r_0"][-1], [1, 0, 2])


def test_a_place_beside_ends_is_zero(tmp_path):
    """Brax's files give both, the place as zeros; MuJoCo refuses any other."""
    file = tmp_path / "m.xml"
    text = """<mujoco><worldbody><body><joint name="j"/><geom type="capsule" size=".1" fromto="0 0 0 .3 .1 0" pos="{}"/>
      </body></worldbody></mujoco>"""
    file.write_text(text.format("0 0 0"))
    both = Against(file)
    assert both.model.import_report.complete
    assert np.all(both.errors(np.random.default_rng(0)) < 1e-12)
    file.write_text(text.format("0 0 1"))
    with pytest.raises(lw.ModelError, match="line 1, <geom>: give pos or fromto, not both"):
        lw.read(file)
