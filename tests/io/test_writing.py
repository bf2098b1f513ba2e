"""What is written reads back as the same mechanism: M and bias to rounding, loops and couplings included."""

import sys
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import ACTUATED, FOURBAR, MACHINE
from robots import ARM

#: the machine without its signals, which the files of links and joints do not hold
PASSIVE = MACHINE[:MACHINE.index("<tendon>")] + "</mujoco>"


def same_mechanism(first: lw.Model, second: lw.Model, tolerance: float, rounds: int = 10) -> None:
    """M and what zero accelerations need, at random states, controls and activations, name by name."""
    systems = [lw.compile(m) for m in (first, second)]
    names = [{part: system.part_names(part) for part in "quzd"} for system in systems]
    shared = {part: [name for name in names[0][part] if name in names[1][part]] for part in "quzd"}
    assert [shared[part] for part in "quz"] == [names[0][part] for part in "quz"]
    places = [{part: [own[part].index(name) for name in shared[part]] for part in "quzd"} for own in names]
    random = np.random.default_rng(0)
    for _ in range(rounds):
        states = [system.state_from_defaults() for system in systems]
        for part in "quzd":
            values = random.uniform(-1, 1, len(shared[part]))
            for k, name in enumerate(shared[part]):
                if name.endswith(".Q_0"):
                    values[k:k + 4] /= np.linalg.norm(values[k:k + 4])
            for state, place in zip(states, places, strict=True):
                getattr(state, part)[place[part]] = values
        M = [system.mass_matrix(state) for system, state in zip(systems, states, strict=True)]
        needed = [system.inverse_dynamics(state, 0 * state.u) for system, state in zip(systems, states, strict=True)]
        own = places[1]["u"]
        assert np.abs(M[0] - M[1][np.ix_(own, own)]).max() < tolerance * np.abs(M[0]).max()
        assert np.abs(needed[0] - needed[1][own]).max() <= tolerance * np.abs(needed[0]).max()


def through(model: lw.Model, path: Path, **options) -> lw.Model:
    assert lw.export(model, path) == []
    return lw.read(path, **options)


@pytest.mark.parametrize("suffix", ["urdf", "xml"])
def test_an_arm_comes_back(tmp_path, suffix):
    (tmp_path / "arm.urdf").write_text(ARM)
    first = lw.read(tmp_path / "arm.urdf")
    second = through(first, tmp_path / f"out.{suffix}")
    same_mechanism(first, second, 1e-12)
    assert (float(second.elbow.phi_min), float(second.elbow.phi_max)) == (0.2, 2.5)
    assert second.shoulder.friction == lw.Coulomb(tau=0.2) and float(second.elbow_damper.d) == 0.3
    state = lw.compile(second).state()
    assert state.get("right.s") == pytest.approx(state.get("left.s") + 0.001, abs=1e-12)


def test_a_machine_comes_back(tmp_path):
    """Free, ball, hinge and slide joints, several per body, springs, armature."""
    (tmp_path / "machine.xml").write_text(PASSIVE)
    first = lw.read(tmp_path / "machine.xml", friction=False)
    second = through(first, tmp_path / "out.xml", friction=False)
    same_mechanism(first, second, 1e-12)
    start = [lw.compile(m).state().get("drone.r_0") for m in (first, second)]
    np.testing.assert_allclose(*start, atol=1e-14)


#: the machine without its sensors
DRIVEN = MACHINE[:MACHINE.index("<sensor>")] + "</mujoco>"


@pytest.mark.parametrize("text", [DRIVEN, ACTUATED], ids=["machine", "actuated"])
def test_actuators_and_tendons_come_back(tmp_path, text):
    """The same efforts at random states, controls and activations, within bounds and beyond them."""
    (tmp_path / "machine.xml").write_text(text)
    first = lw.read(tmp_path / "machine.xml")
    second = through(first, tmp_path / "out.xml")
    assert second.import_report.complete
    same_mechanism(first, second, 1e-12, rounds=20)


