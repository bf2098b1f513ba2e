"""Programs where loops have closed forms: no iteration on them, and no equations left of them to solve.

The state that comes in is restored first, q_d = f(q_i), u = J u_i, so that the code may be called at any stage; the
right-hand side is that of the independent coordinates (see `equations.closed_form`).  Loops without a closed form are
closed by projection of these coordinates after each step (see `equations.mixed_loops`), and at every stage near
singular positions.  Close to a dead point, where a discriminant vanishes, a run changes to projection of all
coordinates; well past it, it changes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..codegen import Program, count_instructions
from ..equations import Equations, Rows, restoring_mixed
from .layout import Layout
from .minimal_states import choice_places, choose, choose_given
from .programs import advance, build_program, stilled, tangent
from .tolerances import LEAVE, LONGER, RETURN, SAME_BRANCH

if TYPE_CHECKING:
    from .state import State
    from .system import System


def available(layout: Layout) -> bool:
    """Whether loops have closed forms that can be used: nothing else is implicit, and the code becomes no longer."""
    closed = layout.equations.explicit
    return closed is not None and not layout.blocks and not (closed.partial and _is_longer(layout.equations))


def _is_longer(e: Equations) -> bool:
    """Whether closed forms cost more operations in the accelerations than they save in the projection."""
    closed = e.explicit
    if closed.dense:
        return True
    symbols = [e.symbols[name] for name in "tquzdpf"]
    with_forms, without = (count_instructions(ca.Function("udot", symbols, [udot]))
                           for udot in (closed.restored(closed.udot), e.udot))
    return with_forms > LONGER * without


def take_states(system: System, state: State) -> bool:
    """Choose the states of the minimal formulation at a state; says whether the closed form describes it.

    Its independent coordinates are taken, and the branches nearest to the state, unless it is close to a dead point,
    where all coordinates are integrated.
    """
    if not system.code.has_closed_form:
        choose(system, state)
        return False
    closed = system.equations.explicit
    d, discriminants, off = _looked_at(system, state)
    good = np.all(discriminants > LEAVE) and not np.any(off)
    if good:
        state.d = d
    choose_given(system, state, closed.independent if good else range(system.mechanism.nu))
    return bool(good)


def disagreeing(system: System, state: State) -> list[str]:
    """Closed forms that can be evaluated at a state, but give other coordinates than it has; in words for people."""
    m, closed = system.mechanism, system.equations.explicit
    _, discriminants, off = _looked_at(system, state)
    starts = [places.start for places in m.slices()[0]]
    return [closure.form for closure, discriminant in zip(closed.closures, discriminants, strict=True)
            if discriminant > LEAVE and any(off[starts[m.index(joint)] + k] for joint, k in closure.coordinates)]


def _looked_at(system: System, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Discrete variables with the branches nearest to a state, the discriminants there, and which coordinates are off.

    A discriminant that is no number is that of a loop that cannot be closed.
    """
    closed = system.equations.explicit
    trial = system.layout.pack(state, "tquzdp")
    first = 1 + len(state.q) + len(state.u) + len(state.z)
    d = trial[first : first + len(state.d)]
    if closed.branch_places:
        d[closed.branch_places] = _values(system, trial, "branches")
    found, n = _values(system, trial, "closed"), len(closed.closures)
    return d, found[:n], ~(np.abs(found[n:] - state.q) < SAME_BRANCH * (1 + np.abs(state.q)))


def take_states_of_many(system: System, inputs: np.ndarray) -> np.ndarray:
    """`take_states` in input vectors, a row for each state, of a system with closed forms; which these describe."""
    closed, places = system.equations.explicit, system.layout.places
    columns = [k for part in "tquzdp" for k in range(places[part].start, places[part].stop)]
    functions, first = system.code.closed_values, places["d"].start
    trial = inputs.copy()
    if closed.branch_places:
        trial[:, first + np.asarray(closed.branch_places)] = np.array(functions["branches"](trial[:, columns].T)).T
    found = np.array(functions["closed"](trial[:, columns].T)).T
    discriminants, q = np.split(found, [len(closed.closures)], axis=1)
    before = inputs[:, places["q"]]
    same = np.all(np.abs(q - before) < SAME_BRANCH * (1 + np.abs(before)), axis=1)
    good = np.all(discriminants > LEAVE, axis=1) & same
    inputs[good] = trial[good]
    chosen = np.isin(np.arange(system.mechanism.nu), closed.independent)
    for place in choice_places(system):
        inputs[:, first + place.start : first + place.stop] = np.where(good[:, None], chosen, True)
    return good


