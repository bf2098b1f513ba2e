"""First guesses that unknowns find by themselves, where a state says how everything lies."""

from __future__ import annotations

import casadi as ca
import numpy as np


def seek_unknowns(system, state) -> None:
    """Set the guesses y of unknowns that know how to find theirs (places where curved bodies touch).

    Afterwards Newton's method follows them along the motion.
    """
    for unknown in system.mechanism.unknowns:
        if unknown.seek is None:
            continue
        numbers = system.names_table.value(unknown.sought, state).ravel()
        places = np.array(ca.jacobian(system.equations.y, unknown.symbol).sparsity().row())
        state.y[places] = unknown.seek(numbers)
