"""Saying which of the reactions that are asked for are not unique."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

REACTION = re.compile(r"(?P<joint>.+)\.frame_[ab]\.(?P<load>f|t|fx|fy)")
KIND = {"f": "force", "fx": "force along x", "fy": "force along y", "t": "torque"}


def not_unique(names: list[str], directions_of: Callable[[], Mapping[str, tuple[str, ...]]]) -> list[str]:
    """What to say of joints among the variables whose loads are not unique, those alike in one message."""
    asked = [found for name in names if (found := REACTION.fullmatch(name))]
    found = directions_of() if asked else {}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in asked:
        directions = tuple(d for d in found.get(name["joint"], ()) if d.startswith(KIND[name["load"]]))
        if directions:
            alike.setdefault(directions, []).append(name["joint"])
    return [f"{', '.join(dict.fromkeys(joints))}: {', '.join(directions)} at frame_b "
            f"{'is' if len(directions) == 1 else 'are'} not unique, because equations of a loop are redundant; what is "
            "given balances the motion, as others would." for directions, joints in alike.items()]
