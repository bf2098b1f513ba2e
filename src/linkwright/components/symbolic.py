"""Variables and what is computed from them: CasADi's expressions, with clear words where Python asks for a number."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError


class NoValueError(ModelError, TypeError):
    """A number was asked of an expression of variables."""


class Expression(ca.SX):
    """An expression of variables.  It has no value while the model is written.

    CasADi itself gives NaN for `float(m.rev.phi)`, and thereby for `math.sin(m.rev.phi)`.
    """

    def __float__(self):
        return super().__float__() if self.is_constant() else self._refuse(
            "In a formula write lw.sin, lw.sqrt … instead of math's functions, and no float(…).")

    def __int__(self):
        return super().__int__() if self.is_constant() else self._refuse("In a formula write lw.floor(…).")

    def __bool__(self):
        return super().__bool__() if self.is_constant() else self._refuse(
            "Write the choice as an expression: lw.where(condition, a, b), lw.logical_and(…).")

    def _refuse(self, remedy: str):
        text = str(self)
        raise NoValueError(f"{text if len(text) < 60 else text[:57] + '…'} has no value while the model is written, it "
                           f"is known when the model runs. {remedy}", self)

    def __iter__(self):
        return (self[k] if self.is_column() else self[k, :] for k in range(self.shape[0]))

    @property
    def T(self):
        return symbolic(ca.SX.T.fget(self))

    __hash__ = ca.SX.__hash__


def symbolic(value):
    """The same, as an Expression."""
    if type(value) is ca.SX:
        value.__class__ = Expression  # a copy would take longer than most operations
    return value


def _keeping(name: str):
    operation = getattr(ca.SX, name)

    def method(self, *others):
        return symbolic(operation(self, *others))

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    setattr(Expression, f"__{_name}__", _keeping(f"__{_name}__"))
    setattr(Expression, f"__r{_name}__", _keeping(f"__r{_name}__"))
for _name in ("neg", "abs", "getitem", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Expression, f"__{_name}__", _keeping(f"__{_name}__"))
