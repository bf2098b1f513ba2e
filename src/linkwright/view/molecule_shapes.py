"""Molecules as balls and sticks, coloured by element; half of a stick has the colour of the atom at its end."""

from __future__ import annotations

from ..library.molecules import ELEMENTS, Atoms
from .defaults import ball, colour, port, shown_as
from .shapes import Cut, Point, Shape, Span


@shown_as(Atoms)
def _atoms(c, s, world):
    where = {atom: (port(c, f"frame_{k}"), tuple(map(float, station))) for k, site in enumerate(c.sites)
             for atom, station in zip(site.atoms, site.stations, strict=True)}
    for atom, (frame, station) in sorted(where.items()):
        element = ELEMENTS[c.elements[atom]]
        yield ball(f"{c.path}.{atom}", 2 * float(c.ball) * element.radius, element.color, frame, station)
    size = (0.0, float(c.stick), float(c.stick))
    for a, b in c.bonds:
        for start, end in ((a, b), (b, a)):
            span = Span(Point(*where[start]), Point(*where[end]), Cut(end=(0.5, 0.0)))
            yield Shape(f"{c.path}.{start}-{end}", "cylinder", size, colour(ELEMENTS[c.elements[start]].color),
                        span=span)

