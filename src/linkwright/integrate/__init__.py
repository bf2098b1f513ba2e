"""Time stepping: explicit pairs, an implicit method, fixed-step methods, accuracy, projection, events, dense output.

A compiled model enters as addresses of machine code; everything is flat vectors.  `Stepper` (in `driver`) is what
others use; `loop` takes the steps by a method of which it knows only the contract in `methods`.  Compiled code comes in
pieces (`jit`), functions of the dialect (`codegen.dialect`); they travel with the package as LLVM's text (`ready`).

A method is one file: `runge_kutta` (with `tableaux`), `second_order`, `radau` (with `collocation`, `newton`,
`implicit`, `pivoting`, `sparse_lu`, `dense_lu`).  What they share: `record` (the memory), `model_call`, `manifold`,
`error_norm`, `first_step`, `dense`, `singular_positions`, `stiffness`.  Events: `root_finding`, `enclosures`,
`short_features`.  Thresholds: `tolerances`.  `adjoint` goes over stored steps backward (`backward`).
`step_programs` has the same steps as programs, for many runs side by side.
What is about a GPU itself is the room `device`.
May import: `codegen`, `device`, `errors` and nothing else of ours.
"""

from .adjoint import Adjoint, Asked, Jump, Pulls
from .compiled_model import Model, Options
from .driver import Stepper
from .implicit import Linearised, first_pivots
from .methods import FOR_STIFF, METHODS, Method, choose
from .prepare import prepare
from .record import FAILURES
from .tolerances import CONSTRAINT_ROUNDING, NEVER

__all__ = [
    "CONSTRAINT_ROUNDING", "FAILURES", "FOR_STIFF", "METHODS", "NEVER", "Adjoint", "Asked", "Jump", "Linearised",
    "Method", "Model", "Options", "Pulls", "Stepper", "beside", "choose", "first_pivots", "gauss_seidel", "jit",
    "prepare", "record", "step_programs", "tolerances",
]
