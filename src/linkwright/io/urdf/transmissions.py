"""Transmissions: rotors behind gears, where the file gives them an inertia."""

from __future__ import annotations

from collections.abc import Mapping

from ..building import Building
from ..markup import Element


def read_transmission(transmission: Element, joints: Mapping[str, object], building: Building) -> None:
    """A rotor on its joint, where the file gives it an inertia (Drake's tags, or motorInertia)."""
    transmission.get("name")
    transmission.get("type")
    for tag in ("type", "leftActuator", "rightActuator"):
        if transmission.first(tag) is not None:
            transmission.first(tag).leave()
    joint = transmission.first("joint")
    component = joints.get(joint.get("name")) if joint is not None else None
    if component is None or not hasattr(component, "axis"):
        building.report.ignore(transmission, "it drives no joint of one axis")
        return
    for inner in joint.children:
        inner.leave()  # hardware interfaces
    ratio, inertia = 1.0, 0.0
    places = [transmission, *transmission.all("actuator")]
    for place in places:
        place.get("name")
        for child in place.children:
            tag = child.tag.rpartition(":")[2]
            if tag in ("mechanicalReduction", "gear_ratio"):
                child.seen = True
                ratio = _value(child)
            elif tag in ("motorInertia", "rotorInertia", "rotor_inertia"):
                child.seen = True
                inertia = _value(child)
            elif tag == "hardwareInterface":
                child.leave()
    if inertia > 0 and ratio != 0:
        building.rotor(component, inertia, ratio, f"{joint.get('name')}_rotor")
    elif inertia < 0:
        raise transmission.error(f"the inertia of the rotor is {inertia:g}; it cannot be negative.")


def _value(element: Element) -> float:
    """A number in the attribute `value`, or as the text."""
    given = element.number("value")
    return float(element.as_numbers(element.words(), f"<{element.tag}>", 1)[0]) if given is None else given
