"""USD animations, read back with the format's own library."""

import numpy as np
import pytest
from view_models import pendulum

import linkwright as lw

Usd = pytest.importorskip("pxr.Usd")
UsdGeom = pytest.importorskip("pxr.UsdGeom")


@pytest.fixture(scope="module")
def run():
    return lw.simulate(pendulum(), 1.0)


@pytest.mark.parametrize("suffix", [".usdc", ".usda", ".usd"])
def test_meshes_go_where_the_bodies_go(run, tmp_path, suffix):
    """The mesh that goes furthest turns about the pendulum's axis by the angle of its joint."""
    run.save(tmp_path / f"x{suffix}", fps=10)
    stage = Usd.Stage.Open(str(tmp_path / f"x{suffix}"))
    assert stage.GetTimeCodesPerSecond() == 10 and stage.GetEndTimeCode() == pytest.approx(10)
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0 and UsdGeom.GetStageUpAxis(stage) == "Y"
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert meshes
    moved = []
    for prim in meshes:
        points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get())
        places = []
        for code in range(11):
            X = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(code))  # points are rows
            places.append((np.column_stack([points, np.ones(len(points))]) @ X)[:, :3].mean(axis=0))
        moved.append(np.array(places))
    middle = max(moved, key=lambda places: np.ptp(places, axis=0).max())
    # the pendulum turns about the origin: its parts keep their distance, and turn by the joint's angle
    distance = np.linalg.norm(middle, axis=1)
    np.testing.assert_allclose(distance, distance[0], rtol=1e-6)
    angle = np.unwrap(np.arctan2(middle[:, 1], middle[:, 0]))
    phi = run.at(np.linspace(0, 1, 11))["rev.phi"]
    np.testing.assert_allclose(angle - angle[0], phi - phi[0], atol=1e-6)


def test_without_the_library_it_says_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(lw.ModelError, match="pip install usd-core"):
        run.save(tmp_path / "x.usdc")
