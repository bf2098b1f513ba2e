"""The bridge between planar and spatial parts."""

from __future__ import annotations

from ...algebra import Transform
from ...language import Component, Frame, PartsList
from ...language.fields import parameter
from ...language.planar_frame import PlanarFrame


class To3D(Component):
    """Joins a planar frame_a with a spatial frame_b: the same frame, z_position along the normal of the plane.

    Loads are transmitted in both directions.  Out-of-plane loads (force along the normal, torques about axes in the
    plane) are transmitted through the planar joints to the support of the plane.
    """

    z_position = parameter(0.0, "height of frame_b over the plane", "m")

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())
        self._port("frame_b", Frame())

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, [0.0, 0.0, plan.values(self).z_position]))
