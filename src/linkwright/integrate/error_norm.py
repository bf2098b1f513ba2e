"""The accuracy model: how a vector of state errors becomes one number to compare with the accuracy α.

Simbody Theory Manual 3.8, §9.2, eqs (9.1)–(9.3), (9.12).  With unit weights wᵢ = 1/(unit change of xᵢ), default 1,
and the time scale t_c (default 1: a unit change of a speed is then one unit of q per second)

    q:  fᵢ = wᵢ εᵢ                                     absolute, however large q has grown
    u:  fᵢ = min(wᵢ t_c, 1/max(|u₀ᵢ|, |u₁ᵢ|)) εᵢ          relative, absolute near zero
    z:  fᵢ = min(wᵢ,     1/max(|z₀ᵢ|, |z₁ᵢ|)) εᵢ

and a step passes when max(‖f_q‖, ‖f_u‖, ‖f_z‖) ≤ α, where ‖·‖ is the RMS or the largest entry of its group, so that
dissimilar variables are not mixed.  ε is the error made by this one step (error per step).  Of a quaternion only the
part that turns counts (eq. 10.13); weight 0 leaves an entry out, as for prescribed coordinates.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import known, sqrt
from .record import ERROR, ERROR_LOW, WEIGHT, View


def weight_of(r: View, V: np.ndarray, i: known, size: float) -> float:
    """The factor of entry i of a state error, where the entry itself is of magnitude `size`."""
    w = V[WEIGHT, i]
    if i < r.nq:
        return w
    if i < r.nq + r.nu:
        w *= r.time_scale
    return w if w * size <= 1.0 else 1.0 / size


def group_norm(r: View, V: np.ndarray, row: known, a: known, b: known) -> float:
    """Largest of the norms over q, u, z of row `row` of V; magnitudes are taken from rows a and b."""
    worst = 0.0
    for group in range(3):
        start = 0 if group == 0 else (r.nq if group == 1 else r.nq + r.nu)
        stop = r.nq if group == 0 else (r.nq + r.nu if group == 1 else r.n)
        total = 0.0
        for i in range(start, stop):
            f = abs(V[row, i]) * weight_of(r, V, i, max(abs(V[a, i]), abs(V[b, i])))
            if r.max_norm:
                total = f if not f <= total else total
            else:
                total += f * f
        if stop > start:
            value = total if r.max_norm else sqrt(total / (stop - start))
            worst = value if not value <= worst else worst
    return worst


def combined_norm(r: View, rows: known, V: np.ndarray, a: known, b: known) -> float:
    """Norm of the step's error; two estimates (rows) are combined as in DOP853 (Hairer I, eq. II.10.17)."""
    high = group_norm(r, V, ERROR, a, b)
    if rows == 1:
        return high
    low = group_norm(r, V, ERROR_LOW, a, b)
    if high == 0.0:
        return 0.0
    return high * high / sqrt(high * high + 0.01 * low * low)
