"""How far every frame is from the root that its pose is computed from (Otter et al. 2003, §5: isRoot and rooted)."""

from __future__ import annotations

from ..language import PartsList
from .bodies import Topology


def depths(plan: PartsList, where: Topology) -> dict[str, int]:
    """Frame → number of rigid links and joints between it and its root; 0 for roots: the ground, and free bodies."""
    nodes = {id(node): node for node in where.nodes.values()}
    next_to: dict[int, list[int]] = {key: [id(other) for _, other, _ in node.links] for key, node in nodes.items()}
    roots = [id(where.nodes[id(told.frame)]) for told in plan.ground]
    for branch in where.tree.branches:
        if branch.edge is None:
            roots += [id(where.nodes[id(branch.frame)])] if branch.frame is not None else []
            continue
        a, b = id(where.nodes[id(branch.edge.a)]), id(where.nodes[id(branch.edge.b)])
        next_to[a].append(b)
        next_to[b].append(a)
    depth = dict.fromkeys(roots, 0)
    queue = list(depth)
    while queue:
        here = queue.pop(0)
        for other in next_to[here]:
            if other not in depth:
                depth[other] = depth[here] + 1
                queue.append(other)
    return {frame.path: depth[key] for key, node in nodes.items() if key in depth for frame in node.frames}
