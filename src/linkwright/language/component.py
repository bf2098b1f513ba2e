"""Components and connectors: what models are made of."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import casadi as ca
import numpy as np

from ..errors import ModelError, UnknownNameError, unknown_name
from .connectors import Connector, HeatPort
from .fields import REQUIRED, Appearance, Field, Free, Guess, Parameter, Signal, Variable, number_of, plain_reads
from .formulas import Formula, numbers
from .given_values import as_expression, as_number
from .other_names import DONE_ELSEWHERE, ours, renamed
from .symbol_owners import Symbols

if TYPE_CHECKING:
    from .parts_list import PartsList

#: methods that translation calls; `dir(m)` and completion leave them out
NOT_FOR_USERS = frozenset((
    "check_numbers", "check_settled", "counted", "default_of", "definitions", "describe", "fields", "formerly",
    "initial_value", "is_damped", "loses_power", "numbers", "path_of", "pins", "refresh", "required_ports", "signal",
    "stores_energy", "symbol"))


class Component:
    """Base of everything a user connects.

    Fields (see `fields`) are given by keyword; a keyword that names a variable is its start value: fixed, or a guess
    with `lw.guess`.  Connectors are made in `_make_connectors`, equations told in `describe` and `definitions`.
    """

    #: names that fields and parts had before → those they have now
    formerly: ClassVar[dict[str, str]] = {}
    #: variables that a start may give in any turn, because they count turns
    counted: ClassVar[tuple[str, ...]] = ()
    #: what to chain in the place of a component without frames
    instead_of_frames: ClassVar[str] = ""

    def __init__(self, *unnamed: object, **given: object) -> None:
        if unnamed:
            kind, takes = type(self).__name__, self._takes() or ["…"]
            raise ModelError(f"{kind}({', '.join(map(repr, unnamed))}): parameters are given by name, such as "
                             f"{kind}({takes[0]}={unnamed[0]!r}); it takes {', '.join(takes)}.", self)
        self.__dict__.update(_name=None, _parent=None, _parameters={}, _signals={}, _initial={}, _symbols=Symbols(self),
                             _connectors={}, _start_formulas={}, _used_plainly={}, _complete=False)
        self._make_connectors()
        for name in self._connectors.keys() & self.fields().keys():
            raise ModelError(f"{type(self).__name__}.{name} is a connector already; choose another name.", self)
        for name, value in given.items():
            self._give(name, value)
        for name, field in self.fields().items():
            if isinstance(field, Parameter) and field.default is REQUIRED and name not in self._parameters:
                raise ModelError(f"{self.path}: the parameter {name} ({field.text}) must be given.", self)
        try:
            self.check_numbers()
            self.check_settled()
        except ModelError as error:
            raise ModelError(_said_of_call(self, str(error), given), self) from None
        self.__dict__["_complete"] = True

    # --- naming ---

    @property
    def path(self) -> str:
        """Dotted name from the top model, or the class name while it belongs to none."""
        if self._name is None:
            return type(self).__name__ if self._parent is None else ""
        above = self._parent.path if self._parent is not None and self._parent._parent is not None else ""
        return f"{above}.{self._name}" if above else self._name

    def path_of(self, name: str) -> str:
        """Dotted name of one of its variables or parameters."""
        return f"{self.path}.{name}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    # --- fields ---

    @classmethod
    def fields(cls) -> dict[str, Field]:
        """All declared fields, base classes first."""
        if "_fields" not in cls.__dict__:
            found: dict[str, Field] = {}
            for base in reversed(cls.__mro__):
                for name, value in vars(base).items():
                    if isinstance(value, Field):
                        found[name] = value
                    elif name in found:
                        del found[name]
            cls._fields = found
        return cls._fields

    @classmethod
    def _takes(cls) -> list[str]:
        """What can be given, parameters first, without how it is shown."""
        fields = cls.fields().items()
        given = [name for name, field in fields if isinstance(field, (Parameter, Signal))
                 and not isinstance(field, Appearance)]
        return given + [name for name, field in fields if isinstance(field, Variable) and field.initial]

    def _give(self, name: str, value: object) -> None:
        """Take one keyword: a parameter, a signal, or the start value of a variable."""
        field = self.fields().get(name)
        if field is None and name in self.formerly:
            return self._give(renamed(self, name), value)
        if field is None:
            known = {field: None for field in self._takes()}
            if (own := ours(name, known)) is not None:
                raise UnknownNameError(f"{type(self).__name__}({name}=…): here it is called {own}: "
                                       f"{type(self).__name__}({own}=…).", self)
            raise unknown_name(name, self.fields(), f"{type(self).__name__}({name}=…): the component", self._takes())
        if isinstance(field, (Parameter, Signal)):
            setattr(self, name, value)
        elif isinstance(field, Variable) and field.initial:
            self._initial[name] = self._start(field, value)
        else:
            raise ModelError(f"{self.path}: {name} is computed and takes no value.", self)

    def start_at(self, **values: object) -> None:
        """Give other start values than those the component was made with: rev.start_at(phi=0.3, w=lw.guess(1.0))."""
        for name, value in values.items():
            field = self.fields().get(name)
            if not isinstance(field, Variable) or not field.initial:
                known = [key for key, other in self.fields().items() if isinstance(other, Variable) and other.initial]
                raise unknown_name(name, known, f"{self.path}.start_at: the list of start values", known)
            for key in [key for key in self._start_formulas if key[0] == name]:
                del self._start_formulas[key]
            self._initial[name] = self._start(field, value)

    def _start(self, field: Variable, value: object) -> list:
        """A start value as a list of entries, each a float (fixed), a Guess or None (not fixed)."""
        shape = field.shape_of(self)
        size = int(np.prod(shape)) if shape else 1
        whole = type(value) if isinstance(value, Guess) else None
        entries = value if whole is None else value.value  # type: ignore[attr-defined]
        try:
            entries = [entries] if not shape else list(entries)
        except TypeError:
            raise ModelError(f"{self.path}: the start value of {field.name} needs {size} numbers, got {entries!r}.",
                             self) from None
        if len(entries) != size:
            raise ModelError(f"{self.path}: the start value of {field.name} needs {size} numbers, got {len(entries)}.",
                             self)
        out = []
        for entry in entries:
            guess = whole or (type(entry) if isinstance(entry, Guess) else None)
            number = entry.value if isinstance(entry, Guess) else entry
            if number is None:
                out.append(None)
                continue
            if isinstance(number, ca.SX):
                raise ModelError(f"{self.path}: the start value of {field.name} takes numbers, not an expression of "
                                 "variables; for an equation write m.init(left, right).", self)
            if isinstance(number, Formula):
                self._start_formulas[field.name, len(out)] = number
            number = as_number(numbers(number), f"{self.path}: the start value of {field.name}")
            out.append(number if guess is None else guess(number))
        return out

    def refresh(self) -> None:
        """Let start values and checks follow parameters that were changed after they had been used in a formula."""
        for (name, k), formula in self._start_formulas.items():
            number = formula.now(number_of)
            before = self._initial[name][k]
            self._initial[name][k] = type(before)(number) if isinstance(before, Guess) else number
        if any(isinstance(value, Formula) for value in self._parameters.values()):
            self.check_numbers()

    def check_numbers(self) -> None:
        """Refuse parameters that do not fit, by their ranges and by `_check`."""
        for field in self.fields().values():
            if isinstance(field, Parameter):
                field.check_range(self)
        with plain_reads():
            self._check()

    def pins(self) -> list[tuple[Component, str]]:
        """Parameters, of other components too, that decide the structure because of this one: (component, name)."""
        return []

    def check_settled(self) -> None:
        """Refuse numbers that do not go together, once all of them are as they will be: at every compilation and start.

        Single ones may pass through what does not fit while they are set one after another.
        """

    def numbers(self) -> SimpleNamespace:
        """All parameters as the numbers they are now."""
        return SimpleNamespace(**{name: field.number(self) for name, field in self.fields().items()
                                  if isinstance(field, Parameter)})

    def symbol(self, name: str, shape: tuple = ()) -> ca.SX:
        """The symbol of a variable, made when first asked for."""
        return self._symbols.made(name, shape)

    def signal(self, name: str) -> ca.SX:
        """The expression a signal is defined by."""
        field = self.fields()[name]
        if name in self._signals:
            return self._signals[name]
        default = field.default if np.ndim(field.default) or not field.shape else np.full(field.shape, field.default)
        return as_expression(default, field.shape, f"{self.path}.{name}")

    # --- for subclasses ---

    def default_of(self, name: str) -> object:
        """What a parameter that was not given comes to, where that follows from others; None where nothing does."""
        return None

    def _make_connectors(self) -> None:
        """Create the connectors with `_port`."""

    def _port(self, name: str, connector: Connector) -> Connector:
        connector.owner, connector.name = self, name
        self._connectors[name] = connector
        self.__dict__[name] = connector
        return connector

    def _check(self) -> None:
        """Refuse bad parameters."""

    def describe(self, plan: PartsList) -> None:
        """Tell the plan what this component is made of: rigid links, masses, joints, loads, states."""

    def definitions(self, plan: PartsList) -> dict[str, ca.SX]:
        """Variables of this component as expressions in other symbols (names may be dotted: "frame_a.f")."""
        return {}

    def stores_energy(self) -> bool:
        """Whether it has a variable `energy`, elastic energy that it gives back."""
        return isinstance(type(self).fields().get("energy"), Variable)

    def loses_power(self) -> bool:
        """Whether it has a variable `loss_power`; then it has a `heat_port` too, which its losses leave through."""
        return isinstance(type(self).fields().get("loss_power"), Variable)

    def required_ports(self) -> list[str]:
        """Connectors that must be connected for the component to mean anything."""
        return []

    def __dir__(self) -> list[str]:
        """Names for users: parameters, variables, connectors; the methods that translation calls are left out."""
        return [name for name in super().__dir__() if name not in NOT_FOR_USERS]

    def initial_value(self, name: str) -> list | None:
        """Start entries given for a variable, or None."""
        return self._initial.get(name)

    def __copy__(self) -> Component:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> Component:
        """Another one: a copy that shared parts with its model would be half of two."""
        from .pickling import copied

        return copied(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple:
        from .pickling import packed, unpacked

        return unpacked, (packed(self),)

    def __setattr__(self, name: str, value: object) -> None:
        field = self.fields().get(name)
        if field is None and not name.startswith("_") and name not in self.__dict__:
            self.__dict__.get("_complete", self._complete)  # says so where __init__ was not called
            raise unknown_name(name, self.fields(), f"{self.path}: the component", self._takes())
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if "_complete" not in self.__dict__ and not name.startswith("__"):
            raise UnknownAttribute(f"{type(self).__name__}: its __init__ must call super().__init__(…) before anything "
                                   "else.", self)
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "heat_port":
            return self._heat_port()
        if name in self.formerly:
            return getattr(self, renamed(self, name))
        raise unknown_attribute(self, name)

    def _heat_port(self) -> Connector:
        """Made when it is first asked for: most losses heat nothing."""
        if not self.loses_power():
            raise UnknownAttribute(f"{self.path} has no heat_port, since it loses no power.", self)
        return self._port("heat_port", HeatPort())

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, field in vars(cls).items():
            if isinstance(field, Field):
                _refuse_hidden(cls, name, field)


class UnknownAttribute(ModelError, AttributeError, KeyError):
    """A name that a component does not have; what it is near to is looked for when somebody reads the message."""

    def __init__(self, message: str | Callable[[], str], *components: object) -> None:
        super().__init__("", *components)
        self._message = message

    def __str__(self) -> str:
        if callable(self._message):
            self._message = self._message()
        return self._message

    def __reduce__(self) -> tuple:
        return type(self), (str(self), *map(str, self.components))


def _refuse_hidden(cls: type, name: str, field: Field) -> None:
    """A field may stand for one of its kind in a base class, but hide nothing else there."""
    for base in cls.__mro__[1:]:
        before = vars(base).get(name)
        if before is not None and not (isinstance(before, Field) and isinstance(field, Parameter)
                                       == isinstance(before, Parameter)):
            raise ModelError(f"{cls.__name__}.{name}: {base.__name__} has something else of this name; choose another.",
                             cls)


def unknown_attribute(component: Component, name: str) -> UnknownAttribute:
    """An AttributeError that suggests near names."""
    own = component.__dict__
    known = [*type(component).fields(), *own.get("_connectors", {}), *own.get("_children", {})]
    hint = f" {DONE_ELSEWHERE[name]}" if name in DONE_ELSEWHERE and "_children" in own else ""
    return UnknownAttribute(lambda: str(unknown_name(name, known, f"{component.path}")) + hint, component)


def _said_of_call(component: Component, message: str, given: dict) -> str:
    """A message on a component without a name yet, with what it was made of: "Revolute(n=[0, 0, 0]): axis n …"."""
    own = type(component).__name__
    if not message.startswith((f"{own}.", f"{own}:")):
        return message
    values = ", ".join(f"{name}={text if len(text) < 40 else '…'}"
                       for name, text in ((name, repr(value)) for name, value in given.items()))
    return f"{own}({values}): {message[len(own) + 1:].lstrip()}"


def parameter_value(value: Any) -> Any:
    """The number of a parameter, also where initialisation may change it."""
    return numbers(value.value if isinstance(value, Free) else value)
