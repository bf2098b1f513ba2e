"""A start on the right side of every loop: where loops have closed forms, the guesses choose among their solutions."""

from __future__ import annotations

import itertools

import casadi as ca
import numpy as np

#: how much a coordinate counts of which nothing was said
UNSAID = 1e-3


def close_loops(system, state, given: np.ndarray) -> None:
    """Put dependent coordinates where the closed forms have them, on the branches nearest to what was guessed.

    `given` says of which mobilities the user gave a value or guess; the others decide where those cannot.  Where
    loops cannot close around the independent coordinates nothing is changed.
    """
    if not system.code.has_closed_form:
        return
    closed, restore = system.equations.explicit, system.code.closed_values["q"]
    q, d, where = np.array(state.q), np.array(state.d), iter(closed.branch_places)
    for closure, places, mobilities in zip(closed.closures, closed.q_places, closed.dependent, strict=True):
        branches = [next(where) for _ in closure.branches]
        counts = np.where(given[mobilities], 1.0, UNSAID)
        found = []
        for signs in itertools.product((1.0, -1.0), repeat=len(branches)):
            d[branches] = signs
            values = np.array(restore(*map(ca.DM, (state.t, q, state.u, state.z, d, state.p)))).ravel()[places]
            if np.all(np.isfinite(values)):
                change = values - q[places]
                change = np.where(closure.angles, 2 * np.sin(change / 2), change)
                found.append((np.linalg.norm(counts * change), signs, values))
        if not found:
            return
        _, d[branches], q[places] = min(found, key=lambda item: item[0])
    state.q, state.d = q, d
