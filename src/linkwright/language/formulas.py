"""Numbers that remember the parameters they were made of.

Reading a parameter (`m.spring.c`) gives a Formula.  It acts as the number, in Python and in NumPy, and arithmetic with
it gives another Formula; with a variable, an ordinary expression.  Where one lands in a parameter or in a signal the
relation is kept: a tunable parameter takes effect in all that was made of it.

Some uses need a plain number: `float`, `math.sin`, a comparison, linear algebra.  They get it, and the parameter is
noted: what came of it holds for that number only.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from .component import Component

#: NumPy's functions that have a counterpart on expressions
FUNCTIONS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.power: operator.pow, np.negative: operator.neg, np.positive: operator.pos, np.square: lambda x: x * x,
    np.sin: ca.sin, np.cos: ca.cos, np.tan: ca.tan, np.arcsin: ca.asin, np.arccos: ca.acos, np.arctan: ca.atan,
    np.arctan2: ca.atan2, np.sinh: ca.sinh, np.cosh: ca.cosh, np.tanh: ca.tanh, np.exp: ca.exp, np.log: ca.log,
    np.sqrt: ca.sqrt, np.absolute: ca.fabs, np.fabs: ca.fabs, np.sign: ca.sign, np.floor: ca.floor,
    np.minimum: ca.fmin, np.maximum: ca.fmax, np.fmin: ca.fmin, np.fmax: ca.fmax,
    np.matmul: operator.matmul, np.deg2rad: lambda x: x * (np.pi / 180), np.radians: lambda x: x * (np.pi / 180),
}
#: what arrays and floats offer beside arithmetic (not dtype: CasADi would take a Formula for an array)
METHODS = {"all", "any", "astype", "copy", "dot", "flatten", "is_integer", "item", "max", "mean", "min", "ravel",
           "reshape", "sum", "tolist"}


class Formula:
    """A number, vector or matrix with the expression it came from.

    `sources` are the parameters in the expression, (component, name), with their numbers at the time.
    """

    __slots__ = ("expression", "number", "sources")

    def __init__(self, number: Any, expression: ca.SX, sources: dict) -> None:
        self.number, self.expression, self.sources = number, expression, sources

    @classmethod
    def reading(cls, component: Component, name: str, number: Any) -> Formula:
        """A parameter, as it is read."""
        return cls(number, component.symbol(name, np.shape(number)), {(component, name): number})

    def now(self, number_of: Callable[[Component, str], Any]) -> Any:
        """The number that follows from what the parameters are now, told by `number_of(component, name)`."""
        present = [number_of(*source) for source in self.sources]
        if all(np.array_equal(a, b) for a, b in zip(present, self.sources.values(), strict=True)):
            return self.number
        value = self.substituted(lambda component, name: ca.DM(number_of(component, name)))
        return _shaped(np.array(ca.evalf(value)), np.shape(self.number))

    def substituted(self, value_of: Callable[[Component, str], Any]) -> ca.SX:
        """The expression with `value_of(component, name)` in the place of each parameter."""
        symbols = [component.symbol(name) for component, name in self.sources]
        values = [value_of(*source) for source in self.sources]
        return ca.Function("formula", symbols, [self.expression]).call([ca.SX(value) for value in values])[0]

    # --- as a plain number ---

    def plain(self) -> Any:
        """The number alone; its parameters are noted as used so."""
        _note(self.sources)
        return self.number

    def __float__(self) -> float:
        return float(self.plain())

    def __int__(self) -> int:
        return int(self.plain())

    def __bool__(self) -> bool:
        return bool(self.plain())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.plain(), digits)

    def __hash__(self) -> int:
        return hash(self.number)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.plain(), dtype=dtype)

    def __len__(self) -> int:
        return len(self.number)

    def __repr__(self) -> str:
        return repr(self.number)

    def __str__(self) -> str:
        return str(self.number)

    def __format__(self, spec: str) -> str:
        return format(self.number, spec)

    def __copy__(self) -> Formula:
        return self

    def __deepcopy__(self, memo: dict) -> Formula:
        return self

    def __reduce__(self) -> tuple:
        return (type(self.number), (self.number,)) if np.ndim(self.number) == 0 else (np.array, (self.number,))

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"the number {self} has no attribute {name!r}")
        return getattr(self.plain(), name)

    def __setitem__(self, key: object, value: object) -> None:
        names = ", ".join(f"{component.path}.{name}" for component, name in self.sources)
        raise ModelError(f"{names}: single entries of a parameter cannot be set; give the whole of it.")

    # --- as an expression ---

    def __SX__(self) -> ca.SX:  # asked for by CasADi where a Formula meets an expression
        return self.expression

    @property
    def shape(self) -> tuple:
        return np.shape(self.number)

    @property
    def T(self) -> Formula:
        return combined(np.transpose, ca.transpose, self) if np.ndim(self.number) == 2 else self

    def __getitem__(self, key: Any) -> Any:
        row = np.ndim(self.number) == 2 and not isinstance(key, tuple)
        return combined(lambda x: x[key], lambda x: x[key, :].T if row else x[key], self)

    def __iter__(self) -> Iterator:
        return (self[k] for k in range(len(self)))

    def __array_ufunc__(self, function: Callable, method: str, *operands: Any, **options: Any) -> Any:
        if method == "__call__" and not options and function in FUNCTIONS:
            return combined(function, FUNCTIONS[function], *operands)
        operands = [x.plain() if isinstance(x, Formula) else x for x in operands]
        return getattr(function, method)(*operands, **options)


def _operation(function: Callable, keeps: bool = True) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A method and its reflection; without `keeps` the result is a plain one (a comparison, a remainder)."""
    def apply(*operands: Any) -> Any:
        if any(isinstance(x, ca.SX) for x in operands):
            return combined(function, function, *operands)
        arrays = any(np.ndim(_number(x)) for x in operands if isinstance(x, Formula))
        operands = [_array(x) if arrays and isinstance(x, (list, tuple)) else x for x in operands]
        if not all(isinstance(x, (Formula, int, float, complex, np.ndarray, np.generic)) for x in operands):
            return NotImplemented
        if keeps and not any(isinstance(x, complex) for x in operands):
            return combined(function, function, *operands)
        return function(*[x.plain() if isinstance(x, Formula) else x for x in operands])

    return (lambda self, *other: apply(self, *other)), (lambda self, other: apply(other, self))


