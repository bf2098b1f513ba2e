"""Programs for jumps of speeds and coordinates: impulses, and what they move, with the constraints in force.

    M Δu + Gᵀ Λ = J,      G Δu = b

the equations of motion integrated over no time (Simbody Theory Manual §8.6.1), solved by the same factorisation; rows
whose mode is off are left out.  With a gap as b the same equations move coordinates.
"""

from __future__ import annotations

import casadi as ca

from ..codegen import Program
from ..equations.constrained import solve_kkt
from .programs import Layout, build_program


def jump_program(layout: Layout) -> Program:
    """Δu, Λ and G Δu of an impulse J and changes b of the rates; and the present rates and gaps of all rows, and the
    Jacobian of rows with a mode, column by column.  With `stopped` = 1 the rates are taken off b: rows come to rest."""
    e = layout.equations
    m = e.mechanism
    count = sum(r.G.shape[0] for r in e.rows)
    impulse, bottom, stopped = ca.SX.sym("impulse", m.nu), ca.SX.sym("bottom", count), ca.SX.sym("stopped")
    rates = [r.rate if r.level != "acceleration" else ca.SX.zeros(r.G.shape[0]) for r in e.rows]
    parts, start = [], 0
    for rate in rates:
        parts.append(bottom[start : (start := start + rate.numel())] - stopped * rate)
    u_slices = m.slices()[1]
    fixed = [i for k in e.prescribed for i in range(u_slices[k].start, u_slices[k].stop)]
    change, push, _ = solve_kkt(e.mass_matrix, e.rows, impulse, parts, fixed, missing=e.missing_inertia)
    outputs = {
        "change": change,
        "push": push,
        "moved": ca.vertcat(ca.SX(0, 1), *[r.G @ change for r in e.rows]),
        "rates": ca.vertcat(ca.SX(0, 1), *rates),
        "gaps": ca.vertcat(ca.SX(0, 1), *[r.value if r.level == "position" else ca.SX.zeros(r.G.shape[0])
                                          for r in e.rows]),
        "directions": ca.vec(ca.densify(ca.horzcat(ca.SX(m.nu, 0), *[r.G.T for r in e.rows if r.mode is not None]))),
    }
    extra = {"impulse": impulse, "stopped": stopped} | ({"bottom": bottom} if count else {})
    return build_program("jump", layout, outputs, extra=extra)
