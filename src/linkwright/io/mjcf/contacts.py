"""Which geoms touch, and how they rub: MuJoCo's rules (mujoco.readthedocs.io, "Collision detection").

Two geoms make a pair where they are on different bodies that move against one another, not on a body and its parent
(unless the parent is the world), their bodies are not excluded, and a bit of one's contype is in the other's
conaffinity.  A <pair> stands whatever these say.  Of two geoms the one of higher priority says how the pair rubs; of
equal ones the larger number does, each for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..markup import Element

if TYPE_CHECKING:
    from ...library.contact import ContactShape
    from .bodies import Tree

#: attributes that say how soft another program's contact is, or how it finds it; rigid contact is exact
SOFTNESS = ("solmix", "solref", "solreffriction", "solimp", "gap")
FRICTION = (1.0, 0.005, 0.0001)  # sliding (1), about the normal and rolling (m)


@dataclass(frozen=True, eq=False)
class Surface:
    """A geom that can touch others."""

    part: ContactShape
    name: str
    body: str
    contype: int
    conaffinity: int
    condim: int
    priority: int
    friction: np.ndarray

    def meets(self, other: Surface) -> bool:
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)


def surface_of(geom: Element, part: ContactShape, name: str, body: str) -> Surface:
    """What a geom says of contact, for the shape that was made of it."""
    condim = int(geom.number("condim", 3))
    if condim not in (1, 3, 4, 6):
        raise geom.error(f"condim is one of 1, 3, 4, 6; got {condim}.")
    return Surface(part, name, body, _bits(geom, "contype"), _bits(geom, "conaffinity"), condim,
                   int(geom.number("priority", 0)), friction_of(geom))


def _bits(geom: Element, key: str) -> int:
    value = geom.number(key, 1)
    if value != int(value) or abs(value) >= 2**32:
        raise geom.error(f"{key} is a whole number of 32 bits; got {value:g}.")
    return int(value)


def can_touch(geom: Element) -> bool:
    """Whether a geom is for contact at all."""
    return any([_bits(geom, key) for key in ("contype", "conaffinity")])


def friction_of(element: Element) -> np.ndarray:
    """Friction along, about the normal, and against rolling, with what is left out by default."""
    given = element.numbers("friction", (1, 2, 3), FRICTION)
    if np.any(given < 0):
        raise element.error(f"friction cannot be negative; got {' '.join(f'{x:g}' for x in given)}.")
    return np.concatenate([given, FRICTION[len(given):]])


def rigid_law(condim: int, friction: np.ndarray) -> lw.contact.Rigid:
    """Rigid contact with what condim lets rub: nothing (1), slip (3), spin too (4), rolling too (6)."""
    along, about, rolling = (float(x) for x in friction)
    return lw.contact.Rigid(mu=along if condim >= 3 else 0.0, spinning=about if condim >= 4 else 0.0,
                            rolling=rolling if condim == 6 else 0.0)


def read_pairs(section: Element, tree: Tree) -> None:
    """Pairs that are meant to meet or not to meet, from a <contact> section."""
    for element in section.all("exclude", "pair"):
        element.get("name")
        if element.tag == "exclude":
            ends = tuple(element.need(key) for key in ("body1", "body2"))
            for name in ends:
                if name not in tree.parts.bodies:
                    raise element.error(f"there is no body {name!r}.")
            tree.parts.excluded.add(frozenset(ends))
            continue
        tree.classes.settle(element)
        for key in (*SOFTNESS, "class"):
            element.get(key)
        names = [element.need(key) for key in ("geom1", "geom2")]
        surfaces = {surface.name: surface for surface in tree.parts.surfaces}
        unknown = [name for name in names if name not in tree.parts.geoms]
        if unknown:
            raise element.error(f"there is no geom {unknown[0]!r}.")
        if all(name in surfaces for name in names):
            tree.parts.pairs.append((element, surfaces[names[0]], surfaces[names[1]]))
        elif tree.contact is not None:
            tree.report.ignore(element, "one of its geoms has no shape of contact here")


def pairs_of(tree: Tree) -> Iterator[tuple[ContactShape, ContactShape, lw.contact.Rigid]]:
    """The pairs of a file with their laws: those it names, then those that its rules let meet."""
    named = set()
    for element, a, b in tree.parts.pairs:
        condim, friction = _together(a, b)
        given = element.numbers("friction", (1, 2, 3, 4, 5))
        if given is not None:
            friction = np.array([given[0], *([given[2]] if len(given) > 2 else [friction[1]]),
                                 *([given[3]] if len(given) > 3 else [friction[2]])])
            if len(given) > 1 and given[1] != given[0] or len(given) > 4 and given[4] != given[3]:
                tree.report.approximate(element, "friction: the same in all directions here, as the first number says")
        element.get("margin")
        named.add(frozenset((id(a), id(b))))
        yield a.part, b.part, rigid_law(int(element.number("condim", condim)), friction)
    for a, b in combinations(tree.parts.surfaces, 2):
        if frozenset((id(a), id(b))) not in named and a.meets(b) and _meet(tree, a.body, b.body):
            yield a.part, b.part, rigid_law(*_together(a, b))


def _together(a: Surface, b: Surface) -> tuple[int, np.ndarray]:
    """(condim, friction) of two geoms."""
    if a.priority != b.priority:
        rules = a if a.priority > b.priority else b
        return rules.condim, rules.friction
    return max(a.condim, b.condim), np.maximum(a.friction, b.friction)


def _meet(tree: Tree, a: str, b: str) -> bool:
    """Whether the rules let the geoms of two bodies meet: they move against one another, and are not neighbours."""
    fixed_a, fixed_b = carrier(tree, a), carrier(tree, b)
    if fixed_a == fixed_b or frozenset((a, b)) in tree.parts.excluded:
        return False
    if "world" in (fixed_a, fixed_b) or not tree.settings.filter_parents:
        return True
    above = [carrier(tree, tree.parts.bodies[body].parent) for body in (fixed_a, fixed_b)]
    return above[0] != fixed_b and above[1] != fixed_a


def carrier(tree: Tree, body: str) -> str:
    """The body with joints that a body is fixed to; the world where there is none."""
    while body != "world" and not tree.parts.bodies[body].moves:
        body = tree.parts.bodies[body].parent
    return body
