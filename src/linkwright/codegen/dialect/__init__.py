"""The dialect: a small typed part of Python in which loops are written once, for every target.

A function of it runs as Python, and is compiled by what is in this folder to LLVM's text: for one run, for W lanes with
masks, for threads of a GPU, for wasm and other processors, and to C; with equal bits everywhere.

Declare: annotate arguments and results (`words` says with what).  Functions call each other by name; what is called
from Python, or by address, is an entry.

    from linkwright.codegen.dialect import compiled, real, sqrt

    def length(v: real[3]) -> float:
        return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])

    @compiled
    def longest(vectors: real[:, 3]) -> float:
        most = 0.0
        for k in range(len(vectors)):
            most = max(most, length(vectors[k]))
        return most

Call: `longest(array)` with NumPy's arrays (C order, float64 or int64); machine code is made at the first call and kept
in the cache.  `longest.plain(array)` is the same as checked Python: an index out of its array, memory read before it is
written, arrays that overlap are errors with file and line.  `longest.address` is its C function (`entries`: which).

Compile for others: `Machine(f, lanes=4, shared=("grid",), constants={"N": 4}).address`; `text_of(f, …)` for
`codegen.wasm_module` and `codegen.shared_libraries`; `kernel_text(f, …)` for `codegen.ptx_code`; `c_text(f, …)`.
`digests([f], …)` tells which files such code is made of.

What there is: float, int (64 bits, wraps), bool, complex numbers in arrays, tuples; arrays and records; `if`, `for`
over `range`, over constants, or over `independent(n)` rounds, `while`, `break`, `continue`, `return`; own memory by
`reals(3, N)`, `wholes(N)` of constant size; slices `a[i:j]`, `A[k, i:j]`, `row = A[k]`; arrays of one dimension entry
by entry, `a[:] = 0.0`, `a[i:j] += x[:n] - 2.0 * y`; the words below.  A name has one kind.  What there is not says so
with file, line, and what to write instead.  Meaning of every operation: `arithmetic`.  mypy does not know these types:
a file of the dialect begins with `# mypy: ignore-errors`.
"""

from .c_text import c_of_module, c_text
from .compiled import Compiled, Machine, compiled
from .layouts import DTYPES, IGNORED, Field, Layout, Table, layout, record
from .origins import digests, origins
from .plain import Astray, plain
from .source import NotInDialect
from .texts import kernel_text, named, text_of, written_of
from .words import (
    ByAddress,
    ByName,
    acos,
    approximate_power,
    asin,
    atan,
    atan2,
    bits,
    complexes_at,
    exp,
    fixed,
    floor,
    forget,
    from_bits,
    hypot,
    independent,
    known,
    log,
    power,
    real,
    reals,
    reals_at,
    sin_cos,
    sqrt,
    tan,
    whole,
    wholes,
    wholes_at,
)

__all__ = [
    "DTYPES", "IGNORED", "Astray", "ByAddress", "ByName", "Compiled", "Field", "Layout", "Machine", "NotInDialect",
    "Table",
    "acos", "approximate_power", "asin", "atan", "atan2", "bits", "c_of_module", "c_text", "compiled", "complexes_at",
    "digests", "exp", "fixed", "floor", "forget", "from_bits", "hypot", "independent", "kernel_text", "known",
    "layout", "log", "named", "origins", "plain", "power", "real", "reals", "reals_at", "record", "sin_cos", "sqrt",
    "tan", "text_of", "whole", "wholes", "wholes_at", "written_of",
]
