"""OpenSim's own models, where LINKWRIGHT_OPENSIM_MODELS names a copy of github.com/opensim-org/opensim-models.

Numbers are those of OpenSim 4.6: arm26 with Simbody's CableSpan in the place of its wrap objects, gait10dof18musc as it
is (it has no wraps).  OpenSim ends its search for equilibrium at some 1e-9 of the largest force.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

FOLDER = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="LINKWRIGHT_OPENSIM_MODELS is not set")

ARM = {"TRIlong": (.277609177272, 40.727085837), "TRIlat": (.166610488408, 22.502283402),
       "TRImed": (.154238291889, 20.870830913), "BIClong": (.424570946855, 90.7252),
       "BICshort": (.341687913208, 30.582985499), "BRA": (.147329031300, 63.12424363)}
GAIT = {"hamstrings": 123.036483899, "bifemsh": 36.91259619, "glut_max": 29.651332937, "iliopsoas": 116.159161332,
        "rect_fem": 54.08368164, "vasti": 49.060044164, "gastroc": 120.844957735, "soleus": 218.390179188,
        "tib_ant": 131.966115647}


def model(name):
    return lw.read(Path(FOLDER) / "Models" / name)


@pytest.fixture(scope="module")
def arm():
    return lw.compile(model("Arm26/arm26.osim"))


def test_lengths_and_forces_of_arm26(arm):
    state = arm.state()
    for name, (length, force) in ARM.items():
        assert float(state.get(f"{name}.l")) == pytest.approx(length, abs=1e-9)
        assert float(state.get(f"{name}.f")) == pytest.approx(force, abs=1e-5)
    assert float(state.get("r_shoulder.a")) == pytest.approx(-2.585138, abs=1e-5)
    assert float(state.get("r_elbow.a")) == pytest.approx(11.16578, abs=1e-5)
    arms = [arm.moment_arm(state, *pair) for pair in (("BIClong.l", "r_shoulder.q"), ("BIClong.l", "r_elbow.q"),
                                                      ("BRA.l", "r_elbow.q"))]
    assert arms == pytest.approx([.021306190, .009379930, .015055726], abs=1e-8)


@pytest.mark.slow
def test_motion_of_arm26(arm):
    r = lw.simulate(arm, 1.0, accuracy=1e-7)
    found = [r[name][-1] for name in ("r_shoulder.q", "r_elbow.q", "r_shoulder.u", "r_elbow.u")]
    assert found == pytest.approx([-.1019614, .4158794, -.308173, .152599], abs=1e-6)


@pytest.mark.slow
def test_gait10dof18musc():
    system = lw.compile(model("Gait10dof18musc/gait10dof18musc.osim"))
    state = system.state()
    for name, force in GAIT.items():
        for side in "rl":
            assert float(state.get(f"{name}_{side}.f")) == pytest.approx(force, rel=1e-7)
            assert abs(float(state.get(f"{name}_{side}.v_fiber"))) < 1e-9  # ours is the equilibrium
    expected = {"hip_r": -79.37379896, "knee_r": 96.38053919, "ankle_r": -772.20365498, "back": -49.14850805}
    for name, acceleration in expected.items():
        assert np.ravel(state.get(f"{name}.a"))[0] == pytest.approx(acceleration, rel=1e-7)
    r = lw.simulate(system, 0.2, accuracy=1e-8)
    assert r["ground_pelvis.q"][-1][2] == pytest.approx(.75692688, abs=1e-7)
    assert r["knee_r.q"][-1] == pytest.approx(.00097994, abs=1e-7)
    assert r["ankle_r.phi"][-1] == pytest.approx(-.13313447, abs=1e-7)


@pytest.mark.slow
def test_no_muscle_of_any_model_is_lost_but_schuttes():
    for path in sorted((Path(FOLDER) / "Models").glob("*/*.osim")):
        lost = [entry for entry in lw.read(path).import_report.ignored if "Muscle" in entry.element]
        assert all("Schutte" in entry.element for entry in lost), path.name
        assert len(lost) == (25 if path.name == "wrist.osim" else 0)
