"""Planar worlds: the plane, its gravity, and where it lies in space."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..algebra import Array, Transform
from ..mechanism import Gravity
from .component import Component
from .connectors import Frame
from .fields import appearance, parameter
from .planar_frame import direction
from .world_sizes import default_size

if TYPE_CHECKING:
    from .parts_list import PartsList


class World(Component):
    """The plane z = 0 and its gravity; without one, gravity is that of lw.World, or 9.80665 along −y.

    Components look for the planar world in their own model, then in the models around it.
    """

    g = parameter(9.80665, "acceleration of gravity", "m/s2")
    n = parameter((0.0, -1.0), "direction of gravity in the plane", structural=True)
    start_inside_stops = parameter(False, "whether joints that start beyond a hard stop are put on it", structural=True)
    enable_animation = parameter(True, "whether anything is shown", structural=True)
    animate_world = parameter(True, "show the axes of the plane", structural=True)
    animate_gravity = parameter(True, "show the gravity arrow", structural=True)
    nominal_length = appearance(None, "size of the shown parts; default: the size of the mechanism", "m")
    default_z_position = appearance(0.0, "where shapes are drawn along the normal", "m")
    default_width_fraction = appearance(20.0, "two thirds of nominal_length over the width of rods")
    default_n_to_m = appearance(None, "scale of force arrows; default: the longest is 0.3 nominal_length", "N/m")
    default_nm_to_m = appearance(None, "scale of torque arrows; default: the longest is 0.3 nominal_length", "N.m/m")

    drive_train_mechanics_3d = True  # as in lw.World: drives act on their mountings
    carrier: Frame | None = None
    instead_of_frames: ClassVar[str] = " Begin with planar.Fixed(), a point of the plane."

    def _check(self) -> None:
        direction(self, "n")

    def default_of(self, name: str) -> float | None:
        return default_size(self, name)

    def vector(self, values: SimpleNamespace) -> object:
        """Gravity in the axes of the plane, three numbers (or expressions)."""
        return values.g * np.array([*direction(self, "n"), 0.0])

    def field(self, values: SimpleNamespace) -> Gravity:
        """The gravity of a mechanism that has no other world."""
        return Gravity(g=self.vector(values))

    def gravity(self, plan: PartsList) -> Array | None:
        """Acceleration of gravity on bodies of this plane, in world axes."""
        return self.vector(plan.values(self))

    def hold(self, plan: PartsList, component: Component, frame: Frame, X: Transform) -> None:
        """Fix a frame of a component to the plane at X."""
        plan.fixed(component, frame, X)


class WorldIn3D(World):
    """A plane that moves with the x–y plane of `frame_3d`, a frame of a spatial model.

    All planar parts are attached to the carrier: they are subject to the plane's acceleration, and their loads,
    including those that keep them in the plane, act on the carrier.
    """

    inherit_gravity_from_multi_body = parameter(
        True, "gravity is that of the spatial world, else g along n of the plane", structural=True)

    def _make_connectors(self) -> None:
        self._port("frame_3d", Frame())
        self._port("plane", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_3d"]

    @property
    def carrier(self) -> Frame:  # type: ignore[override]
        """The frame that carries the plane."""
        return self.plane

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_3d, self.plane, Transform())

    def gravity(self, plan: PartsList) -> Array | None:
        if self.inherit_gravity_from_multi_body:
            return None
        return self.plane.R_WF @ super().gravity(plan)

    def hold(self, plan: PartsList, component: Component, frame: Frame, X: Transform) -> None:
        plan.rigid(component, self.seat(plan, component), frame, X)

    def seat(self, plan: PartsList, component: Component) -> Frame:
        """A frame of a component that coincides with the plane: where it leans on it."""
        seat = component._connectors.get("seat") or component._port("seat", Frame())
        plan.join(self.plane, seat)
        return seat


class _Ground(World):
    """The plane of models that have no planar world: z = 0 of the spatial one, with its gravity."""

    def gravity(self, plan: PartsList) -> Array | None:
        return None


DEFAULT = _Ground()


def world_of(component: Component) -> World:
    """The planar world a component lives in: in its own model, else in the nearest model around it."""
    model = component if hasattr(component, "_children") else component._parent
    while model is not None:
        for child in model._children.values():
            if isinstance(child, World):
                return child
        model = model._parent
    return DEFAULT
