"""C text of LLVM's text: functions of the dialect, and whole modules with the programs of a model.

There is one writer for all targets, so C has the meaning of compiled code by itself.  The dialect's own lines stand as
comments before what became of them.  C99, no library but <math.h> (fabs, sqrt, floor, copysign: instructions), whole
numbers wrap by unsigned arithmetic; products and sums must not be contracted, which the text itself asks for:

    gcc, clang    nothing to add (-ffp-contract=off where the pragmas are ignored); -ffast-math is refused
    MSVC          /fp:precise
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
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
#elif defined(__GNUC__)
#pragma GCC optimize ("-ffp-contract=off")
#endif
/* numbers in memory that is seen as real, as whole numbers and as addresses */
#if defined(__GNUC__)
#define SEEN __attribute__((__may_alias__))
#else
#define SEEN
#endif
typedef double SEEN lw_real;
typedef int64_t SEEN lw_whole;
typedef uint32_t SEEN lw_half;
typedef void *SEEN lw_address;
"""
#: what is written where it is used
HELPERS = {
    "bits_of": "static int64_t bits_of(double x) { int64_t n; memcpy(&n, &x, 8); return n; }",
    "from_bits": "static double from_bits(int64_t n) { double x; memcpy(&x, &n, 8); return x; }",
    "whole_of": """static int64_t whole_of(double x)
{
    return x != x ? 0 : x >= 9223372036854775808.0 ? INT64_MAX : x < -9223372036854775808.0 ? INT64_MIN : (int64_t)x;
}""",
}
TYPES = {"double": "double", "i64": "int64_t", "i32": "uint32_t", "i8": "char", "i1": "int", "ptr": "void *",
         "void": "void"}
#: the same in memory
SEEN = {"double": "lw_real", "i64": "lw_whole", "i32": "lw_half", "i8": "char", "i1": "int", "ptr": "lw_address"}
UNSIGNED = {"i64": "uint64_t", "i32": "uint32_t"}
SIGNED = {"i64": "int64_t", "i32": "int32_t", "i1": "int"}
WRAPPING = {"add": "+", "sub": "-", "mul": "*", "shl": "<<", "lshr": ">>", "udiv": "/", "urem": "%"}
WHOLE = {"ashr": ">>", "sdiv": "/", "srem": "%", "xor": "^", "and": "&", "or": "|"}
REALS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
LIBRARY = {"llvm.fabs.f64": "fabs", "llvm.sqrt.f64": "sqrt", "llvm.floor.f64": "floor", "llvm.copysign.f64": "copysign",
           "llvm.fptosi.sat.i64.f64": "whole_of"}
KEYWORDS = set(re.findall(r"\w+", """auto break case char const continue default do double else enum extern float for
    goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while"""))
VALUE = r"(?:%[\w.]+|@[\w.]+|0x[0-9A-F]{16}|-?\d+\.\d+|-?\d+|true|false|poison|undef|null|zeroinitializer)"
TYPE = r"(?:double|i64|i32|i8|i1|ptr|void|\{[^}]*\}|\[\d+ x \w+\])"


def c_text(f: Any, constants: Mapping[str, Any] | None = None, unroll: int = WRITTEN_OUT) -> str:
    """A function and all that it calls; its entry is as `entries` has it for one run."""
    return c_of_module(text_of(f, constants=constants, unroll=unroll, commented=True))


def c_of_module(text: str, visible: Iterable[str] = (), inside: bool = False) -> str:
    """A module for one run in C: its functions that are not internal, or those named `visible`, and what they call.

    These are not `static`, unless they are called from `inside` the file only.  The text has no vectors.
    """
    return _Unit(text, tuple(visible), inside).text


def _name(text: str) -> str:
    name = re.sub(r"\W", "_", text.lstrip("%@").lstrip("."))
    return f"v{name}" if name[0].isdigit() else f"{name}_" if name in KEYWORDS else name


