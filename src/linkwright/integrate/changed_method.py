"""A run that has both methods of "auto" in its record, and changes from one to the other: what `MethodInUse` does.

The scalar solver changes between two calls of the loop.  A run by itself, in a page, an FMU or exported C, has nobody
to do that for it.
"""

from __future__ import annotations

from ..codegen.dialect import known
from .jit import ask, stepper
from .methods import Facts
from .radau import Own, radau
from .record import START, View
from .runge_kutta import own_record, runge_kutta
from .stiffness import begin_again
from .tolerances import MOST_PATIENCE

FACTS: Facts = Own.facts
#: what the loop has to know of the method for stiff motions
STAGES, N_DENSE, ERROR_ORDER = FACTS.stages, FACTS.n_dense, FACTS.error_order


def either(address: int, task: known) -> int:
    """The piece of the method in use."""
    r = stepper(address)
    if r.explicit:
        return runge_kutta(address, task)
    return radau(address, task)


def change_method(r: View) -> None:
    """From the explicit method to the one for stiff motions, or back."""
    if r.explicit:
        r.explicit, r.holds.followed, r.holds.near = 0, 0, 0
        r.stages, r.n_dense, r.error_order = STAGES, N_DENSE, ERROR_ORDER
        r.stiffness.prepared = 1
    else:
        own = own_record(r.pieces.own)
        r.explicit, r.holds.followed = 1, 1
        r.stages, r.n_dense, r.error_order = own.stages, own.n_dense, own.error_order
        r.stiffness.patience = min(2 * r.stiffness.patience, MOST_PATIENCE)
    begin_again(r)
    ask(r.pieces.method, r, START)
