"""URDF: the tree, its numbers against Pinocchio's, what becomes of everything in the file, and bad files."""

import re
import sys
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from robots import ARM, against_pinocchio


@pytest.fixture
def arm(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return file


def changed(arm: Path, old: str, new: str) -> Path:
    text = arm.read_text()
    assert old in text
    arm.write_text(text.replace(old, new, 1))
    return arm


def test_mass_matrix_bias_and_gravity_are_pinocchios(arm):
    """Both are recursions in double precision over five joints: 1e-12 is a thousand roundings."""
    pytest.importorskip("pinocchio")
    assert np.all(against_pinocchio(arm, 100) < 1e-12)


def test_parts_have_their_names_and_can_be_changed(arm):
    m = lw.read(arm)
    assert m.title == "arm"
    assert float(m.upper.m) == 2.5
    m.upper.m = 3.0
    assert m.import_report.names["link"]["left-finger"] == "left_finger"
    np.testing.assert_allclose(m.world.n, (0, 0, -1))
    assert lw.compile(m).mechanism.nu == 4


def test_limits_are_stops(arm):
    m = lw.read(arm)
    assert (float(m.elbow.phi_min), float(m.elbow.phi_max)) == (0.2, 2.5)
    assert lw.read(arm, stops=False).elbow.phi_min is None
    r = lw.simulate(m, 0.6)
    # the elbow starts between its stops, and none is passed
    assert r["elbow.phi"].min() >= 0.2 - 1e-9 and r["elbow.phi"].max() <= 2.5 + 1e-9
    assert m.import_report.data["limits"]["elbow"] == {"effort": 30.0, "velocity": 2.0}


def test_limits_can_be_elastic(arm, tmp_path):
    """Beyond its limit a joint is pressed back, and then an FMU can hold it."""
    arm.write_text(arm.read_text().replace('friction="0.2"', 'friction="0"'))
    soft = lw.CompliantStop(c=2000.0, d=10.0)
    m = lw.read(arm, stops=soft)
    assert m.elbow.stop == soft and m.shoulder.stop != soft
    r = lw.simulate(m, 3.0)
    assert 0.1 < r["elbow.phi"].min() < 0.2
    assert lw.export(m, tmp_path / "arm.fmu", outputs=["elbow.phi"], platforms=["x86_64-linux"]) == []


def test_followers_stop_with_their_leader(arm):
    """right = left + 0.001 up to 0.04: the leader alone has stops, where the first of the two would touch."""
    m = lw.read(arm)
    assert (float(m.left.s_min), float(m.left.s_max)) == pytest.approx((0.0, 0.039), abs=1e-15)
    assert m.right.s_min is None and m.right.s_max is None


def test_limits_without_numbers_leave_the_joint_free(arm):
    """Files often give effort and velocity alone; zero and zero written out mean a joint that does not move."""
    text = arm.read_text()
    arm.write_text(text.replace('lower="0.2" upper="2.5" ', ""))
    free = lw.read(arm)
    assert free.elbow.phi_min is None
    assert [entry.text for entry in free.import_report.approximated] == [
        "no lower and upper: the joint moves without stops"]
    arm.write_text(text.replace('lower="0.2" upper="2.5"', 'lower="0" upper="0"'))
    held = lw.read(arm)
    assert [entry.text for entry in held.import_report.approximated] == ["lower = upper: the joint is locked"]
    bodies = lw.compile(held).mechanism.bodies
    assert [body.joint for body in bodies if body.prescribed is not None] == ["elbow"]


def test_mimic_holds_along_a_run(arm):
    """A coupling is a constraint on position level: it is held to the accuracy of the projection."""
    r = lw.simulate(lw.read(arm, stops=False), 0.5)
    np.testing.assert_allclose(r["right.s"], r["left.s"] + 0.001, atol=1e-9)


def test_damping_and_friction_take_energy(arm):
    text = arm.read_text()
    arm.write_text(text.replace('friction="0.2"', 'friction="0"'))
    damped, free = lw.read(arm, stops=False), lw.read(arm, stops=False, friction=False)
    assert float(damped.shoulder_damper.d) == 0.7
    ends = []
    for model in (damped, free):
        r = lw.simulate(model, 1.0)
        ends.append(r["kinetic_energy"][-1] + r["potential_energy"][-1] - r["potential_energy"][0])
    assert ends[0] < -1e-3 and abs(ends[1]) < 1e-5
    arm.write_text(text)
    assert lw.read(arm).shoulder.friction == lw.Coulomb(tau=0.2)


def test_a_floating_base_falls(arm):
    m = lw.read(arm, floating=True, stops=False, friction=False)
    assert lw.compile(m).mechanism.nu == 10
    r = lw.simulate(m, 0.5)
    system = lw.compile(m)
    start, end = (system.centre_of_mass(state) for state in (system.state(), r.end))
    np.testing.assert_allclose(end - start, [0, 0, -9.80665 / 2 * 0.25], atol=1e-7)


def test_shapes_are_shown_and_collisions_kept(arm):
    m = lw.read(arm)
    assert m.base_visual.shape_type == "box" and m.base_visual.color == (153, 153, 178)
    assert m.upper_visual.shape_type == "cylinder" and m.upper_visual.length == 0.6
    skin = m.upper_collision
    assert isinstance(skin, lw.contact.Cylinder) and (float(skin.radius), float(skin.length)) == (0.05, 0.6)
    state = lw.compile(m).state()
    X = np.array(state.get("upper.frame_a.R.T")).T
    np.testing.assert_allclose(state.get("upper_collision.frame_a.r_0"), state.get("upper.r_0") + X @ [0, 0, 0.3],
                               atol=1e-14)


def test_the_report_says_what_was_left_out(arm):
    report = lw.read(arm).import_report
    assert report.kept["link"] == 6 and report.kept["joint"] == 5
    line = ARM[:ARM.index("<gazebo")].count("\n") + 1
    assert [(entry.line, entry.element) for entry in report.ignored] == [(line, "<gazebo>")]
    assert "gazebo" in str(report)
    with pytest.raises(lw.ModelError, match=f"arm.urdf:{line} <gazebo>"):
        lw.read(arm, strict=True)


def test_rotors_of_transmissions_are_reflected(arm):
    """J ratio² is added to the joint's own entry of M."""
    plain = lw.compile(lw.read(arm))
    changed(arm, "</robot>", """<transmission name="t" type="SimpleTransmission"><joint name="elbow"/>
        <actuator name="motor"><mechanicalReduction>50</mechanicalReduction><motorInertia>2e-5</motorInertia></actuator>
        </transmission></robot>""")
    geared = lw.compile(lw.read(arm))
    q = np.array([0.1, 0.5, 0.01, 0.011])
    extra = geared.function(["q"], ["mass_matrix"])(q) - plain.function(["q"], ["mass_matrix"])(q)
    k = geared.part_names("u").index("der(elbow.phi)")
    expected = np.zeros((4, 4))
    expected[k, k] = 50**2 * 2e-5
    np.testing.assert_allclose(extra, expected, atol=1e-12)


def test_meshes_are_found_in_packages_and_nowhere_else(tmp_path):
    package = tmp_path / "robot_description"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n" \
          "endsolid\n"
    (package / "meshes" / "a.stl").write_text(stl)
    (tmp_path / "secret.stl").write_text(stl)
    file = package / "urdf" / "r.urdf"

    def read(name, **options):
        file.write_text(f'<robot name="r"><link name="l"><visual><geometry><mesh filename="{name}" scale="1 -2 3"/>'
                        "</geometry></visual></link></robot>")
        return lw.read(file, **options)

    m = read("package://robot_description/meshes/a.stl")
    assert m.l_visual.shape_type == str((package / "meshes" / "a.stl").resolve())
    assert m.l_visual.scale == (1, -2, 3)
    outside = read("../../secret.stl").import_report
    assert "outside" in outside.ignored[0].text
    assert read("../../secret.stl", search=[tmp_path]).import_report.complete
    assert "not there" in read("package://other/meshes/b.stl").import_report.ignored[0].text
    assert "network" in read("http://example.com/a.stl").import_report.ignored[0].text


@pytest.mark.parametrize(("old", "new", "says"), [
    ('<mass value="2.5"/>', '<mass value="heavy"/>', "value is 1 number; got 'heavy'"),
    ('<mass value="2.5"/>', '<mass value="-1"/>', "missing or negative"),
    ('<child link="upper"/>', '<child link="uper"/>', "there is no link 'uper'"),
    ('"elbow" type="revolute">\n    <parent link="upper"/>', '"elbow" type="revolute">', "<parent> is missing"),
    ('type="continuous"', 'type="contiguous"', "type is one of revolute"),
    ('rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2"', "rpy is 3 numbers"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "no direction"),
    ('name="elbow"', 'name="shoulder"', "taken since line 30"),
    ('lower="0.2" upper="2.5"', 'lower="2.5" upper="0.2"', "lies above"),
    ("</robot>\n", "", "not well-formed"),
])
def test_mistakes_are_told_with_file_and_line(arm, old, new, says):
    line = ARM[:ARM.index(old)].count("\n") + 1
    changed(arm, old, new)
    with pytest.raises(lw.ModelError, match=re.escape(says)) as error:
        lw.read(arm)
    assert f"{arm}, line {line}" in str(error.value)


def test_links_that_form_no_tree_are_refused(arm):
    changed(arm, '<parent link="base"/><child link="upper"/>', '<parent link="fore"/><child link="upper"/>')
    with pytest.raises(lw.ModelError, match="one link must be the base|ring"):
        lw.read(arm)


def robot_data() -> list[Path]:
    """The URDF files of the wheel example-robot-data."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(f.locate()) for f in files if f.suffix == ".urdf")


@pytest.mark.slow
@pytest.mark.parametrize("file", robot_data() or [None], ids=lambda f: f.stem if f else "absent")
def test_example_robots(file):
    """All of them: M, nonlinear effects and gravity to 1e-10 of the largest entry at 100 random states."""
    pytest.importorskip("pinocchio")
    if file is None:
        pytest.skip("example-robot-data is not installed")
    if "<link" not in file.read_text():
        with pytest.raises(lw.ModelError, match="at least one <link>"):
            lw.read(file)
        return
    assert np.all(against_pinocchio(file, 100) < 1e-10)


def test_a_joint_with_no_mass_beyond_it_is_held(tmp_path):
    """A finger without mass and one that follows it are held and told of; one that a finger with mass follows is free.
    """
    finger = ('<joint name="{0}" type="revolute"><parent link="fore"/><child link="{0}_tip"/><axis xyz="0 0 1"/>'
              '<limit lower="-1" upper="1" effort="1" velocity="1"/>{1}</joint><link name="{0}_tip">{2}</link>')
    mass = '<inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>'
    fingers = (finger.format("bare", "", ""), finger.format("too", '<mimic joint="bare"/>', ""),
               finger.format("leads", "", ""), finger.format("heavy", '<mimic joint="leads" multiplier="2"/>', mass))
    file = tmp_path / "fingers.urdf"
    file.write_text(ARM.replace("</robot>", "".join(fingers) + "</robot>"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = lw.read(file, stops=False)
    named = m.import_report.names["joint"]
    assert "bare" not in named and "too" not in named and {"leads", "heavy"} <= set(named)
    told = [note.element for note in m.import_report.approximated if "held at zero" in note.text]
    assert told == ["<joint name='bare'>", "<joint name='too'>"]
    r = lw.simulate(m, 0.1)
    assert np.abs(r["leads.phi"][-1]) > 1e-4
    assert np.allclose(r["heavy.phi"], 2 * r["leads.phi"], atol=1e-9)
