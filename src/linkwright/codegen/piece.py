"""One function of straight-line code as LLVM IR, scalar or over W lanes.

In memory, value k of lane l lies at [k·W + l].

Scalar code takes the sines and cosines of coordinates together, as many as a vector register holds: one by one they
cost a third of the time of a spatial chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import casadi as ca

from linkwright.codegen import elementary
from linkwright.codegen.elementary import literal
from linkwright.codegen.instructions import (
    CALLED,
    COS_PART,
    LOAD,
    PART,
    SIN_PART,
    SINCOS,
    TABLE,
    operation_name,
)
from linkwright.codegen.operations import BINARY, COMPARE, ELEMENTARY, INTRINSIC, TRUTH
from linkwright.codegen.register_plan import Plan, Room, Turns
from linkwright.codegen.tables import table_code
from linkwright.errors import LinkwrightError

from .tolerances import TURNED_TOGETHER

if TYPE_CHECKING:
    from .instructions import Code

FAST_FLAGS = "contract nsz arcp "
NEAR_STRIDE = 32  # threads that run together have their near numbers side by side


class Lanes:
    """Names of types and intrinsics for W lanes."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.real = "double" if width == 1 else f"<{width} x double>"
        self.logic = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"

    def constant(self, number: float) -> str:
        return literal(number) if self.width == 1 else f"splat (double {literal(number)})"


class Support:
    """What the emitted code calls: declarations for its own module, definitions for the module it is linked with.

    `vector` is how many doubles a register of the machine holds (0: nothing is to be a vector); `room` is what a thread
    of a GPU has for its values.
    """

    def __init__(self, vector: int = 1, room: Room | None = None) -> None:
        self.vector, self.room = vector, room
        self.near = 0  # places of near memory in use
        self.declarations: set[str] = set()
        self.definitions: set[str] = set()

    def declare(self, result: str, name: str, *arguments: str) -> None:
        self.declarations.add(f"declare {result} @{name}({', '.join(arguments)})")

    def define(self, *definitions: str) -> None:
        """Also the declarations that definitions need."""
        self.definitions.update(definitions)


class Places:
    """Where vectors lie: number → (base, offset in doubles per lane), base one of %in, %out, %work."""

    def __init__(self) -> None:
        self.of: list[tuple[str, int]] = []

    def add(self, base: str, offset: int) -> int:
        self.of.append((base, offset))
        return len(self.of) - 1


