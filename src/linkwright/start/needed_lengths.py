"""Of a loop that cannot close: which length of one of its links would do.

At the position of least gap the way round the loop, from the closing joint's frame_b to its frame_a, is a sum of links

    Σ dᵢ = −g,        g the gap, from frame_a to frame_b

A link longer by δ adds δ dᵢ/|dᵢ|.  One that lies along the gap closes the loop alone, with δ = |g| / cos(dᵢ, g).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .tolerances import ALONG_GAP, CLOSED

if TYPE_CHECKING:
    from ..system import State, System


def needed_lengths(system: System, state: State, closing: str, joints: Sequence[str]) -> list[str]:
    """What each link that lies along the gap would have to measure, in words; `state` is that of the least gap."""
    frames = system.mechanism.frames
    owners = [path.removesuffix(".frame_a") for path in frames
              if path.endswith(".frame_a") and f"{path.removesuffix('a')}b" in frames]
    names = [f"{owner}.{end}" for owner in owners for end in ("frame_a", "frame_b")]
    if closing not in owners or not set(joints) <= set(owners):
        return []  # a constraint without frames of its own, or joints that another part is made of
    values = system.evaluate(state, *(f"{name}.r_0" for name in names))
    place = {name: np.asarray(value, dtype=float).ravel() for name, value in zip(names, values, strict=True)}
    gap = place[f"{closing}.frame_b"] - place[f"{closing}.frame_a"]
    found, size = [], float(np.linalg.norm(gap))
    for start, end in _links(system, closing, joints) if size > CLOSED else ():
        link = place[end] - place[start]
        length = float(np.linalg.norm(link))
        along = float(link @ gap) / (length * size) if length > CLOSED else 0.0
        wanted = length + size / along if abs(along) > ALONG_GAP else 0.0
        if wanted > CLOSED:
            found += [f"{owner} = {wanted:.4g} m (now {length:.4g} m)" for owner in owners
                      if owner not in (closing, *joints) and _is(place, owner, place[start], place[end])
                      and frames[f"{owner}.frame_a"].body == frames[start].body]
    return found


def _links(system: System, closing: str, joints: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(frame where a body is entered, frame where it is left) of the bodies on the way round; none if it is no ring."""
    frames, left, links = system.mechanism.frames, list(joints), []
    here = f"{closing}.frame_b"
    while left:
        ends = {joint: [f"{joint}.frame_a", f"{joint}.frame_b"] for joint in left}
        reached = [(joint, end) for joint, both in ends.items() for end in both
                   if frames[end].body == frames[here].body]
        if len(reached) != 1:
            return
        joint, end = reached[0]
        links.append((here, end))
        here = next(other for other in ends[joint] if other != end)
        left.remove(joint)
    if frames[here].body == frames[f"{closing}.frame_a"].body:
        yield from [*links, (here, f"{closing}.frame_a")]


def _is(place: dict[str, np.ndarray], owner: str, start: np.ndarray, end: np.ndarray) -> bool:
    """Whether the two frames of a part lie at these places, in either order."""
    a, b = place[f"{owner}.frame_a"], place[f"{owner}.frame_b"]
    return any(np.allclose(a, one, atol=CLOSED) and np.allclose(b, other, atol=CLOSED)
               for one, other in ((start, end), (end, start)))
