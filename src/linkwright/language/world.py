"""The world: ground, gravity, and the defaults of shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Transform, unit
from ..errors import ModelError
from ..mechanism import Gravity
from .component import Component
from .connectors import Frame
from .fields import appearance, parameter
from .looks import WorldLook

if TYPE_CHECKING:
    from .parts_list import PartsList


class World(WorldLook, Component):
    """Ground and gravity field; a model has at most one.

    `gravity` is "uniform" (g along n), "point" (towards the origin, mu), None, or a function f(r) of the world position
    that returns the acceleration there.

    >>> World(g=9.81, n=[0, 0, -1])
    <World World>
    """

    g = parameter(9.80665, "acceleration of gravity", "m/s2")
    n = parameter((0.0, -1.0, 0.0), "direction of gravity", structural=True)
    gravity = parameter("uniform", "kind of the field", structural=True)
    mu = parameter(3.986004418e14, "gravity constant of the point field", "m3/s2")
    drive_train_mechanics_3d = parameter(True, "whether 1-D drive trains act on their 3-D mountings", structural=True)
    start_inside_stops = parameter(False, "whether joints that start beyond a hard stop are put on it", structural=True)
    enable_animation = appearance(True, "whether anything is shown")
    animate_world = appearance(True, "show the world frame")
    animate_gravity = appearance(True, "show the gravity arrow")
    animate_ground = appearance(False, "show the ground: a plane through the origin, across gravity")
    animate_floor = appearance(True, "show a ground below the mechanism, where gravity has a direction")
    nominal_length = appearance(None, "size of the shown parts; default 1, in drawings that of the mechanism", "m")
    default_n_to_m = appearance(None, "scale of force arrows; default: the longest is 0.3 nominal_length", "N/m")
    default_nm_to_m = appearance(None, "scale of torque arrows; default: the longest is 0.3 nominal_length", "N.m/m")

    def _make_connectors(self) -> None:
        self._port("frame_b", Frame())

    def _check(self) -> None:
        if not (self.gravity in ("uniform", "point", None) or callable(self.gravity)):
            raise ModelError(f"{self.path}: gravity is 'uniform', 'point', None or a function f(r), "
                             f"not {self.gravity!r}.", self)
        unit(self.n, f"{self.path}.n")

    def field(self, values: SimpleNamespace) -> Gravity:
        """The gravity of the mechanism."""
        if self.gravity is None:
            return Gravity()
        if self.gravity == "uniform":
            return Gravity(g=values.g * unit(self.n))
        if self.gravity == "point":
            return Gravity(mu=values.mu)
        return Gravity(field=lambda r: _checked_field(self, r))

    def describe(self, plan: PartsList) -> None:
        plan.fixed(self, self.frame_b, Transform())


def _checked_field(world: World, r: ca.SX) -> ca.SX:
    try:
        value = world.gravity(r)
    except Exception as error:  # whatever a function of the user's does
        raise ModelError(f"{world.path}: gravity(r) fails: {type(error).__name__}: {error}. It is called once, with "
                         "the position as three symbols; write it with lw.sqrt, lw.where … and without if.",
                         world) from error
    try:
        value = value if isinstance(value, ca.SX) else ca.vertcat(*[ca.SX(value[i]) for i in range(3)])
    except (TypeError, IndexError, NotImplementedError):
        value = None
    if value is None or value.numel() != 3:
        raise ModelError(f"{world.path}: gravity(r) must return three accelerations.", world)
    if any(value.nz[k].is_constant() and not np.isfinite(float(value.nz[k])) for k in range(value.nnz())):
        raise ModelError(f"{world.path}: gravity(r) is not finite; use lw.sqrt, lw.sin … instead of math's.", world)
    return value
