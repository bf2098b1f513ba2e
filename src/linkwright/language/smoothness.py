"""Motions that are given must have the derivatives they are followed with: two of a position, one of a speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..codegen import is_table, table_degree
from ..errors import ModelError
from .expressions import derivative, time
from .reads import expressions, integrals, signals
from .signals import block_of
from .tolerances import BESIDE, MEETS, NEARER_SIDE, NO_JUMP, POINTS, STAYS, WIDER_SIDE

if TYPE_CHECKING:
    from .model import Model

LEVELS = ("position", "speed", "acceleration")
#: operations whose value jumps, and those whose rate jumps
JUMPS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD, ca.OP_REMAINDER}
KINKS = {ca.OP_FABS, ca.OP_FMIN, ca.OP_FMAX}


def refuse_jumps(model: Model, name: str, level: int, expression: ca.SX, advice: str = "",
                 set_anew: bool = False) -> None:
    """Nothing in a position or speed may jump, nor in a position bend; the states of blocks are looked into.

    A position that is `set_anew` at events may read the discrete variables that actions set there.
    """
    if level == 2:
        return
    held = {(level, key) for key in set_by_actions(model)} if set_anew and level == 0 else set()
    what = _trouble(model, level, ca.SX(expression), held)
    if what is None or _joined(ca.SX(expression), level):
        return
    needed = "acceleration" if level == 1 or what == "has a corner" else "speed"
    advice = advice or f"prescribe the {LEVELS[level + 1]}"
    raise ModelError(f"{name} cannot follow {_short(expression)}, which {what}: its {needed} would be infinite there. "
                     f"Join the pieces smoothly (lw.smooth_where says that they are), or {advice}.", name)


def _trouble(model: Model, level: int, expression: ca.SX, seen: set) -> str | None:
    """What forbids an expression on a level; the states of a block have one derivative more than what drives them."""
    stack = [expression[k] for k in range(expression.numel())]
    while stack:
        e = stack.pop()
        if e.is_constant() or (level, e.element_hash()) in seen:
            continue
        seen.add((level, e.element_hash()))
        if e.is_symbolic():
            block = block_of(e, model)
            if block is None and e.element_hash() in set_at_events(model):
                return "changes at events"
            if block is None:
                continue
            if not any(e.element_hash() == block.symbol.nz[k].element_hash() for k in range(block.symbol.nnz())):
                return "jumps"  # what a block remembers
            deeper = None if level else _trouble(model, 1, block.derivative, seen)
            if deeper is not None:
                return "has a corner"
            continue
        parts = [e.dep(k) for k in range(e.n_dep())]
        # under the mark of smooth_where, a select `condition != 0`, the user has answered for it
        if e.op() == ca.OP_NE and any(part.is_constant() and part.is_zero() for part in parts):
            continue
        if e.op() in JUMPS:
            return "jumps"
        if e.op() == ca.OP_CALL and is_table(e.which_function()):
            degree = table_degree(e.which_function())
            if degree < 2 - level:
                return "has a corner" if degree else "jumps"
        if e.op() in KINKS and level == 0:
            return "has a corner"
        stack += parts
    return None


def set_at_events(model: Model) -> set[int]:
    """The variables of a model, as hashes of their symbols, that actions set, or that controllers may."""
    parts = list(model.models())
    found = {target.element_hash() for part in parts for action in part._actions for target in action.changes}
    if any(part._controllers for part in parts):
        found |= {symbol.element_hash() for part in parts for symbol, _ in part._inputs.values()}
    return found


def set_by_actions(model: Model) -> set[int]:
    """The discrete variables that actions set at their instants, and neither completed steps nor controllers."""
    parts = list(model.models())
    if any(part._controllers for part in parts):
        return set()
    discrete = {symbol.element_hash() for part in parts for symbol, _ in part._inputs.values()}
    actions = [action for part in parts for action in part._actions]
    stepped = {target.element_hash() for action in actions if action.each_step for target in action.changes}
    return discrete & {target.element_hash() for action in actions for target in action.changes} - stepped


def refuse_impulses(model: Model) -> None:
    """The derivative of what jumps would be infinite for an instant, which nothing in a model can be."""
    read = [(f"{owner.path_of(name)} reads", e) for owner, name, e in (*signals(model), *integrals(model))]
    read += [(what, e) for _, what, e in expressions(model)]
    seen = set()
    while read:
        what, expression = read.pop()
        for symbol in ca.symvar(ca.SX(expression)):
            key = symbol.element_hash()
            rate = derivative(key)
            if rate is None or key in seen:
                continue
            seen.add(key)
            differentiated = ca.vec(ca.SX(rate.of))
            read.append((what, differentiated))
            jumping = next((e for e in ca.vertsplit(differentiated) if _jumps(model, e) or _has_corner(model, e)), None)
            if jumping is not None:
                raise ModelError(f"{what} the derivative of {_short(jumping)}, which jumps: the impulse that it would "
                                 "be is lost. Give a blow as a new speed (m.when), or take blocks.derivative, which "
                                 "smooths it.", what)


def _jumps(model: Model, expression: ca.SX) -> bool:
    """Whether an expression jumps for sure: it reads a discrete variable that is set, or its pieces differ.

    Pieces meet where a comparison a < b (a sign, a floor) switches; there one variable is moved a little to both sides,
    the others being anything.  A jump stays while the sides come nearer.
    """
    symbols = ca.symvar(expression)
    blocks = [block for block in (block_of(s, model) for s in symbols) if block is not None]
    jumping = {symbol.element_hash() for block in blocks for symbol, _ in block.discretes.values()}
    jumping |= set_at_events(model).intersection(
        symbol.element_hash() for part in model.models() for symbol, _ in part._inputs.values())
    if not jumping.isdisjoint(s.element_hash() for s in symbols):
        return True
    everything, random = ca.vertcat(ca.SX(0, 1), *symbols), np.random.default_rng(0)
    value = ca.Function("value", [everything], [expression])
    for gap in _gaps(expression):
        slopes = ca.Function("gap", [everything], [gap, ca.densify(ca.jacobian(gap, everything))])
        differences = []
        for _ in range(POINTS):
            x = random.uniform(-1, 1, len(symbols))
            g, slope = (np.array(y).ravel() for y in slopes(x))
            k = int(np.argmax(np.abs(slope))) if len(slope) else 0
            if not len(slope) or not slope[k] or not np.isfinite(slope[k] * g[0]):
                continue
            x[k] -= g[0] / slope[k]
            sides = []
            for h in (NEARER_SIDE * (1 + abs(x[k])), WIDER_SIDE * (1 + abs(x[k]))):
                there, beyond = x.copy(), x.copy()
                there[k], beyond[k] = x[k] - h, x[k] + h
                sides.append(abs(float(value(beyond)) - float(value(there))))
            differences.append(sides)
        if differences and all(near > STAYS * wide and near > NO_JUMP for near, wide in differences):
            return True
    return False


def _has_corner(model: Model, expression: ca.SX) -> bool:
    """Whether an expression holds the derivative of a function of time that bends."""
    inner = [rate.of for s in ca.symvar(expression) if (rate := derivative(s.element_hash())) is not None]
    return any(_instants(e) and _trouble(model, 0, e, set()) is not None and not _joined(e, 0)
               for part in inner for e in ca.vertsplit(ca.vec(ca.SX(part))))


def _gaps(expression: ca.SX) -> list[ca.SX]:
    """What vanishes where comparisons, signs and floors in an expression switch, but for those of smooth_where."""
    def decides_smoothly(e: ca.SX, parts: list[ca.SX]) -> bool:
        return e.op() == ca.OP_NE and any(part.is_constant() and part.is_zero() for part in parts)

    found = []
    for e, parts in _operations(expression, unless=decides_smoothly):
        if e.op() in (ca.OP_LT, ca.OP_LE):
            found.append(parts[0] - parts[1])
        elif e.op() in (ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL):
            found.append(parts[0])
    return found


def _operations(expression: ca.SX, unless: Callable[[ca.SX, list[ca.SX]], bool] = lambda e, parts: False
                ) -> Iterator[tuple[ca.SX, list[ca.SX]]]:
    """(operation, operands) of an expression, each once; what is below one that `unless` says yes to is left out."""
    seen, stack = set(), [expression]
    while stack:
        e = stack.pop()
        if e.is_symbolic() or e.is_constant() or e.element_hash() in seen:
            continue
        seen.add(e.element_hash())
        parts = [e.dep(k) for k in range(e.n_dep())]
        if not unless(e, parts):
            stack += parts
            yield e, parts


def _joined(expression: ca.SX, level: int) -> bool:
    """Whether pieces over time meet with equal values, as a position with equal rates too: by looking at both sides."""
    if any(symbol.element_hash() != time.element_hash() for symbol in ca.symvar(expression)):
        return False
    instants = _instants(expression)
    if instants is None:
        return False
    rates = [expression, ca.jacobian(expression, time)][: 2 - level]
    values = ca.Function("pieces", [time], [ca.densify(ca.vertcat(*rates))])
    t = np.sort(instants)
    h = BESIDE * (1 + np.abs(t))
    before, after, between = (np.array(values(ca.DM(x).T)) for x in (t - h, t + h, (t[1:] + t[:-1]) / 2))
    scale = np.max(np.abs(np.hstack([before, after, between])), axis=1, keepdims=True)
    return bool(np.all(np.abs(after - before) <= MEETS * scale))


def _instants(expression: ca.SX) -> list[float] | None:
    """When comparisons, minima and magnitudes of an expression of time switch; None where that cannot be told."""
    found = []
    for e, parts in _operations(expression):
        if e.op() in (ca.OP_LT, ca.OP_LE, ca.OP_FMIN, ca.OP_FMAX, ca.OP_FABS):
            gap = parts[0] - parts[1] if len(parts) == 2 else parts[0]
            slope = ca.jacobian(gap, time)
            if not slope.is_constant():
                return None
            if float(slope):
                found.append(-float(ca.Function("gap", [time], [gap])(0.0)) / float(slope))
        elif e.op() in JUMPS or e.op() == ca.OP_CALL:
            return None
    return found


def _short(expression: ca.SX) -> str:
    text = str(expression)
    return text if len(text) <= 60 else text[:59] + "…"
