"""Programs as C text: every segment one function, vectors as arrays of doubles, nothing but math.h."""

from __future__ import annotations

import math
from collections.abc import Iterable

import casadi as ca

from ..codegen import Newton, Program, Solve, Straight, is_table, operation_name, vector_sizes
from ..errors import ModelError

#: operation → C, with {0} and {1} for its operands
OPERATIONS = {
    ca.OP_ASSIGN: "{0}", ca.OP_ADD: "{0} + {1}", ca.OP_SUB: "{0} - {1}", ca.OP_MUL: "{0} * {1}",
    ca.OP_DIV: "{0} / {1}", ca.OP_NEG: "-{0}", ca.OP_SQ: "{0} * {0}", ca.OP_TWICE: "2.0 * {0}", ca.OP_INV: "1.0 / {0}",
    ca.OP_EXP: "exp({0})", ca.OP_LOG: "log({0})", ca.OP_POW: "pow({0}, {1})", ca.OP_CONSTPOW: "pow({0}, {1})",
    ca.OP_SQRT: "sqrt({0})", ca.OP_SIN: "sin({0})", ca.OP_COS: "cos({0})", ca.OP_TAN: "tan({0})",
    ca.OP_ASIN: "asin({0})", ca.OP_ACOS: "acos({0})", ca.OP_ATAN: "atan({0})", ca.OP_ATAN2: "atan2({0}, {1})",
    ca.OP_SINH: "sinh({0})", ca.OP_COSH: "cosh({0})", ca.OP_TANH: "tanh({0})", ca.OP_ASINH: "asinh({0})",
    ca.OP_ACOSH: "acosh({0})", ca.OP_ATANH: "atanh({0})", ca.OP_FABS: "fabs({0})", ca.OP_FLOOR: "floor({0})",
    ca.OP_CEIL: "ceil({0})", ca.OP_FMOD: "fmod({0}, {1})", ca.OP_FMIN: "fmin({0}, {1})", ca.OP_FMAX: "fmax({0}, {1})",
    ca.OP_COPYSIGN: "copysign({0}, {1})", ca.OP_LT: "{0} < {1} ? 1.0 : 0.0", ca.OP_LE: "{0} <= {1} ? 1.0 : 0.0",
    ca.OP_EQ: "{0} == {1} ? 1.0 : 0.0", ca.OP_NE: "{0} != {1} ? 1.0 : 0.0", ca.OP_NOT: "{0} == 0.0 ? 1.0 : 0.0",
    ca.OP_AND: "{0} != 0.0 && {1} != 0.0 ? 1.0 : 0.0", ca.OP_OR: "{0} != 0.0 || {1} != 0.0 ? 1.0 : 0.0",
    ca.OP_IF_ELSE_ZERO: "{0} != 0.0 ? {1} : 0.0", ca.OP_SIGN: "({0} > 0.0) - ({0} < 0.0)", ca.OP_LOG1P: "log1p({0})",
    ca.OP_EXPM1: "expm1({0})", ca.OP_HYPOT: "hypot({0}, {1})", ca.OP_ERF: "erf({0})", ca.OP_LIFT: "{0}",
}
TWO = {op for op, text in OPERATIONS.items() if "{1}" in text}

#: Gaussian elimination with the largest pivot of each column; a singular matrix leaves numbers that are not finite
LINEAR = """
static void {name}_solve(int n, double *A, double *b) {{
    /* A x = b, A column by column; x is left in b */
    for (int k = 0; k < n; k++) {{
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[k * n + i]) > fabs(A[k * n + p])) p = i;
        if (p != k) {{
            double held = b[k]; b[k] = b[p]; b[p] = held;
            for (int j = k; j < n; j++) {{
                held = A[j * n + k]; A[j * n + k] = A[j * n + p]; A[j * n + p] = held;
            }}
        }}
        for (int i = k + 1; i < n; i++) {{
            double factor = A[k * n + i] / A[k * n + k];
            for (int j = k + 1; j < n; j++) A[j * n + i] -= factor * A[j * n + k];
            b[i] -= factor * b[k];
        }}
    }}
    for (int k = n - 1; k >= 0; k--) {{
        for (int j = k + 1; j < n; j++) b[k] -= A[j * n + k] * b[j];
        b[k] /= A[k * n + k];
    }}
}}
"""

