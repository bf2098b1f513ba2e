"""Which shapes of a file touch, and by which law: pairs as the formats list them, and the ground."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import linkwright as lw

from ..errors import ModelError
from .building import Building
from .clearing import clear_start, keep_start
from .tolerances import MOST_POINTS_FELT, SHOWN_MOVES

if TYPE_CHECKING:
    from ..library.contact import ContactShape

#: what `lw.read(contact=…)` may be: nothing, what the file says, or one law for all pairs
Contact = object

#: friction where a file gives none (MuJoCo's default, for which most robot files are written)
MU = 1.0


def asked_contact(contact: Contact) -> Contact:
    """`contact` as it was given, refused where it is neither "file" nor a law."""
    is_law = hasattr(contact, "impact") or callable(getattr(contact, "normal", None))
    if contact is None or contact == "file" or is_law and not isinstance(contact, type):
        return contact
    raise ModelError(f"lw.read(contact={contact!r}): give \"file\" for rigid contact as the file means it, a law such "
                     "as contact.HuntCrossley(…) for all its pairs, or leave it out.")


class Touching(NamedTuple):
    """How many pairs touch, and those of shapes that are felt: which are parts of the model, and the others."""

    count: int
    made: list[lw.contact.Pair]
    left: list[tuple[ContactShape, ContactShape]]


def let_touch(building: Building, pairs: Iterable[tuple[ContactShape, ContactShape, lw.contact.Rigid]],
              contact: Contact, felt: frozenset[int] = frozenset()) -> Touching:
    """Tell the model which shapes touch: each pair by its own law, or all by the one that was asked for.

    Under a rigid law a start with overlaps is moved apart first; pairs that stay inside one another are left out.
    Pairs of shapes that are `felt` (by their ids) become parts of the model, unless all of them have very many points.
    """
    pairs = [pair for pair in pairs if pair[0].points_with(pair[1]) is not None]
    if contact == "file" or hasattr(contact, "impact"):
        pairs = _cleared(building, pairs)
    by_law: dict[object, list] = {}
    made, left = [], []
    few = sum(a.points_with(b)[0] for a, b, _ in pairs) <= MOST_POINTS_FELT if felt else False
    for a, b, law in pairs:
        if few and (id(a) in felt or id(b) in felt) and a.points_with(b)[1] != "loops":
            pair = lw.contact.Pair(a, b, law=law if contact == "file" else contact, animation=False)
            made.append(building.add(f"{a._name}_{b._name}", pair))
            continue
        if id(a) in felt or id(b) in felt:
            left.append((a, b))
        by_law.setdefault(law if contact == "file" else None, []).append((a, b))
    for law, between in by_law.items():
        building.model.contacts(contact if law is None else law, between)
    return Touching(sum(map(len, by_law.values())) + len(made), made, left)


def _cleared(building: Building, pairs: list) -> list:
    """The pairs that are apart at the start, which is moved where that is needed; with a remark on what was done."""
    if not pairs:
        return pairs
    model, report = building.model, building.report
    system = lw.compile(model)
    state = system.state()
    done = clear_start(system, state, [pair[:2] for pair in pairs])
    if done.moved:
        keep_start(model, state)
        biggest = sorted(done.moved.items(), key=lambda item: -abs(item[1]))
        told = ", ".join(f"{name} by {change:+.3g}" for name, change in biggest[:SHOWN_MOVES])
        more = f" and {len(biggest) - SHOWN_MOVES} more" if len(biggest) > SHOWN_MOVES else ""
        report.remark_file(f"the start has overlaps, {done.where} {1e3 * done.deepest:.3g} mm deep; lifted out by "
                           f"moving {told}{more} (m, rad)")
    if done.left:
        deepest = sorted(done.left.items(), key=lambda item: -item[1])
        told = ", ".join(f"{a}/{b} {1e3 * depth:.3g} mm" for (a, b), depth in deepest[:SHOWN_MOVES])
        more = " …" if len(deepest) > SHOWN_MOVES else ""
        report.remark_file(f"{len(deepest)} pairs are inside one another where the model starts and cannot be moved "
                           f"apart, so they do not touch: {told}{more}")
    return [pair for pair in pairs if (pair[0].path, pair[1].path) not in done.left]


def add_ground(building: Building, height: float) -> ContactShape:
    """A plane across gravity at a height over the origin, on the world."""
    world = building.model.world
    up = tuple(-float(x) for x in world.n)
    plane = building.add("ground", lw.contact.Plane(n=up))
    place = lw.Transform(None, [height * x for x in up])
    building.model.connect(building.placed(world.frame_b, place, "ground_place"), plane.frame_a)
    return plane
