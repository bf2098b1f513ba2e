"""Elementary functions of our own, as LLVM IR for scalars and lanes alike, so that nothing depends on a C library.

A GPU thread, a wasm module and an FMU have no libm, and libraries differ in their last bits.  Every function here is
branch-free strict arithmetic without tables, a scalar having the bits of a lane; errors stay below 1 ulp, special
values are those of C99, annex F.  Where a double is not enough, `doubled` calculates with sums of two.

`function(name, lanes)` gives the definition of `@lw_<name>_<lanes>` and what must be defined or declared beside it.
"""

from __future__ import annotations

import functools

from . import arcs, error_function, exponentials, logarithms, powers, trigonometric, turns
from .values import Writer, literal

__all__ = ["SCALAR_ONLY", "arguments", "function", "literal"]

_WRITERS = {
    "tan": trigonometric.tangent,
    "asin": arcs.arcsine,
    "acos": arcs.arccosine,
    "atan": lambda x: arcs.arctangent(x, x.writer.real(1.0)),
    "atan2": arcs.arctangent,
    "exp": exponentials.exp,
    "expm1": exponentials.expm1,
    "sinh": exponentials.sinh,
    "cosh": exponentials.cosh,
    "tanh": exponentials.tanh,
    "log": logarithms.log,
    "log1p": logarithms.log1p,
    "asinh": logarithms.arsinh,
    "acosh": logarithms.arcosh,
    "atanh": logarithms.artanh,
    "pow": powers.power,
    "approximate_power": powers.approximate_power,
    "hypot": powers.hypotenuse,
    "erf": error_function.erf,
}
_TWO_ARGUMENTS = ("atan2", "pow", "approximate_power", "hypot")
SCALAR_ONLY = ("fmod", "remainder")  # they are loops


def arguments(name: str) -> int:
    """How many arguments a function takes."""
    return 2 if name in _TWO_ARGUMENTS or name in SCALAR_ONLY else 1


@functools.cache
def function(name: str, lanes: int) -> frozenset[str]:
    """Definitions and declarations of `@lw_<name>_<lanes>`: real(real) or real(real, real); "sincos" gives a pair."""
    if name in SCALAR_ONLY:
        from . import remainders

        return remainders.function(name)
    if name == "sincos":
        definition, needs = trigonometric.sincos_function(lanes)
    else:
        definition, needs = _definition(name, lanes)
    parts = {definition, *needs}
    if any("@lw_far_turns(" in need for need in needs):
        far, far_needs = turns.far_turns()
        parts = {part for part in parts if not part.startswith("declare {")} | {far, *far_needs}
    return frozenset(parts)


def _definition(name: str, lanes: int) -> tuple[str, set[str]]:
    w = Writer(lanes)
    names = ("x", "y") if name in _TWO_ARGUMENTS else ("x",)
    result = _WRITERS[name](*[w.argument(argument) for argument in names])
    real, body = w.type["real"], "\n".join(w.lines)
    arguments = ", ".join(f"{real} %{argument}" for argument in names)
    return f"define {real} @lw_{name}_{lanes}({arguments}) #0 {{\nentry:\n{body}\n  ret {real} {result.name}\n}}\n", (
        w.declarations)
