"""From a ring of joints to the expressions that solve it: frames, symbols of poses, coordinates."""

from __future__ import annotations

from functools import partial

import casadi as ca
import numpy as np

from ..algebra import Transform, axis_frame, rotation_x
from ..mechanism import Closure, Frame, Named, closed_forms
from ..mechanism.complex_numbers import Complex
from .rings import Ring, Side

PLANAR = {"RRR": (closed_forms.rrr, 1), "RRP": (closed_forms.rrp, 1), "RPR": (closed_forms.rpr, 1),
          "PRP": (closed_forms.prp, 0), "RPP": (closed_forms.rpp, 0)}
SPATIAL = {"UPS": closed_forms.ups, "URS": closed_forms.urs,
           "USR": partial(closed_forms.usx, "R"), "USP": partial(closed_forms.usx, "P"),
           "SUR": partial(closed_forms.sux, "R"), "SUP": partial(closed_forms.sux, "P")}


def closures(translator) -> tuple[list[Closure], list[Named]]:
    """The closed forms of a translation's rings, and the branches they have."""
    found = [_Writer(translator, ring) for ring in translator.tree.rings]
    return [writer.closure for writer in found], [branch for writer in found for branch in writer.branches]


class _Writer:
    """The closure of one ring."""

    def __init__(self, translator, ring: Ring):
        self.translator, self.ring = translator, ring
        self.name = ring.cut.component.path
        self.branches: list[Named] = []
        self._frames = 0
        if ring.pattern in PLANAR:
            values, discriminant = self._planar()
        elif ring.pattern in SPATIAL:
            values, discriminant = self._spatial()
        else:
            values, discriminant = self._rod()
        coordinates, entries, angles = [], [], []
        for step, value in zip(ring.steps, values, strict=True):
            if step.link is ring.cut:
                continue
            parts = value if isinstance(value, tuple) else (value,)
            coordinates += [(step.link.component.path, k) for k in range(len(parts))]
            entries += parts
            angles += [step.link.letter != "P"] * len(parts)
        self.closure = Closure(self.name, tuple(coordinates), ca.vertcat(*entries), tuple(angles), ca.SX(discriminant),
                               tuple(branch.symbol for branch in self.branches), (self.name,))

    def _signs(self, count: int) -> list[ca.SX]:
        """Branches, +1 until they are read off a pose."""
        for k in range(count):
            name = f"{self.name}.branch" + (f"[{k}]" if count > 1 else "")
            self.branches.append(Named(name, ca.SX.sym(name), np.ones(1)))
        return [branch.symbol for branch in self.branches]

    # --- poses ---

    def _pose(self, one: Side, X_one: Transform, other: Side, X_other: Transform) -> Transform:
        """The pose of a frame in another: constant on one part, else symbols for what moves between them."""
        if one.group is other.group:
            return (one.X @ X_one).inverse() @ (other.X @ X_other)
        names = self._frame(one, X_one), self._frame(other, X_other)
        R, p = ca.SX.sym(f"{names[1]}.R", 3, 3), ca.SX.sym(f"{names[1]}.p", 3)
        register = self.translator.definitions.register
        register(R, "R_AB", names)
        register(p, "p_AB", names)
        return Transform(R, p)

    def _frame(self, side: Side, X: Transform) -> str:
        t = self.translator
        name = f"{self.name} (frame {self._frames} of its closed form)"
        self._frames += 1
        key = id(side.group)
        t.frames[name] = Frame(t.number[key], t.body_frame[key].inverse() @ side.X @ X)
        return name

    def _around(self, turns) -> list[Transform]:
        """X, D₁, D₂ of the ring, `turns` being the axes that the form uses at every joint (near, far)."""
        first, second, third = self.ring.steps
        (near1, far1), (near2, far2), (near3, far3) = turns
        return [self._pose(first.near, near1, third.far, far3), self._pose(first.far, far1, second.near, near2),
                self._pose(second.far, far2, third.near, near3)]

    # --- patterns ---

    def _planar(self):
        """In a plane: axes with z along the normal, and x along a slide."""
        form, count = PLANAR[self.ring.pattern]
        turns = [tuple(_in_plane(step.link.letter, n) for n in normals)
                 for step, normals in zip(self.ring.steps, self.ring.normals, strict=True)]
        poses = [(Complex(X.R[0, 0], X.R[1, 0]), Complex(X.p[0], X.p[1])) for X in self._around(turns)]
        values, discriminant = form(*poses, *self._signs(count))
        over = [n[0][2] < 0 and step.link.letter == "R"
                for step, n in zip(self.ring.steps, self.ring.normals, strict=True)]
        return [-value if step.backwards != turned else value
                for step, value, turned in zip(self.ring.steps, values, over, strict=True)], discriminant

    def _spatial(self):
        steps = self.ring.steps
        turning = next(step for step in steps if step.link.letter == "U")
        poses = self._around([(Transform(), Transform())] * 3)
        values, discriminant = SPATIAL[self.ring.pattern](*poses, self._signs(2), turning.backwards)
        return [-value if step.backwards and step.link.letter in "RP" else value
                for step, value in zip(steps, values, strict=True)], discriminant

    def _rod(self):
        """A rod from a point beside the joint's near frame to one beside its far frame."""
        rod, joint = self.ring.steps
        length = rod.link.component.fixed_distance(self.translator.plan.values(rod.link.component))
        none = Transform()
        c, m = self._pose(joint.near, none, rod.near, none).p, self._pose(joint.far, none, rod.far, none).p
        form = closed_forms.meet_circle if joint.link.letter == "R" else closed_forms.meet_line
        _, value, discriminant = form(c, m, length, *self._signs(1))
        return [None, -value if joint.backwards else value], discriminant


def _in_plane(letter: str, n: np.ndarray) -> Transform:
    """Axes at a joint (in the joint's own) with z along the normal n, and x along the slide of a prismatic joint."""
    if letter == "P":
        z = np.array([0.0, 0.0, 1.0])
        return Transform(np.column_stack([z, np.cross(n, z), n]))
    if letter == "S":
        return Transform(axis_frame(n))
    return Transform() if n[2] > 0 else Transform(rotation_x(np.pi))
