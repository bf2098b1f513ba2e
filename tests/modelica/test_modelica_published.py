"""Public examples read from their own text, against the end values of the published results.

They are run where `LINKWRIGHT_MODELICA` and `LINKWRIGHT_MODELICA_RESULTS` say where texts and results are (see
`published`).  A signal agrees if it is off by at most 2e-3 of its largest amount, the accuracy of the files.
"""

import re
from time import process_time

import numpy as np
import pytest
from published import libraries, published, results
from scipy import integrate

import linkwright as lw

MULTIBODY = "Modelica.Mechanics.MultiBody.Examples"
TOLERANCE = 2e-3
#: below this amount (in the unit of the signal) a signal is zero
ZERO = 1e-3

#: examples that are not expected to agree, and why
NO_RESULT = "the density is in its results and no longer in its text"
DRAWN = "its signals are numbers of a drawing"
OTHERWISE = {
    "ModelicaTest.MultiBody.Forces.EngineGasForce": NO_RESULT,
    **dict.fromkeys((f"ModelicaTest.MultiBody.{name}" for name in (
        "Visualizers.Planes", "Visualizers.Torus", "Visualizers.VoluminousWheel", "WorldGroundVisualization")), DRAWN),
    "PlanarMechanics.Examples.CraneCrabTo3D": "there the planar part does not act on the body that carries it",
    "PlanarMechanics.Examples.InvertedCraneCrab": "InverseBlockConstraints needs its equations differentiated",
}
#: up to which time the others agree; what happens then is said here, and shown in the tests at the end
UNTIL = {
    # every digit depends on the last one of the start, and published files of two versions differ as well
    f"{MULTIBODY}.Elementary.DoublePendulumInitTip": 4.0,
    "ModelicaTest.MultiBody.Parts.Rotor1D.GearConstraint3": 0.28,
    # the published run turns through dead points of the coordinate that it takes as its state
    "ModelicaTest.MultiBody.FourbarVariants.JointUSR": 0.8,
    # the strut passes its dead point; the published run is reflected there, since its formula keeps one root
    "ModelicaTest.MultiBody.Joints.JointUSP2": 0.65,
    # an oscillation of 22 Hz, whose amplitude the published run loses by and by
    "ModelicaTest.MultiBody.InitializationConversion.Rotor1D": 0.3,
}
#: names of the text that have another one here
RENAMED = (("phi_flange", "flange.phi"), ("initializeFlange.w_flange", "speedSensor.w"), (".body.", "."),
           (".lineForce.", "."), (".frameTranslation.", "."))
#: helpers of the library's own solution, and parts that its assemblies are made of, which are not here
HELPERS = re.compile(r".*\.(startForward|startBackward|Q\[\d\]|phi\[\d\]|phi_d\[\d\]|derdd\[\d\]\.u|w_rel\[\d\]"
                     r"|jointUS[RP]\..*|relativePosition\..*|position_b\[\d\]\.y|rod1\.frame_ia\..*)")
TESTS = [name for name in results() if name.startswith((MULTIBODY, "ModelicaTest.MultiBody", "PlanarMechanics."))]


