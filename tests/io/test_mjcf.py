"""MJCF: accelerations, sensors, loops and states beside MuJoCo's own, and what is said of the rest."""

import re
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import ACTUATED, BOUNDED, FOURBAR, MACHINE, Against

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def machine(tmp_path):
    file = tmp_path / "machine.xml"
    file.write_text(MACHINE)
    return file


@pytest.fixture
def fourbar(tmp_path):
    file = tmp_path / "fourbar.xml"
    file.write_text(FOURBAR)
    return file


def test_accelerations_with_springs_dampers_and_drives_are_mujocos(machine):
    """u̇ with all forces at random states and controls: both solve 13 × 13 systems in double precision."""
    both, random = Against(machine, ("CONTACT", "LIMIT")), np.random.default_rng(0)
    controls = [both.theirs.actuator(k).name for k in range(both.theirs.nu)]
    for _ in range(20):
        both.at_random(random)
        both.data.ctrl[:] = random.uniform(-1.5, 1.5, both.theirs.nu)
        for name, value in zip(controls, both.data.ctrl, strict=True):
            both.state.set(name, value)
        mujoco.mj_forward(both.theirs, both.data)
        T, bias = both.map()
        wanted = T @ both.data.qacc + bias
        np.testing.assert_allclose(both.system.evaluate(both.state, "udot"), wanted, atol=1e-10 * np.abs(wanted).max())


def test_actuators_on_joints_of_every_kind_and_on_sites_are_mujocos(tmp_path):
    """u̇ at random states, controls and activations; lengths and forces as its sensors would tell."""
    file = tmp_path / "actuated.xml"
    file.write_text(ACTUATED)
    both, random = Against(file, ("CONTACT", "LIMIT")), np.random.default_rng(3)
    assert both.model.import_report.complete
    names = [both.theirs.actuator(k).name for k in range(both.theirs.nu)]
    for _ in range(10):
        both.at_random(random)
        both.data.ctrl[:] = random.uniform(-1.5, 1.5, both.theirs.nu)
        both.data.act[:] = random.uniform(-0.3, 0.3, both.theirs.na)
        for k, name in enumerate(names):
            both.state.set(name, both.data.ctrl[k])
            if both.theirs.actuator_actnum[k]:
                both.state.set(f"{name}_act.x", both.data.act[both.theirs.actuator_actadr[k]])
        mujoco.mj_forward(both.theirs, both.data)
        T, bias = both.map()
        wanted = T @ both.data.qacc + bias
        np.testing.assert_allclose(both.system.evaluate(both.state, "udot"), wanted, atol=1e-10 * np.abs(wanted).max())


def test_bounds_ratios_drag_and_sensors_are_mujocos(tmp_path):
    """Accelerations with forces at their bounds, and every kind of sensor, to rounding at random states."""
    file = tmp_path / "bounded.xml"
    file.write_text(BOUNDED)
    both, random = Against(file, ("CONTACT", "LIMIT"), stops=False), np.random.default_rng(4)
    assert both.model.import_report.complete, str(both.model.import_report)
    for _ in range(10):
        both.at_random(random, controls=True)
        worst = both.sensor_errors()
        assert len(worst) == both.theirs.nsensor and max(worst.values()) < 1e-10, worst
        T, bias = both.map()
        wanted = T @ both.data.qacc + bias
        np.testing.assert_allclose(both.system.evaluate(both.state, "udot"), wanted, atol=1e-10 * np.abs(wanted).max())


def test_a_fixed_tendon_stops_at_the_ends_of_its_way(tmp_path):
    file = tmp_path / "bounded.xml"
    file.write_text(BOUNDED)
    m = lw.read(file)
    assert (m.cord_range.low, m.cord_range.high) == (-1, 1)
    r = lw.simulate(m, 1.0, inputs={"a7": 1.0, "a2": -0.5})
    length = 0.6 * r["j1.phi"] - 0.4 * r["j2.phi"]
    assert length.max() <= 1 + 1e-9 and length.min() >= -1 - 1e-9


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_solids_fitted_to_meshes_are_mujocos(tmp_path, kind):
    """A turned box as a mesh; mass to rounding, the tensor to 1e-6 of it (MuJoCo's principal axes end 1e-8 rad off)."""
    import trimesh

    mesh = trimesh.creation.box(extents=(0.2, 0.3, 0.5))
    mesh.apply_transform(trimesh.transformations.rotation_matrix(0.4, [1, 2, 3], [0.5, 0.2, 0.1]))
    mesh.export(tmp_path / "box.stl")
    file = tmp_path / "m.xml"
    file.write_text('<mujoco><asset><mesh name="box" file="box.stl"/></asset><worldbody><body name="b"><freejoint/>'
                    f'<geom type="{kind}" mesh="box" pos="0.1 0 0" euler="10 20 30"/></body></worldbody></mujoco>')
    theirs, ours = mujoco.MjModel.from_xml_path(str(file)), lw.read(file)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    assert ours.import_report.complete
    assert float(ours.b.m) == pytest.approx(theirs.body_mass[1], rel=1e-9)
    np.testing.assert_allclose(ours.b.r_cm, theirs.body_ipos[1], atol=1e-9)
    np.testing.assert_allclose(ours.b.inertia, R @ np.diag(theirs.body_inertia[1]) @ R.T,
                               atol=1e-6 * theirs.body_inertia[1].max())


