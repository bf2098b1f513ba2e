"""Models as C: one header, one source, for microcontrollers and for other programs.

    lw.export(m, "arm.c", outputs=["body.r_0"], tunable=["body.m"])

The state is x = (q, u, z), as the header says entry by entry.  `arm_rhs` gives dx/dt, `arm_step` a step of the
classical Runge-Kutta method of order 4, that of a simulation with steps of fixed length, after which loops are closed
and quaternions have unit length; `arm_outputs` gives the variables asked for, `arm_start` the state that a simulation
would start with.  Inputs of the model are u, parameters named by `tunable` p.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import linkwright as lw

from ..errors import ModelError
from .c_code import constant_array
from .fmu.contents import Contents
from .write_c_run import write_c_run

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

/* one step of length h from t, in place; the classical Runge-Kutta method of order 4.  0, or what went wrong */
int {name}_step(double t, double h, double *x, const double *u, const double *p);

/* the variables that were asked for */
void {name}_outputs(double t, const double *x, const double *u, const double *p, double *y);

#endif
"""

SOURCE = """
static void put(double *in, double t, const double *x, const double *u, const double *p) {{
    in[0] = t;
    for (int k = 0; k < {nx}; k++) in[1 + k] = x[k];
    for (int k = 0; k < {nu}; k++) in[{d} + k] = u[k];
    for (int k = 0; k < {np}; k++) in[parameter_slot[k]] = p[k];
    (void)x; (void)u; (void)p; (void)parameter_slot;
}}

void {name}_start(double *x, double *u, double *p) {{
    for (int k = 0; k < {nx}; k++) x[k] = start_value[1 + k];
    for (int k = 0; k < {nu}; k++) u[k] = start_value[{d} + k];
    for (int k = 0; k < {np}; k++) p[k] = start_value[parameter_slot[k]];
    (void)x; (void)u; (void)p;
}}

void {name}_rhs(double t, const double *x, const double *u, const double *p, double *dx) {{
    double in[{n_in}], out[{width}], work[{n_work}];
    memcpy(in, start_value, sizeof in);
    put(in, t, x, u, p);
    model_rhs(in, out, work);
    memcpy(dx, out, {nx} * sizeof *dx);
}}

int {name}_step(double t, double h, double *x, const double *u, const double *p) {{
    double lane[{lane}];
    lane_prepare(lane, {lane});
    put(lane + {at}, t, x, u, p);
    int status = (int)lane_step(lane, h);
    if (status == 0) memcpy(x, lane + {at} + 1, {nx} * sizeof *x);
    return status;
}}

void {name}_outputs(double t, const double *x, const double *u, const double *p, double *y) {{
    double in[{n_in}], work[{n_work}];
    memcpy(in, start_value, sizeof in);
    put(in, t, x, u, p);
    model_outputs(in, y, work);
}}
"""
#: functions of the run that are called here
CALLED = ("lane_prepare", "lane_step", "model_rhs", "model_outputs")


def write_c(model: lw.Model, path: Path, *, outputs: Sequence[str] = (), tunable: Sequence[str] = (),
            adaptive: bool | None = None, accuracy: float = 1e-8, method: str = "auto",
            fixed_step: float | None = None) -> list[str]:
    """Write `path` (.c) and the header beside it.

    `adaptive` makes a whole run of it, with error control at `accuracy`, located events and closed loops (see
    `write_c_run`); by default where the model has events, or where a `method` or a `fixed_step` of `simulate` is given.
    """
    if any(inner._controllers for inner in model.models()):
        raise ModelError(f"{model.path}: its sampled controllers are Python and do not go into C; give them as inputs.",
                         model)
    name = re.sub(r"^(?=\d)", "m", re.sub(r"\W", "_", path.stem, flags=re.ASCII))
    system = lw.compile(model, tunable=list(tunable), formulation="projection")
    led = bool(system.mechanism.events) or method != "auto" or fixed_step is not None
    if adaptive or adaptive is None and led:
        return write_c_run(model, path, name, outputs, tunable, accuracy, method, fixed_step)
    _refuse(system)
    contents = Contents(model, None, outputs, tunable, accuracy, "projection", "C", "auto", 1.0, every_output=True)
    code, places = contents.code_of({"outputs"}), contents.system.layout.places
    parameters = [v for v in contents.variables if v.role == "parameter"]
    inputs = contents.system.part_names("d")
    counts = {"nx": code.step.n, "nu": len(inputs), "np": len(parameters), "ny": code.more["outputs"].n_out}
    guard, title = name.upper(), model.title.replace("*/", "")
    header = HEADER.format(title=title, version=lw.__version__, guard=guard, name=name, **counts,
                           contents=_contents(contents, inputs, [v.name for v in parameters], outputs))
    numbers = {"n_in": code.step.n_in, "width": code.step.width, "n_work": code.step.n_work, "d": places["d"].start,
               "lane": code.places["N_LANE"], "at": code.places["AT_IN"]}
    path.write_text("\n".join([
        f"/* {title}: see {name}.h */", f'#include "{name}.h"', "", code.c(CALLED),
        constant_array("double", "start_value", code.start),
        constant_array("int", "parameter_slot", [v.place for v in parameters]),
        SOURCE.format(name=name, **counts, **numbers)]), encoding="utf-8")
    path.with_suffix(".h").write_text(header, encoding="utf-8")
    return []


def _refuse(system: lw.System) -> None:
    """Events that have to be located have no place in a fixed step; nor has what runs in Python."""
    events = system.mechanism.events
    found = [*((row.name, row.said) for row in events.rows),
             *((when.name or str(when.condition), "a reset") for when in events.whens),
             *((relation.name, "a comparison") for relation in events.relations)]
    for name, kind in found[:1]:
        raise ModelError(f"{name}: {kind} needs events, which steps of fixed length do not have; leave it out, "
                         "replace it (lw.smooth_where, a spring), or export a run with adaptive=True.", name)


def _contents(contents: Contents, inputs: Sequence[str], parameters: Sequence[str], outputs: Sequence[str]) -> str:
    """What every entry of x, u, p and y is."""
    system = contents.system
    states = [entry for part in "quz" for entry in system.part_names(part)]
    lines = [f" *   {letter}[{k}]  {entry}" for letter, entries in (("x", states), ("u", inputs), ("p", parameters))
             for k, entry in enumerate(entries)]
    at = 0
    for entry in outputs:
        size = system.expression(entry).numel()
        lines.append(f" *   y[{at}{f'..{at + size - 1}' if size > 1 else ''}]  {entry}")
        at += size
    return "\n".join(lines)