def _values(system: System, inputs: np.ndarray, name: str) -> np.ndarray:
    function = system.code.closed_values[name]
    values = np.empty(function.numel_out(0))
    # a buffer for each call: it belongs to one thread
    buffer, evaluate = function.buffer()
    buffer.set_arg(0, memoryview(inputs))  # type: ignore[call-arg]  # memory knows its size
    buffer.set_res(0, memoryview(values))  # type: ignore[call-arg]
    evaluate()
    return values


def values(e: Equations) -> dict[str, ca.Function]:
    """The branches, and with discriminants the restored coordinates, as functions of a state."""
    symbols = ca.vertcat(*[e.symbols[name] for name in "tquzdp"])
    closed = e.explicit
    found = {"branches": closed.branches, "closed": ca.vertcat(closed.discriminants, closed.restore["q"])}
    return {name: ca.Function(name, [symbols], [ca.densify(value)]) for name, value in found.items()}


def rhs_program(layout: Layout) -> Program:
    """(q̇ u̇ ż | health), at the restored state."""
    slopes, health = restored_slopes(layout)
    return build_program("closed_rhs", layout, {"slopes": slopes}, health=health)


def restored_slopes(layout: Layout) -> tuple[ca.SX, ca.SX]:
    """(q̇ u̇ ż) and the health, at the restored state."""
    e = layout.equations
    closed = e.explicit
    slopes = ca.vertcat(e.qdot, stilled(e, closed.udot), e.zdot)
    value = closed.restored(ca.vertcat(slopes, closed.pivot))
    n = slopes.numel()
    return value[:n], value[n]


def project_program(layout: Layout) -> Program:
    """The restored state, and what a stepper watches."""
    return build_program("closed_project", layout, project_outputs(layout))


def project_outputs(layout: Layout) -> dict[str, ca.SX]:
    """The restored state, after one iteration of projection onto other loops, closed stops and stuck friction."""
    e = layout.equations
    closed = e.explicit
    held, rows = closed.left("position"), closed.left("velocity")
    shift, step, grip = restoring_mixed(closed, _stacked(r.value for r in held), _stacked(r.rate for r in rows))
    return {"q_new": closed.restore["q"] + closed.restored(advance(e, shift)),
            "u_new": closed.restore["u"] + closed.restored(step), "z_new": e.symbols["z"],
            "position_norm": closed.restored(_norm([(r, r.value) for r in held])),
            "velocity_norm": closed.restored(_norm([(r, r.rate) for r in rows])),
            "strain": closed.restored(LEAVE - ca.mmin(closed.discriminants)), "grip": closed.restored(grip)}


def _stacked(columns: Iterable[ca.SX]) -> ca.SX:
    return ca.vertcat(ca.SX(0, 1), *columns)


def _norm(errors: Sequence[tuple[Rows, ca.SX]]) -> ca.SX:
    """The largest of the errors of rows that hold."""
    if not errors:
        return ca.SX(0)
    return ca.norm_inf(_stacked(error if r.mode is None else r.mode * error for r, error in errors))


def returning(e: Equations) -> ca.SX:
    """Positive where a run that left the closed form may use it again."""
    return ca.mmin(e.explicit.discriminants) - RETURN


def project_error_program(layout: Layout) -> Program:
    """Errors of dependent coordinates and speeds that follow from errors of independent ones: J e_i."""
    e = layout.equations
    m, closed = e.mechanism, e.explicit
    error = ca.SX.sym("error", m.nq + m.nu + layout.size("z"))
    e_q, e_u, e_z = error[: m.nq], error[m.nq : m.nq + m.nu], error[m.nq + m.nu :]
    along = tangent(e, e_q)
    e_along, e_u = closed.follow(along), closed.follow(e_u)
    if closed.partial:
        shift, step, _ = restoring_mixed(closed, _stacked(r.G @ e_along for r in closed.left("position")),
                                   _stacked(r.G @ e_u for r in closed.left("velocity")))
        e_along, e_u = e_along + shift, e_u + step
    outputs = {"e_q": e_q + advance(e, e_along - along), "e_u": e_u, "e_z": e_z}
    return build_program("closed_project_error", layout, outputs, extra={"error": error})
