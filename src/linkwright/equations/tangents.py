"""Equations with tangents: beside the state x = (q, u, z) runs, column by column, its derivative by a parameter.

A column S = (δq, δu, δz, δd, δp) follows the equations linearised along the motion,

    Ṡ = ∂ẋ/∂x S + ∂ẋ/∂p δp,      ∂r/∂y δy = −∂r/∂x S − ∂r/∂p δp

as directional derivatives of the traced expressions (forward automatic differentiation): exact, two to three times as
long as what is differentiated.  Columns are auxiliary states, so that they take part in choosing the steps, in dense
output and in everything else that steppers do.  δd are changes of discrete variables that actions set to values of the
motion, δp those of parameters that the start solves for; both stay as they are between events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import casadi as ca
import numpy as np

from ..building import cached_property
from ..errors import ModelError
from ..mechanism import ContinuousState, Mechanism, Named
from .equations import Equations
from .unknowns import Block


class Column(NamedTuple):
    """What a column is the derivative by: its name, and the entry of "p" or "d" that it moves; "" for a start value."""

    name: str
    part: str = ""
    entry: int = 0


#: one direction for many numbers: what it moves is in the column itself
COMPANION = Column("a companion")


class TangentEquations(Equations):
    """The equations of a mechanism with columns of tangents behind its auxiliary states.

    With `every` a column changes all discrete variables and parameters, and time, which is its last entry; otherwise,
    beside its own parameter, those discrete variables and parameters that are named to be `freed`: the start solves
    for them, or they are what a companion direction moves.
    """

    def __init__(self, mechanism: Mechanism, columns: Sequence[Column], every: bool = False,
                 freed: Sequence[str] = ()):
        self.columns, self.plain, self.every = tuple(columns), mechanism, every
        self.kept = {"d": sorted({*_set_by_motion(mechanism), *_places(mechanism.discretes, freed)}),
                     "p": _places(mechanism.parameters, freed)}
        if every:
            self.kept = {part: list(range(sum(item.symbol.numel() for item in items)))
                         for part, items in (("d", mechanism.discretes), ("p", mechanism.parameters))}
        self.own_states = sum(state.symbol.numel() for state in mechanism.states)
        #: length of a column
        self.height = mechanism.nq + mechanism.nu + self.own_states + sum(map(len, self.kept.values())) + every
        added = tuple(ContinuousState(f"∂/∂{column.name}", ca.SX.sym(f"tangent{k}", self.height),
                                      ca.SX.zeros(self.height), np.zeros(self.height))
                      for k, column in enumerate(self.columns))
        self.added = added
        super().__init__(replace(mechanism, states=(*mechanism.states, *added)))

    @cached_property
    def blocks(self) -> list[Block]:
        """The algebraic unknowns, then for every column their changes, which depend on them linearly."""
        own = self.own_blocks
        changes = [Block([f"∂{name}/∂{column.name}" for name in block.names], self._changes[k][b],
                         self.along(block.residual, k), np.zeros(len(block.start)), True)
                   for k, column in enumerate(self.columns) for b, block in enumerate(own)]
        return [*own, *changes]

    @cached_property
    def own_blocks(self) -> list[Block]:
        """The algebraic unknowns of the mechanism itself."""
        return Equations.blocks.func(self)  # type: ignore[attr-defined]

    @cached_property
    def _changes(self) -> list[list[ca.SX]]:
        """δy, by column and block."""
        return [[ca.SX.sym("dy", len(block.start)) for block in self.own_blocks] for _ in self.columns]

    @property
    def plain_size(self) -> int:
        """How many numbers the state has without tangents."""
        return self.mechanism.nq + self.mechanism.nu + self.own_states

    @cached_property
    def own_zdot(self) -> ca.SX:
        """ż of the mechanism's own auxiliary states."""
        return self.zdot[: self.own_states]

    def parts(self, k: int) -> dict[str, ca.SX]:
        """The parts δq, δu, δz, δd, δp, δt of column k, discrete variables and parameters of what is kept only."""
        ends = np.cumsum([0, *self.sizes]).tolist()
        return dict(zip("quzdpt", ca.vertsplit(self.added[k].symbol, ends), strict=True))

    @property
    def sizes(self) -> list[int]:
        """Lengths of the parts of a column."""
        m = self.mechanism
        return [m.nq, m.nu, self.own_states, *map(len, self.kept.values()), int(self.every)]

    def directions(self, k: int) -> dict[str, ca.SX]:
        """The change of every input of the equations along column k."""
        out = self.parts(k)
        for part, places in self.kept.items():
            whole = ca.SX.zeros(self.symbols[part].numel())
            whole[places] = out[part]
            out[part] = whole
        column = self.columns[k]
        if column.part:
            out[column.part][column.entry] += 1
        if not self.every:
            out["t"] = ca.SX.zeros(1)
        out["y"] = ca.vertcat(ca.SX(0, 1), *self._changes[k])
        return out

    @cached_property
    def arguments(self) -> dict[str, ca.SX]:
        """The inputs that a column changes."""
        own = {"z": self.symbols["z"][: self.own_states],
               "y": ca.vertcat(ca.SX(0, 1), *[block.y for block in self.own_blocks])}
        return {part: own.get(part, self.symbols.get(part)) for part in "quzdpyt"}

    def along(self, expression: ca.SX, k: int, **other: ca.SX) -> ca.SX:
        """The change of an expression, in its shape, along column k; `other` parts in the place of the column's own."""
        change = self.directions(k) | other
        x, v = (ca.vertcat(*[values[part] for part in "quzdpyt"]) for values in (self.arguments, change))
        try:
            return ca.reshape(ca.densify(ca.jtimes(ca.vec(ca.densify(expression)), x, v)), *expression.shape)
        except RuntimeError as error:
            raise ModelError(f"{self.mechanism.name}: something in it is computed by a call that has no derivative (a "
                             f"contact found by a search, say): {str(error).splitlines()[-1]}") from None


def _set_by_motion(mechanism: Mechanism) -> list[int]:
    """Places of the discrete variables that actions set to values that are no constants, and of anchors of contacts."""
    d = ca.vertcat(ca.SX(0, 1), *[item.symbol for item in mechanism.discretes])
    found: set[int] = set()
    for when in mechanism.events.whens:
        for target, value in zip(when.targets, when.values, strict=True):
            if not ca.SX(value).is_constant():
                found |= set(ca.jacobian_sparsity(ca.SX(target), d).get_col())
    for anchor in mechanism.events.anchors:
        found |= set(ca.jacobian_sparsity(anchor, d).get_col())
    return sorted(found)


def _places(items: Sequence[Named], names: Sequence[str]) -> list[int]:
    """Places of the parameters or discrete variables of these names."""
    found: list[int] = []
    start = 0
    for item in items:
        size = item.symbol.numel()
        found += range(start, start + size) if item.name in names else ()
        start += size
    return found
