"""Chains of massless parts in loops: a mass matrix that only the constraints make regular.

Where M is singular in directions that the constraints fix, adding the constraint equations to the first block makes it
positive definite, and does not change the solution:

    (M + σ GᵀG) u̇ + Gᵀ λ = τ − h + σ Gᵀ b,     G u̇ = b
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import is_symbolic
from ..mechanism import Balance, Body, Mechanism
from .tolerances import SINGULAR_MASS
from .typical_sizes import generic, power_of_two


def missing_inertia(mechanism: Mechanism, M: ca.SX, symbols: dict[str, ca.SX]) -> float:
    """σ, of the size of M, if M is singular in general position, else 0."""
    fast = any(isinstance(c, Balance) for c in mechanism.constraints)
    if not fast and (not mechanism.constraints or not any(_massless(body) for body in mechanism.bodies)):
        return 0.0
    found = generic(mechanism, symbols, M)
    if found is None:
        return 0.0
    value = found[0]
    free = [k for k in range(len(value)) if k not in _prescribed(mechanism)]
    value = value[np.ix_(free, free)]
    size = np.trace(value) / max(1, len(free))
    if not np.isfinite(size) or size <= 0:
        return 1.0
    return float(power_of_two(size)) if np.linalg.eigvalsh(value)[0] < SINGULAR_MASS * size else 0.0


def _massless(body: Body) -> bool:
    if is_symbolic(body.inertia.m, body.inertia.inertia, *body.armature):
        return False
    return body.inertia.m == 0 and not np.any(body.inertia.inertia) and not all(r > 0 for r in body.rotors)


def _prescribed(mechanism: Mechanism) -> set[int]:
    slices = mechanism.slices()[1]
    return {i for body, part in zip(mechanism.bodies, slices, strict=True) if body.prescribed is not None
            for i in range(part.start, part.stop)}
