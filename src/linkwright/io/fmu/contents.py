"""What an FMU holds: its variables by name, with their places in the input vector, and its programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

import linkwright as lw

from ...codegen import Program
from ...compiler import system_of
from ...errors import ModelError, unknown_name
from ...integrate import FOR_STIFF, METHODS, NEVER, Method, choose
from ...integrate.step_programs import LedCode
from ...language.reads import inputs as model_inputs
from ...mechanism import Balance, Named
from ...result import unit_of
from ...run import FINEST, targets_of
from ...start import decisive_slots
from ...studies.lane_runs import Stepping, stepping_of
from ...system import closed_form, event_programs, given_motions
from .programs import more_programs

#: how the value of a variable is found
SLOT, SLOPE, OUTPUT, WITNESS = range(4)


@dataclass(frozen=True)
class Variable:
    """One number of an FMU: its role ("independent", "state", "derivative", "input", "output", "parameter",
    "indicator"), how it is found (SLOT … WITNESS) and where, its start value, unit, and of a derivative its state.

    A state may be `shown` as an output.
    """

    name: str
    role: str
    kind: int
    place: int
    start: float | None = None
    unit: str = ""
    of: int | None = None
    shown: bool = False


class Contents:
    """A model compiled for an FMU."""

    def __init__(self, model: lw.Model, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
                 tunable: Sequence[str] = (), accuracy: float = 1e-8, formulation: str | None = None,
                 what: str = "an FMU", method: str = "auto", fixed_step: float | None = None,
                 every_output: bool = False):
        self.model, self.accuracy, self.what, self.method, self.fixed_step = model, accuracy, what, method, fixed_step
        self.every_output = every_output
        implicit = _checked_method(method, accuracy, fixed_step).implicit
        self.system, self.state, self.closed = _compiled(model, tunable, formulation, implicit)
        refuse(self.system, what)
        known = [name for name, _, _ in model_inputs(model)]
        self.input_names = known if inputs is None else list(inputs)
        for name in self.input_names:
            if name not in known:
                raise unknown_name(name, known, "the list of inputs (m.input, or a signal left as a number)")
        own = [part.path_of(name) for part in model.models() for name in part._outputs]
        self.output_names = own if outputs is None else list(outputs)
        for name in self.output_names:
            self.system.expression(name)  # an unknown name is refused here

    @property
    def steps_in_words(self) -> str:
        """The method of its steps, and what to do where that does not suit."""
        words = choose(self.method, self.accuracy, self.fixed_step).description
        if self.method != "auto" or self.fixed_step is not None:
            return words
        if self.stepping.program.changes:
            return f"{words}; where the motion is stiff, {METHODS[FOR_STIFF].description}"
        return (f"{words}; it stays where the motion is stiff, since loops are in closed form (export such models with "
                'method="radau")')

    @cached_property
    def stepping(self) -> Stepping:
        """How it is stepped: as a simulation is."""
        return stepping_of(self.system, self.state, NEVER, method=self.method, accuracy=self.accuracy,
                           h=self.fixed_step, alone=True)

    @cached_property
    def more_programs(self) -> dict[str, Program]:
        """Programs beside those of a step."""
        return more_programs(self.system, self.closed, self.computed_outputs)

    @cached_property
    def code(self) -> LedCode:
        """The run as a tool leads it."""
        return self.code_of(set(self.more_programs))

    def code_of(self, roles: set[str]) -> LedCode:
        """The run, with some of the programs beside it."""
        chosen, events = self.stepping, self.system.mechanism.events
        more = {role: program for role, program in self.more_programs.items() if role in roles}
        return LedCode(chosen.program, more, self.input_vector, chosen.aim, chosen.usual,
                       FINEST if events.contacts or events.pressed else 1.0, self.closed)

    @cached_property
    def computed_outputs(self) -> list[str]:
        """Outputs that are no states, or all of them where that is wanted."""
        if self.every_output:
            return self.output_names
        names = state_names(self.system)
        states = {names[k] for k in self.state_places}
        return [name for name in self.output_names if name not in states]

    @cached_property
    def input_vector(self) -> np.ndarray:
        """(t | q u z | d p f y) at the start."""
        return self.system.layout.pack(self.stepping.state)

    @cached_property
    def decisive(self) -> dict[int, str]:
        """Slots of the input vector, with their names, that must keep their numbers until the run has begun."""
        return decisive_slots(self.system)

    @cached_property
    def state_places(self) -> list[int]:
        """Where in x the states lie that a tool integrates: without what follows from others or from time."""
        m, e = self.system.mechanism, self.system.equations
        given = given_motions.given(e) if self.system.code.given else {"q": {}, "u": {}}
        free = set(e.explicit.independent) if self.closed else set(range(m.nu))
        places = []
        for qs, us in zip(*m.slices(), strict=True):
            plain = qs.stop - qs.start == us.stop - us.start
            places += [k for k in range(qs.start, qs.stop) if k not in given["q"]
                       and (us.start + k - qs.start in free if plain else free.intersection(range(us.start, us.stop)))]
        places += [m.nq + k for k in range(m.nu) if k in free and k not in given["u"]]
        return [*places, *range(m.nq + m.nu, m.nq + m.nu + len(self.state.z))]

    @cached_property
    def witnesses(self) -> list[event_programs.Witness]:
        return event_programs.witnesses_of(self.system.equations) if self.system.mechanism.events else []

    @cached_property
    def variables(self) -> list[Variable]:
        """All variables; a variable's reference is its place in this list."""
        at, x = self.system.layout.places, self.input_vector
        found = [Variable("time", "independent", SLOT, 0, None, "s")]
        names = state_names(self.system)
        for k in self.state_places:
            found.append(Variable(names[k], "state", SLOT, 1 + k, float(x[1 + k]), self._unit(names[k]),
                                  shown=names[k] in self.output_names))
        first, taken = 1, set(names)
        for number, k in enumerate(self.state_places):
            unit, name = found[first + number].unit, f"der({names[k]})"
            name = f"derivative of {names[k]}" if name in taken else name
            found.append(Variable(name, "derivative", SLOPE, k, None, _per_second(unit), first + number))
        for name in self.input_names:
            part, where = self.system.slot(name)
            found += [Variable(own, "input", SLOT, k, float(x[k]), self._unit(name))
                      for own, k in _entries(name, at[part].start + where.start, where.stop - where.start)]
        for parameter in self._parameters():
            part, where = self.system.slot(parameter.name)
            found += [Variable(own, "parameter", SLOT, k, float(x[k]), self._unit(parameter.name))
                      for own, k in _entries(parameter.name, at[part].start + where.start, where.stop - where.start)]
        place = 0
        for name in self.computed_outputs:
            size = self.system.expression(name).numel()
            own = name if name not in {v.name for v in found} else f"output {name}"
            found += [Variable(entry, "output", OUTPUT, k, None, self._unit(name))
                      for entry, k in _entries(own, place, size)]
            place += size
        found += [Variable(f"event indicator {k + 1}", "indicator", WITNESS, k) for k in range(len(self.witnesses))]
        return found

    def _parameters(self) -> list[Named]:
        """Those that were asked for: code made before may have more, which keep their numbers."""
        origin = self.system.origin
        return [parameter for parameter in self.system.mechanism.parameters
                if origin is None or parameter.name in origin.tunable]

    def references(self, *roles: str) -> list[int]:
        return [k for k, variable in enumerate(self.variables) if variable.role in roles]

    def _unit(self, name: str) -> str:
        return unit_of(self, name)