NEWTON = """
static void {name}(const double **in, double *y, double *status) {{
    /* {n} unknowns by Newton's method from where y stands; status: iterations, largest residual */
    double r[{n}], J[{square}], moved = 1.0;
    const double *reads[{reads}];
    double *residual[1] = {{r}}, *jacobian[1] = {{J}};
    for (int k = 0; k < {reads} - 1; k++) reads[k] = in[k];
    reads[{reads} - 1] = y;
    for (int iteration = 0; iteration <= {most}; iteration++) {{
        double size = 0.0;
        {name}_residual(reads, residual);
        for (int k = 0; k < {n}; k++) size = fmax(size, fabs(r[k]));
        status[0] = iteration;
        status[1] = size;
        if (size <= {tolerance!r} || moved == 0.0 || iteration == {most}) break;
        {name}_jacobian(reads, jacobian);
        moved = 0.0;
        {model}_solve({n}, J, r);
        for (int k = 0; k < {n}; k++) {{
            double next = y[k] - r[k];
            moved = fmax(moved, fabs(next - y[k]));
            y[k] = next;
        }}
    }}
}}
"""


def number(value: float) -> str:
    """A constant that reads back to the same bits."""
    value = float(value)
    if math.isfinite(value):
        return repr(value)
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def straight(name: str, function: ca.Function) -> str:
    """A C function `void name(const double **in, double **out)` of an SX function; zeros of the pattern are written."""
    lines = [f"static void {name}(const double **in, double **out) {{"]
    body, taken = [], False
    nodes: ca.SX | None = None
    nonzero: list[list[int]] = [_places(function, i) for i in range(function.n_out())]
    for k in range(function.n_instructions()):
        op, left, to = (getattr(function, f"instruction_{what}")(k) for what in ("id", "input", "output"))
        if op == ca.OP_CONST:
            body.append(f"    w[{to[0]}] = {number(function.instruction_constant(k))};")
        elif op == ca.OP_INPUT:
            body.append(f"    w[{to[0]}] = in[{left[0]}][{_input_place(function, left[0], left[1])}];")
            taken = True
        elif op == ca.OP_OUTPUT:
            body.append(f"    out[{to[0]}][{nonzero[to[0]][to[1]]}] = w[{left[0]}];")
        elif op in OPERATIONS:
            operands = [f"w[{place}]" for place in left]
            body.append(f"    w[{to[0]}] = {OPERATIONS[op].format(*operands)};")
        elif op == ca.OP_CALL:
            nodes = function.instructions_sx() if nodes is None else nodes
            body.append(_called(nodes[k].which_function(), left, to))
        else:
            raise ModelError(f"{name}: the operation {operation_name(op)} has no form in C; express it by other "
                             "functions.")
    for i in range(function.n_out()):
        structural = set(range(function.numel_out(i))) - set(nonzero[i])
        body += [f"    out[{i}][{place}] = 0.0;" for place in sorted(structural)]
    if function.sz_w():
        lines.append(f"    double w[{function.sz_w()}];")
    if not taken:
        lines.append("    (void)in;")
    if not any("out[" in line for line in body):
        lines.append("    (void)out;")
    return "\n".join([*lines, *body, "}", ""])


