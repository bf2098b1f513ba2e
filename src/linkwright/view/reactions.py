"""Arrows for the reactions of joints: the force and torque on the part at frame_b."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..library.joints import Joint
from .force_shapes import load_arrow
from .scene_data import Shape
from .sizes import model_length, sizes

if TYPE_CHECKING:
    from ..language import Model, World
    from ..system import System

FORCE = (230, 120, 0)
TORQUE = (170, 0, 170)


def reaction_shapes(model: Model, world: World, system: System) -> list[Shape]:
    """Two arrows per joint, on a layer of their own."""
    out, s = [], sizes(world, model_length(system))
    for joint in model.leaves():
        if isinstance(joint, Joint):
            for kind, rgb in (("force", FORCE), ("torque", TORQUE)):
                out += [shape.on("reactions") for shape in load_arrow(joint, s, "frame_b", kind, rgb)]
    return out
