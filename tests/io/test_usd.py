"""USD Physics: stages written by the format's own library, in several units; public ones where a folder is named."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

Usd = pytest.importorskip("pxr.Usd")
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade  # noqa: E402

ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0.02 0.3" rpy="0 0 0"/><mass value="2.5"/>
    <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.02"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 0.2"/><mass value="1.2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.004"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.6"/>
    <axis xyz="1 0 0"/><limit lower="-0.2" upper="2.5" effort="0" velocity="0"/></joint>
</robot>
"""


def new_stage(file: Path, length: float = 1.0, mass: float = 1.0) -> Usd.Stage:
    """A stage whose units are so many m and kg."""
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, length)
    UsdPhysics.SetStageKilogramsPerUnit(stage, mass)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/robot").GetPrim())
    return stage


def add_body(stage: Usd.Stage, name: str, place, mass: float = 0.0, centre=None, inertia=None, scale: float = 1.0):
    """A rigid body; all numbers in the stage's units, places in the world."""
    prim = UsdGeom.Xform.Define(stage, f"/robot/{name}")
    prim.AddTranslateOp().Set(Gf.Vec3d(*map(float, place)))
    if scale != 1.0:
        prim.AddScaleOp().Set(Gf.Vec3f(scale, scale, scale))
    UsdPhysics.RigidBodyAPI.Apply(prim.GetPrim())
    api = UsdPhysics.MassAPI.Apply(prim.GetPrim())
    if mass:
        api.CreateMassAttr(mass)
    if centre is not None:
        api.CreateCenterOfMassAttr(Gf.Vec3f(*(float(x) / scale for x in centre)))
    if inertia is not None:
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(*map(float, inertia)))
    return prim


def add_joint(stage, kind, name: str, axis: str, one: str | None, other: str, at0, at1=(0, 0, 0)):
    joint = kind.Define(stage, f"/robot/{name}")
    joint.CreateAxisAttr(axis)
    if one is not None:
        joint.CreateBody0Rel().SetTargets([Sdf.Path(f"/robot/{one}")])
    joint.CreateBody1Rel().SetTargets([Sdf.Path(f"/robot/{other}")])
    joint.CreateLocalPos0Attr(Gf.Vec3f(*map(float, at0)))
    joint.CreateLocalPos1Attr(Gf.Vec3f(*map(float, at1)))
    return joint


def arm(file: Path, L: float, kg: float, scale: float = 1.0) -> Path:
    """The arm of the URDF file above; lengths divided by L, masses by kg."""
    stage = new_stage(file, L, kg)
    u, v = np.array([0.1, 0.02, 0.3]) / L, np.array([0, 0, 0.2]) / L
    add_body(stage, "upper", (0, 0, 0.1 / L), 2.5 / kg, u, np.array([0.03, 0.04, 0.02]) / kg / L**2, scale)
    add_body(stage, "fore", (0, 0, 0.7 / L), 1.2 / kg, v, np.array([0.01, 0.012, 0.004]) / kg / L**2)
    add_joint(stage, UsdPhysics.RevoluteJoint, "shoulder", "Y", None, "upper", (0, 0, 0.1 / L))
    slide = add_joint(stage, UsdPhysics.PrismaticJoint, "slide", "X", "upper", "fore", (0, 0, 0.6 / L / scale))
    slide.CreateLowerLimitAttr(-0.2 / L)
    slide.CreateUpperLimitAttr(2.5 / L)
    stage.GetRootLayer().Save()
    return file


@pytest.mark.parametrize(("L", "kg", "scale"), [(1.0, 1.0, 1.0), (0.01, 1.0, 1.0), (0.01, 1e-3, 1.0), (1.0, 1.0, 2.5)])
def test_an_arm_in_any_units_is_the_one_of_urdf(tmp_path, L, kg, scale):
    (tmp_path / "arm.urdf").write_text(ARM)
    models = lw.read(tmp_path / "arm.urdf"), lw.read(arm(tmp_path / "arm.usda", L, kg, scale))
    models[1].world.g = models[0].world.g
    assert models[1].slide.s_min == pytest.approx(-0.2, rel=1e-6)
    q = np.array([0.7, 0.3])
    systems = [lw.compile(model) for model in models]
    M, bias = zip(*[(s.function(["q"], ["mass_matrix"])(q), s.function(["q", "u", "udot"], ["tau"])(q, [1, -2], [0, 0]))
                    for s in systems], strict=True)
    np.testing.assert_allclose(M[1], M[0], rtol=1e-6)  # the format writes single precision
    np.testing.assert_allclose(bias[1], bias[0], rtol=1e-6)
    assert models[1].import_report.kept == {"body": 2, "joint": 2}