def _operand(text: str) -> str:
    if text.startswith("0x"):
        x = struct.unpack(">d", bytes.fromhex(text[2:]))[0]
        if x != x or x in (float("inf"), float("-inf")):
            return f"from_bits(INT64_C({int.from_bytes(bytes.fromhex(text[2:]), 'big', signed=True)}))"
        return f"({x!r})" if text[2] in "89ABCDEF" else repr(x)
    if text in ("true", "zeroinitializer", "false", "poison", "undef", "null"):
        return "1" if text == "true" else "0"
    if "." in text and text[0] not in "%@":
        return text
    if re.fullmatch(r"-?\d+", text):
        if int(text) == -2**63:
            return "INT64_MIN"
        return f"INT64_C({text})" if int(text) >= 0 else f"(-INT64_C({text[1:]}))"
    return _name(text)


class _Unit:
    """A module in C."""

    def __init__(self, text: str, visible: tuple[str, ...], inside: bool):
        self.structs: dict[str, str] = {}
        found = re.findall(r"^(define .*?)\{\n(.*?)^\}", text, flags=re.M | re.S)
        functions = {re.search(r"@([\w.]+)\(", head)[1]: (head, body) for head, body in found}
        tables = {m[0]: m for m in re.findall(
            r"^@([\w.]+) = internal (?:unnamed_addr )?constant \[(\d+) x (\w+)\] (\[.*?\]|zeroinitializer)", text,
            flags=re.M)}
        self.outside = visible or tuple(name for name, (head, _) in functions.items()
                                        if not re.search("internal|external", head))
        called = self._called(functions, set(self.outside))
        self.outside = () if inside else self.outside
        heads, bodies = [], []
        for name in (name for name in functions if name in called):
            signature = self._signature(functions[name][0])
            heads.append(signature + ";")
            bodies.append(f"{signature}\n{{\n{_Body(self, *functions[name]).text}}}\n")
        declared = [self._signature(line) + ";" for line in re.findall(r"^declare (?!.*@llvm\.).*$", text, flags=re.M)
                    if re.search(r"@([\w.]+)\(", line)[1] in called - set(functions)]
        structs = [f"struct {name} {{ {self._members(kind)}}};" for kind, name in self.structs.items()]
        written = "\n".join(["", *(self._table(*tables[name]) for name in tables if name in called), "", *declared,
                             *heads, "", *bodies])
        helpers = [helper for name, helper in HELPERS.items() if f"{name}(" in written]
        self.text = "\n".join([HEAD, *helpers, *structs, written])

    @staticmethod
    def _called(functions: Mapping[str, tuple[str, str]], names: set[str]) -> set[str]:
        """These and all that they name, directly or not."""
        left, seen = list(names), set(names)
        while left:
            for name in set(re.findall(r"@([\w.]+)", functions.get(left.pop(), ("", ""))[1])) - seen:
                seen.add(name)
                left.append(name)
        return seen

    def type(self, text: str) -> str:
        if text.startswith("{"):
            return "struct " + self.structs.setdefault(text, f"results_{len(self.structs)}")
        return TYPES[text]

    def _members(self, kind: str) -> str:
        return "".join(f"{TYPES[part.strip()]} r{k}; " for k, part in enumerate(kind.strip("{} ").split(",")))

    def _table(self, name: str, count: str, kind: str, values: str) -> str:
        numbers = [_operand(value.split()[1]) for value in values.strip("[]").split(", ") if " " in value] or ["0"]
        lines, line = [], "   "
        for number in numbers:
            if len(line) + len(number) > 110:
                lines.append(line)
                line = "   "
            line += f" {number},"
        many = max(int(count), 1)
        return "\n".join([f"static const {TYPES[kind]} {_name(name)}[{many}] = {{", *lines, line.rstrip(","), "};"])

    def _signature(self, head: str) -> str:
        kind, symbol, given = re.match(
            rf"(?:define|declare) (?:internal |external )?({TYPE}) @([\w.]+)\((.*)\)", head).groups()
        arguments = [f"{self.type(words[0])} {words[-1] if len(words) > 1 else f'a{k}'}".replace("* ", "*")
                     for k, words in enumerate(parameters(given))]
        inside = "" if head.startswith("declare") or symbol in self.outside else "static "
        return f"{inside}{self.type(kind)} {_name(symbol)}({', '.join(arguments) or 'void'})".replace("* ", "*")


