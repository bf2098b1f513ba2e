"""Variables by name: what a mechanism offers, as expressions, and which of them can be set.

Beside `mechanism.outputs` (which come first) every mechanism offers its coordinates as `<joint>.<coordinate>`, the
vectors `<joint>.q`, `<joint>.u` and `<joint>.udot`, and its states, parameters, discrete variables and unknowns.
Of each of them `der(name)` is the rate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..building import cached_property, one_at_a_time
from ..equations import Equations
from ..errors import LinkwrightError, ModelError, unknown_name
from .entries import entry_of, split_entry

if TYPE_CHECKING:
    from ..algebra import Scalar
    from .state import State

RATE = re.compile(r"der\((?P<of>.+)\)")


class Names:
    """The variables of one mechanism."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.mechanism = equations.mechanism
        self._finished: dict[str, ca.SX] = {}

    @cached_property
    def _own(self) -> dict[str, Callable[[], ca.SX]]:
        """What the mechanism offers by itself; expressions are made when asked for."""
        e, m = self.equations, self.mechanism
        own: dict[str, Callable[[], ca.SX]] = {}
        for body, qs, us in zip(m.bodies, *m.slices(), strict=True):
            names = body.mobilizer.names
            if len(names) == body.mobilizer.nq:
                for k, name in enumerate(names):
                    own[f"{body.joint}.{name}"] = lambda k=k + qs.start: e.symbols["q"][k]
            if body.mobilizer.nu:
                own[f"{body.joint}.q"] = lambda qs=qs: e.symbols["q"][qs]
                own[f"{body.joint}.u"] = lambda us=us: e.symbols["u"][us]
                own[f"{body.joint}.udot"] = lambda us=us: e.udot[us]
        for item in (*m.states, *m.parameters, *m.discretes, *m.unknowns):
            own[item.name] = lambda item=item: item.symbol
        return own

    @cached_property
    def all(self) -> list[str]:
        """Every name, those of the model first."""
        return list(dict.fromkeys([*self.mechanism.outputs, *self._own]))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.mechanism.outputs or name in self._own or (
            (rate := RATE.fullmatch(name)) is not None and rate["of"] in self))

    @one_at_a_time
    def expression(self, name: str) -> ca.SX:
        """The traced expression of a variable, in its own shape."""
        if name not in self._finished:
            if name in self.mechanism.outputs:
                given = self.mechanism.outputs[name]
                value = given() if callable(given) else given
                self._finished[name] = self.equations.finish(_as_expression(name, value))[0]
            elif name in self._own:
                self._finished[name] = self._own[name]()
            elif (rate := RATE.fullmatch(name)) is not None and rate["of"] in self:
                self._finished[name] = self._rate(rate["of"])
            else:
                raise unknown_name(name, self.all, f"{self.mechanism.name!r}")
        return self._finished[name]

    def _rate(self, name: str) -> ca.SX:
        """d/dt of a variable: ∂x/∂t + ∂x/∂q q̇ + ∂x/∂u u̇ + ∂x/∂z ż; held variables are held."""
        e, expression = self.equations, self.expression(name)
        x = ca.vec(expression)
        unknowns = ca.veccat(ca.SX(0, 1), *[unknown.symbol for unknown in self.mechanism.unknowns])
        if ca.depends_on(x, unknowns):
            raise ModelError(f"der({name}): {name} follows from equations that are solved at every instant, and its "
                             "rate is not known; take lw.der(…) of an expression of coordinates.", name)
        rate = ca.jacobian(x, e.symbols["t"])
        for part, speed in (("q", "qdot"), ("u", "udot"), ("z", "zdot")):
            J = ca.jacobian(x, e.symbols[part])
            rate += J @ getattr(e, speed) if J.nnz() else 0
        return ca.reshape(rate, *expression.shape)

    def dimensions(self, name: str) -> int | None:
        """1 for the vectors of a joint, however short; None where the expression's shape says it."""
        own = name not in self.mechanism.outputs and name.rpartition(".")[2] in ("q", "u", "udot")
        return 1 if own else None

    def place(self, name: str, value: object, state: State) -> tuple[str, np.ndarray, np.ndarray]:
        """(part, indices, values): where in the state a variable or entry is set, if it is affine in one part of it."""
        whole, place = split_entry(name, self)
        if whole not in self:
            raise unknown_name(name, self.all, f"{self.mechanism.name!r}")
        expression = ca.vec(entry_of(name, self.expression(whole), place))
        for parts in ("quz", "pd"):
            x = ca.vertcat(*[self.equations.symbols[n] for n in parts])
            J = ca.jacobian(expression, x)
            if not J.nnz():
                continue
            rows, columns = np.array(J.sparsity().row()), np.repeat(np.arange(J.shape[1]), np.diff(J.colind()))
            if ca.depends_on(J, x) or len(rows) != J.shape[0] or len(set(rows)) != len(rows):
                break
            slope, now = self.evaluate([J, expression], state)
            wanted = _numbers(name, value, expression.numel())
            ends = np.cumsum([self.equations.symbols[n].numel() for n in parts])
            part = parts[int(np.searchsorted(ends, columns[0], side="right"))]
            first = ends[parts.index(part)] - self.equations.symbols[part].numel()
            if any(not first <= c < first + self.equations.symbols[part].numel() for c in columns):
                break
            values = getattr(state, part)[columns - first] + (wanted - now.ravel())[rows] / slope[rows, columns]
            return part, columns - first, values
        if not ca.symvar(ca.SX(expression)):
            raise ModelError(f"{name}: its value is compiled into the code. A parameter is set in a state after "
                             f"lw.compile(m, tunable=[{name!r}]); a variable that follows from others cannot be set.",
                             name)
        raise ModelError(f"{name}: this variable follows from others and cannot be set; set a coordinate, a speed, a "
                         "state, a parameter or a discrete variable.", name)

    def value(self, expression: Scalar, state: State) -> np.ndarray:
        """Any expression in the mechanism's variables at a state, without compiling it."""
        return self.evaluate([self.equations.finish(ca.SX(expression))[0]], state)[0]

    def refuse_over_time(self, name: str) -> None:
        """An error where something sets an input that is given over time, and so part of the code."""
        if name in self.mechanism.over_time:
            raise ModelError(f"inputs= gives {name} over time, so that nothing else can set it; leave one of the two "
                             "out.", name)

    def evaluate(self, expressions: Sequence[ca.SX], state: State) -> list[np.ndarray]:
        """Expressions in the symbols of the equations at a state, without compiling them."""
        parts = ("t", "q", "u", "z", "d", "p")
        function = ca.Function("now", [self.equations.symbols[n] for n in parts], expressions)
        return [np.array(ca.DM(v).full()) for v in function.call([ca.DM(getattr(state, n)) for n in parts])]


def _as_expression(name: str, value: object) -> ca.SX:
    try:
        return value if isinstance(value, ca.SX) else ca.SX(np.asarray(value, dtype=float))
    except (TypeError, ValueError, NotImplementedError):
        raise LinkwrightError(f"{name}: an expression is needed, got {type(value).__name__}.", name) from None


def _numbers(name: str, value: object, size: int) -> np.ndarray:
    """`value` as `size` finite numbers (matrices column by column, as CasADi stores them)."""
    try:
        numbers = np.asarray(value, dtype=float).ravel(order="F")
    except (TypeError, ValueError):
        raise ModelError(f"{name}: a number is needed, got {value!r}.", name) from None
    if len(numbers) != size:
        raise ModelError(f"{name}: {size} numbers are needed, got {len(numbers)}.", name)
    if not np.all(np.isfinite(numbers)):
        raise ModelError(f"{name}: the value must be finite, got {value}.", name)
    return numbers