def test_masses_follow_from_colliders_and_their_densities(tmp_path):
    """A cube of 2 × 4 × 6 cm with a density of its material, and a capsule with a mass of its own 10 cm beside it."""
    stage = new_stage(tmp_path / "b.usda", 0.01)
    add_body(stage, "b", (0, 0, 0))
    cube = UsdGeom.Cube.Define(stage, "/robot/b/cube")
    cube.CreateSizeAttr(2.0)
    cube.AddScaleOp().Set(Gf.Vec3f(1, 2, 3))
    rod = UsdGeom.Capsule.Define(stage, "/robot/b/rod")
    rod.CreateAxisAttr("X")
    rod.AddTranslateOp().Set(Gf.Vec3d(10, 0, 0))
    for shape in (cube, rod):
        UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    UsdPhysics.MassAPI.Apply(rod.GetPrim()).CreateMassAttr(0.3)
    material = UsdShade.Material.Define(stage, "/robot/steel")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDensityAttr(7.8e-3)  # kg/cm³
    UsdShade.MaterialBindingAPI.Apply(cube.GetPrim()).Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "b.usda")
    whole = 7800 * 0.02 * 0.04 * 0.06
    assert float(m.b.m) == pytest.approx(whole + 0.3, rel=1e-6)
    np.testing.assert_allclose(np.asarray(m.b.r_cm, dtype=float), [0.03 / (whole + 0.3), 0, 0], rtol=1e-6, atol=1e-12)


def test_a_drive_is_a_spring_and_a_damper_that_is_bounded(tmp_path):
    file = arm(tmp_path / "arm.usda", 1.0, 1.0)
    stage = Usd.Stage.Open(str(file))
    drive = UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath("/robot/shoulder"), "angular")
    drive.CreateStiffnessAttr(2.0)  # N m per degree
    drive.CreateDampingAttr(0.1)
    drive.CreateTargetPositionAttr(30.0)
    drive.CreateMaxForceAttr(50.0)
    stage.GetRootLayer().Save()
    system = lw.compile(lw.read(file))
    state = system.state()
    assert float(system.evaluate(state, "shoulder_target")) == pytest.approx(np.pi / 6)

    def torque(**given: float) -> float:
        for name, value in given.items():
            state.set(name, value)
        return float(np.ravel(system.evaluate(state, "shoulder_drive.tau"))[0])

    assert torque(shoulder_target=0.1) == pytest.approx(2.0 * 180 / np.pi * 0.1, rel=1e-6)
    assert torque(shoulder_target=2.0) == pytest.approx(50.0)


def test_a_box_comes_to_rest_on_a_plane(tmp_path):
    stage = new_stage(tmp_path / "drop.usda")
    add_body(stage, "box", (0, 0, 0.3), scale=1.0)
    cube = UsdGeom.Cube.Define(stage, "/robot/box/skin")
    cube.CreateSizeAttr(0.2)
    floor = UsdGeom.Plane.Define(stage, "/robot/floor")
    for shape in (cube, floor):
        UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "drop.usda", contact="file")
    assert m.import_report.data["touching"] == 1
    r = lw.simulate(m, 1.0)
    assert r["box_free.r_rel_a"][-1, 2] == pytest.approx(0.1, abs=1e-9)


