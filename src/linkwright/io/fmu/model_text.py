"""The C text around a model: sizes, places, tables and words as a header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ...integrate import FAILURES, NEVER
from ...integrate.step_programs import ALTERNATING, CHATTERS, CONTRADICTORY, DEAD_POINT, NO_MODES, NO_VALUE, LedCode
from ..c_code import constant_array, number
from ..tolerances import INSTANCES, ROOM, SAVED
from .contents import Contents

EXPORTED = """#if defined(_WIN32) || defined(__CYGWIN__)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__) && __GNUC__ >= 4
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
"""
#: the functions of the run and the programs beside it
FUNCTIONS = """void lane_prepare(void *lane, int64_t size);
void lane_accuracy(void *lane, double accuracy);
void lane_until(void *lane, double end);
int64_t lane_start(void *lane, int64_t given);
int64_t lane_advance(void *lane, double to, int64_t given);
int64_t lane_ended(void *lane);
int64_t lane_settle(void *lane);
int64_t lane_slopes(void *lane);
void lane_indicators(void *lane);
int64_t lane_missed(void *lane);
int64_t lane_drifted(void *lane);
int64_t lane_instant(void *lane);
int64_t lane_moved(void *lane);
int64_t lane_completed(void *lane);
void model_outputs(void *in, void *out, void *work);
void model_tangent(void *in, void *out, void *work);
"""
#: what a run may fail by, beside what steps do
WORDS = {
    ALTERNATING: "conditions at an instant do not agree with each other",
    CHATTERS: "events follow one another without time passing between them",
    NO_VALUE: "a new value is not finite",
    CONTRADICTORY: "two actions set one variable to different values",
    NO_MODES: "it cannot be decided which of friction and stops hold",
    DEAD_POINT: "a loop comes close to a dead point, where its closed form ends; export with formulation='projection'",
}


def header(contents: Contents, code: LedCode, name: str, token: str) -> str:
    """model.h"""
    lines = [f"/* {contents.model.title.replace('*/', '')}: sizes, tables and words. */", EXPORTED,
             f'#define MODEL_NAME "{name}"', f'#define TOKEN "{token}"', *defined(sizes(contents, code))]
    return "\n".join([*lines, "", FUNCTIONS, *tables(contents), reasons(contents), ""])


def defined(numbers: dict[str, object]) -> list[str]:
    return [f"#define {what} {value}" for what, value in numbers.items()]


def sizes(contents: Contents, code: LedCode) -> dict[str, object]:
    """Names and values of the constants in the C text."""
    n_y, n_witnesses = code.more["outputs"].n_out, len(contents.witnesses)
    n_in, n_x, slots = code.step.n_in, code.step.n, code.step.memory.slots
    return {
        **code.places, "N_IN": n_in, "N_X": n_x, "N_Y": n_y, "N_STATES": len(contents.state_places),
        "N_VARIABLES": len(contents.variables), "FIRST_DERIVATIVE": 1 + len(contents.state_places),
        "FIRST_INDICATOR": len(contents.variables) - n_witnesses, "N_WITNESSES": n_witnesses,
        "N_DECISIVE": len(contents.decisive), "NEVER": number(NEVER),
        "N_INSTANCES": int(np.clip(ROOM // (8 * (slots + 2 * n_in + n_x + 2 * n_y + 10)), 1, INSTANCES)),
        "N_SAVED": int(np.clip(ROOM // (8 * (slots + 2)), 4, SAVED)),
    }


def tables(contents: Contents) -> list[str]:
    """Constant tables of the C text."""
    variables = contents.variables
    wholes: dict[str, Iterable[int]] = {
        "state_slot": [1 + k for k in contents.state_places],
        "variable_kind": [v.kind for v in variables], "variable_place": [v.place for v in variables],
        "decisive_slot": list(contents.decisive)}
    values = [float(contents.input_vector[slot]) for slot in contents.decisive]
    return [*(constant_array("int", name, numbers) for name, numbers in wholes.items()),
            constant_array("double", "decisive_value", values)]


def reasons(contents: Contents) -> str:
    """`reason(status)`: what has gone wrong, in words."""
    said = {status: text for status, (_, text) in FAILURES.items()} | WORDS
    said |= {100 + k: f"{name} decides where the model starts, and {contents.what} cannot search for that: "
                      f"leave it as it is, or export the model with another one"
             for k, name in enumerate(contents.decisive.values())}
    texts = {status: text.replace("\\", "\\\\").replace('"', '\\"') for status, text in said.items()}
    lines = [f'    if (status == {status}) return "{text}";' for status, text in texts.items()]
    return "\n".join(["static const char *reason(int status) {", *lines, '    return "something went wrong";', "}", ""])


def used(texts: Sequence[str], body: str) -> list[str]:
    """Tables that a text reads."""
    names = [re.match(r"static const \w+ (\w+)\[", text) for text in texts]
    return [text for text, name in zip(texts, names, strict=True)
            if name is not None and re.search(rf"\b{name.group(1)}\b", body)]
