"""Moment arms of cables and muscles: how much shorter a way becomes as one coordinate grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from .state import State
    from .system import System


def moment_arm(system: System, state: State, length: str, coordinate: str) -> float:
    """−∂l/∂q with all other coordinates held: a tension f does −∂l/∂q · f on the coordinate.

    The rate of a way is linear in the speeds, l̇ = ∂l/∂q u, and comes from the pulls: no derivative of a wrap is needed.
    """
    rate = f"{length.removesuffix('.l')}.v"
    if not length.endswith(".l") or rate not in system.names:
        raise ModelError(f"moment_arm: {length!r} is no length of a cable or muscle; give one such as 'rope.l'.")
    rest = state.copy()
    rest.u = np.zeros(len(state.u))
    moved = rest.copy()
    moved.set(coordinate, float(rest.get(coordinate)) + 1.0)
    changed = np.flatnonzero(np.asarray(moved.q) != np.asarray(rest.q))
    places = [us.start + int(changed[0]) - qs.start for qs, us in zip(*system.mechanism.slices(), strict=True)
              if len(changed) == 1 and qs.start <= changed[0] < qs.stop and qs.stop - qs.start == us.stop - us.start]
    if not places:
        raise ModelError(f"moment_arm: {coordinate!r} is no coordinate of a joint of this system; give one such as "
                         "'elbow.phi'.")
    turning = rest.copy()
    turning.u = np.eye(len(state.u))[places[0]]
    return float(np.ravel(rest.get(rate))[0] - np.ravel(turning.get(rate))[0])
