"""Robots found by name, and boxes in the place of meshes that are not there."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.io import catalogue

MJCF = '<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
URDF = """<robot name="r"><link name="l">
  <inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://gone/a.stl"/></geometry></visual>
  <visual><geometry><mesh filename="package://gone/b.stl"/></geometry></visual>
  <collision><geometry><mesh filename="package://gone/a.stl"/></geometry></collision>
</link></robot>"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for path, text in (("franka_panda/panda.xml", MJCF), ("franka_panda/scene.xml", MJCF),
                       ("arms/panda_hand.urdf", URDF), ("arms/part.xml", "<mujocoinclude/>"),
                       ("arms/notes.xml", "<page/>"), ("arms/meshes/panda.urdf", URDF),
                       ("lift/lift.usda", "#usda 1.0\n"), ("lift/Payload/geometry.usda", "#usda 1.0\n")):
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("LINKWRIGHT_ROBOTS", str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr(catalogue, "PACKAGES", ())
    monkeypatch.setattr(catalogue.site, "getsitepackages", list)
    monkeypatch.setattr(catalogue.sys, "path", [])
    return tmp_path


def test_the_name_itself_comes_first_then_names_with_it_then_folders(folder):
    found = [path.relative_to(folder).as_posix() for path in lw.robots("panda")]
    assert found == ["franka_panda/panda.xml", "arms/panda_hand.urdf", "franka_panda/scene.xml"]
    assert lw.robots("Panda hand")[0].name == "panda_hand.urdf"
    assert lw.robots("lift")[0].name == "lift.usda"
    assert len(lw.robots()) == 4
    assert lw.read(lw.robots("panda")[0]).import_report.complete


def test_an_unknown_name_says_where_it_was_looked_for_and_what_is_close(folder):
    with pytest.raises(lw.ModelError, match=r"no such robot; close are panda.*LINKWRIGHT_ROBOTS") as error:
        lw.robots("pandda")
    assert str(folder) in str(error.value)


def test_a_missing_mesh_is_a_box_of_the_links_inertia_with_one_remark(tmp_path):
    a, b, c, m = 0.3, 0.2, 0.1, 2.0
    moments = {"xx": m / 12 * (b**2 + c**2), "yy": m / 12 * (a**2 + c**2), "zz": m / 12 * (a**2 + b**2)}
    (tmp_path / "r.urdf").write_text(URDF.format(**moments))
    model = lw.read(tmp_path / "r.urdf", contact="file", floating=True, ground=-1.0)
    assert len(model.import_report.approximated) == 1 and not model.import_report.ignored
    assert "3 meshes are missing" in model.import_report.approximated[0].text
    np.testing.assert_allclose(sorted(model.l_collision.size), [c, b, a])
    r = lw.simulate(model, 1.0)
    assert r["floating_base.r_rel_a"][-1, 2] == pytest.approx(-1.0 + c / 2, abs=1e-6)  # it lies on its largest face
