"""Saying which of the reactions and forces of contact that are asked for are not unique."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from .event_table import ContactRow

REACTION = re.compile(r"(?P<joint>.+)\.frame_[ab]\.(?P<load>f|t|fx|fy)")
TOUCH = re.compile(r"(?P<pair>.+)\.(f_n|f_t|force_\d+)")
KIND = {"f": "force", "fx": "force along x", "fy": "force along y", "t": "torque"}


def not_unique(names: list[str], directions_of: Callable[[], Mapping[str, tuple[str, ...]]]) -> list[str]:
    """What to say of joints among the variables whose loads are not unique, those alike in one message."""
    asked = [found for name in names if (found := REACTION.fullmatch(name))]
    known = directions_of() if asked else {}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in asked:
        directions = tuple(d for d in known.get(name["joint"], ()) if d.startswith(KIND[name["load"]]))
        if directions:
            alike.setdefault(directions, []).append(name["joint"])
    return [f"{', '.join(dict.fromkeys(joints))}: {', '.join(directions)} at frame_b "
            f"{'is' if len(directions) == 1 else 'are'} not unique, because equations of a loop are redundant; what is "
            "given balances the motion, as others would." for directions, joints in alike.items()]


def shared_loads(names: list[str], contacts: Iterable[ContactRow]) -> list[str]:
    """What to say of pairs among the variables some of whose points press with forces that are not unique."""
    asked = {found["pair"] for name in names if (found := TOUCH.fullmatch(name))}
    pairs = {row.pair: row.time for row in reversed(list(contacts)) if not row.unique and row.pair in asked}
    return [f"{', '.join(pairs)}: forces of contact are not unique (first at t = {min(pairs.values()):.6g} s), because "
            "more points press than statics needs; those given are shared by weights 1/(μ f_n)."] if pairs else []
