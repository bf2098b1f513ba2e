"""The closed form of a ring of joints: which formula, of which poses, for which coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ...algebra import Scalar, Transform, axis_frame, rotation_x
from ...mechanism import Closure, Complex, Named, closed_forms
from .clusters import Link, Ring, Side

if TYPE_CHECKING:
    from ...language import Component, PartsList
    from ..bodies import Bodies
    from ..definitions import Definitions
    from ..tree import Tree

PLANAR = {"RRR": closed_forms.rrr, "RRP": closed_forms.rrp, "RPR": closed_forms.rpr, "PRP": closed_forms.prp,
          "RPP": closed_forms.rpp}
SPATIAL = {"UPS": closed_forms.ups, "URS": closed_forms.urs,
           "USR": partial(closed_forms.usx, "R"), "USP": partial(closed_forms.usx, "P"),
           "SUR": partial(closed_forms.sux, "R"), "SUP": partial(closed_forms.sux, "P")}
#: how many signs choose among the solutions
BRANCHES = {"RRR": 1, "RRP": 1, "RPR": 1, "PRP": 0, "RPP": 0, "SSR": 1, "SSP": 1, **dict.fromkeys(SPATIAL, 2),
            "axes": 1}
SAME = Transform()


def solve(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform], signs: Sequence[Scalar],
          distance: Callable[[Component], Scalar]) -> tuple[list[tuple[Link, tuple]], Scalar]:
    """([(joint, its coordinates)] of a ring but for the joint that is cut, discriminant), from numbers or symbols.

    `pose(side, X, other, Y)` gives the pose of frame Y at a joint's other side in frame X at a joint's side,
    `distance(component)` the length of a rod.
    """
    if ring.pattern in PLANAR:
        values, discriminant = _planar(ring, pose, signs)
    elif ring.pattern in SPATIAL:
        values, discriminant = _spatial(ring, pose, signs)
    elif ring.pattern == "axes":
        values, discriminant = _axes(ring, pose, signs)
    else:
        values, discriminant = _rod(ring, pose, signs, distance)
    return [pair for step, value in zip(ring.steps, values, strict=True) if value is not None
            for pair in _shared(step.link, value) if pair[0] is not ring.cut], discriminant


def _shared(link: Link, value: tuple) -> list[tuple[Link, tuple]]:
    """Coordinates of a joint, or of the revolutes that it is made of."""
    if not link.chain:
        return [(link, value)]
    return [(step.link, (-part if step.backwards else part,)) for step, part in zip(link.chain, value, strict=True)]


def _planar(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform],
            signs: Sequence[Scalar]) -> tuple[list[tuple], Scalar]:
    """In a plane: axes with z along the normal, and x along a slide."""
    axes = [tuple(_in_plane(step.link.letter, n) for n in normals)
            for step, normals in zip(ring.steps, ring.normals, strict=True)]
    poses = [(Complex(X.R[0, 0], X.R[1, 0]), Complex(X.p[0], X.p[1])) for X in _around(ring, pose, axes)]
    values, discriminant = PLANAR[ring.pattern](*poses, *signs)
    # a joint counts the other way where its axis is opposite to the normal
    opposite = [step.link.letter == "R" and n[0][2] < 0 for step, n in zip(ring.steps, ring.normals, strict=True)]
    return [(-value if step.backwards != over else value,)
            for step, value, over in zip(ring.steps, values, opposite, strict=True)], discriminant


def _spatial(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform],
             signs: Sequence[Scalar]) -> tuple[list[tuple | None], Scalar]:
    turning = next(step for step in ring.steps if step.link.letter == "U")
    poses = _around(ring, pose, [(SAME, SAME)] * 3)
    values, discriminant = SPATIAL[ring.pattern](*poses, signs, turning.backwards, turning.link.cosine)
    return [value if isinstance(value, tuple) or value is None else (-value if step.backwards else value,)
            for step, value in zip(ring.steps, values, strict=True)], discriminant


def _axes(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform],
          signs: Sequence[Scalar]) -> tuple[list[tuple | None], Scalar]:
    """Two joints of a ball turn the axis of the third into its place."""
    turning, third = ring.steps
    p, w = pose(turning.near, SAME, third.far, SAME).R[:, 2], pose(turning.far, SAME, third.near, SAME).R[:, 2]
    (sign,) = signs
    angles, discriminant = closed_forms.universal(p, w, sign, turning.backwards, turning.link.cosine)
    return [angles, None], discriminant


def _rod(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform], signs: Sequence[Scalar],
         distance: Callable[[Component], Scalar]) -> tuple[list[tuple | None], Scalar]:
    """A rod from a point beside the joint's near frame to one beside its far frame."""
    rod, joint = ring.steps
    c, m = pose(joint.near, SAME, rod.near, SAME).p, pose(joint.far, SAME, rod.far, SAME).p
    form = closed_forms.meet_circle if joint.link.letter == "R" else closed_forms.meet_line
    _, value, discriminant = form(c, m, distance(rod.link.component), *signs)
    return [None, (-value if joint.backwards else value,)], discriminant


