"""What a component is declared of: parameters, variables and signals.

A *parameter* is a number (or a choice); a *variable* is a symbol that users may put into any expression; a *signal* is
a variable that users define by an expression.  Declared at class level, with a one-line description and a unit:

    class Spring(Component):
        c = parameter(unit="N/m", text="stiffness")
        s = variable("length", unit="m")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algebra import is_symbolic
from ..errors import ModelError
from .formulas import Formula, gathered, has_formula, numbers
from .given_values import as_expression, as_number, floats
from .ranges import Range

if TYPE_CHECKING:
    from .component import Component

REQUIRED = object()

_readers: list[set[str]] = []


@contextmanager
def plain_reads() -> Iterator[set[str]]:
    """Parameters read meanwhile (`self.m`) are plain numbers; gives the set of their paths."""
    _readers.append(set())
    try:
        yield _readers[-1]
    finally:
        read = _readers.pop()
        if _readers:
            _readers[-1] |= read


@contextmanager
def kind_reads() -> Iterator[None]:
    """Parameters read meanwhile are plain numbers that decide nothing but in passing: what is found out with them is of
    what kind something is, and the same for all numbers."""
    _readers.append(set())
    try:
        yield
    finally:
        _readers.pop()


class Field:
    """Common part: name, owner class, description, unit."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __init__(self, text: str = "", unit: str = "", shape: tuple = ()) -> None:
        self.text, self.unit, self.shape = text, unit, shape


class Parameter(Field):
    """A number, vector or matrix that may be tuned, or (with `structural`) anything that decides the structure.

    What has a switch or a word for its default is structural.  With `only` it is one number, in that range; it is
    `independent` where every number of that range goes together with all other parameters (a density, say).
    """

    def __init__(self, default: object = REQUIRED, text: str = "", unit: str = "", structural: bool = False,
                 shape: tuple = (), only: Range | None = None, independent: bool = False) -> None:
        super().__init__(text, unit, shape if default is REQUIRED or default is None else np.shape(default))
        self.default, self.structural, self.only = default, structural or isinstance(default, (bool, str)), only
        self.independent = independent

    def __get__(self, component: Component | None, owner: type | None = None) -> Any:
        if component is None:
            return self
        number = self.number(component)
        if number is None:
            return component.default_of(self.name)
        if self.structural:
            return number
        if _readers:
            _readers[-1].add(component.path_of(self.name))
            return number
        return Formula.reading(component, self.name, number)

    def given(self, component: Component) -> Any:
        """The value as it was given: a number, a Formula of other parameters, or one to be solved for."""
        return component._parameters.get(self.name, self.default)

    def number(self, component: Component) -> Any:
        """The value as it is now, looked at without being noted as read."""
        value = self.given(component)
        if isinstance(value, Formula):
            return value.now(number_of)
        return value.value if isinstance(value, Free) else value

    def __set__(self, component: Component, value: object) -> None:
        before = dict(component._parameters)
        component._parameters[self.name] = self.checked(component, value)
        symbol = component._symbols.get(self.name)
        if symbol is not None and symbol.numel() != np.size(self.number(component)):
            del component._symbols[self.name]  # it has another shape now
        if component._complete:
            try:
                component.check_numbers()
            except ModelError:
                component.__dict__["_parameters"] = before
                raise

    def checked(self, component: Component, value: Any) -> Any:
        """The value as floats, or as a Formula; refused with the component's name when it does not fit."""
        if isinstance(value, Guess) or self.structural and isinstance(value, Free):
            raise ModelError(f"{component.path}.{self.name} = {value!r}: "
                             + ("this decides the structure and must be given." if self.structural else
                                "lw.guess is for start values; a parameter to be solved for is lw.free(…)."), component)
        if self.structural:
            plain = numbers(value, noted=True)
            if isinstance(self.default, bool) and not (isinstance(plain, (int, np.bool_)) and plain in (0, 1)):
                raise ModelError(f"{component.path}.{self.name}: expected True or False, got {value!r}.", component)
            return plain if self.only is None else self._floats(component, plain)
        if isinstance(value, Free):
            return Free(self.checked(component, numbers(value.value, noted=True)))
        if value is None and self.default is None:
            return value
        if is_symbolic(value):
            raise ModelError(f"{component.path}.{self.name} is a parameter and takes numbers, not an expression of "
                             "variables.", component)
        if has_formula(value):
            formula = self._without_itself(component, gathered(value))
            number = self.checked(component, formula.number)
            return Formula(number, formula.expression, formula.sources) if formula.sources else number
        return self._floats(component, value)

    def _floats(self, component: Component, value: Any) -> Any:
        """Finite numbers of the right shape."""
        if self.only is not None or self.default is not None and not self.shape:
            return as_number(value, f"{component.path}.{self.name}", component)
        array = floats(value, f"{component.path}.{self.name}", component)
        if self.shape and array.shape != self.shape:
            wanted = "×".join(str(n) for n in self.shape)
            raise ModelError(f"{component.path}.{self.name}: expected {wanted} numbers, got an array of shape "
                             f"{array.shape}.", component)
        return array if array.ndim else float(array)

    def check_range(self, component: Component) -> None:
        """Refuse a number outside of what `only` allows."""
        number = self.number(component)
        if self.only is not None and number is not None and not self.only.holds(number):
            raise ModelError(f"{component.path}.{self.name} = {number:g}{self.only.said}.", component)

    def _without_itself(self, component: Component, formula: Formula) -> Formula:
        """The formula with what the parameter is now in its own place (`m.body.m *= 2`); a ring is refused."""
        own = (component, self.name)
        if own in formula.sources:
            others = {source: number for source, number in formula.sources.items() if source != own}
            before = self.given(component)
            if isinstance(before, Formula):
                others |= before.sources
            now = before.expression if isinstance(before, Formula) else formula.sources[own]
            formula = Formula(formula.number, formula.substituted(
                lambda c, name: now if (c, name) == own else c.symbol(name)), others)
        for source in formula.sources:
            if own in _followed(*source):
                raise ModelError(f"{component.path_of(self.name)} would follow from itself through "
                                 f"{source[0].path_of(source[1])}; use float(…) for the number it has now.", component)
        return formula


