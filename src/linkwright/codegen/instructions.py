"""CasADi SX functions read as one list of instructions in single-assignment form.

Every value has a number; `op[v]`, `left[v]`, `right[v]` say how value v is made.  Equal instructions are merged on
reading (value numbering), sin and cos of one argument become one SINCOS with two parts (of an arctangent counted over
full turns, as closed forms of loops give it, two quotients), and `live` drops what no result needs.
"""

from __future__ import annotations

import math

import casadi
from casadi import (
    OP_ADD,
    OP_ASSIGN,
    OP_ATAN2,
    OP_CALL,
    OP_CONST,
    OP_COS,
    OP_DIV,
    OP_EQ,
    OP_FLOOR,
    OP_FMAX,
    OP_FMIN,
    OP_INPUT,
    OP_LIFT,
    OP_MUL,
    OP_NE,
    OP_NEG,
    OP_OUTPUT,
    OP_PARAMETER,
    OP_SIN,
    OP_SQ,
    OP_SQRT,
    OP_SUB,
)

from linkwright.codegen.active_equations import closed_derivative, is_closed
from linkwright.codegen.best_row import is_least
from linkwright.codegen.loops import is_loop
from linkwright.codegen.routines import is_routine
from linkwright.codegen.surfaces import is_surface
from linkwright.codegen.tables import is_table
from linkwright.errors import LinkwrightError

# our own operations, beside CasADi's numbers
LOAD = 1000  # left: vector number, right: element
SINCOS = 1001  # left: argument; its parts follow at once
SIN_PART = 1002
COS_PART = 1003
TABLE = 1004  # left: argument, right: number of the table
CALLED = 1005  # left: number of the call of a loop
PART = 1006  # left: the call, right: which of its results

_COMMUTATIVE = frozenset((OP_ADD, OP_MUL, OP_EQ, OP_NE, OP_FMIN, OP_FMAX))
_NAMES = {value: name for name, value in vars(casadi).items() if name.startswith("OP_") and isinstance(value, int)}


def operation_name(op: int) -> str:
    """CasADi's name of an operation, e.g. 'OP_ERFINV'."""
    return _NAMES.get(op, f"operation {op}")


