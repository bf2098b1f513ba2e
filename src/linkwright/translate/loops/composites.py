"""Joints made of others whose axes meet in a point: two revolutes are a universal joint, three a ball, and so is a
revolute with a universal joint.

The parts between them may have mass.  A universal joint of two axes z₁ and z₂ has its frames in the point where they
meet, x along z₁ on its first part and y along z₂ on its last, so that its motion is Rx(a) Rz(δ) Ry(b) with
sin δ = −z₁·z₂, zero for axes at right angles (`closed_forms.universal`).  Of a ball the first or last revolute is cut;
the others then turn its axis into place.
"""

from __future__ import annotations

import numpy as np

from ...algebra import Transform, is_symbolic
from ..tolerances import CROSSING, RIGHT
from .clusters import Link, Ring, Side, Step
from .ring_kinds import Geometry


def composites(links: list[Link], geometry: Geometry) -> list[Link]:
    """The universal joints and balls that joints among the links make."""
    revolutes = [link for link in links if link.letter == "R"]
    order = {id(link): k for k, link in enumerate(revolutes)}
    leaving: dict[int, list[Step]] = {}
    for link in revolutes:
        for backwards in (False, True):
            step = link.seen(backwards)
            leaving.setdefault(id(step.near.group), []).append(step)
    universals = [made for steps in leaving.values() for step in steps for other in leaving[id(step.far.group)]
                  if other.link is not step.link and (made := universal(step, other, geometry)) is not None]
    found = [*universals]
    for one in universals:
        for other in universals:
            if one.chain[1].link is other.chain[0].link and one.chain[1].backwards == other.chain[0].backwards:
                found += _ball(one, other, geometry)
    # every chain was met from both ends
    found = [made for made in found if order[id(made.joints[0])] < order[id(made.joints[-1])]]
    for link in links:
        if link.letter == "U":
            for backwards in (False, True):
                step = link.seen(backwards)
                found += [ball for other in leaving.get(id(step.far.group), ())
                          if (ball := _with_revolute(step, other, geometry)) is not None]
    return found


def universal(first: Step, second: Step, geometry: Geometry) -> Link | None:
    """Two revolutes at one part as a universal joint, if their axes meet."""
    X = first.far.X.inverse() @ second.near.X  # of the second axis in axes with z along the first
    if is_symbolic(X.R):
        return None
    x, y, cosine = X.R[:, 2]
    sine = np.hypot(x, y)
    if sine < CROSSING or not geometry.vanishes((X.p[0] * y - X.p[1] * x) / sine):
        return None
    height = X.p[2] - (X.p[0] * x + X.p[1] * y) / sine**2 * cosine
    cross = Transform(np.column_stack([[0, 0, 1], [x / sine, y / sine, 0], [-y / sine, x / sine, 0]]),
                      [0, 0, height])
    cosine = 0.0 if abs(cosine) < RIGHT else float(cosine)
    turned = cross @ Transform(np.array([[sine, cosine, 0], [-cosine, sine, 0], [0, 0, 1]]))
    return Link(first.link.component, Side(first.near.group, first.near.X @ cross),
                Side(second.far.group, second.far.X @ (X.inverse() @ turned)), "U", chain=(first, second),
                cosine=cosine)


def _ball(one: Link, other: Link, geometry: Geometry) -> list[Link]:
    """Two universal joints that share a revolute as a ball, if they have one centre."""
    first, second, third = *one.chain, other.chain[1]
    if third.link is first.link:
        return []
    # how far above its frames the first and the third axis meet the second
    apart = second.far.X.inverse() @ one.b.X.p - second.near.X.inverse() @ other.a.X.p
    if not geometry.vanishes(apart[2]):
        return []
    return [Link(first.link.component, one.a, other.b, "S", chain=(first, second, third))]


def _with_revolute(first: Step, second: Step, geometry: Geometry) -> Link | None:
    """A universal joint and a revolute through its centre, beyond it, as a ball."""
    X = second.near.X.inverse() @ first.far.X  # of the universal joint in axes with z along the revolute
    if is_symbolic(X.R) or not (geometry.vanishes(X.p[0]) and geometry.vanishes(X.p[1])):
        return None
    axis = X.R[:, 0 if first.backwards else 1]  # of the universal joint, on the part between
    if np.hypot(axis[0], axis[1]) < CROSSING:
        return None
    centre = second.far.X @ Transform(None, [0, 0, X.p[2]])
    return Link(first.link.component, first.near, Side(second.far.group, centre), "S", chain=(first, second))


def axes(ball: Link, cut: Link, geometry: Geometry) -> Ring:
    """The ring that gives the joints of a ball that are not cut."""
    chain = list(ball.chain)
    if cut is chain[0].link:
        chain = [step.reversed() for step in reversed(chain)]
    *others, last = chain
    turning = others[0]
    if len(others) == 2:
        both = universal(others[0], others[1], geometry)
        assert both is not None, "the axes of a ball meet"
        turning = both.seen(False)
    return Ring("axes", [turning, last], cut)
