"""The mechanisms, described once for every engine: revolute joints, equal links, perhaps a ball that closes a chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GRAVITY = (0.0, -9.81, 0.0)
MASS, CENTRE, INERTIA = 1.0, (0.0, -0.5, 0.0), (0.1, 0.02, 0.1)  # inertia about the centre of mass
TIP = (0.0, -1.0, 0.0)
WORLD = -1


@dataclass(frozen=True)
class Link:
    """A link on a revolute about coordinate axis 0, 1 or 2, at `offset` in its parent's frame."""

    parent: int
    axis: int
    offset: tuple[float, float, float]


@dataclass(frozen=True)
class Description:
    """Links in order, coordinates to start from, and where in the world a ball holds the tip of the last link."""

    name: str
    links: tuple[Link, ...]
    q: tuple[float, ...]
    anchor: tuple[float, float, float] | None = None

    @property
    def n(self) -> int:
        return len(self.links)


def chain(n: int) -> Description:
    """The spatial chain of reference/README.md: axes x, y, z in turn."""
    links = tuple(Link(k - 1, k % 3, TIP if k else (0, 0, 0)) for k in range(n))
    return Description(f"chain {n}", links, (0.3,) * n)


def tree(levels: int = 7) -> Description:
    """A binary tree, axes x, y, z in turn from level to level: 127 bodies."""
    links = [Link(WORLD, 0, (0, 0, 0))]
    for k in range(1, 2**levels - 1):
        links.append(Link((k - 1) // 2, (k + 1).bit_length() % 3, (0.3 if k % 2 else -0.3, -1.0, 0.0)))
    return Description(f"tree {len(links)}", tuple(links), (0.3,) * len(links))


def closed(n: int = 32) -> Description:
    """A planar chain bent to an arc, its tip held by a ball."""
    q = np.full(n, 2.0 / n)
    angles = np.cumsum(q)
    anchor = (float(np.sin(angles).sum()), float(-np.cos(angles).sum()), 0.0)
    links = tuple(Link(k - 1, 2, TIP if k else (0, 0, 0)) for k in range(n))
    return Description(f"closed {n}", links, tuple(q), anchor)
