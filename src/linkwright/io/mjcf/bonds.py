"""Equality constraints: exact loops and couplings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ..building import coordinate
from ..markup import Element
from ..rotations import from_quaternion
from ..tolerances import DIGITS, SMALLEST
from .bodies import Place, Tree
from .tendons import Tendon, one_axis_joint

if TYPE_CHECKING:
    from ...language import Component, Frame


def read_bonds(section: Element, tree: Tree, tendons: dict[str, Tendon]) -> None:
    """All of an <equality> section; what is not active is left out."""
    readers = {"connect": _connect, "weld": _weld, "joint": _joint, "tendon": _tendon}
    for k, element in enumerate(section.all()):
        if element.tag not in readers:
            tree.report.ignore(element, f"an equality of the kind {element.tag} is not known here")
            continue
        tree.classes.settle(element, tag="equality")
        for key in ("solref", "solimp", "torquescale"):
            element.get(key)
        name = element.get("name") or f"{element.tag}_{k + 1}"
        if not tree.settings.bonds or not element.flag("active", True):
            element.leave()
            tree.report.remark(element, "not active, and left out")
            continue
        constraint = readers[element.tag](element, name, tree, tendons)
        if constraint is not None:
            tree.building.add(name, constraint)


def _body(element: Element, key: str, tree: Tree) -> Place:
    name = element.get(key) or "world"
    if name not in tree.parts.bodies:
        raise element.error(f"there is no body {name!r}.")
    return tree.parts.bodies[name]


def _sites(element: Element, tree: Tree) -> tuple[Frame, ...] | None:
    """The frames of site1 and site2, or None where bodies are given."""
    if element.get("site1") is None:
        return None
    return tuple(tree.site_frame(element, element.need(key)) for key in ("site1", "site2"))


def _between(constraint: Component, frames: Sequence[Frame], name: str, tree: Tree) -> None:
    tree.building.add(name, constraint)
    tree.building.model.connect(frames[0], constraint.frame_a)
    tree.building.model.connect(frames[1], constraint.frame_b)


def _connect(element: Element, name: str, tree: Tree, tendons: dict[str, Tendon]) -> None:
    """A point of one body stays on a point of another, where both are in the pose the file draws.

    Sites that the digits of the file leave a little apart are one point: several such loops could not close together.
    """
    frames = _sites(element, tree)
    if frames is not None:
        first, second = (tree.parts.sites[element.need(key)] for key in ("site1", "site2"))
        gap = float(np.linalg.norm(first.X.p - second.X.p))
        if SMALLEST < gap < DIGITS:
            tree.report.remark(element, f"its sites are {gap:.2g} m apart as drawn, the file's rounding; taken as one")
            body = tree.parts.bodies[second.body]
            at = lw.Transform(None, body.X.inverse() @ first.X.p)
            frames = frames[0], tree.building.placed(body.frame, at, f"{name}_anchor")
    if frames is None:
        element.need("anchor")
        first, second = _body(element, "body1", tree), _body(element, "body2", tree)
        anchor = element.numbers("anchor", 3)
        other = second.X.inverse() @ (first.X @ anchor)
        frames = (tree.building.placed(first.frame, lw.Transform(None, anchor), f"{name}_anchor"),
                  tree.building.placed(second.frame, lw.Transform(None, other), f"{name}_anchor"))
    _between(lw.constraints.Ball(), frames, name, tree)


def _weld(element: Element, name: str, tree: Tree, tendons: dict[str, Tendon]) -> None:
    """Two bodies keep their relative pose: as the file draws it, or as relpose says."""
    frames = _sites(element, tree)
    if frames is None:
        first, second = _body(element, "body1", tree), _body(element, "body2", tree)
        relative = element.numbers("relpose", 7, (0, 1, 0, 0, 0, 0, 0))
        anchor = element.numbers("anchor", 3, (0, 0, 0))
        if np.any(relative[3:]):
            X = lw.Transform(from_quaternion(element, relative[3:]), relative[:3])
        else:
            X = first.X.inverse() @ second.X @ lw.Transform(None, anchor)
        frames = (tree.building.placed(first.frame, X, f"{name}_anchor"),
                  tree.building.placed(second.frame, lw.Transform(None, anchor), f"{name}_anchor"))
    _between(lw.constraints.Weld(), frames, name, tree)


def polynomial(coefficients: Sequence[float], x: Scalar) -> Scalar:
    """Σ aₖ xᵏ."""
    return sum(a * x**k if k else a for k, a in enumerate(coefficients) if a or not k)


def _joint(element: Element, name: str, tree: Tree, tendons: dict[str, Tendon]) -> lw.constraints.CoordinateCoupler:
    """y − y₀ = a₀ + a₁ (x − x₀) + … of two joints, both counted from their reference values."""
    first = one_axis_joint(tree, element, element.need("joint1"))
    coefficients = element.numbers("polycoef", (1, 2, 3, 4, 5), (0, 1, 0, 0, 0))
    y = coordinate(first.component) - first.ref
    if element.get("joint2") is None:
        return lw.constraints.CoordinateCoupler(function=y - coefficients[0])
    second = one_axis_joint(tree, element, element.get("joint2"))
    x = coordinate(second.component) - second.ref
    return lw.constraints.CoordinateCoupler(function=y - polynomial(coefficients, x))


def _tendon(element: Element, name: str, tree: Tree,
            tendons: dict[str, Tendon]) -> lw.constraints.CoordinateCoupler | None:
    """The same of the lengths of two tendons."""
    pair = [element.need("tendon1"), element.get("tendon2")]
    if any(tendon is not None and tendon not in tendons for tendon in pair):
        tree.report.ignore(element, "a tendon of it is not known here")
        return None
    coefficients = element.numbers("polycoef", (1, 2, 3, 4, 5), (0, 1, 0, 0, 0))
    first = tendons[pair[0]]
    y = first.length - first.drawn
    if pair[1] is None:
        return lw.constraints.CoordinateCoupler(function=y - coefficients[0])
    x = tendons[pair[1]].length - tendons[pair[1]].drawn
    return lw.constraints.CoordinateCoupler(function=y - polynomial(coefficients, x))
