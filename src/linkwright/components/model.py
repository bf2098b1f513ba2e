"""Models: components, connections and signals, nested to any depth."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError
from .component import Component, Connector, make_symbol
from .events import EventMethods
from .fields import Field, Guess, as_expression, refuse_nan
from .formulas import as_symbolic, building
from .motions import MotionMethods


class ModelType(type):
    """Knows when a model of some class is being made: plain numbers decide then how it is built."""

    def __call__(cls, *arguments, **given):
        with building():
            return super().__call__(*arguments, **given)


class Model(EventMethods, MotionMethods, Component, metaclass=ModelType):
    """A set of components and connections; a component itself when it is part of another model.

    Assigning an attribute names the component: `m.rev = joints.Revolute()`.
    """

    def __init__(self, name: str | None = None, **given):
        self.__dict__.update(title=name or type(self).__name__, _children={}, _connections=[], _outputs={}, _inputs={},
                             _integrals={}, _loose=[], _initial_equations=[], _actions=[], _motions=[], _controllers=[])
        super().__init__(**given)

    # --- building ---

    def __setattr__(self, name, value):
        if isinstance(value, Connector):
            if value.owner is not None:
                raise ModelError(f"{self.path}.{name}: the connector {value.path} belongs to {value.owner.path} "
                                 "already; use connect.", value)
            self._port(name, value)
        elif isinstance(value, Component):
            self._adopt(name, value)
        elif name.startswith("_") or name in type(self).fields():
            if name in type(self).fields() and self._children:
                self._refuse_unless_followed(name)
            super().__setattr__(name, value)
        elif name in self._children:
            raise ModelError(f"{self.path_of(name)} is a component and stays; choose another name.", self)
        elif isinstance(value, Field):
            raise ModelError(f"{self.path_of(name)}: parameters are declared in a class: class MyModel(lw.Model): "
                             f"{name} = lw.parameter(…).", self)
        else:
            self.__dict__[name] = value  # plain data of a user's model class

    def _refuse_unless_followed(self, name: str) -> None:
        """A parameter can change after the model was built if what was made of it follows."""
        where, _ = self._used_plainly.get(name, (None, None))
        if where is not None or name not in self._symbols:
            why = f"; it was used as a plain number in {where}" if where else ""
            raise ModelError(f"{self.path_of(name)}: the model was built with another value{why}. Give {name} when you "
                             "make it.", self)

    def _adopt(self, name: str, component: Component) -> None:
        if component._parent is not None:
            raise ModelError(f"{self.path_of(name)}: this {type(component).__name__} is already "
                             f"{component.path!r}; a component belongs to one place, make another.", component)
        if name in self._children:
            raise ModelError(f"{self.path_of(name)} is already there; choose another name.", component)
        component.__dict__["_parent"], component.__dict__["_name"] = self, name
        self._children[name] = component
        self.__dict__[name] = component

    def path_of(self, name: str) -> str:
        """Dotted name of a part, variable or parameter of the model."""
        return name if self._parent is None else f"{self.path}.{name}"

    @property
    def path(self) -> str:
        return self.title if self._parent is None else super().path

    def connect(self, *connectors: Connector) -> None:
        """Join connectors of one kind: they coincide, and their forces balance."""
        items = [self._connector_of(item) for item in connectors]
        if len(items) < 2:
            raise ModelError(f"{self.path}: connect needs at least two connectors, got {len(items)}.", self)
        first = items[0]
        for item in items[1:]:
            if item.kind != first.kind:
                hint = " Join them through planar.To3D." if "planar" in item.kind + first.kind else ""
                raise ModelError(f"cannot connect {first.path} (a {first.kind}) with {item.path} (a {item.kind})."
                                 f"{hint}", first, item)
        for item in items:
            if _top(item.owner) is not _top(self):
                raise ModelError(f"{item.path} belongs to another model; add its component to {self.path} first.", item)
        self._connections.append(tuple(items))

    def chain(self, *components: Component) -> None:
        """Connect frame_b to frame_a along the list; a component with a single frame offers that one."""
        for left, right in zip(components[:-1], components[1:], strict=True):
            self.connect(_side(left, "frame_b"), _side(right, "frame_a"))

    def _connector_of(self, item) -> Connector:
        if isinstance(item, Connector):
            if item.owner is None:
                raise ModelError("a connector must belong to a component or model before it is connected.", item)
            return item
        raise ModelError(f"{self.path}: connect joins connectors such as rev.frame_b, got {item!r}.", item)

    # --- signals ---

    def integral(self, expression, start: float = 0.0, name: str | None = None) -> ca.SX:
        """A continuous state ẏ = expression, y(0) = start; lw.guess(start) lets initial conditions find it."""
        name = name or f"integral{len(self._integrals) + 1}"
        symbol = make_symbol(f"{self.path_of(name)}", ())
        if isinstance(start, Guess):
            self._loose.append(name)
            start = start.value
        self._integrals[name] = (symbol, as_expression(expression, (), self.path_of(name)), float(start))
        return symbol

    def input(self, name: str, default: float = 0.0) -> ca.SX:
        """A signal from outside, given at simulate(inputs={name: …})."""
        if name in self._inputs:
            raise ModelError(f"{self.path}: the input {name!r} exists already.", self)
        if name in self._children or name in self._connectors:
            raise ModelError(f"{self.path}: {name!r} is the name of a component already; choose another for the input.",
                             self)
        symbol = make_symbol(self.path_of(name), ())
        self._inputs[name] = (symbol, float(default))
        return symbol

    def output(self, name: str, expression) -> None:
        """A result of the user's own: r[name]."""
        expression = as_symbolic(expression)
        expression = expression if isinstance(expression, ca.SX) else ca.vertcat(*np.atleast_1d(expression))
        refuse_nan(ca.vec(expression), self.path_of(name))
        self._outputs[name] = expression

    def init(self, left, right) -> None:
        """An initial equation left = right."""
        sides = [ca.vec(e) if isinstance(e, ca.SX) else ca.SX(np.ravel(np.asarray(e, dtype=float)))
                 for e in (as_symbolic(left), as_symbolic(right))]
        if sides[0].numel() != sides[1].numel() and 1 not in (sides[0].numel(), sides[1].numel()):
            raise ModelError(f"{self.path}: init(left, right) sets {sides[0].numel()} numbers equal to "
                             f"{sides[1].numel()}; give as many on both sides.", self)
        for side in sides:
            refuse_nan(side, f"{self.path}: init(left, right)")
        self._initial_equations.append(sides[0] - sides[1])

    # --- walking ---

    def leaves(self):
        """All components below that are not models, in order of creation."""
        for child in self._children.values():
            if isinstance(child, Model):
                yield from child.leaves()
            else:
                yield child

    def models(self):
        """This model and all models below."""
        yield self
        for child in self._children.values():
            if isinstance(child, Model):
                yield from child.models()

    # --- conveniences ---

    def show(self, **options):
        """Show the model at its initial state in a browser or notebook."""
        from .. import view

        return view.show_model(self, **options)

    def diagram(self, depth: int | None = None):
        """The connection diagram as SVG, tree and loops marked; with `depth`, deeper sub-models are one box."""
        from ..view.diagram import diagram

        return diagram(self, depth)


def _top(component: Component) -> Component:
    while component._parent is not None:
        component = component._parent
    return component


def _side(component, wanted: str) -> Connector:
    """The frame that `chain` uses on one side of a component."""
    if isinstance(component, Connector):
        return component
    ports = {name: port for name, port in component._connectors.items() if port.kind.endswith("frame")}
    if wanted in ports:
        return ports[wanted]
    if len(ports) == 1:
        return next(iter(ports.values()))
    raise ModelError(f"{component.path} has no {wanted} to chain; it offers {', '.join(ports) or 'no frames'}.",
                     component)
