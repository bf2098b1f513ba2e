"""How far a joint can turn: rings solved in numbers over a full turn of the joint that is independent."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...algebra import Transform
from ..tolerances import CLEAR, TURN_SAMPLES
from .closures import BRANCHES, solve
from .clusters import Link, Ring, Side, Solution, Ways
from .ring_kinds import Geometry

if TYPE_CHECKING:
    from ...language import Component


def reach(solution: Solution, link: Link, geometry: Geometry, distance: Callable[[Component], float]) -> float:
    """The part of a turn of `link` in which all rings close, on the branches nearest to the guesses."""
    motion = _Motion(solution.kept, geometry)
    guess = motion.coordinates[id(link)][0]
    signs, clear = None, 0
    for angle in guess + np.linspace(0, 2 * np.pi, TURN_SAMPLES, endpoint=False):
        motion.coordinates[id(link)] = np.array([angle])
        found = [_close(motion, ring, distance, signs and signs[k]) for k, ring in enumerate(solution.rings)]
        if all(one is not None for one in found):
            signs = [one for one, _ in found]
            clear += all(discriminant > CLEAR for _, discriminant in found)
    return clear / TURN_SAMPLES


def _close(motion: _Motion, ring: Ring, distance: Callable[[Component], float],
           signs: tuple[float, ...] | None) -> tuple[tuple[float, ...], float] | None:
    """Put the joints of a ring where they close it; (signs, discriminant), or None where they cannot."""
    nearest = None
    for trial in [signs] if signs is not None else itertools.product((1.0, -1.0), repeat=BRANCHES[ring.pattern]):
        values, discriminant = solve(ring, motion.pose, trial, distance)
        parts = [(link, np.array(value, dtype=float)) for link, value in values]
        if all(np.all(np.isfinite(value)) for _, value in parts):
            change = sum(np.sum(np.sin((value - motion.coordinates[id(link)]) / 2) ** 2) for link, value in parts)
            if nearest is None or change < nearest[0]:
                nearest = change, trial, float(discriminant), parts
    if nearest is None:
        return None
    motion.coordinates |= {id(link): value for link, value in nearest[3]}
    return nearest[1:3]


class _Motion:
    """Coordinates of the joints of a tree, from their guesses on, and poses between its parts."""

    def __init__(self, kept: list[Link], geometry: Geometry) -> None:
        self.ways, self.geometry = Ways(kept), geometry
        self.coordinates = {id(link): _guess(link) for link in kept}
        self._ways: dict = {}

    def pose(self, one: Side, X_one: Transform, other: Side, X_other: Transform) -> Transform:
        number = self.geometry.numbers
        key = id(one.group), id(other.group)
        if key not in self._ways:
            self._ways[key] = self.ways.between(one.group, other.group)
        X = (number(one.X) @ X_one).inverse()
        for step in self._ways[key]:
            T = step.link.edge.kind.transform(self.coordinates[id(step.link)])
            X = X @ number(step.near.X) @ (T.inverse() if step.backwards else T) @ number(step.far.X).inverse()
        return X @ number(other.X) @ X_other


def _guess(link: Link) -> np.ndarray:
    """The start values of a joint's coordinates as given, else its defaults."""
    kind, component = link.edge.kind, link.edge.component
    q = np.array(kind.default(), dtype=float)
    for k, (name, *_) in enumerate(component.coordinates()):
        entry = (component._initial.get(name) or [None])[0]
        if entry is not None:
            q[k] = float(getattr(entry, "value", entry))
    return q
