"""Programs of the minimal formulation where every loop has a closed form: no iteration, no system left to solve.

The state that comes in is restored first, q_d = f(q_i), u = J u_i, so that the code may be called at any stage; the
right-hand side is that of the independent coordinates (see `equations.explicit`).  Close to a dead point, where a
discriminant vanishes, a run goes over to the numeric solution, and comes back when it is well past it.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from ..codegen import Program
from ..equations.constrained import solve_kkt
from .chosen import choose, choose_given
from .programs import Layout, advance, build_program, stilled, tangent

#: discriminants at which a run leaves the closed form, and returns to it
LEAVE, RETURN = 0.02, 0.05
#: how far the closed form may be from a state that it is to describe
GAP = 1e-6


def available(layout: Layout) -> bool:
    """Whether all loops have closed forms and nothing else is implicit."""
    return layout.equations.explicit is not None and not layout.blocks


def take_states(system, state) -> bool:
    """Choose the states of the minimal formulation at a state; says whether the closed form describes it.

    Its independent coordinates are taken, and the branches nearest to the state, unless it is close to a dead point.
    """
    if system.code.has_closed_form:
        closed = system.equations.explicit
        d = np.array(state.d)
        d[closed.branch_places] = _values(system, state, d, "branches")
        discriminants, q = (_values(system, state, d, name) for name in ("discriminants", "q"))
        if np.all(discriminants > LEAVE) and np.all(np.abs(q - state.q) < GAP * (1 + np.abs(state.q))):
            state.d = d
            choose_given(system, state, closed.independent)
            return True
    choose(system, state)
    return False


def _values(system, state, d, name: str) -> np.ndarray:
    function = system.code.closed_values[name]
    return np.array(function(*[ca.DM(x) for x in (state.t, state.q, state.u, state.z, d, state.p)])).ravel()


def values(e) -> dict[str, ca.Function]:
    """Branches, discriminants and restored coordinates as functions of a state."""
    symbols = [e.symbols[name] for name in ("t", "q", "u", "z", "d", "p")]
    closed = e.explicit
    found = {"branches": closed.branches, "discriminants": closed.discriminants, "q": closed.restore["q"]}
    return {name: ca.Function(name, symbols, [ca.densify(value)]) for name, value in found.items()}


def rhs_program(layout: Layout) -> Program:
    """(q̇ u̇ ż | health), at the restored state."""
    e = layout.equations
    closed = e.explicit
    slopes = ca.vertcat(e.qdot, stilled(e, closed.udot), e.zdot)
    value = closed.restored(ca.vertcat(slopes, closed.pivot))
    n = slopes.numel()
    return build_program("closed_rhs", layout, {"slopes": value[:n]}, health=value[n])


def project_program(layout: Layout) -> Program:
    """The restored state; nothing is left to be iterated but what stops and friction hold."""
    e = layout.equations
    closed = e.explicit
    shift, position_norm = _held(e, "position", [r.value for r in e.rows])
    step, velocity_norm = _held(e, "velocity", [r.rate for r in e.rows])
    dead_point = LEAVE - ca.mmin(closed.restored(closed.discriminants))
    outputs = {"q_new": closed.restore["q"] + closed.restored(advance(e, shift)),
               "u_new": closed.restore["u"] + closed.restored(step), "z_new": e.symbols["z"],
               "position_norm": closed.restored(position_norm), "velocity_norm": closed.restored(velocity_norm),
               "strain": dead_point}
    return build_program("closed_project", layout, outputs)


def _held(e, level: str, errors: list[ca.SX]) -> tuple[ca.SX, ca.SX]:
    """The least motion J δ_i that takes off the errors of rows that a mode holds, and the largest of them."""
    closed, m = e.explicit, e.mechanism
    levels = ("position",) if level == "position" else ("position", "velocity")
    found = [(r, error) for r, error in zip(e.rows, errors, strict=True)
             if r.mode is not None and r.level in levels and r.G.shape[0]]
    if not found:
        return ca.SX.zeros(m.nu), ca.SX(0)
    J, u_slices = closed.maps[0], m.slices()[1]
    given = {i for k in e.prescribed for i in range(u_slices[k].start, u_slices[k].stop)}
    fixed = [column for column, k in enumerate(closed.independent) if k in given]
    rows = [replace(r, G=ca.sparsify(r.G @ J)) for r, _ in found]
    n = len(closed.independent)
    motion = solve_kkt(ca.SX.eye(n), rows, ca.SX.zeros(n), [-error for _, error in found], fixed)[0]
    return J @ motion, ca.norm_inf(ca.vertcat(*[r.mode * error for r, error in found]))


def returning(e) -> ca.SX:
    """Positive where a run on the numeric solution may take up the closed form again."""
    return ca.mmin(e.explicit.discriminants) - RETURN


def project_error_program(layout: Layout) -> Program:
    """Errors of the dependent coordinates and speeds that those of the independent ones bring about: J e_i."""
    e = layout.equations
    m, closed = e.mechanism, e.explicit
    error = ca.SX.sym("error", m.nq + m.nu + layout.size("z"))
    e_q, e_u, e_z = error[: m.nq], error[m.nq : m.nq + m.nu], error[m.nq + m.nu :]
    along = tangent(e, e_q)
    outputs = {"e_q": e_q + advance(e, closed.follow(along) - along), "e_u": closed.follow(e_u), "e_z": e_z}
    return build_program("closed_project_error", layout, outputs, extra={"error": error})