def _compiled(model: lw.Model, tunable: Sequence[str], formulation: str | None,
              implicit: bool) -> tuple[lw.System, lw.State, bool]:
    """(system, start, whether all its loops are in closed form, which no implicit method uses)."""
    options = {} if formulation is None else {"formulation": formulation}
    system = system_of(model, tunable=list(tunable), **options)
    state = system.state()
    if not system.minimal or implicit:
        return system, state, False
    if system.code.has_closed_form and not system.equations.explicit.partial and closed_form.take_states(system, state):
        return system, state, True
    system = system_of(model, tunable=list(tunable), formulation="projection")
    return system, system.state(), False


def _checked_method(name: str, accuracy: float, fixed_step: float | None) -> Method:
    """The method; not steps of a length that does not fit the method."""
    method = choose(name, accuracy, fixed_step)
    if fixed_step is not None and not (np.isfinite(fixed_step) and fixed_step > 0):
        raise ModelError(f"fixed_step must be positive and finite, got {fixed_step}.")
    return method


def refuse(system: lw.System, what: str) -> None:
    """What `what` (an FMU, C) has not: things decided by searches among modes, Python, signals of the past."""
    m, events = system.mechanism, system.mechanism.events
    balances = [c for c in m.constraints if isinstance(c, Balance)] if events or m.discretes else []
    if events.stepped:
        raise ModelError(f"{m.name}: m.contacts found so many rigid contacts, or pairs of shapes without a formula, "
                         f"that they can only be stepped, which is not in {what} yet; name fewer pairs, or use a "
                         "compliant contact.", m.name)
    kinds = (("dry friction along several directions", events.balls, "use lw.LuGre"),
             ("a part without inertia that jumps with inputs or modes", balances, "give it some mass"))
    for kind, items, remedy in kinds:
        if items:
            name = items[0].name
            raise ModelError(f"{name}: {kind} is not in {what} yet; {remedy}.", name)
    for when in events.whens if system.equations.rows else ():
        for name, (part, _, _) in zip(when.names, targets_of(system, when), strict=True):
            if part in "qu":
                raise ModelError(f"{when.name}: it sets {name} in a mechanism with loops, friction or stops; what "
                                 f"the others then do is not in {what} yet. Set an auxiliary or discrete variable, or "
                                 "leave it out.", when.name)
    if m.controllers:
        raise ModelError(f"{m.name}: its sampled controllers (m.every) are Python and do not go into {what}; write "
                         "them as formulas (m.sample), or give what they set as inputs.", m.name)
    if m.memories:
        path = m.memories[0].path
        raise ModelError(f"{path}: delays are not in {what} yet; leave the block out, or make its signal "
                         "an input.", path)


def state_names(system: lw.System) -> list[str]:
    """Names of the entries of x; a speed by its own name (rev.w) where it has one, not as a derivative."""
    e, names = system.equations, [*system.part_names("q"), *system.part_names("u"), *system.part_names("z")]
    for k in range(system.mechanism.nu):
        at = system.mechanism.nq + k
        owner = names[at].removeprefix("der(").removesuffix(")").rpartition(".")[0]
        for short in (f"{owner}.w", f"{owner}.v"):
            if names[at].startswith("der(") and short in system.names_table:
                own = system.expression(short)
                names[at] = short if own.numel() == 1 and ca.is_equal(own, e.symbols["u"][k]) else names[at]
    return names


def _entries(name: str, first: int, size: int) -> list[tuple[str, int]]:
    return [(name if size == 1 else f"{name}[{k}]", first + k) for k in range(size)]


def _per_second(unit: str) -> str:
    """The unit of a derivative; "" where it has no simple name."""
    return {"": "", "rad": "rad/s", "m": "m/s", "rad/s": "rad/s2", "m/s": "m/s2", "1": "1/s"}.get(unit, "")
