"""Which joints of a loop carry bodies and which one closes it.

The joint cut in a loop is one that leaves no movable massless part at the end of a branch, whose coordinate nobody
needs, with many freedoms, far from the world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import Inertia, is_symbolic
from ..language import Model, PartsList
from ..language.parts_list_entries import JointEdge
from ..mechanism import FrameOf, Joined
from .exchange import light_ends, without_light_ends
from .loops.clusters import Link, Ring, links_of
from .loops.reach import reach
from .loops.ring_kinds import Geometry
from .loops.rings import solve_in_order

if TYPE_CHECKING:
    from ..language import Component
    from .groups import End, Node

#: attributes of a joint that act on its coordinate
LIMITS = ("friction", "phi_min", "phi_max", "s_min", "s_max")


def has_mass(inertia: Inertia) -> bool:
    return is_symbolic(inertia.m, inertia.inertia) or inertia.m > 0 or bool(np.any(np.abs(inertia.inertia) > 0))


def spanning(plan: PartsList, ends: list[End], heavy: set[int],
             first: Sequence[End] = ()) -> tuple[list[End], list[JointEdge], list[End]]:
    """Joints kept in the tree, joints cut, and joints that are kept by splitting the part beyond them.

    Those given `first` are kept whatever they are.
    """
    needed = _needed(plan)
    heavy = _loaded(ends, heavy)
    rank = _rank(ends, heavy, needed)
    joined = Joined()
    kept, closing = [], []
    fixed = {id(edge) for edge, *_ in first}
    for item in [*first, *sorted((end for end in ends if id(end[0]) not in fixed), key=rank)]:
        _, a, b = item
        (kept if joined.join(id(a.group), id(b.group)) else closing).append(item)
    kept, closing = without_light_ends(kept, closing, heavy, rank, fixed)
    equations = [edge.kind.free or (not needed(edge) and edge.kind.closes) for edge, *_ in closing]
    order = {id(end[0]): k for k, end in enumerate(ends)}

    def in_order(items: list[End]) -> list[End]:
        return sorted(items, key=lambda item: order[id(item[0])])

    cut = in_order([item for item, simple in zip(closing, equations, strict=True) if simple])
    split = in_order([item for item, simple in zip(closing, equations, strict=True) if not simple])
    return in_order(kept), [edge for edge, *_ in cut], split


def in_rings(plan: PartsList, ends: list[End], nodes: dict[int, Node], heavy: set[int],
             partly: bool) -> tuple[list[End], list[JointEdge], list[End], list[Ring]] | None:
    """Joints kept, cut, and kept by splitting, and the rings that are solved one after the other; None without rings.

    With `partly` some loops may have no closed form.  Independent are joints with a prescribed motion, then those asked
    for (`enforce_states`), those with a value at the start, and of the others rather one that turns, is driven and
    stands on the ground.
    """
    needed, given = _needed(plan), prescribed_joints(plan)
    joined = _joined_flanges(plan)
    driven = {id(axis.joint) for axis in plan.axes if id(axis.axis) in joined}
    rods = [(rod, nodes[id(rod.frame_a)], nodes[id(rod.frame_b)])
            for rod in (constraint.component for constraint in plan.constraints) if hasattr(rod, "fixed_distance")]
    rank = _rank(ends, {id(node.group) for _, *pair in ends for node in pair}, needed)

    def wanted(link: Link) -> float:
        component = link.component
        if id(component) in given:
            return 4
        if getattr(component, "enforce_states", False):
            return 3
        if any(isinstance(entry, float) for entries in component._initial.values() for entry in entries):
            return 2
        return (0.4 * (link.letter == "R") + 0.3 * (id(component) in driven)
                + 0.2 * (link.a.group.grounded or link.b.group.grounded))

    geometry = Geometry(plan.parameters)

    def distance(component: Component) -> float:
        return plan.number(component.fixed_distance(plan.values(component)))

    found = solve_in_order(
        links_of(ends, rods), geometry, lambda link: rank((link.edge, link.a, link.b)),
        lambda link: not needed(link.edge), wanted, lambda solution, link: reach(solution, link, geometry, distance),
        partly)
    if found is None or not found.rings:
        return None
    closing, fixed = {id(ring.cut.edge) for ring in found.rings}, {id(link.edge) for link in found.kept}
    solved = {id(link.edge) for ring in found.rings for link in ring.joints}
    # what moves with a closed form needs no mass
    heavy = heavy | {id(node.group) for edge, *pair in ends if id(edge) in solved for node in pair}
    kept, cut, split = spanning(plan, [end for end in ends if id(end[0]) not in closing], heavy,
                                [end for end in ends if id(end[0]) in fixed])
    if found.left and light_ends(kept, _loaded(ends, heavy)):
        return None
    closing |= set(map(id, cut))
    return kept, [edge for edge, *_ in ends if id(edge) in closing], split, found.rings


def _rank(ends: list[End], heavy: set[int], needed: Callable[[JointEdge], bool]) -> Callable[[End], tuple]:
    """A key for joints (edge, a, b): the larger, the rather a joint is cut."""
    depth = _depths(ends)

    def rank(end: End) -> tuple:
        edge, a, b = end
        light = id(a.group) not in heavy or id(b.group) not in heavy
        # frames of what bends stay; a cut ball leaves fewest equations; a cut far from the world leaves short branches
        return (not isinstance(edge.kind, FrameOf), edge.kind.free, not light, not needed(edge), edge.kind.nu,
                min(depth.get(id(a.group), 0), depth.get(id(b.group), 0)))

    return rank


def _needed(plan: PartsList) -> Callable[[JointEdge], bool]:
    """A test whether a joint's coordinate must be a state: driven, given at the start, read by a law, or asked for."""
    joined = _joined_flanges(plan)
    driven = {id(axis.joint) for axis in plan.axes if id(axis.axis) in joined}
    read = plan.symbols_read()

    def needed(edge: JointEdge) -> bool:
        component = edge.component
        if component.enforce_states or id(component) in driven:
            return True
        if id(component) in plan.courses or id(component) in plan.catches:
            return True
        if any(isinstance(entry, float) for entries in component._initial.values() for entry in entries):
            return True
        if any(getattr(component, name, None) is not None for name in LIMITS):
            return True
        own = [component._symbols[name] for names in component.coordinates() for name in names
               if name in component._symbols]
        own += [component._symbols[name] for name in ("q", "u") if name in component._symbols]
        return any(symbol.nz[k].element_hash() in read for symbol in own for k in range(symbol.nnz()))

    return needed


