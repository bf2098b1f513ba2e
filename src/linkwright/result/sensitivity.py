"""Derivatives of variables by the parameters that a run was differentiated by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, unknown_name
from ..system.tangents import TangentEquations

if TYPE_CHECKING:
    from .result import Trajectory


def sensitivity(series: Trajectory, output: str, parameter: str) -> np.ndarray:
    """∂ output / ∂ parameter along a trajectory of a system with tangents."""
    equations = series.system.equations
    if not isinstance(equations, TangentEquations):
        raise ModelError(f"the run was not differentiated by {parameter}; simulate(…, sensitivities=[{parameter!r}]).")
    whole, place = series.whole(output)
    columns = [column.name for column in equations.columns]
    entries = [name for name in columns if name.startswith(f"{parameter}[")]
    if parameter not in columns and not entries:
        raise unknown_name(parameter, columns, "what the run was differentiated by (sensitivities=)")
    wanted = [parameter] if parameter in columns else entries
    found = series.get_many([f"∂{whole}/∂{name}" for name in wanted])
    index: tuple = (..., *place)
    values = [values[index] for values in found.values()]
    return values[0] if parameter in columns else np.stack(values, axis=-1)
