"""SRDF beside a URDF file: links that pass through one another, and poses that have names.

    <disable_collisions link1="hip" link2="thigh" reason="Adjacent"/>
    <group_state name="standing" group="legs"><joint name="knee" value="-1"/></group_state>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import linkwright as lw

from ...algebra import rotation_angles
from ..import_report import ImportReport
from ..markup import Element, read_elements
from ..rotations import from_quaternion


@dataclass(eq=False)
class Semantics:
    """What an SRDF file says; nothing where there is none."""

    disabled: set[frozenset[str]] = field(default_factory=set)
    states: dict[str, Element] = field(default_factory=dict)


def read_srdf(given: Path | None, beside: Path, links: Mapping[str, Element], report: ImportReport) -> Semantics:
    """The file given, or that of the robot's name beside its file or in a folder `srdf` next to that one."""
    places = [given] if given is not None else [beside.with_suffix(".srdf"),
                                                beside.parent.parent / "srdf" / f"{beside.stem}.srdf"]
    file = next((place for place in places if place.is_file()), None)
    out = Semantics()
    if file is None:
        return out
    root = read_elements(file)
    if root.tag != "robot":
        raise root.error("an SRDF file has <robot> at its root.")
    for element in root.all("disable_collisions"):
        ends = [element.need(key) for key in ("link1", "link2")]
        element.get("reason")
        if all(name in links for name in ends):
            out.disabled.add(frozenset(ends))
        else:
            report.remark(element, "it names a link that the robot has not")
    for element in root.all("group_state"):
        out.states.setdefault(element.need("name"), element)
    report.data["states"] = {name: {joint.need("name"): joint.numbers("value").tolist() for joint in state.all("joint")
                                    if joint.numbers("value") is not None} for name, state in out.states.items()}
    return out


def set_state(semantics: Semantics, key: str | int | bool | None, contact: bool, joints: Mapping[str, object],
              base: lw.joints.FreeMotion | None, root: Element, report: ImportReport) -> None:
    """Let the joints start as a state says: the one of this name or number, the first one where things touch."""
    names = list(semantics.states)
    if key is False or key is None and not (contact and names):
        return
    number = 0 if key is None or key is True else key
    if isinstance(number, int):
        number = names[number] if -len(names) <= number < len(names) else number
    if number not in semantics.states:
        raise root.error(f"key={key!r}: there is no group_state of that name or number in an SRDF file beside; there "
                         f"is {', '.join(names) or 'none'}.")
    for element in semantics.states[number].all("joint"):
        values = element.numbers("value")
        component = joints.get(element.need("name"))
        if values is None:
            continue
        if component is None:
            if len(values) == 7 and base is not None:  # the base: place, then a quaternion with its real part last
                base.start_at(r_rel_a=lw.guess(values[:3]))
                turned = from_quaternion(element, values[[6, 3, 4, 5]])
                base.start_at(angles=lw.guess(rotation_angles(turned)))
        elif len(values) == 1 and hasattr(component, "axis"):
            _place(element, component, float(values[0]), report)
        elif len(values) == 2 and hasattr(component, "axis"):  # cosine and sine
            _place(element, component, float(np.arctan2(values[1], values[0])), report)


def _place(element: Element, component: lw.joints.Revolute, value: float, report: ImportReport) -> None:
    """A joint of one axis where a state says; beyond a stop it starts at the stop."""
    low, high = (getattr(component, name) for name in component.limits)
    inside = min(max(value, -np.inf if low is None else low), np.inf if high is None else high)
    if inside != value:
        report.remark(element, f"{value:g} lies beyond the stop at {inside:g}, where it starts")
    component.start_at(**{"phi" if isinstance(component, lw.joints.Revolute) else "s": lw.guess(inside)})