def test_joints_by_limits_are_chains_of_the_axes_that_are_free(tmp_path):
    """Free along x, and about y and z; drawn where these are 0.2 m, 0.3 and −0.4 rad."""
    stage = new_stage(tmp_path / "j.usda")
    place = add_body(stage, "b", (0.2, 0, 0), 1.0, (0, 0, 0), (1, 2, 3))
    turn = Gf.Rotation(Gf.Vec3d(0, 0, 1), np.degrees(-0.4)) * Gf.Rotation(Gf.Vec3d(0, 1, 0), np.degrees(0.3))
    place.AddOrientOp().Set(Gf.Quatf(turn.GetQuat()))
    joint = UsdPhysics.Joint.Define(stage, "/robot/j")
    joint.CreateBody1Rel().SetTargets([Sdf.Path("/robot/b")])
    for name in ("transY", "transZ", "rotX"):
        limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), name)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "j.usda")
    state = lw.compile(m).state()
    np.testing.assert_allclose(state.q, [0.2, 0.3, -0.4], atol=1e-6)
    assert set(m.import_report.names["joint"]) == {"/robot/j_transX", "/robot/j_rotY", "/robot/j_rotZ"}


def test_mistakes_are_told(tmp_path, monkeypatch):
    (tmp_path / "bad.usda").write_text("#usda 1.0\ndef {")
    with pytest.raises(lw.ModelError, match="cannot be read as USD"):
        lw.read(tmp_path / "bad.usda")
    empty = new_stage(tmp_path / "empty.usda")
    empty.GetRootLayer().Save()
    with pytest.raises(lw.ModelError, match="no rigid body"):
        lw.read(tmp_path / "empty.usda")
    file = arm(tmp_path / "arm.usda", 1.0, 1.0)
    lost = tmp_path / "lost.usda"
    lost.write_text(file.read_text().replace("body1 = </robot/fore>", "body1 = </robot/four>"))
    with pytest.raises(lw.ModelError, match=r"/robot/slide: there is no prim /robot/four"):
        lw.read(lost)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "outside.usda").write_text('#usda 1.0\n(subLayers = [@../arm.usda@])\n')
    with pytest.raises(lw.ModelError, match="outside the model's folder"):
        lw.read(tmp_path / "in" / "outside.usda")
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(lw.ModelError, match="pip install usd-core"):
        lw.read(file)


@pytest.mark.slow
def test_the_public_ant_weighs_what_its_mjcf_says():
    """newton-physics/newton, where LINKWRIGHT_USD names its folder examples/assets; its density is a fifth in USD."""
    mujoco = pytest.importorskip("mujoco")
    folder = os.environ.get("LINKWRIGHT_USD")
    if folder is None:
        pytest.skip("LINKWRIGHT_USD is not set")
    m = lw.read(Path(folder) / "ant.usda")
    theirs = mujoco.MjModel.from_xml_path(str(Path(folder) / "nv_ant.xml"))
    for path, name in m.import_report.names["body"].items():
        own, k = getattr(m, name), theirs.body(path.rpartition("/")[2]).id
        assert 5 * float(own.m) == pytest.approx(theirs.body_mass[k], rel=1e-5)
        np.testing.assert_allclose(np.linalg.eigvalsh(5 * np.asarray(own.inertia, dtype=float)),
                                   np.sort(theirs.body_inertia[k]), rtol=1e-4)


def test_a_joint_may_name_a_prim_of_no_body_and_mirrored_meshes_keep_their_volume(tmp_path):
    """The frame of a base without RigidBodyAPI belongs to the world; a scale of −1 turns faces inside out."""
    stage = new_stage(tmp_path / "m.usda")
    UsdGeom.Xform.Define(stage, "/robot/base")
    add_body(stage, "arm", (0, 0, 0))
    block = UsdGeom.Mesh.Define(stage, "/robot/arm/block")
    block.CreatePointsAttr([(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    block.CreateFaceVertexCountsAttr([4] * 6)
    block.CreateFaceVertexIndicesAttr([0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3])
    block.AddScaleOp().Set(Gf.Vec3f(1, 1, -1))
    UsdPhysics.CollisionAPI.Apply(block.GetPrim())
    add_joint(stage, UsdPhysics.RevoluteJoint, "hinge", "Y", "base", "arm", (0, 0, 0))
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "m.usda")
    assert float(m.arm.m) == pytest.approx(1000 * 0.2 * 0.4 * 0.6, rel=1e-6)
    assert lw.compile(m).dof == 1
    block.CreateFaceVertexCountsAttr([4])
    block.CreateFaceVertexIndicesAttr([0, 1, 3, 9])
    stage.GetRootLayer().Save()
    with pytest.raises(lw.ModelError, match=r"m\.usda, /robot/arm/block: a face names a point"):
        lw.read(tmp_path / "m.usda")