def parameters(given: str) -> list[tuple[str, ...]]:
    """(kind, name) of every parameter; the name may be missing."""
    parts = re.split(r", (?![^{]*\})", given) if given else []
    words = [re.sub(r" (noalias|readonly)", "", part).split() for part in parts]
    return [(kind, *map(_name, name)) for kind, *name in words]


class _Body:
    """The lines of a function in C: names first, then what is done, with labels and jumps."""

    def __init__(self, unit: _Unit, head: str, body: str):
        self.unit, self.names, self.lines = unit, {}, []
        self.own: set[str] = set()  # numbers on the stack, read and written by their names
        self.phis: dict[str, list[tuple[str, str, str]]] = {}
        body = _without_idle(body)
        for m in re.finditer(rf"^  (%[\w.]+) = phi ({TYPE}) (.*)$", body, flags=re.M):
            for value, label in re.findall(rf"\[ ({VALUE}), %([\w.]+) \]", m[3]):
                self.phis.setdefault(label, []).append((_name(m[1]), _operand(value), unit.type(m[2])))
        self.targets = set(re.findall(r"label %([\w.]+)", body))
        self.block = "entry"
        for line in body.split("\n"):
            self._line(line)
        declared = [f"    {kind} {', '.join(names)};\n" for kind, names in self._by_kind().items()]
        used = set(re.findall(r"%[\w.]+", body))
        given = re.search(r"@[\w.]+\((.*)\)", head)[1]
        idle = [f"    (void){_name(name)};\n" for name in re.findall(r"%[\w.]+", given) if name not in used]
        self.text = "".join([*declared, *idle, *(f"{line}\n" for line in self.lines)])

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
            if label[1] in self.targets:
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
            count = re.match(r"\w+, i64 (\d+)", rest)
            if many or count:
                size, kind = (many[1], many[2]) if many else (count[1], kind)
                self.names[_name(name)] = f"{TYPES[kind]}[{max(int(size), 1)}]"
            else:
                self.names[_name(name)] = TYPES[kind]
                self.own.add(_name(name))
        elif word in REALS or word in WRAPPING or word in WHOLE:
            self._operation(name, word, rest)
        elif word in ("icmp", "fcmp"):
            self._comparison(name, word, rest)
        else:
            handler = getattr(self, f"_let_{word}", None)
            if handler is None:
                raise LinkwrightError(f"there is no C for LLVM's `{word}`: a defect of codegen/dialect/c_text.py.")
            handler(name, rest)

    def _operation(self, name: str, word: str, rest: str) -> None:
        kind, a, b = re.match(rf"(?:(?:nsw|nuw|exact) )*({TYPE}) ({VALUE}), ({VALUE})", rest).groups()
        x, y = _operand(a), _operand(b)
        if word in REALS:
            text = f"{x} {REALS[word]} {y}"
        elif word in WRAPPING:
            unsigned = UNSIGNED[kind]
            text = f"({TYPES[kind]})(({unsigned}){x} {WRAPPING[word]} ({unsigned}){y})"
        else:
            signed = SIGNED[kind]
            text = f"({TYPES[kind]})(({signed}){x} {WHOLE[word]} ({signed}){y})"
        self._let(name, TYPES[kind], text)

    def _comparison(self, name: str, word: str, rest: str) -> None:
        sign, kind, a, b = re.match(rf"(\w+) ({TYPE}) ({VALUE}), ({VALUE})", rest).groups()
        x, y = _operand(a), _operand(b)
        if word == "icmp":
            cast = "" if kind == "ptr" else f"({(UNSIGNED if sign[0] == 'u' else SIGNED)[kind]})"
            text = f"{cast}{x} {COMPARED[sign[-2:]]} {cast}{y}"
        elif sign in ("uno", "ord"):
            text = f"{x} != {x} || {y} != {y}" if sign == "uno" else f"{x} == {x} && {y} == {y}"
        elif sign[0] == "u" and sign != "une":
            text = f"!({x} {COMPARED[OPPOSITE[sign[1:]]]} {y})"
        elif sign == "one":
            text = f"{x} < {y} || {x} > {y}"
        else:
            text = f"{x} {COMPARED[sign[-2:]]} {y}"
        self._let(name, "int", text)

    def _let_load(self, name: str, rest: str) -> None:
        kind, place = re.match(rf"({TYPE}), ptr ({VALUE})", rest).groups()
        own = _name(place) in self.own
        self._let(name, TYPES[kind], _name(place) if own else f"*({SEEN[kind]} *){_name(place)}")

    def _store(self, rest: str) -> None:
        kind, value, place = re.match(rf"({TYPE}) ({VALUE}), ptr ({VALUE})", rest).groups()
        if value != "zeroinitializer" or not kind.startswith("["):
            own = _name(place) in self.own
            self.put(f"{_name(place) if own else f'*({SEEN[kind]} *){_name(place)}'} = {_operand(value)};")

    def _let_getelementptr(self, name: str, rest: str) -> None:
        kind, base, index = re.match(rf"(?:inbounds )?(\w+), ptr ({VALUE}), (?:i64|i32) ({VALUE})", rest).groups()
        own = "&" if _name(base) in self.own else ""
        self._let(name, "void *", f"({SEEN[kind]} *){own}{_name(base)} + {_operand(index)}")

    def _let_inttoptr(self, name: str, rest: str) -> None:
        self._let(name, "void *", f"(void *)(intptr_t){_operand(rest.split()[1])}")

    def _let_ptrtoint(self, name: str, rest: str) -> None:
        self._let(name, "int64_t", f"(int64_t)(intptr_t){_operand(rest.split()[1])}")

    def _let_fneg(self, name: str, rest: str) -> None:
        self._let(name, "double", f"-{_operand(rest.split()[1])}")

    def _let_select(self, name: str, rest: str) -> None:
        c, kind, a, b = re.match(rf"i1 ({VALUE}), ({TYPE}) ({VALUE}), {TYPE} ({VALUE})", rest).groups()
        self._let(name, self.unit.type(kind), f"{_operand(c)} ? {_operand(a)} : {_operand(b)}")

    def _cast(self, name: str, rest: str) -> None:
        value, kind = re.match(rf"{TYPE} ({VALUE}) to ({TYPE})", rest).groups()
        self._let(name, TYPES[kind], f"({TYPES[kind]}){_operand(value)}")

    _let_zext = _let_uitofp = _cast

    def _signed(self, name: str, rest: str) -> None:
        before, value, kind = re.match(rf"({TYPE}) ({VALUE}) to ({TYPE})", rest).groups()
        self._let(name, TYPES[kind], f"({TYPES[kind]})({SIGNED[before]}){_operand(value)}")

    _let_sext = _let_sitofp = _signed

    def _let_fptosi(self, name: str, rest: str) -> None:
        self._cast(name, rest)

    def _let_freeze(self, name: str, rest: str) -> None:
        kind, value = rest.split()
        self._let(name, TYPES[kind], _operand(value))

    def _let_trunc(self, name: str, rest: str) -> None:
        value, kind = re.match(rf"{TYPE} ({VALUE}) to ({TYPE})", rest).groups()
        self._let(name, TYPES[kind], f"{_operand(value)} & 1" if kind == "i1" else f"({TYPES[kind]}){_operand(value)}")

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
        kind, symbol, given = re.match(rf"({TYPE})(?: \([^)]*\))? ([@%][\w.]+)\((.*)\)", rest).groups()
        parts = [re.fullmatch(rf"({TYPE}) (?:noalias |readonly )*({VALUE})", part).groups()
                 for part in re.split(r", (?![^{]*\})", given) if part]
        function = LIBRARY.get(symbol[1:], _name(symbol))
        if symbol.startswith("%"):
            types = ", ".join(self.unit.type(t) for t, _ in parts) or "void"
            function = f"(({self.unit.type(kind)} (*)({types})){_name(symbol)})"
        values = ", ".join(f"(void *){'&' if _name(v) in self.own else ''}{_operand(v)}" if t == "ptr" else _operand(v)
                           for t, v in parts)
        return kind, f"{function}({values})"

    def _call(self, rest: str) -> None:
        self.put(f"{self._called(rest)[1]};")

    def _let_call(self, name: str, rest: str) -> None:
        kind, text = self._called(rest)
        self._let(name, self.unit.type(kind), text)

    def _br(self, rest: str) -> None:
        self._take(self.phis.get(self.block, []))
        labels = [_name(label) for label in re.findall(r"label %([\w.]+)", rest)]
        if len(labels) == 1:
            self.put(f"goto {labels[0]};")
        else:
            self.put(f"if ({_operand(rest.split()[1].rstrip(','))}) goto {labels[0]}; else goto {labels[1]};")

    def _take(self, phis: list[tuple[str, str, str]]) -> None:
        """New values of what loops carry, all from the values before."""
        changed = {name for name, _, _ in phis}
        for name, value, kind in phis:
            if value in changed and value != name:
                self.names[f"{name}_next"] = kind
                self.put(f"{name}_next = {value};")
        for name, value, _ in phis:
            self.put(f"{name} = {f'{name}_next' if value in changed and value != name else value};")

    def _unreachable(self, rest: str) -> None:
        self.put("return;")

    def _ret(self, rest: str) -> None:
        value = re.fullmatch(rf"{TYPE} ({VALUE})", rest)
        self.put("return;" if rest == "void" else f"return {_operand(value[1])};")


