"""Directions and sequences of axes given as parameters: refused by name where they are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from .fields import Parameter
from .tolerances import NO_LENGTH

if TYPE_CHECKING:
    from .component import Component
    from .formulas import Formula


def numbers(component: Component, name: str, size: int) -> np.ndarray:
    """A parameter as `size` finite numbers."""
    given = getattr(component, name)
    try:
        n = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        n = np.zeros(0)
    if n.shape != (size,) or not np.all(np.isfinite(n)):
        count = {2: "two", 3: "three"}[size]
        raise ModelError(f"{component.path}: {name} = {given!r} must be {count} finite numbers.", component)
    return n


def unit_axis(component: Component, name: str) -> np.ndarray:
    """A direction given by a parameter, of unit length."""
    n = numbers(component, name, 3)
    length = np.linalg.norm(n)
    if length < NO_LENGTH:
        raise ModelError(f"{component.path}: axis {name} = ({n[0]:g}, {n[1]:g}, {n[2]:g}) has no direction; "
                         "give a non-zero vector.", component)
    return n / length


class AxisSequence(Parameter):
    """Three axes of angles, counted from 1; neighbours differ unless `repeated`."""

    def __init__(self, text: str, repeated: bool = False) -> None:
        super().__init__((1, 2, 3), text, structural=True)
        self.repeated = repeated

    def checked(self, component: Component, value: object) -> tuple[int, ...] | Formula | None:
        try:
            axes = tuple(value)
        except TypeError:
            axes = ()
        good = len(axes) == 3 and all(axis in (1, 2, 3) for axis in axes)
        if not good or (axes[1] in (axes[0], axes[2]) and not self.repeated):
            raise ModelError(f"{component.path}.{self.name} = {value!r}: three axes counted 1, 2, 3 are needed"
                             f"{'' if self.repeated else ', neighbours different'}.", component)
        return axes


def axis_sequence(text: str, repeated: bool = False) -> AxisSequence:
    """Declare the axes of three angles; x, y, z unless given."""
    return AxisSequence(text, repeated)