for _name in ("add", "sub", "mul", "truediv", "pow", "neg", "pos", "abs", "matmul"):
    _method, _reflected = _operation(getattr(operator, _name))
    setattr(Formula, f"__{_name}__", _method)
    if _name not in ("neg", "pos", "abs"):
        setattr(Formula, f"__r{_name}__", _reflected)
for _name, _function in (("floordiv", operator.floordiv), ("mod", operator.mod), ("divmod", divmod)):
    _method, _reflected = _operation(_function, keeps=False)
    setattr(Formula, f"__{_name}__", _method)
    setattr(Formula, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Formula, f"__{_name}__", _operation(getattr(operator, _name), keeps=False)[0])


def combined(on_numbers: Callable, on_expressions: Callable, *operands: Any) -> Any:
    """A function of Formulas and numbers as a Formula; of expressions as an expression.

    Where NumPy and CasADi differ (a vector times a matrix, entry by entry) the result is a plain number.
    """
    expressions = [x.expression if isinstance(x, Formula) else x for x in operands]
    if any(isinstance(x, ca.SX) for x in operands):
        return on_expressions(*expressions)
    number = on_numbers(*[_number(x) for x in operands])
    number = number if np.ndim(number) else float(number)
    dimensions = {np.ndim(_number(x)) for x in operands}
    if on_expressions is operator.matmul and dimensions == {1}:
        on_expressions = ca.dot
    expression = None
    if on_expressions is operator.matmul or not {1, 2} <= dimensions:
        with suppress(RuntimeError, NotImplementedError, TypeError):
            expression = on_expressions(*expressions)
    formulas = [x for x in operands if isinstance(x, Formula)]
    if expression is None or expression.shape != _sx_shape(np.shape(number)):
        for formula in formulas:
            formula.plain()
        return number
    sources = dict(formulas[0].sources)
    for formula in formulas[1:]:
        for source, value in formula.sources.items():
            # read before and after a change: neither number is that of the whole
            same = source not in sources or np.array_equal(sources[source], value)
            sources[source] = value if same else np.nan
    return Formula(number, expression, sources)


def _sx_shape(shape: tuple) -> tuple:
    return {0: (1, 1), 1: (*shape, 1)}.get(len(shape), shape)


def _shaped(values: np.ndarray, shape: tuple) -> Any:
    return values.reshape(shape) if shape else float(values.item())


def _number(x: Any) -> Any:
    return x.number if isinstance(x, Formula) else x


def _array(x: Any) -> Any:
    return gathered(x) if has_formula(x) else np.asarray(x)


# --- in lists ---


def has_formula(value: Any) -> bool:
    """Whether a value, or an entry of nested lists, is a Formula."""
    return isinstance(value, Formula) or isinstance(value, (list, tuple)) and any(has_formula(v) for v in value)


def numbers(value: Any, noted: bool = False) -> Any:
    """The value with every Formula in it replaced by its number, which is noted or not."""
    if isinstance(value, (list, tuple)) and has_formula(value):
        entries = [numbers(v, noted) for v in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    return value.plain() if noted and isinstance(value, Formula) else _number(value)


def gathered(value: Any) -> Formula:
    """Nested lists with Formulas in them as one."""
    if isinstance(value, Formula):
        return value
    rows = [gathered(row) if has_formula(row) else row for row in value]
    number = np.array([_number(row) for row in rows], dtype=float)
    columns = [row.expression if isinstance(row, Formula) else ca.SX(row) for row in rows]
    expression = ca.vertcat(*(columns if number.ndim == 1 else [column.T for column in columns]))
    sources = {}
    for row in rows:
        sources |= row.sources if isinstance(row, Formula) else {}
    return Formula(number, expression, sources)


def as_symbolic(value: Any) -> Any:
    """A Formula, or nested lists with Formulas in them, as an expression; other values as they are."""
    return gathered(value).expression if has_formula(value) else value


# --- uses as a plain number ---

_built: list[None] = []  # models of users' classes being made now, one in another


@contextmanager
def building() -> Iterator[None]:
    """While a model is made: what is used as a plain number decides how it is built."""
    _built.append(None)
    try:
        yield
    finally:
        _built.pop()


def _note(sources: Iterable[tuple[Component, str]]) -> None:
    """Keep where parameters were used as plain numbers first, and whether that was while a model was made."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linkwright."):
        frame = frame.f_back
    where = f"{frame.f_code.co_filename.rpartition('/')[2]}, line {frame.f_lineno}"
    for component, name in sources:
        used = component._used_plainly
        if name not in used or _built and not used[name][1]:
            used[name] = (where, bool(_built))
