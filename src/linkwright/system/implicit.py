"""The equations at one instant with nothing solved: residuals over state, accelerations, multipliers, unknowns, inputs.

    q̇ = N u,    R₁ = M u̇ + h − applied + Gᵀ λ = 0,    R₂ = G u̇ + γ = 0,    R₃ = r(y) = 0,    ż = ż(…)

As they stand (see `equations.linearised`) they are short, and so are their first and second derivatives; those of
accelerations that are solved for are not.  A *point* has the variables

    v = (q, u, z | q̇, u̇, ż | λ, y | inputs)         q̇ only where it is not u

Loops with closed forms have independent coordinates only: there the accelerations are solved for, few as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from ..codegen import CompiledProgram, Program, Straight, compile_program
from ..equations.constrained import masked
from ..equations.linearised import held_equations
from .names import Names
from .state import State
from .system import System


class Implicit:
    """The implicit equations of a system at a point, and expressions there; `inputs` are places in d."""

    def __init__(self, system: System, inputs: Sequence[int]):
        self.system, self.inputs = system, list(inputs)
        e = self.equations = held_equations(system.equations)
        m = system.mechanism
        self.plain = system.plain_speeds
        rates = {"udot": e.symbols["udot"]}
        q, u, z = (e.symbols[name] for name in "quz")
        qdot = u if self.plain else ca.SX.sym("qdot", m.nq)
        zdot = ca.SX.sym("zdot", z.numel())
        others = ca.vertcat(e.multipliers, e.y)
        self.w = ca.SX.sym("w", len(self.inputs))
        parts = {"q": q, "u": u, "z": z, "qdot": ca.SX(0, 1) if self.plain else qdot, **rates, "zdot": zdot,
                 "others": others, "w": self.w}
        ends = np.cumsum([0, *[part.numel() for part in parts.values()]]).tolist()
        self.places = {name: slice(a, b) for name, a, b in zip(parts, ends[:-1], ends[1:], strict=True)}
        self.variables = ca.vertcat(*parts.values())
        self.n = ends[-1]
        self.nx = m.nq + m.nu + z.numel()
        #: where ẋ lies among the variables
        self.slopes = [*(range(self.places["u"].start, self.places["u"].stop) if self.plain else
                         range(self.places["qdot"].start, self.places["qdot"].stop)),
                       *range(self.places["udot"].start, self.places["udot"].stop),
                       *range(self.places["zdot"].start, self.places["zdot"].stop)]
        G = masked(e.rows)[0] if e.rows else ca.SX(0, m.nu)
        motion = e.tau + G.T @ e.multipliers
        for k, given in e.prescribed.items():
            own = m.slices()[1][k]
            motion[own] = e.symbols["udot"][own] - given
        blocks = [motion, e.unknown_residuals, zdot - e.zdot]
        names = [f"the motion of {name}" for name in system.part_names("u")]
        names += [f"the unknown {name}" for name, symbol, *_ in e.unknowns for _ in range(symbol.numel())]
        names += [f"the rate of {name}" for name in system.part_names("z")]
        if not self.plain:
            blocks.append(qdot - e.qdot)
            names += [f"the rate of {name}" for name in system.part_names("q")]
        self.residuals, self.labels = self._in_point(ca.vertcat(*blocks)), names

    @cached_property
    def _names(self) -> Names:
        return Names(self.equations)

    @cached_property
    def constants(self) -> ca.SX:
        """What is given at a point: time, discrete variables, parameters."""
        return ca.vertcat(*[ca.vec(self.equations.symbols[name]) for name in "tdp"])

    def constants_of(self, state: State, times: np.ndarray) -> np.ndarray:
        """The same as numbers, one row for each time."""
        rest = np.concatenate([state.d, state.p])
        return np.column_stack([times, np.broadcast_to(rest, (len(times), len(rest)))])

    def expression(self, name: str) -> ca.SX:
        """A variable of the model, in terms of a point."""
        return self._in_point(ca.densify(self._names.expression(name)))

    def _in_point(self, expression: ca.SX) -> ca.SX:
        """With the inputs of the point in the place of discrete variables, and no forces on the mobilities."""
        e = self.equations
        d = ca.SX(e.symbols["d"])
        for place, symbol in zip(self.inputs, ca.vertsplit(self.w) if self.inputs else [], strict=True):
            d[place] = symbol
        f = ca.SX.zeros(e.symbols["f"].numel())
        function = ca.Function("point", [e.symbols["d"], e.symbols["f"], *self._others()], [expression])
        return function.call([d, f, *self._others()])[0]

    def _others(self) -> list[ca.SX]:
        e = self.equations
        return [self.variables, *[e.symbols[name] for name in "tp"]]

    def names(self) -> list[str]:
        """Names of the variables of a point, for messages."""
        system = self.system
        lists = {"q": system.part_names("q"), "u": system.part_names("u"), "z": system.part_names("z")}
        out = [*lists["q"], *lists["u"], *lists["z"]]
        out += [] if self.plain else [f"der({name})" for name in lists["q"]]
        out += [f"der({name})" for name in (*lists["u"], *lists["z"])]
        out += [f"unknown {k + 1}" for k in range(self.places["others"].stop - self.places["others"].start)]
        return [*out, *[system.part_names("d")[k] for k in self.inputs]]


class PointCode:
    """Compiled code over many points at once: rows (residuals, then limits, then a cost) and their derivatives."""

    def __init__(self, point: Implicit, limits: ca.SX, cost: ca.SX):
        self.point = point
        v, c = point.variables, point.constants
        rows = ca.vertcat(point.residuals, limits)
        self.n_rows = rows.numel()
        jacobian = ca.jacobian(rows, v)
        self.jacobian_pattern = jacobian.sparsity()
        weights, share = ca.SX.sym("weights", self.n_rows), ca.SX.sym("share")
        hessian = ca.triu(ca.hessian(ca.dot(weights, rows) + share * cost, v)[0])
        self.hessian_pattern = hessian.sparsity()
        slope = ca.densify(ca.gradient(cost, v))
        self._rows = _compiled("rows", {"v": v, "c": c}, {"rows": rows, "cost": cost})
        self._slopes = _compiled("slopes", {"v": v, "c": c}, {"jacobian": jacobian.nz[:], "slope": slope})
        self._bends = _compiled("bends", {"v": v, "c": c, "weights": weights, "share": share},
                                {"hessian": hessian.nz[:]}) if hessian.nnz() else None

    def values(self, v: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, cost) of every point."""
        out = self._rows.batch(np.ascontiguousarray(np.hstack([v, c])))
        return out[:, : self.n_rows], out[:, -1]

    def slopes(self, v: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(entries of the Jacobian of the rows, gradient of the cost) of every point."""
        out = self._slopes.batch(np.ascontiguousarray(np.hstack([v, c])))
        return out[:, : self.jacobian_pattern.nnz()], out[:, self.jacobian_pattern.nnz() :]

    def bends(self, v: np.ndarray, c: np.ndarray, weights: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Entries of the upper half of the Hessian of weights · rows + share × cost, of every point."""
        if self._bends is None:
            return np.zeros((len(v), 0))
        return self._bends.batch(np.ascontiguousarray(np.hstack([v, c, weights, shares[:, None]])))


def _compiled(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> CompiledProgram:
    inputs = {key: value for key, value in inputs.items() if value.numel()}
    outputs = {key: value for key, value in outputs.items() if value.numel()}
    function = ca.Function(name, list(inputs.values()), [ca.densify(value) for value in outputs.values()])
    program = Program(name, [(key, value.numel()) for key, value in inputs.items()],
                      [(key, value.numel()) for key, value in outputs.items()],
                      [Straight(function, tuple(inputs), tuple(outputs))])
    return compile_program(program)
