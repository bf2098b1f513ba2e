"""C text of functions of the dialect: what LLVM reads for one run, line by line in C.

There is one writer for all targets, so C has the meaning of compiled code by itself.  The dialect's own lines stand as
comments before what became of them.  C99, no library but <math.h> (fabs, sqrt, floor, copysign: instructions), whole
numbers wrap by unsigned arithmetic; products and sums must not be contracted:

    gcc, clang    -ffp-contract=off, and no -ffast-math (which is refused)
    MSVC          /fp:precise
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import Any

from linkwright.errors import LinkwrightError

from ..tolerances import WRITTEN_OUT
from .texts import text_of

HEAD = """#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "this code must not be compiled with fast-math: results would differ from those of the simulator"
#endif
#if defined(__clang__) || defined(_MSC_VER)
#pragma STDC FP_CONTRACT OFF
#endif

static int64_t bits_of(double x) { int64_t n; memcpy(&n, &x, 8); return n; }
static double from_bits(int64_t n) { double x; memcpy(&x, &n, 8); return x; }
static int64_t whole_of(double x)
{
    return x != x ? 0 : x >= 9223372036854775808.0 ? INT64_MAX : x < -9223372036854775808.0 ? INT64_MIN : (int64_t)x;
}
"""
TYPES = {"double": "double", "i64": "int64_t", "i32": "uint32_t", "i1": "int", "ptr": "void *", "void": "void"}
SIGNED = {"add": "+", "sub": "-", "mul": "*"}
REALS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
LIBRARY = {"llvm.fabs.f64": "fabs", "llvm.sqrt.f64": "sqrt", "llvm.floor.f64": "floor", "llvm.copysign.f64": "copysign",
           "llvm.fptosi.sat.i64.f64": "whole_of"}
VALUE = r"(?:%[\w.]+|@[\w.]+|0x[0-9A-F]{16}|-?\d+|true|false|poison|undef|zeroinitializer)"
TYPE = r"(?:double|i64|i32|i1|ptr|void|\{[^}]*\}|\[\d+ x \w+\])"


def c_text(f: Any, constants: Mapping[str, Any] | None = None, unroll: int = WRITTEN_OUT) -> str:
    """A function and all that it calls; its entry is as `entries` has it for one run."""
    return _Unit(text_of(f, constants=constants, unroll=unroll, commented=True)).text


def _name(text: str) -> str:
    return re.sub(r"\W", "_", text.lstrip("%@").lstrip("."))


def _operand(text: str) -> str:
    if text.startswith("0x"):
        x = struct.unpack(">d", bytes.fromhex(text[2:]))[0]
        if x != x or x in (float("inf"), float("-inf")):
            return f"from_bits(INT64_C({int.from_bytes(bytes.fromhex(text[2:]), 'big', signed=True)}))"
        return f"({x!r})" if text[2] in "89ABCDEF" else repr(x)
    if text in ("true", "zeroinitializer", "false", "poison", "undef"):
        return "1" if text == "true" else "0"
    if re.fullmatch(r"-?\d+", text):
        if int(text) == -2**63:
            return "INT64_MIN"
        return f"INT64_C({text})" if int(text) >= 0 else f"(-INT64_C({text[1:]}))"
    return _name(text)


class _Unit:
    """A module in C."""

    def __init__(self, text: str):
        self.structs: dict[str, str] = {}
        tables = [self._table(*m) for m in re.findall(
            r"^@([\w.]+) = internal constant \[(\d+) x (\w+)\] \[(.*?)\]", text, flags=re.M)]
        functions = re.findall(r"^(define .*?)\{\n(.*?)^\}", text, flags=re.M | re.S)
        heads, bodies = [], []
        for head, body in functions:
            signature = self._signature(head)
            heads.append(signature + ";")
            bodies.append(f"{signature}\n{{\n{_Body(self, body).text}}}\n")
        declared = [self._signature(line) + ";" for line in re.findall(r"^declare (?!.*@llvm\.).*$", text, flags=re.M)]
        structs = [f"struct {name} {{ {self._members(kind)}}};" for kind, name in self.structs.items()]
        self.text = "\n".join([HEAD, *structs, "", *tables, "", *declared, *heads, "", *bodies])

    def type(self, text: str) -> str:
        if text.startswith("{"):
            return "struct " + self.structs.setdefault(text, f"results_{len(self.structs)}")
        return TYPES[text]

    def _members(self, kind: str) -> str:
        return "".join(f"{TYPES[part.strip()]} r{k}; " for k, part in enumerate(kind.strip("{} ").split(",")))

    def _table(self, name: str, count: str, kind: str, values: str) -> str:
        numbers = ", ".join(_operand(value.split()[1]) for value in values.split(", "))
        return f"static const {TYPES[kind]} {_name(name)}[{count}] = {{{numbers}}};"

    def _signature(self, head: str) -> str:
        kind, symbol, given = re.match(rf"(?:define|declare) (?:internal )?({TYPE}) @([\w.]+)\((.*)\)", head).groups()
        arguments = []
        for k, part in enumerate(re.split(r", (?![^{]*\})", given) if given else []):
            words = part.replace(" noalias", "").split()
            arguments.append(f"{self.type(words[0])} {_name(words[1]) if len(words) > 1 else f'a{k}'}")
        inside = "static " if "internal" in head or "@lw_" in head else ""
        return f"{inside}{self.type(kind)} {_name(symbol)}({', '.join(arguments) or 'void'})"


class _Body:
    """The lines of a function in C: names first, then what is done, with labels and jumps."""

    def __init__(self, unit: _Unit, body: str):
        self.unit, self.names, self.lines = unit, {}, []
        self.own: set[str] = set()  # numbers on the stack, read and written by their names
        self.phis: dict[str, list[str]] = {}
        for m in re.finditer(rf"^  (%[\w.]+) = phi ({TYPE}) (.*)$", body, flags=re.M):
            for value, label in re.findall(rf"\[ ({VALUE}), %([\w.]+) \]", m[3]):
                self.phis.setdefault(label, []).append(f"{_name(m[1])} = {_operand(value)};")
        self.block = "entry"
        for line in body.split("\n"):
            self._line(line)
        declared = [f"    {kind} {', '.join(names)};\n" for kind, names in self._by_kind().items()]
        self.text = "".join([*declared, *(f"{line}\n" for line in self.lines)])

    def _by_kind(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, kind in self.names.items():
            base, star, size = kind.partition("[")
            pointer = "*" if base.endswith("*") else ""
            found.setdefault(base.rstrip(" *"), []).append(f"{pointer}{name}{star}{size}")
        return found

    def put(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def _line(self, line: str) -> None:
        text = line.strip()
        if not text:
            return
        if text.startswith(";"):
            self.put(f"/* {text[1:].strip().replace('*/', '* /')} */")
        elif label := re.fullmatch(r"([\w.]+):", text):
            self.block = label[1]
            self.lines.append(f"{_name(label[1])}: ;")
        elif value := re.match(r"(%[\w.]+) = (\w+) (.*)", text):
            self._value(value[1], value[2], value[3])
        else:
            word, _, rest = text.partition(" ")
            getattr(self, f"_{word}")(rest)

    def _let(self, name: str, kind: str, text: str) -> None:
        self.names[_name(name)] = kind
        self.put(f"{_name(name)} = {text};")

    def _value(self, name: str, word: str, rest: str) -> None:
        if word == "phi":
            self.names[_name(name)] = self.unit.type(re.match(TYPE, rest)[0])
        elif word == "alloca":
            kind = re.match(TYPE, rest)[0]
            many = re.match(r"\[(\d+) x (\w+)\]", kind)
            if many:
                self.names[_name(name)] = f"{TYPES[many[2]]}[{many[1]}]"
            else:
                self.names[_name(name)] = TYPES[kind]
                self.own.add(_name(name))
        elif word in REALS or word in SIGNED or word in ("and", "or", "xor", "shl", "ashr", "lshr", "sdiv"):
            self._operation(name, word, rest)
        elif word in ("icmp", "fcmp"):
            self._comparison(name, rest)
        else:
            handler = getattr(self, f"_let_{word}", None)
            if handler is None:
                raise LinkwrightError(f"there is no C for LLVM's `{word}`: a defect of codegen/dialect/c_text.py.")
            handler(name, rest)

    def _operation(self, name: str, word: str, rest: str) -> None:
        kind, a, b = re.match(rf"({TYPE}) ({VALUE}), ({VALUE})", rest).groups()
        x, y = _operand(a), _operand(b)
        if word in REALS:
            text = f"{x} {REALS[word]} {y}"
        elif word in SIGNED:
            text = f"(int64_t)((uint64_t){x} {SIGNED[word]} (uint64_t){y})"
        elif word in ("shl", "lshr"):
            text = f"(int64_t)((uint64_t){x} {'<<' if word == 'shl' else '>>'} {y})"
        else:
            text = f"{x} {dict(ashr='>>', sdiv='/', xor='^', **{'and': '&', 'or': '|'})[word]} {y}"
        self._let(name, TYPES[kind], text)

    def _comparison(self, name: str, rest: str) -> None:
        sign, _, a, b = re.match(rf"(\w+) ({TYPE}) ({VALUE}), ({VALUE})", rest).groups()
        x, y = _operand(a), _operand(b)
        if sign in ("uno", "ord"):
            text = f"{x} != {x} || {y} != {y}" if sign == "uno" else f"{x} == {x} && {y} == {y}"
        elif sign[0] == "u" and sign != "une":
            text = f"!({x} {COMPARED[dict(eq='ne', ne='eq', lt='ge', le='gt', gt='le', ge='lt')[sign[1:]]]} {y})"
        else:
            text = f"{x} {COMPARED[sign[-2:]]} {y}"
        self._let(name, "int", text)

    def _let_load(self, name: str, rest: str) -> None:
        kind, place = re.match(rf"({TYPE}), ptr ({VALUE})", rest).groups()
        own = _name(place) in self.own
        self._let(name, TYPES[kind], _name(place) if own else f"*({TYPES[kind]} *){_name(place)}")

    def _store(self, rest: str) -> None:
        kind, value, place = re.match(rf"({TYPE}) ({VALUE}), ptr ({VALUE})", rest).groups()
        if value != "zeroinitializer" or not kind.startswith("["):
            own = _name(place) in self.own
            self.put(f"{_name(place) if own else f'*({TYPES[kind]} *){_name(place)}'} = {_operand(value)};")

    def _let_getelementptr(self, name: str, rest: str) -> None:
        kind, base, index = re.match(rf"(\w+), ptr ({VALUE}), i64 ({VALUE})", rest).groups()
        self._let(name, "void *", f"({TYPES[kind]} *){_name(base)} + {_operand(index)}")

    def _let_inttoptr(self, name: str, rest: str) -> None:
        self._let(name, "void *", f"(void *)(intptr_t){_operand(rest.split()[1])}")

    def _let_fneg(self, name: str, rest: str) -> None:
        self._let(name, "double", f"-{_operand(rest.split()[1])}")

    def _let_select(self, name: str, rest: str) -> None:
        c, kind, a, b = re.match(rf"i1 ({VALUE}), ({TYPE}) ({VALUE}), {TYPE} ({VALUE})", rest).groups()
        self._let(name, self.unit.type(kind), f"{_operand(c)} ? {_operand(a)} : {_operand(b)}")

    def _cast(self, name: str, rest: str) -> None:
        value, kind = re.match(rf"{TYPE} ({VALUE}) to ({TYPE})", rest).groups()
        self._let(name, TYPES[kind], f"({TYPES[kind]}){_operand(value)}")

    _let_zext = _let_sitofp = _let_uitofp = _cast

    def _let_trunc(self, name: str, rest: str) -> None:
        self._let(name, "int", f"{_operand(rest.split()[1])} & 1")

    def _let_bitcast(self, name: str, rest: str) -> None:
        value, kind = re.match(rf"{TYPE} ({VALUE}) to ({TYPE})", rest).groups()
        self._let(name, TYPES[kind], f"{'bits_of' if kind == 'i64' else 'from_bits'}({_operand(value)})")

    def _let_extractvalue(self, name: str, rest: str) -> None:
        kind, value, k = re.match(rf"({TYPE}) ({VALUE}), (\d+)", rest).groups()
        self._let(name, TYPES[kind.strip("{} ").split(",")[int(k)].strip()], f"{_name(value)}.r{k}")

    def _let_insertvalue(self, name: str, rest: str) -> None:
        kind, whole, value, k = re.match(rf"({TYPE}) ({VALUE}), {TYPE} ({VALUE}), (\d+)", rest).groups()
        self.names[_name(name)] = self.unit.type(kind)
        if whole not in ("poison", "undef"):
            self.put(f"{_name(name)} = {_name(whole)};")
        self.put(f"{_name(name)}.r{k} = {_operand(value)};")

    def _called(self, rest: str) -> tuple[str, str]:
        kind, symbol, given = re.match(rf"({TYPE}) ([@%][\w.]+)\((.*)\)", rest).groups()
        parts = [re.fullmatch(rf"({TYPE}) ({VALUE})", part).groups()
                 for part in re.split(r", (?![^{]*\})", given) if part]
        function = LIBRARY.get(symbol[1:], _name(symbol))
        if symbol.startswith("%"):
            types = ", ".join(self.unit.type(t) for t, _ in parts) or "void"
            function = f"(({self.unit.type(kind)} (*)({types})){_name(symbol)})"
        values = ", ".join(f"(void *){_operand(v)}" if t == "ptr" else _operand(v) for t, v in parts)
        return kind, f"{function}({values})"

    def _call(self, rest: str) -> None:
        self.put(f"{self._called(rest)[1]};")

    def _let_call(self, name: str, rest: str) -> None:
        kind, text = self._called(rest)
        self._let(name, self.unit.type(kind), text)

    def _br(self, rest: str) -> None:
        for line in self.phis.get(self.block, []):
            self.put(line)
        labels = [_name(label) for label in re.findall(r"label %([\w.]+)", rest)]
        if len(labels) == 1:
            self.put(f"goto {labels[0]};")
        else:
            self.put(f"if ({_operand(rest.split()[1].rstrip(','))}) goto {labels[0]}; else goto {labels[1]};")

    def _ret(self, rest: str) -> None:
        value = re.fullmatch(rf"{TYPE} ({VALUE})", rest)
        self.put("return;" if rest == "void" else f"return {_operand(value[1])};")
