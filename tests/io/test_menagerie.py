"""The public MuJoCo Menagerie, where LINKWRIGHT_MENAGERIE names its folder: what opens, what is lost, what agrees.

    git clone https://github.com/google-deepmind/mujoco_menagerie; LINKWRIGHT_MENAGERIE=mujoco_menagerie pytest …
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import Against

mujoco = pytest.importorskip("mujoco")

FOLDER = os.environ.get("LINKWRIGHT_MENAGERIE")
#: scenes, and files that are only parts of others
PARTS = ("scene", "ms_human_700/assets", "flexiv_rizon4/assets", "aloha/filtered", "aloha/joint_pos", "aloha/keyframe",
         "shadow_hand/keyframes")
#: OBJ polygons that are not flat or cross themselves, which every reader cuts in its own way; tendons that touch geoms
#: from within, where MuJoCo stops its search 1e-6 before the end
COARSE = {"hello_robot_stretch_3/stretch": 1e-4, "MS-Human-700-Manipulation": 1e-8}
#: of sensors: force sensors leave out drag there (without any drag in the file the fly's agree to 1.2e-10), and its
#: accelerometer has MuJoCo's rounded principal moments (1.5e-8)
COARSE_SENSORS = {"flybody/fruitfly": 2e-4}


def models() -> list[Path]:
    if FOLDER is None:
        return []
    return [file for file in sorted(Path(FOLDER).rglob("*.xml"))
            if not any(part in file.as_posix() for part in PARTS) and "test" not in file.parts]


@pytest.mark.slow
@pytest.mark.parametrize("file", models() or [None], ids=lambda f: f"{f.parent.name}-{f.stem}" if f else "-")
def test_a_model_of_menagerie_is_mujocos(file):
    """Mass matrix, all forces and sensors at ten random states and controls, constraints left out, to 1e-9."""
    if file is None:
        pytest.skip("LINKWRIGHT_MENAGERIE is not set")
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as error:
        pytest.skip(f"MuJoCo does not read it: {error}")
    report = lw.read(file).import_report
    assert report.complete, report
    if theirs.nv == 0:
        return
    both, random = Against(file, ("CONSTRAINT",), stops=False), np.random.default_rng(0)
    # controllers of plugins look one step ahead, and begin to limit setpoints after the first
    both.theirs.opt.timestep, both.data.time = 1e-12, 1.0
    tolerance, of_sensors = (next((coarse for name, coarse in known.items() if name in file.as_posix()), 1e-9)
                             for known in (COARSE, COARSE | COARSE_SENSORS))
    for _ in range(10):
        both.at_random(random, controls=True)
        assert max(both.errors()) < tolerance
        if not theirs.neq:  # our accelerations hold the loops, which MuJoCo leaves out here
            assert max(both.sensor_errors().values(), default=0.0) < of_sensors
