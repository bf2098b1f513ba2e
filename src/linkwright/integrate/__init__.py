"""Time stepping: explicit pairs, an implicit method, fixed-step methods, accuracy, projection, events, dense output.

A compiled model enters as addresses of machine code; everything is flat vectors.  `loop` is compiled by Numba once per
installation; Numba is imported when the first `Stepper` runs, not before.

`driver` is what others use; `loop` takes the steps; one idea each: `tableaux`, `explicit`, `second_order`, `control`,
`error_norm`, `manifold`, `dense`, `events`, `enclosures`, `concealed`, `step`, `repeat`, `model_call`; of the implicit
method `implicit`, `radau`, `newton`, `collocation`, `pivoting`, `sparse_lu`, `stiffness`, `switching`; `record` is the
memory they share.
May import: `codegen`, `errors` and nothing else of ours.
"""

from .driver import Stepper
from .implicit import Linearised
from .methods import METHODS, Method, choose

__all__ = ["METHODS", "Linearised", "Method", "Stepper", "choose"]
