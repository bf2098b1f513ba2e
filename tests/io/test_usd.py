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


def test_a_colliders_own_density_goes_before_its_bodys_and_that_before_the_materials(tmp_path):
    """Three cubes of 1 m³; what the format's own library makes of them, and our sum."""
    stage = new_stage(tmp_path / "b.usda")
    UsdPhysics.MassAPI(add_body(stage, "b", (0, 0, 0)).GetPrim()).CreateDensityAttr(3.0)
    material = UsdShade.Material.Define(stage, "/robot/steel")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDensityAttr(7.0)
    for k, own in enumerate((0.0, 5.0, 0.0)):
        cube = UsdGeom.Cube.Define(stage, f"/robot/b/cube{k}")
        cube.CreateSizeAttr(1.0)
        cube.AddTranslateOp().Set(Gf.Vec3d(2.0 * k, 0, 0))
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        if own:
            UsdPhysics.MassAPI.Apply(cube.GetPrim()).CreateDensityAttr(own)
        elif k:
            UsdShade.MaterialBindingAPI.Apply(cube.GetPrim()).Bind(material, UsdShade.Tokens.weakerThanDescendants,
                                                                   "physics")
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "b.usda")
    assert float(m.b.m) == pytest.approx(3 + 5 + 3)
    np.testing.assert_allclose(np.asarray(m.b.r_cm, dtype=float), [(2 * 5 + 4 * 3) / 11, 0, 0], atol=1e-12)


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


def test_what_other_programs_say_of_joints_is_read(tmp_path):
    """Rotor, damping (per degree, or per rad), friction and a spring add to what the arm is; the rest is reported."""
    plain = lw.compile(lw.read(arm(tmp_path / "plain.usda", 0.01, 1.0)))
    file = arm(tmp_path / "arm.usda", 0.01, 1.0)
    stage = Usd.Stage.Open(str(file))
    number = Sdf.ValueTypeNames.Float
    shoulder, slide = (stage.GetPrimAtPath(f"/robot/{name}") for name in ("shoulder", "slide"))
    for prim, name, value in (
            (shoulder, "physxJoint:armature", 500.0), (shoulder, "physxJoint:maxJointVelocity", 3.0),  # kg cm²
            (shoulder, "physxJointAxis:angular:viscousFrictionCoefficient", 40.0),  # kg cm²/s² per degree/s
            (shoulder, "physxJoint:jointFriction", 0.3),
            (slide, "mjc:armature", 0.7), (slide, "mjc:damping", 5.0), (slide, "mjc:frictionloss", 200.0),
            (slide, "mjc:stiffness", 30.0), (slide, "mjc:springref", 10.0)):
        prim.CreateAttribute(name, number).Set(value)
    stage.GetRootLayer().Save()
    m = lw.read(file)
    told = [str(note) for note in m.import_report.ignored]
    assert len(told) == 1
    assert "physxJoint:jointFriction = 0.3 is not known" in told[0]
    assert m.slide.friction.tau == pytest.approx(2.0)  # N, of kg cm/s²
    system, q, u = lw.compile(m), [0.7, 0.3], [1.0, -2.0]
    M, bias = zip(*[(s.function(["q"], ["mass_matrix"])(q), s.function(["q", "u", "udot"], ["tau"])(q, u, [0, 0]))
                    for s in (lw.compile(lw.read(file, friction=False)), plain)], strict=True)
    np.testing.assert_allclose(M[0] - M[1], np.diag([0.05, 0.7]), atol=1e-6)
    np.testing.assert_allclose(bias[0] - bias[1], [0, 30.0 * (0.3 - 0.1)], atol=1e-5)
    state = system.state_from_defaults()
    state.q[:], state.u[:] = q, u
    assert float(np.ravel(system.evaluate(state, "shoulder_damper.tau"))[0]) == pytest.approx(
        0.004 * 180 / np.pi, rel=1e-6)
    assert float(np.ravel(system.evaluate(state, "slide_damper.f"))[0]) == pytest.approx(5.0 * -2.0, rel=1e-6)


