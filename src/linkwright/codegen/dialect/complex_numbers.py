"""Complex numbers: pairs of real ones, by the textbook's formulas; a real number beside one is a pair with zero.

    (a + bi)(c + di) = (ac − bd) + (ad + bc)i,      quotients by Smith's formula (CACM 5 (1962) 435)
"""

from __future__ import annotations

from typing import Any

from .arithmetic import binary, choose, negative, to
from .values import Complex, Value, constant
from .writer import Writer


def as_complex(w: Writer, thing: Any) -> Complex:
    return thing if isinstance(thing, Complex) else Complex(to(w, "real", thing), constant(0.0))


def combined(w: Writer, word: str, a: Any, b: Any) -> Complex:
    """a ∘ b, one of them complex."""
    x, y = as_complex(w, a), as_complex(w, b)

    def op(sign: str, p: Value, q: Value) -> Value:
        return binary(w, sign, p, q)

    if word in ("add", "sub"):
        return Complex(op(word, x.re, y.re), op(word, x.im, y.im))
    if word == "mul":
        return Complex(op("sub", op("mul", x.re, y.re), op("mul", x.im, y.im)),
                       op("add", op("mul", x.re, y.im), op("mul", x.im, y.re)))
    if word == "div":
        return _quotient(w, x, y)
    raise w.wrong("complex numbers are not compared and have no bits", "+ − * /, abs, .real and .imag")


def _quotient(w: Writer, x: Complex, y: Complex) -> Complex:
    """The larger part of the divisor divides first, so that nothing overflows on the way."""
    from .calls import magnitude

    def op(sign: str, p: Value, q: Value) -> Value:
        return binary(w, sign, p, q)

    by_real = op("ge", magnitude(w, y.re), magnitude(w, y.im))
    large, small = choose(w, by_real, y.re, y.im), choose(w, by_real, y.im, y.re)
    ratio = op("div", small, large)
    bottom = op("add", large, op("mul", small, ratio))
    # (re + im ρ), (im − re ρ) over the real part; (re ρ + im), (im ρ − re) over the imaginary one
    re = op("add", choose(w, by_real, x.re, op("mul", x.re, ratio)), choose(w, by_real, op("mul", x.im, ratio), x.im))
    im = op("sub", choose(w, by_real, x.im, op("mul", x.im, ratio)), choose(w, by_real, op("mul", x.re, ratio), x.re))
    return Complex(op("div", re, bottom), op("div", im, bottom))


def negated(w: Writer, x: Complex) -> Complex:
    return Complex(negative(w, x.re), negative(w, x.im))


# --- the same in Python ---

def operate(word: str, a: complex, b: complex) -> complex:
    """a ∘ b by the same formulas."""
    from .arithmetic import divided

    x, y = complex(a), complex(b)
    if word == "add":
        return complex(x.real + y.real, x.imag + y.imag)
    if word == "sub":
        return complex(x.real - y.real, x.imag - y.imag)
    if word == "mul":
        return complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)
    if abs(y.real) >= abs(y.imag):
        ratio = divided(y.imag, y.real)
        bottom = y.real + y.imag * ratio
        return complex(divided(x.real + x.imag * ratio, bottom), divided(x.imag - x.real * ratio, bottom))
    ratio = divided(y.real, y.imag)
    bottom = y.imag + y.real * ratio
    return complex(divided(x.real * ratio + x.imag, bottom), divided(x.imag * ratio - x.real, bottom))
