"""The sizes that a world decides for all shapes: given, in proportion to its nominal length, or to the mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ModelError

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


class Undecided:
    """A size that the finished mechanism decides when it is shown: no number can be made of it before."""

    def __init__(self, text: str, component: Component):
        self._text, self._component = text, component

    def __repr__(self) -> str:
        return f"<{self._text}>"

    def _refuse(self, *_: object) -> float:
        raise ModelError(f"{self._text}.", self._component)

    __float__ = __index__ = __neg__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _refuse


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
    return nominal if name == "nominal_length" else None


def default_size(world: Component, name: str) -> float | Undecided | None:
    """What a size that was not given comes to, as far as that is known."""
    nominal, path = told(world, "nominal_length"), f"{world.path}.{name}"
    if name in ARROWS:
        return Undecided(f"{path} is such that the longest arrow of the run is 0.3 nominal_length long, until it is "
                         "given", world)
    if name not in ("nominal_length", *FRACTIONS, *OTHERS):
        return None
    if nominal is None and (name not in OTHERS or OTHERS[name][0] != "ground_length_u"):
        return Undecided(f"{path} is in proportion to the size of the finished mechanism, which is not known before it "
                         "is shown; give World(nominal_length=…) to have it decided", world)
    return size(world, name, nominal or 1.0)
