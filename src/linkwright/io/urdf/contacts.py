"""Which links touch: all but those that are fixed to one another, that a joint connects, or that an SRDF file disables.

URDF says nothing of friction; what simulators add to it is read where it stands: <gazebo reference="link"><mu1>, and
<contact><lateral_friction value="…"/></contact> inside a link.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import linkwright as lw

from ...mechanism import Joined
from ..markup import Element
from ..touching import MU

if TYPE_CHECKING:
    from ...library.contact import ContactShape


def pairs_of(surfaces: list[tuple[str, ContactShape]], links: dict[str, Element], joints: dict[str, Element],
             disabled: set[frozenset[str]], friction: dict[str, float]) -> Iterator[tuple[ContactShape, ContactShape,
             lw.contact.Rigid]]:
    """(shape, shape, law) of all collision shapes, by (link, shape), that can touch."""
    fixed, moving, number = Joined(), [], {link: k for k, link in enumerate(links)}
    for joint in joints.values():
        parent, child = (number[joint.the(end).need("link")] for end in ("parent", "child"))
        if joint.get("type") == "fixed":
            fixed.join(parent, child)
        else:
            moving.append((parent, child))
    neighbours = {frozenset(map(fixed.find, ends)) for ends in moving}
    for (one, a), (other, b) in combinations(surfaces, 2):
        bodies = frozenset((fixed.find(number[one]), fixed.find(number[other])))
        if len(bodies) == 2 and bodies not in neighbours and frozenset((one, other)) not in disabled:
            yield a, b, rigid_law(friction, one, other)


def rigid_law(friction: dict[str, float], *links: str) -> lw.contact.Rigid:
    """Rigid contact with the smaller friction of two links, as Gazebo takes it; `MU` where none is given."""
    return lw.contact.Rigid(mu=min(friction.get(link, MU) for link in links))


def friction_of(root: Element, links: dict[str, Element]) -> dict[str, float]:
    """Friction by link, from what Gazebo and Bullet add."""
    found: dict[str, float] = {}
    for gazebo in root.children:
        if gazebo.tag == "gazebo" and gazebo.attributes.get("reference") in links:
            for child in gazebo.children:
                if child.tag in ("mu1", "mu") and child.text.strip():
                    child.seen = True
                    found[gazebo.attributes["reference"]] = _not_negative(child, child.text.strip())
    for name, link in links.items():
        contact = link.first("contact")
        sliding = contact.first("lateral_friction") if contact is not None else None
        if sliding is not None:
            found[name] = _not_negative(sliding, sliding.need("value"))
    return found


def _not_negative(element: Element, text: str) -> float:
    value = float(element.as_numbers(text, f"<{element.tag}>", 1)[0])
    if value < 0:
        raise element.error(f"friction cannot be negative; got {value:g}.")
    return value
