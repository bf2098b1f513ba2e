"""Studies beside OpenSim's own tools on its walking data, where LINKWRIGHT_OPENSIM_MODELS names a copy of
github.com/opensim-org/opensim-models (Pipelines/Gait10dof18musc).

OpenSim 4.6 runs in a process of its own, with inverse kinematics at accuracy 1e-9 (at its default 1e-5 it stops up to
0.06° before the minimum).  Its files have eight digits behind the point.
"""

import importlib.util
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

FOLDER = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
DATA = Path(FOLDER or ".") / "Pipelines/Gait10dof18musc/OutputReference"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not FOLDER or not DATA.is_dir() or importlib.util.find_spec("opensim") is None,
    reason="LINKWRIGHT_OPENSIM_MODELS is not set, or opensim is not installed")]

TOOLS = """
import os, sys, opensim as osim
osim.Logger.setLevelString("Error")
data, out = sys.argv[1:]
os.chdir(data + "/IK")
ik = osim.InverseKinematicsTool("walk_Setup_IK.xml")
model = osim.Model(data + "/subject01.osim"); model.initSystem(); ik.setModel(model)
ik.set_accuracy(1e-9); ik.set_marker_file(data + "/ExperimentalData/subject01_walk.trc")
ik.setOutputMotionFileName(out + "/ik.mot"); ik.setResultsDir(out); ik.run()
os.chdir(data + "/ID")
dynamics = osim.InverseDynamicsTool("walk_Setup_ID.xml")
dynamics.setResultsDir(out); dynamics.setOutputGenForceFileName("id.sto"); dynamics.run()
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opensim")
    subprocess.run([sys.executable, "-c", TOOLS, str(DATA.resolve()), str(folder)], check=True, capture_output=True,
                   timeout=300)
    return folder


@pytest.fixture(scope="module")
def walker():
    return lw.compile(lw.read(DATA / "subject01.osim"))


def test_poses_of_markers(walker, theirs):
    measured = lw.read_table(DATA / "ExperimentalData/subject01_walk.trc")
    weights = dict.fromkeys(measured.names, 0.0)
    for task in ElementTree.parse(DATA / "IK/walk_Setup_IK.xml").iter("IKMarkerTask"):
        if task.get("name") in weights and task.find("apply").text.strip() == "true":
            weights[task.get("name")] = float(task.find("weight").text)
    ik = lw.inverse_kinematics(walker, markers=measured, weights=weights)
    expected = lw.read_table(theirs / "ik.mot")
    for name in expected:
        found = np.degrees(ik.motion[name]) if ik.motion.units[name] == "rad" else ik.motion[name]
        assert found == pytest.approx(expected[name], abs=1e-4)  # degrees and metres; 1e-3 asked


def test_torques_of_a_walk_with_forces_of_plates(walker, theirs):
    expected = lw.read_table(theirs / "id.sto")
    found = lw.inverse_dynamics(walker, DATA / "IK/subject01_walk_IK.mot", t=expected.t, filter=6.0,
                                external=DATA / "ExperimentalData/subject01_walk_grf.xml")
    for name, torque in found.forces.items():
        column = next(title for title in expected if title.startswith(name))
        assert torque == pytest.approx(expected[column], abs=1e-7)