def test_polygons_are_cut_into_triangles_that_cover_them():
    """A comb with deep teeth: as many triangles as corners less two, none turned over, the area that of the comb."""
    from linkwright.io.polygons import cut_into_triangles

    teeth = [(x, y) for k in range(6) for x, y in ((2 * k, 0.1), (2 * k + 0.5, 3), (2 * k + 1, 0.1))]
    outline = np.array([*teeth, (11.0, 0.0), (0.0, 0.0)])[::-1]
    points = np.column_stack([outline @ [[0.6], [0.2]], outline @ [[0.1], [0.9]], outline @ [[-0.3], [0.4]]])
    triangles = cut_into_triangles(points)
    areas = [np.cross(points[j] - points[i], points[k] - points[i]) / 2 for i, j, k in triangles]
    whole = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) / 2
    assert len(triangles) == len(points) - 2
    assert all(area @ whole > 0 for area in areas)
    np.testing.assert_allclose(np.sum(areas, axis=0), whole, rtol=1e-12)


def test_included_files_count_from_the_file_that_includes_them(tmp_path):
    """main → parts/arm.xml → hand.xml beside the arm; a repository's other folders are open, what is outside is not."""
    (tmp_path / "repo/robots/parts").mkdir(parents=True)
    (tmp_path / "repo/shared").mkdir()
    (tmp_path / "repo/.git").mkdir()
    main = tmp_path / "repo/robots/main.xml"
    main.write_text('<mujoco><include file="parts/arm.xml"/><include file="../shared/more.xml"/></mujoco>')
    (tmp_path / "repo/robots/parts/arm.xml").write_text('<mujoco><include file="hand.xml"/></mujoco>')
    (tmp_path / "repo/robots/parts/hand.xml").write_text('<mujoco><worldbody><body name="hand"><freejoint/>'
                                                         '<geom size="0.1"/></body></worldbody></mujoco>')
    (tmp_path / "repo/shared/more.xml").write_text('<mujoco><option gravity="0 0 -1"/></mujoco>')
    m = lw.read(main)
    assert m.hand.m > 0 and m.world.g == 1
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    main.write_text('<mujoco><include file="../../secret.xml"/></mujoco>')
    with pytest.raises(lw.ModelError, match="leads out of the model's folder"):
        lw.read(main)


def test_a_file_with_loops_starts_at_its_first_keyframe(fourbar):
    """Drawn, the crank stands upright; the key has it leaning by 0.3 rad, and the loop closes near that."""
    key = '<keyframe><key name="lean" qpos="0.3 -0.2 0.4 0.8 0 1.5 1 0 0 0 0"/></keyframe></mujoco>'
    fourbar.write_text(FOURBAR.replace("</mujoco>", key))
    assert abs(lw.compile(lw.read(fourbar)).state().get("a.phi") - 0.3) < 0.15
    assert lw.compile(lw.read(fourbar, key=False)).state().get("a.phi") == pytest.approx(0, abs=1e-6)


def test_sites_that_rounding_leaves_apart_are_one_point(tmp_path):
    """A bar held by two loops at once, each 3e-8 m open as the file draws it: closed, with a remark for each."""
    file = tmp_path / "bars.xml"
    file.write_text("""<mujoco><worldbody>
      <site name="a1" pos="0 0.1 1"/><site name="b1" pos="0 -0.1 1"/>
      <body name="bar" pos="0.5 0 1"><joint axis="0 1 0" pos="-0.5 0 0"/><geom type="capsule" size="0.02"
        fromto="-0.5 0 0 0 0 0"/><site name="a2" pos="-0.50000003 0.1 0"/><site name="b2" pos="-0.5 -0.1 0.00000003"/>
      </body></worldbody>
      <equality><connect site1="a1" site2="a2"/><connect site1="b1" site2="b2"/></equality></mujoco>""")
    m = lw.read(file)
    assert sum("3e-08 m apart" in note.text for note in m.import_report.remarks) == 2
    lw.compile(m).state()


