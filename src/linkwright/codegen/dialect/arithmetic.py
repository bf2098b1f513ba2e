"""Numbers and what is done with them: one meaning on every target, for all operands.

Whole numbers have 64 bits and wrap; `//` and `%` round down as Python's, and by zero give 0; shifts take their count
modulo 64; `int` of a real number cuts off, NaN gives 0, and what is too large the largest.  Real numbers are IEEE's,
x/0 and √−1 included; nothing is contracted or reordered.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from .values import ONE, ORDER, SCALAR, ZERO, Array, Complex, Entries, Value, constant, described, is_tuple, wrapped
from .writer import Writer

ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
COMPARED = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
#: of what truth values need not become whole numbers
LOGICAL = ("and", "or", "xor", "eq", "ne")


def divided(a: float, b: float) -> float:
    """a/b as IEEE 754 has it."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def cut(x: float) -> int:
    """The whole part of a real number, in 64 bits."""
    if x != x:
        return 0
    return int(x) if abs(x) < 2.0**63 else 2**63 - 1 if x > 0 else -(2**63)


def quotient(a: int, b: int) -> int:
    """a // b, 0 where b is."""
    return wrapped(a // b) if b else 0


def remainder(a: int, b: int) -> int:
    """a % b, 0 where b is."""
    return a % b if b else 0


FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": divided,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << (b & 63), "ashr": lambda a, b: a >> (b & 63), "floordiv": quotient, "mod": remainder,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}


def wide(w: Writer, v: Value, needed: bool = True) -> Value:
    """The same in all lanes, as a vector."""
    if v.varying or not needed:
        return v
    if v.const is not None:
        return Value(v.kind, f"splat ({SCALAR[v.kind]} {v.name})", True)
    kind = w.type(v.kind, True)
    first = w.new(v.kind, True, f"insertelement {kind} poison, {SCALAR[v.kind]} {v.name}, i64 0").name
    return w.new(v.kind, True, f"shufflevector {kind} {first}, {kind} poison, <{w.W} x i32> zeroinitializer")


def number(w: Writer, thing: Any) -> Value:
    """The thing, which must be a number."""
    if not isinstance(thing, Value):
        raise w.wrong(f"{described(thing)} stands where a number is needed", "take one entry, and loop over them")
    return thing


def to(w: Writer, kind: str, v: Value) -> Value:
    """The number as another kind."""
    v = number(w, v)
    if v.kind == kind:
        return v
    if v.const is not None:
        return constant({"real": float, "whole": cut if v.kind == "real" else int, "truth": bool}[kind](v.const))
    if kind == "truth":
        return binary(w, "ne", v, ZERO if v.kind == "whole" else constant(0.0))
    source, target = w.type(v.kind, v.varying), w.type(kind, v.varying)
    if kind == "whole" and v.kind == "real":
        return w.call("whole", v.varying, f"llvm.fptosi.sat.{f'v{w.W}' if v.varying else ''}i64.{{}}f64", v)
    word = {("truth", "whole"): "zext", ("truth", "real"): "uitofp", ("whole", "real"): "sitofp"}[v.kind, kind]
    return w.new(kind, v.varying, f"{word} {source} {v.name} to {target}")


def binary(w: Writer, word: str, a: Value, b: Value) -> Value:
    """An operation, or a comparison, of two numbers; sums and products also of arrays, entry by entry."""
    if word in ("add", "sub", "mul", "div") and any(isinstance(x, Array | Entries) for x in (a, b)):
        from .entry_by_entry import each

        return each(w, lambda *numbers: binary(w, word, *numbers), a, b)
    if isinstance(a, Complex) or isinstance(b, Complex):
        from .complex_numbers import combined

        return combined(w, word, a, b)
    a, b = number(w, a), number(w, b)
    kind = ORDER[max(ORDER.index(a.kind), ORDER.index(b.kind), 0 if word in LOGICAL else 1)]
    kind = "real" if word == "div" else kind
    if kind == "real" and word in ("and", "or", "xor", "shl", "ashr", "floordiv", "mod"):
        instead = "floor(a / b)" if word in ("floordiv", "mod") else "bits(x)"
        raise w.wrong("this is done with whole numbers only", instead)
    a, b = to(w, kind, a), to(w, kind, b)
    if a.const is not None and b.const is not None:
        return constant(FOLDED[word](a.const, b.const))
    if kind == "whole" and _neutral(word, b):
        return a
    if kind == "whole" and _neutral(word, a) and word in ("add", "mul"):
        return b
    if word in ("floordiv", "mod"):
        return _rounded_down(w, word, a, b)
    if word in ("shl", "ashr"):
        b = binary(w, "and", b, constant(63))
    varying = a.varying or b.varying
    a, b = wide(w, a, varying), wide(w, b, varying)
    text = w.type(kind, varying)
    if word in COMPARED.values():
        sign = "s" if kind == "whole" else "u"  # of truth values, True is the larger
        prefix = ("fcmp " + ("u" if word == "ne" else "o") if kind == "real" else
                  "icmp " + ("" if word in ("eq", "ne") else sign))
        return w.new("truth", varying, f"{prefix}{word} {text} {a.name}, {b.name}")
    return w.new(kind, varying, f"{'f' if kind == 'real' else ''}{word} {text} {a.name}, {b.name}")


def _neutral(word: str, b: Value) -> bool:
    return b.const == 0 and word in ("add", "sub", "shl", "ashr") or b.const == 1 and word in ("mul", "floordiv")


def _rounded_down(w: Writer, word: str, a: Value, b: Value) -> Value:
    """a // b or a % b.  Processors cut off, and stop at b = 0 and at −2⁶³ / −1: those divisors are taken out first."""
    varying = a.varying or b.varying
    text = w.type("whole", varying)
    safe, odd = b, None
    if b.const in (None, 0, -1):
        odd = binary(w, "or", binary(w, "eq", b, ZERO), binary(w, "eq", b, constant(-1)))
        safe = choose(w, odd, ONE, b)
    a, safe = wide(w, a, varying), wide(w, safe, varying)
    cut_off = w.new("whole", varying, f"sdiv {text} {a.name}, {safe.name}")
    left = binary(w, "sub", a, binary(w, "mul", cut_off, safe))
    below = binary(w, "lt", binary(w, "xor", left, safe), ZERO)  # of other signs
    below = binary(w, "and", below, binary(w, "ne", left, ZERO))
    if word == "mod":
        result = choose(w, below, binary(w, "add", left, safe), left)
        special = ZERO
    else:
        result = binary(w, "sub", cut_off, to(w, "whole", below))
        special = choose(w, binary(w, "eq", b, ZERO), ZERO, binary(w, "sub", ZERO, a))
    return result if odd is None else choose(w, odd, special, result)


def raised(w: Writer, x: Value, exponent: Value) -> Value:
    """xⁿ of a small whole n that is written out: products, the same on every target."""
    n = exponent.const
    if exponent.kind != "whole" or n is None or not 0 <= n <= 16:
        raise w.wrong("a power of anything but a small whole number", "power(x, y)")
    if n == 0:
        return constant(1.0 if x.kind == "real" else 1)
    result = None
    while n:
        if n & 1:
            result = x if result is None else binary(w, "mul", result, x)
        n >>= 1
        if n:
            x = binary(w, "mul", x, x)
    return result


def arithmetic(w: Writer, op: ast.operator, a: Value, b: Value) -> Value:
    words = {ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.LShift: "shl", ast.RShift: "ashr"}
    if isinstance(op, ast.Pow):
        return raised(w, number(w, a), number(w, b))
    word = words.get(type(op)) or ARITHMETIC.get(type(op))
    if word is None:
        raise w.wrong(f"the operator {type(op).__name__}", "loops over the entries")
    return binary(w, word, a, b)


def negative(w: Writer, v: Value) -> Value:
    if isinstance(v, Complex):
        from .complex_numbers import negated

        return negated(w, v)
    if isinstance(v, Array | Entries):
        from .entry_by_entry import each

        return each(w, lambda x: negative(w, x), v)
    v = number(w, v)
    if v.const is not None:
        return constant(-v.const)
    v = to(w, "whole", v) if v.kind == "truth" else v
    if v.kind == "whole":
        return binary(w, "sub", ZERO, v)
    return w.new("real", v.varying, f"fneg {w.type('real', v.varying)} {v.name}")


def inverted(w: Writer, v: Value) -> Value:
    """Not v."""
    v = to(w, "truth", v)
    if v.const is not None:
        return constant(not v.const)
    return w.new("truth", v.varying, f"xor {w.type('truth', v.varying)} {v.name}, "
                 f"{wide(w, constant(True), v.varying).name}")


def choose(w: Writer, c: Value, a: Any, b: Any) -> Any:
    """a where c, else b."""
    if c.const is not None:
        return a if c.const else b
    if isinstance(a, Complex) and isinstance(b, Complex):
        return Complex(choose(w, c, a.re, b.re), choose(w, c, a.im, b.im))
    if is_tuple(a) and is_tuple(b) and len(a) == len(b):
        return tuple(choose(w, c, x, y) for x, y in zip(a, b, strict=True))
    a, b = number(w, a), number(w, b)
    if a.kind != b.kind:
        raise w.wrong(f"one of two is taken, {described(a)} and {described(b)}", "two of one kind: 0.0 beside x")
    varying = a.varying or b.varying or c.varying
    a, b = wide(w, a, varying), wide(w, b, varying)
    text = w.type(a.kind, varying)
    return w.new(a.kind, varying, f"select {w.type('truth', c.varying)} {c.name}, {text} {a.name}, {text} {b.name}")
