"""What the readers share: a model under construction, with names, places and looks.

The readers are users of the package like any other: they make components and connect them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import casadi as ca
import numpy as np

import linkwright as lw

from ..algebra import Scalar
from ..errors import ModelError
from .import_report import ImportReport
from .markup import Element
from .mesh_paths import MeshFiles
from .tolerances import NEGATIVE_MOMENT, SMALLEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..language import Component, Frame, Joint


#: the kind of component that is made or added
Made = TypeVar("Made", bound="Component")


class Building:
    """A model that is being read from a file."""

    def __init__(self, title: str, report: ImportReport, meshes: MeshFiles) -> None:
        self.model, self.report, self.meshes = lw.Model(title), report, meshes
        self._taken: set[str] = set()

    # --- names ---

    def name(self, wanted: str, other: str = "part") -> str:
        """A free name for a component: `wanted` with what no Python name may have replaced; numbered where taken."""
        word = re.sub(r"\W", "_", wanted.strip(), flags=re.ASCII) or other
        if word[0].isdigit():
            word = f"{other}_{word}"
        if keyword.iskeyword(word) or hasattr(lw.Model, word) or word in ("title", "import_report") \
                or word.startswith("_"):
            word = f"{word.lstrip('_')}_" if word.strip("_") else other
        if word in self._taken and not word.endswith(other):
            word = f"{word}_{other}"
        free, k = word, 2
        while free in self._taken:
            free, k = f"{word}_{k}", k + 1
        self._taken.add(free)
        return free

    def add(self, wanted: str, component: Made, element: Element | None = None) -> Made:
        """Give a component a name in the model; that of an element is noted in the report."""
        name = self.name(wanted, element.tag if element is not None else "part")
        setattr(self.model, name, component)
        if element is not None:
            self.report.names.setdefault(element.tag, {})[wanted] = name
        return component

    def make(self, element: Element, kind: type[Made], **given: Any) -> Made:
        """A component of a kind, with what it refuses said of the element."""
        try:
            return kind(**given)
        except ModelError as error:
            raise element.error(str(error)) from None

    def body(self, element: Element, wanted: str, mass: float, centre: ArrayLike, inertia: np.ndarray,
             shown: bool = False, named: Element | None = None) -> lw.parts.Body:
        """A body with an inertia about its centre of mass in its frame's axes, taken as it is."""
        moments = np.linalg.eigvalsh(inertia)
        doubtful = moments[0] < -NEGATIVE_MOMENT * abs(moments[-1])
        if doubtful:
            self.report.remark(element, f"no real body has the principal moments {moments[0]:.3g}, {moments[1]:.3g}, "
                                        f"{moments[2]:.3g}; taken as they are")
        body = self.make(element, lw.parts.Body, m=mass, r_cm=centre, inertia=inertia, animation=shown,
                         **({"any_inertia": True} if moments[0] < 0 else {}))
        return self.add(wanted, body, named)

    # --- places ---

    def placed(self, frame: Frame, X: lw.Transform, wanted: str) -> Frame:
        """The frame at X in another frame: the same where X is no offset, else beyond a rigid link."""
        turned = not np.array_equal(X.R, np.eye(3))
        if not turned and np.all(np.abs(X.p) < SMALLEST):
            return frame
        if turned:
            link = lw.parts.FixedRotation(r=X.p, rotation_type="two_axes", n_x=X.R[:, 0], n_y=X.R[:, 1],
                                          animation=False)
        else:
            link = lw.parts.FixedTranslation(r=X.p, animation=False)
        self.add(wanted, link)
        self.model.connect(frame, link.frame_a)
        return link.frame_b

    # --- parts of joints ---

    def damper(self, joint: Joint, damping: float, wanted: str) -> Component:
        """Viscous damping between the flanges of a one-axis joint."""
        kind = lw.rotational if turns(joint) else lw.translational
        return self.between(joint, kind.Damper(d=damping), wanted)

    def spring(self, joint: Joint, stiffness: float, rest: float, wanted: str) -> Component:
        """A spring between the flanges of a one-axis joint, without force at `rest`."""
        if turns(joint):
            return self.between(joint, lw.rotational.Spring(c=stiffness, phi_rel0=rest), wanted)
        return self.between(joint, lw.translational.Spring(c=stiffness, s_rel0=rest), wanted)

    def between(self, joint: Joint, element: Made, wanted: str) -> Made:
        """An element with two flanges between the support and the axis of a joint."""
        self.add(wanted, element)
        self.model.connect(joint.support, element.flange_a)
        self.model.connect(joint.axis, element.flange_b)
        return element

    def rotor(self, joint: Joint, inertia: float, ratio: float, wanted: str) -> Component:
        """A rotor that turns `ratio` times as fast as the joint."""
        turning = turns(joint)
        if ratio != 1.0 and turning:
            gear = self.add(f"{wanted}_gear", lw.rotational.IdealGear(ratio=ratio))
            self.model.connect(joint.axis, gear.flange_b)
            rotor = self.add(wanted, lw.rotational.Inertia(J=inertia))
            self.model.connect(gear.flange_a, rotor.flange_b)
            return rotor
        reflected = inertia * ratio**2
        rotor = self.add(wanted, lw.rotational.Inertia(J=reflected) if turning else lw.translational.Mass(m=reflected))
        self.model.connect(joint.axis, rotor.flange_a)
        return rotor

    def lift(self, body: lw.parts.Body, share: float, wanted: str) -> None:
        """A force at the centre of mass that bears a share of a body's weight."""
        world = self.model.world
        if share and world.gravity is not None and float(body.m) > 0:
            force = -share * float(body.m) * float(world.g) * np.array(world.n, dtype=float)
            at = self.placed(body.frame_a, lw.Transform(None, body.r_cm), f"{wanted}_centre")
            lifting = self.add(f"{wanted}_gravcomp", lw.forces.WorldForce(force=force, animation=False))
            self.model.connect(at, lifting.frame_b)

    # --- looks ---

    def look(self, frame: Frame, X: lw.Transform, wanted: str, kind: str, size: Sequence[float] = (1.0, 1.0, 1.0),
             colour: Sequence[float] | None = None,
             scale: Sequence[float] | None = None) -> lw.visualizers.FixedShape:
        """A shape to see: a box, cylinder, sphere … whose length is along x of X and whose middle is its origin."""
        start = X.p - X.R[:, 0] * (size[0] / 2 if scale is None else 0.0)
        given: dict[str, Any] = {"shape_type": kind, "r_shape": start, "length_direction": X.R[:, 0],
                                 "width_direction": X.R[:, 1]}
        if scale is None:
            given |= {"length": size[0], "width": size[1], "height": size[2]}
        else:
            given |= {"extra": 0.0, "scale": tuple(scale)}
        if colour is not None:
            given["color"] = rgb(colour)
        shape = self.add(wanted, lw.visualizers.FixedShape(**given))
        self.model.connect(frame, shape.frame_a)
        return shape


def turns(joint: Joint) -> bool:
    """Whether a one-axis joint turns (and does not slide)."""
    return isinstance(joint, lw.joints.Revolute)


def coordinate(joint: Joint) -> ca.SX:
    """The coordinate of a one-axis joint."""
    return joint.phi if turns(joint) else joint.s


def speed(joint: Joint) -> ca.SX:
    """The speed of a one-axis joint."""
    return joint.w if turns(joint) else joint.v


def clamped(x: Scalar, low: float, high: float) -> ca.SX:
    """x between two bounds."""
    return lw.fmin(lw.fmax(x, low), high)


def rgb(colour: Sequence[float]) -> tuple[int, int, int]:
    """Red, green, blue from 0 to 255, of shares from 0 to 1."""
    return tuple(int(round(255 * min(max(float(share), 0.0), 1.0))) for share in colour[:3])
