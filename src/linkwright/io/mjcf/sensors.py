"""Sensors as outputs of the model: r["name"]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import coordinate, speed
from ..markup import Element
from .bodies import Tree
from .tendons import Tendon, one_axis_joint

if TYPE_CHECKING:
    from ...language import Frame

OF_FRAMES = {
    "framepos": lambda f: f.r_0,
    "framexaxis": lambda f: f.R_WF[:, 0],
    "frameyaxis": lambda f: f.R_WF[:, 1],
    "framezaxis": lambda f: f.R_WF[:, 2],
    "framelinvel": lambda f: f.v_0,
    "frameangvel": lambda f: f.R_WF @ f.w,
}


def read_sensors(section: Element, tree: Tree, tendons: dict[str, Tendon], drives: dict[str, dict]) -> None:
    """All of a <sensor> section; kinds that are not known are noted as ignored."""
    for k, element in enumerate(section.all()):
        name = element.get("name") or f"{element.tag}_{k + 1}"
        for key in ("noise", "cutoff", "user", "nsample", "interp", "delay", "interval"):
            element.get(key)
        value = _value(element, tree, tendons, drives)
        if value is None:
            tree.report.ignore(element, f"a sensor of the kind {element.tag} is not known here")
        else:
            tree.building.model.output(tree.building.name(name, "sensor"), value)


def _value(element: Element, tree: Tree, tendons: dict[str, Tendon], drives: dict[str, dict]) -> ca.SX | None:
    tag = element.tag
    if tag in ("jointpos", "jointvel"):
        joint = one_axis_joint(tree, element, element.need("joint")).component
        return coordinate(joint) if tag == "jointpos" else speed(joint)
    if tag in ("tendonpos", "tendonvel"):
        tendon = tendons.get(element.need("tendon"))
        return tendon and (tendon.length if tag == "tendonpos" else tendon.rate)
    if tag in ("actuatorpos", "actuatorvel", "actuatorfrc"):
        drive = drives.get(element.need("actuator"))
        return drive and drive[{"actuatorpos": "length", "actuatorvel": "rate", "actuatorfrc": "force"}[tag]]
    if tag in ("gyro", "velocimeter", "accelerometer"):
        frame = tree.site_frame(element, element.need("site"))
        if tag == "gyro":
            return frame.w
        if tag == "velocimeter":
            return frame.R_WF.T @ frame.v_0
        return frame.R_WF.T @ (frame.a_0 - np.array(tree.settings.gravity))
    if tag in OF_FRAMES and element.get("refname") is None:
        frame = _frame(element, tree)
        return None if frame is None else OF_FRAMES[tag](frame)
    if tag in ("subtreecom", "subtreelinvel"):
        return _of_subtree(element, tree, tag)
    if tag == "clock":
        return lw.time
    return None


def _frame(element: Element, tree: Tree) -> Frame | None:
    kind, name = element.need("objtype"), element.need("objname")
    if kind == "site":
        return tree.site_frame(element, name)
    if kind in ("body", "xbody"):
        if name not in tree.parts.bodies:
            raise element.error(f"there is no body {name!r}.")
        place = tree.parts.bodies[name]
        if kind == "xbody" or place.component is None:
            return place.frame
        if element.tag not in ("framepos", "framelinvel", "frameangvel"):
            return None  # the axes are the principal ones, which have no order of their own
        return tree.building.placed(place.frame, lw.Transform(None, place.component.r_cm), f"{name}_centre")
    if kind == "geom" and name in tree.parts.geoms:
        place = tree.parts.geoms[name]
        body = tree.parts.bodies[place.body]
        return tree.building.placed(body.frame, body.X.inverse() @ place.X, f"{name}_frame")
    return None


def _of_subtree(element: Element, tree: Tree, tag: str) -> ca.SX | None:
    """Centre of mass of a body and all behind it, or its velocity: Σ m r / Σ m."""
    top = element.need("body")
    if top not in tree.parts.bodies:
        raise element.error(f"there is no body {top!r}.")
    inside, total, value = {top}, 0.0, 0.0
    for name, place in tree.parts.bodies.items():
        if name == top or place.parent in inside:
            inside.add(name)
            if place.component is None:
                continue
            body, frame = place.component, place.frame
            m, c = float(body.m), np.asarray(body.r_cm, dtype=float)
            arm = frame.R_WF @ c if tag == "subtreecom" else frame.R_WF @ np.cross(np.eye(3), c).T @ frame.w
            value = value + m * ((frame.r_0 if tag == "subtreecom" else frame.v_0) + arm)
            total += m
    return None if total == 0 else value / total
