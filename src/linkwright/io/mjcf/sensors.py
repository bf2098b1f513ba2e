"""Sensors as outputs of the model: r["name"]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import clamped, coordinate, speed
from ..markup import Element
from .bodies import Tree
from .tendons import Tendon, one_axis_joint
from .touch_sensors import Touch
from .turning import quaternion

if TYPE_CHECKING:
    from ...language import Frame
    from .actuators import Drive

#: what is measured on rays, cameras and contacts, which have no expression in coordinates
NOT_KNOWN = {"contact": "of contact forces", "rangefinder": "of rays",
             "distance": "of distances between geoms", "normal": "of distances between geoms",
             "fromto": "of distances between geoms", "camprojection": "of a camera", "tactile": "of contact forces",
             "jointlimitpos": "of limits", "jointlimitvel": "of limits", "jointlimitfrc": "of limits",
             "tendonlimitpos": "of limits", "tendonlimitvel": "of limits", "tendonlimitfrc": "of limits",
             "plugin": "of a plugin", "user": "of code of one's own", "insidesite": "of volumes"}
FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel",
          "framelinacc", "frameangacc")
#: what has length one is not cut off
UNIT = ("framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat")


def read_sensors(section: Element, tree: Tree, tendons: dict[str, Tendon], drives: dict[str, Drive]) -> None:
    """All of a <sensor> section; kinds that are not known are noted as ignored."""
    for k, element in enumerate(section.all()):
        name = element.get("name") or f"{element.tag}_{k + 1}"
        for key in ("noise", "user", "nsample", "interp", "interval"):
            element.get(key)
        if element.number("delay", 0.0) > 0:
            tree.report.approximate(element, "it tells the present, in the file what was "
                                             f"{element.number('delay'):g} s before")
        cutoff = element.number("cutoff", 0.0)
        if element.tag == "touch":
            tree.touches.append(_touch(element, name, tree, cutoff))
            continue
        value = None if element.tag in NOT_KNOWN else _value(element, tree, tendons, drives)
        if value is None:
            kind = NOT_KNOWN.get(element.tag, "of this kind, or on this object,")
            tree.report.ignore(element, f"a sensor {kind} is not known here; it changes no motion")
            continue
        if cutoff > 0 and element.tag not in UNIT:
            entries = ca.vertsplit(ca.SX(value)) if ca.SX(value).numel() > 1 else [value]
            value = ca.vertcat(*[clamped(entry, -cutoff, cutoff) for entry in entries])
        free = tree.building.name(name, "sensor")
        tree.building.model.output(free, value)
        tree.report.names.setdefault("sensor", {})[name] = free


def _touch(element: Element, name: str, tree: Tree, cutoff: float) -> Touch:
    site = element.need("site")
    if site not in tree.parts.sites:
        raise element.error(f"there is no site {site!r}.")
    return Touch(element, name, site, cutoff)


def _value(element: Element, tree: Tree, tendons: dict[str, Tendon], drives: dict[str, Drive]) -> ca.SX | None:
    tag = element.tag
    if tag in ("jointpos", "jointvel", "jointactuatorfrc"):
        joint = one_axis_joint(tree, element, element.need("joint"))
        return {"jointpos": lambda: coordinate(joint.component), "jointvel": lambda: speed(joint.component),
                "jointactuatorfrc": lambda: joint.effort}[tag]()
    if tag in ("ballquat", "ballangvel"):
        joint = tree.parts.joints.get(element.need("joint"))
        if joint is None or joint.kind != "ball":
            raise element.error(f"there is no ball joint {element.get('joint')!r}.")
        ball = joint.component
        return ball.w_rel_b if tag == "ballangvel" else quaternion(ball.frame_a.R_WF.T @ ball.frame_b.R_WF)
    if tag in ("tendonpos", "tendonvel"):
        tendon = tendons.get(element.need("tendon"))
        return tendon and (tendon.length if tag == "tendonpos" else tendon.rate)
    if tag in ("actuatorpos", "actuatorvel", "actuatorfrc"):
        drive = drives.get(element.need("actuator"))
        return drive and {"actuatorpos": drive.length, "actuatorvel": drive.rate, "actuatorfrc": drive.force}[tag]
    if tag in ("gyro", "velocimeter", "accelerometer", "magnetometer"):
        return _at_site(tree.site_frame(element, element.need("site")), tag, tree)
    if tag in ("force", "torque"):
        return _between(element, tree)
    if tag in FRAMES:
        return _of_frame(element, tree)
    if tag in ("subtreecom", "subtreelinvel", "subtreeangmom"):
        return of_subtree(element, tree, tag)
    return lw.time if tag == "clock" else None


def _at_site(frame: Frame, tag: str, tree: Tree) -> ca.SX:
    """What is fixed to a site, in its axes."""
    if tag == "gyro":
        return frame.w
    if tag == "magnetometer":
        return frame.R_WF.T @ np.array(tree.settings.magnetic)
    return frame.R_WF.T @ (frame.v_0 if tag == "velocimeter" else frame.a_0 - np.array(tree.settings.gravity))


def _between(element: Element, tree: Tree) -> ca.SX | None:
    """The force, or the torque about a site, that its body receives from its parent, in the axes of the site."""
    site = tree.site_frame(element, element.need("site"))
    cut = tree.parts.bodies[tree.parts.sites[element.need("site")].body].cut
    if cut is None:
        return None  # the ground receives nothing
    at = cut.frame_a
    if element.tag == "force":
        return site.R_WF.T @ at.R_WF @ cut.force
    return site.R_WF.T @ (at.R_WF @ cut.torque + ca.cross(at.r_0 - site.r_0, at.R_WF @ cut.force))


def _of_frame(element: Element, tree: Tree) -> ca.SX | None:
    """A frame, seen from the world or from another frame: velocities as an observer there sees them."""
    tag, frame = element.tag, _frame(element, tree, "obj")
    if frame is None:
        return None
    seen = _frame(element, tree, "ref") if element.get("refname") is not None else None
    if element.get("refname") is not None and (seen is None or tag in ("framelinacc", "frameangacc")):
        return None
    R = np.eye(3) if seen is None else seen.R_WF.T
    away = frame.r_0 if seen is None else frame.r_0 - seen.r_0
    if tag == "framepos":
        return R @ away
    if tag == "framequat":
        return quaternion(R @ frame.R_WF)
    if tag in ("framexaxis", "frameyaxis", "framezaxis"):
        return R @ frame.R_WF[:, "xyz".index(tag[5])]
    if tag == "framelinvel":
        return R @ (frame.v_0 if seen is None else frame.v_0 - seen.v_0 - ca.cross(seen.R_WF @ seen.w, away))
    if tag == "frameangvel":
        return R @ (frame.R_WF @ frame.w - (0.0 if seen is None else seen.R_WF @ seen.w))
    return frame.a_0 - np.array(tree.settings.gravity) if tag == "framelinacc" else frame.R_WF @ frame.z


def _frame(element: Element, tree: Tree, which: str) -> Frame | None:
    kind, name = element.need(f"{which}type"), element.need(f"{which}name")
    if kind == "site":
        return tree.site_frame(element, name)
    if kind in ("body", "xbody"):
        if name not in tree.parts.bodies:
            raise element.error(f"there is no body {name!r}.")
        place = tree.parts.bodies[name]
        if kind == "xbody" or place.component is None:
            return place.frame
        X = place.inertial
        if X is None:
            if element.tag not in ("framepos", "framelinvel", "frameangvel", "framelinacc", "frameangacc"):
                return None  # the axes are the principal ones, which have no order of their own
            X = lw.Transform(None, place.component.r_cm)
        return tree.building.placed(place.frame, X, f"{name}_centre")
    if kind == "geom" and name in tree.parts.geoms:
        place = tree.parts.geoms[name]
        body = tree.parts.bodies[place.body]
        return tree.building.placed(body.frame, body.X.inverse() @ place.X, f"{name}_frame")
    return None


def of_subtree(element: Element, tree: Tree, tag: str) -> ca.SX | None:
    """Of a body and all behind it: centre of mass Σ m r / Σ m, its velocity, angular momentum about it."""
    top = element.need("body")
    if top not in tree.parts.bodies:
        raise element.error(f"there is no body {top!r}.")
    inside, parts = {top}, []
    for name, place in tree.parts.bodies.items():
        if name == top or place.parent in inside:
            inside.add(name)
            if place.component is not None and float(place.component.m) > 0:
                body, frame = place.component, place.frame
                c = np.asarray(body.r_cm, dtype=float)
                parts.append((float(body.m), frame.r_0 + frame.R_WF @ c,
                              frame.v_0 + frame.R_WF @ (np.cross(np.eye(3), c).T @ frame.w),
                              frame.R_WF @ (np.asarray(body.inertia, dtype=float) @ frame.w)))
    total = sum(m for m, *_ in parts)
    if not total:
        return None
    centre, velocity = (sum(part[0] * part[k] for part in parts) / total for k in (1, 2))
    if tag == "subtreecom":
        return centre
    if tag == "subtreelinvel":
        return velocity
    return sum(spin + m * ca.cross(r - centre, v - velocity) for m, r, v, spin in parts)
