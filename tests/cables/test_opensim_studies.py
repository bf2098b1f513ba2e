"""Studies beside OpenSim's own tools on its walking data, where LINKWRIGHT_OPENSIM_MODELS names a copy of
github.com/opensim-org/opensim-models (Pipelines/Gait10dof18musc).

OpenSim 4.6 runs in a process of its own, with inverse kinematics at accuracy 1e-9 (at its default 1e-5 it stops up to
0.06° before the minimum).  Its files have eight digits behind the point.
"""

import importlib.util
import os
import re
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


ANALYSIS = """
import os, sys, opensim as osim
osim.Logger.setLevelString("Error")
model, motion, out = sys.argv[1:]
tool = osim.AnalyzeTool(); tool.setName("so"); tool.setModelFilename(model)
tool.setInitialTime(0.1); tool.setFinalTime(0.9); tool.setCoordinatesFileName(motion)
tool.setLowpassCutoffFrequency(6.0); tool.setResultsDir(out); tool.setOutputPrecision(14)
tool.setSolveForEquilibrium(False)
effort = osim.StaticOptimization(); effort.setName("so"); effort.setStartTime(0.1); effort.setEndTime(0.9)
effort.setUseModelForceSet(True); effort.setActivationExponent(2); effort.setUseMusclePhysiology(True)
effort.setConvergenceCriterion(1e-12); effort.setMaxIterations(1000)
tool.updAnalysisSet().cloneAndAppend(effort)
tool.printToXML(out + "/setup.xml")
osim.AnalyzeTool(out + "/setup.xml").run()
os._exit(0)  # OpenSim's destructors and Python's do not agree about who goes first
"""


def test_activations_of_an_arm(tmp_path):
    """Without wraps, which OpenSim only approximates; its least activation is 0.01."""
    arm, motion = tmp_path / "arm26.osim", tmp_path / "elbow.mot"
    text = (Path(FOLDER) / "Models/Arm26/arm26.osim").read_text()
    arm.write_text(re.sub(r"<PathWrap .*?</PathWrap>", "", text, flags=re.DOTALL))
    motion.write_text((Path(FOLDER) / "Tutorials/Computed_Muscle_Control/OutputReference/InverseKinematics"
                                      "/arm26_InverseKinematics.mot").read_text())
    subprocess.run([sys.executable, "-c", ANALYSIS, str(arm), str(motion), str(tmp_path)], check=True,
                   capture_output=True, timeout=120)
    activation, force = (lw.read_table(tmp_path / f"so_so_{what}.sto") for what in ("activation", "force"))
    found = lw.static_optimization(lw.read(arm), motion, t=activation.t, filter=6.0, bounds=(0.01, 1))
    assert len(found.t) > 90
    assert max(a.max() for a in found.activation.values()) > 0.25
    for name, a in found.activation.items():
        assert a == pytest.approx(activation[name], abs=1e-6)  # 1e-4 asked
        assert found.force[name] == pytest.approx(force[name], abs=1e-3)  # of 150 N