def test_the_report_counts_elements_and_not_classes(machine):
    """An attribute of a class that every element overrides is no loss; one that nobody can use is one, where it is."""
    machine.write_text(MACHINE.replace('<geom rgba="0.8 0.4 0.2 1"/>', '<geom rgba="0.8 0.4 0.2 1" type="box"/>'))
    assert lw.read(machine).import_report.complete
    machine.write_text(MACHINE.replace('<joint damping="0.2"', '<joint novelty="3" damping="0.2"'))
    lost = lw.read(machine).import_report.ignored
    assert lost and all("novelty" in entry.text and "joint" in entry.element for entry in lost)


def test_activations_follow_and_stop_at_their_bounds_as_mujocos(tmp_path):
    """Its steps are Euler's, of 0.1 ms here: to 1e-3 after 1 s, in which the integrals have reached their bounds."""
    file = tmp_path / "actuated.xml"
    file.write_text(ACTUATED.replace("<option ", '<option timestep="0.0001" '))
    controls = {"press": 0.8, "creep": 0.6, "slow": 3.0, "puff": -0.7}
    m = lw.read(file)
    r = lw.simulate(m, 1.0, inputs=controls)
    theirs = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(theirs)
    for name, value in controls.items():
        data.actuator(name).ctrl[:] = value
    while data.time < 1.0 - 1e-9:
        mujoco.mj_step(theirs, data)
    for name in controls:
        act = data.act[theirs.actuator_actadr[theirs.actuator(name).id]]
        assert r[f"{name}_act.x"][-1] == pytest.approx(act, abs=1e-3), name
    assert r["creep_act.x"][-1] == pytest.approx(0.3, abs=1e-9) and r["puff_act.x"][-1] == pytest.approx(-0.5, abs=1e-9)


def test_mass_matrix_and_bias_are_mujocos(machine):
    both, random = Against(machine, ("CONTACT", "LIMIT", "DAMPER"), friction=False), np.random.default_rng(1)
    for _ in range(20):
        assert np.all(both.errors(random) < 1e-12)


def test_sensors_are_outputs(machine):
    both, random = Against(machine, ("CONTACT", "LIMIT")), np.random.default_rng(2)
    for _ in range(3):
        both.at_random(random)
        mujoco.mj_forward(both.theirs, both.data)
        for k in range(both.theirs.nsensor):
            sensor = both.theirs.sensor(k)
            theirs = both.data.sensordata[sensor.adr[0]:sensor.adr[0] + sensor.dim[0]]
            ours = np.ravel(both.system.evaluate(both.state, sensor.name))
            np.testing.assert_allclose(ours, theirs, atol=1e-10 * max(1, np.abs(theirs).max()), err_msg=sensor.name)


