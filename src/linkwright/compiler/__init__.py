"""From a model to a system: translate, trace, generate; what changed since the last time; inputs over time.

`system_of` is the single place where a study's argument (a System, a Mechanism, a Model) becomes a System.
"""

from ..language import Model
from . import pickling  # noqa: F401 - systems can be pickled
from .arguments import by_name, names, number, numbers, refuse_keywords, weights_given
from .compiled import afresh, parameter_names, recompiled, translation_of
from .given_inputs import given_inputs
from .identities import UNTOLD, identity
from .inputs import is_series, with_inputs
from .model_numbers import (
    changed,
    check_tuned,
    checked_by_ranges,
    fingerprint,
    input_names,
    is_input,
    is_parameter,
    owner_of,
    refusals,
    with_outputs,
)
from .numbers_by_name import model_of, number_at, numbers_at, refuse_open_entries, variable_at, with_numbers
from .own_controllers import own_functions, with_own_controllers
from .system_of import beginning, system_of

__all__ = [
    "UNTOLD", "Model", "afresh", "beginning", "by_name", "changed", "check_tuned", "checked_by_ranges", "fingerprint",
    "given_inputs", "identity", "input_names", "is_input", "is_parameter", "is_series", "model_of", "names", "number",
    "number_at", "numbers", "numbers_at", "own_functions", "owner_of", "parameter_names", "recompiled", "refusals",
    "refuse_keywords", "refuse_open_entries", "system_of", "translation_of", "variable_at",
    "weights_given", "with_inputs", "with_numbers", "with_outputs", "with_own_controllers",
]
