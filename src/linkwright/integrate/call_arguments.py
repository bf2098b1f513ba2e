"""Arguments of a stepper that cannot be right are refused before anything runs."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError

#: what may change between the steps of a run, beside the inputs
CODE = ("every_stage", "tolerance")
FUNCTIONS = ("rhs", "project", "project_error", "prescribe", "events", "bounds", "laws", "law_bounds", "qdot",
             "update")


def check_sizes(functions, n_in, sizes, x0, t0, rest, n_out_rhs):
    """Functions known, lengths consistent, start finite."""
    n = sum(sizes)
    unknown = set(functions) - set(FUNCTIONS)
    if unknown or not functions.get("rhs"):
        raise ModelError(f"a stepper needs the function 'rhs' and knows {FUNCTIONS}; got {sorted(functions)}.")
    if np.shape(x0) != (n,) or len(rest) != n_in - 1 - n or n_out_rhs < n:
        raise ModelError(
            f"sizes do not fit: {n} states, {n_in} inputs; x0 has shape {np.shape(x0)}, rest {len(rest)} entries "
            f"({n_in - 1 - n} expected), rhs gives {n_out_rhs} numbers (at least {n} expected)."
        )
    if not (np.all(np.isfinite(x0)) and np.isfinite(t0)):
        raise ModelError("the initial state or time is not finite.")


def check_choices(method, sizes, accuracy, h, h_max, norm, map_qdot):
    """Accuracy, step sizes, norm and kinematic map make sense for the method."""
    if not 1e-15 <= accuracy < 1:
        raise ModelError(f"accuracy = {accuracy} is not between 1e-15 and 1.")
    if h is None and not method.adaptive:
        raise ModelError(f"{method.name} has no error control; give the step size h.")
    if (h is not None and not 0 < h < np.inf) or (h_max is not None and not h_max > 0):
        raise ModelError(f"step sizes must be positive; got h = {h}, h_max = {h_max}.")
    if norm not in ("rms", "max"):
        raise ModelError(f"norm = {norm!r} is neither 'rms' nor 'max'.")
    if map_qdot not in (None, "identity") or (map_qdot and sizes[0] != sizes[1]):
        raise ModelError(f"map_qdot = {map_qdot!r}: None, or 'identity' where q and u have the same length.")


def check_grid(grid, t):
    """Output times strictly increasing, from the present time on."""
    if grid.ndim != 1 or not np.all(np.diff(grid) > 0) or (len(grid) and not grid[0] >= t):
        raise ModelError("output times must be strictly increasing and not lie before the present time.")
