"""The sizes that a world decides for all shapes: given, or in proportion to its nominal length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .component import Component

#: size → the fraction of the nominal length that it has unless given (Modelica's MultiBody.World)
FRACTIONS = {"default_axis_length": 5, "default_joint_length": 10, "default_joint_width": 20,
             "default_force_length": 10, "default_force_width": 20, "default_body_diameter": 9,
             "default_arrow_diameter": 40, "axis_length": 2}
#: size → the size it is a fraction of, and the fraction or the world's parameter that says it
OTHERS = {"axis_diameter": ("axis_length", "default_frame_diameter_fraction"),
          "gravity_arrow_length": ("axis_length", 2),
          "gravity_arrow_diameter": ("gravity_arrow_length", "default_width_fraction"),
          "ground_length_v": ("ground_length_u", 1)}
ARROWS = ("default_n_to_m", "default_nm_to_m")
#: what Modelica's world has, m, m, N/m and N.m/m; what is drawn follows the mechanism instead, unless it is given
MODELICA = {"nominal_length": 1.0, "ground_length_u": 2.0, "default_n_to_m": 1000.0, "default_nm_to_m": 1000.0}


def told(world: Component, name: str) -> float | None:
    """What was given for a size, None where nothing was."""
    return type(world).fields()[name].number(world)


def size(world: Component, name: str, nominal: float) -> float | None:
    """A size of a world of that nominal length."""
    value = told(world, name)
    if value is not None:
        return float(value)
    if name in FRACTIONS:
        return nominal / FRACTIONS[name]
    if name in OTHERS:
        other, part = OTHERS[name]
        return size(world, other, nominal) / float(part if isinstance(part, int) else told(world, part))
    return nominal if name == "nominal_length" else MODELICA.get(name)


def default_size(world: Component, name: str) -> float | None:
    """Modelica's number for a size that was not given, to be computed with while a model is built."""
    nominal = told(world, "nominal_length")
    return size(world, name, MODELICA["nominal_length"] if nominal is None else float(nominal))