@pytest.mark.parametrize(("relation", "numbers"), [
    ("physxMimicJoint:rotY:referenceJoint", {"physxMimicJoint:rotY:gearing": -2.0, "physxMimicJoint:rotY:offset": 3.0}),
    ("newton:mimicJoint", {"newton:mimicCoef0": -3.0, "newton:mimicCoef1": 2.0})])
def test_a_joint_follows_another(tmp_path, relation, numbers):
    """The shoulder turns by −3° and 2° for each centimetre of the slide, whichever program says so."""
    file = arm(tmp_path / "arm.usda", 0.01, 1.0)
    stage = Usd.Stage.Open(str(file))
    shoulder = stage.GetPrimAtPath("/robot/shoulder")
    shoulder.CreateRelationship(relation).SetTargets([Sdf.Path("/robot/slide")])
    for name, value in numbers.items():
        shoulder.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(value)
    stage.GetRootLayer().Save()
    m = lw.read(file)
    assert m.import_report.complete
    m.slide.start_at(s=0.1)
    state = lw.compile(m).state()
    np.testing.assert_allclose(state.q, [np.radians(-3 + 2 * 10), 0.1], atol=1e-6)


def test_a_body_without_weight_floats_beside_one_that_falls(tmp_path):
    stage = new_stage(tmp_path / "two.usda")
    for name, y in (("cloud", 0.0), ("stone", 1.0)):
        add_body(stage, name, (0, y, 2), 3.0, (0, 0, 0.1), (1, 1, 1))
    cloud = stage.GetPrimAtPath("/robot/cloud")
    cloud.CreateAttribute("physxRigidBody:disableGravity", Sdf.ValueTypeNames.Bool).Set(True)
    UsdPhysics.RigidBodyAPI(cloud).CreateVelocityAttr(Gf.Vec3f(0, 0, 3))
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "two.usda")
    assert "velocity (0.0, 0.0, 3.0) at the start is not set" in str(m.import_report.ignored[0])
    r = lw.simulate(m, 0.5)
    np.testing.assert_allclose([r[f"{name}_free.r_rel_a"][-1, 2] for name in ("cloud", "stone")],
                               [2.0, 2.0 - 9.81 / 8], atol=1e-9)


