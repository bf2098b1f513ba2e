"""Models: components, connections and signals, nested to any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import casadi as ca

from ..errors import ModelError
from .actions import EventMethods
from .component import Component, Connector
from .fields import Field, Guess
from .formulas import building
from .given_motions import MotionMethods
from .given_values import as_expression, as_matrix, as_number, is_condition, refuse_nan
from .placeholders import own
from .symbol_owners import make_symbol
from .wanted_contacts import ContactPairs, Wanted

#: results that every model has, of the whole of it
BUILT_IN = ("kinetic_energy", "potential_energy", "elastic_energy", "fixman_energy", "momentum", "centre_of_mass",
            "reactions")


class ModelType(type):
    """Knows when a model of some class is being made: plain numbers decide then how it is built."""

    def __call__(cls, *arguments: Any, **given: Any) -> Any:
        with building():
            return super().__call__(*arguments, **given)


class PartsOfAList(tuple):
    """A list of components once it is part of a model: it stays as it is."""

    def _refuse(self, *given: object, **options: object) -> NoReturn:
        raise ModelError("a list of components stays as it was assigned, since its parts have their names from it; "
                         "assign the list when it is complete, m.leg = [Leg(), Leg()].", *self[:1])

    append = extend = insert = remove = pop = clear = sort = reverse = __setitem__ = __delitem__ = __iadd__ = _refuse


class Model(EventMethods, MotionMethods, Component, metaclass=ModelType):
    """A set of components and connections; a component itself when it is part of another model.

    Assigning an attribute names the component: `m.rev = joints.Revolute()`.  A list of them, `m.leg = [Leg(), Leg()]`,
    is named leg[0], leg[1] and so on.
    """

    def __init__(self, name: str | None = None, **given: object) -> None:
        self.__dict__.update(title=name or type(self).__name__, _children={}, _connections=[], _outputs={},
                             _output_units={}, _inputs={}, _contacts=[], _chained_past=[], _integrals={}, _loose=[],
                             _initial_equations=[], _actions=[], _motions=[], _controllers=[])
        super().__init__(**given)

    # --- building ---

    def __setattr__(self, name: str, value: object) -> None:
        if name == "title" and isinstance(value, (Component, Connector)) or hasattr(Model, name):
            raise ModelError(f"{self.path_of(name)}: a model uses this name itself; choose another.", self)
        if isinstance(value, Connector):
            if value.owner is not None:
                raise ModelError(f"{self.path}.{name}: the connector {value.path} belongs to {value.owner.path} "
                                 "already; use connect.", value)
            self._port(name, value)
        elif isinstance(value, Component):
            self._adopt(name, value)
        elif isinstance(value, (list, tuple)) and any(map(_holds_parts, value)):
            self._adopt_all(name, value)
        elif name.startswith("_") or name in type(self).fields():
            if name in type(self).fields() and self._children:
                self._refuse_unless_followed(name)
            super().__setattr__(name, value)
        elif self._is_part(name):
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
        self._refuse_taken(name)
        if _top(self) is component:
            raise ModelError(f"{self.path_of(name)}: a model cannot be a part of itself.", component)
        component.__dict__["_parent"], component.__dict__["_name"] = self, name
        self._children[name] = component
        self.__dict__[name] = component

    def _adopt_all(self, name: str, items: Sequence) -> None:
        """Components or connectors (or lists of them) that belong together, each with its number."""
        self._refuse_taken(name)
        for k, item in enumerate(items):
            if not _holds_parts(item):
                raise ModelError(f"{self.path_of(name)}: a list of components holds nothing else, got {item!r}.", self)
            setattr(self, f"{name}[{k}]", item)
        self.__dict__[name] = PartsOfAList(items)

    def _is_part(self, name: str) -> bool:
        """Whether a component or connector is called so, or a list of them."""
        return name in self._children or name in self._connectors or (
            isinstance(held := self.__dict__.get(name), tuple) and _holds_parts(held))

    def __delattr__(self, name: str) -> None:
        if self._is_part(name):
            raise ModelError(f"{self.path_of(name)} is a component and stays; build the model without it.", self)
        super().__delattr__(name)

    def _refuse_taken(self, name: str) -> None:
        """A new name must be a word that nothing else here is called by."""
        if not isinstance(name, str):
            raise ModelError(f"{self.path}: a name is a word in quotes, got {name!r}.", self)
        if name.startswith("_"):
            raise ModelError(f"{self.path_of(name)}: names with a leading _ are the model's own; choose another.", self)
        if name in BUILT_IN and self._parent is None:
            raise ModelError(f"{self.path_of(name)}: every model has a result of this name; choose another.", self)
        if any(name in signals for signals in (self._integrals, self._inputs, self._outputs)) \
                or self._is_part(name.partition(".")[0]):
            hint = "" if name not in self._inputs else (
                " It is an input: give that a name of its own, or leave the part's signal open, which makes an input "
                f"of it, such as inputs={{'{self.path_of(name)}.excitation': 0.5}} of a muscle.")
            raise ModelError(f"{self.path_of(name)} is already there; choose another name.{hint}", self)

    def path_of(self, name: str) -> str:
        """Dotted name of a part, variable or parameter of the model."""
        return name if self._parent is None else f"{self.path}.{name}"

    @property
    def path(self) -> str:
        return self.title if self._parent is None else super().path

    def connect(self, *connectors: Connector) -> None:
        """Connect two or more connectors of one kind: they coincide, and their forces and torques add up to zero.

            m.connect(m.motor.flange, m.gear.flange_a)
        """
        items = [self._connector_of(item) for item in connectors]
        if len(items) < 2:
            raise ModelError(f"{self.path}: connect needs at least two connectors, got {len(items)}.", self)
        first = items[0]
        if len({id(item) for item in items}) < len(items):
            raise ModelError(f"{self.path}: {first.path} is connected to itself; join different connectors.", first)
        for item in items[1:]:
            if item.kind != first.kind:
                frames = all("frame" in kind for kind in (item.kind, first.kind))
                hint = " Join them through planar.To3D." if frames and "planar" in item.kind + first.kind else ""
                raise ModelError(f"cannot connect {first.path} (a {first.kind}) with {item.path} (a {item.kind})."
                                 f"{hint}", first, item)
        for item in items:
            if item.owner._parent is None and not isinstance(item.owner, Model):
                raise ModelError(f"{item.path}: this {type(item.owner).__name__} is no part of {self.path} yet; give "
                                 "it a name first: m.part = ….", item)
            if _top(item.owner) is not _top(self):
                raise ModelError(f"{item.path} belongs to another model; add its component to {self.path} first.", item)
        self._connections.append(tuple(items))

    def chain(self, *components: Component) -> None:
        """Connect the components one after another: frame_b of each to frame_a of the next.

        A component with only one frame (a Body, the World) is connected by that frame.

            m.chain(m.world, m.hinge, m.body)
        """
        if len(components) < 2:
            raise ModelError(f"{self.path}: chain takes two or more components one after another: m.chain(m.world, "
                             f"m.rev, m.body); got {', '.join(map(repr, components)) or 'none'}.", self)
        for left, right in zip(components[:-1], components[1:], strict=True):
            self.connect(_side(left, "frame_b"), _side(right, "frame_a"))
        self._chained_past.extend(two for two in zip(components[1:-1], components[2:], strict=True)
                                  if isinstance(two[0], Component) and "frame_b" not in two[0]._connectors)

    def contacts(self, law: object = None, between: Iterable[tuple[Component, Component]] | None = None,
                 ) -> ContactPairs:
        """Create a contact pair for every two shapes on different bodies that no joint connects.

        Pairs are named after their shapes: r["floor/skin.gap"].  `law` is a law of `linkwright.contact`; without it,
        the materials of the shapes determine the law.  `between` lists the pairs of shapes that can touch; then no
        other pairs are created, and joints between the bodies do not matter:

            m.contacts(law=contact.Rigid(mu=0.6), between=[(m.floor, m.left_foot), (m.floor, m.right_foot)])

        Returns the pairs, found when you read them: `print(m.contacts())`, `len(…)`, `for a, b in …`.
        """
        if law is not None and not (callable(getattr(law, "normal", None)) or hasattr(law, "impact")) \
                or isinstance(law, type):
            hint = f" Give one made of it: contact.{law.__name__}(…)." if isinstance(law, type) else ""
            raise ModelError(f"{self.path}: contacts(law={law!r}) is no law of contact; give one of contact's, such as "
                             f"contact.Rigid(mu=0.5), or an object with normal(x, v).{hint}", self)
        if hasattr(law, "check"):
            law.check(self)
        wanted = Wanted(law, None if between is None else tuple(map(self._two_shapes, between)))
        self._contacts.append(wanted)
        return ContactPairs(self, wanted)

    def _two_shapes(self, pair: Any) -> tuple[Component, Component]:
        """An entry of contacts(between=…)."""
        shapes = tuple(pair) if isinstance(pair, (tuple, list)) else ()
        if len(shapes) != 2 or shapes[0] is shapes[1] or not all(hasattr(shape, "pair_with") for shape in shapes):
            raise ModelError(f"{self.path}: contacts(between=…) is a list of pairs of different shapes of contact, "
                             f"such as [(m.floor, m.skin)]; got {pair!r}.", self)
        return shapes[0], shapes[1]

    def _connector_of(self, item: object) -> Connector:
        if isinstance(item, Connector):
            if item.owner is None:
                raise ModelError("a connector must belong to a component or model before it is connected.", item)
            return item
        raise ModelError(f"{self.path}: connect joins connectors such as rev.frame_b, got {item!r}.", item)

    # --- signals ---

    def integral(self, expression: object, start: float = 0.0, name: str | None = None) -> ca.SX:
        """Add a continuous state y with ẏ = expression and y(0) = start, and return it for use in formulas.

        With `start=lw.guess(x)`, the initial conditions determine the start value.

            work = m.integral(m.motor.tau * m.rev.w, name="work")
        """
        name = name or f"integral{len(self._integrals) + 1}"
        self._refuse_taken(name)
        path = self.path_of(name)
        symbol, rate = own(make_symbol(path, ()), self), as_expression(expression, (), path)
        number = as_number(start.value if isinstance(start, Guess) else start, f"{path}: the start value")
        if isinstance(start, Guess):
            self._loose.append(name)
        self._integrals[name] = (symbol, rate, number)
        return symbol

    def input(self, name: str, default: float = 0.0) -> ca.SX:
        """A signal whose value is given when the model runs: `simulate(m, 1.0, inputs={name: …})`."""
        self._refuse_taken(name)
        symbol = own(make_symbol(self.path_of(name), ()), self)
        self._inputs[name] = (symbol, as_number(default, f"{self.path_of(name)}: the default"))
        return symbol

    def output(self, name: str, expression: object, unit: str = "") -> None:
        """Add a result r[name] computed from an expression; `unit` ("N.m") appears in plots and in saved files."""
        if not isinstance(unit, str):
            raise ModelError(f"{self.path_of(name)}: unit = {unit!r} is no text; give one such as \"N.m\".", self)
        self._refuse_taken(name)
        expression = as_matrix(expression, self.path_of(name))
        refuse_nan(ca.vec(expression), self.path_of(name))
        self._outputs[name] = expression
        self._output_units[name] = unit

    def init(self, left: object, right: object) -> None:
        """Require left = right at the start: `m.init(m.slider.s, 2 * m.crank.phi)`."""
        sides = [ca.vec(as_matrix(side, f"{self.path}: init(left, right)")) for side in (left, right)]
        if any(is_condition(side) for side in sides):
            raise ModelError(f"{self.path}: init(left, right) takes two sides of an equation, not a comparison.", self)
        if sides[0].numel() != sides[1].numel() and 1 not in (sides[0].numel(), sides[1].numel()):
            raise ModelError(f"{self.path}: init(left, right) sets {sides[0].numel()} numbers equal to "
                             f"{sides[1].numel()}; give as many on both sides.", self)
        for side in sides:
            refuse_nan(side, f"{self.path}: init(left, right)")
        self._initial_equations.append(sides[0] - sides[1])

    # --- walking ---

    def leaves(self) -> Iterator[Component]:
        """All components below that are not models, in order of creation."""
        for child in self._children.values():
            if isinstance(child, Model):
                yield from child.leaves()
            else:
                yield child

    def models(self) -> Iterator[Model]:
        """This model and all models below."""
        yield self
        for child in self._children.values():
            if isinstance(child, Model):
                yield from child.models()

    # --- conveniences ---

    def show(self, **options: Any) -> Any:
        """Show the model at its initial state in a browser or notebook."""
        from .. import view

        return view.show_model(self, **options)

    def diagram(self, depth: int | None = None) -> Any:
        """The connection diagram as SVG, with tree and loops marked; sub-models below `depth` are drawn as a box."""
        from ..view import diagram

        return diagram(self, depth)

    def _repr_html_(self) -> str:
        from ..view import model_html

        return model_html(self)


def _holds_parts(value: object) -> bool:
    """Whether it is a component, a connector, or a list of such."""
    if isinstance(value, (list, tuple)):
        return any(map(_holds_parts, value))
    return isinstance(value, (Component, Connector))


def _top(component: Component) -> Component:
    while component._parent is not None:
        component = component._parent
    return component


def _side(component: Component, wanted: str) -> Connector:
    """The frame that `chain` uses on one side of a component."""
    if isinstance(component, Connector):
        return component
    ports = {name: port for name, port in component._connectors.items() if port.kind.endswith("frame")}
    if wanted in ports:
        return ports[wanted]
    if len(ports) == 1:
        return next(iter(ports.values()))
    raise ModelError(f"{component.path} has no {wanted} to chain; it offers {', '.join(ports) or 'no frames'}."
                     f"{component.instead_of_frames}", component)
