"""Tendons and actuators.

A fixed tendon has the length L = Σ cₖ qₖ; what pulls it with the effort F acts on every joint with cₖ F.  An actuator
pulls a joint, a fixed tendon or a site with

    F = gain · (ctrl or act) + bias,     gain = g₀ + g₁ l + g₂ l̇,     bias = b₀ + b₁ l + b₂ l̇,     l = gear · length,

and the effort at its target is gear · F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import linkwright as lw

from ..building import coordinate, speed
from ..markup import Element
from .bodies import Tree

SHORTCUTS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder")


@dataclass(eq=False)
class Tendon:
    """A fixed tendon: (factor, joint) pairs, and its length and rate as expressions."""

    terms: list
    spring_length: float

    @property
    def length(self):
        return sum(factor * coordinate(joint.component) for factor, joint in self.terms)

    @property
    def rate(self):
        return sum(factor * speed(joint.component) for factor, joint in self.terms)

    @property
    def drawn(self) -> float:
        """Its length in the pose that the file draws."""
        return sum(factor * joint.ref for factor, joint in self.terms)


def one_axis_joint(tree: Tree, element: Element, name: str):
    """A hinge or slide by the file's name."""
    joint = tree.parts.joints.get(name)
    if joint is None:
        raise element.error(f"there is no joint {name!r}.")
    if joint.kind not in ("hinge", "slide"):
        raise element.error(f"the joint {name!r} is a {joint.kind}; one of a single axis is needed here.")
    return joint


def read_tendons(section: Element, tree: Tree) -> dict[str, Tendon]:
    """Fixed tendons with their springs and dampers; spatial ones are noted as ignored."""
    tendons: dict[str, Tendon] = {}
    for element in section.all():
        if element.tag != "fixed":
            tree.report.ignore(element, "only fixed tendons are known; this one has a path in space")
            continue
        tree.classes.settle(element, tag="tendon")
        for key in ("group", "width", "material", "rgba", "user", "solreflimit", "solimplimit", "solreffriction",
                    "solimpfriction", "margin"):
            element.get(key)
        terms = []
        for term in element.all("joint"):
            term.need("coef")
            terms.append((term.number("coef"), one_axis_joint(tree, term, term.need("joint"))))
        if not terms:
            raise element.error("a fixed tendon needs a <joint>.")
        name = element.get("name") or f"tendon_{len(tendons) + 1}"
        rest = element.numbers("springlength", (1, 2), (-1.0,))
        tendon = Tendon(terms, rest[0] if rest[0] >= 0 else sum(c * joint.spring_ref for c, joint in terms))
        tendons[name] = tendon
        _passive(element, tendon, name, tree)
    return tendons


def _passive(element: Element, tendon: Tendon, name: str, tree: Tree) -> None:
    stiffness, damping = (element.numbers(key, (1, 2, 3), (0.0,))[0] for key in ("stiffness", "damping"))
    effort = 0.0
    if stiffness > 0 and tree.settings.springs:
        effort = effort - stiffness * (tendon.length - tendon.spring_length)
    if damping > 0 and tree.friction and tree.settings.dampers:
        effort = effort - damping * tendon.rate
    if not isinstance(effort, float):
        pull(tree, tendon, effort, name)
    for key in ("frictionloss", "armature"):
        if element.number(key, 0.0) > 0:
            tree.report.approximate(element, f"{key} of a tendon is left out")
    limited = element.choice("limited", ("true", "false", "auto"), "auto")
    if element.get("range") and (limited == "true" or limited == "auto" and tree.settings.autolimits):
        tree.report.approximate(element, "range: the ends of a tendon's way are left out")


def pull(tree: Tree, tendon: Tendon, effort, name: str) -> None:
    """An effort on a tendon, shared out to its joints."""
    for factor, joint in tendon.terms:
        tree.drive(joint.component, factor * effort, f"{name}_on_{joint.name}")


