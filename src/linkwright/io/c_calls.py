"""Functions that programs call, as C text: tables, sums over the rows of a list, and what else is called by name.

A table is `double name(double x)`, its numbers constant arrays; anything else is `void name(const double *x,
double *y)` over the arguments' stored entries one after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import casadi as ca
import numpy as np

from ..codegen import (
    Least,
    Loop,
    Program,
    Straight,
    expanded_call,
    is_closed,
    is_least,
    is_loop,
    is_routine,
    is_surface,
    is_table,
    least_of,
    loop_of,
    refuse_routines,
    surface_c,
    surface_data,
    surface_order,
    table_data,
)
from ..errors import ModelError
from .c_code import constant_array, straight

#: the piece that x lies in by halving, then its polynomial; the end pieces go on beyond the ends
TABLE = """static double {name}(double x) {{
{breaks}
{values}
    int low = 0, high = {pieces};
    while (high - low > 1) {{
        int middle = (low + high) / 2;
        if (x >= breaks[middle]) low = middle; else high = middle;
    }}
    const double *c = values + {terms} * low;
    double d = x - breaks[low], y = c[{last}];
    for (int k = {last}; k > 0; k--) y = y * d + c[k - 1];
    return y;
}}
"""

LOOP = """static void {name}(const double *x, double *y) {{
    /* every row takes some x and numbers of its own, and adds to some y */
{arrays}
    for (int k = 0; k < {n_out}; k++) y[k] = 0.0;
    for (int row = 0; row < {rows}; row++) {{
        double taken[{taken}], found[{found}];
        for (int k = 0; k < {taken}; k++) taken[k] = x[reads[{taken} * row + k]];
        const double *in[] = {{taken, data + {own} * row}};
        double *out[] = {{found}};
        {name}_row(in, out);
        for (int k = 0; k < {found}; k++) y[writes[{found} * row + k]] += found[k];
    }}
}}
"""

LEAST = """static void {name}(const double *x, double *y) {{
    /* the pair of rows with the least score, y[0] */
{arrays}
    double found[{n_out}], least = INFINITY;
    for (int i = 0; i < {n_a}; i++) {{
        for (int j = 0; j < {n_b}; j++) {{
            const double *in[] = {{x, a + {w_a} * i, b + {w_b} * j}};
            double *out[] = {{found}};
            {name}_row(in, out);
            if (found[0] < least || i + j == 0) {{
                for (int k = 0; k < {n_out}; k++) y[k] = found[k];
            }}
            if (found[0] < least) least = found[0];
        }}
    }}
}}
"""

SURFACE = """static void {name}(const double *x, double *y) {{
    lw_surface(x, y, 1, {numbers}, {sizes});
}}
"""

FLAT = """static void {name}(const double *x, double *y) {{
    const double *in[] = {{x}};
    double *out[] = {{y}};
    {name}_flat(in, out);
}}
"""


def called_text(programs: Iterable[Program]) -> str:
    """All functions that programs call, each once and before those that call it."""
    written: dict[str, str] = {}
    for program in programs:
        for function in _functions(program):
            _write_calls(function, written)
    return "\n".join(written.values())


def _functions(program: Program) -> Iterator[ca.Function]:
    for segment in program.segments:
        if isinstance(segment, Straight):
            yield segment.function
        elif hasattr(segment, "residual"):
            yield segment.residual
            yield segment.jacobian


def _write_calls(function: ca.Function, written: dict[str, str]) -> None:
    calls = [k for k in range(function.n_instructions()) if function.instruction_id(k) == ca.OP_CALL]
    nodes = function.instructions_sx() if calls else None
    for k in calls:
        called = nodes[k].which_function()
        name = called.name()
        if name in written:
            continue
        if is_table(called):
            written[name] = _table(called)
        elif is_loop(called):
            loop = loop_of(called)
            _write_calls(loop.kernel, written)
            written[name] = _loop(name, loop)
        elif is_least(called):
            least = least_of(called)
            _write_calls(least.kernel, written)
            written[name] = _least(name, least)
        elif is_surface(called):
            _write_surface(called, written)
        elif is_closed(called):
            raise ModelError("the model solves equations of contacts, which C and FMUs do not hold; leave the contacts "
                             "out, or give them compliant laws without friction.")
        elif is_routine(called):
            refuse_routines("C and FMUs")
        else:
            flat = _flat(called)
            _write_calls(flat, written)
            written[name] = straight(f"{name}_flat", flat) + FLAT.format(name=name)


def _table(function: ca.Function) -> str:
    breaks, values = table_data(function)
    pieces, terms = values.shape
    return TABLE.format(name=function.name(), pieces=pieces, terms=terms, last=terms - 1,
                        breaks=constant_array("double", "breaks", breaks),
                        values=constant_array("double", "values", values.ravel()))


def _loop(name: str, loop: Loop) -> str:
    arrays = [constant_array("int", "reads", loop.reads.ravel()), constant_array("int", "writes", loop.writes.ravel()),
              constant_array("double", "data", loop.data.ravel())]
    text = LOOP.format(name=name, arrays="\n".join(arrays), n_out=loop.n_out, rows=len(loop.reads),
                       taken=loop.reads.shape[1], found=loop.writes.shape[1], own=loop.data.shape[1])
    return straight(f"{name}_row", loop.kernel) + text


def _least(name: str, least: Least) -> str:
    arrays = [constant_array("double", part, table.ravel()) for part, table in (("a", least.a), ("b", least.b))]
    text = LEAST.format(name=name, arrays="\n".join(arrays), n_out=least.n_out, n_a=len(least.a), n_b=len(least.b),
                        w_a=least.a.shape[1], w_b=least.b.shape[1])
    return straight(f"{name}_row", least.kernel) + text


def _write_surface(function: ca.Function, written: dict[str, str]) -> None:
    """A surface: one function for all of them, and the numbers of each, which all its orders share."""
    (data, counts), name = surface_data(function), function.name()
    numbers = f"numbers_of_{name.split('_')[-1]}"
    written.setdefault("lw_surface", f"#include <stddef.h>\n{surface_c()}")
    written.setdefault(numbers, constant_array("double", numbers, data))
    sizes = ", ".join(str(count) for count in (*counts, surface_order(function)))
    written[name] = SURFACE.format(name=name, numbers=numbers, sizes=sizes)


def _flat(called: ca.Function) -> ca.Function:
    """A function of one vector, the stored entries of all arguments one after another; its results likewise."""
    inner = expanded_call(called)
    counts = [inner.nnz_in(i) for i in range(inner.n_in())]
    x = ca.SX.sym("x", sum(counts))
    ends = np.cumsum([0, *counts])
    results = inner.call([ca.SX(inner.sparsity_in(i), x[int(ends[i]):int(ends[i + 1])]) for i in range(inner.n_in())])
    found = [ca.vertcat(*result.nonzeros()) if result.nnz() else ca.SX(0, 1) for result in results]
    return ca.Function("flat", [x], [ca.densify(ca.vertcat(*found))])
