"""Loop assemblies (Modelica MultiBody.Joints.Assemblies) as compositions of plain joints.

Each joins frame_a and frame_b by three joints and two rods, with as many freedoms as a loop takes away.  frame_ia is
fixed on rod 1 at frame_a, frame_ib on rod 2 at frame_b, frame_im on rod 2 at the joint in the middle; `axis` and
`bearing` are the flanges of the joint at frame_b (of the slide in struts, JointUPS and JointRPR).

A model whose loops close one after the other in this way is solved in closed form: given the motion of frame_a and
frame_b the coordinates inside follow, and which of the solutions is taken is decided by the guesses at the start
(Otter, Elmqvist and Mattsson 2003, §7.2).  Loops of plain joints in the same arrangement are found and solved so too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError
from ..language import Component, Frame, Model, RotationalFlange, TranslationalFlange, power_into_model, unit_axis
from ..language.fields import Side, parameter
from . import joints, parts
from .joints.rods import SphericalSpherical
from .tolerances import PARALLEL


class _Assembly(Model):
    """What they share: frames, the joint at frame_b with its flanges, and rod 2."""

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.frame_a, self.frame_b, self.frame_ib, self.frame_im = Frame(), Frame(), Frame(), Frame()
        self.rod2 = parts.FixedTranslation(r=np.asarray(self.r_rod2_ib, dtype=float))
        self._last_joint()
        self.connect(self.rod2.frame_a, self.frame_ib)
        self.connect(self.rod2.frame_b, self.frame_im)
        self._first_rod()
        self.output("total_power", power_into_model(self))

    def _first_rod(self) -> None:
        """From frame_a to frame_im."""
        raise NotImplementedError


class _RevoluteLast(_Assembly):
    n_b = parameter((0.0, 0.0, 1.0), "axis of the revolute joint, in frame_b", structural=True)
    phi_offset = parameter(0.0, "added to phi to give the angle from frame_b to frame_ib", "rad")
    phi_guess = parameter(0.0, "where phi starts from", "rad")

    def _last_joint(self) -> None:
        self.axis, self.bearing = RotationalFlange(), RotationalFlange()
        n = self._axis()
        self.offset = parts.FixedRotation(n=n, angle=self.phi_offset)
        self.revolute = joints.Revolute(n=tuple(n), phi=Side(self.phi_guess))
        self.connect(self.frame_b, self.offset.frame_a)
        self.chain(self.offset, self.revolute, self.rod2)
        self.connect(self.revolute.axis, self.axis)
        self.connect(self.revolute.support, self.bearing)
        self.output("phi", self.revolute.phi)
        self.output("angle", self.revolute.phi + self.phi_offset)

    def _axis(self) -> np.ndarray:
        return unit_axis(self, "n_b")


class _PrismaticLast(_Assembly):
    n_b = parameter((-1.0, 0.0, 0.0), "direction of the slide, in frame_b", structural=True)
    s_offset = parameter(0.0, "added to s to give the distance from frame_b to frame_ib", "m")
    s_guess = parameter(0.0, "where s starts from", "m")

    def _last_joint(self) -> None:
        self.axis, self.bearing = TranslationalFlange(), TranslationalFlange()
        n = unit_axis(self, "n_b")
        self.offset = parts.FixedTranslation(r=n * self.s_offset)
        self.prismatic = joints.Prismatic(n=tuple(n), s=Side(self.s_guess))
        self.connect(self.frame_b, self.offset.frame_a)
        self.chain(self.offset, self.prismatic, self.rod2)
        self.connect(self.prismatic.axis, self.axis)
        self.connect(self.prismatic.support, self.bearing)
        self.output("s", self.prismatic.s)
        self.output("distance", self.prismatic.s + self.s_offset)


class _BallRod(_Assembly):
    """Rod 1 with a ball at each end and a mass in its middle."""

    rod1_length = parameter(text="length of rod 1", unit="m")
    rod1_mass = parameter(0.0, "mass of rod 1, a point in its middle", "kg")
    r_rod2_ib = parameter((1.0, 0.0, 0.0), "from frame_ib to frame_im", "m", structural=True)

    def _first_rod(self) -> None:
        self.rod1 = SphericalSpherical(rod_length=self.rod1_length, m=self.rod1_mass)
        self.connect(self.frame_a, self.rod1.frame_a)
        self.connect(self.rod1.frame_b, self.rod2.frame_b)


class _JointedRod(_Assembly):
    """Rod 1 with a joint of its own at frame_a and a ball at frame_im."""

    r_rod1_ia = parameter((1.0, 0.0, 0.0), "from frame_ia to frame_im", "m", structural=True)
    r_rod2_ib = parameter((-1.0, 0.0, 0.0), "from frame_ib to frame_im", "m", structural=True)

    @property
    def e_rod1_ia(self) -> np.ndarray:
        """Unit vector along rod 1, in frame_ia."""
        return unit_axis(self, "r_rod1_ia")

    def _first_rod(self) -> None:
        self.frame_ia = Frame()
        self.rod1 = parts.FixedTranslation(r=np.asarray(self.r_rod1_ia, dtype=float))
        self.first = self._first_joint()
        self.ball = joints.Spherical()
        self.connect(self.frame_a, self.first.frame_a)
        self.connect(self.first.frame_b, self.frame_ia, self.rod1.frame_a)
        self.chain(self.rod1, self.ball)
        self.connect(self.ball.frame_b, self.rod2.frame_b)


class _UniversalFirst(_JointedRod):
    n1_a = parameter((0.0, 0.0, 1.0), "first axis of the universal joint, in frame_a", structural=True)

    @property
    def e2_ia(self) -> np.ndarray:
        """Unit vector along the second axis of the universal joint, in frame_ia."""
        n2 = np.cross(unit_axis(self, "n1_a"), self.e_rod1_ia)
        return n2 / np.linalg.norm(n2)

    def _first_joint(self) -> joints.Universal:
        return universal(self, "n1_a", np.asarray(self.r_rod1_ia, dtype=float))


class _RevoluteFirst(_JointedRod):
    n_a = parameter((0.0, 0.0, 1.0), "axis of the revolute joints, in frame_a", structural=True)

    def _first_joint(self) -> joints.Revolute:
        return joints.Revolute(n=tuple(unit_axis(self, "n_a")))


class _UniversalMiddle(_Assembly):
    """Rod 1 with a ball at frame_a and a universal joint at frame_im."""

    r_rod1_ia = parameter((1.0, 0.0, 0.0), "from frame_ia to frame_im", "m", structural=True)
    r_rod2_ib = parameter((-1.0, 0.0, 0.0), "from frame_ib to frame_im", "m", structural=True)
    n1_b = parameter((0.0, 0.0, 1.0), "first axis of the universal joint, in frame_ib", structural=True)

    @property
    def e_rod1_ia(self) -> np.ndarray:
        """Unit vector along rod 1, in frame_ia."""
        return unit_axis(self, "r_rod1_ia")

    def _first_rod(self) -> None:
        self.frame_ia = Frame()
        along = np.asarray(self.r_rod1_ia, dtype=float)
        self.rod1 = parts.FixedTranslation(r=along)
        self.ball, self.universal = joints.Spherical(), universal(self, "n1_b", along)
        self.connect(self.frame_a, self.ball.frame_a)
        self.connect(self.ball.frame_b, self.frame_ia, self.rod1.frame_a)
        self.connect(self.rod2.frame_b, self.universal.frame_a)
        self.connect(self.universal.frame_b, self.rod1.frame_b)


class JointSSR(_BallRod, _RevoluteLast):
    """Spherical – spherical – revolute."""


class JointSSP(_BallRod, _PrismaticLast):
    """Spherical – spherical – prismatic."""


class JointUSR(_UniversalFirst, _RevoluteLast):
    """Universal – spherical – revolute."""


class JointUSP(_UniversalFirst, _PrismaticLast):
    """Universal – spherical – prismatic."""


class JointSUR(_UniversalMiddle, _RevoluteLast):
    """Spherical – universal – revolute."""


class JointSUP(_UniversalMiddle, _PrismaticLast):
    """Spherical – universal – prismatic."""


class JointRRR(_RevoluteFirst, _RevoluteLast):
    """Revolute – revolute – revolute with parallel axes.  The joint in the middle is a ball, so no equation is
    redundant."""

    n_b = parameter(None, "the common axis in frame_b; default n_a", structural=True)

    def _axis(self) -> np.ndarray:
        return unit_axis(self, "n_a" if self.n_b is None else "n_b")


class JointRRP(_RevoluteFirst, _PrismaticLast):
    """Revolute – revolute – prismatic, the slide perpendicular to the axes."""


class JointRPP(_PrismaticLast):
    """Revolute – prismatic – prismatic in a plane: a pin in a slot of a part that slides (Scotch yoke).

    Rod 1 is the block in the slot, at frame_a; the slot is on rod 2, through frame_im along n_im.
    """

    n_a = parameter((0.0, 0.0, 1.0), "axis of the revolute joint, in frame_a", structural=True)
    n_im = parameter((0.0, 1.0, 0.0), "direction of the slot, in frame_ib", structural=True)
    n_b = parameter((1.0, 0.0, 0.0), "direction of the slide, in frame_b", structural=True)
    r_rod2_ib = parameter((0.0, 0.0, 0.0), "from frame_ib to frame_im", "m", structural=True)
    slot_guess = parameter(0.0, "where the distance of the pin from frame_im along the slot starts from", "m")

    def _first_rod(self) -> None:
        self.frame_ia = Frame()
        _across(self, "n_a", "n_im", "n_b")
        if np.linalg.norm(np.cross(unit_axis(self, "n_im"), unit_axis(self, "n_b"))) < PARALLEL:
            raise ModelError(f"{self.path}: n_im and n_b are parallel; the slot must not lie along the slide.", self)
        self.revolute = joints.Revolute(n=tuple(unit_axis(self, "n_a")))
        self.slot = joints.Prismatic(n=tuple(unit_axis(self, "n_im")), s=Side(self.slot_guess))
        self.connect(self.frame_a, self.revolute.frame_a)
        self.connect(self.rod2.frame_b, self.slot.frame_a)
        self.connect(self.revolute.frame_b, self.frame_ia, self.slot.frame_b)


class JointPRP(_PrismaticLast):
    """Prismatic – revolute – prismatic in a plane: two slides with a pin between them."""

    n_a = parameter((1.0, 0.0, 0.0), "direction of the slide at frame_a, in frame_a", structural=True)
    n_b = parameter((0.0, 1.0, 0.0), "direction of the slide at frame_b, in frame_b", structural=True)
    n_im = parameter((0.0, 0.0, 1.0), "axis of the pin, in frame_ia and frame_ib", structural=True)
    r_rod1_ia = parameter((0.0, 0.0, 0.0), "from frame_ia to frame_im", "m", structural=True)
    r_rod2_ib = parameter((0.0, 0.0, 0.0), "from frame_ib to frame_im", "m", structural=True)

    def _first_rod(self) -> None:
        self.frame_ia = Frame()
        _across(self, "n_im", "n_a", "n_b")
        self.first = joints.Prismatic(n=tuple(unit_axis(self, "n_a")))
        self.rod1 = parts.FixedTranslation(r=np.asarray(self.r_rod1_ia, dtype=float))
        self.pin = joints.Revolute(n=tuple(unit_axis(self, "n_im")))
        self.connect(self.frame_a, self.first.frame_a)
        self.connect(self.first.frame_b, self.frame_ia, self.rod1.frame_a)
        self.chain(self.rod1, self.pin)
        self.connect(self.pin.frame_b, self.rod2.frame_b)


class _Strut(Model):
    """A first joint at frame_a, a slide, and a ball at frame_b; frame_ia is fixed on its first part, frame_ib on the
    second."""

    n_axis_ia = parameter((1.0, 0.0, 0.0), "direction of the strut in frame_ia, as long as it starts from", "m",
                          structural=True)
    s_offset = parameter(0.0, "added to s to give the length of the strut", "m")

    @property
    def e_axis_ia(self) -> np.ndarray:
        """Unit vector along the strut, in frame_ia."""
        return unit_axis(self, "n_axis_ia")

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.frame_a, self.frame_b, self.frame_ia, self.frame_ib = Frame(), Frame(), Frame(), Frame()
        self.axis, self.bearing = TranslationalFlange(), TranslationalFlange()
        along = np.asarray(self.n_axis_ia, dtype=float)
        length = float(np.linalg.norm(along))
        first = self._first_joint(along)
        self.offset = parts.FixedTranslation(r=along / length * self.s_offset)
        self.prismatic = joints.Prismatic(n=tuple(along / length), s=Side(length - self.s_offset))
        self.ball = joints.Spherical()
        self.connect(self.frame_a, first.frame_a)
        self.connect(first.frame_b, self.frame_ia, self.offset.frame_a)
        self.chain(self.offset, self.prismatic, self.ball)
        self.connect(self.prismatic.frame_b, self.frame_ib)
        self.connect(self.ball.frame_b, self.frame_b)
        self.connect(self.prismatic.axis, self.axis)
        self.connect(self.prismatic.support, self.bearing)
        self.output("s", self.prismatic.s)
        self.output("total_power", power_into_model(self))


class JointUPS(_Strut):
    """Universal – prismatic – spherical: a strut; frame_ia is fixed on its first part, frame_ib on its second."""

    n1_a = parameter((0.0, 0.0, 1.0), "first axis of the universal joint, in frame_a", structural=True)

    def _first_joint(self, along: np.ndarray) -> joints.Universal:
        self.universal = universal(self, "n1_a", along)
        return self.universal


class JointRPR(_Strut):
    """Revolute – prismatic – revolute in a plane: a strut.  Its far end is a ball, so no equation is redundant."""

    n_a = parameter((0.0, 0.0, 1.0), "axis of the revolute joint, in frame_a", structural=True)

    def _first_joint(self, along: np.ndarray) -> joints.Revolute:
        _across(self, "n_a", "n_axis_ia")
        self.revolute = joints.Revolute(n=tuple(unit_axis(self, "n_a")))
        return self.revolute


def universal(component: Component, first: str, along: np.ndarray) -> joints.Universal:
    """About the axis of that name, then about the one perpendicular to it and to the rod."""
    n1 = unit_axis(component, first)
    n2 = np.cross(n1, along)
    if np.linalg.norm(n2) < PARALLEL * np.linalg.norm(along):
        raise ModelError(f"{component.path}: {first} is parallel to the rod; choose another first axis.", component)
    return joints.Universal(n_a=tuple(n1), n_b=tuple(n2))


def _across(component: Component, normal: str, *directions: str) -> None:
    """Refuse slides that leave the plane."""
    for name in directions:
        if abs(unit_axis(component, normal) @ unit_axis(component, name)) > PARALLEL:
            raise ModelError(f"{component.path}: {name} must be perpendicular to {normal}, the axis of the revolute "
                             "joint.", component)


__all__ = ["JointPRP", "JointRPP", "JointRPR", "JointRRP", "JointRRR", "JointSSP", "JointSSR", "JointSUP", "JointSUR",
           "JointUPS", "JointUSP", "JointUSR"]
