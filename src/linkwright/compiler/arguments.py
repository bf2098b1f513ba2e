"""Arguments of studies that are not of the kind they should be are refused by name, before anything runs."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import ModelError, brief


def number(name: str, value: Any) -> float:
    """A number, whatever Python or NumPy calls it; Formulas and arrays of one entry too."""
    try:
        if not isinstance(value, str) and np.ndim(value) == 0:
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ModelError(f"{name} = {brief(value)} is not a number.")


def numbers(**given: object) -> list[float | None]:
    """Numbers by name; None stays what it is."""
    return [None if value is None else number(name, value) for name, value in given.items()]


def by_name(name: str, value: object, example: str) -> dict:
    """A dict from names to values; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ModelError(f"{name} = {brief(value)} is not a dict of names and values, such as {example}.")
    return dict(value)


def weights_given(value: object) -> dict[str, float]:
    """Weights of states by name, as numbers."""
    given = by_name("weights", value, "weights={'rev.phi': 10}")
    return {name: number(f"the weight of {name}", weight) for name, weight in given.items()}


def names(name: str, value: object) -> tuple[str, ...]:
    """Names; one alone may come without a list."""
    if isinstance(value, str):
        return (value,)
    if value is None:
        return ()
    entries = tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(entry, str) for entry in entries):
        raise ModelError(f"{name} = {brief(value)} is not a list of names, such as {name}=['body.m'].")
    return entries


#: keywords of other programs' studies → what to write here
OTHER_KEYWORDS = {
    **dict.fromkeys(("t_end", "tf", "tend", "t_stop", "stop_time", "end", "duration", "t_final", "time"), "stop"),
    **dict.fromkeys(("t_start", "t0", "start_time"), "start"),
    **dict.fromkeys(("rtol", "atol", "tol", "tolerance"), "accuracy"),
    **dict.fromkeys(("dt", "timestep", "time_step", "step_size"),
                    "fixed_step= for a constant step of the integrator, output_step= for that of results"),
    **dict.fromkeys(("solver", "integrator"), "method"),
    **dict.fromkeys(("x0", "y0", "initial_state", "state0"), "state"),
    **dict.fromkeys(("t_eval", "n_steps", "intervals"), "output_step"),
    **dict.fromkeys(("u", "controls"), "inputs"),
}


def refuse_keywords(study: str, unknown: Mapping[str, object], function: Callable[..., object]) -> None:
    """Refuse keywords that a study does not take, with what they are called here."""
    if not unknown:
        return
    known = [name for name, parameter in inspect.signature(function).parameters.items()
             if parameter.kind is not parameter.VAR_KEYWORD]
    for name in unknown:
        if name in OTHER_KEYWORDS:
            hint = OTHER_KEYWORDS[name]
            raise ModelError(f"{study}({name}=…): here it is {hint if '=' in hint else hint + '='}.")
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
        said = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(known)}."
        raise ModelError(f"{study}({name}=…) is not known; {said}")
