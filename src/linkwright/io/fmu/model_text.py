"""The C text of a model in an FMU: sizes and tables as a header, programs as functions of the input vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...codegen import Program
from ...integrate import tolerances
from ...studies import FINEST
from ...system.event_programs import when_stage
from ..c_calls import called_text
from ..c_code import LINEAR, constant_array, needs_linear, number, program_text
from ..tolerances import INSTANCES, ROOM, SAMPLES, SAVED
from .contents import Contents
from .programs import ROLES

#: thresholds of the C text, by their names in the list of the steppers themselves
THRESHOLDS = (
    "SAFETY", "SHRINK", "GROW", "GROW_FIRST", "BETA", "LEAST_ERROR", "REMEMBERED", "ASTRONOMIC", "BENT",
    "SAYS_NOTHING", "NO_SLOPE", "FIRST_SHARE", "FIRST_STEP", "FIRST_SHORTER", "FIRST_LONGER", "STRETCH",
    "SHORTEST_STEP", "SHORTEST_SHARE", "MAX_PROJECTIONS", "MISFIT", "REPAIRED", "ASTRAY", "CONSTRAINT_ROUNDING",
    "TIME_RESOLUTION", "MAX_NARROWING", "NOT_LEFT", "ROUNDS", "TURN", "CHATTERING", "CHATTERING_TIME", "FITS",
    "NEVER", "TINY")
KINDS = {"lt": 0, "le": 0, "sign": 1, "floor": 2}

EXPORTED = """#if defined(_WIN32) || defined(__CYGWIN__)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__) && __GNUC__ >= 4
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
"""


def header(contents: Contents, name: str, token: str, n_work: int) -> str:
    """model.h"""
    lines = [f"/* {contents.model.title.replace('*/', '')}: sizes, tables and start values. */", EXPORTED,
             f'#define MODEL_NAME "{name}"', f'#define TOKEN "{token}"', constants()]
    lines += [f"#define {what} {value}" for what, value in sizes(contents, n_work, contents.programs).items()]
    lines += ["", *(f"void model_{role}(const double *in, double *out, double *work);" for role in ROLES), ""]
    return "\n".join([*lines, *tables(contents), reasons(contents), ""])


def constants() -> str:
    """The thresholds of steps and events, as simulations have them."""
    numbers = {name: getattr(tolerances, name) for name in THRESHOLDS}
    numbers |= {"HUGE_NUMBER": tolerances.HUGE, "FINEST": FINEST, "SAMPLES": SAMPLES}
    return "\n".join(f"#define {name} {value if isinstance(value, int) else number(value)}"
                     for name, value in numbers.items())


def sizes(contents: Contents, n_work: int, programs: Mapping[str, Program]) -> dict[str, object]:
    """Names and values of the constants in the C text."""
    system, state, m = contents.system, contents.state, contents.system.mechanism
    layout, tableau = system.layout, contents.method.tableau
    n_x = m.nq + m.nu + len(state.z)
    width = {role: sum(size for _, size in program.outputs) for role, program in programs.items()}
    n_events, n_seen = len(contents.witnesses), width.get("situation", 0)
    n_targets = sum(map(len, contents.targets))
    assert tableau is not None, "the methods that are chosen by accuracy are explicit"
    rows = tableau.stages + 1 + tableau.n_extra
    doubles = 2 * layout.n_in + (2 + rows) * width["rhs"] + 20 * n_x + n_work + n_seen + max(width.values())
    n_kept = 8 * (2 * layout.n_in + width["rhs"] + n_events + 20)
    return {
        "N_Q": m.nq, "N_U": m.nu, "N_X": n_x, "N_IN": layout.n_in, "N_ALL": 2 * layout.n_in,
        "N_SLOPE": width["rhs"], "N_GUESSES": len(state.y), "N_OUT": max(width.values()), "N_WORK": n_work,
        "N_SEEN": n_seen, "N_Y": width.get("outputs", 0), "N_STATES": len(contents.state_places),
        "N_VARIABLES": len(contents.variables), "FIRST_DERIVATIVE": 1 + len(contents.state_places),
        "FIRST_INDICATOR": len(contents.variables) - n_events,
        "HAS_HEALTH": int(any(name == "health" for name, _ in programs["rhs"].outputs)),
        "HAS_PROJECT": int("project" in programs), "HAS_PRESCRIBE": int("prescribe" in programs),
        "HAS_UPDATE": int("update" in programs), "CLOSED": int(contents.closed),
        "N_QUATERNIONS": len(system.quaternions), "N_UPDATES": len(m.events.updates),
        "N_EVENTS": int(bool(m.events)), "N_WITNESSES": n_events, "N_RELATIONS": len(m.events.relations),
        "N_WHENS": len(m.events.whens), "N_TARGETS": n_targets,
        "N_DECISIVE": len(contents.decisive), **_places(programs.get("situation")),
        "STAGES": tableau.stages, "ROWS": rows, "WIDTH": rows, "ERROR_ROWS": tableau.error_rows,
        "ERROR_ORDER": number(tableau.error_order), "DENSE_ROWS": 4 + tableau.n_dense,
        "ACCURACY": number(contents.accuracy), "TOUCHES": int(bool(m.events.contacts or m.events.pressed)),
        "N_INSTANCES": int(np.clip(ROOM // (8 * doubles), 1, INSTANCES)),
        "N_SAVED": int(np.clip(ROOM // n_kept, 4, SAVED)),
    }


def _places(situation: Program | None) -> dict[str, int]:
    """Where the parts of the situation begin; −1 where there is none."""
    found, at = {}, 0
    for name, size in situation.outputs if situation is not None else ():
        found[name] = at
        at += size
    return {f"AT_{name.upper()}": found.get(name, -1 if name == "instant" else 0)
            for name in ("witnesses", "values", "fresh", "instant", "conditions", "news")}


def tables(contents: Contents) -> list[str]:
    """Constant tables of the C text."""
    system, m, tableau = contents.system, contents.system.mechanism, contents.method.tableau
    events, layout, e = m.events, system.layout, system.equations
    d_names, d_first = system.part_names("d"), layout.places["d"].start
    weights = np.concatenate([np.ones(m.nq + m.nu), *(np.full(z.symbol.numel(), z.weight) for z in m.states)])
    firsts = np.concatenate([[0], np.cumsum([len(own) for own in contents.targets])])
    updated = [d_first + d_names.index(update.symbol.name()) for update in events.updates]
    variables, witnesses = contents.variables, contents.witnesses
    slots = [slot for own in contents.targets for slot, _ in own]
    assert tableau is not None
    rows = tableau.stages + 1 + tableau.n_extra
    reals: dict[str, Iterable[float]] = {
        "start_value": contents.input_vector, "state_weight": weights,
        "method_a": tableau.a[:rows, :rows].ravel(), "method_c": tableau.c[:rows],
        "method_e": tableau.e[:2, :rows].ravel(), "method_d": tableau.d[:4, :rows].ravel(),
        "target_slope": [slope for own in contents.targets for _, slope in own]}
    wholes: dict[str, Iterable[int]] = {
        "quaternion_place": system.quaternions, "state_slot": [1 + k for k in contents.state_places],
        "variable_kind": [v.kind for v in variables], "variable_place": [v.place for v in variables],
        "update_slot": updated, "target_slot": slots, "when_first": firsts,
        "when_stage": [when_stage(e, when) for when in events.whens],
        "when_ends": [int(when.message is not None) for when in events.whens],
        "relation_slot": [d_first + d_names.index(r.name) for r in events.relations],
        "relation_kind": [KINDS[r.kind] for r in events.relations],
        "watch_when": [int(w.what == "when") for w in witnesses], "watch_number": [w.number for w in witnesses],
        "watch_stage": [w.stage for w in witnesses], "decisive_slot": list(contents.decisive)}
    return [*(constant_array("double", name, values) for name, values in reals.items()),
            *(constant_array("int", name, values) for name, values in wholes.items())]


def reasons(contents: Contents) -> str:
    """What is said where a number was changed that decides the start."""
    said = [f"{name} decides where the model starts, and {contents.what} cannot search for that: "
            f"leave it as it is, or export the model with another one" for name in contents.decisive.values()]
    texts = [text.replace("\\", "\\\\").replace('"', '\\"') for text in said]
    lines = [f'    if (k == {k}) return "{text}";' for k, text in enumerate(texts)]
    return "\n".join(["static const char *decisive_reason(int k) {", *lines, "    (void)k;", '    return "";', "}", ""])


def source(programs: Mapping[str, Program], roles: Sequence[str] = ROLES, how: str = "") -> str:
    """model.c: every program as a function; a role that the model does not need does nothing."""
    parts = ["/* The equations of the model, as straight-line code. */", "#include <math.h>", "",
             *(f"{how}void model_{role}(const double *in, double *out, double *work);" for role in roles), ""]
    if any(map(needs_linear, programs.values())):
        parts.append(LINEAR.format(name="lw"))
    parts.append(called_text(programs.values()))
    for role in roles:
        head = f"{how}void model_{role}(const double *in, double *out, double *work) {{"
        if role not in programs:
            parts.append("\n".join([head, "    (void)in; (void)out; (void)work;", "}", ""]))
            continue
        program = replace(programs[role], name=role)
        parts += [program_text(program, "lw"), head, "    (void)work;",
                  f"    const double *a[] = {{{_starts('in', program.inputs)}}};",
                  f"    double *b[] = {{{_starts('out', program.outputs)}}};",
                  f"    lw_{role}(a, b);", "}", ""]
    return "\n".join(parts)


def _starts(base: str, vectors: Sequence[tuple[str, int]]) -> str:
    ends = np.cumsum([0, *(size for _, size in vectors)])
    return ", ".join(f"{base} + {int(end)}" for end in ends[:-1]) or base
