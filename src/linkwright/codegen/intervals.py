"""Interval extensions: where an expression's values lie while the quantities in it range over intervals.

Parts that are polynomials of variables (sums, products, squares; quotients by constants) are left whole: these *bases*
are smooth in time, and their ranges are given from outside.  From there on every operation has a rule (Moore, Kearfott,
Cloud: Introduction to Interval Analysis, 2009, chapters 2 and 5): the result of an increasing function is that of both
ends; sin has its peaks between them; a quotient by an interval that contains 0 may be anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from .table_ranges import knot_number, table_range
from .tables import is_table, table_degree
from .tolerances import ANYTHING, GREATEST_EXP, LEAST_LOG, SMOOTH_DEGREE, STEEP

Box = tuple[ca.SX, ca.SX]

POLYNOMIAL = {ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_NEG, ca.OP_SQ, ca.OP_TWICE, ca.OP_ASSIGN}
#: operations that make humps short against the motion of their argument
NARROWING = {ca.OP_EXP, ca.OP_EXPM1, ca.OP_TANH, ca.OP_ATAN, ca.OP_ERF, ca.OP_SINH, ca.OP_COSH, ca.OP_DIV, ca.OP_INV,
             ca.OP_POW, ca.OP_CONSTPOW, ca.OP_FMIN, ca.OP_FMAX, ca.OP_IF_ELSE_ZERO, ca.OP_CALL}
POWERS = (ca.OP_POW, ca.OP_CONSTPOW)
SHARP = {ca.OP_EXP, ca.OP_EXPM1, ca.OP_TANH, ca.OP_ATAN, ca.OP_ERF, ca.OP_SINH, ca.OP_COSH}


@dataclass(frozen=True)
class Enclosure:
    """Bases (a vector), and the function (least bases, greatest bases) → (least, greatest values of expressions).

    `arguments` are those of sharp functions, followed by their units: features of the functions are some units long.
    """

    bases: ca.SX
    bounds: ca.Function
    arguments: ca.SX


@dataclass(frozen=True)
class _Value:
    """An intermediate result: its expression, whether it moves in time, its box unless it may be a base."""

    node: ca.SX
    moves: bool
    box: Box | None = None


def short_features(expressions: Sequence[ca.SX], still: ca.SX) -> list[tuple[bool, bool]]:
    """Of each expression whether it may be narrow (a hump short against the motion in it), and sharp.

    `still` are symbols that rest.  Sharp is what is flat but for a short part, or steep; x/|x|, minima and choices are
    only narrow: they turn with the motion, or are made of parts that do.
    """
    function, resting = _function(expressions), _hashes(still)
    symbols, out = function.sx_in(0), [(False, False)] * len(expressions)
    # of each slot: whether it moves, whether it is a polynomial of what moves, narrow, sharp; the number where constant
    slots, numbers = [(False, True, False, False)] * (function.sz_w() + 1), {}
    for k in range(function.n_instructions()):
        op, inputs, outputs = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_OUTPUT:
            out[outputs[1]] = slots[inputs[0]][2:]
            continue
        if op == ca.OP_INPUT:
            slots[outputs[0]] = (symbols[inputs[1]].element_hash() not in resting, True, False, False)
            continue
        operands = [slots[i] for i in inputs]
        exponent = numbers.get(inputs[1]) if op in POWERS else None
        numbers.pop(outputs[0], None)
        if op == ca.OP_CONST:
            numbers[outputs[0]] = function.instruction_constant(k)
        moves = any(operand[0] for operand in operands)
        divided = op in (ca.OP_DIV, ca.OP_INV)
        bent = operands[-1][0] if divided else moves
        called = op == ca.OP_CALL and not is_smooth(function.instructions_sx()[k])
        narrow = bent and op in NARROWING and (op != ca.OP_CALL or called)
        sharp = bent and (op in SHARP or called or divided and operands[-1][1]
                          or exponent is not None and not 0 <= exponent < STEEP)
        smooth = not moves or (op in POLYNOMIAL or divided and not bent) and all(operand[1] for operand in operands)
        for slot in outputs:
            slots[slot] = (moves, smooth, narrow or any(operand[2] for operand in operands),
                           sharp or any(operand[3] for operand in operands))
    return out


def is_smooth(node: ca.SX) -> bool:
    """Whether a call is that of a table whose pieces stand for a smooth curve: knots are not its features then."""
    return is_table(node.which_function()) and table_degree(node.which_function()) >= SMOOTH_DEGREE


def enclose(expressions: Sequence[ca.SX], still: ca.SX) -> Enclosure:
    """The interval extensions of scalar expressions; `still` are symbols that rest meanwhile."""
    function, resting, bases, arguments = _function(expressions), _hashes(still), _Bases(), []
    slots, results = [None] * (function.sz_w() + 1), [None] * len(expressions)
    symbols, nodes = function.sx_in(0), function.instructions_sx()
    for k in range(function.n_instructions()):
        op, inputs, outputs = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT:
            symbol = symbols[inputs[1]]
            slots[outputs[0]] = _Value(symbol, symbol.element_hash() not in resting)
        elif op == ca.OP_OUTPUT:
            results[outputs[1]] = bases.box(slots[inputs[0]])
        else:
            operands = [slots[i] for i in inputs]
            if len(outputs) > 1:  # a loop over rows: each of its results is a base
                found = nodes[k].which_function()(ca.vertcat(*[v.node for v in operands]))
                for j, slot in enumerate(outputs):
                    slots[slot] = _Value(found[j], any(v.moves for v in operands))
                continue
            slots[outputs[0]] = _result(op, nodes[k], operands, bases)
            arguments += _sharp(op, nodes[k], operands)
    low, high = (ca.vertcat(*[box[side] for box in results]) for side in (0, 1))
    bounds = ca.Function("bounds", bases.symbols(), [low, high])
    arguments = ca.vertcat(ca.SX(0, 1), *[argument for argument, _ in arguments], *[unit for _, unit in arguments])
    return Enclosure(ca.vertcat(*bases.nodes), bounds, arguments)


def _function(expressions: Sequence[ca.SX]) -> ca.Function:
    """Scalar expressions as one function of a vector of all symbols in them."""
    results = ca.densify(ca.vertcat(ca.SX(0, 1), *expressions))
    return ca.Function("f", [ca.vertcat(ca.SX(0, 1), *ca.symvar(results))], [results])


def _hashes(symbols: ca.SX) -> set[int]:
    return {symbols.nz[k].element_hash() for k in range(symbols.nnz())}


class _Bases:
    """The bases met so far and the symbols of their ends."""

    def __init__(self) -> None:
        self.nodes: list[ca.SX] = []
        self._boxes: dict[int, Box] = {}

    def box(self, value: _Value) -> Box:
        """The box of a value; a value without one is or becomes a base."""
        if value.box is not None:
            return value.box
        if value.node.is_constant():
            return value.node, value.node
        key = value.node.element_hash()
        if key not in self._boxes:
            self._boxes[key] = ca.SX.sym(f"low{len(self.nodes)}"), ca.SX.sym(f"high{len(self.nodes)}")
            self.nodes.append(value.node)
        return self._boxes[key]

    def symbols(self) -> list[ca.SX]:
        boxes = list(self._boxes.values())
        return [ca.vertcat(*[box[side] for box in boxes]) for side in (0, 1)]


def _result(op: int, node: ca.SX, operands: list[_Value], bases: _Bases) -> _Value:
    """What an operation makes of its operands; what has no rule is a base."""
    moves = any(v.moves for v in operands)
    smooth = op in POLYNOMIAL or op == ca.OP_DIV and not operands[1].moves
    if not moves or smooth and all(v.box is None for v in operands):
        return _Value(node, moves)
    if op == ca.OP_CALL:
        called = node.which_function()
        bounded = is_table(called) and not is_smooth(node)
        return _Value(node, True, table_range(called, bases.box(operands[0])) if bounded else None)
    rule = RULES.get(op)
    return _Value(node, True, rule and rule(*[bases.box(v) for v in operands]))


def _sharp(op: int, node: ca.SX, operands: list[_Value]) -> list[tuple[ca.SX, ca.SX]]:
    """The argument of a function that is flat but for a short part, or steep, and a unit of which the part has some."""
    if not any(v.moves for v in operands):
        return []
    if op in SHARP:
        return [(operands[0].node, ca.SX(1))]
    if op == ca.OP_CALL and is_table(node.which_function()) and not is_smooth(node):
        return [(knot_number(node.which_function())(operands[0].node), ca.SX(1 / 4))]
    if op in (ca.OP_DIV, ca.OP_INV) and operands[-1].moves and operands[-1].box is None:
        return [(operands[-1].node, ca.fabs(operands[-1].node) / 4)]
    if op in POWERS and operands[1].node.is_constant():
        exponent = float(operands[1].node)
        return [(operands[0].node, ca.fabs(operands[0].node / exponent))] if not 0 <= exponent < STEEP else []
    return []


# --- rules ---


def _add(a: Box, b: Box) -> Box:
    return a[0] + b[0], a[1] + b[1]


def _negative(a: Box) -> Box:
    return -a[1], -a[0]


def _product(a: Box, b: Box) -> Box:
    corners = [x * y for x in a for y in b]
    return _least(*corners), _greatest(*corners)


def _inverse(a: Box) -> Box:
    whole = ca.logic_or(a[0] > 0, a[1] < 0)
    return ca.if_else(whole, 1 / a[1], -ANYTHING), ca.if_else(whole, 1 / a[0], ANYTHING)


def _magnitude(a: Box) -> Box:
    return _greatest(0, a[0], -a[1]), _greatest(-a[0], a[1])


def _sine(a: Box) -> Box:
    """A peak lies between the ends where the number of peaks below them differs."""
    ends = ca.sin(a[0]), ca.sin(a[1])

    def passed(phase: float) -> ca.SX:
        return ca.floor((a[1] - phase) / (2 * math.pi)) > ca.floor((a[0] - phase) / (2 * math.pi))

    return (ca.if_else(passed(-math.pi / 2), -1, _least(*ends)), ca.if_else(passed(math.pi / 2), 1, _greatest(*ends)))


def _cosine(a: Box) -> Box:
    return _sine((a[0] + math.pi / 2, a[1] + math.pi / 2))


def _power(a: Box, b: Box) -> Box:
    exponent = float(b[0]) if b[0].is_constant() and b[1].is_constant() else None
    if exponent is None:
        return RULES[ca.OP_EXP](_product(b, RULES[ca.OP_LOG](a)))
    if exponent < 0:
        return _inverse(_power(a, (-b[0], -b[1])))
    if exponent % 2 == 0:
        a = _magnitude(a)
    elif exponent % 2 != 1:  # a root: of what is not negative
        a = _greatest(0, a[0]), _greatest(0, a[1])
    return a[0] ** exponent, a[1] ** exponent


def _direction(y: Box, x: Box) -> Box:
    """atan2: to the right of the origin that of the quotient."""
    right = RULES[ca.OP_ATAN](_product(y, _inverse(x)))
    return ca.if_else(x[0] > 0, right[0], -math.pi), ca.if_else(x[0] > 0, right[1], math.pi)


def _apart(a: Box, b: Box) -> ca.SX:
    """Whether no number lies in both."""
    return ca.logic_or(a[1] < b[0], a[0] > b[1])


def _same(a: Box, b: Box) -> ca.SX:
    """Whether both are one and the same number, as a comparison that is decided is 0 or 1."""
    return ca.logic_and(ca.logic_and(a[0] >= a[1], b[0] >= b[1]), ca.logic_not(_apart(a, b)))


def _selected(condition: Box, a: Box) -> Box:
    """a where the condition holds, else 0."""
    surely, maybe = condition
    return (ca.if_else(surely, a[0], ca.if_else(maybe, _least(0, a[0]), 0)),
            ca.if_else(surely, a[1], ca.if_else(maybe, _greatest(0, a[1]), 0)))


def _rising(function: Callable, least: float = -math.inf, greatest: float = math.inf) -> Callable[..., Any]:
    """The rule of an increasing function of what lies between `least` and `greatest`."""
    def end(x: ca.SX) -> ca.SX:
        x = x if least == -math.inf else _greatest(x, least)
        return function(x if greatest == math.inf else _least(x, greatest))

    return lambda a: (end(a[0]), end(a[1]))


def _least(*values: float | ca.SX) -> ca.SX:
    out = values[0]
    for value in values[1:]:
        out = ca.fmin(out, value)
    return out


def _greatest(*values: float | ca.SX) -> ca.SX:
    out = values[0]
    for value in values[1:]:
        out = ca.fmax(out, value)
    return out


RULES = {
    ca.OP_ADD: _add,
    ca.OP_SUB: lambda a, b: _add(a, _negative(b)),
    ca.OP_NEG: _negative,
    ca.OP_TWICE: lambda a: (2 * a[0], 2 * a[1]),
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_MUL: _product,
    ca.OP_INV: _inverse,
    ca.OP_DIV: lambda a, b: _product(a, _inverse(b)),
    ca.OP_SQ: lambda a: tuple(x * x for x in _magnitude(a)),
    ca.OP_FABS: _magnitude,
    ca.OP_COSH: lambda a: tuple(ca.cosh(_least(x, GREATEST_EXP)) for x in _magnitude(a)),
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
    ca.OP_SIN: _sine,
    ca.OP_COS: _cosine,
    ca.OP_TAN: lambda a: _product(_sine(a), _inverse(_cosine(a))),
    ca.OP_ATAN2: _direction,
    ca.OP_ACOS: lambda a: _negative(_rising(lambda x: -ca.acos(x), -1, 1)(a)),
    ca.OP_EXP: _rising(ca.exp, greatest=GREATEST_EXP),
    ca.OP_EXPM1: _rising(ca.expm1, greatest=GREATEST_EXP),
    ca.OP_SINH: _rising(ca.sinh, -GREATEST_EXP, GREATEST_EXP),
    ca.OP_LOG: _rising(ca.log, LEAST_LOG),
    ca.OP_SQRT: _rising(ca.sqrt, 0),
    ca.OP_ASIN: _rising(ca.asin, -1, 1),
    **{op: _rising(function) for op, function in (
        (ca.OP_TANH, ca.tanh), (ca.OP_ATAN, ca.atan), (ca.OP_ERF, ca.erf), (ca.OP_ASINH, ca.asinh),
        (ca.OP_SIGN, ca.sign), (ca.OP_FLOOR, ca.floor), (ca.OP_CEIL, ca.ceil))},
    ca.OP_FMIN: lambda a, b: (_least(a[0], b[0]), _least(a[1], b[1])),
    ca.OP_FMAX: lambda a, b: (_greatest(a[0], b[0]), _greatest(a[1], b[1])),
    ca.OP_LT: lambda a, b: (a[1] < b[0], a[0] < b[1]),
    ca.OP_LE: lambda a, b: (a[1] <= b[0], a[0] <= b[1]),
    ca.OP_NOT: lambda a: (ca.logic_not(a[1]), ca.logic_not(a[0])),
    ca.OP_AND: lambda a, b: (ca.logic_and(a[0], b[0]), ca.logic_and(a[1], b[1])),
    ca.OP_OR: lambda a, b: (ca.logic_or(a[0], b[0]), ca.logic_or(a[1], b[1])),
    ca.OP_NE: lambda a, b: (_apart(a, b), ca.logic_not(_same(a, b))),
    ca.OP_EQ: lambda a, b: (_same(a, b), ca.logic_not(_apart(a, b))),
    ca.OP_IF_ELSE_ZERO: _selected,
}
