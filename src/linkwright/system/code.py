"""The machine code of one structure: made when first needed, shared by systems that differ in numbers only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from ..building import cached_property, one_at_a_time
from ..codegen import CompiledProgram, Program, compile_program
from ..equations import Equations, floating, linearise
from ..errors import ModelError, unknown_name
from . import (
    closed_form,
    crowd,
    event_programs,
    far_pairs,
    jumps,
    minimal_states,
    programs,
    short_features,
)
from . import (
    given_motions as motions,
)
from .function import CompiledFunction, written_as
from .layout import INPUTS, Layout
from .linearised import LinearisedCode, linearised_code
from .names import Names
from .quantities import QUANTITIES, shape
from .tolerances import PREPARED, SPARSE, VARIANTS

Prepared = TypeVar("Prepared")


class Code:
    """Programs for the steppers and compiled functions, each compiled once."""

    def __init__(self, equations: Equations, names: Names, tier: str, fast: bool) -> None:
        self.equations, self.names, self.tier, self.fast = equations, names, tier, fast
        self.compiled: list[CompiledProgram] = []
        self._functions: dict[tuple, CompiledFunction] = {}
        self._variants: dict[tuple, Code] = {}
        self._prepared: dict[tuple, Any] = {}

    @cached_property
    def layout(self) -> Layout:
        """The common input vector (t | q u z | d p f y)."""
        return Layout(self.equations)

    @cached_property
    def rhs(self) -> CompiledProgram:
        """(q̇ u̇ ż | health | y)."""
        return self._program(programs.rhs_program)

    @cached_property
    def qdot(self) -> CompiledProgram:
        return self._program(programs.qdot_program)

    @property
    def floats(self) -> bool:
        """Whether there are bodies that move freely in the world, whose momenta may be kept."""
        return bool(floating(self.equations.mechanism))

    @cached_property
    def momenta(self) -> CompiledProgram:
        """(w, ẇ): momenta of floating bodies in the place of their speeds, and their rates."""
        return self._program(programs.momenta_program)

    @cached_property
    def speeds(self) -> CompiledProgram:
        """u from w."""
        return self._program(programs.speeds_program)

    @cached_property
    def project(self) -> CompiledProgram:
        """One iteration of coordinate projection."""
        if self.has_closed_form:
            return self._program(partial(programs.project_program, returning=closed_form.returning))
        return self._program(programs.project_program)

    @cached_property
    def project_error(self) -> CompiledProgram:
        return self._program(partial(programs.project_error_program, closed=self.has_closed_form))

    @cached_property
    def linearised(self) -> LinearisedCode:
        """The linearised equations as two sparse matrices, for implicit steppers."""
        return linearised_code(linearise(self.equations), self.layout, self._program)

    @cached_property
    def has_closed_form(self) -> bool:
        """Whether a minimal formulation needs no iteration."""
        chosen = minimal_states.choice(self.equations.mechanism, minimal_states.SPEEDS)
        return chosen is not None and closed_form.available(self.layout)

    @cached_property
    def closed_values(self) -> dict[str, ca.Function]:
        """What decides whether the closed form describes a state."""
        return closed_form.values(self.equations)

    @cached_property
    def closed_form(self) -> dict[str, CompiledProgram]:
        """The programs of a stepper where all loops have closed forms."""
        return {"rhs": self._program(closed_form.rhs_program), "project": self._program(closed_form.project_program),
                "project_error": self._program(closed_form.project_error_program)}

    @cached_property
    def given(self) -> set[int]:
        """Mobilities whose speed is known at every time."""
        return set(motions.given(self.equations)["u"])

    @cached_property
    def prescribe(self) -> CompiledProgram:
        """The state with prescribed coordinates and speeds in their place."""
        return self._program(motions.prescribe_program)

    @cached_property
    def events(self) -> CompiledProgram:
        """The witness functions, in the order of `event_programs.witnesses_of`."""
        return self._program(event_programs.events_program)

    @cached_property
    def near(self) -> CompiledProgram | None:
        """How far pairs of shapes are apart at least, where some may be left aside."""
        if not far_pairs.far_pairs(self.equations):
            return None
        return self._program(far_pairs.near_program)

    @cached_property
    def bounds(self) -> CompiledProgram | None:
        """Bounds of the witness functions, where some may have short humps."""
        enclosure = event_programs.enclosed(self.equations)
        return enclosure and self._program(lambda layout: short_features.bounds_program("bounds", enclosure))

    @cached_property
    def sharp_laws(self) -> tuple[tuple[int, int, int], CompiledProgram, CompiledProgram] | None:
        """Laws that may have short features: numbers of laws, bases, arguments; what gives them; and bounds."""
        found = short_features.sharp_laws(self.equations)
        return found and (found.sizes, self._program(lambda layout: short_features.laws_program(layout, found)),
                          self._program(lambda _: short_features.bounds_program("law_bounds", found.enclosure)))

    @cached_property
    def situation(self) -> CompiledProgram:
        """What decides at an event: values of relations, conditions, new values, friction and stops."""
        return self._seldom(event_programs.situation_program)

    @cached_property
    def update(self) -> CompiledProgram:
        """What discrete variables become at a completed step."""
        return self._program(event_programs.update_program)

    def places(self, shapes: tuple[str, ...]) -> CompiledProgram:
        """Where shapes are and how they move."""
        return self._program(partial(crowd.places_program, shapes=shapes))

    @cached_property
    def jump(self) -> CompiledProgram:
        """Changes of the speeds by impulses."""
        return self._seldom(jumps.jump_program)

    @one_at_a_time
    def variant(self, key: tuple, make: Callable[[], Code]) -> Code:
        """Other code of the same structure, made once for each key; the last few are kept."""
        if key not in self._variants:
            self._variants[key] = make()
            while len(self._variants) > VARIANTS:
                self._variants.pop(next(iter(self._variants)))
        return self._variants[key]

    @one_at_a_time
    def once(self, key: tuple, make: Callable[[], Prepared]) -> Prepared:
        """What is prepared for all systems on this code, made once for each key; the last few are kept.

        It must not hold a system, nor anything else that belongs to one model.
        """
        found = self._prepared.get(key)
        if found is None:
            found = self._prepared[key] = make()
            for old in list(self._prepared)[:-PREPARED]:
                self._prepared.pop(old, None)
        return found

    def _program(self, make: Callable[[Layout], Program], tier: str | None = None) -> CompiledProgram:
        compiled = compile_program(make(self.layout), tier=tier or self.tier, fast=self.fast)
        self.compiled.append(compiled)
        return compiled

    def _seldom(self, make: Callable[[Layout], Program]) -> CompiledProgram:
        """A program that runs at instants alone: to optimise it would take longer than all its evaluations."""
        return self._program(make, "quick" if self.tier == "auto" else self.tier)

    @one_at_a_time
    def function(self, inputs: tuple[str, ...], outputs: tuple[str, ...],
                 fixed: Mapping[str, np.ndarray]) -> CompiledFunction:
        """The compiled function of named inputs and outputs, other inputs folded with the values `fixed`."""
        key = (inputs, outputs, tuple((name, np.asarray(value, float).tobytes()) for name, value in fixed.items()))
        if key not in self._functions:
            _check(inputs, outputs)
            expressions = {name: self.expression(name) for name in outputs}
            patterns = {name: e.sparsity() for name, e in expressions.items()
                        if 0 < e.nnz() < SPARSE * e.numel() and len(self._shape(name, e)) == 2}
            written = {written_as(name): e.nz[:] if name in patterns else e for name, e in expressions.items()}
            program = programs.build_program("f", self.layout, written, inputs, fixed)
            sizes = [(name, self.layout.size(name)) for name in inputs]
            shapes = [(name, self._shape(name, e)) for name, e in expressions.items()]
            self._functions[key] = CompiledFunction(program, sizes, shapes, self.tier, self.fast, self.compiled.append,
                                                    patterns)
        return self._functions[key]

    @one_at_a_time
    def expression(self, name: str) -> ca.SX:
        """The traced expression of a quantity or variable."""
        if name in self.names:
            return self.names.expression(name)
        if name in QUANTITIES:
            return QUANTITIES[name][2](self.equations)
        if name.startswith("jacobian(") and name.endswith(")"):
            return self.equations.jacobian(name[9:-1])
        raise unknown_name(name, [*self.names.all, *QUANTITIES], f"{self.equations.mechanism.name!r}")

    def _shape(self, name: str, expression: ca.SX) -> tuple[int, ...]:
        if name in self.names:
            return shape(expression, self.names.dimensions(name))
        return shape(expression, QUANTITIES[name][1] if name in QUANTITIES else 2)


def _check(inputs: Sequence[str], outputs: Sequence[str]) -> None:
    allowed = (*INPUTS, "udot")
    for name in inputs:
        if name not in allowed:
            raise unknown_name(name, allowed, "the list of inputs of a function")
    if not outputs or len(set(inputs)) < len(inputs) or len(set(outputs)) < len(outputs):
        raise ModelError("a function needs at least one output, and every name once.")
