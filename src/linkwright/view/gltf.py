"""Animations as .glb: binary glTF 2.0 with meshes, materials and one animation, for Blender and others."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .animation_files import FRAMES_PER_SECOND, result_animation
from .meshes import vertex_normals
from .motion import Animation, Item
from .scene import quaternions
from .tolerances import NEXT_TO_NOTHING, UPSIDE_DOWN

if TYPE_CHECKING:
    from ..result import Result

FLOAT, UINT = 5126, 5125
ARRAY, ELEMENTS = 34962, 34963


class _Writer:
    """Collects arrays in one buffer and the tables that point into it."""

    def __init__(self) -> None:
        self.bytes, self.views, self.accessors = bytearray(), [], []

    def put(self, array: np.ndarray, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """Add an array; gives its number."""
        array = np.ascontiguousarray(array, dtype=np.uint32 if array.dtype.kind in "iu" else np.float32)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": array.nbytes}
        if target:
            view["target"] = target
        self.views.append(view)
        accessor = {"bufferView": len(self.views) - 1, "count": len(array), "type": kind,
                    "componentType": UINT if array.dtype == np.uint32 else FLOAT}
        if bounds:
            accessor["min"] = np.atleast_1d(array.min(axis=0)).tolist()
            accessor["max"] = np.atleast_1d(array.max(axis=0)).tolist()
        self.accessors.append(accessor)
        self.bytes += array.tobytes()
        return len(self.accessors) - 1


def save_glb(result: Result, path: str | Path, fps: float = FRAMES_PER_SECOND, reactions: bool = False) -> None:
    """Write the animation of a result; text, lines and surfaces that bend or change colour stay as at the start."""
    Path(path).write_bytes(glb(result_animation(result, fps, (), reactions)))


def glb(animation: Animation) -> bytes:
    """The file's content."""
    out = _Writer()
    meshes: list[dict[str, Any]] = []
    materials: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    known: dict[tuple, int] = {}
    channels, samplers = [], []
    times = None

    def mesh_number(item: Item) -> int:
        key = (id(item.mesh[0]), item.shape.colour, item.shape.opacity)
        if key not in known:
            vertices, faces = item.mesh
            rgb = (np.asarray(item.shape.colour, dtype=float) / 255) ** 2.2  # glTF colours are linear
            materials.append({"pbrMetallicRoughness": {"baseColorFactor": [*rgb.tolist(), float(item.shape.opacity)],
                                                       "metallicFactor": 0.1, "roughnessFactor": 0.5},
                              "doubleSided": True, **({"alphaMode": "BLEND"} if item.shape.opacity < 1 else {})})
            meshes.append({"primitives": [{"attributes": {
                "POSITION": out.put(vertices, "VEC3", ARRAY, bounds=True),
                "NORMAL": out.put(vertex_normals(vertices, faces), "VEC3", ARRAY)},
                "indices": out.put(faces.reshape(-1), "SCALAR", ELEMENTS), "material": len(materials) - 1}]})
            known[key] = len(meshes) - 1
        return known[key]

    def move(node: int, path: str, values: np.ndarray) -> None:
        nonlocal times
        if times is None:
            times = out.put(animation.t - animation.t[0], "SCALAR", bounds=True)
        samplers.append({"input": times, "output": out.put(values, "VEC4" if path == "rotation" else "VEC3"),
                         "interpolation": "LINEAR"})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    moves = len(animation.t) > 1
    nodes.append({"name": animation.title, "children": [], "rotation": upright(animation.up)})
    for body in animation.bodies:
        q = continuous(quaternions(body.R))
        nodes.append({"name": body.name.rsplit(".", 1)[0], "children": [], "translation": body.p[0].tolist(),
                      "rotation": q[0].tolist()})
        nodes[0]["children"].append(len(nodes) - 1)
        if moves:
            move(len(nodes) - 1, "translation", body.p)
            move(len(nodes) - 1, "rotation", q)
    for item in animation.items:
        if item.mesh is None:
            continue
        if item.moving:
            q = continuous(quaternions(item.R))
            scale = np.where(item.visible[:, None], item.scale, NEXT_TO_NOTHING)
            p0, q0, s0 = item.p[0], q[0], scale[0]
        else:
            p0, q0, s0 = item.p, continuous(quaternions(item.R)[None])[0], item.scale
        nodes.append({"name": item.shape.name, "mesh": mesh_number(item), "translation": np.asarray(p0).tolist(),
                      "rotation": q0.tolist(), "scale": np.asarray(s0).tolist()})
        nodes[0 if item.moving or item.body < 0 else 1 + item.body]["children"].append(len(nodes) - 1)
        if item.moving and moves:
            for name, values in (("translation", item.p), ("rotation", q), ("scale", scale)):
                move(len(nodes) - 1, name, values)
    for node in nodes:
        if not node.get("children", True):
            del node["children"]
    if not meshes:
        raise ModelError("there is nothing to write: the model shows no solid shapes.")
    document = {"asset": {"version": "2.0", "generator": "Linkwright"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": nodes, "meshes": meshes, "materials": materials, "accessors": out.accessors,
                "bufferViews": out.views, "buffers": [{"byteLength": len(out.bytes)}]}
    if channels:
        document["animations"] = [{"name": animation.title, "channels": channels, "samplers": samplers}]
    return _packed(document, bytes(out.bytes))


def continuous(q: np.ndarray) -> np.ndarray:
    """Scalar-last quaternions whose sign does not jump from one time to the next."""
    flips = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    signs = np.concatenate([[1.0], np.cumprod(np.where(flips == 0, 1.0, flips))])
    return np.roll(q * signs[:, None], -1, axis=1)


def upright(up: np.ndarray) -> list[float]:
    """The rotation that turns `up` into y, which is up in glTF, scalar last."""
    up = up / np.linalg.norm(up)
    w = 1.0 + up[1]
    q = np.array([-up[2], 0.0, up[0], w]) if w > UPSIDE_DOWN else np.array([1.0, 0.0, 0.0, 0.0])
    return (q / np.linalg.norm(q)).tolist()


def _packed(document: dict, binary: bytes) -> bytes:
    """Header, JSON chunk, binary chunk (glTF 2.0 §4.4)."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    total = 12 + 8 + len(text) + 8 + len(binary)
    return (struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
