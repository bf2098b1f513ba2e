"""Forces of .osim files that are no muscles: springs and actuators on ways and coordinates, limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import Building
from ..markup import Element
from .coordinate_functions import smooth_step, values
from .muscles import switch
from .paths import Paths


def read_force(element: Element, building: Building, paths: Paths, coordinate: Callable[[Element, str], Any],
               sliding: set[str], controls: Mapping[str, Any]) -> None:
    """A force of the file; what is not known is noted."""
    makers: dict[str, Callable] = {
        "PathSpring": _path_spring, "PathActuator": _path_actuator, "Ligament": _ligament,
        "Blankevoort1991Ligament": _blankevoort, "CoordinateLimitForce": _limit, "CoordinateActuator": _actuator,
        "SpringGeneralizedForce": _spring}
    if element.tag not in makers:
        building.report.ignore(element, f"forces of the kind {element.tag} are not known here")
        return
    if not switch(element, "appliesForce", True):
        element.leave()
        building.report.remark(element, "it applies no force, and is left out")
        return
    part = makers[element.tag](element, building, paths, coordinate, sliding, controls)
    if part is not None:
        building.add(element.need("name"), part, element)


def number(element: Element, tag: str, default: float) -> float:
    """One number in a child."""
    return float(values(element, tag, 1, (default,))[0])


def _control(element: Element, building: Building, controls: Mapping[str, Any]) -> ca.SX:
    """The control of an actuator, prescribed or an input of its name, between its bounds, times its optimal force."""
    bounds = [element.first(tag) for tag in ("min_control", "max_control")]
    words = [None if child is None else child.words() for child in bounds]
    low, high = (None if word is None or "inf" in word.lower() else float(word) for word in words)
    name = element.need("name")
    control = controls[name] if name in controls else building.model.input(building.name(f"{name}_control", "input"),
                                                                           0.0)
    if low is not None:
        control = lw.max(control, low)
    if high is not None:
        control = lw.min(control, high)
    return number(element, "optimal_force", 1.0) * control


# --- on ways ---


def _path_spring(element: Element, building: Building, paths: Paths, *_: Any) -> lw.cables.Cable:
    return building.make(element, lw.cables.PathSpring, route=paths.route(element), c=number(element, "stiffness", 1.0),
                         length=number(element, "resting_length", 0.0), dissipation=number(element, "dissipation", 0.0))


def _path_actuator(element: Element, building: Building, paths: Paths, coordinate: Callable, sliding: set[str],
                   controls: Mapping[str, Any]) -> lw.cables.Cable:
    return building.make(element, lw.cables.PathActuator, route=paths.route(element),
                         pull=_control(element, building, controls))


def _ligament(element: Element, building: Building, paths: Paths, *_: Any) -> lw.cables.Cable:
    given: dict[str, Any] = {}
    holder = element.first("force_length_curve")
    spline = holder.first("SimmSpline") if holder is not None else None
    if spline is not None:
        given["curve"] = tuple(tuple(values(spline, axis)) for axis in "xy")
    return building.make(element, lw.cables.Ligament, route=paths.route(element), F=number(element, "pcsa_force", 0.0),
                         length=number(element, "resting_length", 0.0), **given)


def _blankevoort(element: Element, building: Building, paths: Paths, *_: Any) -> lw.cables.Cable:
    return building.make(element, lw.cables.Blankevoort1991, route=paths.route(element),
                         k=number(element, "linear_stiffness", 1.0), length=number(element, "slack_length", 0.0),
                         damping=number(element, "damping_coefficient", 0.003),
                         transition=number(element, "transition_strain", 0.06))


# --- on coordinates ---


def _limit(element: Element, building: Building, paths: Paths, coordinate: Callable, sliding: set[str],
           *_: Any) -> Any:
    """−K_up (q − q_up) + K_low (q_low − q) − d (K_up/k_up + K_low/k_low) q̇; angles are in degrees in the file."""
    name = element.the("coordinate").words()
    q = coordinate(element, name)
    unit = 1.0 if name in sliding else np.pi / 180
    upper, lower = (number(element, f"{end}_limit", 0.0) * unit for end in ("upper", "lower"))
    k_up, k_low = (number(element, f"{end}_stiffness", 1.0) / unit for end in ("upper", "lower"))
    damping, width = number(element, "damping", 0.0) / unit, number(element, "transition", 0.1) * unit
    if element.first("compute_dissipation_energy") is not None:
        element.first("compute_dissipation_energy").leave()
    above, below = smooth_step((q - upper) / width), smooth_step((lower - q) / width)
    force = -k_up * above * (q - upper) + k_low * below * (lower - q) - damping * (above + below) * lw.der(q)
    return lw.forces.CoordinateForce(coordinate=q, force=force)


def _actuator(element: Element, building: Building, paths: Paths, coordinate: Callable, sliding: set[str],
              controls: Mapping[str, Any]) -> Any:
    return lw.forces.CoordinateForce(coordinate=coordinate(element, element.the("coordinate").words()),
                                     force=_control(element, building, controls))


def _spring(element: Element, building: Building, paths: Paths, coordinate: Callable, *_: Any) -> Any:
    q = coordinate(element, element.the("coordinate").words())
    rest, k, d = (number(element, tag, 0.0) for tag in ("rest_length", "stiffness", "viscosity"))
    return lw.forces.CoordinateForce(coordinate=q, force=-k * (q - rest) - d * lw.der(q))

