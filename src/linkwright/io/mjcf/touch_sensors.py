"""Touch sensors: the sum of what presses on a body within the volume of a site.

A contact counts where the ray from its point along the normal, out of the body, meets the volume (always where the
point lies inside).  Over the ray's parameter t each volume is an interval, of a capsule those of its three parts

    ball, ellipsoid   |o + t d|² ≤ 1  with place o and direction d over the radii
    cylinder          the same across the axis, |z| ≤ h along it
    box               |x| ≤ a, |y| ≤ b, |z| ≤ c

and the ray meets it if the interval reaches beyond t = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import clamped
from ..markup import Element
from ..shapes import SolidShape
from ..tolerances import NO_TURN_SQUARED

if TYPE_CHECKING:
    from ...language import Frame
    from ..touching import Touching
    from .bodies import Tree


@dataclass(frozen=True, eq=False)
class Touch:
    """A touch sensor of the file: its element, name and site."""

    element: Element
    name: str
    site: str
    cutoff: float


def felt_bodies(tree: Tree) -> set[str]:
    """The bodies whose contacts are measured, or pull."""
    return {tree.parts.sites[touch.site].body for touch in tree.touches} | {one.body for one in tree.adhesions}


def add_touch_sensors(tree: Tree, touching: Touching) -> None:
    """An output for each touch sensor; nothing presses where no contact was asked for."""
    if tree.touches and tree.contact is None:
        tree.report.remark(tree.touches[0].element, "no contacts were asked for (contact=\"file\"), so that touch "
                           f"sensors read zero{f', {len(tree.touches)} in all' if len(tree.touches) > 1 else ''}")
    on = {id(surface.part): surface.body for surface in tree.parts.surfaces}
    for touch in tree.touches:
        body, total = tree.parts.sites[touch.site].body, ca.SX(0)
        left = [f"{a.path}/{b.path}" for a, b in touching.left if body in (on.get(id(a)), on.get(id(b)))]
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            tree.report.approximate(touch.element, f"it does not measure {left[0]}{more}: too many points, or points "
                                                   "that are searched for")
        for pair in touching.made:
            for shape, side in ((pair.a, 1), (pair.b, -1)):
                if on.get(id(shape)) == body:
                    total = total + _felt(tree, touch, pair, side)
        free = tree.building.name(touch.name, "sensor")
        tree.building.model.output(free, total if touch.cutoff <= 0 else clamped(total, 0.0, touch.cutoff))
        tree.report.names.setdefault("sensor", {})[touch.name] = free


def _felt(tree: Tree, touch: Touch, pair: lw.contact.Pair, side: int) -> ca.SX:
    """What presses at the points of one pair within the volume of a site; the normal points from a (1) to b (−1)."""
    frame, total, count = tree.site_frame(touch.element, touch.site), ca.SX(0), pair.n_points
    volume = tree.parts.volumes[touch.site]
    for k in range(count):
        presses, rubs = pair.f_n if count == 1 else pair.f_n[k], pair.f_t if count == 1 else pair.f_t[k, :].T
        point, force = (pair.symbol(f"{what}_{k}", (3,)) for what in ("point", "force"))
        reaches = _reach(volume, frame, point, side * (force - rubs))
        total = total + ca.if_else(ca.fmin(presses, reaches) > 0, presses, 0)
    return total


def _reach(volume: SolidShape, frame: Frame, point: ca.SX, along: ca.SX) -> ca.SX:
    """How far along a ray the volume of a site reaches beyond its beginning; not positive where it misses."""
    o, d = frame.R_WF.T @ (point - frame.r_0), frame.R_WF.T @ along
    return _greatest(*[high - ca.fmax(low, 0) for low, high in _spans(volume, o, d / _size(d))])


def _spans(volume: SolidShape, o: ca.SX, d: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """The intervals of the ray o + t d inside the parts of a volume; of none the end lies before the beginning."""
    if volume.kind == "box":
        return [_common(*[_slab(o[k], d[k], volume.size[k] / 2) for k in range(3)])]
    if volume.kind in ("sphere", "ellipsoid"):
        radii = np.array(volume.size if len(volume.size) == 3 else volume.size * 3)
        return [_ball(o / radii, d / radii)]
    radius, half = volume.size[0], volume.size[1] / 2
    tube = _common(_ball(o[:2] / radius, d[:2] / radius), _slab(o[2], d[2], half))
    if volume.kind == "cylinder":
        return [tube]
    ends = [_ball((o - ca.DM([0, 0, end])) / radius, d / radius) for end in (half, -half)]
    return [tube, *ends]


def _ball(o: ca.SX, d: ca.SX) -> tuple[ca.SX, ca.SX]:
    a, b, c = ca.dot(d, d) + NO_TURN_SQUARED, ca.dot(o, d), ca.dot(o, o) - 1
    root = b * b - a * c
    half = ca.sqrt(ca.fmax(root, 0))
    return (-b - half) / a, ca.if_else(root < 0, -1, (-b + half) / a)


def _slab(o: ca.SX, d: ca.SX, half: float) -> tuple[ca.SX, ca.SX]:
    slope = d + ca.if_else(d < 0, -1, 1) * np.sqrt(NO_TURN_SQUARED)
    first, last = (-half - o) / slope, (half - o) / slope
    return ca.fmin(first, last), ca.fmax(first, last)


def _common(*spans: tuple[ca.SX, ca.SX]) -> tuple[ca.SX, ca.SX]:
    return _greatest(*[low for low, _ in spans]), -_greatest(*[-high for _, high in spans])


def _greatest(*values: ca.SX) -> ca.SX:
    found = values[0]
    for value in values[1:]:
        found = ca.fmax(found, value)
    return found


def _size(v: ca.SX) -> ca.SX:
    return ca.sqrt(ca.dot(v, v) + NO_TURN_SQUARED)
