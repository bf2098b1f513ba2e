"""Vectors of the plane in the axes a user asks for: the plane's, a frame's, or those of a third frame."""

from __future__ import annotations

import casadi as ca

from ...language.planar_frame import PlanarFrame
from ..resolution import IN_A, IN_AB, IN_B
from ..resolution import Resolved as SpatialResolved


class Resolved(SpatialResolved):
    """Base of planar components whose vectors are given in chosen axes; "world" means those of the plane."""

    frames: tuple[str, ...] = ("frame_a",)

    def _make_connectors(self) -> None:
        for name in (*self.frames, "frame_resolve"):
            self._port(name, PlanarFrame())

    def rotation(self, choice: str) -> ca.SX:
        """2×2 rotation of the chosen axes in the plane."""
        return ca.SX.eye(2) if choice == "world" else self._connectors[choice].R2

    def angle(self, choice: str) -> ca.SX:
        """Angle of the chosen axes in the plane."""
        return ca.SX(0) if choice == "world" else self._connectors[choice].phi

    def into(self, choice: str, vector: ca.SX) -> ca.SX:
        """A vector of the plane in the chosen axes."""
        return self.rotation(choice).T @ vector


__all__ = ["IN_A", "IN_AB", "IN_B", "Resolved"]
