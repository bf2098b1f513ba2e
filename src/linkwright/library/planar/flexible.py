"""Parts that bend in the plane: beams with planar frames.

    from linkwright import planar as pl
    pl.flexible.Beam(length=1.0, section=flexible.Rectangle(height=0.01, width=0.05))
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...algebra import Scalar
from ...errors import ModelError
from ...language import PartsList
from ...language.planar_frame import PlanarFrame
from ..flexible.beams import Beam as SpatialBeam
from ..flexible.parts import Inner
from .contact import Polygon

#: strains that leave a beam in its plane
IN_PLANE = ("planar", "planar+stretch", "planar all", "stretch")

__all__ = ["Beam"]


class _Turned(Inner):
    """A frame on an element: it is turned by ∫ κz ds, counted over full turns."""

    def __init__(self, owner: Beam, name: str, element: int, at_end: bool) -> None:
        super().__init__(owner, name)
        self.__dict__.update(_element=element, _at_end=at_end)

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of the frame less that of the element's start."""
        beam, k = self._parent, self._element
        if not self._at_end:
            return ca.SX(0)
        values = plan.values(beam)
        length = values.length * (beam._nodes[k + 1] - beam._nodes[k])
        q, _, _ = plan.bent_symbols(beam.inner(f"element[{k}]"))
        mean = q[0] if beam.degrees[2] >= 0 else 0.0  # of κz, by the polynomial of degree 0; all others have no mean
        return length * (values.curvature[2] + mean)


class Beam(SpatialBeam):
    """A slender beam along x from frame_a to frame_b that bends in the plane, as far as it likes.

    All parameters and results are those of `flexible.Beam`; `height` of a section is in the plane.  `strains` is
    "planar" (bending), "planar+stretch", "planar all" (with shear) or "stretch".

    >>> pl.flexible.Beam(length=1.0, section=flexible.Rectangle(height=0.01, width=0.05))
    """

    connector = PlanarFrame

    def __init__(self, length: Scalar | None = None, **given: Any) -> None:
        given = {"strains": "planar", **given}
        if given["strains"] not in IN_PLANE:
            raise ModelError(f"planar.flexible.Beam(strains={given['strains']!r}): choose one of "
                             f"{', '.join(map(repr, IN_PLANE))}.")
        super().__init__(length, **given)

    def _check(self) -> None:
        super()._check()
        twist, bend, _ = self.curvature
        if twist or bend:
            raise ModelError(f"{self.path}.curvature: a planar beam is curved about z alone: [0, 0, κ].", self)

    def covering(self, span: float, radius: float | None, middle: float) -> Polygon:
        high = self.outline(middle)[0] if radius is None else float(radius)
        return Polygon([[x * span / 2, y * high] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], animation=False)

    def _make_inner(self, name: str) -> Inner:
        for k in range(len(self._bases)):
            for at_end, frame in enumerate(self._joints[k : k + 2]):
                if name == f"element[{k}].{frame.name}":
                    return _Turned(self, name, k, bool(at_end))
        return super()._make_inner(name)
