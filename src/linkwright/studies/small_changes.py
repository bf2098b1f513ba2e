"""How variables change with a state whose loops stay closed: exact derivatives along chosen directions.

A direction is a change of independent coordinates, speeds, auxiliary states, inputs or parameters.  The rest follows:

    G_f δq_f = −∂g/∂x δx,      G_f δu_f = −∂ġ/∂x δx,      r_y δy = −∂r/∂x δx

on position level, on velocity level, and for algebraic unknowns y.  Modes are held: on a boundary where a force jumps,
the derivative is that of the side the state is on.  Derivatives are those of the traced expressions (forward automatic
differentiation), so no step size has to suit a mechanism of millimetres as well as one of kilometres.
"""

from __future__ import annotations

from copy import copy

import casadi as ca
import numpy as np

from .freedoms import Tangent
from .tolerances import RANK_TOLERANCE

PARTS = ("t", "q", "u", "z", "d", "p")


class SmallChanges:
    """Derivatives at the state of a tangent, along the columns of `directions` (part → a matrix)."""

    def __init__(self, tangent: Tangent, directions: dict[str, np.ndarray]) -> None:
        self.tangent, self.system, self.state = tangent, tangent.system, tangent.state
        equations = self.system.equations
        self._symbols = {name: equations.symbols[name] for name in (*PARTS, "f")} | {"y": equations.y}
        self._values = {name: np.ravel(getattr(self.state, name)) for name in PARTS}
        self._values |= {"f": np.zeros(tangent.nu), "y": self.system.evaluate(self.state, "y")}
        self.count = next(iter(directions.values())).shape[1]
        self._x = {name: np.zeros((values.size, self.count)) for name, values in self._values.items()} | directions
        if self.system.mechanism.constraints:
            self._close("position", "q", tangent.q_free)
            self._close("velocity", "u", tangent.u_free)
        if self._symbols["y"].numel():
            residuals = equations.unknown_residuals
            r_y = self.value(ca.jacobian(residuals, self._symbols["y"]))
            self._x["y"] = -np.linalg.solve(r_y, self.of(residuals))

    def combined(self, shares: np.ndarray) -> SmallChanges:
        """The changes along sums of the directions, one for each column of shares."""
        other = copy(self)
        other.count = shares.shape[1]
        other._x = {name: values @ shares for name, values in self._x.items()}
        return other

    def along(self, part: str) -> np.ndarray:
        """How a part of the state changes, one column per direction."""
        return self._x[part]

    def _close(self, level: str, part: str, independent: np.ndarray) -> None:
        """Let coordinates or speeds follow, so that the equations of a level go on to hold."""
        system, follow = self.system, self.tangent.following(independent)
        active, _ = system.active_rows(self.state, level)
        error = self.of(system.expression(f"{level}_error"))[active]
        G = self.tangent.rows(self.state, level)[:, follow]
        if not G.size or not self.count:
            return
        motion = np.zeros((self.tangent.nu, self.count))
        motion[follow] = -np.linalg.lstsq(G, error, rcond=RANK_TOLERANCE)[0]
        self._x[part] = self._x[part] + (self.tangent.carry(motion) if part == "q" else motion)

    def of(self, expression: ca.SX) -> np.ndarray:
        """The derivative of a vector, one column per direction."""
        expression = ca.vec(expression)
        names = [name for name, symbol in self._symbols.items() if symbol.numel()]
        symbols = [self._symbols[name] for name in names]
        seeds = [ca.SX.sym(name, symbol.numel()) for name, symbol in zip(names, symbols, strict=True)]
        slope = ca.densify(ca.jtimes(expression, ca.vertcat(*symbols), ca.vertcat(*seeds)))
        function = ca.Function("slope", [*symbols, *seeds], [slope])
        values = [ca.DM(self._values[name]) for name in names]
        columns = [np.array(function(*values, *[ca.DM(self._x[name][:, k]) for name in names])).ravel()
                   for k in range(self.count)]
        return np.column_stack(columns) if columns else np.zeros((expression.numel(), 0))

    def value(self, expression: ca.SX) -> np.ndarray:
        """What an expression is at the state."""
        function = ca.Function("value", list(self._symbols.values()), [ca.densify(expression)])
        return np.array(function(*[ca.DM(values) for values in self._values.values()]))
