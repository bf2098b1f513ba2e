"""Motions that are given but cannot all be: loops tie them to one another and leave nothing free to follow."""

from __future__ import annotations

import numpy as np

from ..errors import InitialError

RANK_TOLERANCE = 1e-8
TIED = 1e-6


def _at_rest(body) -> bool:
    """Whether a joint is locked."""
    speeds = body.course[1]
    return bool(speeds) and all(speed is not None and speed.is_zero() for speed in speeds)


def refuse_tied(system, state, at_least: int = 1) -> None:
    """An error where loops leave combinations of given motions no freedom: nᵀ G_free = 0 with nᵀ G_given ≠ 0.

    Locks alone may hold a loop at several joints.  With `at_least` = 2 single motions are not looked at.
    """
    m = system.mechanism
    given = {us.start + i: body for body, us in zip(m.bodies, m.slices()[1], strict=True) if body.prescribed is not None
             for i in range(us.stop - us.start)}
    if not given or not m.constraints:
        return
    rows = [k for k, switched in enumerate(system.switched_rows("acceleration")) if not switched]
    G = system.constraint_matrix(state)[rows]
    free = np.setdiff1d(np.arange(m.nu), list(given))
    scale = np.abs(G).max(initial=0.0)
    U, sizes, _ = np.linalg.svd(G[:, free]) if len(free) else (np.eye(len(G)), np.zeros(0), None)
    rank = int(np.sum(sizes > RANK_TOLERANCE * scale))
    left = U[:, rank:].T @ G[:, list(given)]
    bound = [body for k, body in enumerate(given.values()) if np.abs(left[:, k]).max(initial=0.0) > TIED * scale]
    bound = list(dict.fromkeys(bound))
    if len(bound) < at_least or all(map(_at_rest, bound)):
        return
    names = [body.joint for body in bound]
    loops = dict.fromkeys(np.array(system.row_names("acceleration"))[rows].tolist())
    if len(names) == 1:
        raise InitialError(f"{names[0]}: its motion is given, but the loop closed by {', '.join(loops)} leaves it no "
                           "freedom at the start. Likely: the mechanism stands at a dead point, or nothing in the loop "
                           "can follow. Start elsewhere, or drive another joint.", *names)
    raise InitialError(f"{', '.join(names)}: the loop closed by {', '.join(loops)} ties these motions, which are all "
                       "given, to one another, and leaves nothing free to follow. Prescribe fewer of them; the others "
                       "follow from the loop.", *names)