def test_keyframes_are_states(machine):
    m = lw.read(machine)
    system = lw.compile(m)
    state = m.keyframes["bent"].state(system)
    assert state.t == 0.5
    assert state.get("swing.phi") == pytest.approx(0.1) and state.get("extend.s") == pytest.approx(0.15)
    np.testing.assert_allclose(state.get("drone.r_0"), [0, 0, 2], atol=1e-15)
    np.testing.assert_allclose(state.get("drone.v_0"), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(state.get("drone.w_a"), [0, 0, 1], atol=1e-15)
    assert lw.simulate(system, 0.6, start=0.5, state=state, inputs={}).t[-1] == pytest.approx(0.6)


def test_keyframes_set_controls_and_activations(tmp_path):
    file = tmp_path / "actuated.xml"
    file.write_text(ACTUATED.replace("</mujoco>", '<keyframe><key name="on" ctrl="1 2 3 4 5 6 7 8 9 10 11" '
                                     'act="0.1 0.2 0.3 0.4"/></keyframe></mujoco>'))
    m = lw.read(file)
    state = m.keyframes["on"].state(lw.compile(m))
    assert [state.get(name) for name in ("look", "moor", "puff")] == [1, 7, 11]
    assert [state.get(f"{name}_act.x") for name in ("press", "creep", "slow", "puff")] == [0.1, 0.2, 0.3, 0.4]


def test_equalities_are_exact_where_mujoco_is_soft(fourbar):
    """MuJoCo holds the loop to about 1e-3 m; here it is closed to 1e-9 m, and the motion is the same to 1e-2 rad."""
    m = lw.read(fourbar)
    r = lw.simulate(m, 0.5, step=0.01)
    theirs = mujoco.MjModel.from_xml_path(str(fourbar))
    data = mujoco.MjData(theirs)
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(theirs, data)
    anchor = np.array([0.8, 0, 0.2])
    points = []
    for k in range(len(r.t)):
        frames = {name: (r[f"{name}.frame_a.r_0"][k], r[f"{name}.frame_a.R.T"][k].T)
                  for name in ("coupler", "rocker", "plate")}
        (p, R), (p2, R2), (p3, R3) = frames.values()
        points.append((p + R @ anchor) - (p2 + R2 @ np.array([0, 0, 0.5])))
        points.append(p3 - (p2 + R2 @ np.array([0, 0, 0.5])))
        points.append(np.ravel(R3 - R2))
    assert max(np.abs(point).max() for point in points) < 1e-9
    follow = r["e.phi"] - (0.1 + 0.5 * (r["c.phi"] - 0.2) + 0.2 * (r["c.phi"] - 0.2) ** 2)
    assert np.abs(follow).max() < 1e-9
    assert r["c.phi"][0] == pytest.approx(0.2, abs=1e-12)
    assert abs(r["a.phi"][-1] - data.joint("a").qpos[0]) < 1e-2
    assert np.ptp(r["a.phi"]) > 0.05


def test_included_files_and_classes(tmp_path):
    (tmp_path / "parts.xml").write_text('<mujoco><default><default class="heavy"><geom density="5000"/></default>'
                                        "</default></mujoco>")
    file = tmp_path / "main.xml"
    text = '<mujoco><include file="parts.xml"/><worldbody><body name="b"><freejoint/><geom size="0.1" class="heavy"/>' \
           "</body></worldbody></mujoco>"
    file.write_text(text)
    assert float(lw.read(file).b.m) == pytest.approx(5000 * 4 / 3 * np.pi * 1e-3, rel=1e-14)
    file.write_text(text.replace("parts.xml", "../outside.xml"))
    (tmp_path.parent / "outside.xml").write_text("<mujoco/>")
    with pytest.raises(lw.ModelError, match=r"main.xml, line 1, <include>: .*leads out of the model's folder"):
        lw.read(file)
    file.write_text(text.replace("parts.xml", "main.xml"))
    with pytest.raises(lw.ModelError, match="included already"):
        lw.read(file)


@pytest.mark.parametrize("kind", ["exact", "legacy", "convex"])
def test_inertia_of_a_mesh_is_that_of_the_solid(tmp_path, kind):
    """A box as a mesh, off its origin: the closed form of a box, to the rounding of the sums."""
    import trimesh

    mesh = trimesh.creation.box(extents=(0.2, 0.3, 0.4))
    mesh.apply_translation([0.05, -0.02, 0.01])
    mesh.export(tmp_path / "box.stl")
    file = tmp_path / "m.xml"
    file.write_text(f'<mujoco><asset><mesh name="box" file="box.stl" inertia="{kind}"/></asset><worldbody>'
                    '<body name="b"><freejoint/><geom type="mesh" mesh="box" mass="2"/></body></worldbody></mujoco>')
    body = lw.read(file).b
    np.testing.assert_allclose(body.r_cm, [0.05, -0.02, 0.01], atol=1e-8)  # STL holds single precision
    np.testing.assert_allclose(body.inertia, np.diag([0.25, 0.2, 0.13]) * 2 / 12, atol=1e-8)
    assert body.animation is False


def test_a_joint_drawn_outside_its_range_starts_inside(machine):
    machine.write_text(MACHINE.replace('<joint name="knee" type="hinge"', '<joint name="knee" range="30 90"'))
    m = lw.read(machine)
    assert lw.compile(m).state().get("knee.phi") == pytest.approx(np.deg2rad(30), abs=1e-12)  # where MuJoCo pushes it
    assert "starts at its stop" in m.import_report.remarks[0].text


def test_geoms_that_collide_are_shapes_of_contact(machine):
    m = lw.read(machine)
    assert isinstance(m.floor, lw.contact.Plane)
    kinds = [type(part).__name__ for part in m.leaves() if isinstance(part, lw.contact.ContactShape)]
    assert sorted(kinds) == ["Box", "Capsule", "Cylinder", "Ellipsoid", "Plane", "Sphere"]
    assert m.drone_geom1.color == (204, 102, 51)  # a colour of the class stands above one of the material


def test_the_report_tells_pictures_from_losses(machine):
    report = lw.read(machine).import_report
    assert report.complete and report.beside == {"light": 1}
    assert report.kept["body"] == 4 and report.kept["joint"] >= 6
    text = MACHINE.replace('<gyro name="s3"', '<rangefinder name="s0" site="tip"/><gyro name="s3"').replace(
        "<tendon>", '<tendon><spatial name="cord"><site site="tip"/><site site="rotor"/></spatial>')
    machine.write_text(text)
    ignored = lw.read(machine).import_report.ignored
    assert [entry.element for entry in ignored] == ["<rangefinder name='s0'>"]
    assert all(text.splitlines()[entry.line - 1].find(entry.element[1:6]) >= 0 for entry in ignored)
    with pytest.raises(lw.ModelError, match="strict=True"):
        lw.read(machine, strict=True)


@pytest.mark.parametrize(("old", "new", "says"), [
    ('joint="swing" gear="3"', 'joint="swung" gear="3"', "there is no joint 'swung'"),
    ('class="main"/>', 'class="mine"/>', "there is no default class 'mine'"),
    ('<joint name="knee" type="hinge"', '<joint name="knee" type="hunge"', "type is one of hinge"),
    ('quat="0.9 0.1 0.2 0.3"', 'quat="0 0 0 0"', "length zero"),
    ('size="0.05 0.04 0.08"', 'size="0.05 -0.04 0.08"', "positive number"),
    ('eulerseq="zyx"', 'eulerseq="zy"', "three of x, y, z"),
    ('<body name="lower"', '<body name="upper"', "a body 'upper' already"),
    ('fullinertia="0.01 0.012', 'fullinertia="0.01', "fullinertia is 6 numbers"),
])
def test_mistakes_are_told_with_file_and_line(machine, old, new, says):
    assert old in MACHINE
    line = MACHINE[:MACHINE.index(old)].count("\n") + 1
    machine.write_text(MACHINE.replace(old, new, 1))
    with pytest.raises(lw.ModelError, match=re.escape(says)) as error:
        lw.read(machine)
    assert f"{machine}, line {line}" in str(error.value)


#: MuJoCo stops to turn the tensor of this dodecahedron 2e-9 short of its principal axes
NOT_DIAGONAL = {"convex_convex"}


def collections() -> list[Path]:
    """The MJCF files of dm-control and brax."""
    found: list[Path] = []
    for name in ("dm-control", "brax"):
        try:
            found += [Path(f.locate()) for f in metadata.files(name) or [] if f.suffix == ".xml"]
        except metadata.PackageNotFoundError:
            continue
    return sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("file", collections() or [None], ids=lambda f: f"{f.parent.name}-{f.stem}" if f else "absent")
def test_models_of_others(file):
    """M and bias (with springs and drives at rest) to 1e-9 wherever MuJoCo itself reads the file."""
    if file is None:
        pytest.skip("dm-control and brax are not installed")
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file))
    except ValueError:
        pytest.skip("MuJoCo does not read it")
    package = next(folder for folder in file.parents if folder.name in ("dm_control", "brax"))
    if theirs.nv == 0:
        assert isinstance(lw.read(file, search=[package]), lw.Model)
        return
    both = Against(file, ("CONTACT", "CONSTRAINT", "DAMPER"), stops=False, friction=False, search=[package])
    random, tolerance = np.random.default_rng(0), 1e-8 if file.stem in NOT_DIAGONAL else 1e-9
    for _ in range(10):
        assert np.all(both.errors(random) < tolerance)


def test_a_servo_has_nothing_of_the_muscle_that_its_class_names_before(tmp_path):
    """A class holds one law for all actuators: <muscle> in it must leave no damping to a <position>."""
    file = tmp_path / "servo.xml"
    file.write_text("""<mujoco><default><muscle ctrlrange="0 1"/><motor gear="1"/><position kp="10"/></default>
      <worldbody><body><joint name="j" axis="0 1 0" damping="1"/><geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/>
      </body></worldbody><actuator><position joint="j" kp="2" ctrlrange="-1 1"/></actuator></mujoco>""")
    both = Against(file)
    both.at_random(np.random.default_rng(0), controls=True)
    assert np.all(both.errors() < 1e-12)