def read_actuators(section: Element, tree: Tree, tendons: dict[str, Tendon]) -> dict[str, dict[str, object]]:
    """Actuators as efforts that follow inputs; gives their length, rate and force by name, for sensors."""
    drives: dict[str, dict[str, object]] = {}
    for element in section.all():
        if element.tag not in SHORTCUTS:
            tree.report.ignore(element, f"actuators <{element.tag}> are not known here")
            continue
        name = element.get("name") or f"actuator_{len(drives) + 1}"
        tree.classes.settle(element)
        if name in drives:
            raise element.error(f"there is an actuator {name!r} already.")
        if tree.settings.drives:
            found = _actuator(element, name, tree, tendons)
            if found is not None:
                drives[name] = found
        else:
            element.leave()
    return drives


def _actuator(element: Element, name: str, tree: Tree, tendons: dict[str, Tendon]) -> dict[str, object] | None:
    for key in ("group", "user", "lengthrange", "cranklength", "inheritrange", "actearly", "nsample", "interp"):
        element.get(key)
    gear = np.zeros(6)
    given = element.numbers("gear", (1, 2, 3, 4, 5, 6), (1.0,))
    gear[:len(given)] = given
    target = _target(element, tree, tendons)
    if target is None:
        tree.report.ignore(element, "it drives no joint, fixed tendon or site that is known here")
        return None
    kind, what = target
    if kind == "site":
        length = rate = 0.0
    elif kind == "tendon":
        length, rate = gear[0] * what.length, gear[0] * what.rate
    elif what.kind in ("hinge", "slide"):
        length, rate = gear[0] * coordinate(what.component), gear[0] * speed(what.component)
    else:
        length = rate = 0.0
    force = _force(element, name, tree, length, rate)
    if kind == "tendon":
        pull(tree, what, gear[0] * force, f"{name}_drive")
    elif kind == "site":
        _on_frame(tree, tree.site_frame(element, what), gear, force, f"{name}_drive")
    elif what.kind in ("hinge", "slide"):
        tree.drive(what.component, gear[0] * force, f"{name}_drive")
    else:
        _on_many(tree, what, gear, force, f"{name}_drive", element)
    for key in ("damping", "armature"):
        if element.number(key, 0.0) > 0:
            tree.report.approximate(element, f"{key} of an actuator is left out")
    return {"length": length, "rate": rate, "force": force}


def _target(element: Element, tree: Tree, tendons: dict[str, Tendon]):
    for key in ("joint", "jointinparent"):
        if element.get(key):
            name = element.get(key)
            if name not in tree.parts.joints:
                raise element.error(f"there is no joint {name!r}.")
            return "joint", tree.parts.joints[name]
    if element.get("tendon"):
        return ("tendon", tendons[element.get("tendon")]) if element.get("tendon") in tendons else None
    if element.get("site") and not element.get("refsite"):
        return "site", element.get("site")
    return None


def _on_frame(tree: Tree, frame, gear, force, name: str) -> None:
    """Force and torque along the axes of a frame."""
    load = lw.forces.WorldForceAndTorque(resolve_in_frame="frame_b", force=[g * force for g in gear[:3]],
                                         torque=[g * force for g in gear[3:]], animation=False)
    tree.building.add(name, load)
    tree.building.model.connect(frame, load.frame_b)


def _on_many(tree: Tree, joint, gear, force, name: str, element: Element) -> None:
    """A ball joint: a torque along gear in the moving frame; a free one: force in the world, torque in the body."""
    if joint.kind == "ball":
        load = lw.forces.Torque(resolve_in_frame="frame_a" if element.get("jointinparent") else "frame_b",
                                torque=[g * force for g in gear[:3]], animation=False)
        tree.building.add(name, load)
        tree.building.model.connect(joint.component.frame_a, load.frame_a)
    else:
        R = joint.component.frame_b.R_WF
        torque = [g * force for g in gear[3:]]
        turned = torque if element.get("jointinparent") else [sum(R[i, j] * torque[j] for j in range(3))
                                                              for i in range(3)]
        load = lw.forces.WorldForceAndTorque(force=[g * force for g in gear[:3]], torque=turned, animation=False)
        tree.building.add(name, load)
    tree.building.model.connect(joint.component.frame_b, load.frame_b)


