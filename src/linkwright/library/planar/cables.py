"""Cables in the plane: points on planar frames, circles that they wrap, and the forces along them (`pl.cables`).

    m.drum = pl.cables.Circle(radius=0.1)
    m.rope = pl.cables.SpringCable([(m.base.frame_b, [0, 1]), m.drum.wrap(turn=1), m.load.frame_a], c=1e4, length=1.2)

All laws, parameters and results are those of `linkwright.cables`; points have two numbers.
"""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar, Transform
from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter
from ...language.planar_frame import PlanarFrame
from ...language.planar_world import world_of
from .. import cables as spatial
from ..cables import moving, via
from .parts import in_plane

__all__ = ["Belt", "Circle", "Disc", "Hoist", "Line", "Rope", "SpringCable", "Winch", "moving", "via"]


class Circle(spatial.Cylinder):
    """A round surface about the centre r: a peg or a drum that cables of the plane wrap.

    >>> m.peg = pl.cables.Circle(radius=0.05, r=[0.2, 0])
    """

    connector = PlanarFrame
    r = parameter([0.0, 0.0], "centre, in frame_a", "m", shape=(2,))

    def _check(self) -> None:
        super()._check()
        if tuple(self.n) != (0.0, 0.0, 1.0):
            raise ModelError(f"{self.path}.n: the axis of a circle in the plane is the plane's normal; leave it out.",
                             self)

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_s, Transform(None, in_plane(plan.values(self).r)))

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of frame_s less that of frame_a."""
        return 0.0


class Disc(spatial.Disc, Circle):
    """A pulley without friction and inertia in the plane: with a `turn` the cable lies on it at the start, however far
    round.

    >>> m.pulley = pl.cables.Disc(radius=0.2)
    """


class InPlane:
    """What cables in the plane have in common."""

    connector = PlanarFrame

    def gravity(self, plan: PartsList, place: ca.SX) -> ca.SX:
        own = world_of(self).gravity(plan)  # type: ignore[arg-type]
        return plan.gravity_at(place) if own is None else ca.SX(own)


class SpringCable(InPlane, spatial.SpringCable):
    """`cables.SpringCable` in the plane: f = max(0, c (l − L₀) + d v) for l > L₀, else 0.

    >>> m.rope = pl.cables.SpringCable([(m.base.frame_b, [0, 1]), m.peg.wrap(), m.load.frame_a], c=1e4, length=1.2)
    """


class Line(InPlane, spatial.Line):
    """`cables.Line` in the plane: a path with a user-defined law `force(l, v)`.

    >>> m.band = pl.cables.Line([m.base.frame_b, m.load.frame_a], lambda l, v: 20 * l + v)
    """


class Hoist(InPlane, spatial.Hoist):
    """`cables.Hoist` in the plane: a SpringCable reeled on a shaft at `drum`.

    >>> m.hoist = pl.cables.Hoist([m.boom.frame_b, m.hook.frame_a], radius=0.2, c=1e5, length=4)
    """


class Rope(InPlane, spatial.Rope):
    """`cables.Rope` in the plane: a rope that does not stretch, slack or taut, with an impact between them.

    >>> m.rope = pl.cables.Rope([m.base.frame_b, m.peg.wrap(), m.load.frame_a], length=1.2)
    """


class Winch(InPlane, spatial.Winch):
    """`cables.Winch` in the plane: a Rope reeled on a shaft at `drum`.

    >>> m.winch = pl.cables.Winch([m.boom.frame_b, m.hook.frame_a], radius=0.2, length=4)
    """


class Belt(InPlane, spatial.Belt):
    """`cables.Belt` in the plane: a closed belt around discs, open or crossed.

    >>> m.belt = pl.cables.Belt([m.motor_disc.wrap(+1), m.fan_disc.wrap(+1)], EA=5e4, d=20, pretension=200)
    """
