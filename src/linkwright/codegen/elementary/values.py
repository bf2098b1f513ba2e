"""Values of emitted code that can be calculated with: one line of LLVM IR for each operation.

The same Python writes scalar code and code over W lanes, operation by operation, so that a lane has the bits of the
scalar.  Arithmetic is strict; there is no fused multiply-add, which some targets lack.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

SHIFT = 1.5 * 2.0**52  # added to a number below 2⁵¹ it leaves the nearest integer in the low bits


def literal(number: float) -> str:
    """A double as LLVM writes it exactly: its 64 bits in hexadecimal."""
    return "0x" + struct.pack(">d", number).hex().upper()


class Writer:
    """The lines of one function, and the declarations they need."""

    def __init__(self, lanes: int = 1):
        self.lanes = lanes
        self.type = {"real": "double", "whole": "i64", "truth": "i1"}
        if lanes > 1:
            self.type = {kind: f"<{lanes} x {name}>" for kind, name in self.type.items()}
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self.lines: list[str] = []
        self.declarations: set[str] = set()

    def value(self, kind: str, right_hand_side: str) -> Value:
        """A new value, made by this line."""
        name = f"%t{len(self.lines)}"
        self.lines.append(f"  {name} = {right_hand_side}")
        return Value(self, kind, name)

    def argument(self, name: str) -> Value:
        return Value(self, "real", f"%{name}")

    def real(self, number: float) -> Value:
        return Value(self, "real", self._constant("double", literal(number)))

    def whole(self, number: int) -> Value:
        return Value(self, "whole", self._constant("i64", str(number)))

    def truth(self, answer: bool) -> Value:
        return Value(self, "truth", self._constant("i1", str(answer).lower()))

    def _constant(self, kind: str, text: str) -> str:
        return text if self.lanes == 1 else f"splat ({kind} {text})"

    def intrinsic(self, name: str, *values: Value) -> Value:
        """An operation that every target has as an instruction: fabs, sqrt, floor, copysign."""
        real, full = self.type["real"], f"llvm.{name}.{self.suffix}"
        self.declarations.add(f"declare {real} @{full}({', '.join([real] * len(values))})")
        return self.value("real", f"call {real} @{full}({', '.join(f'{real} {v.name}' for v in values)})")


class Value:
    """A real number, a whole number or a truth value in every lane."""

    __slots__ = ("kind", "name", "writer")

    def __init__(self, writer: Writer, kind: str, name: str):
        self.writer, self.kind, self.name = writer, kind, name

    def _other(self, other: Value | float) -> Value:
        if isinstance(other, Value):
            return other
        return self.writer.real(other) if self.kind == "real" else self.writer.whole(other)

    def _operation(self, word: str, other: Value | float, kind: str = "") -> Value:
        w, other = self.writer, self._other(other)
        return w.value(kind or self.kind, f"{word} {w.type[self.kind]} {self.name}, {other.name}")

    def _arithmetic(self, word: str, other: Value | float) -> Value:
        return self._operation(f"f{word}" if self.kind == "real" else word, other)

    def __add__(self, other: Value | float) -> Value:
        return self._arithmetic("add", other)

    def __sub__(self, other: Value | float) -> Value:
        return self._arithmetic("sub", other)

    def __mul__(self, other: Value | float) -> Value:
        return self._arithmetic("mul", other)

    def __truediv__(self, other: Value | float) -> Value:
        return self._operation("fdiv", other)

    def __rtruediv__(self, other: float) -> Value:
        return self._other(other) / self

    def __rsub__(self, other: float) -> Value:
        return self._other(other) - self

    def __neg__(self) -> Value:
        return self.writer.value("real", f"fneg {self.writer.type['real']} {self.name}")

    __radd__ = __add__
    __rmul__ = __mul__

    # comparisons; those with NaN are false, but for `differs`

    def _compare(self, word: str, other: Value | float) -> Value:
        return self._operation(f"fcmp o{word}" if self.kind == "real" else f"icmp s{word}", other, "truth")

    def __lt__(self, other: Value | float) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: Value | float) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: Value | float) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: Value | float) -> Value:
        return self._compare("ge", other)

    def equals(self, other: Value | float) -> Value:
        return self._operation("fcmp oeq" if self.kind == "real" else "icmp eq", other, "truth")

    def differs(self, other: Value | float) -> Value:
        return self._operation("fcmp une" if self.kind == "real" else "icmp ne", other, "truth")

    def unordered(self, other: Value | float) -> Value:
        """Whether one of the two is NaN."""
        return self._operation("fcmp uno", other, "truth")

    # bits

    def __and__(self, other: Value | int) -> Value:
        return self._operation("and", other)

    def __or__(self, other: Value | int) -> Value:
        return self._operation("or", other)

    def __xor__(self, other: Value | int) -> Value:
        return self._operation("xor", other)

    def __lshift__(self, other: int) -> Value:
        return self._operation("shl", other)

    def __rshift__(self, other: int) -> Value:
        """Shifted with its sign."""
        return self._operation("ashr", other)

    def __invert__(self) -> Value:
        return self._operation("xor", self.writer.truth(True))

    def bits(self) -> Value:
        w = self.writer
        return w.value("whole", f"bitcast {w.type['real']} {self.name} to {w.type['whole']}")

    def as_real(self) -> Value:
        """The real number with these bits."""
        w = self.writer
        return w.value("real", f"bitcast {w.type['whole']} {self.name} to {w.type['real']}")

    def to_real(self) -> Value:
        """A whole number below 2⁵¹ as a real number."""
        return (self + _bits(SHIFT)).as_real() - SHIFT

    def is_odd(self) -> Value:
        w = self.writer
        return w.value("truth", f"trunc {w.type['whole']} {self.name} to {w.type['truth']}")


def _bits(number: float) -> int:
    return struct.unpack(">q", struct.pack(">d", number))[0]


def where(condition: Value, a: Value | float, b: Value | float) -> Value:
    """a where the condition holds, else b."""
    w = condition.writer
    a = a if isinstance(a, Value) else w.real(a)
    b = b if isinstance(b, Value) else w.real(b)
    kind = w.type[a.kind]
    return w.value(a.kind, f"select {w.type['truth']} {condition.name}, {kind} {a.name}, {kind} {b.name}")


def magnitude(x: Value) -> Value:
    return x.writer.intrinsic("fabs", x)


def square_root(x: Value) -> Value:
    return x.writer.intrinsic("sqrt", x)


def floor(x: Value) -> Value:
    return x.writer.intrinsic("floor", x)


def with_sign(x: Value, sign: Value) -> Value:
    """|x| with the sign of another."""
    return x.writer.intrinsic("copysign", x, sign)


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """c₀ + x (c₁ + x (c₂ + …)), by Horner's rule."""
    value = x.writer.real(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = x * value + c
    return value


def two_chains(x: Value, coefficients: Sequence[float]) -> Value:
    """The same polynomial by two of x², which need not wait for each other."""
    z = x * x
    return polynomial(z, coefficients[::2]) + x * polynomial(z, coefficients[1::2])


def nearest(x: Value) -> tuple[Value, Value]:
    """The whole number next to x, |x| < 2⁵¹, as real and as whole number."""
    shifted = x + SHIFT
    return shifted - SHIFT, shifted.bits() - _bits(SHIFT)


def power_of_two(k: Value) -> Value:
    """2ᵏ for a whole −1023 < k < 1024."""
    return ((k + 1023) << 52).as_real()


def times_power_of_two(k: Value, *values: Value) -> list[Value]:
    """Values times 2ᵏ, |k| < 2046, rounded once where the result is subnormal."""
    half = k >> 1
    first, second = power_of_two(half), power_of_two(k - half)
    return [value * first * second for value in values]


def exponent(x: Value) -> Value:
    """The whole k with 2ᵏ ≤ x < 2ᵏ⁺¹ of a positive normal x; −1023 below."""
    return (x.bits() >> 52) - 1023