#: what only gives a value
PURE = re.compile(r"  (%[\w.]+) = (?!call)")


def _without_idle(body: str) -> str:
    """A function without values that nobody takes."""
    lines = body.split("\n")
    while True:
        used: dict[str, int] = {}
        for line in lines:
            for name in re.findall(r"%[\w.]+", line):
                used[name] = used.get(name, 0) + 1
        kept = [line for line in lines if not ((m := PURE.match(line)) and used[m[1]] == 1)]
        kept = _without_idle_calls(kept, used)
        if len(kept) == len(lines):
            return "\n".join(kept)
        lines = kept


def _without_idle_calls(lines: list[str], used: Mapping[str, int]) -> list[str]:
    """Results of calls that nobody takes are not named; memory that is only written is not there."""
    out = []
    for line in lines:
        called = re.match(r"  (%[\w.]+) = (call .*)", line)
        if called and used[called[1]] == 1:
            line = f"  {called[2]}"
        out.append(line)
    idle = {m[1] for line in lines if (m := re.match(r"  (%[\w.]+) = alloca (?:double|i64|i1)(?:, align \d+)?$", line))}
    for line in lines:
        stored = re.match(r"  store \w+ \S+, ptr (%[\w.]+)(?:, align \d+)?$", line)
        for name in re.findall(r"%[\w.]+", line if not stored else line.rpartition(", ptr")[0]):
            if " = alloca" not in line:
                idle.discard(name)
    if idle:
        out = [line for line in out
               if not ((m := re.match(r"  (?:store \w+ \S+, ptr )?(%[\w.]+)( = alloca.*|(?:, align \d+)?)$", line))
                       and m[1] in idle)]
    return out
