"""Models as C: one header, one source, for microcontrollers and for other programs.

    lw.export(m, "arm.c", outputs=["body.r_0"], tunable=["body.m"])

The state is x = (q, u, z), as the header says entry by entry.  `arm_rhs` gives dx/dt, `arm_step` a step of the
classical Runge-Kutta method of order 4 with unit quaternions kept so, `arm_outputs` the variables asked for,
`arm_start` the state that a simulation would start with.  Inputs of the model are u, parameters named by `tunable` p.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..errors import ModelError
from .c_calls import called_text
from .c_code import LINEAR, needs_linear, number, program_text
from .write_c_run import write_c_run

if TYPE_CHECKING:
    from ..system import CompiledFunction

HEADER = """/* {title}, written by Linkwright {version}.  SI units, radians.
 *
{contents}
 */
#ifndef {guard}_H
#define {guard}_H

#define {guard}_NX {nx}  /* states x */
#define {guard}_NU {nu}  /* inputs u */
#define {guard}_NP {np}  /* parameters p */
#define {guard}_NY {ny}  /* outputs y */

/* the state at the start, the inputs' defaults and the parameters' values */
void {name}_start(double *x, double *u, double *p);

/* dx/dt */
void {name}_rhs(double t, const double *x, const double *u, const double *p, double *dx);

/* one step of length h from t, in place; the classical Runge-Kutta method of order 4 */
void {name}_step(double t, double h, double *x, const double *u, const double *p);

/* the variables that were asked for */
void {name}_outputs(double t, const double *x, const double *u, const double *p, double *y);

#endif
"""

STEP = """
void {name}_step(double t, double h, double *x, const double *u, const double *p) {{
    double k1[{size}], k2[{size}], k3[{size}], k4[{size}], at[{size}];
    {name}_rhs(t, x, u, p, k1);
    for (int i = 0; i < {nx}; i++) at[i] = x[i] + h / 2.0 * k1[i];
    {name}_rhs(t + h / 2.0, at, u, p, k2);
    for (int i = 0; i < {nx}; i++) at[i] = x[i] + h / 2.0 * k2[i];
    {name}_rhs(t + h / 2.0, at, u, p, k3);
    for (int i = 0; i < {nx}; i++) at[i] = x[i] + h * k3[i];
    {name}_rhs(t + h, at, u, p, k4);
    for (int i = 0; i < {nx}; i++) x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
{quaternions}}}
"""

QUATERNION = """    {{ /* a unit quaternion stays one */
        double *Q = x + {k}, size = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        for (int i = 0; i < 4; i++) Q[i] /= size;
    }}