class Piece:
    """Writes one function; unnamed values are numbered in order, which LLVM reads fastest."""

    def __init__(self, code: Code, places: Places, slots: dict[int, int], spill: int, lanes: Lanes, fast: bool,
                 support: Support, calls: dict[int, tuple[int, int]] | None = None,
                 laid_down: Set[tuple[int, int]] = frozenset()) -> None:
        self.code, self.places, self.slots, self.spill = code, places, slots, spill
        self.laid_down, self._open, self._branches = laid_down, "", 0
        self.lanes, self.support, self.calls = lanes, support, calls or {}
        self.real, self.logic = lanes.real, lanes.logic
        self.flags = FAST_FLAGS if fast else ""
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.truths: dict[int, str] = {}
        self.parts: dict[int, tuple[str, str, str, int]] = {}  # SINCOS → type, sines, cosines, lane of a group
        self.number = 0
        self.planned, self.label = False, "entry"
        self.given: Mapping[int, int] = {}
        self.one, self.zero = lanes.constant(1.0), lanes.constant(0.0)

    def line(self, right_hand_side: str) -> str:
        name = f"%{self.number}"
        self.number += 1
        self.lines.append(f"  {name} = {right_hand_side}")
        return name

    def pointer(self, base: str, offset: int, element: int) -> str:
        at = (offset + element) * self.lanes.width
        return self.line(f"getelementptr inbounds double, ptr {base}, i64 {at}") if at else base

    def store(self, v: int, base: str, offset: int, element: int) -> None:
        value = self.operand(v)
        self.lines.append(f"  store {self.real} {value}, ptr {self.pointer(base, offset, element)}, align 8")

    def operand(self, v: int) -> str:
        """Name of value v here; loaded where first used if it comes from memory."""
        name = self.names.get(v)
        if name is None and v in self.given:
            name = self.names[v] = self.line(f"load volatile double, {self._near(self.given[v])}, align 8")
        if name is None:
            code = self.code
            if code.op[v] == ca.OP_CONST:
                name = self.lanes.constant(code.constants[code.left[v]])
            else:
                if code.op[v] == LOAD:
                    base, offset = self.places.of[code.left[v]]
                    if self.planned:
                        # read where it is used, again and again, rather than held in a register
                        at = self.line(f"getelementptr inbounds double, ptr addrspace(5) {base}_own, "
                                       f"i64 {offset + code.right[v]}")
                        self.names[v] = self.line(f"load volatile double, ptr addrspace(5) {at}, align 8")
                        return self.names[v]
                    at = self.pointer(base, offset, code.right[v])
                else:
                    at = self.pointer("%work", self.spill, self.slots[v])
                name = self.line(f"load {self.real}, ptr {at}, align 8")
            self.names[v] = name
        return name

    def enter(self, conditions: Sequence[int]) -> None:
        """What follows, up to the next call of this, happens if one of the conditions is true in a lane; always where
        there are none."""
        if self._open:
            self.lines += [f"  br label %{self._open}", f"{self._open}:"]
            self._open = ""
        if not conditions:
            return
        for v in conditions:
            self._compute_all(v)
        some = self.truth(conditions[0])
        for v in conditions[1:]:
            some = self.line(f"or {self.logic} {some}, {self.truth(v)}")
        if self.lanes.width > 1:
            name = f"llvm.vector.reduce.or.v{self.lanes.width}i1"
            self.support.declare("i1", name, self.logic)
            some = self.line(f"call i1 @{name}({self.logic} {some})")
        self._branches += 1
        self._open = f"past_{self._branches}"
        self.lines += [f"  br i1 {some}, label %in_{self._branches}, label %{self._open}", f"in_{self._branches}:"]

    def _compute_all(self, v: int) -> None:
        """A value that inputs give, and what it is made from."""
        if self.code.op[v] not in (ca.OP_CONST, LOAD) and v not in self.names:
            for a in self.code.operands(v):
                self._compute_all(a)
            self.compute(v)

    # --- values that are put away because registers are few ---

    def begin_planned(self, work: int, near: int, given: Mapping[int, int]) -> None:
        """Memory in its own kinds: values are put away from place `near` of near memory on, then from `work` on.

        `given` values are in near memory.
        """
        self.planned, self.first_near, self.given = True, near, given
        if self.support.room.near:
            self.support.declare("ptr addrspace(3)", "lw_near")
            self.lines.append("  %near = call ptr addrspace(3) @lw_near()")
        for base in ("%in", "%out", "%work"):
            self.lines.append(f"  {base}_own = addrspacecast ptr {base} to ptr addrspace(5)")
        self.lines.append(f"  %far = getelementptr inbounds double, ptr addrspace(5) %work_own, i64 {work}")

    def put_away(self, v: int, plan: Plan) -> None:
        self.lines.append(f"  store volatile double {self.operand(v)}, {self._away(v, plan)}, align 8")

    def fetch(self, v: int, plan: Plan) -> None:
        self.names[v] = self.line(f"load volatile double, {self._away(v, plan)}, align 8")

    def forget(self, v: int) -> None:
        for known in (self.names, self.truths):
            known.pop(v, None)

    def turn(self, loop: Turns) -> None:
        """Sines and cosines of numbers side by side, a few at a time; those that are left over one by one."""
        whole = loop.count - loop.count % TURNED_TOGETHER
        if whole > TURNED_TOGETHER:
            name, before = f"turn{loop.place}", self.label
            self.lines += [f"  br label %{name}", f"{name}:",
                           f"  %{name}_j = phi i64 [ 0, %{before} ], [ %{name}_next, %{name} ]"]
            self._turn_some(loop, 0, TURNED_TOGETHER, f"%{name}_j")
            self.lines += [f"  %{name}_next = add i64 %{name}_j, {TURNED_TOGETHER}",
                           f"  %{name}_more = icmp slt i64 %{name}_next, {whole}",
                           f"  br i1 %{name}_more, label %{name}, label %after_{name}", f"after_{name}:"]
            self.label = f"after_{name}"
        else:
            self._turn_some(loop, 0, whole)
        for j in range(whole, loop.count):
            self._turn_some(loop, j, 1)

    def _turn_some(self, loop: Turns, first: int, count: int, index: str = "0") -> None:
        """Those of `count` numbers from first + index on."""
        base, offset = self.places.of[loop.vector]
        real = "double" if count == 1 else f"<{count} x double>"
        arguments = "poison"
        for j in range(first, first + count):
            at = self.line(f"getelementptr inbounds double, ptr addrspace(5) {base}_own, i64 {offset + loop.first + j}")
            at = self.line(f"getelementptr inbounds double, ptr addrspace(5) {at}, i64 {index}")
            number = self.line(f"load double, ptr addrspace(5) {at}, align 8")
            arguments = number if count == 1 else self.line(
                f"insertelement {real} {arguments}, double {number}, i64 {j - first}")
        pair = self.sincos(count, real, arguments)
        behind = self.line(f"mul i64 {index}, {2 * NEAR_STRIDE}")
        for part in (0, 1):
            values = self.line(f"extractvalue {{ {real}, {real} }} {pair}, {part}")
            for j in range(first, first + count):
                value = values if count == 1 else self.line(f"extractelement {real} {values}, i64 {j - first}")
                at = self.line(f"getelementptr inbounds double, ptr addrspace(3) %near, "
                               f"i64 {(loop.place + 2 * j + part) * NEAR_STRIDE}")
                at = self.line(f"getelementptr inbounds double, ptr addrspace(3) {at}, i64 {behind}")
                self.lines.append(f"  store volatile double {value}, ptr addrspace(3) {at}, align 8")

    def _away(self, v: int, plan: Plan) -> str:
        """Where a value is put: near, or in the workspace."""
        near = self.support.room.near - self.first_near
        if plan.place[v] < near:
            return self._near(self.first_near + plan.place[v])
        at = self.line(f"getelementptr inbounds double, ptr addrspace(5) %far, i64 {plan.place[v] - near}")
        return f"ptr addrspace(5) {at}"

    def _near(self, place: int) -> str:
        at = self.line(f"getelementptr inbounds double, ptr addrspace(3) %near, i64 {place * NEAR_STRIDE}")
        return f"ptr addrspace(3) {at}"

    def truth(self, v: int) -> str:
        """Value v as a logical value (≠ 0)."""
        if v not in self.truths:
            self.truths[v] = self.line(f"fcmp une {self.real} {self.operand(v)}, {self.zero}")
        return self.truths[v]

    def select(self, condition: str, a: str, b: str) -> str:
        return self.line(f"select {self.logic} {condition}, {self.real} {a}, {self.real} {b}")

    def call(self, function: str, *operands: str) -> str:
        """A function of numbers, as a table is, lane by lane."""
        if self.lanes.width == 1:
            return self.line(f"call double @{function}({', '.join('double ' + a for a in operands)})")
        result = "poison"
        for l in range(self.lanes.width):
            parts = [self.line(f"extractelement {self.real} {a}, i64 {l}") for a in operands]
            y = self.line(f"call double @{function}({', '.join('double ' + a for a in parts)})")
            result = self.line(f"insertelement {self.real} {result}, double {y}, i64 {l}")
        return result

    def call_loop(self, v: int) -> None:
        """Arguments into the workspace, then the loop, lane by lane."""
        function, operands = self.code.calls[self.code.left[v]]
        first, results = self.calls[v]
        for k, a in enumerate(operands):
            if (v, k) not in self.laid_down:
                self.store(a, "%work", first, k)
        self.support.declare("void", function.name(), "ptr", "ptr", "i64")
        width = self.lanes.width
        for l in range(width):
            at = [self.line(f"getelementptr inbounds double, ptr %work, i64 {k * width + l}") for k in (first, results)]
            self.lines.append(f"  call void @{function.name()}(ptr {at[0]}, ptr {at[1]}, i64 {width})")

    def intrinsic(self, name: str, *operands: str) -> str:
        full = f"llvm.{name}.{self.lanes.suffix}"
        self.support.declare(self.real, full, *[self.real] * len(operands))
        return self.line(f"call {self.real} @{full}({', '.join(f'{self.real} {a}' for a in operands)})")

    def sincos(self, width: int, real: str, argument: str) -> str:
        """The pair of sine and cosine of `width` arguments."""
        pair = f"{{ {real}, {real} }}"
        self.support.declare(pair, f"lw_sincos_{width}", real)
        self.support.define(*elementary.function("sincos", width))
        return self.line(f"call {pair} @lw_sincos_{width}({real} {argument})")

    def elementary(self, name: str, *operands: str) -> str:
        """A function of our own; those with loops inside lane by lane."""
        width = 1 if name in elementary.SCALAR_ONLY else self.lanes.width
        real = self.real if width > 1 else "double"
        full = f"lw_{name}_{width}"
        self.support.declare(real, full, *[real] * len(operands))
        self.support.define(*elementary.function(name, width))
        if width < self.lanes.width:
            return self.call(full, *operands)
        return self.line(f"call {real} @{full}({', '.join(f'{real} {a}' for a in operands)})")

    def sincos_together(self, values: list[int]) -> None:
        """The pairs of many arguments in memory, a register at a time."""
        code = self.code
        values = sorted(values, key=lambda v: (code.left[code.left[v]], code.right[code.left[v]]))
        # of a thread of a GPU, a few so that they do not wait for their own results; none is taken twice there
        most = self.support.vector if self.support.room is None else TURNED_TOGETHER
        while len(values) > 1 and most > 1:
            width = 2
            while width < min(len(values), most):
                width *= 2
            if self.support.room is not None and width > len(values):
                width //= 2
            group, values = values[:width], values[width:]
            real = f"<{width} x double>"
            arguments = "poison"
            for lane in range(width):  # what is left over repeats the last
                argument = self.operand(code.left[group[min(lane, len(group) - 1)]])
                arguments = self.line(f"insertelement {real} {arguments}, double {argument}, i64 {lane}")
            pair = self.sincos(width, real, arguments)
            halves = [self.line(f"extractvalue {{ {real}, {real} }} {pair}, {half}") for half in (0, 1)]
            for lane, v in enumerate(group):
                self.parts[v] = (real, *halves, lane)

    def compute(self, v: int) -> None:
        """Append the instruction that makes value v."""
        code = self.code
        op, left, right = code.op[v], code.left[v], code.right[v]
        if v in self.parts:
            return
        word = BINARY.get(op)
        if word is not None:
            a, b = self.operand(left), self.operand(right)
            self.names[v] = self.line(f"{word} {self.flags}{self.real} {a}, {b}")
            return
        if left in self.parts:
            real, *halves, lane = self.parts[left]
            self.names[v] = self.line(f"extractelement {real} {halves[op == COS_PART]}, i64 {lane}")
            return
        if op == CALLED:
            self.call_loop(v)
            return
        if op == PART:
            at = self.pointer("%work", self.calls[left][1], right)
            self.names[v] = self.line(f"load {self.real}, ptr {at}, align 8")
            return
        a = self.operand(left) if op not in (ca.OP_AND, ca.OP_OR, ca.OP_NOT, ca.OP_IF_ELSE_ZERO) else ""
        if op == ca.OP_SQ:
            name = self.line(f"fmul {self.flags}{self.real} {a}, {a}")
        elif op == ca.OP_TWICE:
            name = self.line(f"fadd {self.flags}{self.real} {a}, {a}")
        elif op == ca.OP_NEG:
            name = self.line(f"fneg {self.flags}{self.real} {a}")
        elif op == ca.OP_INV:
            name = self.line(f"fdiv {self.flags}{self.real} {self.one}, {a}")
        elif op == SINCOS:
            name = self.sincos(self.lanes.width, self.real, a)
        elif op in (SIN_PART, COS_PART):
            pair = f"{{ {self.real}, {self.real} }}"
            name = self.line(f"extractvalue {pair} {a}, {0 if op == SIN_PART else 1}")
        elif op in TRUTH:
            self.truths[v] = self.compare(op, left, right)
            name = self.select(self.truths[v], self.one, self.zero)
        elif op == ca.OP_IF_ELSE_ZERO:
            name = self.select(self.truth(left), self.operand(right), self.zero)
        elif op in INTRINSIC:
            name = self.intrinsic(INTRINSIC[op], a)
        elif op == ca.OP_COPYSIGN:
            name = self.intrinsic("copysign", a, self.operand(right))
        elif op in (ca.OP_FMIN, ca.OP_FMAX):
            name = self.extremum("olt" if op == ca.OP_FMIN else "ogt", a, self.operand(right))
        elif op == ca.OP_SIGN:
            below = self.line(f"fcmp olt {self.real} {a}, {self.zero}")
            above = self.line(f"fcmp ogt {self.real} {a}, {self.zero}")
            name = self.select(below, self.lanes.constant(-1.0), self.select(above, self.one, a))
        elif op in ELEMENTARY:
            operands = (a,) if code.right[v] < 0 else (a, self.operand(right))
            name = self.elementary(ELEMENTARY[op], *operands)
        elif op == TABLE:
            table = code.tables[right]
            self.support.declare("double", table.name(), "double")
            self.support.define(table_code(table))
            name = self.call(table.name(), a)
        else:
            name = operation_name(op)
            raise LinkwrightError(f"the operation {name} cannot be compiled; express it by other functions.")
        self.names[v] = name

    def compare(self, op: int, left: int, right: int) -> str:
        if op in COMPARE:
            return self.line(f"fcmp {COMPARE[op]} {self.real} {self.operand(left)}, {self.operand(right)}")
        if op == ca.OP_NOT:
            return self.line(f"fcmp oeq {self.real} {self.operand(left)}, {self.zero}")
        word = "and" if op == ca.OP_AND else "or"
        return self.line(f"{word} {self.logic} {self.truth(left)}, {self.truth(right)}")

    def extremum(self, order: str, a: str, b: str) -> str:
        """fmin or fmax; a NaN loses against a number, as in C."""
        first = self.line(f"fcmp {order} {self.real} {a}, {b}")
        missing = self.line(f"fcmp uno {self.real} {b}, {b}")
        return self.select(self.line(f"or {self.logic} {first}, {missing}"), a, b)
