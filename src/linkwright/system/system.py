"""The compiled mechanism: stateless, answers questions about a State."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NoReturn, TypeVar

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, MomentumMotor, VectorLike
from ..building import cached_property, one_at_a_time
from ..codegen import CompiledProgram
from ..equations import Equations
from ..errors import LinkwrightError, ModelError, unknown_name
from ..geometry import Touch
from ..mechanism import Mechanism
from . import diagnose, event_programs, redundancy, uniqueness
from . import report as reports
from .assembly import assemble
from .closed_form import take_states
from .code import Code
from .distances import shape_distance
from .first_guesses import Seeker, seekers
from .function import CompiledFunction
from .layout import Layout
from .minimal_states import SPEEDS, choice, choose, chosen_names
from .moment_arms import moment_arm
from .names import Names
from .quantities import AT_STAGE, QUANTITIES
from .stage import Stage
from .state import State
from .structure import Structure
from .tolerances import PREPARED

STATE_PARTS = ("t", "q", "u", "z", "d", "p", "y")
Prepared = TypeVar("Prepared")


@dataclass(frozen=True)
class Origin:
    """The model a system was compiled from, with what is needed to compile it again."""

    model: Any  # a Model, of which this room knows nothing
    tunable: tuple[str, ...]  # parameters that were asked for as inputs
    options: Mapping[str, Any]
    signals: Mapping[str, ca.SX] = field(default_factory=dict)  # inputs that are given over time
    kept: tuple[str, ...] = ()  # parameters that are inputs for another reason


class ByJoint(dict):
    """Force motors by the names of joints; a name that is not there suggests near ones."""

    def __missing__(self, name: str) -> NoReturn:
        raise unknown_name(str(name), self, "the list of joints")


class System(Structure):
    """A compiled model: `system = lw.compile(m)`.  All studies accept it in place of the model.

    A System never changes; its methods take the State at which they are evaluated.

        state = system.state()
        system.mass_matrix(state), system.momentum(state), state.get("body.r_0")
    """

    tier: str
    fast: bool
    initial: Mapping[str, object]  # values of variables in the initial state, of a mechanism described directly
    names_table: Names
    code: Code
    preference: np.ndarray  # per mobility: how much the user would like it to be a state
    starts_on: System | None  # the system that finds the start for this one: the same model, taken apart otherwise
    origin: Origin | None  # the model it was compiled from

    def __init__(self, mechanism: Mechanism, tier: str = "auto", fast: bool = False,
                 initial: Mapping[str, object] | None = None) -> None:
        equations = Equations(mechanism)
        names = Names(equations)
        self.__dict__.update(
            mechanism=mechanism, tier=tier, fast=fast, initial=dict(initial or {}), equations=equations,
            names_table=names, code=Code(equations, names, tier, fast), preference=np.ones(mechanism.nu),
            starts_on=None, origin=None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a System never changes, so {name} cannot be set; compile another one, or set values in "
                             "a State.")

    def variant(self, **changes: object) -> System:
        """A system on the same code with other values in the place of some attributes, and nothing remembered."""
        remembered = {name for kind in type(self).__mro__ for name, value in vars(kind).items()
                      if isinstance(value, cached_property)}
        other = object.__new__(type(self))
        other.__dict__.update({k: v for k, v in vars(self).items() if k not in remembered} | changes)
        return other

    def beginning_with(self, t: float = 0.0, **parts: np.ndarray) -> System:
        """The same with an initial state found elsewhere, by its time and parts q, u, z, p, d, y, taken as it is."""
        other = self.variant()
        other.__dict__["_first_state"] = State(other, t, **parts)
        return other

    @one_at_a_time
    def once(self, key: tuple, make: Callable[[], Prepared]) -> Prepared:
        """What a study prepares for this system, made once for each key; the last few are kept."""
        kept = self._prepared
        if key not in kept:
            kept[key] = make()
            while len(kept) > PREPARED:
                kept.pop(next(iter(kept)))
        return kept[key]

    @cached_property
    def _prepared(self) -> dict[tuple, Any]:
        return {}

    @property
    def model(self) -> Any:
        """The model that the system was compiled from."""
        return None if self.origin is None else self.origin.model

    # --- states ---

    def state(self, assembled: bool = True) -> State:
        """The initial state: given initial values, defaults for all others, and closed loops."""
        if not assembled:
            return self.state_from_defaults()
        try:
            return self._first_state.copy().as_start()
        except LinkwrightError as error:
            if error.model is None and self.origin is not None:
                error.model = self.origin.model  # so that error.show() can draw it
            raise

    def restarted(self, state: State) -> State:
        """The start with the time, parameters and inputs of a state that is a start (`State.begins`)."""
        from ..start import started

        return started(self, state)

    @cached_property
    def seekers(self) -> list[Seeker]:
        """Unknowns that find their own first guess."""
        return seekers(self.equations)

    @cached_property
    def _first_state(self) -> State:
        if self.mechanism.start is not None:
            from ..start import first_state

            return first_state(self)
        state, held = self._defaults_and_held()
        return assemble(self, state, np.where(held, np.inf, 1.0)) if self.mechanism.constraints else state

    def state_from_defaults(self) -> State:
        """Default coordinates and values, nothing solved."""
        return self._defaults_and_held()[0]

    def _defaults_and_held(self) -> tuple[State, np.ndarray]:
        m = self.mechanism
        values = {"q": m.default_q(), "u": np.zeros(m.nu), "y": self.layout.start_y}
        for part, items, kind in (("z", m.states, "start"), ("p", m.parameters, "value"), ("d", m.discretes, "value")):
            values[part] = np.concatenate([np.zeros(0), *[np.ravel(getattr(item, kind)) for item in items]])
        state = State(self, 0.0, **values)
        held = np.zeros(m.nu, dtype=bool)
        for name, value in self.initial.items():
            part, where, numbers = self.names_table.place(name, value, state)
            getattr(state, part)[where] = numbers
            if part in "qu":
                held |= self.moved_by(part, where)
        return state, held

    def assemble(self, state: State, weights: VectorLike | None = None) -> State:
        """A copy of the state in which the loops are closed; coordinates with larger `weights` change less."""
        return assemble(self, state, weights)

    def realize(self, state: State, stage: Stage) -> State:
        """Compute all quantities up to a stage that are not up to date, and return the state."""
        if not isinstance(stage, Stage):
            raise ModelError(f"realize: {stage!r} is no stage; take one of "
                             f"{', '.join(f'lw.Stage.{s.name}' for s in Stage)}.")
        names = [name for level, group in AT_STAGE.items() if level <= stage for name in group]
        self.evaluate(state, *names)
        return state

    def evaluate(self, state: State, *names: str) -> Any:
        """Quantities and variables at a state: one value for one name, a tuple for several.

        Results are cached in the state until a value they depend on changes.
        """
        if not isinstance(state, State):
            raise ModelError(f"expected a state, such as system.state() gives, got {state!r}.")
        event_programs.refresh(self, state)
        state.forget_outdated()
        missing = tuple(name for name in dict.fromkeys(names) if state.cached(name) is None)
        if missing:
            diagnose.check_finite(self, state)
            if "udot" in missing and diagnose.has_pivots(self):
                missing = tuple(dict.fromkeys((*missing, "pivots")))  # they come with the accelerations at no cost
            values = self.raw(state, *missing)
            if "pivots" in missing and "udot" in missing:
                diagnose.check_conditioning(self, state, *(values[missing.index(name)] for name in ("udot", "pivots")))
            for name, value in zip(missing, values if len(missing) > 1 else (values,), strict=True):
                stage = QUANTITIES[name][0] if name in QUANTITIES else Stage.REPORT
                if stage >= Stage.ACCELERATION and not np.all(np.isfinite(value)):
                    raise diagnose.singular(self, state)
                state.keep(name, stage, value)
                if name == "y":
                    state.y = value
        found = tuple(state.cached(name) for name in names)
        return found[0] if len(names) == 1 else found

    def raw(self, state: State, *names: str) -> Any:
        """Quantities and variables at a state as the code gives them, finite or not."""
        function = self._state_function(names)
        return function.unchecked(*[getattr(state, part) for part in STATE_PARTS])

    def _state_function(self, names: tuple[str, ...]) -> CompiledFunction:
        return self.function(STATE_PARTS, names)

    # --- operators ---

    def mass_matrix(self, state: State) -> np.ndarray:
        """The mass matrix M(q), nu × nu."""
        return self.evaluate(state, "mass_matrix")

    def solve_mass(self, state: State, f: VectorLike) -> np.ndarray:
        """The accelerations M⁻¹ f, computed without forming M."""
        function = self.function((*STATE_PARTS, "f"), ("solved_mass",))
        return function(*[getattr(state, part) for part in STATE_PARTS], f)

    def thermal_speeds(self, state: State, xi: VectorLike) -> np.ndarray:
        """Speeds u with uᵀM u = ξᵀξ, from the factors of the articulated-body recursion; for models without loops."""
        function = self.function((*STATE_PARTS, "f"), ("thermal_speeds",))
        return function(*[getattr(state, part) for part in STATE_PARTS], xi)

    def multiply_mass(self, state: State, a: VectorLike) -> np.ndarray:
        """The generalised forces M a."""
        a = np.asarray(a, dtype=float)
        if a.shape[:1] != (self.mechanism.nu,):
            raise ModelError(f"multiply_mass: {self.mechanism.nu} numbers are needed, got shape {a.shape}.")
        return self.mass_matrix(state) @ a

    def jacobian(self, state: State, frame: str) -> np.ndarray:
        """The 6 × nu Jacobian of a frame: (ω, v) of its origin, in its axes, per unit of every speed."""
        self.mechanism.frame(frame)
        return self.evaluate(state, f"jacobian({frame})")

    def inverse_dynamics(self, state: State, udot: VectorLike) -> np.ndarray:
        """The generalised forces that, with gravity and loads, cause the accelerations u̇; constraints are ignored."""
        diagnose.check_finite(self, state)
        function = self.function((*STATE_PARTS, "udot"), ("tau",))
        return function(*[getattr(state, part) for part in STATE_PARTS], udot)

    def moment_arm(self, state: State, length: str, coordinate: str) -> float:
        """The moment arm −∂l/∂q of a cable or muscle ("rope.l") about a coordinate ("elbow.phi"), in m (or 1)."""
        return moment_arm(self, state, length, coordinate)

    def constraint_matrix(self, state: State) -> np.ndarray:
        """The constraint matrix G with G u = 0: one row per constraint equation, one column per speed."""
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

    def distance(self, state: State, a: str, b: str) -> Touch:
        """The distance of two contact shapes, given by their names; they need not form a contact pair.

        Returns the gap (negative if they overlap), the unit normal from a to b and the closest point on each shape,
        in world axes.
        """
        return shape_distance(self, state, a, b)

    def reactions(self, state: State) -> ByJoint:
        """The force and torque that every joint applies to its outboard body, including the drive.

        Of a model, the load is given at frame_b in its axes, so it is minus `rev.frame_b.f`, `rev.frame_b.t`, also for
        a joint that closes a loop.  Of a mechanism described directly, it is given at M in M's axes.
        """
        values = self.evaluate(state, "reactions")
        motors = {b.joint: ForceMotor.from_vector(values[:, k]) for k, b in enumerate(self.mechanism.bodies)}
        joints = [*motors, *(c.name for c in self.mechanism.constraints)]
        named = [name for name in dict.fromkeys(joints) if f"{name}.frame_b.f" in self.mechanism.outputs]
        if named:
            loads = self.evaluate(state, *[f"{name}.frame_b.{load}" for name in named for load in "ft"])
            motors |= {name: -ForceMotor(loads[2 * k], loads[2 * k + 1]) for k, name in enumerate(named)}
        return ByJoint(motors)

    # --- roots ---

    def is_root(self, frame: str) -> bool:
        """Whether poses start at this frame: it belongs to the ground, or carries the coordinates of a free body."""
        return self._depth(frame) == 0

    def rooted(self, frame: str) -> bool:
        """Whether of its component's frames this one is nearest to the root."""
        owner = frame.rpartition(".")[0]
        siblings = [d for name, d in self.mechanism.depth.items() if name.rpartition(".")[0] == owner]
        return self._depth(frame) <= min(siblings, default=0)

    def _depth(self, frame: str) -> int:
        if frame not in self.mechanism.depth:
            raise unknown_name(frame, self.mechanism.depth, f"the list of frames of {self.mechanism.name!r}")
        return self.mechanism.depth[frame]

    # --- code ---

    def function(self, inputs: Sequence[str], outputs: Sequence[str]) -> CompiledFunction:
        """Compile a function from some of t, q, u, z, d, p, f, y, udot to quantities and variables given by name.

        Inputs that are left out keep the mechanism's own values, which are folded into the code.  Derivatives are
        along the mobilities: column k of "dudot_dq" is the change of u̇ per unit of motion along mobility k (∂u̇/∂q
        N(q) where q̇ = N u, so nu columns also where a joint has a quaternion); "dudot_du" is per unit of the speeds,
        and "dudot_dp" per unit of the parameters that are inputs.  All of them hold in loops too.
        """
        return self.code.function(tuple(inputs), tuple(outputs), self._defaults(inputs))

    def expression(self, name: str) -> ca.SX:
        """The CasADi expression of a quantity or variable."""
        return self.code.expression(name)

    def _defaults(self, inputs: Sequence[str]) -> dict[str, np.ndarray]:
        """Values of the inputs that are left out."""
        nu = self.mechanism.nu
        values = {"t": 0.0, "f": np.zeros(nu), "udot": np.zeros(nu)}
        parts = [part for part in ("q", "u", "z", "d", "p") if part not in inputs]
        if parts:
            state = self.state_from_defaults()
            values |= {part: getattr(state, part) for part in parts}
        return {name: value for name, value in values.items() if name not in inputs}

    @property
    def layout(self) -> Layout:
        """The common input vector (t | q u z | d p f y) of the programs."""
        return self.code.layout

    @property
    def rhs(self) -> CompiledProgram:
        """(q̇ u̇ ż | health | y)."""
        return self.code.closed_form["rhs"] if self.code.has_closed_form else self.code.rhs

    @property
    def compiled(self) -> list[CompiledProgram]:
        """All programs compiled so far."""
        return self.code.compiled

    # --- the report ---

    @cached_property
    def loops(self) -> tuple[reports.Loop, ...]:
        """The constraints with the joints they tie together."""
        return reports.loops(self)

    @cached_property
    def redundancy(self) -> redundancy.Redundancy:
        """Which constraint equations follow from others, over several positions."""
        return redundancy.analyse(self, self.state())

    @cached_property
    def not_unique(self) -> dict[str, tuple[str, ...]]:
        """Joint → directions of its reaction, at frame_b, that redundant equations leave open (see `uniqueness`)."""
        return uniqueness.not_unique(self, self.state())

    @property
    def dof(self) -> int:
        """Speeds that can be chosen freely, in general position; given motions and locks leave none."""
        return self.mechanism.nu - len(self.equations.given_speeds) - self.redundancy.rank_free

    @property
    def redundant(self) -> int:
        """Constraint equations that follow from others, in general position."""
        return self.redundancy.rows - self.redundancy.rank

    @property
    def minimal(self) -> bool:
        """Whether some coordinates follow from others, which are the states."""
        return choice(self.mechanism, SPEEDS) is not None

    @property
    def states(self) -> list[str]:
        """Names of the states (q, u, z); in the minimal formulation those chosen at the start."""
        # what counts turns is no state of the motion
        counts = [z.counts for z in self.mechanism.states for _ in range(z.symbol.numel())]
        auxiliary = [name for name, only in zip(self.part_names("z"), counts, strict=True) if not only]
        if not self.minimal:
            return [*self.part_names("q"), *self.part_names("u"), *auxiliary]
        state = self.state()
        if not take_states(self, state):
            choose(self, state)
        return [*chosen_names(self, state), *auxiliary]

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

    def report(self, full: bool = False) -> reports.Text:
        """The translation report, on one screen: bodies, degrees of freedom, loops, redundant equations, states, code.

        `full=True` lists every constraint with its joints, every redundancy and every remark.  `print(system)` prints
        the short one.

        >>> print(system.report(full=True))
        """
        return reports.text(self, full)

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return f"System({self.mechanism.name!r}, {len(self.mechanism.bodies)} bodies, {self.mechanism.nu} speeds)"