def _force(element: Element, name: str, tree: Tree, length, rate):
    """The force of an actuator as an expression of its input."""
    law = _law(element)
    control = tree.building.model.input(tree.building.name(name, "control"), 0.0)
    bounds = _range(element, "ctrl", tree)
    if bounds is not None:
        control = clamped(control, *bounds)
    dynamics, prm = law["dyntype"], law["dynprm"]
    if dynamics != "none":
        label = tree.building.name(f"{name}_act", "state")
        control = _state(tree.building.model, label, control, dynamics, prm, _range(element, "act", tree), element)
    force = _affine(law["gaintype"], law["gainprm"], length, rate, element) * control
    if law["biastype"] != "none":
        force = force + _affine(law["biastype"], law["biasprm"], length, rate, element)
    bounds = _range(element, "force", tree)
    return force if bounds is None else clamped(force, *bounds)


def _state(model: lw.Model, label: str, control, dynamics: str, prm, bounds, element: Element):
    """The activation: an integral of the control, or a filter of first order."""
    if dynamics == "integrator":
        state = model.integral(control, name=label)
    elif dynamics in ("filter", "filterexact"):
        if not prm[0] > 0:
            raise element.error("the time constant of a filter must be positive (dynprm, timeconst).")
        state = lw.blocks.first_order(control, T=prm[0], name=label)
    else:
        raise element.error(f"dyntype {dynamics!r} is not known here.")
    return state if bounds is None else clamped(state, *bounds)


def clamped(x, low: float, high: float):
    """x between two bounds."""
    return lw.fmin(lw.fmax(x, low), high)


def _range(element: Element, what: str, tree: Tree) -> tuple[float, float] | None:
    bounds = element.numbers(f"{what}range", 2)
    limited = element.choice(f"{what}limited", ("true", "false", "auto"), "auto")
    if bounds is None or limited == "false" or limited == "auto" and not tree.settings.autolimits:
        return None
    if not bounds[0] < bounds[1]:
        raise element.error(f"{what}range: {bounds[0]:g} must lie below {bounds[1]:g}.")
    return float(bounds[0]), float(bounds[1])


def _affine(kind: str, prm, length, rate, element: Element):
    if kind == "fixed":
        return prm[0]
    if kind == "affine":
        return prm[0] + prm[1] * length + prm[2] * rate
    raise element.error(f"gain or bias of the type {kind!r} is not known here.")


def _padded(element: Element, name: str, default) -> np.ndarray:
    out = np.zeros(10)
    values = element.numbers(name, tuple(range(1, 11)), default)
    out[:len(values)] = values
    return out


def _law(element: Element) -> dict[str, object]:
    """The general law behind a shortcut."""
    law = {"dyntype": "none", "dynprm": np.array([1.0]), "gaintype": "fixed", "gainprm": np.array([1.0, 0, 0]),
           "biastype": "none", "biasprm": np.zeros(3)}
    if element.tag == "general":
        law |= {key: element.get(key, law[key]) for key in ("dyntype", "gaintype", "biastype")}
        law |= {key: _padded(element, key, law[key]) for key in ("dynprm", "gainprm", "biasprm")}
        element.get("actdim")
        return law
    if element.tag in ("position", "intvelocity"):
        kp, kv = element.number("kp", 1.0), element.number("kv", 0.0)
        if element.number("dampratio", 0.0) > 0:
            raise element.error("dampratio depends on the inertia of the whole; give kv instead.")
        law |= {"gainprm": np.array([kp, 0, 0]), "biastype": "affine", "biasprm": np.array([0, -kp, -kv])}
        if element.tag == "intvelocity":
            law["dyntype"] = "integrator"
        elif element.number("timeconst", 0.0) > 0:
            law |= {"dyntype": "filterexact", "dynprm": np.array([element.number("timeconst")])}
    elif element.tag == "velocity":
        kv = element.number("kv", 1.0)
        law |= {"gainprm": np.array([kv, 0, 0]), "biastype": "affine", "biasprm": np.array([0, 0, -kv])}
    elif element.tag == "damper":
        law |= {"gaintype": "affine", "gainprm": np.array([0, 0, -element.number("kv", 1.0)])}
    elif element.tag == "cylinder":
        area, diameter = element.number("area", 1.0), element.number("diameter")
        area = area if diameter is None else np.pi / 4 * diameter**2
        law |= {"dyntype": "filter", "dynprm": np.array([element.number("timeconst", 1.0)]),
                "gainprm": np.array([area, 0, 0]), "biastype": "affine",
                "biasprm": _padded(element, "bias", (0.0, 0.0, 0.0))}
    return law
