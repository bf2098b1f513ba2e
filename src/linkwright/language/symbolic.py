"""Variables and what is computed from them: CasADi's expressions, with clear words where Python asks for a number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import casadi as ca

from ..errors import ModelError


class NoValueError(ModelError, TypeError):
    """A number was asked of an expression; `names` are the symbols in it."""

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message, *names)
        self.names = names


class NoOperandError(ModelError, TypeError):
    """Something that is no number, variable or formula in a formula; or the length of a single number."""


class NoEntryError(ModelError, IndexError):
    """An entry that a vector does not have."""


class Expression(ca.SX):
    """An expression of variables.  It has no value while the model is written.

    CasADi itself gives NaN for `float(m.rev.phi)`, and thereby for `math.sin(m.rev.phi)`.
    """

    def __float__(self) -> float:
        return super().__float__() if self.is_constant() else self._refuse(
            "In a formula write lw.sin, lw.sqrt … instead of math's functions, and no float(…).")

    def __int__(self) -> int:
        return super().__int__() if self.is_constant() else self._refuse("In a formula write lw.floor(…).")

    def __bool__(self) -> bool:
        return super().__bool__() if self.is_constant() else self._refuse(
            "Write the choice as an expression: lw.where(condition, a, b), lw.logical_and(…).")

    def _refuse(self, remedy: str) -> NoReturn:
        raise NoValueError(f"{_short(self)} has no value while the model is written, it is known when the model runs. "
                           f"{remedy}", tuple(symbol.name() for symbol in ca.symvar(self)))

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else self._refuse("Without a format it prints as a formula.")

    def __getitem__(self, key: Any) -> Any:
        try:
            return symbolic(super().__getitem__(key))
        except RuntimeError:
            raise NoEntryError(f"{_short(self)} has {self.shape[0]}×{self.shape[1]} entries and none at "
                               f"{key!r}; they are counted from 0.", self) from None

    def __setitem__(self, key: Any, value: object) -> None:
        if self.is_valid_input():  # the symbols that its owner keeps
            raise ModelError(f"{_short(self)} is a variable, it cannot be written to; make a new vector.", self)
        super().__setitem__(key, value)

    def __matmul__(self, other: object) -> Any:
        return _product(self, other)

    def __rmatmul__(self, other: object) -> Any:
        return _product(other, self)

    def __and__(self, other: object) -> Any:
        return symbolic(ca.logic_and(self, other))

    def __or__(self, other: object) -> Any:
        return symbolic(ca.logic_or(self, other))

    def __invert__(self) -> Any:
        return symbolic(ca.logic_not(self))

    __rand__, __ror__ = __and__, __or__

    def __len__(self) -> int:
        if self.is_scalar():
            raise NoOperandError(f"{_short(self)} is a single number, and has no length; vectors such as body.r_0 have "
                                 "one.", self)
        return int(self.shape[0])

    def __iter__(self) -> Iterator:
        return (self[k] if self.is_column() else self[k, :] for k in range(self.shape[0]))

    def __array_ufunc__(self, ufunc: Callable, method: str, *operands: Any, **options: Any) -> Any:
        return _by_numpy(getattr(ufunc, method), operands, options)

    def __array_function__(self, function: Callable, types: Sequence[type], operands: Sequence, options: dict) -> Any:
        return _by_numpy(function, operands, options)

    @property
    def T(self) -> Any:
        return symbolic(ca.SX.T.fget(self))

    def __hash__(self) -> int:
        return self.element_hash() if self.is_scalar() else id(self)


def symbolic(value: Any) -> Any:
    """The same, as an Expression."""
    if type(value) is ca.SX:
        value.__class__ = Expression  # a copy would take longer than most operations
    return value


def _short(expression: ca.SX) -> str:
    text = str(expression)
    return text if len(text) < 60 else text[:57] + "…"


def _product(a: Any, b: Any) -> Any:
    """As in NumPy: of two vectors the inner product."""
    a, b = (ca.vertcat(*x) if isinstance(x, (list, tuple)) else x if isinstance(x, ca.SX) else ca.SX(x) for x in (a, b))
    if a.is_column() and b.is_column() and a.shape == b.shape:
        return symbolic(ca.dot(a, b))
    return symbolic(ca.mtimes(a, b))


def _by_numpy(function: Callable, operands: Sequence, options: dict) -> Any:
    """A function of NumPy as CasADi understands it, of its own type (and without words on what may change there)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return symbolic(function(*_plain(operands), **options))


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value)
    return ca.SX(value) if isinstance(value, Expression) else value


def _keeping(name: str) -> Callable[..., Any]:
    operation = getattr(ca.SX, name)

    def method(self: ca.SX, *others: Any) -> Any:
        found = operation(self, *others)
        if found is NotImplemented and isinstance(others[0], str) and name not in ("__eq__", "__ne__"):
            raise NoOperandError(f"{_short(self)} cannot be computed with {others[0]!r}, which is text; a number, a "
                                 "variable (m.rev.phi, without quotes) or a formula is needed.", self)
        return symbolic(found)

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Expression, f"__{_name}__", _keeping(f"__{_name}__"))
    setattr(Expression, f"__r{_name}__", _keeping(f"__r{_name}__"))
for _name in ("neg", "abs", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Expression, f"__{_name}__", _keeping(f"__{_name}__"))
