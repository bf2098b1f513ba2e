"""Programs that carry cotangents backward: each is a program of tangents (see `tangents`), transposed.

| forward, a column S of tangents | backward, derivatives w of a number at the end |
|---|---|
| slopes change by F S | Fᵀ w |
| projection: P S − G⁺ ∂g/∂p | Pᵀ w, and its share of the parameters |
| prescribed values | from them to what they are functions of |
| a variable changes by v S | vᵀ |

A program reads (t q u z | d p f | y | μ | w) and writes Λ, in the order of a column: of q, u, z, then of discrete
variables and of parameters.
"""

from __future__ import annotations

import casadi as ca

from ..building import cached_property
from ..codegen import CompiledProgram, compile_program
from ..equations import Pulled, TangentEquations, pulled, pulled_change
from . import closed_form, minimal_states, programs
from . import given_motions as motions
from .layout import Layout


class PulledLayout(Layout):
    """The input vector without tangents, with multipliers behind the unknowns."""

    def __init__(self, e: TangentEquations, found: Pulled | None = None):
        super().__init__(e)
        self.symbols["z"] = e.arguments["z"]
        self._divide([*e.own_blocks, *(() if found is None else found.blocks)])


class Cotangents:
    """The transposed programs of a system with one column of tangents."""

    def __init__(self, equations: TangentEquations, tier: str, fast: bool):
        self.equations, self.tier, self.fast = equations, tier, fast
        self._outputs: dict[str, CompiledProgram] = {}

    @cached_property
    def layout(self) -> PulledLayout:
        """The input vector without tangents."""
        return PulledLayout(self.equations)

    @cached_property
    def rhs(self) -> CompiledProgram:
        """Of slopes."""
        e = self.equations
        return self._pulled("pulled_rhs", ca.vertcat(e.qdot, programs.stilled(e, e.udot), e.own_zdot))

    @cached_property
    def project(self) -> CompiledProgram:
        """Of a projection, at the point that it leads to."""
        e = self.equations
        in_force = not self._has_closed_form and minimal_states.choice(e.mechanism, minimal_states.SPEEDS) is not None
        return self._compiled("pulled_project", pulled_change(e, programs.corrected(e, 0, in_force)))

    @cached_property
    def closed_rhs(self) -> CompiledProgram:
        """Of slopes, loops in closed form."""
        e = self.equations
        slopes, _ = closed_form.restored_slopes(self.layout)
        return self._pulled("pulled_closed_rhs", slopes[: e.plain_size])

    @cached_property
    def closed_project(self) -> CompiledProgram:
        """Of closed forms that restore what depends on others."""
        e = self.equations
        return self._pulled("pulled_closed_project", programs.moved(e, closed_form.project_outputs(self.layout)))

    @cached_property
    def prescribe(self) -> CompiledProgram:
        """Of what is given."""
        e = self.equations
        given = motions.prescribed(e)
        return self._pulled("pulled_prescribe", ca.vertcat(given["q_new"], given["u_new"], e.arguments["z"]))

    def variable(self, name: str, expression: ca.SX) -> CompiledProgram:
        """Of a variable; its expression is one of these equations."""
        if name not in self._outputs:
            self._outputs[name] = self._pulled("pulled_variable", expression)
        return self._outputs[name]

    @cached_property
    def _has_closed_form(self) -> bool:
        available = closed_form.available(self.layout)
        return minimal_states.choice(self.equations.mechanism, minimal_states.SPEEDS) is not None and available

    def _compiled(self, name: str, found: Pulled) -> CompiledProgram:
        layout = PulledLayout(self.equations, found)
        program = programs.build_program(name, layout, {"pulled": found.value}, extra={"w": found.w})
        return compile_program(program, tier=self.tier, fast=self.fast)

    def _pulled(self, name: str, value: ca.SX) -> CompiledProgram:
        return self._compiled(name, pulled(self.equations, value))
