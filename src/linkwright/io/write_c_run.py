"""Models with events as C: a whole run, which locates comparisons and actions in steps with error control.

    lw.export(m, "ball.c", outputs=["body.r_0"])

What an FMU is made of, in one source with one header: `ball_begin` takes a run from a pool and puts it at its start,
`ball_advance` goes on to a time, `ball_outputs` gives the variables asked for.  Loops stay closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import linkwright as lw

from .c_code import constant_array
from .fmu import model_text
from .fmu.binaries import C_TEXT, RUN
from .fmu.contents import Contents, Variable
from .tolerances import RUNS

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
#define {guard}_RUNS {runs}  /* runs at a time */

typedef struct {name}_run {name}_run;

/* a new run at its start; 0 where there is no room for another one */
{name}_run *{name}_begin(void);

/* back to its start, and the end of a run */
void {name}_restart({name}_run *run);
void {name}_free({name}_run *run);

/* error of a step that is accepted (default {accuracy:g}); its method: {steps} */
void {name}_accuracy({name}_run *run, double accuracy);

/* inputs and parameters, which hold from now on; states where the run is to go on from others */
void {name}_set_inputs({name}_run *run, const double *u);
void {name}_set_parameters({name}_run *run, const double *p);
void {name}_set_states({name}_run *run, const double *x);

/* go on to the time t; 0, or what went wrong */
int {name}_advance({name}_run *run, double t);

/* what that number means */
const char *{name}_reason(int status);

/* the time that was reached, earlier than asked for where the model has ended the run (then 1) */
double {name}_time(const {name}_run *run);
int {name}_ended({name}_run *run);

/* states, and the variables that were asked for */
void {name}_states({name}_run *run, double *x);
void {name}_outputs({name}_run *run, double *y);

#endif
"""

SOURCE = """
{name}_run *{name}_begin(void) {{
    Memory *m = new_memory();
    if (m) {name}_restart(({name}_run *)m);
    return ({name}_run *)m;
}}

void {name}_restart({name}_run *run) {{
    reset((Memory *)run);
    ((Memory *)run)->now.phase = 1;
}}

void {name}_free({name}_run *run) {{ ((Memory *)run)->used = 0; }}

void {name}_accuracy({name}_run *run, double accuracy) {{ lane_accuracy(((Memory *)run)->now.lane, accuracy); }}

static void set_all(Memory *m, const int *slots, int n, const double *values) {{
    for (int k = 0; k < n; k++) set_slot(m, slots[k], values[k]);
}}

void {name}_set_inputs({name}_run *run, const double *u) {{ set_all((Memory *)run, input_slot, {nu}, u); }}
void {name}_set_parameters({name}_run *run, const double *p) {{ set_all((Memory *)run, parameter_slot, {np}, p); }}
void {name}_set_states({name}_run *run, const double *x) {{ set_all((Memory *)run, state_slot, {nx}, x); }}

/* at the start, conditions that are true have not become so */
static int started(Memory *m) {{
    if (m->now.phase != 1) return GOOD;
    m->now.phase = 2;
    return start(m);
}}

int {name}_advance({name}_run *run, double t) {{
    int status = started((Memory *)run);
    return status == GOOD ? advance((Memory *)run, t) : status;
}}

const char *{name}_reason(int status) {{ return reason(status); }}

double {name}_time(const {name}_run *run) {{ return ((const Memory *)run)->now.lane[AT_TIME]; }}
int {name}_ended({name}_run *run) {{ return lane_ended(((Memory *)run)->now.lane) != 0; }}

void {name}_states({name}_run *run, double *x) {{
    for (int k = 0; k < {nx}; k++) x[k] = ((Memory *)run)->now.lane[AT_IN + state_slot[k]];
}}

void {name}_outputs({name}_run *run, double *y) {{
    Memory *m = (Memory *)run;
    started(m);
    model_outputs(m->now.lane + AT_IN, m->outputs, m->now.lane + AT_WORK);
    (void)y;
{outputs}}}
"""
#: functions of the run that are called here
CALLED = ("lane_prepare", "lane_accuracy", "lane_start", "lane_advance", "lane_ended", "model_outputs")


def write_c_run(model: lw.Model, path: Path, name: str, outputs: Sequence[str], tunable: Sequence[str],
                accuracy: float, method: str = "auto", fixed_step: float | None = None) -> list[str]:
    """Write `path` (.c) and the header beside it."""
    contents = Contents(model, None, outputs, tunable, accuracy, what="C", method=method, fixed_step=fixed_step)
    shown = {variable.name: variable for variable in contents.variables}
    y = [(own, variable) for output in outputs for own, variable in shown.items()
         if _called(output, shown) in (own, re.sub(r"\[\d+\]$", "", own))]
    groups = {"x": _of(contents, "state"), "u": _of(contents, "input"), "p": _of(contents, "parameter")}
    listing = [f" *   {letter}[{k}]  {v.name}" for letter, found in groups.items() for k, v in enumerate(found)]
    listing += [f" *   y[{k}]  {own}" for k, (own, _) in enumerate(y)]
    counts = {f"n{letter}": len(found) for letter, found in groups.items()}
    title = model.title.replace("*/", "")
    path.with_suffix(".h").write_text(HEADER.format(
        title=title, version=lw.__version__, contents="\n".join(listing), guard=name.upper(), name=name, **counts,
        ny=len(y), runs=RUNS, accuracy=accuracy,
        steps=contents.steps_in_words), encoding="utf-8")
    read = "".join(f"    y[{k}] = m->{'outputs[' if v.role == 'output' else 'now.lane[AT_IN + '}{v.place}];\n"
                   for k, (_, v) in enumerate(y))
    body = "".join([*((C_TEXT / file).read_text(encoding="utf-8") for file in RUN),
                    SOURCE.format(name=name, **counts, outputs=read)])
    slots = [constant_array("int", f"{what}_slot", [v.place for v in groups[letter]])
             for letter, what in (("u", "input"), ("p", "parameter"))]
    code = contents.code_of({"outputs"})
    numbers = model_text.sizes(contents, code) | {"N_INSTANCES": RUNS}
    made_of = [f" *   {digest}  {file}" for file, digest in code.sources.items()]
    text = "\n".join([f"/* {title}: see {name}.h.  The run is made of these files of Linkwright (SHA-256):", *made_of,
                      " */", "#include <stddef.h>",
                      f'#include "{path.with_suffix(".h").name}"', "", code.c(CALLED),
                      *model_text.defined(numbers), "", *model_text.used([*model_text.tables(contents), *slots], body),
                      "", model_text.reasons(contents), body])
    path.write_text(text, encoding="utf-8")
    return []


def _called(output: str, shown: Mapping[str, Variable]) -> str:
    """What a computed output is called where its name is taken, as that of a state's derivative is."""
    own = f"output {output}"
    return own if own in shown or f"{own}[0]" in shown else output


def _of(contents: Contents, role: str) -> list:
    return [variable for variable in contents.variables if variable.role == role]
