"""A USD stage: its units, and poses of its prims.

Lengths are multiplied by metersPerUnit, masses by kilogramsPerUnit.  The frame of a body is that of its prim without
scale; the scale stretches what is written in its space (places of joints, centres of mass, sizes of shapes).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw

from ...errors import ModelError
from ..markup import Element
from ..mesh_paths import MeshFiles
from ..roots import allowed_roots
from ..rotations import from_quaternion
from ..tolerances import SHEAR


class Stage:
    """An open stage; everything it gives is in kg, m, s and rad."""

    def __init__(self, path: Path, search: MeshFiles) -> None:
        try:
            from pxr import Tf, Usd, UsdGeom, UsdPhysics
        except ImportError:
            raise ModelError(f"{path}: USD files need the package usd-core: pip install usd-core.") from None
        self.path = path
        allowed = [*allowed_roots(path.resolve().parent), *search.search]
        try:
            _look_ahead(path, allowed)
            self.stage = Usd.Stage.Open(str(path.resolve()))
        except Tf.ErrorException as error:
            said = str(error).strip().splitlines()[0]
            raise ModelError(f"{path}, line 1: this cannot be read as USD: {said}") from None
        for layer in self.stage.GetUsedLayers():
            if layer.realPath:
                _check(path, Path(layer.realPath), allowed)
        self.length = UsdGeom.GetStageMetersPerUnit(self.stage)
        self.mass = UsdPhysics.GetStageKilogramsPerUnit(self.stage)
        self.up = np.array([0.0, 1.0, 0.0] if UsdGeom.GetStageUpAxis(self.stage) == "Y" else [0.0, 0.0, 1.0])
        self._cache, self._elements = UsdGeom.XformCache(), dict[Any, Element]()

    def prims(self) -> list[Any]:
        """All prims that are defined and active, those of instances too, parents first."""
        from pxr import Usd

        prims = list(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))
        for prim in prims:
            self._check_kinds(prim)
        return prims

    def _check_kinds(self, prim: Any) -> None:
        """Refuse attributes whose values are of another kind than the format asks for (a word for a number)."""
        schema = prim.GetPrimDefinition()
        for attribute in prim.GetAuthoredAttributes():
            asked = schema.GetAttributeDefinition(attribute.GetName()) if schema else None
            if not asked or asked.GetTypeName().isArray:
                continue
            value, usual = attribute.Get(), asked.GetFallbackValue()
            numbers = isinstance(value, (int, float)) and isinstance(usual, (int, float))
            lists = not isinstance(usual, str) and hasattr(value, "__len__") and hasattr(usual, "__len__")
            if not (numbers or lists and len(value) == len(usual) or None in (value, usual)) \
                    and type(value) is not type(usual):
                raise self.error(prim, f"{attribute.GetName()} is {asked.GetTypeName()} in the format; the file writes "
                                       f"{value}.")

    def axis(self, prim: Any, attribute: Any) -> str:
        """X, Y or Z."""
        said = str(attribute.Get())
        if said not in ("X", "Y", "Z"):
            raise self.error(prim, f"{attribute.GetName()} is X, Y or Z; got {said!r}.")
        return said

    def place(self, prim: Any, attribute: Any) -> np.ndarray:
        """A point, in lengths of the stage."""
        point = np.array(attribute.Get(), dtype=float)
        if not np.all(np.isfinite(point)):
            raise self.error(prim, f"{attribute.GetName()} must be finite; got {attribute.Get()}.")
        return point

    def element(self, prim: Any, tag: str) -> Element:
        """What a report calls a prim."""
        key = (tag, prim.GetPath())
        if key not in self._elements:
            self._elements[key] = Element(tag, {"name": str(prim.GetPath())}, self.path, 1)
            self._elements[key].seen = True
        return self._elements[key]

    def error(self, prim: Any, text: str) -> ModelError:
        """A complaint about a prim."""
        return ModelError(f"{self.path}, {prim.GetPath()}: {text}")

    def pose(self, prim: Any) -> tuple[lw.Transform, np.ndarray]:
        """(pose in the world, scale along its axes) of a prim; a shear is refused."""
        from pxr import Tf

        try:
            A = np.array(self._cache.GetLocalToWorldTransform(prim)).T  # columns are axes here
        except Tf.ErrorException as error:
            raise self.error(prim, f"its transform cannot be read: {str(error).strip().splitlines()[0]}") from None
        scale = np.linalg.norm(A[:3, :3], axis=0)
        if not np.all(np.isfinite(A)) or scale.min() <= 0:
            raise self.error(prim, "its transform is not finite, or flat.")
        R = A[:3, :3] / scale
        if np.linalg.det(R) < 0:
            scale, R = scale * (1, 1, -1), R * np.array([1.0, 1.0, -1.0])
        if np.abs(R.T @ R - np.eye(3)).max() > SHEAR:
            raise self.error(prim, "its transform is sheared; bodies are rigid.")
        U, _, V = np.linalg.svd(R)
        return lw.Transform(U @ V, self.length * A[:3, 3]), scale

    def rotation(self, quaternion: Any) -> np.ndarray:
        """R of a Gf quaternion; of one without length none."""
        q = np.array([quaternion.GetReal(), *quaternion.GetImaginary()], dtype=float)
        return np.eye(3) if not np.linalg.norm(q) > 0 else from_quaternion(None, q)



def _look_ahead(path: Path, allowed: list[Path]) -> None:
    """Refuse a stage that refers to files outside the folders that are allowed, before any of them is opened."""
    from pxr import Sdf

    waiting, seen = [str(path.resolve())], set[str]()
    while waiting:
        identifier = waiting.pop()
        _check(path, Path(identifier.partition("[")[0]), allowed)  # what follows is a file within a .usdz
        layer = Sdf.Layer.FindOrOpen(identifier)
        if layer is None:
            continue  # what is missing, the stage itself complains of
        seen.add(identifier)
        named = (layer.ComputeAbsolutePath(name) for name in layer.GetCompositionAssetDependencies() if name)
        waiting += [other for other in named if other not in seen and Path(other.partition("[")[0]).is_file()]


def _check(path: Path, file: Path, allowed: list[Path]) -> None:
    if not any(file.resolve().is_relative_to(root) for root in allowed):
        raise ModelError(f"{path}: it refers to {file}, outside the model's folder; allow it with "
                         f"search=[{str(file.parent)!r}].")