def _called(called: ca.Function, left: list[int], to: list[int]) -> str:
    """A line that calls a function of `c_calls` by its name."""
    name = called.name()
    if is_table(called):
        return f"    w[{to[0]}] = {name}(w[{left[0]}]);"
    taken = ", ".join(f"w[{place}]" for place in left)
    given = " ".join(f"w[{place}] = b[{k}];" for k, place in enumerate(to) if place >= 0)
    return f"    {{ const double a[] = {{{taken}}}; double b[{len(to)}]; {name}(a, b); {given} }}"


def constant_array(kind: str, name: str, values: Iterable[float]) -> str:
    """A constant array of doubles or ints; one without entries has a zero, which nobody reads."""
    entries = [number(value) if kind == "double" else str(int(value)) for value in values] or ["0"]
    lines, line = [], "   "
    for entry in entries:
        if len(line) + len(entry) > 110:
            lines.append(line)
            line = "   "
        line += f" {entry},"
    return "\n".join([f"static const {kind} {name}[] = {{", *lines, line.rstrip(","), "};"])


def _places(function: ca.Function, i: int) -> list[int]:
    """Where each stored entry of an output lies in the whole, column by column."""
    pattern = function.sparsity_out(i)
    return [int(place) for place in pattern.find()]


def _input_place(function: ca.Function, i: int, k: int) -> int:
    return int(function.sparsity_in(i).find()[k])


def program_text(program: Program, model: str) -> str:
    """A C function `void <model>_<name>(const double **in, double **out)` of a whole program, helpers before it."""
    name = f"{model}_{program.name}"
    sizes = vector_sizes(program)
    helpers, body = [], []
    place = {vector: f"in[{k}]" for k, (vector, _) in enumerate(program.inputs)}
    wanted = {vector: k for k, (vector, _) in enumerate(program.outputs)}
    local = [vector for vector in sizes if vector not in place and vector not in wanted]
    for k, vector in enumerate(local):
        place[vector] = f"v{k}"
        body.append(f"    double v{k}[{max(sizes[vector], 1)}];")
    place |= {vector: f"out[{k}]" for vector, k in wanted.items() if vector not in place}
    for k, segment in enumerate(program.segments):
        part = f"{name}_{k + 1}"
        if isinstance(segment, Straight):
            helpers.append(straight(part, segment.function))
            body += _call(part, [place[v] for v in segment.reads], [place[v] for v in segment.writes])
        elif isinstance(segment, Solve):
            body += [f"    for (int k = 0; k < {segment.n}; k++) {place[segment.solution]}[k] = "
                     f"{place[segment.rhs]}[k];",
                     f"    {model}_solve({segment.n}, {place[segment.matrix]}, {place[segment.solution]});"]
        else:
            helpers.append(_newton(part, segment, model))
            n = segment.residual.numel_out(0)
            y, status = place[segment.unknown], place[segment.status]
            reads = ", ".join(place[v] for v in segment.reads) or "0"
            body += [f"    for (int k = 0; k < {n}; k++) {y}[k] = {place[segment.guess]}[k];",
                     f"    {{ const double *reads[] = {{{reads}}}; {part}(reads, {y}, {status}); }}"]
    text = [f"static void {name}(const double **in, double **out) {{", *body, "}", ""]
    return "\n".join([*helpers, *text])


def _call(part: str, reads: list[str], writes: list[str]) -> list[str]:
    return [f"    {{ const double *a[] = {{{', '.join(reads) or '0'}}}; double *b[] = {{{', '.join(writes) or '0'}}}; "
            f"{part}(a, b); }}"]


def _newton(part: str, segment: Newton, model: str) -> str:
    n = segment.residual.numel_out(0)
    return "\n".join([
        straight(f"{part}_residual", segment.residual), straight(f"{part}_jacobian", segment.jacobian),
        NEWTON.format(name=part, model=model, n=n, square=n * n, reads=len(segment.reads) + 1,
                      most=segment.max_iterations, tolerance=segment.tolerance)])


def needs_linear(program: Program) -> bool:
    """Whether a program solves linear equations."""
    return any(not isinstance(segment, Straight) for segment in program.segments)
