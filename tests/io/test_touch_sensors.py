"""Touch sensors of MJCF files: what presses within the volume of a site, beside MuJoCo at rest."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import Against

FELT = """<mujoco model="felt"><option cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="1 1 0.1"/>
  <body name="ball" pos="0 0 0.1"><freejoint/><geom name="skin" type="sphere" size="0.1" condim="1"/>
    <site name="ball_there" type="sphere" size="0.02" pos="0 0 -0.1"/>
    <site name="box_opposite" type="box" size="0.2 0.2 0.02" pos="0 0 0.1"/>
    <site name="box_on_the_ray" type="box" size="0.2 0.2 0.02" pos="0 0 -0.2"/>
    <site name="tube_there" type="cylinder" fromto="0 0 -0.15 0.02 0 -0.08" size="0.03"/>
    <site name="capsule_beside" type="capsule" size="0.02 0.05" pos="0.1 0 -0.1"/>
    <site name="capsule_there" type="capsule" size="0.02 0.05" pos="0.06 0 -0.1" euler="0 90 0"/>
    <site name="egg_there" type="ellipsoid" size="0.02 0.05 0.3"/></body>
  <body name="block" pos="1 0 0.1"><freejoint/><geom name="slab" type="box" size="0.1 0.1 0.1"/>
    <site name="half" type="box" size="0.1 0.2 0.2" pos="0.1 0 0"/><site name="all" type="box" size="0.2 0.2 0.2"/>
  </body></worldbody>
  <sensor>{sensors}<touch name="bounded" site="all" cutoff="10"/></sensor></mujoco>"""
SITES = ("ball_there", "box_opposite", "box_on_the_ray", "tube_there", "capsule_beside", "capsule_there", "egg_there",
         "half", "all")


@pytest.fixture
def felt(tmp_path):
    path = tmp_path / "felt.xml"
    path.write_text(FELT.format(sensors="".join(f'<touch name="of_{name}" site="{name}"/>' for name in SITES)))
    return path


def test_touch_sensors_measure_what_presses_in_their_volume(felt):
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_path(str(felt))
    data = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, data, 2000)
    m = lw.read(felt, contact="file")
    assert m.import_report.complete
    r = lw.simulate(m, 0.1)
    ours = [float(r[f"of_{name}"][-1]) for name in SITES]
    np.testing.assert_allclose(ours, data.sensordata[:-1], rtol=1e-6, atol=1e-9)
    assert sum(force > 0 for force in ours) == 7
    assert r["bounded"][-1] == 10


def test_without_contacts_they_read_zero_and_the_report_says_so(felt):
    m = lw.read(felt)
    assert m.import_report.complete
    assert "touch sensors read zero, 10 in all" in str(m.import_report.remarks[0])
    assert float(lw.compile(m).state().get("of_all")) == 0.0


def test_contacts_that_are_not_measured_are_told(tmp_path):
    path = tmp_path / "crowded.xml"
    bodies = "".join(f'<body pos="{k} 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/>'
                     f'<site name="s{k}"/></body>' for k in range(4))
    path.write_text(f"""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>{bodies}</worldbody>
      <sensor><touch name="t" site="s0"/></sensor></mujoco>""")
    told = [str(note) for note in lw.read(path, contact="file").import_report.approximated]
    assert len(told) == 1
    assert "does not measure floor/body_1_geom1 and 3 more" in told[0]


STICKY = """<mujoco model="sticky"><option cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="1 1 0.1"/><geom name="ceiling" type="box" size="0.2 0.2 0.05" pos="1 0 1"/>
  <body name="ball" pos="0 0 0.1"><freejoint/><geom name="skin" size="0.1" mass="1"/><site name="on" size="0.2"/></body>
  <body name="bat" pos="1 0 0.8501"><freejoint/><geom name="wing" size="0.1" mass="1"/><site name="under" size="0.2"/>
  </body></worldbody>
  <actuator><adhesion name="glue" body="ball" ctrlrange="0 2" gain="4" forcerange="0 7"/>
  <adhesion name="claw" body="bat" ctrlrange="0 1" gain="20"/></actuator>
  <sensor><touch name="ball_on" site="on"/><touch name="bat_under" site="under"/>
  <actuatorfrc name="pulls" actuator="glue"/></sensor>
  <keyframe><key ctrl="1.5 1"/><key name="strong" ctrl="2 1"/></keyframe></mujoco>"""


@pytest.mark.parametrize(("key", "pulls"), [(0, 6.0), ("strong", 7.0)])
def test_adhesion_presses_a_ball_down_and_holds_one_under_a_ceiling(tmp_path, key, pulls):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "sticky.xml"
    path.write_text(STICKY)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 1 if key else 0)
    mujoco.mj_step(theirs, data, 2000)
    m = lw.read(path, contact="file", key=key)
    assert m.import_report.complete
    r = lw.simulate(m, 0.2)
    ours = [float(r[name][-1]) for name in ("ball_on", "bat_under", "pulls")]
    assert ours == pytest.approx([9.81 + pulls, 20 - 9.81, pulls], rel=1e-9)
    np.testing.assert_allclose(ours, data.sensordata, rtol=1e-6)


def test_adhesion_that_is_switched_off_lets_go(tmp_path):
    """It hangs until then, and falls from then on, h = g t²/2."""
    path = tmp_path / "sticky.xml"
    path.write_text(STICKY)
    m = lw.read(path, contact="file", key=0)
    r = lw.simulate(m, 0.3, inputs={"claw": ([0.0, 0.1, 0.1001, 0.3], [1.0, 1.0, 0.0, 0.0])})
    assert float(r["bat_under"][-1]) == 0.0
    fallen = 9.81 * 0.2**2 / 2  # but for what the ramp of 0.1 ms still holds
    assert r["wing.frame_a.r_0"][[0, -1], 2] == pytest.approx([0.85, 0.85 - fallen], abs=2e-4)


def test_a_site_between_two_points_points_along_them(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "site.xml"
    path.write_text("""<mujoco><worldbody><body name="b" pos="0.1 0.2 0.3"><joint name="j" axis="1 2 3"/>
      <geom size="0.1"/><site name="rod" type="capsule" fromto="0 0 0.1 0.3 0.2 0.5" size="0.01"/></body></worldbody>
      <sensor><framezaxis name="z" objtype="site" objname="rod"/><gyro name="w" site="rod"/></sensor></mujoco>""")
    both = Against(path)
    both.at_random(np.random.default_rng(0))
    assert max(both.sensor_errors().values()) < 1e-14
