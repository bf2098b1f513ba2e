"""Animations as USD (.usd, .usdc, .usda): a stage with meshes whose transforms are sampled over time, for Omniverse,
Isaac, Blender and Houdini.  The format's own library writes them (the package usd-core).

One frame of the stage is one picture: `timeCodesPerSecond` is fps.  Lengths are metres, y is up.  Each body is an Xform
of its path, its shapes are meshes below it; shapes that span moving points have transforms of their own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .animation_files import FRAMES_PER_SECOND, result_animation
from .gltf import continuous, upright
from .motion import Animation, Item
from .scene import quaternions
from .tolerances import NEXT_TO_NOTHING

if TYPE_CHECKING:
    from ..result import Result


def save_usd(result: Result, path: str | Path, fps: float = FRAMES_PER_SECOND, reactions: bool = False) -> None:
    """Write the animation of a result; text, lines and surfaces that bend or change colour stay as at the start."""
    try:
        from pxr import Usd
    except ImportError:
        raise ModelError(f"{Path(path).name}: USD files need the package usd-core: pip install usd-core.") from None
    animation = result_animation(result, fps, (), reactions)
    if all(item.mesh is None for item in animation.items):
        raise ModelError("there is nothing to write: the model shows no solid shapes.")
    stage = Usd.Stage.CreateInMemory()
    _fill(stage, animation, fps)
    stage.GetRootLayer().Export(str(path))


def _fill(stage: Any, animation: Animation, fps: float) -> None:
    from pxr import UsdGeom

    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(fps)
    stage.SetFramesPerSecond(fps)
    codes = (animation.t - animation.t[0]) * fps
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    names = _Names()
    root = UsdGeom.Xform.Define(stage, names.below("", animation.title))
    stage.SetDefaultPrim(root.GetPrim())
    stage.SetMetadata("comment", "written by Linkwright")
    _place(root, np.zeros((1, 3)), np.array([upright(animation.up)]), None, codes)
    bodies = []
    for body in animation.bodies:
        place = UsdGeom.Xform.Define(stage, names.below(str(root.GetPath()), body.name.rsplit(".", 1)[0]))
        _place(place, body.p, continuous(quaternions(body.R)), None, codes)
        bodies.append(str(place.GetPath()))
    for item in animation.items:
        if item.mesh is None:
            continue
        below = str(root.GetPath()) if item.moving or item.body < 0 else bodies[item.body]
        mesh = _mesh(stage, names.below(below, item.shape.name), item)
        if item.moving:
            scale = np.where(item.visible[:, None], item.scale, NEXT_TO_NOTHING)
            _place(mesh, item.p, continuous(quaternions(item.R)), scale, codes)
        else:
            _place(mesh, np.array([item.p]), continuous(quaternions(item.R)[None]), np.array([item.scale]), codes)


def _mesh(stage: Any, path: str, item: Item) -> Any:
    from pxr import UsdGeom, Vt

    vertices, faces = item.mesh
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(vertices, dtype=np.float32)))
    mesh.CreateFaceVertexCountsAttr([3] * len(faces))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.reshape(-1), dtype=np.int32)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDoubleSidedAttr(True)
    colour = (np.asarray(item.shape.colour, dtype=float) / 255) ** 2.2  # linear, as in glTF
    mesh.CreateDisplayColorAttr([tuple(map(float, colour))])
    if item.shape.opacity < 1:
        mesh.CreateDisplayOpacityAttr([float(item.shape.opacity)])
    return mesh


def _place(prim: Any, p: np.ndarray, q: np.ndarray, scale: np.ndarray | None, codes: np.ndarray) -> None:
    """Translation, rotation (quaternions with the scalar last) and scale; samples over time where there are several."""
    from pxr import Gf, UsdGeom

    move = prim.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
    turn = prim.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    grow = prim.AddScaleOp(UsdGeom.XformOp.PrecisionDouble) if scale is not None else None
    for k, code in enumerate(codes) if len(p) > 1 else [(0, None)]:
        at = () if code is None else (float(code),)
        move.Set(Gf.Vec3d(*map(float, p[k])), *at)
        x, y, z, w = map(float, q[k])
        turn.Set(Gf.Quatd(w, Gf.Vec3d(x, y, z)), *at)
        if grow is not None:
            grow.Set(Gf.Vec3d(*map(float, scale[k])), *at)


class _Names:
    """Paths of prims: letters, digits and underscores, each once."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def below(self, parent: str, wanted: str) -> str:
        word = re.sub(r"\W", "_", wanted, flags=re.ASCII) or "part"
        word = f"_{word}" if word[0].isdigit() else word
        path, k = f"{parent}/{word}", 2
        while path in self.taken:
            path, k = f"{parent}/{word}_{k}", k + 1
        self.taken.add(path)
        return path
