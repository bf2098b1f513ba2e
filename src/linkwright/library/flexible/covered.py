"""Contact along a beam: shapes that ride on its frames, end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import ModelError
from ..tolerances import END_TO_END
from .beams import Beam

if TYPE_CHECKING:
    from ...language import Model
    from ..contact.shapes import ContactShape


def middles(count: int) -> list[float]:
    """Fractions of the length at the middles of so many equal pieces, for Beam(frames=…).

    >>> flexible.middles(4)
    [0.125, 0.375, 0.625, 0.875]
    """
    if not (isinstance(count, int) and count >= 1):
        raise ModelError(f"middles({count!r}): one or more pieces are needed.")
    return [(2 * k + 1) / (2 * count) for k in range(count)]


def cover(model: Model, beam: Beam, radius: float | None = None) -> list[ContactShape]:
    """Cover a beam with contact shapes: one on each of its further frames.  Returns them in their order.

    They are capsules, or rectangles for a beam in the plane.  The frames must be the middles of equal pieces of the
    beam (`flexible.middles`).  The default radius is that of the section (in the plane, half of its height).  The
    shapes are named beam_skin_0, …; a piece of length h with the curvature κ deviates from its shape by κ h²/8.

    >>> m.rod = flexible.Beam(length=1.0, section=flexible.Circle(diameter=0.02), frames=flexible.middles(8), degree=1)
    >>> skin = flexible.cover(m, m.rod)
    >>> m.contacts(law=contact.HuntCrossley(stiffness=1e5), between=[(m.floor, piece) for piece in skin])
    """
    if not isinstance(beam, Beam):
        raise ModelError(f"cover: {beam!r} is no flexible.Beam.")
    fractions, edge, spans = sorted(beam.frames or ()), 0.0, []
    for middle in fractions:
        spans.append(2 * (middle - edge))
        edge += spans[-1]
    if not spans or min(spans) <= 0 or abs(edge - 1) > END_TO_END:
        raise ModelError(f"{beam.path}.frames = {fractions} are no middles of pieces that fill the beam; give "
                         "frames=flexible.middles(8).", beam)
    found = []
    for k, (middle, span) in enumerate(zip(fractions, spans, strict=True)):
        shape = beam.covering(float(beam.length) * span, radius, middle)
        setattr(model, f"{beam.path.replace('.', '_')}_skin_{k}", shape)
        model.connect(beam.frame[k], shape.frame_a)
        found.append(shape)
    return found