def _loaded(ends: list[End], heavy: set[int]) -> set[int]:
    """Groups with mass, and those that carry some on branches of their own, outside of loops."""
    beside: dict[int, list[int]] = {}
    for _, a, b in ends:
        beside.setdefault(id(a.group), []).append(id(b.group))
        beside.setdefault(id(b.group), []).append(id(a.group))
    grounded = {id(node.group) for _, a, b in ends for node in (a, b) if node.group.grounded}
    loaded = set(heavy)
    leaves = [key for key, others in beside.items() if len(others) == 1 and key not in grounded]
    while leaves:
        leaf = leaves.pop()
        if len(beside[leaf]) != 1:
            continue
        (inner,) = beside.pop(leaf)
        beside[inner].remove(leaf)
        if leaf in loaded:
            loaded.add(inner)
        if len(beside[inner]) == 1 and inner not in grounded:
            leaves.append(inner)
    return loaded


def prescribed_joints(plan: PartsList) -> set[int]:
    """Joints whose motion is given, by the model or by a source on their axis."""
    sources = {id(motion.flange) for motion in plan.flange_motions}
    axes = {id(axis.axis): axis.joint for axis in plan.axes}
    found = set(plan.courses)
    for connectors in plan.connection_sets() if sources else ():
        if any(id(c) in sources for c in connectors):
            found.update(id(axes[id(c)]) for c in connectors if id(c) in axes)
    return found


def _joined_flanges(plan: PartsList) -> set[int]:
    """Flanges that meet a flange of another component; ports of sub-models do not count."""
    joined = set()
    for connectors in plan.connection_sets():
        own = [c for c in connectors if c.kind.endswith("flange") and not isinstance(c.owner, Model)]
        if len(own) > 1:
            joined.update(id(c) for c in own)
    return joined


def _depths(ends: list[End]) -> dict[int, int]:
    """Joints between the ground and each group, along the shortest way."""
    at: dict[int, list] = {}
    for _, a, b in ends:
        at.setdefault(id(a.group), []).append(b.group)
        at.setdefault(id(b.group), []).append(a.group)
    ground = {id(node.group): node.group for _, a, b in ends for node in (a, b) if node.group.grounded}
    here, depth = list(ground.values()), dict.fromkeys(ground, 0)
    while here:
        there = []
        for group in here:
            for other in at[id(group)]:
                if id(other) not in depth:
                    depth[id(other)] = depth[id(group)] + 1
                    there.append(other)
        here = there
    return depth