@pytest.mark.parametrize(("how", "pairs"), [("free", 4), ("pair", 3), ("group", 3), ("articulation", 3), ("off", 2)])
def test_what_the_stage_filters_does_not_touch(tmp_path, how, pairs):
    """Three balls in a row, the outer ones jointed to the middle one, and a rock fixed below them all."""
    stage = new_stage(tmp_path / "balls.usda")
    for k in range(3):
        add_body(stage, f"b{k}", (k, 0, 1))
        UsdPhysics.CollisionAPI.Apply(UsdGeom.Sphere.Define(stage, f"/robot/b{k}/skin").GetPrim())
        UsdGeom.Sphere(stage.GetPrimAtPath(f"/robot/b{k}/skin")).CreateRadiusAttr(0.2)
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Sphere.Define(stage, "/robot/rock").GetPrim())
    UsdGeom.Sphere(stage.GetPrimAtPath("/robot/rock")).CreateRadiusAttr(0.1)
    for one, other in (("b0", "b1"), ("b1", "b2")):
        add_joint(stage, UsdPhysics.RevoluteJoint, f"{one}_{other}", "Y", one, other, (0.5, 0, 0), (-0.5, 0, 0))
    robot, first, last = (stage.GetPrimAtPath(f"/robot{name}") for name in ("", "/b0", "/b2"))
    if how == "pair":
        UsdPhysics.FilteredPairsAPI.Apply(first).CreateFilteredPairsRel().SetTargets([last.GetPath()])
    if how == "articulation":
        UsdPhysics.ArticulationRootAPI.Apply(robot)
        robot.CreateAttribute("physxArticulation:enabledSelfCollisions", Sdf.ValueTypeNames.Bool).Set(False)
    if how == "group":
        groups = [UsdPhysics.CollisionGroup.Define(stage, f"/robot/group{k}") for k in range(2)]
        for group, prim in zip(groups, (first, last), strict=True):
            group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets([prim.GetPath()])
        groups[0].CreateFilteredGroupsRel().SetTargets([groups[1].GetPath()])
    if how == "off":
        UsdPhysics.CollisionAPI(stage.GetPrimAtPath("/robot/b2/skin")).CreateCollisionEnabledAttr(False)
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "balls.usda", contact="file")
    assert m.import_report.data["touching"] == pairs
    assert float(m.b2.m) == pytest.approx(1000 * 4 / 3 * np.pi * 0.2**3, rel=1e-6)  # what does not touch has weight


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


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_three_axes_with_limits_follow_one_another_as_the_stage_lists_them(tmp_path, order):
    """Drawn at angles of 0.2, −0.3 and 0.4 rad about the axes one after another; the middle one has a drive."""
    stage = new_stage(tmp_path / "j.usda")
    place, angles = add_body(stage, "b", (0, 0, 0), 1.0, (0, 0, 0), (1, 2, 3)), (0.2, -0.3, 0.4)
    turn = Gf.Rotation(Gf.Vec3d(1, 0, 0), 0)
    for letter, angle in zip(order, angles, strict=True):  # Gf multiplies rows: the last one turns first
        turn = Gf.Rotation(Gf.Vec3d(*[float(letter == x) for x in "XYZ"]), np.degrees(angle)) * turn
    place.AddOrientOp().Set(Gf.Quatf(turn.GetQuat()))
    joint = UsdPhysics.Joint.Define(stage, "/robot/j")
    joint.CreateBody1Rel().SetTargets([Sdf.Path("/robot/b")])
    for name in ("transX", "transY", "transZ", *(f"rot{letter}" for letter in order)):
        limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), name)
        limit.CreateLowAttr(1.0 if "trans" in name else -90.0)
        limit.CreateHighAttr(-1.0 if "trans" in name else 60.0)
    UsdPhysics.DriveAPI.Apply(joint.GetPrim(), f"rot{order[1]}").CreateStiffnessAttr(2.0)
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "j.usda")
    np.testing.assert_allclose(lw.compile(m).state().q, angles, atol=1e-6)
    assert list(m.import_report.names["joint"]) == [f"/robot/j_rot{letter}" for letter in order]
    middle = getattr(m, f"j_rot{order[1]}")
    assert (middle.phi_min, middle.phi_max) == pytest.approx((-np.pi / 2, np.pi / 3), rel=1e-6)
    assert hasattr(m, f"j_rot{order[1]}_drive")
    assert order[0] in str(m.import_report.remarks[0])


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
    (tmp_path / "secret.usda").write_text("no stage at all")  # it is not even opened
    (tmp_path / "in" / "deep.usda").write_text('#usda 1.0\ndef "a" (\n variants = {string v = "x"}\n'
                                               ' prepend variantSets = "v"\n) {\n variantSet "v" = {\n "x" (\n'
                                               ' payload = @../secret.usda@\n) {\n}\n}\n}\n')
    (tmp_path / "in" / "far.usda").write_text('#usda 1.0\ndef "a" (references = @deep.usda@</a>) {}\n')
    with pytest.raises(lw.ModelError, match=r"far.usda: it refers to .*secret.usda, outside the model's folder"):
        lw.read(tmp_path / "in" / "far.usda")
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(lw.ModelError, match="pip install usd-core"):
        lw.read(file)


