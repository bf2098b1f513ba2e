"""Systems with tangents: the same mechanism, with the derivatives of its state by parameters behind the state.

Every program is that of the mechanism, with the columns of tangents (see `equations.tangents`) carried along:

| program | a column becomes |
|---|---|
| right-hand side | Ṡ, the differential of the slopes |
| projection | P S − G⁺ ∂g/∂p at the projected point, obeying the constraints; of closed forms the differential |
| prescribed motions | the differential of what is given |
| linearised equations | the same pencil once more for every column, which is all that an implicit step needs of them |

Variables have derivatives by name, "∂rev.phi/∂spring.c".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from ..building import cached_property
from ..codegen import ColumnsProgram, CompiledProgram, Shape
from ..equations import COMPANION, Column, Pencil, TangentEquations, linearise
from ..errors import unknown_name
from . import closed_form, minimal_states, programs
from . import given_motions as motions
from .code import Code
from .cotangents import Cotangents
from .entries import split_entry
from .layout import Layout
from .linearised import LinearisedCode, linearised_code
from .names import Names
from .quantities import QUANTITIES
from .state import State
from .system import System

__all__ = ["COMPANION", "OF_ALL", "Column", "TangentCode", "TangentEquations", "has_tangents", "tangent_state",
           "with_changes", "with_tangents", "without_tangents"]


#: quantities of the whole mechanism that have derivatives by name, as variables have
OF_ALL = ("kinetic_energy", "potential_energy", "momentum", "centre_of_mass")


class TangentNames(Names):
    """The variables of a mechanism, and their derivatives along the columns: "∂rev.phi/∂spring.c"."""

    equations: TangentEquations

    @cached_property
    def all(self) -> list[str]:
        """Every name but those of the columns themselves, which are in coordinates nobody chose."""
        hidden = {state.name for state in self.equations.added}
        return [name for name in Names.all.func(self) if name not in hidden]  # type: ignore[attr-defined]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or isinstance(name, str) and self._derivative(name) is not None

    def expression(self, name: str) -> ca.SX:
        """The traced expression of a variable, or of its derivative."""
        found = self._derivative(name)
        if found is None or super().__contains__(name):
            return super().expression(name)
        output, k = found
        if name not in self._finished:
            known = QUANTITIES[output][2](self.equations) if output in OF_ALL else super().expression(output)
            self._finished[name] = self.equations.along(known, k)
        return self._finished[name]

    def dimensions(self, name: str) -> int | None:
        found = self._derivative(name)
        if found is not None and found[0] in OF_ALL:
            return QUANTITIES[found[0]][1]
        return super().dimensions(name if found is None else found[0])

    def _derivative(self, name: str) -> tuple[str, int] | None:
        """(variable, number of the column) of the name of a derivative."""
        output, found, by = name.removeprefix("∂").partition("/∂")
        if not (found and name.startswith("∂") and (output in OF_ALL or super().__contains__(output))):
            return None
        return next(((output, k) for k, column in enumerate(self.equations.columns) if column.name == by), None)


class TangentCode(Code):
    """The programs of a structure with tangents; `plain` are those without."""

    equations: TangentEquations

    def __init__(self, equations: TangentEquations, names: Names, plain: Code):
        super().__init__(equations, names, plain.tier, plain.fast)
        self.plain = plain

    @cached_property
    def rhs(self) -> ColumnsProgram:  # type: ignore[override]
        """(q̇ u̇ ż Ṡ | health | y)."""
        e = self.point
        slopes = ca.vertcat(e.qdot, programs.stilled(e, e.udot), e.own_zdot)
        watched = not e.mechanism.is_tree or e.own_blocks
        return self._along_columns("rhs", slopes, {}, e.pivot if watched else None, stay=False)

    @cached_property
    def project(self) -> ColumnsProgram:  # type: ignore[override]
        """One iteration of coordinate projection."""
        outputs = programs.project_outputs(self._point_layout, closed_form.returning if self.has_closed_form else None)
        e = self.point
        in_force = not self.has_closed_form and minimal_states.choice(e.mechanism, minimal_states.SPEEDS) is not None
        return self._along_columns("project", programs.moved(e, outputs), outputs, None, True,
                                   programs.corrected(e, 0, in_force))

    @cached_property
    def closed_form(self) -> dict[str, CompiledProgram | ColumnsProgram]:  # type: ignore[override]
        """The programs of a stepper where all loops have closed forms."""
        e = self.point
        slopes, health = closed_form.restored_slopes(self._point_layout)
        restored = closed_form.project_outputs(self._point_layout)
        return {"rhs": self._along_columns("closed_rhs", slopes[: self.point.plain_size], {}, health, stay=False),
                "project": self._along_columns("closed_project", programs.moved(e, restored), restored, None,
                                               stay=True),
                "project_error": self._program(closed_form.project_error_program)}

    @cached_property
    def transposed(self) -> Cotangents:
        """The programs that carry cotangents backward, of a system with one column."""
        return Cotangents(self.equations, self.tier, self.fast)

    @cached_property
    def point(self) -> TangentEquations:
        """The equations with one column, whose direction is an input."""
        return TangentEquations(self.equations.plain, (Column("a direction"),), every=True)

    @cached_property
    def _point_layout(self) -> Layout:
        return Layout(self.point)

    def _along_columns(self, name: str, value: ca.SX, watched: dict[str, ca.SX], health: ca.SX | None, stay: bool,
                       along: ca.SX | None = None) -> ColumnsProgram:
        """Code for `value` and, along every column, its change (or `along`); then what is watched, health, unknowns."""
        point, layout, e = self.point, self._point_layout, self.equations
        unknowns = layout.unknowns[: len(point.own_blocks)] if name == "rhs" else []
        rest = {key: expression for key, expression in watched.items() if key not in ("q_new", "u_new", "z_new")}
        outputs = {"value": value, "along": point.along(value, 0) if along is None else along, **rest,
                   **dict.fromkeys(unknowns)}
        program = programs.build_program(name, layout, outputs, health=health)
        size = point.plain_size
        own = sum(n for _, n in program.outputs) - 2 * size
        more = len(self.layout.start_y) - sum(len(block.start) for block in point.own_blocks) if unknowns else 0
        whole = Shape(1 + size, size, e.height, self.layout.n_in - self.layout.places["z"].stop, own, own + more)
        seeds = np.zeros((len(e.columns), point.height - size))
        offsets = dict(zip("quzdpt", np.cumsum([0, *point.sizes]), strict=False))
        for k, column in enumerate(e.columns):
            if column.part:
                seeds[k, offsets[column.part] + column.entry - size] = 1.0
        kept = [offsets[part] + place - size for part, places in e.kept.items() for place in places]
        compiled = ColumnsProgram(program, whole, seeds, kept, stay)
        self.compiled.append(compiled)  # type: ignore[arg-type]
        return compiled

    @cached_property
    def prescribe(self) -> CompiledProgram:
        """The state with prescribed coordinates and speeds in their place."""
        e = self.equations
        outputs, given, columns = motions.prescribed(e), motions.given(e), []
        for k, state in enumerate(e.added):
            column = ca.SX(state.symbol)
            for first, values in ((0, given["q"]), (e.mechanism.nq, given["u"])):
                for place, value in values.items():
                    column[first + place] = e.along(value, k)
            columns.append(column)
        outputs["z_new"] = ca.vertcat(e.arguments["z"], *columns)
        return self._program(lambda layout: programs.build_program("prescribe", layout, outputs))

    @cached_property
    def linearised(self) -> LinearisedCode:
        """The linearised equations, once for the state and once more for every column."""
        e = self.equations
        own = linearise(e)
        return linearised_code(_repeated(own, e), self.layout, self._program)


def _repeated(own: Pencil, e: TangentEquations) -> Pencil:
    """The pencil of the state with columns: δẋ and δS obey the same equations, each with unknowns w of its own.

    How Ṡ changes with x is left out: an iteration finds x first, and S then.
    """
    m = e.mechanism
    nx, nz = m.nq + m.nu + e.own_states, len(e.columns) * e.height
    rows = [*range(own.P.shape[0] - nz)]  # those of the columns themselves say nothing
    P, Q_x, Q_w = own.P[rows, :nx], own.Q[rows, :nx], own.Q[rows, nx + nz :]
    rest = e.height - nx
    wide = [ca.blockcat([[P, ca.SX(len(rows), rest)], [ca.SX(rest, nx), ca.SX.eye(rest)]])] * len(e.columns)
    along = [ca.diagcat(Q_x, ca.SX(rest, rest))] * len(e.columns)
    through = [ca.vertcat(Q_w, ca.SX(rest, Q_w.shape[1]))] * len(e.columns)
    return Pencil(ca.diagcat(P, *wide), ca.horzcat(ca.diagcat(Q_x, *along), ca.diagcat(Q_w, *through)))


def with_tangents(system: System, columns: Sequence[Column], sizes: Sequence[float],
                  freed: Sequence[str] = ()) -> System:
    """The system with columns of tangents; `sizes` are the unit changes of what each is the derivative by.

    An error of a column counts as the error that it makes of the state when its parameter changes by its size.  Own
    auxiliary states and columns count apart, though they lie in one vector.  Columns may change parameters and discrete
    variables that are `freed`, beside those that the start solves for.
    """
    freed = (*freed, *(() if system.mechanism.start is None else system.mechanism.start.freed))
    code = system.code.variant((*columns, *freed), lambda: _code(system, columns, freed))
    assert isinstance(code, TangentCode), "made here"
    e = code.equations
    height = e.plain_size + len(e.kept["d"])  # parameters have no error
    count = e.own_states + len(columns) * e.height
    apart = np.sqrt(count / max(e.own_states, 1)), np.sqrt(count / max(height, 1))
    states = [replace(state, weight=state.weight * apart[0]) for state in system.mechanism.states]
    states += [replace(state, weight=size * apart[1]) for state, size in zip(e.added, sizes, strict=True)]
    return system.variant(mechanism=replace(system.mechanism, states=tuple(states)), equations=e,
                          names_table=code.names, code=code, starts_on=None)


def _code(system: System, columns: Sequence[Column], freed: Sequence[str]) -> TangentCode:
    equations = TangentEquations(system.equations.mechanism, columns, freed=freed)
    return TangentCode(equations, TangentNames(equations), system.code)


def tangent_state(system: System, state: State, columns: np.ndarray) -> State:
    """The state of a system with tangents: that of the system without, and the columns as rows of an array."""
    y = np.concatenate([state.y, np.zeros(len(system.layout.start_y) - len(state.y))])
    return State(system, state.t, q=state.q, u=state.u, z=np.concatenate([state.z, columns.ravel()]), p=state.p,
                 d=state.d, y=y)


def without_tangents(system: System, state: State) -> State:
    """The state of a system in one of the same with tangents, which may have further parameters as inputs."""
    p, d = (dict(zip(state.system.part_names(part), getattr(state, part), strict=True)) for part in "pd")
    return State(system, state.t, q=state.q, u=state.u, z=state.z[: len(system.part_names("z"))],
                 p=np.array([p[name] for name in system.part_names("p")]),
                 d=np.array([d[name] for name in system.part_names("d")]), y=state.y[: len(system.layout.start_y)])


class StateChanges:
    """How variables at a state change along columns of tangents, by name."""

    def __init__(self, state: State):
        self.state = state

    def of(self, output: str, parameter: str) -> np.ndarray:
        """∂ output / ∂ parameter."""
        names = self.state.system.names_table
        whole, place = split_entry(output, names)
        if whole not in names:
            raise unknown_name(output, self.state.system.names, "the state")
        columns = [column.name for column in self.state.system.equations.columns]
        entries = [parameter] if parameter in columns else [c for c in columns if c.startswith(f"{parameter}[")]
        if not entries:
            raise unknown_name(parameter, columns, "what the state was differentiated by (sensitivities=)")
        values = [np.asarray(self.state.get(f"∂{whole}/∂{name}"))[place] for name in entries]
        return values[0] if parameter in columns else np.stack(values, axis=-1)


def with_changes(system: System, state: State, columns: Sequence[Column], rows: np.ndarray) -> State:
    """A copy of a state that knows how it changes along columns of tangents, given one row each."""
    wide = with_tangents(system, columns, [1.0] * len(columns))
    out = state.copy()
    out.changes = StateChanges(tangent_state(wide, state, rows))
    return out


def has_tangents(system: System) -> bool:
    """Whether columns of tangents run beside the state of a system."""
    return isinstance(system.equations, TangentEquations)
