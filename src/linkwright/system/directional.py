"""How a system changes along any direction of its inputs, as compiled code: derivatives across an event need no more.

One column of tangents (see `equations.tangents`) whose entries are changes of the whole state, of all discrete
variables, of all parameters and of time.  A column of tangents is such a direction, and so is the motion itself as time
passes.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..building import cached_property
from ..codegen import CompiledProgram, compile_program
from ..equations import Column, TangentEquations
from ..mechanism import Mechanism
from . import programs
from .event_programs import Witness, witnesses_of
from .layout import Layout


class Directional:
    """Changes of slopes, witnesses, new values and impulses of one mechanism."""

    def __init__(self, mechanism: Mechanism):
        self.equations = e = TangentEquations(mechanism, (Column("a direction"),), every=True)
        self.layout = Layout(e)
        self.witnesses: list[Witness] = witnesses_of(e) if mechanism.events else []
        self.sizes = e.sizes
        self._ends = np.cumsum(self.sizes)[:-1]
        self.count = sum(self.sizes)

    # --- programs ---

    @cached_property
    def changes(self) -> CompiledProgram:
        """Slopes, their change, and changes of witnesses (then of all relations), new values, places, restitutions."""
        e = self.equations
        events = e.mechanism.events
        slopes = ca.vertcat(e.qdot, programs.stilled(e, e.udot), e.own_zdot)
        groups = {
            "witnesses": [*[w.value for w in self.witnesses], *[r.witness for r in events.relations]],
            "news": [value for when in events.whens for value in when.values],
            "places": [c.place for c in events.contacts if c.place is not None],
            "restitutions": [*[ca.SX(row.restitution) for row in events.bounded],
                             *[c.restitution for c in events.contacts]],
            "frictions": [c.mu for c in events.contacts],
        }
        joined = {name: ca.vertcat(ca.SX(0, 1), *map(ca.SX, parts)) for name, parts in groups.items()}
        joined = dict(zip(joined, e.finish(*joined.values()), strict=True))
        outputs = {"slopes": slopes, "along": e.along(slopes, 0)}
        outputs |= {name: e.along(value, 0) for name, value in joined.items() if value.numel()}
        return self._compiled("changes", outputs)

    @cached_property
    def impulses(self) -> CompiledProgram:
        """M and G, the rates of all rows; and of M v + Gᵀ Λ and of the rates their changes, v and Λ held."""
        e = self.equations
        count = sum(r.G.shape[0] for r in e.rows)
        v, push = ca.SX.sym("v", e.mechanism.nu), ca.SX.sym("push", count)
        rates = ca.vertcat(ca.SX(0, 1), *[r.rate if r.level != "acceleration" else ca.SX.zeros(r.G.shape[0])
                                          for r in e.rows])
        M, G = ca.densify(e.mass_matrix), ca.densify(e.constraint_matrix)
        outputs = {"M": ca.vec(M), "G": ca.vec(G), "rates": rates, "balance": e.along(M @ v + G.T @ push, 0),
                   "rate_changes": e.along(rates, 0) if count else rates}
        return self._compiled("impulses", outputs, {"v": v} | ({"push": push} if count else {}))

    def _compiled(self, name: str, outputs: dict[str, ca.SX], extra: dict[str, ca.SX] | None = None) -> CompiledProgram:
        return compile_program(programs.build_program(name, self.layout, outputs, extra=extra))

    # --- numbers ---

    def inputs(self, parts: dict[str, np.ndarray], direction: np.ndarray) -> np.ndarray:
        """The input vector of a state, by parts (t q u z d p y, without tangents), and a direction."""
        unknowns = np.zeros(len(parts["y"]))
        return np.concatenate([parts["t"], parts["q"], parts["u"], parts["z"], direction, parts["d"], parts["p"],
                               np.zeros(len(parts["u"])), parts["y"], unknowns])

    def split(self, direction: np.ndarray) -> dict[str, np.ndarray]:
        """The parts (q u z d p t) of a direction; views."""
        return dict(zip("quzdpt", np.split(direction, self._ends), strict=True))

    def joined(self, **parts: np.ndarray) -> np.ndarray:
        """A direction from some of its parts."""
        direction = np.zeros(self.count)
        for name, own in self.split(direction).items():
            if name in parts:
                own[:] = parts[name]
        return direction

    def read(self, program: CompiledProgram, values: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs of a program by name."""
        out = program(values)
        return {name: out[program.slice_out(name)] for name, _ in program.program.outputs}
