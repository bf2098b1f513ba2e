"""OpenSim files: a small one of our own with every kind of joint, and ten that OpenSim itself writes."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from osim_files import LEG


@pytest.fixture
def leg(tmp_path):
    file = tmp_path / "leg.osim"
    file.write_text(LEG)
    return file


def test_a_leg_is_read(leg):
    m = lw.read(leg)
    assert m.title == "leg" and float(m.thigh.m) == 8.0
    assert isinstance(m.hip, lw.joints.Revolute) and isinstance(m.knee, lw.joints.FunctionBased)
    assert (float(m.hip.phi_min), float(m.hip.phi_max)) == (-1.0, 2.0)
    assert isinstance(m.heel, lw.contact.Sphere)
    system = lw.compile(m)
    assert system.dof == 1  # the ankle follows the knee, and the knee the hip
    state = system.state()
    # along y of the thigh f(q) = 0.1 q² − 0.2 q − 0.35, and the shank hangs 0.05 below
    q = state.get("knee.q")
    thigh = np.array(state.get("thigh.frame_a.R.T")).T
    shift = thigh @ [0, 0.1 * q**2 - 0.2 * q - 0.35, 0]
    shank = np.array(state.get("shank.frame_a.R.T")).T
    wanted = state.get("thigh.r_0") + shift - shank @ [0, 0.05, 0]
    np.testing.assert_allclose(state.get("shank.r_0"), wanted, atol=1e-12)


def test_couplers_hold_along_a_run(leg):
    r = lw.simulate(lw.read(leg, stops=False), 0.5)
    np.testing.assert_allclose(r["ankle.phi"], 0.5 * r["knee.q"] + 0.1, atol=1e-9)


def test_muscles_are_kept_and_unknown_ones_reported(leg):
    m = lw.read(leg)
    assert isinstance(m.quads, lw.muscles.Thelen2003)
    assert float(m.quads.F_max) == 900
    assert [(entry.element, entry.text) for entry in m.import_report.ignored] == [
        ("<Schutte1993Muscle_Deprecated name='old'>",
         "muscles of the kind Schutte1993Muscle_Deprecated are not known here")]
    with pytest.raises(lw.ModelError, match="old"):
        lw.read(leg, strict=True)


@pytest.mark.parametrize(("old", "new", "says"), [
    ('Version="40000"', 'Version="30000"', "open the file with OpenSim 4"),
    ("<socket_parent_frame>/bodyset/thigh", "<socket_parent_frame>/bodyset/thi", "there is no frame"),
    ("<mass>8</mass>", "<mass>heavy</mass>", "<mass> is 1 number"),
    ("<PinJoint name=\"hip\">", "<PinnJoint name=\"hip\">", "mismatched tag"),
    ("<coordinates>bend</coordinates>", "<coordinates>bent</coordinates>", "no coordinate 'bent'"),
    ("<x>-2 -1 0 1 2</x>", "<x>-2 -1 0 1 1</x>", "x increasing"),
])
def test_mistakes_are_told_with_their_place(leg, old, new, says):
    assert old in LEG
    leg.write_text(LEG.replace(old, new, 1))
    with pytest.raises(lw.ModelError, match=says) as error:
        lw.read(leg)
    assert f"{leg}, line " in str(error.value)


def test_a_spline_is_simms():
    """Four points lie on the cubic itself; more are met, with slope and curvature running on through each."""
    from linkwright.io.osim.coordinate_functions import piecewise, simm_spline

    x = np.array([-1.0, 0.3, 1.1, 2.0])
    cubic = np.polynomial.Polynomial([0.1, -0.2, 0.3, 0.05])
    pieces = simm_spline(x, cubic(x))
    for at in np.linspace(-1, 2, 13):
        assert float(piecewise(x, pieces, at, cubic(2.0))) == pytest.approx(cubic(at), abs=1e-14)


def oracle(folder: Path) -> dict:
    """What OpenSim says of the files it wrote into the folder."""
    program = Path(__file__).with_name("opensim_oracle.py")
    subprocess.run([sys.executable, str(program), str(folder)], check=True, capture_output=True, timeout=300)
    return json.loads((folder / "facts.json").read_text())


def turned(angles) -> np.ndarray:
    a, b, c = angles
    return lw.rotation_x(a) @ lw.rotation_y(b) @ lw.rotation_z(c)


def set_like(system, state, model, facts) -> np.ndarray:
    """Put OpenSim's coordinates into a state; gives T with our speeds = T · theirs (which are in the parent's axes)."""
    values, names = dict(zip(facts["coordinates"], facts["values"], strict=True)), facts["coordinates"]
    T = np.zeros((len(state.u), len(names)))
    q_slices, u_slices = system.mechanism.slices()
    joints = model.import_report.data["joints"]
    for k, body in enumerate(system.mechanism.bodies):
        own = next(joint for joint in joints.values() if joint.component.path == body.joint)
        columns = [names.index(name) for name in own.coordinates]
        x = np.array([values[name] for name in own.coordinates])
        q, u = q_slices[k], u_slices[k]
        if isinstance(own.component, (lw.joints.Spherical, lw.joints.FreeMotion)):
            R = turned(x[:3])
            X = lw.Transform(R, x[3:] if len(x) > 3 else (0, 0, 0))
            state.q[q] = body.mobilizer.fit(X)
            for start in range(0, len(x), 3):
                T[u.start + start:u.start + start + 3, columns[start:start + 3]] = R.T
        else:
            state.q[q], T[u, columns] = x, np.eye(len(x))
    return T


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("opensim") is None, reason="OpenSim is not installed")
def test_opensims_own_files(tmp_path):
    """Eleven files: mass matrices to 1e-8 of the largest entry, positions to 1e-8 m.

    Of a joint with a constant angle only positions are compared: OpenSim's velocities are not the rates of its own
    positions there.
    """
    told = oracle(tmp_path)
    assert len(told) == 11
    for name, facts in told.items():
        model = lw.read(tmp_path / name)
        system = lw.compile(model)
        state = system.state_from_defaults()
        T = set_like(system, state, model, facts)
        M, wanted = T.T @ system.mass_matrix(state) @ T, np.array(facts["M"])
        if name != "constant_angle.osim":
            assert np.abs(M - wanted).max() < 1e-8 * np.abs(wanted).max(), name
        for body, place in facts["bodies"].items():
            path = model.import_report.names["Body"][body]
            np.testing.assert_allclose(state.get(f"{path}.r_0"), place, atol=1e-8, err_msg=f"{name}: {body}")