def number_of(component: Component, name: str) -> Any:
    """The number that a parameter of a component is now."""
    return component.fields()[name].number(component)


def _followed(component: Component, name: str) -> Iterator[tuple[Component, str]]:
    """All parameters that a parameter follows from, nearest first."""
    given = component.fields()[name].given(component)
    for source in given.sources if isinstance(given, Formula) else ():
        yield source
        yield from _followed(*source)


def parameter(default: object = REQUIRED, text: str = "", unit: str = "", structural: bool = False, shape: tuple = (),
              only: Range | None = None, independent: bool = False) -> Parameter:
    """Declare a parameter of a component: default value, one-line description, unit; `only` says what it may be.

    `independent`: every allowed value is compatible with all other parameters, so that nothing else needs to be
    checked.
    """
    return Parameter(default, text, unit, structural, shape, only, independent)


class Record(Parameter):
    """A law given as a named tuple (`lw.Coulomb(tau=3)`); its numbers are parameters of their own, `rev.friction.tau`.

    What is None or a switch in it decides the structure.
    """

    def __init__(self, kind: type | tuple[type, ...], text: str) -> None:
        super().__init__(None, text)
        self.kinds, self.structural = kind if isinstance(kind, tuple) else (kind,), True

    def checked(self, component: Component, value: Any) -> Any:
        if value is not None and not isinstance(value, self.kinds):
            expected = " or ".join(f"lw.{kind.__name__}(…)" for kind in self.kinds)
            raise ModelError(f"{component.path}.{self.name}: expected {expected}, got {value!r}.", component)
        return value

    def number(self, component: Component) -> Any:
        law = self.given(component)
        if not hasattr(law, "_make"):
            return law  # none, or an object of the user's own
        return law._make(x.now(number_of) if isinstance(x, Formula) else x for x in law)

    def entries(self, component: Component) -> dict[str, object]:
        """The numbers and Formulas in it, by name."""
        law = self.given(component)
        given = law._asdict() if hasattr(law, "_asdict") else {}
        return {name: x for name, x in given.items() if x is not None and not isinstance(x, (bool, str))}


class Appearance(Parameter):
    """A size, colour or switch that decides how a component is shown; no equation depends on it."""

    def __init__(self, default: object = None, text: str = "", unit: str = "") -> None:
        super().__init__(default, text, unit, structural=True)

    def checked(self, component: Component, value: Any) -> Any:
        if has_formula(value):
            formula = gathered(value)
            self.checked(component, formula.number)
            return formula
        if value is None or isinstance(value, (str, bool)) or callable(value):
            return value
        array = floats(value, f"{component.path}.{self.name}", component)
        if self.shape and array.shape != self.shape:
            raise ModelError(f"{component.path}.{self.name}: expected {self.shape[0]} numbers, got an array of shape "
                             f"{array.shape}.", component)
        return tuple(array.tolist()) if array.ndim == 1 else value


