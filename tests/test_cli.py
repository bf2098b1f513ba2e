"""The command line, as a user types it."""

import zipfile

import pytest

from linkwright.cli import main

PENDULUM = """
import linkwright as lw
from linkwright import joints, parts
m = lw.Model("pendulum")
m.world = lw.World()
m.rev = joints.Revolute(phi=1.0)
m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
m.chain(m.world, m.rev, m.body)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(PENDULUM)
    return path


def test_without_a_command_all_of_them_are_told(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"    {command} " in said for command in ("demo", "run", "info", "view", "convert", "export"))


def test_info_prints_the_report(file, capsys):
    assert main(["info", str(file)]) == 0
    assert "1 degree" in capsys.readouterr().out


def test_run_saves_results(file, tmp_path, capsys):
    assert main(["run", str(file), "--stop", "0.5", "--save", str(tmp_path / "r.csv")]) == 0
    assert "rev.phi" in (tmp_path / "r.csv").read_text().splitlines()[0]


def test_examples_are_listed(capsys):
    assert main(["examples"]) == 0
    assert "pendulum" in capsys.readouterr().out


def test_a_missing_file_is_said_plainly(capsys):
    assert main(["info", "nowhere.py"]) == 1
    assert "nowhere.py: there is no such file" in capsys.readouterr().err


def test_an_unknown_example_suggests_a_near_one(capsys):
    assert main(["examples", "pendulm"]) == 1
    assert "'pendulum'" in capsys.readouterr().err


def test_a_file_with_two_models_asks_which(file, capsys):
    file.write_text(PENDULUM + "\nn = lw.Model('other')\n")
    assert main(["info", str(file)]) == 1
    assert "--name" in capsys.readouterr().err
    assert main(["info", str(file), "--name", "m"]) == 0


@pytest.mark.parametrize("line, message", [
    ("m.speed = 1 / 0", "line 10: ZeroDivisionError: division by zero\n    m.speed = 1 / 0"),
    ("m.rev.lenght", "line 10: "),
    ("m.rev = = 2", "line 10: invalid syntax"),
])
def test_a_file_that_fails_is_told_with_its_own_line(file, capsys, line, message):
    file.write_text(PENDULUM + "\n" + line + "\n")
    assert main(["info", str(file)]) == 1
    error = capsys.readouterr().err
    assert f"{file}, {message}" in error and "runpy" not in error


def test_plots_without_a_display_become_a_picture(file, capsys):
    import matplotlib

    matplotlib.use("agg")
    assert main(["run", str(file), "--stop", "0.1", "--plot", "rev.phi"]) == 0
    assert file.with_suffix(".png").stat().st_size > 1000
    assert "model.png" in capsys.readouterr().out


ROBOT = """<robot name="r"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="1 0.1 0.1"/></geometry></visual></link>
<joint name="rev" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint></robot>"""


def test_robots_are_viewed_and_converted(tmp_path, capsys):
    (tmp_path / "r.urdf").write_text(ROBOT)
    assert main(["convert", str(tmp_path / "r.urdf"), str(tmp_path / "r.xml")]) == 0
    assert '<joint name="rev" type="hinge"' in (tmp_path / "r.xml").read_text()
    assert "kept" in capsys.readouterr().out
    assert main(["view", str(tmp_path / "r.xml"), "--html", str(tmp_path / "r.html")]) == 0
    assert (tmp_path / "r.html").stat().st_size > 10_000
    assert main(["convert", str(tmp_path / "none.urdf"), str(tmp_path / "r.xml")]) == 1
    assert "no such file" in capsys.readouterr().err


def test_robots_with_stops_become_fmus(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT.replace("continuous", "revolute").replace(
        "</joint>", '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'))
    assert main(["convert", str(tmp_path / "r.urdf"), str(tmp_path / "r.fmu")]) == 0
    assert main(["convert", str(tmp_path / "r.urdf"), str(tmp_path / "r.fmu"), "--no-stops"]) == 0


def test_models_are_exported(file, tmp_path):
    assert main(["export", str(file), str(tmp_path / "m.urdf")]) == 0
    assert '<joint name="rev" type="continuous">' in (tmp_path / "m.urdf").read_text()
    assert main(["export", str(file), str(tmp_path / "m.fmu"), "--fmi", "2"]) == 0
    assert zipfile.is_zipfile(tmp_path / "m.fmu")
    page = tmp_path / "m.html"
    assert main(["export", str(file), str(page), "--sliders", "body.m", "--plots", "rev.phi"]) == 0
    assert page.stat().st_size > 100_000


def test_options_of_another_format_are_refused(file, tmp_path, capsys):
    assert main(["export", str(file), str(tmp_path / "m.urdf"), "--fmi", "2"]) == 1
    assert ".urdf files take no fmi=" in capsys.readouterr().err
