"""Given motions that depend on one another through loops, so that no joint of the loop is left free to follow.

With speeds divided into free and given ones, the loops' equations G u̇ + γ = 0 leave

    nᵀ G_given u̇_given + nᵀ γ = 0      for every n with nᵀ G_free = 0

which the given motions satisfy or not.  If they do, one of them is redundant (a loop with one freedom, locked at two
joints).  If they do not, they are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import InitialError
from .tolerances import AGREES, SAME_EQUATION, TIED

if TYPE_CHECKING:
    from ..mechanism import Body
    from ..system import State, System


@dataclass
class Tied:
    """Joints whose given motions loops tie to one another, those of them that are redundant, and the loops."""

    joints: list[str]
    redundant: list[str]
    loops: list[str]
    locked: bool  # all of them
    agree: bool  # in accelerations


def tied_motions(system: System, state: State) -> Tied | None:
    """The given motions that depend on one another at a state."""
    m = system.mechanism
    given = {us.start + i: body for body, us in zip(m.bodies, m.slices()[1], strict=True) if body.prescribed is not None
             for i in range(us.stop - us.start)}
    if not given or not m.constraints:
        return None
    rows = [k for k, switched in enumerate(system.switched_rows("acceleration")) if not switched]
    G = system.constraint_matrix(state)[rows]
    free = np.setdiff1d(np.arange(m.nu), list(given))
    scale = np.abs(G).max(initial=0.0)
    U, sizes, _ = np.linalg.svd(G[:, free]) if len(free) else (np.eye(len(G)), np.zeros(0), None)
    left = U[:, int(np.sum(sizes > SAME_EQUATION * scale)) :].T
    A = left @ G[:, list(given)]
    bodies = list(given.values())
    bound = [k for k in range(len(bodies)) if np.abs(A[:, k]).max(initial=0.0) > TIED * scale]
    if not bound:
        return None
    redundant: list[int] = []
    for k in reversed(bound):
        if np.linalg.matrix_rank(A[:, [*redundant, k]], tol=TIED * scale) > len(redundant):
            redundant.append(k)
    gamma, acceleration = _bias(system, state, rows, list(given))
    gap, size = left @ gamma + A @ acceleration, 1 + np.abs(gamma).max() + scale * np.abs(acceleration).max()
    loops = dict.fromkeys(np.array(system.row_names("acceleration"))[rows].tolist())
    joints, spare = (list(dict.fromkeys(bodies[k].joint for k in some)) for some in (bound, reversed(redundant)))
    return Tied(joints, spare, list(loops), all(_at_rest(bodies[k]) for k in bound),
                bool(np.max(np.abs(gap)) < AGREES * size))


def _at_rest(body: Body) -> bool:
    """Whether a joint is locked."""
    speeds = body.course[1]
    return bool(speeds) and all(speed is not None and speed.is_zero() for speed in speeds)


def _bias(system: System, state: State, rows: list[int], given: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """γ of rows, and the accelerations of given motions."""
    e = system.equations
    udot = ca.SX.zeros(system.mechanism.nu)
    for k, value in e.prescribed.items():
        udot[system.mechanism.slices()[1][k]] = value
    symbols = [*(e.symbols[name] for name in "tquzdp"), e.y]
    function = ca.Function("bias", symbols, [ca.vertcat(*[r.gamma for r in e.rows]), udot])
    gamma, udot = function(*[getattr(state, name) for name in "tquzdpy"])
    return np.array(gamma).ravel()[rows], np.array(udot).ravel()[given]


def refuse_tied(system: System, state: State, at_least: int = 1) -> None:
    """An error where given motions that loops tie to one another do not agree.

    With `at_least` = 2 it is known already that motions which are not all locks disagree, and single ones are skipped.
    """
    found = tied_motions(system, state)
    if found is None or len(found.joints) < at_least or found.locked:
        return
    names, loops = found.joints, ", ".join(found.loops)
    if len(names) == 1:
        raise InitialError(f"{names[0]}: its motion is given, but the loop closed by {loops} leaves it no freedom at "
                           "the start. Likely: the mechanism stands at a dead point, or nothing in the loop can "
                           "follow. Start elsewhere, or drive another joint.", *names)
    if at_least > 1 or not found.agree:
        raise InitialError(_disagreement(found), *names)


def _disagreement(found: Tied) -> str:
    return (f"{', '.join(found.joints)}: the loop closed by {', '.join(found.loops)} ties these motions, which are all "
            "given and do not agree, to one another, and leaves nothing free to follow. Prescribe fewer of them; the "
            "others follow from the loop.")


def disagreement(system: System, state: State) -> tuple[str, list[str]] | None:
    """A message, and the joints it is about, where several given motions keep loops from closing."""
    found = tied_motions(system, state)
    return None if found is None or len(found.joints) < 2 else (_disagreement(found), found.joints)


def redundant_motions(system: System, state: State) -> list[str]:
    """Messages about given motions that follow from others."""
    found = tied_motions(system, state)
    if found is None:
        return []
    names, others = ", ".join(found.redundant), [name for name in found.joints if name not in found.redundant]
    source = f"follows from that of {', '.join(others)}" if others else "is none"
    return [f"{names}: the motion given to it {source} through the loop closed by {', '.join(found.loops)}; it is "
            "redundant, and the forces that the given motions take are not unique"]
