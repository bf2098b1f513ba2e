"""Drawings that follow sliders of lengths: where shapes lie on their bodies, and how large they are, by the slider.

A shape's size is a number of the model, so that the shapes are made for some values of a slider, and the page goes
between them in proportion; lengths, radii and offsets follow exactly.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LinkwrightError
from ..system import System
from .default_shapes import model_shapes
from .motion import Animation, Item, Poses, frames_of, place, variables_of
from .scene import quaternions
from .sliders import Slider
from .tolerances import NO_EXTENT, SLIDER_SAMPLES

if TYPE_CHECKING:
    from ..language import Model
    from ..result import Trajectory


def resized(model: Model, system: System, series: Trajectory, animation: Animation,
            sliders: Sequence[Slider]) -> dict[str, list[dict]]:
    """Name of a shape → for every slider that changes it: its place among the inputs, values, and there p, q, s."""
    shown = {item.shape.name: item for item in animation.items}
    shapes = [item.shape for item in animation.items]
    poses = Poses(series, system, frames_of(shapes), variables_of(shapes))
    poses.measure_loads(shapes, animation.peaks)
    found: dict[str, list[dict]] = {}
    for slider in sliders:
        if slider.name not in {parameter.name for parameter in system.mechanism.parameters}:
            continue  # inputs move nothing that is drawn
        values = np.linspace(slider.low, slider.high, SLIDER_SAMPLES)
        courses: dict[str, list[Item]] = {}
        for shapes in _shapes(model, system, slider, values):
            for shape in shapes:
                if shape.name in shown and shape.frame in (None, *poses.place):
                    courses.setdefault(shape.name, []).append(place(shape, poses))
        for name, course in courses.items():
            if len(course) == SLIDER_SAMPLES and _differ(course):
                found.setdefault(name, []).append({"place": slider.place, "at": values.tolist(), **_told(course)})
    return found


def _shapes(model: Model, system: System, slider: Slider, values: np.ndarray) -> Iterator[list]:
    """The shapes of a model with other values of a parameter; none where it is not one of a component's own."""
    path, _, field = slider.name.rpartition(".")
    for value in values:
        other = copy.deepcopy(model)
        part = next((c for c in other.leaves() if c.path == path), None)
        if part is None:
            return
        given = value
        if slider.entry is not None:
            given = np.array(getattr(part, field), dtype=float)
            given[slider.entry] = value
        try:
            setattr(part, field, given)
            yield model_shapes(other, system)
        except LinkwrightError:
            return  # a value that the shapes do not stand


def _differ(course: Sequence[Item]) -> bool:
    first = course[0]
    return any(np.abs(getattr(item, what) - getattr(first, what)).max(initial=0.0) > NO_EXTENT
               for item in course[1:] for what in (("scale",) if first.moving else ("p", "R", "scale")))


def _told(course: Sequence[Item]) -> dict[str, list]:
    """Positions, quaternions and scales; of what spans moving points the scale alone."""
    if course[0].moving:
        return {"p": [], "q": [], "s": [item.scale[0].tolist() for item in course]}
    q = quaternions(np.stack([item.R for item in course]))
    for k in range(1, len(q)):
        q[k] *= np.sign(q[k] @ q[k - 1]) or 1.0  # the same side all along
    return {"p": [item.p.tolist() for item in course], "q": q.tolist(), "s": [item.scale.tolist() for item in course]}
