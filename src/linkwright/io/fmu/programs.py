"""Programs of an FMU beside those of a run: its outputs, and derivatives along a change of all it depends on."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from ...codegen import Program
from ...system import INPUTS, System, given_motions, programs


def more_programs(system: System, closed: bool, outputs: Sequence[str]) -> dict[str, Program]:
    """The programs by role, over the common input vector; loops in closed form where `closed`."""
    found = {"outputs": programs.build_program("outputs", system.layout, {"values": _stacked(system, outputs)})}
    found["tangent"] = _tangent(system, closed, outputs)
    return found


def _stacked(system: System, names: Sequence[str]) -> ca.SX:
    """Variables one after another, entries of matrices row by row."""
    return ca.densify(ca.vertcat(ca.SX(0, 1), *[ca.vec(system.expression(name).T) for name in names]))


def _tangent(system: System, closed: bool, outputs: Sequence[str]) -> Program:
    """Changes of slopes and outputs along a change `seed` of the input vector, which comes behind it.

    Dependent and prescribed coordinates follow the others; unknowns follow their equations, ∂r/∂y δy = −∂r/∂v δv.
    """
    layout, e = system.layout, system.equations
    names = [name for name in INPUTS if name != "y"]
    v = ca.vertcat(*[e.symbols[name] for name in names])
    seed = ca.SX.sym("seed", layout.n_in)
    udot = e.explicit.udot if closed else e.udot
    values = ca.vertcat(e.qdot, programs.stilled(e, udot), e.zdot, _stacked(system, outputs))
    if closed:
        values = e.explicit.restored(values)
    values = _on_course(system, values, names)
    along = ca.jtimes(values, v, seed[: v.numel()])
    if e.y.numel() and ca.depends_on(values, e.y):
        residual = _on_course(system, ca.vertcat(*[block.residual for block in e.blocks]), names)
        change = -ca.solve(ca.densify(ca.jacobian(residual, e.y)), ca.jtimes(residual, v, seed[: v.numel()]))
        along += ca.jtimes(values, e.y, change)
    return programs.build_program("tangent", layout, {"change": ca.densify(along)}, extra={"seed": seed})


def _on_course(system: System, values: ca.SX, names: Sequence[str]) -> ca.SX:
    """Expressions with what is given over time in its place."""
    if not system.code.given:
        return values
    e = system.equations
    symbols = [e.symbols[name] for name in names]
    replaced = {name: ca.SX(symbol) for name, symbol in zip(names, symbols, strict=True)}
    for part, given in given_motions.given(e).items():
        for place, value in given.items():
            replaced[part][place] = value
    others = [e.y] if e.y.numel() else []
    return ca.Function("f", [*symbols, *others], [values]).call([*replaced.values(), *others])[0]