@pytest.mark.parametrize("stacked", [True, False])
def test_joints_between_the_same_bodies_follow_one_another_where_mujoco_wrote_them(tmp_path, stacked):
    """Two hinges of one body with crossed axes: a Cardan joint after MuJoCo, and a lock after the standard."""
    stage = new_stage(tmp_path / "m.usda")
    add_body(stage, "b", (0, 0, 1), 1.0, (0, 0, -0.2), (1, 2, 3))
    for name, axis in (("first", "X"), ("second", "Y")):
        joint = add_joint(stage, UsdPhysics.RevoluteJoint, name, axis, None, "b", (0, 0, 1))
        joint.CreateLocalRot0Attr(Gf.Quatf(0.8, 0, 0, 0.6))
        joint.CreateLocalRot1Attr(Gf.Quatf(0.8, 0, 0, 0.6))
        if stacked:
            joint.GetPrim().SetMetadata("apiSchemas", Sdf.TokenListOp.CreateExplicit(["MjcJointAPI"]))
    stage.GetRootLayer().Save()
    m = lw.read(tmp_path / "m.usda")
    assert lw.compile(m).dof == (2 if stacked else 0)
    if stacked:  # turned by a about the first axis and by b about the second, which are those of a frame turned about z
        a, b = 0.4, -0.7
        m.first.start_at(phi=a)
        m.second.start_at(phi=b)
        system = lw.compile(m)
        R = np.array([[0.28, -0.96, 0], [0.96, 0.28, 0], [0, 0, 1]])
        R_a = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        R_b = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        turned = np.asarray(system.evaluate(system.state(), "b.frame_a.R.T")).reshape(3, 3)
        np.testing.assert_allclose(turned.T, R @ R_a @ R_b @ R.T, atol=1e-6)


@pytest.mark.slow
def test_the_public_humanoid_is_that_of_its_mjcf():
    """newton-physics/newton: mass matrix and bias at random states, of what mujoco-usd-converter made of the MJCF.

    The file has a quaternion with 0.0020132 for the 0.002 of its source, twice in a row, and no spring at the root.
    """
    folder = Path(os.environ.get("LINKWRIGHT_USD", "."))
    file = folder.parent.parent / "tests" / "assets" / "humanoid_mjc.usda"
    if not file.exists():
        pytest.skip("LINKWRIGHT_USD is not set")
    models = [lw.read(path, stops=False) for path in (file, folder / "nv_humanoid.xml")]
    systems = [lw.compile(model) for model in models]
    called = [{path.rpartition("/")[2].removesuffix("_1"): name
               for path, name in m.import_report.names["joint"].items()} for m in models]
    joints = [name for name in called[1] if name != "root"]
    assert len(joints) == 21
    random, places = np.random.default_rng(0), []
    for system, names in zip(systems, called, strict=True):
        q, u = system.part_names("q"), system.part_names("u")
        angles = [f"{names[name]}.phi" for name in joints]
        own = [q.index(angle) for angle in angles], [u.index(f"der({angle})") for angle in angles]
        places.append([[*(k for k in range(len(every)) if k not in mine), *mine]
                       for every, mine in zip((q, u), own, strict=True)])
    for _ in range(5):
        turn = random.normal(size=4)
        numbers = np.r_[turn / np.linalg.norm(turn), random.uniform(-1, 1, 3 + len(joints))], random.normal(size=27)
        found = []
        for system, (at_q, at_u) in zip(systems, places, strict=True):
            q, u = np.zeros(len(at_q)), np.zeros(len(at_u))
            q[at_q], u[at_u] = numbers
            found.append((system.function(["q"], ["mass_matrix"])(q)[np.ix_(at_u, at_u)],
                          system.function(["q", "u", "udot"], ["tau"])(q, u, 0 * u)[at_u][6:]))
        for ours, theirs in zip(*found, strict=True):
            assert np.abs(ours - theirs).max() < 2e-4 * np.abs(theirs).max()


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
