"""The force of an actuator: F = gain · (ctrl or act) + bias, between bounds.

    gain = g₀ + g₁ l + g₂ l̇,     bias = b₀ + b₁ l + b₂ l̇,     l the length of what it drives

An activation act is an integral of the control, or the control behind a filter of first order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ..markup import Element

if TYPE_CHECKING:
    from .bodies import Tree
    from .keyframes import Start


def force_of(element: Element, name: str, tree: Tree, length: Scalar | None, rate: Scalar,
             start: Start) -> tuple[object, str, str | None]:
    """(the force of an actuator as an expression of its input, the name of that input, and of its activation)."""
    law = _law(element)
    named = tree.building.name(name, "control")
    control = tree.building.model.input(named, start.next_control())
    bounds = _range(element, "ctrl", tree)
    if bounds is not None:
        control = clamped(control, *bounds)
    dynamics, prm, label = law["dyntype"], law["dynprm"], None
    if dynamics != "none":
        label = tree.building.name(f"{named}_act", "state")
        control = _state(label, control, dynamics, prm, _range(element, "act", tree), element, start.next_activation())
    force = _affine(law["gaintype"], law["gainprm"], length, rate) * control
    if law["biastype"] != "none":
        force = force + _affine(law["biastype"], law["biasprm"], length, rate)
    bounds = _range(element, "force", tree)
    return (force if bounds is None else clamped(force, *bounds)), named, label


def _state(label: str, control: ca.SX, dynamics: str, prm: np.ndarray, bounds: tuple[float, float] | None,
           element: Element, begins: float) -> ca.SX:
    """The activation: an integral of the control, or a filter of first order, which stops at its bounds."""
    kept = {} if bounds is None else {"y_min": bounds[0], "y_max": bounds[1]}
    if dynamics == "integrator":
        return lw.blocks.integrator(control, start=begins, name=label, **kept)
    if not prm[0] > 0:
        raise element.error("the time constant of a filter must be positive (dynprm, timeconst).")
    return lw.blocks.first_order(control, T=prm[0], start=begins, name=label, **kept)


def clamped(x: Scalar, low: float, high: float) -> ca.SX:
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


def _affine(kind: str, prm: np.ndarray, length: Scalar | None, rate: Scalar) -> Scalar:
    """A gain or bias; a length that is not known (None) has no factor, which has been asked before."""
    if kind == "fixed":
        return prm[0]
    return prm[0] + (0.0 if length is None else prm[1] * length) + prm[2] * rate


def _padded(element: Element, name: str, default: Sequence[float]) -> np.ndarray:
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


def depends_on_length(element: Element) -> bool:
    """Whether the force of an actuator follows its length."""
    law = _law(element)
    return any(law[f"{what}type"] == "affine" and law[f"{what}prm"][1] != 0 for what in ("gain", "bias"))


def unknown_law(element: Element) -> str:
    """What of an actuator's law is not known here (muscles, laws of one's own); nothing of most."""
    law = _law(element)
    known = {"dyntype": ("none", "integrator", "filter", "filterexact"), "gaintype": ("fixed", "affine"),
             "biastype": ("none", "affine")}
    return next((f"{key} {law[key]!r} is not known here" for key, names in known.items() if law[key] not in names), "")
