"""Which colliders of a stage may touch: not those of bodies that a joint connects, nor pairs that the stage filters.

(openusd.org, "UsdPhysics: Collision filtering".)  A pair is filtered where either prim, or one above it, names the
other in `physics:filteredPairs`; where their collision groups filter one another; and within an articulation whose
self-collisions are switched off (PhysX, Newton).
"""

from __future__ import annotations

from typing import Any

from .stage import Stage
from .vendors import authored


class Filters:
    """What the prims of a stage say of who touches whom."""

    def __init__(self, stage: Stage, prims: list[Any]) -> None:
        from pxr import UsdPhysics

        self.pairs: set[tuple[Any, Any]] = set()
        self.alone: list[Any] = []  # roots of articulations whose own bodies do not touch
        for prim in prims:
            if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                for other in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                    self.pairs |= {(prim.GetPath(), other), (other, prim.GetPath())}
            said = authored(prim, "physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")
            if prim.HasAPI(UsdPhysics.ArticulationRootAPI) and said is not None and not said:
                joint = UsdPhysics.Joint(prim)  # the root may be the joint that holds the first body
                self.alone += joint.GetBody1Rel().GetTargets() if joint else [prim.GetPath()]
        groups = [UsdPhysics.CollisionGroup(prim) for prim in prims if prim.IsA(UsdPhysics.CollisionGroup)]
        self.table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage.stage) if groups else None
        self.members = [(group.GetPath(), group.GetCollidersCollectionAPI().ComputeMembershipQuery())
                        for group in groups]

    def is_alone(self, body: str) -> bool:
        """Whether a body belongs to an articulation whose own bodies do not touch."""
        from pxr import Sdf

        return any(Sdf.Path(body).HasPrefix(root) for root in self.alone)

    def apart(self, one: Any, other: Any) -> bool:
        """Whether two colliders, given by their paths, never touch."""
        if any((a, b) in self.pairs for a in one.GetPrefixes() for b in other.GetPrefixes()):
            return True
        groups = [[path for path, query in self.members if query.IsPathIncluded(collider)] for collider in (one, other)]
        return self.table is not None and not all(self.table.IsCollisionEnabled(a, b)
                                                  for a in groups[0] for b in groups[1])