class Code:
    """A growing list of instructions; `add` appends the content of a CasADi function."""

    def __init__(self) -> None:
        self.op: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.constants: list[float] = []
        self.tables: list = []
        self._table_numbers: dict[str, int] = {}
        self.calls: list[tuple[casadi.Function, tuple[int, ...]]] = []  # loops and their arguments
        self._call_numbers: dict[tuple, int] = {}
        self._known: dict[tuple, int] = {}

    def __len__(self) -> int:
        return len(self.op)

    def value(self, op: int, left: int, right: int = -1) -> int:
        """Number of the value `op(left, right)`; an equal one made before is used again."""
        if right < left and op in _COMMUTATIVE and right >= 0:
            left, right = right, left
        key = (op, left, right)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self.op)
            self.op.append(op)
            self.left.append(left)
            self.right.append(right)
        return known

    def constant(self, number: float) -> int:
        """Number of a constant; −0.0 and 0.0 differ."""
        key = ("constant", float(number).hex())
        known = self._known.get(key)
        if known is None:
            self.constants.append(float(number))
            known = self._known[key] = self.value(OP_CONST, len(self.constants) - 1)
        return known

    def vector(self, number: int, size: int) -> list[int]:
        """Values of all elements of a vector in memory."""
        return [self.value(LOAD, number, k) for k in range(size)]

    def add(self, function: casadi.Function, arguments: list[list[int]]) -> list[list[int]]:
        """Append `function(*arguments)`; arguments and results are dense lists of value numbers."""
        name = function.name()
        identity, inputs, outputs = function.instruction_id, function.instruction_input, function.instruction_output
        places = [function.sparsity_in(i).find() for i in range(function.n_in())]
        zero = self.constant(0.0)
        results = [[zero] * function.numel_out(i) for i in range(function.n_out())]
        result_places = [function.sparsity_out(i).find() for i in range(function.n_out())]
        slots = [0] * (function.sz_w() + 1)
        value = self.value
        nodes = None
        for k in range(function.n_instructions()):
            op = identity(k)
            if op == OP_INPUT:
                i, j = inputs(k)
                slots[outputs(k)[0]] = arguments[i][places[i][j]]
            elif op == OP_OUTPUT:
                i, j = outputs(k)
                results[i][result_places[i][j]] = slots[inputs(k)[0]]
            elif op == OP_CONST:
                slots[outputs(k)[0]] = self.constant(function.instruction_constant(k))
            elif op in (OP_SIN, OP_COS):
                slots[outputs(k)[0]] = self._sine_and_cosine(slots[inputs(k)[0]])[op == OP_COS]
            elif op in (OP_ASSIGN, OP_LIFT):
                slots[outputs(k)[0]] = slots[inputs(k)[0]]
            elif op == OP_CALL:
                if nodes is None:
                    nodes = function.instructions_sx()
                called = nodes[k].which_function()
                for slot, v in zip(outputs(k), self._call(called, [slots[s] for s in inputs(k)]), strict=True):
                    if slot >= 0:
                        slots[slot] = v
            elif op == OP_PARAMETER:
                raise LinkwrightError(f"{name}: a free symbol remains in the expressions: {function.get_free()}.")
            else:
                operands = inputs(k)
                if len(operands) == 1:
                    slots[outputs(k)[0]] = value(op, slots[operands[0]])
                else:
                    slots[outputs(k)[0]] = value(op, slots[operands[0]], slots[operands[1]])
        return results

    def _sine_and_cosine(self, v: int) -> tuple[int, int]:
        """Of value v; where v = ± atan2(y, x) + 2π floor(…) they are ± y/r and x/r with r² = x² + y²."""
        arctangent, backwards = self._within_a_turn(v)
        if arctangent is None:
            pair = self.value(SINCOS, v)
            return self.value(SIN_PART, pair), self.value(COS_PART, pair)
        y, x = self.left[arctangent], self.right[arctangent]
        r = self.value(OP_SQRT, self.value(OP_ADD, self.value(OP_SQ, x), self.value(OP_SQ, y)))
        sine = self.value(OP_DIV, y, r)
        return self.value(OP_NEG, sine) if backwards else sine, self.value(OP_DIV, x, r)

    def _within_a_turn(self, v: int) -> tuple[int | None, bool]:
        """The arctangent in v = ± atan2(y, x) + 2π floor(…), and whether it is minus; None if v is made otherwise."""
        angle, turns = self.left[v], self.right[v]
        if self.op[v] not in (OP_ADD, OP_SUB):
            return None, False
        if self.op[v] == OP_SUB or self.op[turns] == OP_ATAN2:
            angle, turns = turns, angle
        if self.op[angle] != OP_ATAN2 or self.op[turns] != OP_MUL:
            return None, False
        factors = (self.left[turns], self.right[turns])
        whole = any(self.op[f] == OP_FLOOR for f in factors)
        full = any(self.op[f] == OP_CONST and self.constants[self.left[f]] == 2 * math.pi for f in factors)
        return (angle if whole and full else None), self.op[v] == OP_SUB

    def _call(self, called: casadi.Function, operands: list[int]) -> list[int]:
        """Results of a called function: tables and loops stay calls, anything else is expanded in place."""
        if is_table(called):
            return [self.table(called, operands[0])]
        if any(kind(called) for kind in (is_loop, is_least, is_closed, is_routine, is_surface)):
            call = self.called(called, operands)
            return [self.value(PART, call, k) for k in range(called.numel_out(0))]
        expanded = expanded_call(called)
        # operands are the non-zeros of all arguments in order
        arguments, start, zero = [], 0, self.constant(0.0)
        for i in range(expanded.n_in()):
            dense = [zero] * expanded.numel_in(i)
            for place in expanded.sparsity_in(i).find():
                dense[place] = operands[start]
                start += 1
            arguments.append(dense)
        results = self.add(expanded, arguments)
        return [results[i][p] for i in range(expanded.n_out()) for p in expanded.sparsity_out(i).find()]

    def table(self, table: casadi.Function, argument: int) -> int:
        """The value of a table at an argument."""
        number = self._table_numbers.setdefault(table.name(), len(self.tables))
        if number == len(self.tables):
            self.tables.append(table)
        return self.value(TABLE, argument, number)

    def called(self, function: casadi.Function, operands: list[int]) -> int:
        """The call of a function that is not expanded; its results are PARTs of it."""
        key = function.name(), tuple(operands)
        number = self._call_numbers.setdefault(key, len(self.calls))
        if number == len(self.calls):
            self.calls.append((function, tuple(operands)))
        return self.value(CALLED, number)

    def operands(self, v: int) -> tuple[int, ...]:
        """The values that value v is made from."""
        op, left, right = self.op[v], self.left[v], self.right[v]
        if op in (OP_CONST, LOAD):
            return ()
        if op == CALLED:
            return self.calls[left][1]
        return (left,) if right < 0 or op in (TABLE, PART) else (left, right)

    def live(self, results: list[int]) -> list[int]:
        """Values needed for `results`, in order of computation."""
        needed = bytearray(len(self.op))
        for v in results:
            needed[v] = 1
        op, left, right = self.op, self.left, self.right
        for v in range(len(op) - 1, -1, -1):
            if needed[v]:
                o = op[v]
                if o in (OP_CONST, LOAD):
                    continue
                if o == CALLED:
                    for a in self.operands(v):
                        needed[a] = 1
                    continue
                needed[left[v]] = 1
                if right[v] >= 0 and o not in (TABLE, PART):
                    needed[right[v]] = 1
        return [v for v in range(len(op)) if needed[v]]

    def call_places(self, live: list[int], first: int) -> tuple[dict[int, tuple[int, int]], int]:
        """Where in a workspace, from `first` on, arguments and results of calls lie, and how many slots that takes."""
        places, at = {}, first
        for v in live:
            if self.op[v] == CALLED:
                function, operands = self.calls[self.left[v]]
                places[v] = at, at + len(operands)
                at += len(operands) + function.numel_out(0)
        return places, at - first

    def arithmetic(self, live: list[int]) -> int:
        """How many of the values in `live` are computed (not loaded, not constant)."""
        free = (OP_CONST, LOAD, SINCOS, PART)
        return sum(1 for v in live if self.op[v] not in free)


def expanded_call(called: casadi.Function) -> casadi.Function:
    """The SX function that stands for a call of something that is no table, loop or solution of its own."""
    return closed_derivative(called) or _as_sx(called)


def _as_sx(called: casadi.Function) -> casadi.Function:
    """The SX form of a called function; what cannot be expanded is refused by name."""
    if called.is_a("SXFunction"):
        return called
    try:
        expanded = called.expand()
        solid = called.name() in expanded.get_function()  # CasADi only wrapped it in a call of itself
    except RuntimeError:
        solid = True
    if solid:
        raise LinkwrightError(
            f"the call of {called.name()!r} cannot be compiled: it is no table, no loop, and has no SX form; "
            "use linkwright's Table, or write it as an SX expression."
        )
    return expanded


def count_instructions(function: casadi.Function) -> int:
    """Arithmetic instructions of an SX function after merging equal ones; loads, stores and constants are free."""
    code = Code()
    results = code.add(function, [code.vector(i, function.numel_in(i)) for i in range(function.n_in())])
    return code.arithmetic(code.live([v for result in results for v in result]))
