"""Gradients by the adjoint: one run with a companion direction, then once backward over its steps, for any number of
parameters.

A goal asks for variables of the motion at some times (`Look`).  Backward from there goes the derivative of the goal by
the state (see `integrate.adjoint`); at the start it meets the columns with which derivatives by parameters and start
values begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from ..integrate import Adjoint, Asked, Model, Pulls
from ..result import Result
from ..system import System
from ..system.tangents import TangentCode
from .goal_changes import Look


def not_backward(result: Result) -> str | None:
    """Why the steps of a run are not taken backward, where they are not."""
    return result._stepper.not_backward()


def gradient_of(result: Result, looks: Sequence[Look]) -> np.ndarray:
    """The derivatives of Σ share × variable by everything that a run with a companion direction was begun for."""
    return gradients_of(result, [looks])[0]


def gradients_of(result: Result, goals: Sequence[Sequence[Look]]) -> list[np.ndarray]:
    """The same for several such sums, once backward for each."""
    reason = not_backward(result)
    if reason is not None:
        raise ModelError(f"{reason}; differentiate forward, adjoint=False.")
    code, begun = result.system.code, result.begun
    assert isinstance(code, TangentCode), "a run with a companion"
    backward = Adjoint(result._stepper, _model(result.system, code), lambda rhs: _pulls(code, rhs),
                       code.equations.height)
    return [begun.columns @ backward.to_start([_asked(result, code, look) for look in looks], result.jumps)
            for looks in goals]


def _asked(result: Result, code: TangentCode, look: Look) -> Asked:
    """The derivative of a variable at a time by (x, d, p) there."""
    whole, place = result.whole(look.name)
    there, e = result.at(np.array([look.time])), code.equations
    expression = code.expression(whole)
    shape = expression.shape
    if expression.numel() != 1:
        expression = expression[place if len(place) == 2 else place[0]] if place else expression
    if expression.numel() != 1:
        raise ModelError(f"{look.name}: one number is needed, it has {shape[0]}×{shape[1]}; name an entry.")
    program = code.transposed.variable(look.name, expression)
    x, n = there.states[0], e.plain_size
    rest = result.system.layout.unpack(result._stepper.inputs)
    y = there._y[0] if np.ndim(there._y) == 2 else there._y
    own = sum(block.y.numel() for block in e.own_blocks)
    values = np.concatenate([[look.time], x[:n], there._d[0], np.ravel(there._p), np.zeros(len(rest["f"])), y[:own],
                             np.zeros(own), [look.share]])
    return Asked(look.time, program(values))


def _model(system: System, code: TangentCode) -> Model:
    """The model without tangents, as steppers see it."""
    plain, e = code.plain, code.equations
    closed = "closed_form" in vars(code)
    rhs = plain.closed_form["rhs"] if closed else plain.rhs
    layout, m = plain.layout, e.plain
    count = layout.size("y")
    n_out = max(program.n_out for program in _programs(plain, closed).values()) + 2 + len(m.constraints)
    return Model({name: program.address for name, program in _programs(plain, closed).items()},
                 (m.nq, m.nu, e.own_states), layout.n_in,
                 n_work=max(program.n_work for program in _programs(plain, closed).values()), n_slope=rhs.n_out,
                 n_out=n_out, quaternions=system.quaternions,
                 carry=(range(rhs.n_out - count, rhs.n_out), range(layout.n_in)[layout.places["y"]]))


def _programs(plain: Any, closed: bool) -> dict:
    """Code without tangents, by the names that steppers know."""
    found = {"rhs": plain.closed_form["rhs"] if closed else plain.rhs}
    if plain.equations.mechanism.constraints:
        found["project"] = plain.closed_form["project"] if closed else plain.project
    if plain.given:
        found["prescribe"] = plain.prescribe
    return found


def _pulls(code: TangentCode, rhs: int) -> Pulls:
    """Code without tangents and transposed code, for the right-hand side with tangents at an address."""
    closed = "closed_form" in vars(code) and code.closed_form["rhs"].address == rhs
    forward, back = _programs(code.plain, closed), code.transposed
    pulled = {"rhs": back.closed_rhs if closed else back.rhs}
    if "project" in forward:
        pulled["project"] = back.closed_project if closed else back.project
    if "prescribe" in forward:
        pulled["prescribe"] = back.prescribe
    both = (*forward.values(), *pulled.values())
    return Pulls({name: program.address for name, program in forward.items()},
                 {name: program.address for name, program in pulled.items()},
                 max(program.n_work for program in both))
