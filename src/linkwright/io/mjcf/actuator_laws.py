"""The force of an actuator: F = gain · (ctrl or act) + bias, between bounds.

    gain = g₀ + g₁ l + g₂ l̇,     bias = b₀ + b₁ l + b₂ l̇,     l the length of what it drives

An activation act is an integral of the control, or the control behind a filter of first order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ...language import Block, announce
from ..building import clamped
from ..markup import Element
from .motors import CONTROLLED, controlled_force
from .ranges import inherited_range, range_of
from .timed_springs import critical_damping
from .turning import on_the_circle

if TYPE_CHECKING:
    from .actuators import Target
    from .bodies import Tree
    from .keyframes import Start


def force_of(element: Element, name: str, tree: Tree, target: Target,
             start: Start) -> tuple[object, tuple[str, ...], tuple[str, ...]]:
    """(the force of an actuator as an expression of its inputs, the names of these, and of its states)."""
    if element.tag in CONTROLLED:
        return controlled_force(element, name, tree, target, start)
    law, length, rate = _damped(_law(element), element, tree, target), target.length, target.rate
    named = tree.building.name(name, "control")
    control = tree.building.model.input(named, start.next_control())
    bounds = inherited_range(element, "ctrl", target) or range_of(element, "ctrl", tree)
    if bounds is not None:
        control = clamped(control, *bounds)
    dynamics, prm, label = law["dyntype"], law["dynprm"], None
    if dynamics != "none":
        label = tree.building.name(f"{named}_act", "state")
        control = _state(label, control, dynamics, prm, inherited_range(element, "act", target) or
                         range_of(element, "act", tree), element, start.next_activation())
    if law["gaintype"] == "muscle":
        gain, passive = muscle_force(element, law["gainprm"], length, rate)
        force = -gain * control - (passive if law["biastype"] == "muscle" else 0.0)
    else:
        if _is_servo(law):
            control = on_the_circle(control, length, target.turn)
        force = _affine(law["gaintype"], law["gainprm"], length, rate) * control
        if law["biastype"] != "none":
            force = force + _affine(law["biastype"], law["biasprm"], length, rate)
    bounds = range_of(element, "force", tree)
    return (force if bounds is None else clamped(force, *bounds)), (named,), () if label is None else (label,)


def activated(element: Element, named: str, control: Scalar, tree: Tree, start: Start,
              ) -> tuple[Scalar, tuple[str, ...]]:
    """(what a control becomes behind the dynamics that the classes of its actuator give, the names of its states)."""
    law = _law(element)
    if law["dyntype"] == "none":
        return control, ()
    label = tree.building.name(f"{named}_act", "state")
    return _state(label, control, law["dyntype"], law["dynprm"], range_of(element, "act", tree), element,
                  start.next_activation()), (label,)


def _is_servo(law: dict[str, Any]) -> bool:
    """Whether the control, or its integral, is where the length shall be: F = k (u − l) + …."""
    return bool(law["gaintype"] == "fixed" and law["biastype"] == "affine" and law["gainprm"][0] == -law["biasprm"][1]
                and law["dyntype"] in ("none", "integrator"))


def muscle_force(element: Element, prm: np.ndarray, length: Scalar, rate: Scalar) -> tuple[ca.SX, ca.SX]:
    """(force per activation, passive force) of a muscle, positive where they pull."""
    lengthrange = element.numbers("lengthrange", 2)
    if not lengthrange[0] < lengthrange[1]:
        raise element.error(f"lengthrange: {lengthrange[0]:g} must lie below {lengthrange[1]:g}.")
    numbers = lw.muscles.mujoco.MujocoNumbers((prm[0], prm[1]), prm[2], *prm[4:9])
    return lw.muscles.mujoco.force_of(numbers, lengthrange, length, rate)


def muscle_activation(label: str, control: ca.SX, prm: np.ndarray, begins: float) -> ca.SX:
    """The activation of a muscle, a state of its own."""
    a = ca.SX.sym(label)
    rate = lw.muscles.mujoco.activation_rate(a, control, float(prm[0]), float(prm[1]), float(prm[2]))
    announce(Block("activation", label, a, ca.SX(rate), np.array([begins]), {"y": a}))
    return a


def _state(label: str, control: ca.SX, dynamics: str, prm: np.ndarray, bounds: tuple[float, float] | None,
           element: Element, begins: float) -> ca.SX:
    """The activation: an integral of the control, or a filter of first order, which stops at its bounds."""
    if dynamics == "muscle":
        return muscle_activation(label, control, prm, begins)
    kept = {} if bounds is None else {"y_min": bounds[0], "y_max": bounds[1]}
    if dynamics == "integrator":
        return lw.blocks.integrator(control, start=begins, name=label, **kept)
    if not prm[0] > 0:
        raise element.error("the time constant of a filter must be positive (dynprm, timeconst).")
    return lw.blocks.first_order(control, T=prm[0], start=begins, name=label, **kept)


def _damped(law: dict[str, Any], element: Element, tree: Tree, target: Target) -> dict[str, Any]:
    """A servo (b₁ = −g₀) with b₂ > 0 has this share of the critical damping instead: b₂ becomes minus that."""
    bias, stiffness = law["biasprm"], law["gainprm"][0]
    if law["biastype"] != "affine" or bias[2] <= 0 or stiffness != -bias[1] or stiffness <= 0:
        return law
    if not target.moments:
        tree.report.approximate(element, f"dampratio = {bias[2]:g}: known on joints and fixed tendons only, left out")
        damping = 0.0
    else:
        damping = bias[2] * critical_damping(tree, element, stiffness, target.moments)
    return law | {"biasprm": np.array([bias[0], bias[1], -damping, *bias[3:]])}


def _affine(kind: str, prm: np.ndarray, length: Scalar | None, rate: Scalar) -> Scalar:
    """A gain or bias; a length that is not known (None) has no factor, which has been asked before."""
    if kind == "fixed":
        return prm[0]
    return prm[0] + (0.0 if length is None else prm[1] * length) + prm[2] * rate


def _law(element: Element) -> dict[str, Any]:
    """The general law behind a shortcut, on top of what its classes say.

    A class holds a law, not attributes: a <position> of a class that gives <general gainprm="5"/> has kp = 5.  A
    shortcut takes the law of the nearest class whose last word was of its own kind, or a <general>.
    """
    levels: list[tuple[str, str, dict[str, Any]]] = []  # (class, kind, law), the outermost class first
    for source in element.above:
        name = source.parent.attributes.get("class", "main") if source.parent is not None else "main"
        again = bool(levels) and levels[-1][0] == name
        law = _applied(source, _law_for(source.tag, levels))
        levels[len(levels) - again :] = [(name, source.tag, law)]
    law = _applied(element, _law_for(element.tag, levels))
    for key in LAWFUL:
        element.get(key)
    return law


def _law_for(kind: str, levels: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    """The law that an actuator of a kind begins with."""
    gain = {"damper": "affine", "muscle": "muscle"}.get(kind, "fixed")
    fitting = [law for _, last, law in levels
               if kind in ("general", last) or last == "general" and law["gaintype"] == gain]
    return fitting[-1] if fitting else {
        "dyntype": "none", "dynprm": np.eye(10)[0], "gaintype": "fixed", "gainprm": np.eye(10)[0], "biastype": "none",
        "biasprm": np.zeros(10)}


#: attributes that a law is made of
LAWFUL = ("kp", "kv", "dampratio", "timeconst", "area", "diameter", "bias", "dyntype", "gaintype", "biastype", "dynprm",
          "gainprm", "biasprm", "actdim", "class", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax", "range",
          "tausmooth", "ki", "imax", "slewmax", "input", "posrange", "velrange", "ffrange", "motorconst", "resistance",
          "nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre")


def _applied(source: Element, law: dict[str, Any]) -> dict[str, Any]:
    """A law with what one element says on top."""
    law = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in law.items()}

    def own(name: str, default: float | None) -> float | None:
        return source.number(name, default) if name in source.attributes else default

    if source.tag == "general":
        for key in ("dyntype", "gaintype", "biastype"):
            if key in source.attributes:
                law[key] = source.attributes[key]
        for key in ("dynprm", "gainprm", "biasprm"):
            if source.attributes.get(key, "").strip():
                values = source.numbers(key, tuple(range(1, 11)))
                law[key] = np.concatenate([values, law[key][len(values):]])
    elif source.tag == "motor":
        law |= {"gainprm": np.eye(10)[0], "dyntype": "none", "gaintype": "fixed", "biastype": "none"}
    elif source.tag in ("position", "intvelocity"):
        _servo(source, law, own)
    elif source.tag == "velocity":
        kv = own("kv", law["gainprm"][0])
        law |= {"gainprm": kv * np.eye(10)[0], "biasprm": -kv * np.eye(10)[2], "dyntype": "none", "gaintype": "fixed",
                "biastype": "affine"}
    elif source.tag == "damper":
        law |= {"gainprm": -own("kv", -law["gainprm"][2]) * np.eye(10)[2], "dyntype": "none", "gaintype": "affine",
                "biastype": "none"}
    elif source.tag == "muscle":
        if law["gaintype"] != "muscle":
            law |= {"gainprm": np.array([0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0]),
                    "dynprm": np.concatenate([[0.01, 0.04], np.zeros(8)])}
        for place, key in enumerate(("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"), start=2):
            law["gainprm"][place] = own(key, law["gainprm"][place])
        for key, width, into, place in (("range", 2, "gainprm", 0), ("timeconst", 2, "dynprm", 0)):
            if source.attributes.get(key, "").strip():
                law[into][place:place + width] = source.numbers(key, width)
        law["dynprm"][2] = own("tausmooth", law["dynprm"][2])
        law |= {"dyntype": "muscle", "gaintype": "muscle", "biastype": "muscle"}
    elif source.tag == "cylinder":
        area, diameter = own("area", law["gainprm"][0]), own("diameter", None)
        law["gainprm"][0] = area if diameter is None else np.pi / 4 * diameter**2
        law["dynprm"][0] = own("timeconst", law["dynprm"][0])
        if source.attributes.get("bias", "").strip():
            values = source.numbers("bias", (1, 2, 3))
            law["biasprm"][:len(values)] = values
        law |= {"dyntype": "filter", "gaintype": "fixed", "biastype": "affine"}
    return law


def _servo(source: Element, law: dict[str, Any], own: Callable[[str, float | None], float | None]) -> None:
    """<position> and <intvelocity>: force kp (ctrl − l) − kv l̇; a positive last entry stands for a damping ratio."""
    kp, kv, ratio, lag = (own("kp", law["gainprm"][0]), own("kv", None), own("dampratio", None), own("timeconst", None))
    if kv and ratio:
        raise source.error("give kv or dampratio, not both.")
    law["gainprm"][0], law["biasprm"][:2] = kp, (0.0, -kp)
    if kv is not None:
        law["biasprm"][2] = -kv
    if ratio is not None:
        law["biasprm"][2] = ratio
    if lag is not None:
        law["dynprm"][0], law["dyntype"] = lag, "filterexact" if lag else "none"
    if source.tag == "intvelocity":
        law["dyntype"] = "integrator"
    law |= {"gaintype": "fixed", "biastype": "affine"}


def dynamics_of(element: Element) -> str:
    """What kind of activation an actuator has; "none" of most."""
    return element.tag if element.tag in (*CONTROLLED, "orientation") else str(_law(element)["dyntype"])


def depends_on_length(element: Element) -> bool:
    """Whether the force of an actuator follows its length."""
    law = _law(element)
    return any(law[f"{what}type"] == "affine" and law[f"{what}prm"][1] != 0 for what in ("gain", "bias"))


def unknown_law(element: Element) -> str:
    """What of an actuator's law is not known here (muscles, laws of one's own); nothing of most."""
    law = _law(element)
    known = {"dyntype": ("none", "integrator", "filter", "filterexact", "muscle"),
             "gaintype": ("fixed", "affine", "muscle"), "biastype": ("none", "affine", "muscle")}
    if law["gaintype"] == "muscle" and (element.get("lengthrange") is None or law["gainprm"][2] < 0):
        return "the lengthrange or force of a muscle that MuJoCo's compiler works out is not known here; give both"
    return next((f"{key} {law[key]!r} is not known here" for key, names in known.items() if law[key] not in names), "")
