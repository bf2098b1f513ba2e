"""Saying where it went wrong: which coordinate is not a number, which joint has an undefined acceleration."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError, SingularError


def coordinate_names(mechanism) -> tuple[list[str], list[str]]:
    """Names of all q and of all u: `joint.coordinate`, and for a speed that is no q̇ `joint.u[k]`."""
    q_names, u_names = [], []
    for body in mechanism.bodies:
        kind = body.mobilizer
        named = len(kind.names) == kind.nq
        q_names += [f"{body.joint}.{kind.names[k] if named else f'q[{k}]'}" for k in range(kind.nq)]
        u_names += [f"der({body.joint}.{kind.names[k]})" if named and kind.nq == kind.nu and is_plain(kind)
                    else f"{body.joint}.u[{k}]" for k in range(kind.nu)]
    return q_names, u_names


def is_plain(mobilizer) -> bool:
    """Whether q̇ = u."""
    if mobilizer.nq != mobilizer.nu:
        return False
    q, u = mobilizer.default() + 0.37, np.arange(1.0, mobilizer.nu + 1)
    return np.array_equal(np.asarray(mobilizer.qdot(q, u), dtype=float).ravel(), u)


def check_finite(system, state) -> None:
    """Refuse a state with a value that is no finite number, naming it."""
    m = system.mechanism
    if not np.isfinite(state.t):
        raise ModelError(f"the time of the state is {state.t}; it must be finite.")
    for part in ("q", "u", "z", "p", "d"):
        values = getattr(state, part)
        if np.all(np.isfinite(values)):
            continue
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        name = system.part_names(part)[k]
        raise ModelError(f"{name}: the state holds {values[k]} there; give a finite number.", name)
    for body, qs in zip(m.bodies, m.slices()[0], strict=True):
        first = body.mobilizer.quaternion
        if first is not None and not np.any(state.q[qs][first : first + 4]):
            raise ModelError(f"{body.joint}: its quaternion is zero and has no direction; start from (1, 0, 0, 0).",
                             body.joint)


def singular(system, state, when: str | None = None) -> SingularError:
    """What is singular at a state: the joints whose mobility meets no inertia, or the constraints."""
    when = f"at t = {state.t:.6g} s " if when is None else when
    loose = loose_joints(system, state)
    if loose:
        return SingularError(
            f"{when}{', '.join(loose)}: nothing resists this motion, so its acceleration is undefined. Likely: a body "
            "without mass or inertia beyond it, in a position where what it carries does not move with it. Give it "
            "some inertia.", *loose)
    names = [c.name for c in system.mechanism.constraints]
    if names:
        return SingularError(f"{when}the equations of motion with the constraints {', '.join(names)} have no unique "
                             "solution. Likely: a dead point, or a massless part that the constraints leave loose.",
                             *names)
    unknown = [name for block in system.layout.blocks for name in block.names]
    if unknown:
        return SingularError(f"{when}the equations of {', '.join(dict.fromkeys(unknown))} have no solution that the "
                             "iteration could find from its last value.", *unknown)
    bad = [n for n, v in zip(system.part_names("u"), system.raw(state, "udot"), strict=True) if not np.isfinite(v)]
    return SingularError(f"{when}{', '.join(bad[:3]) or 'the state'}: the derivative is not finite. Likely: a law "
                         "divides by zero or takes a root of a negative number there.", *bad[:3])


def loose_joints(system, state) -> list[str]:
    """Joints of a tree with a mobility whose articulated inertia vanishes."""
    if not system.mechanism.is_tree:
        return []  # what a leaf lacks, the constraints may give
    D = system.raw(state, "pivots")
    if not len(D):
        return []
    scale = np.max(np.abs(D[np.isfinite(D)]), initial=0.0)
    weak = ~np.isfinite(D) | (np.abs(D) <= 1e-13 * scale)
    out = []
    for body, us in zip(system.mechanism.bodies, system.mechanism.slices()[1], strict=True):
        if np.any(weak[us]):
            out.append(body.joint)
    # eliminating a loose joint spoils everything inboard of it: the outermost is the cause
    return out[-1:]
