"""The compiled mechanism: stateless, answers questions about a State."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, MomentumMotor
from ..codegen import CompiledProgram, compile_program
from ..equations import Equations
from ..errors import ModelError, unknown_name
from ..mechanism import Mechanism
from . import diagnose, programs, report
from .assembly import assemble
from .function import CompiledFunction, written_as
from .names import Names
from .quantities import AT_STAGE, QUANTITIES, shape
from .stage import Stage
from .state import State
from .structure import Structure

STATE_PARTS = ("t", "q", "u", "z", "d", "p", "y")
FORMULATIONS = (None, "projection")


def compile_mechanism(mechanism: Mechanism, tier: str = "auto", fast: bool = False, formulation: str | None = None,
                      tunable: Sequence[str] | None = None, initial: Mapping[str, object] | None = None) -> System:
    """The system of a mechanism; code is generated when a question first needs it.

    `tier` is "quick", "optimised" or "auto"; `fast` allows reassociated arithmetic; `tunable` names parameters that
    must be inputs; `initial` gives the values of variables in the initial state, by name.
    """
    if formulation not in FORMULATIONS:
        raise ModelError(f"formulation = {formulation!r} does not exist; choose 'projection' (the default).")
    if tier not in ("auto", "quick", "optimised"):
        raise ModelError(f"tier = {tier!r} does not exist; choose 'auto', 'quick' or 'optimised'.")
    known = [parameter.name for parameter in mechanism.parameters]
    for name in tunable or ():
        if name not in known:
            raise unknown_name(name, known, f"the list of tunable parameters of {mechanism.name!r}")
    return System(mechanism, tier, fast, dict(initial or {}))


class System(Structure):
    """A mechanism as machine code.  Nothing in it changes; every question names the State it is about."""

    def __init__(self, mechanism: Mechanism, tier: str = "auto", fast: bool = False,
                 initial: Mapping[str, object] | None = None):
        self.mechanism, self.tier, self.fast = mechanism, tier, fast
        self.initial = dict(initial or {})
        self.equations = Equations(mechanism)
        self.names_table = Names(self.equations)
        self.starter = None  # a model's own way to its initial state
        self.compiled: list[CompiledProgram] = []
        self._functions: dict[tuple, CompiledFunction] = {}

    # --- states ---

    def state(self, assembled: bool = True) -> State:
        """The initial state: default coordinates, the given initial values, loops closed around them."""
        if self.starter is not None and assembled:
            return self.starter(self)
        state, held = self._defaults_and_held()
        if not assembled or not self.mechanism.constraints:
            return state
        return assemble(self, state, np.where(held, np.inf, 1.0))

    def state_from_defaults(self) -> State:
        """Default coordinates and values, nothing solved."""
        return self._defaults_and_held()[0]

    def _defaults_and_held(self):
        m = self.mechanism
        values = {"q": m.default_q(), "u": np.zeros(m.nu), "y": self.layout.start_y}
        for part, items, field in (("z", m.states, "start"), ("p", m.parameters, "value"), ("d", m.discretes, "value")):
            values[part] = np.concatenate([np.zeros(0), *[np.ravel(getattr(item, field)) for item in items]])
        state = State(self, 0.0, **values)
        held = np.zeros(m.nu, dtype=bool)
        for name, value in self.initial.items():
            part, where, numbers = self.names_table.place(name, value, state)
            getattr(state, part)[where] = numbers
            if part in "qu":
                held |= self.moved_by(part, where)
        return state, held

    def assemble(self, state: State, weights=None) -> State:
        """A copy of the state with the loops closed; see `assembly.assemble`."""
        return assemble(self, state, weights)

    def realize(self, state: State, stage: Stage) -> State:
        """Compute everything up to a stage, unless the state still holds it; gives the state back."""
        names = [name for level, group in AT_STAGE.items() if level <= stage for name in group]
        self.evaluate(state, *names)
        return state

    def evaluate(self, state: State, *names: str):
        """Quantities and variables at a state; one comes back as it is, several as a tuple.

        Results are kept in the state until something they depend on changes.
        """
        state.forget_outdated()
        missing = tuple(name for name in dict.fromkeys(names) if state.cached(name) is None)
        if missing:
            diagnose.check_finite(self, state)
            values = self.raw(state, *missing)
            for name, value in zip(missing, values if len(missing) > 1 else (values,), strict=True):
                stage = QUANTITIES[name][0] if name in QUANTITIES else Stage.REPORT
                if stage >= Stage.ACCELERATION and not np.all(np.isfinite(value)):
                    raise diagnose.singular(self, state)
                state.keep(name, stage, value)
                if name == "y":
                    state.y = value
        found = tuple(state.cached(name) for name in names)
        return found[0] if len(names) == 1 else found

    def raw(self, state: State, *names: str):
        """Quantities and variables at a state as the code gives them, finite or not."""
        function = self._state_function(names)
        return function(*[getattr(state, part) for part in STATE_PARTS])

    def _state_function(self, names: tuple[str, ...]) -> CompiledFunction:
        return self.function(STATE_PARTS, names)

    # --- operators ---

    def mass_matrix(self, state: State) -> np.ndarray:
        """M(q), nu × nu."""
        return self.evaluate(state, "mass_matrix")

    def solve_mass(self, state: State, f) -> np.ndarray:
        """M⁻¹ f, without forming M."""
        function = self.function((*STATE_PARTS, "f"), ("solved_mass",))
        return function(*[getattr(state, part) for part in STATE_PARTS], f)

    def multiply_mass(self, state: State, a) -> np.ndarray:
        """M a."""
        a = np.asarray(a, dtype=float)
        if a.shape[:1] != (self.mechanism.nu,):
            raise ModelError(f"multiply_mass: {self.mechanism.nu} numbers are needed, got shape {a.shape}.")
        return self.mass_matrix(state) @ a

    def jacobian(self, state: State, frame: str) -> np.ndarray:
        """6 × nu: (ω, v) of the frame's origin in the frame's axes, per unit of every speed."""
        self.mechanism.frame(frame)
        return self.evaluate(state, f"jacobian({frame})")

    def inverse_dynamics(self, state: State, udot) -> np.ndarray:
        """The mobility forces that give the accelerations u̇, beside gravity and loads, constraints left out."""
        diagnose.check_finite(self, state)
        function = self.function((*STATE_PARTS, "udot"), ("tau",))
        return function(*[getattr(state, part) for part in STATE_PARTS], udot)

    def constraint_matrix(self, state: State) -> np.ndarray:
        """G, one row per constraint equation."""
        return self.evaluate(state, "constraint_matrix")

    def kinetic_energy(self, state: State) -> float:
        return self.evaluate(state, "kinetic_energy")

    def potential_energy(self, state: State) -> float:
        return self.evaluate(state, "potential_energy")

    def momentum(self, state: State) -> MomentumMotor:
        """Linear momentum, and angular momentum about the world's origin, in the world's axes."""
        return MomentumMotor.from_vector(self.evaluate(state, "momentum"))

    def centre_of_mass(self, state: State) -> np.ndarray:
        return self.evaluate(state, "centre_of_mass")

    def reactions(self, state: State) -> dict[str, ForceMotor]:
        """The force motor through every joint on its outboard body, at M in M's axes, drive included."""
        values = self.evaluate(state, "reactions")
        return {b.joint: ForceMotor.from_vector(values[:, k]) for k, b in enumerate(self.mechanism.bodies)}

    # --- code ---

    def function(self, inputs: Sequence[str], outputs: Sequence[str]) -> CompiledFunction:
        """Compiled code from some of t q u z d p f y udot to quantities and variables, by name.

        Inputs that are left out keep the mechanism's own values, which are folded into the code.
        """
        key = (tuple(inputs), tuple(outputs))
        if key not in self._functions:
            allowed = (*programs.INPUTS, "udot")
            for name in key[0]:
                if name not in allowed:
                    raise unknown_name(name, allowed, "the list of inputs of a function")
            if not key[1] or len(set(key[0])) < len(key[0]) or len(set(key[1])) < len(key[1]):
                raise ModelError("a function needs at least one output, and every name once.")
            expressions = {name: self.expression(name) for name in key[1]}
            written = {written_as(name): e for name, e in expressions.items()}
            program = programs.build_program("f", self.layout, written, key[0], self._defaults(key[0]))
            sizes = [(name, self.layout.size(name)) for name in key[0]]
            shapes = [(name, self._shape(name, e)) for name, e in expressions.items()]
            self._functions[key] = CompiledFunction(program, sizes, shapes, self.tier, self.fast, self.compiled.append)
        return self._functions[key]

    def expression(self, name: str) -> ca.SX:
        """The traced expression of a quantity or variable."""
        if name in self.names_table:
            return self.names_table.expression(name)
        if name in QUANTITIES:
            return QUANTITIES[name][2](self.equations)
        if name.startswith("jacobian(") and name.endswith(")"):
            return self.equations.jacobian(name[9:-1])
        raise unknown_name(name, [*self.names_table.all, *QUANTITIES], f"{self.mechanism.name!r}")

    def _shape(self, name: str, expression: ca.SX) -> tuple[int, ...]:
        if name in self.names_table:
            return shape(expression, self.names_table.dimensions(name))
        return shape(expression, QUANTITIES[name][1] if name in QUANTITIES else 2)

    def _defaults(self, inputs: Sequence[str]) -> dict[str, np.ndarray]:
        """Values of the inputs that are left out."""
        m = self.mechanism
        state = self.state(assembled=False)
        values = {"t": 0.0, "f": np.zeros(m.nu), "udot": np.zeros(m.nu)}
        values |= {part: getattr(state, part) for part in ("q", "u", "z", "d", "p")}
        return {name: value for name, value in values.items() if name not in inputs}

    @cached_property
    def layout(self) -> programs.Layout:
        """The common input vector (t | q u z | d p f y)."""
        return programs.Layout(self.equations)

    @cached_property
    def rhs(self) -> CompiledProgram:
        """(q̇ u̇ ż | health | y)."""
        return self._program(programs.rhs_program)

    @cached_property
    def qdot(self) -> CompiledProgram:
        return self._program(programs.qdot_program)

    @cached_property
    def project(self) -> CompiledProgram:
        """One iteration of coordinate projection."""
        return self._program(programs.project_program)

    @cached_property
    def project_error(self) -> CompiledProgram:
        return self._program(programs.project_error_program)

    def _program(self, make) -> CompiledProgram:
        compiled = compile_program(make(self.layout), tier=self.tier, fast=self.fast)
        self.compiled.append(compiled)
        return compiled

    # --- the report ---

    @cached_property
    def loops(self) -> tuple[report.Loop, ...]:
        """The constraints with the joints they tie together."""
        return report.loops(self)

    @cached_property
    def _rank(self) -> int:
        return report.rank(self, self.state())

    @property
    def dof(self) -> int:
        """Speeds that can be chosen freely at the initial state."""
        return self.mechanism.nu - self._rank

    @property
    def redundant(self) -> int:
        """Constraint equations that follow from others at the initial state."""
        return sum(r.G.shape[0] for r in self.equations.rows) - self._rank

    @property
    def states(self) -> list[str]:
        """Names of the states (q, u, z)."""
        return [*self.part_names("q"), *self.part_names("u"), *self.part_names("z")]

    @property
    def names(self) -> list[str]:
        """Names of all variables."""
        return self.names_table.all

    @property
    def n_compiled(self) -> int:
        """How many programs have been compiled (or loaded from the cache) so far."""
        return len(self.compiled)

    @property
    def instructions(self) -> int:
        """Arithmetic operations of one evaluation of the right-hand side."""
        return self.rhs.instructions

    def __str__(self) -> str:
        return report.text(self)

    def __repr__(self) -> str:
        return f"System({self.mechanism.name!r}, {len(self.mechanism.bodies)} bodies, {self.mechanism.nu} speeds)"
