"""How the bodies of a stage are linked: joints one after another between two bodies, and what follows from that for
what hangs together and what touches.

Two joints between the same bodies close a loop, as the standard has it; MuJoCo writes the joints of one body so, which
follow one another (MjcJointAPI, NewtonJointAPI).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw

from ...mechanism import Joined
from ..building import Building
from ..tolerances import NEVER, SHEAR
from ..wishes import Wishes
from .joints import KINDS, add_drive, components_of, word_of
from .stage import Stage
from .vendors import Vendors


class Links:
    """Adds the joints of a stage between the `frames` of its bodies: path → frame, pose, scale; "" is the world."""

    def __init__(self, stage: Stage, building: Building, wishes: Wishes, vendors: Vendors,
                 frames: dict[str, tuple[Any, lw.Transform, np.ndarray]]) -> None:
        self.stage, self.building, self.wishes, self.vendors, self.frames = stage, building, wishes, vendors, frames
        self.report = building.report
        self.number: dict[str, int] = {"": 0}
        self.held, self.linked = Joined(), Joined()  # what hangs together, with the world and without it
        self.jointed: set[frozenset[str]] = set()  # bodies that do not touch because a joint links them
        self.axes: dict[Any, list[tuple[str, Any]]] = {}  # joint → its axes, as APIs call them

    def add(self, prims: list[Any]) -> None:
        """All joints, and those that follow another."""
        chains: dict[object, list[Any]] = {}
        for prim in prims:
            if prim.GetTypeName() in KINDS and self._enabled(prim):
                chains.setdefault(self._chain(prim), []).append(prim)
            elif prim.GetTypeName() == "PhysicsDistanceJoint":
                self.report.ignore(self.stage.element(prim, "joint"), "distance joints are not known here")
        for chain in chains.values():
            self._joints(chain)
        for prim in prims:
            if prim.GetPath() in self.axes:
                self.vendors.couple(prim, self.axes)

    def articulation(self, body: str) -> int:
        """The number of the bodies that joints link with this one, the world left out."""
        return self.linked.find(self.number[body])

    def hold(self, path: str) -> None:
        """A body that stands still where it is drawn."""
        frame, X, _ = self.frames[path]
        self.building.model.connect(self.building.placed(self.frames[""][0], X, f"{Path(path).name}_place"), frame)
        self.held.join(0, self.number[path])

    def _enabled(self, prim: Any) -> bool:
        from pxr import UsdPhysics

        return UsdPhysics.Joint(prim).GetJointEnabledAttr().Get() is not False

    def _chain(self, prim: Any) -> object:
        """What joints that follow one another have in common: their bodies."""
        listed = prim.GetMetadata("apiSchemas")  # GetAppliedSchemas leaves those out that are not installed here
        stacked = listed and {"MjcJointAPI", "NewtonJointAPI"} & set(listed.GetAddedOrExplicitItems())
        return tuple(self._ends(prim)) if stacked else prim.GetPath()

    def _ends(self, prim: Any) -> list[str]:
        from pxr import UsdPhysics

        joint = UsdPhysics.Joint(prim)
        return [self._owner(prim, body.GetTargets()) for body in (joint.GetBody0Rel(), joint.GetBody1Rel())]

    def _joints(self, chain: list[Any]) -> None:
        """A joint, or several that follow one another, between two bodies."""
        names = self._ends(chain[0])
        if names[0] == names[1]:
            raise self.stage.error(chain[0], "both its bodies are the same, or none is there.")
        (at, X_a, _), (end, X_b, _) = (self.frames[name] for name in names)
        behind = None  # where the joint before ends in the second body, which is where the next one begins
        for prim in chain:
            one, other = self._places(prim, names)
            X = (X_a @ one).inverse() @ (X_b @ other)
            if len(chain) > 1 and max(np.abs(X.R - np.eye(3)).max(), np.abs(X.p).max()) > SHEAR:
                self.report.remark(self.stage.element(prim, "joint"), "one of several between two bodies, which start "
                                                                      "at zero")
            place = one if behind is None else behind.inverse() @ other
            at = self.building.placed(at, place, f"{prim.GetName()}_place")
            at, behind = self._one(prim, at, X if len(chain) == 1 else lw.Transform()), other
            self._breaking(prim)
        self.building.model.connect(self.building.placed(at, behind.inverse(), f"{chain[-1].GetName()}_end"), end)
        self.held.join(*(self.number[name] for name in names))
        if all(names):
            self.linked.join(*(self.number[name] for name in names))

    def _places(self, prim: Any, names: list[str]) -> list[lw.Transform]:
        """Where a joint sits in each of its bodies."""
        from pxr import UsdPhysics

        joint = UsdPhysics.Joint(prim)
        if not joint.GetCollisionEnabledAttr().Get():
            self.jointed.add(frozenset(names))
        return [lw.Transform(self.stage.rotation(rot.Get()),
                             self.stage.length * self.frames[name][2] * self.stage.place(prim, pos))
                for name, pos, rot in zip(names, (joint.GetLocalPos0Attr(), joint.GetLocalPos1Attr()),
                                          (joint.GetLocalRot0Attr(), joint.GetLocalRot1Attr()), strict=True)]

    def _one(self, prim: Any, at: Any, X: lw.Transform) -> Any:
        """The components of a joint one after another, from a frame on; the frame behind them."""
        element, name = self.stage.element(prim, "joint"), prim.GetName()
        components = components_of(self.stage, prim, X, self.building, self.wishes, self.vendors)
        for component in components:
            own = name if len(components) == 1 else f"{name}_{_axis(component)}"
            self.building.add(own, component, element)
            called = self.report.names["joint"]
            called[f"{prim.GetPath()}{own.removeprefix(name)}"] = called.pop(own)
            self.building.model.connect(at, component.frame_a)
            at = component.frame_b
            if hasattr(component, "axis"):
                word = word_of(prim, component)
                add_drive(self.stage, prim, component, own, self.building)
                self.vendors.add_forces(prim, component, word, own)
                self.axes.setdefault(prim.GetPath(), []).append((word, component))
        return at

    def _breaking(self, prim: Any) -> None:
        from pxr import UsdPhysics

        joint = UsdPhysics.Joint(prim)
        for limit, what in ((joint.GetBreakForceAttr(), "force"), (joint.GetBreakTorqueAttr(), "torque")):
            if limit.Get() is not None and limit.Get() < NEVER:
                self.report.ignore(self.stage.element(prim, "joint"),
                                   f"it breaks at a {what} of {limit.Get():g} in the stage's units; here it holds")

    def _owner(self, prim: Any, targets: list[Any]) -> str:
        """The body that a joint names: the prim, or the nearest body above it; the world without one."""
        if not targets:
            return ""
        path = targets[0]
        if not self.stage.stage.GetPrimAtPath(path):
            raise self.stage.error(prim, f"there is no prim {path}.")
        while str(path) not in self.frames and path != path.GetParentPath() and not path.isEmpty:
            path = path.GetParentPath()
        return str(path) if str(path) in self.frames else ""


def _axis(component: Any) -> str:
    """The word of a joint among several that make one: transX, rotY, rot."""
    if not hasattr(component, "axis"):
        return "rot"
    turning = isinstance(component, lw.joints.Revolute)
    return f"{'rot' if turning else 'trans'}{'XYZ'[int(np.argmax(np.abs(component.n)))]}"
