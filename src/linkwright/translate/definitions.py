"""Every variable of every component, written in the engine's symbols.

A symbol in a law is one of: a quantity of the engine (coordinate, pose, velocity, …), registered when first met; a
variable that its component defines by an expression; a cut load or flange quantity, defined by balances; a program
input (time, parameter, state).  `expand` replaces defined symbols until only engine symbols are left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..language import Component, Connector, Frame, HeatPort, Owned, PartsList, elements, owned
from ..language.expressions import derivative
from ..language.fields import Parameter, Signal, plain_reads
from ..mechanism import TIME, Unknown, Variable
from .names import ResultNames

if TYPE_CHECKING:
    from ..algebra import Scalar


@dataclass(frozen=True)
class Answers:
    """Who answers for quantities that no component defines; by default nobody does.

    `frame` gives those of frames on massless parts, `plane` those of planar frames, `flange` those of flanges, by name;
    `load` is the cut load of a frame, `rate` what of a derivative comes from algebraic unknowns, `placed` whether a
    frame is connected to anything.
    """

    frame: Callable[[Frame, str], ca.SX | None] = lambda frame, name: None
    plane: Callable[[Any, str], Any] = lambda frame, name: None
    flange: Callable[[Any, str], Any] = lambda flange, name: None
    load: Callable[[Frame], Any] = lambda frame: None
    rate: Callable[[ca.SX], ca.SX] = lambda of: ca.SX.zeros(of.shape)
    placed: Callable[[Frame], bool] = lambda frame: True


class Definitions:
    """Expands expressions; `registry` collects the engine variables that were met, `unknowns` the unknowns of all."""

    def __init__(self, plan: PartsList) -> None:
        self.plan = plan
        self.registry: list[Variable] = []
        self.unknowns: list[Unknown] = []
        self.extra: dict[int, tuple[ca.SX, object]] = {}  # element hash → (symbol, thunk giving its expression)
        self._component_definitions: dict[int, dict[str, ca.SX]] = {}
        self._members = {id(component) for component in (*plan.components, *plan.model.models())}
        self._expanded: dict[int, ca.SX] = {}
        self._registered: set[int] = set()
        self._active: list[int] = []
        self.results = ResultNames(self)
        # definitions that depend on each other in a circle are cut at one symbol, which becomes an unknown
        self._torn: dict[int, Unknown | None] = {}
        self._closed = False
        self.state_rates: list[tuple[ca.SX, ca.SX]] = []  # states with their rates, in component symbols
        self._inputs: set[int] = set()
        for state in plan.states:
            self.state(state.symbol, state.rate)
        for model in plan.model.models():
            for name, (symbol, rate, _) in model._integrals.items():
                self.state(symbol, plan.formula(model.path_of(name), rate))
        for unknown in plan.unknowns:
            self._inputs.update(elements(unknown.symbol))
        self.answers = Answers()

    # --- who owns a symbol ---

    def define(self, symbol: ca.SX, thunk: Callable[[], ca.SX]) -> None:
        """Let `symbol` stand for the expression that `thunk()` gives."""
        self.extra |= dict.fromkeys(elements(symbol), (symbol, thunk))

    def input(self, symbol: ca.SX) -> None:
        """Let `symbol` be an input of the programs."""
        self._inputs.update(elements(symbol))

    def state(self, symbol: ca.SX, rate: ca.SX) -> None:
        """Let `symbol` be a state: an input of the programs, with a rate."""
        self.input(symbol)
        self.state_rates.append((symbol, rate))

    def _owner(self, element: int) -> Owned | None:
        """Whose symbol it is; None for symbols of nothing in this model."""
        found = owned(element)
        component = getattr(found.owner, "owner", found.owner) if found is not None else None
        return found if id(component) in self._members else None

    def ask(self, answers: Answers) -> None:
        """Ask these from now on."""
        self.answers = answers

    def add_rings(self) -> None:
        """Rings of laws that met themselves on the way become unknowns."""
        self.unknowns += [unknown for unknown in self._torn.values() if unknown is not None]

    def close(self) -> None:
        """The mechanism is made: no unknown can be added."""
        self._closed = True

    def forget(self) -> None:
        """Expand everything anew from now on, since symbols have been defined that were free before."""
        self._expanded.clear()

    # --- expanding ---

    def expand(self, expression: Scalar) -> ca.SX:
        """The expression in engine symbols alone."""
        expression = ca.SX(expression)
        symbols, values, seen = [], [], set()
        for entry in ca.symvar(expression):
            key = entry.element_hash()
            if key in seen:
                continue
            found = self._resolve(key)
            if found is None:
                continue
            symbol, value = found
            seen.update(elements(symbol))
            symbols.append(symbol)
            values.append(value)
        if not symbols:
            return expression
        free = [s for s in ca.symvar(expression) if s.element_hash() not in seen]
        return ca.Function("expand", [*symbols, *free], [expression]).call([*values, *free])[0]

    def _resolve(self, key: int) -> tuple[ca.SX, ca.SX] | None:
        """(whole symbol, its expanded expression), or None for engine symbols and program inputs."""
        if key in self._registered or key in self._inputs:
            return None
        if key in self.extra:
            symbol, thunk = self.extra[key]
            return symbol, self._memo(symbol, str(symbol), thunk)
        rate = derivative(key)
        if rate is not None:
            return self._derivative(rate.symbol, rate.of)
        owner = self._owner(key)
        if owner is None:
            return None
        symbol, thing, name = owner.symbol, owner.owner, owner.name
        if isinstance(thing, Frame) and name in Frame.QUANTITIES:
            special = self.answers.frame(thing, name)
            if special is not None:
                return symbol, self._memo(symbol, f"{thing.path}.{name}", lambda: special)
            self.register(symbol, name, thing.path)
            return None
        thunk = self._thunk(thing, name)
        return symbol, self._memo(symbol, f"{thing.path}.{name}", thunk)

    def _thunk(self, thing: Component | Connector, name: str) -> Callable[[], Any]:
        if isinstance(thing, Frame):
            if name not in ("f", "t"):
                return lambda: self.answers.plane(thing, name)
            return lambda: self.answers.load(thing)[0 if name == "f" else 1]
        if isinstance(thing, HeatPort):
            if id(thing) not in self.plan.heat_ports:
                raise ModelError(f"{thing.path} is connected to nothing and has no {name}; connect it to a part of "
                                 "linkwright.heat.", thing)
            return lambda: self.plan.heat_ports[id(thing)][name]
        if isinstance(thing, Connector):
            return lambda: self.answers.flange(thing, name)
        field = type(thing).fields().get(name)
        if isinstance(field, Parameter):
            return lambda: getattr(self.plan.values(thing), name)
        if isinstance(field, Signal):
            return lambda: self.plan.formula(thing.path_of(name), thing.signal(name))
        definition = self.component(thing).get(name)
        if definition is None:
            raise ModelError(f"{thing.path}.{name} has no value in this model.", thing)
        return lambda: definition

    def _memo(self, symbol: ca.SX, name: str, thunk: Callable[[], ca.SX]) -> ca.SX:
        key = symbol.nz[0].element_hash()
        if key not in self._expanded:
            if key in self._active:
                return self._tear(key, symbol, name)
            self._active.append(key)
            try:
                value = self.expand(ca.SX(thunk()))
            finally:
                self._active.pop()
            if value.shape != symbol.shape:
                if value.numel() != symbol.numel():
                    raise ModelError(f"{name}: expected {symbol.numel()} numbers, got {value.numel()}.", name)
                value = ca.reshape(value, *symbol.shape)
            if key in self._torn:
                # the circle is closed by an equation: symbol = its definition
                residual = ca.vec(symbol) - ca.vec(value)
                self._torn[key] = Unknown(name, ca.vec(symbol), residual, np.zeros(symbol.numel()))
                value = symbol
            self._expanded[key] = ca.densify(value)
        return self._expanded[key]

    def _tear(self, key: int, symbol: ca.SX, name: str) -> ca.SX:
        """A definition that leads back to itself: the symbol stays, as an unknown of the equations."""
        if self._closed:
            raise ModelError(f"{name} is defined by itself, and no law of the model depends on it. Break the ring, for "
                             "instance with a state (m.integral).", name)
        self._torn.setdefault(key, None)
        return symbol

    def _derivative(self, symbol: ca.SX, inner: ca.SX) -> tuple[ca.SX, ca.SX] | None:
        """der(e): an engine variable for its dependence on the motion, and the chain rule for states and unknowns."""
        of = self.expand(inner)
        extra = ca.SX.zeros(of.shape)
        for state, rate in self.state_rates:
            if ca.depends_on(of, state):
                extra += ca.reshape(ca.jtimes(ca.vec(of), ca.vec(state), self.expand(ca.vec(rate))), *of.shape)
        extra += self.answers.rate(of)
        if self._moves_by_itself(of):
            extra += ca.reshape(ca.jtimes(ca.vec(of), TIME, ca.SX(1)), *of.shape)
            return symbol, self._memo(symbol, "der", lambda: extra)
        if extra.is_zero():
            self._motion_rate(symbol, of)
            return None
        motion = ca.SX.sym("der", *of.shape)
        self._motion_rate(motion, of)
        return symbol, self._memo(symbol, "der", lambda: motion + extra)

    def _moves_by_itself(self, expression: ca.SX) -> bool:
        """Whether an expression depends on time, states and parameters alone."""
        known = [TIME, *(symbol for symbol, _ in self.state_rates), *(s for s, _ in self.plan.parameters.values())]
        hashes = {element for symbol in known for element in elements(symbol)}
        return all(symbol.element_hash() in hashes for symbol in ca.symvar(expression))

    def _motion_rate(self, symbol: ca.SX, of: ca.SX) -> None:
        """Registered as an engine variable of the expanded expression, on the level that it asks for."""
        quantities = [v.quantity for v in self.registry if ca.depends_on(of, ca.vec(v.symbol))]
        for quantity in quantities:
            if quantity in ("udot", "a", "z", "reaction", "lambda", "push", "grip", "der2"):
                raise ModelError("lw.der of an acceleration or a cut force does not exist here; differentiate "
                                 "positions and velocities only.")
        velocity = any(quantity in ("u", "w", "v", "V_AB", "der") for quantity in quantities)
        self.register(symbol, "der2" if velocity else "der", of)

    def register(self, symbol: ca.SX, quantity: str, of: str | tuple[str, str] | ca.SX,
                 turned: ca.SX | None = None) -> None:
        """Make a symbol known to the engine as a quantity, once."""
        if symbol.nz[0].element_hash() not in self._registered:
            self._registered.update(elements(symbol))
            self.registry.append(Variable(symbol, quantity, of, turned))

    def component(self, component: Component) -> dict[str, ca.SX]:
        """The definitions of a component, asked for once."""
        key = id(component)
        if key not in self._component_definitions:
            with plain_reads():
                self._component_definitions[key] = component.definitions(self.plan)
        return self._component_definitions[key]

    # --- results by name ---

    def lookup(self, name: str) -> ca.SX:
        """The expression of a result by its dotted name, in component symbols."""
        return self.results.lookup(name)

    def names(self) -> list[str]:
        """All result names."""
        return self.results.names()
