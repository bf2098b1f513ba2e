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
        try:
            self.stage = Usd.Stage.Open(str(path.resolve()))
        except Tf.ErrorException as error:
            said = str(error).strip().splitlines()[0]
            raise ModelError(f"{path}, line 1: this cannot be read as USD: {said}") from None
        allowed = [*allowed_roots(path.resolve().parent), *search.search]
        for layer in self.stage.GetUsedLayers():
            file = Path(layer.realPath) if layer.realPath else None
            if file is not None and not any(file.resolve().is_relative_to(root) for root in allowed):
                raise ModelError(f"{path}: it refers to {file}, outside the model's folder; allow it with "
                                 f"search=[{str(file.parent)!r}].")
        self.length = UsdGeom.GetStageMetersPerUnit(self.stage)
        self.mass = UsdPhysics.GetStageKilogramsPerUnit(self.stage)
        self.up = np.array([0.0, 1.0, 0.0] if UsdGeom.GetStageUpAxis(self.stage) == "Y" else [0.0, 0.0, 1.0])
        self._cache, self._elements = UsdGeom.XformCache(), dict[Any, Element]()

    def prims(self) -> list[Any]:
        """All prims that are defined and active, those of instances too, parents first."""
        from pxr import Usd

        return list(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))

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
        A = np.array(self._cache.GetLocalToWorldTransform(prim)).T  # columns are axes here
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

