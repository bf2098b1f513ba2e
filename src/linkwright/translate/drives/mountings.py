"""Drives mounted on a moving part: the torque of the axis they drive must reach a part once, by the joint or by them.

A joint puts the torque of its axis on frame_b and the opposite on frame_a.  The casing of its drive feels the opposite
too, and on a mounting brings it to a part a second time; the joint's support, connected to the mounting, takes it off.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import TopologyError
from ...language import Component, PartsList
from ...language.parts_list_entries import Axis
from .networks import Node


def check_mountings(plan: PartsList, frames: dict, flanges: dict[int, Node]) -> None:
    """Refuse drives whose torque would act on a part twice, or not completely; nodes are given by id."""
    moving = [mounting for mounting in plan.mountings
              if mounting.frame is not None and not frames[id(mounting.frame)].group.grounded]
    if not moving:
        return
    gears = {id(told.component) for told in moving if told.flange is None}
    carriers = {id(flanges[id(told.flange)]): told.component for told in moving if told.flange is not None}
    for axis in plan.axes:
        mounting = carriers.get(id(flanges[id(axis.support)]))
        for component, ends in _casings(axis, plan, flanges):
            on = next((carriers[id(node)] for node in ends if id(node) in carriers), None)
            on = component if id(component) in gears else on
            if on is not None and not flanges[id(axis.support)].mounting:
                _refuse_twice(axis, component, on)
            if on is None and mounting is not None and any(node.grounded for node in ends):
                raise TopologyError(
                    f"{component.path} drives {axis.joint.path}.axis from a casing on the ground, but the support of "
                    f"{axis.joint.path} is on {mounting.path}: connect {component.path}.support to it too.", component)


def _casings(axis: Axis, plan: PartsList, flanges: dict[int, Node]) -> Iterator[tuple[Component, list[Node]]]:
    """Components that the torque of an axis passes on its way up to the first casings, with the nodes that feel it."""
    felt = _felt(plan)
    at: dict[int, list] = {}
    for component, ends in felt.values():
        for flange in ends:
            at.setdefault(id(flanges[id(flange)]), []).append(component)
    queue, seen = [flanges[id(axis.axis)]], {id(axis.joint)}
    while queue:
        for component in at.get(id(queue.pop()), []):
            if id(component) not in seen:
                seen.add(id(component))
                ends = felt[id(component)][1]
                nodes = [flanges[id(flange)] for flange in ends]
                yield component, nodes
                if not any(id(flange) in plan.supports for flange in ends):
                    queue += nodes


def _felt(plan: PartsList) -> dict[int, tuple[Component, list]]:
    """Components that efforts pass through, with the flanges that feel them."""
    felt: dict[int, tuple[Component, list]] = {}
    loads = [(told.component, [told.flange]) for told in (*plan.flange_loads, *plan.flange_cuts)]
    rigid = [(told.component, [flange for flange, _ in told.terms]) for told in plan.flange_relations]
    motions = [(told.component, [end for end in (told.flange, told.support) if end is not None])
               for told in plan.flange_motions]
    for component, ends in (*loads, *rigid, *motions):
        felt.setdefault(id(component), (component, []))[1].extend(ends)
    return felt


def _refuse_twice(axis: Axis, component: Component, on: Component) -> None:
    joint = axis.joint.path
    flange, through = (f"{on.path}.flange_b", f" through {on.path}")
    if on is component:
        flange, through = "the flange_b of a parts.Mounting1D there", ""
    raise TopologyError(
        f"{component.path} drives {joint}.axis and hands the opposite torque{through} to the part that carries it, but "
        f"{joint} hands it to its frame_a already: it would count twice. Connect {joint}.support to {flange} too; or, "
        "where the drive has no rotor, leave its supports unconnected.", axis.joint, component, on)