def _around(ring: Ring, pose: Callable[[Side, Transform, Side, Transform], Transform],
            axes: list[tuple[Transform, Transform]]) -> list[Transform]:
    """X, D₁, D₂ of a ring, with the axes that the form uses at every joint (near, far)."""
    first, second, third = ring.steps
    (near1, far1), (near2, far2), (near3, far3) = axes
    return [pose(first.near, near1, third.far, far3), pose(first.far, far1, second.near, near2),
            pose(second.far, far2, third.near, near3)]


def _in_plane(letter: str, n: np.ndarray) -> Transform:
    """Axes at a joint (in the joint's own) with z along the normal n, and x along the slide of a prismatic joint."""
    if letter == "P":
        z = np.array([0.0, 0.0, 1.0])
        return Transform(np.column_stack([z, np.cross(n, z), n]))
    if letter == "S":
        return Transform(axis_frame(n))
    return SAME if n[2] > 0 else Transform(rotation_x(np.pi))


# --- in symbols

def closures(plan: PartsList, tree: Tree, bodies: Bodies,
             definitions: Definitions) -> tuple[list[Closure], list[Named]]:
    """The closed forms of a translation's rings, and the branches they have."""
    found = [_closure(ring, plan, bodies, definitions) for ring in tree.rings]
    return [closure for closure, _ in found], [branch for _, branches in found for branch in branches]


def _closure(ring: Ring, plan: PartsList, bodies: Bodies, definitions: Definitions) -> tuple[Closure, list[Named]]:
    name, count = ring.cut.component.path, BRANCHES[ring.pattern]
    if ring.pattern == "axes":
        name = f"{name}.axes"
    names = [f"{name}.branch" + (f"[{k}]" if count > 1 else "") for k in range(count)]
    branches = [Named(text, ca.SX.sym(text), np.ones(1)) for text in names]  # +1 until they are read off a pose
    values, discriminant = solve(ring, _Poses(bodies, definitions, name), [branch.symbol for branch in branches],
                                 lambda component: component.fixed_distance(plan.values(component)))
    coordinates, entries, angles = [], [], []
    for link, parts in values:
        coordinates += [(link.component.path, k) for k in range(len(parts))]
        entries += parts
        angles += [link.letter != "P"] * len(parts)
    return Closure(name, tuple(coordinates), ca.vertcat(*entries), tuple(angles), ca.SX(discriminant),
                   tuple(branch.symbol for branch in branches), (ring.cut.component.path,), _form(ring)), branches


def _form(ring: Ring) -> str:
    """The pattern of a ring and its joints, for people."""
    names = ["·".join(link.component.path for link in step.link.joints[:: -1 if step.backwards else 1])
             for step in ring.steps]
    return f"{ring.pattern} of {', '.join(names)}"


class _Poses:
    """Relative poses: constant between frames of one part, else symbols for what moves between them."""

    def __init__(self, bodies: Bodies, definitions: Definitions, name: str) -> None:
        self.bodies, self.definitions, self.name, self._count = bodies, definitions, name, 0

    def __call__(self, one: Side, X_one: Transform, other: Side, X_other: Transform) -> Transform:
        if one.group is other.group:
            return (one.X @ X_one).inverse() @ (other.X @ X_other)
        names = self._frame(one, X_one), self._frame(other, X_other)
        R, p = ca.SX.sym(f"{names[1]}.R", 3, 3), ca.SX.sym(f"{names[1]}.p", 3)
        self.definitions.register(R, "R_AB", names)
        self.definitions.register(p, "p_AB", names)
        return Transform(R, p)

    def _frame(self, side: Side, X: Transform) -> str:
        name = f"{self.name} (frame {self._count} of its closed form)"
        self._count += 1
        self.bodies.frames[name] = self.bodies.on(side.group, side.X @ X)
        return name