@pytest.mark.parametrize("text", [DRIVEN, ACTUATED], ids=["machine", "actuated"])
def test_actuators_suit_mujoco(tmp_path, text):
    """MuJoCo finds the same forces of actuators in the file that was read and in the one that was written."""
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "machine.xml").write_text(text)
    lw.export(lw.read(tmp_path / "machine.xml"), tmp_path / "out.xml")
    efforts = []
    for model in (mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml")) for name in ("machine", "out")):
        random, data = np.random.default_rng(0), mujoco.MjData(model)
        for name in sorted(model.actuator(k).name for k in range(model.nu)):
            data.actuator(name).ctrl[:] = random.uniform(-1.5, 1.5)
            start = model.actuator_actadr[model.actuator(name).id]
            if start >= 0:
                data.act[start] = random.uniform(-0.3, 0.3)
        joints = sorted(model.joint(k).name for k in range(model.njnt))
        for name in joints:
            place = data.joint(name)
            for values in (place.qpos, place.qvel):
                values[:] = random.uniform(-1, 1, values.size)
            if place.qpos.size in (4, 7):
                place.qpos[-4:] /= np.linalg.norm(place.qpos[-4:])
        mujoco.mj_forward(model, data)
        efforts.append(np.concatenate([data.joint(name).qfrc_actuator for name in joints]))
    np.testing.assert_allclose(efforts[0], efforts[1], atol=1e-12 * np.abs(efforts[0]).max())


def test_what_is_written_suits_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    for name, text in (("machine", PASSIVE), ("fourbar", FOURBAR)):
        (tmp_path / f"{name}.xml").write_text(text)
        lw.export(lw.read(tmp_path / f"{name}.xml", friction=False), tmp_path / "out.xml")
        first, second = (mujoco.MjModel.from_xml_path(str(tmp_path / file)) for file in (f"{name}.xml", "out.xml"))
        assert first.nv == second.nv and np.sum(first.body_mass) == pytest.approx(np.sum(second.body_mass), rel=1e-12)


def test_loops_come_back(tmp_path):
    (tmp_path / "fourbar.xml").write_text(FOURBAR)
    first = lw.read(tmp_path / "fourbar.xml")
    second = through(first, tmp_path / "out.xml")
    same_mechanism(first, second, 1e-12)
    ends = [lw.simulate(m, 0.3)["a.phi"][-1] for m in (first, second)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)
    with pytest.raises(lw.ModelError, match="loop: URDF holds trees"):
        lw.export(first, tmp_path / "out.urdf")


def test_a_loop_of_joints_becomes_connects(tmp_path):
    """A planar four-bar made of four Revolute joints: the cut one is two points on its axis."""
    m = lw.Model("fourbar")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.a = lw.joints.Revolute(n=[0, 1, 0], phi=lw.guess(0.4))
    m.b, m.c, m.d = (lw.joints.Revolute(n=[0, 1, 0]) for _ in range(3))
    m.base = lw.parts.FixedTranslation(r=[0.8, 0, 0])
    m.crank = lw.parts.BodyShape(r=[0, 0, 0.3], r_cm=[0, 0, 0.15], m=1.0)
    m.coupler = lw.parts.BodyShape(r=[0.8, 0, 0.2], r_cm=[0.4, 0, 0.1], m=2.0)
    m.rocker = lw.parts.BodyShape(r=[0, 0, 0.5], r_cm=[0, 0, 0.25], m=1.5)
    m.chain(m.world, m.a, m.crank, m.b, m.coupler, m.c)
    m.chain(m.world, m.base, m.d, m.rocker)
    m.connect(m.rocker.frame_b, m.c.frame_b)
    second = through(m, tmp_path / "out.xml")
    courses = []
    for model in (m, second):
        system = lw.compile(model)
        state = lw.assemble(system, near=system.state(), goals={"a.phi": 0.4})
        courses.append(lw.simulate(system, 0.3, state=state)["a.phi"])
    assert courses[0][0] == pytest.approx(courses[1][0], abs=1e-9) and np.ptp(courses[0]) > 0.1
    assert courses[0][-1] == pytest.approx(courses[1][-1], abs=1e-6)


def test_joints_of_several_axes_are_taken_apart(tmp_path):
    """Universal, Cylindrical and Planar joints as chains: the same energy of the same motion."""
    for kind, given in ((lw.joints.Universal, {"n_a": [1, 0, 0], "n_b": [0, 1, 1]}),
                        (lw.joints.Cylindrical, {"n": [1, 1, 0]}), (lw.joints.Planar, {"n": [0, 1, 1]})):
        m = lw.Model("m")
        m.world = lw.World(n=[0, 0, -1])
        m.joint = kind(**given)
        m.body = lw.parts.Body(m=1.3, r_cm=[0.2, 0.1, -0.3], inertia=[0.1, 0.2, 0.25])
        m.chain(m.world, m.joint, m.body)
        for suffix in ("urdf", "xml"):
            second = through(m, tmp_path / f"out.{suffix}")
            systems = [lw.compile(model) for model in (m, second)]
            letters = [name.removeprefix("joint.") for name in systems[0].part_names("q")]
            random = np.random.default_rng(1)
            states = [system.state_from_defaults() for system in systems]
            for k, letter in enumerate(letters):
                own = systems[1].part_names("q").index(f"joint_{letter}.{'s' if letter.startswith('s') else 'phi'}")
                states[0].q[k] = states[1].q[own] = random.uniform(-1, 1)
                states[0].u[k] = states[1].u[own] = random.uniform(-1, 1)
            for quantity in ("kinetic_energy", "potential_energy"):
                first, other = (getattr(s, quantity)(state) for s, state in zip(systems, states, strict=True))
                assert first == pytest.approx(other, rel=1e-12, abs=1e-12)


def test_what_a_file_does_not_hold_is_said(tmp_path):
    (tmp_path / "machine.xml").write_text(MACHINE)
    m = lw.read(tmp_path / "machine.xml")
    with pytest.warns(UserWarning, match="does not hold"):
        lost = lw.export(m, tmp_path / "out.xml")
    assert lost == ["lower_cut", *[f"s{k}" for k in range(1, 17)]]  # sensors, and the cut that two of them measure
    with pytest.raises(lw.ModelError, match="does not hold"):
        lw.export(m, tmp_path / "strict.xml", strict=True)
    assert not (tmp_path / "strict.xml").exists()
    with pytest.raises(lw.ModelError, match="gimbal: URDF has no joint"):
        lw.export(m, tmp_path / "out.urdf")
    with pytest.raises(lw.ModelError, match="no format ends on '.doc'"):
        lw.export(m, tmp_path / "out.doc")


def installed(suffix: str, *packages: str) -> list[Path]:
    """Files of other people's packages, where those are installed."""
    found: list[Path] = []
    for package in packages:
        try:
            found += [Path(f.locate()) for f in metadata.files(package) or [] if f.suffix == suffix]
        except metadata.PackageNotFoundError:
            continue
    return sorted(found)


def comes_back(file: Path, out: Path, **options) -> None:
    """A file read, written and read again is the same mechanism with the same forces."""
    first = lw.read(file, stops=False, friction=False, **options)
    try:
        lw.compile(first)
    except lw.ModelError as error:
        if "a movable leaf without inertia" not in str(error):
            raise
        pytest.skip("nothing resists one of its joints, so that it has no motion")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lost = set(lw.export(first, out))
        second = lw.read(out, stops=False, friction=False, search=[file.parent])
    assert not [part.path for part in first.leaves() if part.path in lost]  # signals alone may be
    if lw.compile(first).mechanism.nu:
        same_mechanism(first, second, 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("file", installed(".urdf", "example-robot-data") or [None],
                         ids=lambda f: f.stem if f else "absent")
def test_robots_of_others_come_back(file, tmp_path):
    """All URDF files of example-robot-data."""
    if file is None or "<link" not in file.read_text():
        pytest.skip("there is no robot")
    comes_back(file, tmp_path / "out.urdf")


@pytest.mark.slow
@pytest.mark.parametrize("file", installed(".xml", "dm-control", "brax") or [None],
                         ids=lambda f: f"{f.parent.name}-{f.stem}" if f else "absent")
def test_models_of_others_come_back(file, tmp_path):
    """All MJCF files of dm-control and brax that MuJoCo reads."""
    mujoco = pytest.importorskip("mujoco")
    if file is None:
        pytest.skip("dm-control and brax are not installed")
    try:
        mujoco.MjModel.from_xml_path(str(file))
    except ValueError:
        pytest.skip("MuJoCo does not read it")
    comes_back(file, tmp_path / "out.xml",
               search=[next(folder for folder in file.parents if folder.name in ("dm_control", "brax"))])