def value(r, name):
    """A signal by its name in Modelica: indices from 1, quaternions with their scalar last."""
    name = re.sub(r"\[(\d+)\]", lambda found: f"[{int(found.group(1)) - 1}]", name)
    owner, turned, k = name.rpartition(".Q[")
    if turned:
        name = f"{owner}.Q[{(int(k[:-1]) + 1) % 4}]"
    spelled = [name, *(name.replace(*pair) for pair in RENAMED)]
    own, _, rest = name.partition(".")
    spelled.append(f"{own}." + re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found.group(1).lower(), rest))
    for one in spelled:
        try:
            return float(np.ravel(r[one][-1])[0])
        except lw.LinkwrightError:
            continue
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_end_values_are_the_published_ones(name):
    found = published(name, UNTIL.get(name, np.inf))
    if found is None:
        pytest.skip("the file of its results is not there")
    if name in OTHERWISE:
        pytest.xfail(OTHERWISE[name])
    names, last, largest = found
    r = lw.simulate(lw.read(name, search=libraries()), last[0], accuracy=1e-9)
    assert r.t[-1] == pytest.approx(last[0], rel=1e-6)
    got = {signal: value(r, signal) for signal in names[1:]}
    missing = [signal for signal, found in got.items() if found is None and not HELPERS.fullmatch(signal)]
    assert not missing
    expected = dict(zip(names[1:], last[1:], strict=True))
    for signal in [signal for signal in got if signal.endswith(".Q[1]") and got[signal] is not None]:
        turned = [signal.replace("[1]", f"[{k}]") for k in (1, 2, 3, 4)]  # q and −q are one orientation
        if sum(got[one] * expected[one] for one in turned) < 0:
            got.update({one: -got[one] for one in turned})
    for signal, amount in zip(names[1:], largest[1:], strict=True):
        if got[signal] is not None:
            assert abs(got[signal] - expected[signal]) <= TOLERANCE * max(amount, ZERO), signal
    assert not got or any(found is not None for found in got.values())


TEXTS = pytest.mark.skipif(not libraries(), reason="the text of the Standard Library is not at hand")


@pytest.mark.slow
@TEXTS
def test_two_rotors_and_a_spring_are_the_closed_form():
    """w = w_0/2 ± (w_0 cos ωt − d_0 ω sin ωt)/2 with the stiff spring's ω² = 2c/J (Rotor1D 9 and 10)."""
    r = lw.simulate(lw.read("ModelicaTest.MultiBody.InitializationConversion.Rotor1D", search=libraries()), 1.1,
                    accuracy=1e-9)
    c, w_0, a_0 = 1e4, 0.03490658503988659, 0.05235987755982989
    omega = np.sqrt(2 * c)
    w_rel = w_0 * np.cos(omega * r.t) + a_0 / c * omega * np.sin(omega * r.t)
    assert np.abs(r["rotor1D10.w"] - (w_0 - w_rel) / 2).max() < 1e-6 * w_0
    assert np.abs(r["rotor1D9.w"] - (w_0 + w_rel) / 2).max() < 1e-6 * w_0


@pytest.mark.slow
@TEXTS
def test_energy_is_kept_through_dead_points():
    """Kinetic energy, weight, what the spring holds and what the damper has taken add up to a constant."""
    r = lw.simulate(lw.read("ModelicaTest.MultiBody.Joints.JointUSP2", search=libraries()), 4, accuracy=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert r["jointUSP.prismatic.s"].min() < -1 < 1 < r["jointUSP.prismatic.s"].max()
    assert np.ptp(energy) < 1e-7 * np.ptp(r["kinetic_energy"])
    r = lw.simulate(lw.read("ModelicaTest.MultiBody.FourbarVariants.JointUSR", search=libraries()), 2, accuracy=1e-10)
    fine = r.at(np.linspace(0, 2, 20001))
    lost = integrate.cumulative_simpson(fine["damper.loss_power"], x=fine.t, initial=0)
    assert fine["jointUSR.revolute.phi"][-1] > 10 * np.pi
    assert np.ptp(fine["kinetic_energy"] + fine["potential_energy"] + lost) < 1e-7 * lost[-1]


@pytest.mark.slow
@TEXTS
def test_the_full_robot_is_read_in_seconds_and_from_the_cache_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    taken, poses = [], []
    for _ in range(2):
        begin = process_time()
        m = lw.read(f"{MULTIBODY}.Systems.RobotR3.FullRobot", search=libraries())
        taken.append(process_time() - begin)
        poses.append(lw.compile(m).state().q)
    assert taken[0] < 10 and taken[1] < 1
    assert np.array_equal(*poses)
