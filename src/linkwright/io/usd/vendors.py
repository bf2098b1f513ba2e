"""What PhysX (Isaac), MuJoCo and Newton write on prims beside the standard: what they say of joints and weight is
read, settings of their solvers are passed over, and everything else is reported with its size.

Of a joint these are the inertia of the motor's rotor, a damping, a spring and dry friction, per degree of freedom
(schemas PhysxJointAPI, PhysxJointAxisAPI, MjcJointAPI, NewtonJointAPI).  Angular gains of MuJoCo are per radian, all
others per degree.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import linkwright as lw

from ..building import Building, coordinate, turns
from .stage import Stage

#: first words of attributes that others than the standard write
PREFIXES = re.compile(r"(physx\w*|mjc|newton)$")
#: settings of solvers, and how soft their contacts and stops are: rigid contact and hard stops have no use for them
SETTINGS = re.compile(r"physx(Scene|Cooked|SDF|\w*Mesh|\w*Hull|\w*Decomposition|Collision)|"
                      r"physxArticulation:|physxMaterial:(\w*CombineMode|improvePatch|compliant)|"
                      r"physxRigidBody:(solver|sleep|stabilization|retain|enable|contact|max|cfm)|"
                      r"physxJoint(Axis:\w+)?:(enable|max)|physxLimit:|"
                      r"mjc:(option|compiler|flag|group|margin|gap|solmix|priority|sol(ref|imp)|maxhullvert)|"
                      r"newton:(max|timeSteps|contact|sdf|hydro|massModel|shell|selfCollision|namespace|articulation|"
                      r"velocityLimit|(\w+:)?limit)")
#: 1/degree in 1/rad
PER_DEGREE = 180 / np.pi


def authored(prim: Any, *names: str) -> Any:
    """The value of the first of some attributes that is written, or None."""
    for name in names:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            return attribute.Get()
    return None


class Vendors:
    """Reads what others write on the prims of a stage, and remembers which attributes it took."""

    def __init__(self, stage: Stage, building: Building, friction: bool) -> None:
        self.stage, self.building, self.friction = stage, building, friction
        self.taken: set[tuple[Any, str]] = set()

    def number(self, prim: Any, *names: str) -> float:
        """The first number that is written, 0 without one; all of them count as read."""
        self.taken |= {(prim.GetPath(), name) for name in names}
        value = authored(prim, *names)
        return float(value) if value is not None and np.isfinite(float(value)) else 0.0

    def dry_friction(self, prim: Any, word: str, turning: bool) -> lw.Coulomb | None:
        """Dry friction along an axis; `word` is what PhysX calls it (angular, linear, rotX …)."""
        sliding = self.number(prim, f"physxJointAxis:{word}:dynamicFrictionEffort", "mjc:frictionloss",
                              "newton:friction")
        static = self.number(prim, f"physxJointAxis:{word}:staticFrictionEffort")
        if sliding <= 0 or not self.friction:
            return None
        return lw.Coulomb(tau=sliding * self._gain(turning, self.stage.length), peak=max(1.0, static / sliding))

    def add_forces(self, prim: Any, joint: Any, word: str, name: str) -> None:
        """The rotor, the spring and the damper along an axis."""
        turning = turns(joint)
        gain, per_degree = self._gain(turning), PER_DEGREE if turning else 1.0
        rotor = self.number(prim, f"physxJointAxis:{word}:armature", "physxJoint:armature", "mjc:armature",
                            "newton:armature")
        if rotor > 0:
            self.building.rotor(joint, rotor * gain, 1.0, f"{name}_armature")
        stiffness = self.number(prim, "mjc:stiffness")
        rest = self.number(prim, "mjc:springref") - self.number(prim, "mjc:ref")
        if stiffness > 0:
            if turning and rest:
                self.building.report.approximate(self.stage.element(prim, "joint"),
                                                 f"its spring rests at {rest:g}, taken as degrees")
            self.building.spring(joint, stiffness * gain, rest / per_degree if turning else rest * self.stage.length,
                                 f"{name}_spring")
        viscous = self.number(prim, f"physxJointAxis:{word}:viscousFrictionCoefficient", "newton:damping")
        damping = self.number(prim, "mjc:damping") or per_degree * viscous
        if damping > 0 and self.friction:
            self.building.damper(joint, damping * gain, f"{name}_damper")

    def couple(self, prim: Any, joints: dict[Any, list[tuple[str, Any]]]) -> None:
        """Make a joint follow another: q = a + b · q of the leader; PhysX: q + gearing · q of the leader + offset = 0.

        a is in degrees (MuJoCo: rad) or in lengths of the stage.
        """
        _, own = joints[prim.GetPath()][0]
        turning = turns(own)
        axes = [f"{'rot' if turning else 'trans'}{x}" for x in "XYZ"]
        relations = {"newton:mimicJoint": "", "mjc:target": "",
                     **{f"physxMimicJoint:{axis}:referenceJoint": axis for axis in axes}}
        said = [(name, axis) for name, axis in relations.items() if prim.GetRelationship(name).GetTargets()]
        if not said or authored(prim, "newton:mimicEnabled") is False:
            return
        name, axis = said[0]
        leaders = joints.get(prim.GetRelationship(name).GetTargets()[0], [])
        if len(leaders) != 1 or len(joints[prim.GetPath()]) != 1:
            raise self.stage.error(prim, f"{name}: a joint that follows another, and that other, have one axis each.")
        leader, unit = leaders[0][1], np.pi / 180 if turning else self.stage.length
        if axis:
            a, b = (-self.number(prim, f"physxMimicJoint:{axis}:{what}") for what in ("offset", "gearing"))
        else:
            radians = self.number(prim, "mjc:coef0")
            a = self.number(prim, "newton:mimicCoef0") or radians * (PER_DEGREE if turning else 1.0)
            ratio = authored(prim, "newton:mimicCoef1", "mjc:coef1")
            self.taken |= {(prim.GetPath(), key) for key in ("newton:mimicCoef1", "mjc:coef1")}
            b = 1.0 if ratio is None else float(ratio)
        of_leader = np.pi / 180 if turns(leader) else self.stage.length
        law = coordinate(own) - b * unit / of_leader * coordinate(leader) - a * unit
        self.building.add(f"{prim.GetName()}_mimic", lw.constraints.CoordinateCoupler(function=law))

    def weightless(self, prim: Any) -> float:
        """The share of a body's weight that something else bears."""
        return self.number(prim, "physxRigidBody:disableGravity", "mjc:body:gravcomp", "mjc:gravcomp")

    def _gain(self, turning: bool, arm: float = 1.0) -> float:
        """An effort per rad or per length of the stage, in N m or N/m; times `arm` an effort, in N m or N."""
        return self.stage.mass * (self.stage.length**2 if turning else arm)

    def report_rest(self, prims: list[Any]) -> None:
        """Note what is written and was not read, each attribute once, with its range and on how many prims it is."""
        left: dict[str, list[tuple[Any, Any]]] = {}
        for prim in prims:
            kind = str(prim.GetTypeName())
            if PREFIXES.match(kind[:3].lower()) or kind.startswith("Newton"):
                left.setdefault(f"the kind {kind}", []).append((prim, None))
                continue
            for attribute in prim.GetAuthoredAttributes():
                name = attribute.GetName()
                if (PREFIXES.match(name.split(":")[0]) and not SETTINGS.match(name)
                        and (prim.GetPath(), name) not in self.taken and _matters(attribute.Get())):
                    left.setdefault(name, []).append((prim, attribute.Get()))
        for name, places in left.items():
            self.building.report.ignore(self.stage.element(places[0][0], "attribute"),
                                        f"{name}{_range([value for _, value in places])} is not known here"
                                        f"{f', on {len(places)} prims' if len(places) > 1 else ''}")


def _matters(value: Any) -> bool:
    """Whether a value says anything: no empty list, zero, or infinity."""
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        return value is not None and str(value) not in ("", "auto")
    return bool(numbers.size and np.any(np.isfinite(numbers) & (numbers != 0)))


def _range(values: list[Any]) -> str:
    """` = 3`, or ` = 1 … 5` of several numbers."""
    if values[0] is None:
        return ""
    try:
        numbers = np.concatenate([np.atleast_1d(np.asarray(value, dtype=float)).ravel() for value in values])
    except (TypeError, ValueError):
        return f" = {values[0]}"
    low, high = numbers.min(), numbers.max()
    return f" = {low:g}" if low == high else f" = {low:g} … {high:g}"