"""


def write_c(model: lw.Model, path: Path, *, outputs: Sequence[str] = (), tunable: Sequence[str] = (),
            adaptive: bool | None = None, accuracy: float = 1e-8) -> list[str]:
    """Write `path` (.c) and the header beside it.

    `adaptive` makes a whole run of it, with error control at `accuracy`, located events and closed loops (see
    `write_c_run`); by default where the model has events.
    """
    if any(inner._controllers for inner in model.models()):
        raise ModelError(f"{model.path}: its sampled controllers are Python and do not go into C; give them as inputs.",
                         model)
    name = re.sub(r"^(?=\d)", "m", re.sub(r"\W", "_", path.stem, flags=re.ASCII))
    system = lw.compile(model, tunable=list(tunable), formulation="projection")
    if adaptive or adaptive is None and bool(system.mechanism.events):
        return write_c_run(model, path, name, outputs, tunable, accuracy)
    _refuse(system)
    state = system.state()
    y_guess = len(state.y)
    parts = ("t", "q", "u", "z", "d", "p", *(("y",) if y_guess else ()))
    rhs = system.function(parts, ("qdot", "udot", "zdot"))
    told = system.function(parts, tuple(outputs)) if outputs else None
    inputs, kept = system.part_names("d"), system.part_names("p")
    values = [system.evaluate(state, output) for output in outputs]
    sizes = [int(np.size(value)) for value in values]
    nx = len(state.q) + len(state.u) + len(state.z)
    contents = _contents(system, inputs, kept, outputs, sizes)
    guard = name.upper()
    header = HEADER.format(title=model.title.replace("*/", ""), version=lw.__version__, contents=contents, guard=guard,
                           name=name, nx=nx, nu=len(inputs), np=len(kept), ny=sum(sizes))
    source = [f'/* {model.title.replace("*/", "")}: see {name}.h */', "#include <math.h>", f'#include "{name}.h"', ""]
    programs = [rhs.program, *([told.program] if told else [])]
    if any(map(needs_linear, programs)):
        source.append(LINEAR.format(name=name))
    source.append(called_text(programs))
    source.append(program_text(replace(rhs.program, name="derivatives"), name))
    if told:
        source.append(program_text(replace(told.program, name="measured"), name))
    source += [_entry(name, "rhs", "derivatives", "dx", rhs, state, [len(state.q), len(state.u), len(state.z)]),
               _entry(name, "outputs", "measured", "y", told, state, sizes)]
    source.append(_start(name, state))
    source.append(STEP.format(name=name, nx=nx, size=max(nx, 1), quaternions=_quaternions(system)))
    path.write_text("\n".join(source), encoding="utf-8")
    path.with_suffix(".h").write_text(header, encoding="utf-8")
    return []


def _refuse(system: lw.System) -> None:
    """Events that have to be located have no place in a fixed step; nor has what runs in Python."""
    events = system.mechanism.events
    for kind, items in (("friction", events.frictions), ("a stop", events.stops), ("a reset", events.whens),
                        ("a lock", events.locks), ("a comparison", events.relations)):
        if items:
            named = getattr(items[0], "name", "") or str(getattr(items[0], "condition", ""))
            raise ModelError(f"{named}: {kind} needs events, which steps of fixed length do not have; leave it out, "
                             "replace it (lw.smooth_where, a spring), or export a run with adaptive=True.", named)


def _contents(system: lw.System, inputs: Sequence[str], kept: Sequence[str], outputs: Sequence[str],
              sizes: Sequence[int]) -> str:
    lines, at = [], 0
    for part in "quz":
        for entry in system.part_names(part):
            lines.append(f" *   x[{at}]  {entry}")
            at += 1
    lines += [f" *   u[{k}]  {entry}" for k, entry in enumerate(inputs)]
    lines += [f" *   p[{k}]  {entry}" for k, entry in enumerate(kept)]
    at = 0
    for entry, size in zip(outputs, sizes, strict=True):
        lines.append(f" *   y[{at}{f'..{at + size - 1}' if size > 1 else ''}]  {entry}")
        at += size
    if system.mechanism.constraints:
        lines.append(" * Loops are kept on the level of accelerations: positions drift off by the error of the steps.")
    return "\n".join(lines)


def _entry(name: str, what: str, program: str, result: str, function: CompiledFunction | None, state: lw.State,
           sizes: Sequence[int]) -> str:
    """The public function that hands the parts of x to a program and gathers its results."""
    head = f"void {name}_{what}(double t, const double *x, const double *u, const double *p, double *{result}) {{"
    if function is None:
        return "\n".join([head, f"    (void)t; (void)x; (void)u; (void)p; (void){result};", "}", ""])
    nq, nu = len(state.q), len(state.u)
    where = {"t": "&t", "q": "x", "u": f"x + {nq}", "z": f"x + {nq + nu}", "d": "u", "p": "p"}
    names = [vector for vector, _ in function.program.inputs]
    lines, at = [head], 0
    for vector, size in function.program.inputs:
        if vector not in where:  # where Newton's method starts: parts of y, one after another
            where[vector], at = f"guess + {at}", at + size
    if at:
        lines.append(f"    static const double guess[] = {{{', '.join(map(number, state.y))}}};")
    reads = ", ".join(where[vector] for vector in names) or "0"
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    writes = ", ".join(f"{result} + {int(start)}" for start in starts[:len(function.program.outputs)])
    lines += ["    (void)t; (void)x; (void)u; (void)p;", f"    const double *in[] = {{{reads}}};",
              f"    double *out[] = {{{writes}}};", f"    {name}_{program}(in, out);", "}", ""]
    return "\n".join(lines)


def _start(name: str, state: lw.State) -> str:
    x = np.concatenate([state.q, state.u, state.z])
    lines = [f"void {name}_start(double *x, double *u, double *p) {{", "    (void)x; (void)u; (void)p;"]
    for letter, values in (("x", x), ("u", state.d), ("p", state.p)):
        lines += [f"    {letter}[{k}] = {number(value)};" for k, value in enumerate(values)]
    return "\n".join([*lines, "}", ""])


def _quaternions(system: lw.System) -> str:
    places, _ = system.mechanism.slices()
    return "".join(QUATERNION.format(k=place.start + body.mobilizer.quaternion)
                   for body, place in zip(system.mechanism.bodies, places, strict=True)
                   if body.mobilizer.quaternion is not None)