class Colour(Appearance):
    """A colour: red, green and blue from 0 to 255, or a name or hex string as matplotlib knows them."""

    def checked(self, component: Component, value: Any) -> Any:
        if value is None or has_formula(value):
            return super().checked(component, value)
        where = f"{component.path}.{self.name}"
        if isinstance(value, str):
            from matplotlib.colors import to_rgb

            try:
                return tuple(round(255 * part) for part in to_rgb(value))
            except ValueError:
                raise ModelError(f"{where} = {value!r} is no colour; give a name such as 'steelblue', a hex string "
                                 "such as '#4682b4', or red, green, blue from 0 to 255.", component) from None
        parts = floats(value, where, component)
        if parts.shape != (3,) or (parts < 0).any() or (parts > 255).any():
            raise ModelError(f"{where} = {value!r} is no colour; give red, green and blue, each from 0 to 255, or a "
                             "name such as 'steelblue'.", component)
        if (parts <= 1).all() and (parts != np.round(parts)).any():
            raise ModelError(f"{where} = {value!r} looks like fractions of 1, but red, green, blue go from 0 to 255: "
                             f"give {tuple(round(255 * part) for part in parts.tolist())}.", component)
        return tuple(parts.tolist())


def colour(default: object = None, text: str = "") -> Colour:
    """Declare a colour of a component: default (None: that of another part), one-line description."""
    return Colour(default, text)


def appearance(default: object = None, text: str = "", unit: str = "") -> Appearance:
    """Declare how a component is shown: default (None: worked out from other sizes), one-line description, unit."""
    return Appearance(default, text, unit)


class Variable(Field):
    """A symbol of the component; `initial=True` lets the constructor take a start value under its name."""

    def __init__(self, text: str = "", unit: str = "", shape: tuple = (), initial: bool = False) -> None:
        super().__init__(text, unit, shape)
        self.initial = initial

    def __get__(self, component: Component | None, owner: type | None = None) -> Any:
        return self if component is None else component.symbol(self.name, self.shape_of(component))

    def present(self, component: Component) -> bool:
        """Whether the component has it, arranged as it is; results do not list what is not there."""
        return True

    def shape_of(self, component: Component) -> tuple:
        """The shape of the variable in a component."""
        return self.shape

    def __set__(self, component: Component, value: object) -> None:
        raise ModelError(f"{component.path}.{self.name} is computed; give its start value when the component is made, "
                         f"or by start_at({self.name}=…), or drive it (m.prescribe).", component)


def variable(text: str = "", unit: str = "", shape: tuple = (), initial: bool = False) -> Variable:
    """Declare a variable of a component."""
    return Variable(text, unit, shape, initial)


class Signal(Variable):
    """A variable that the user defines by a number or an expression.

    With a number it is an input of the model (see `reads.inputs`), unless it does not `open` to that.
    """

    def __init__(self, default: object = 0.0, text: str = "", unit: str = "", shape: tuple = (),
                 opens: bool = True) -> None:
        super().__init__(text, unit, shape)
        self.default, self.opens = default, opens

    def __set__(self, component: Component, value: object) -> None:
        component._signals[self.name] = as_expression(value, self.shape, f"{component.path}.{self.name}")


def signal(default: object = 0.0, text: str = "", unit: str = "", shape: tuple = (), opens: bool = True) -> Signal:
    """Declare a signal of a component; one that `opens` is an input of the model where it is left as a number."""
    return Signal(default, text, unit, shape, opens)


class Guess:
    """A start value that the initialisation may move away from."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"lw.guess({self.value!r})"


class Side(Guess):
    """A guess that chooses among the solutions of a loop, and moves nothing beside other guesses."""


class Free:
    """A parameter whose value the initialisation solves for, starting from `value`."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"lw.free({self.value!r})"


def guess(value: object) -> Guess:
    """A start value from which the solver begins, as opposed to a condition that must hold: `phi=lw.guess(0.3)`."""
    return Guess(value)


def free(value: object) -> Free:
    """Let the initialisation solve for this parameter, starting from `value`: `parts.Body(m=lw.free(1.0))`."""
    return Free(value)


def as_free(value: object) -> Free:
    """A value to be solved for from the start values, unless it says so itself."""
    return value if isinstance(value, Free) else free(value)
