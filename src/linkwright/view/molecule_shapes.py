"""Molecules as balls and sticks, coloured by element; half of a stick has the colour of the atom at its end.

As a trace a protein is a tube through its α-carbons, from blue at its first residue to red at its last.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..library.molecules import ELEMENTS, Atoms
from .default_shapes import ball, colour, port, shown_as
from .scene_data import Cut, Point, Shape, Span

if TYPE_CHECKING:
    from ..language import Component, World


@shown_as(Atoms)
def _atoms(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    where = {atom: (port(c, f"frame_{k}"), tuple(map(float, station))) for k, site in enumerate(c.sites)
             for atom, station in zip(site.atoms, site.stations, strict=True)}
    if c.look == "trace":
        yield from _trace(c, where)
        return
    if c.look != "balls":
        raise ModelError(f"{c.path}.look = {c.look!r} is not known; choose 'balls' or 'trace'.", c)
    for atom, (frame, station) in sorted(where.items()):
        element = ELEMENTS[c.elements[atom]]
        yield ball(f"{c.path}.{atom}", 2 * float(c.ball) * element.radius, element.color, frame, station)
    size = (0.0, float(c.stick), float(c.stick))
    for a, b in c.bonds:
        for start, end in ((a, b), (b, a)):
            span = Span(Point(*where[start]), Point(*where[end]), Cut(end=(0.5, 0.0)))
            yield Shape(f"{c.path}.{start}-{end}", "cylinder", size, colour(ELEMENTS[c.elements[start]].color),
                        span=span)


def _trace(c: Component, where: dict[int, tuple[str, tuple[float, ...]]]) -> Iterator[Shape]:
    if not c.backbone:
        raise ModelError(f"{c.path}.look = 'trace': the molecule has no backbone, atoms called CA of neighbouring "
                         "residues; choose 'balls'.", c)
    size, order = float(c.trace), sorted({atom for pair in c.backbone for atom in pair})
    hue = {atom: k / (len(order) - 1) for k, atom in enumerate(order)}

    def shade(atom: int) -> tuple[int, int, int]:
        return int(255 * hue[atom]), int(160 * (1 - abs(2 * hue[atom] - 1))), int(255 * (1 - hue[atom]))

    for atom in order:
        yield ball(f"{c.path}.{atom}", size, shade(atom), *where[atom])
    for a, b in c.backbone:
        yield Shape(f"{c.path}.{a}-{b}", "cylinder", (0.0, size, size), colour(shade(a)),
                    span=Span(Point(*where[a]), Point(*where[b])))
