"""The methods by name, and the contract behind which they stand.

A method is one file with two things in it.

A piece (see `jit`) is compiled code that answers, over the record `STEP` and a record of its own,

    START    the motion starts here: forget everything about steps before
    STEP_ON  one trial step of the given `length` from t0, V[X0] with slope K[0] to t1: leaves the new state, on the
             manifold, in the input vector and its slope in K[stages]; OK, or what went wrong.  Where the error is too
             large that is INACCURATE, with a shorter `h` proposed; HELP_NEEDED, of a lane, asks the
             ordinary run to take over
    DENSE    the interpolant between V[X0] and V[X1] (see `dense`); asked only where it is needed
    ACCEPT   the step is accepted: `factor` on the step size for the next one
    CHANGED  laws may have changed at the end of the step
    LOOK     1 where another method would do better, else 0 (see `stiffness`)
    RESUME   what is scratch between steps (`Own.scratch`) has been lost; explicit methods are not asked
    AGAIN    the stages of a stored step anew, before DENSE; not asked where `keeps` is set

`Own(model)` is the memory that goes with it for one stepper, or what is known of it where code is made for one model.
The table below names both; nothing else knows a method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from ..errors import ModelError, UnknownNameError
from .implicit import Linearised
from .record import Fields
from .tableaux import DOP853, DOPRI5, RK4, Tableau
from .tolerances import AUTO_LIMIT


@dataclass(frozen=True)
class Facts:
    """What the loop has to know of a method.

    K[stages] is the slope at the end of a step; the interpolant has n_dense rows beyond the cubic; the error estimate
    is O(h^error_order).  `keeps`: interpolants are stored with their steps.  `follows_holds`: steps are laid across
    singular positions, whose stages lie at `times` (see `singular_positions`); implicit steps need not.
    """

    stages: int
    n_dense: int = 0
    error_order: int = 0
    keeps: bool = False
    follows_holds: bool = True
    times: tuple[float, ...] = ()


class Stepped(Protocol):
    """What a method asks of a model: how many states there are, the linearised equations (see `implicit`), up to how
    many of these there is room for a whole matrix, and whether columns of tangents are among the states."""

    @property
    def n(self) -> int: ...

    @property
    def linearised(self) -> Callable[[], Linearised] | None: ...

    @property
    def most_equations(self) -> float: ...

    @property
    def differentiated(self) -> bool: ...


class Own(Protocol):
    """A method's own memory for one stepper.

    Where a record is made for one model (`step_programs.lane_record`), what is `known` of the fields is put in:
    numbers, tables, programs by name, shapes of arrays; those of `scratch` are not needed between steps.
    """

    facts: Facts
    fields: Fields
    scratch: tuple[str, ...]
    address: int  # of its record
    n_work: int  # work space that its calls of the model need

    @property
    def known(self) -> dict[str, Any]: ...

    def begin(self) -> None:
        """The method begins to be used: nothing is known of the steps before."""

#: what a method is made of: its piece (see `jit`), and `Own`
Parts = tuple[Callable[[int, int], int], Callable[[Stepped], Own]]
#: gives them; called when the method is first used
Loader = Callable[[], Parts]


@dataclass(frozen=True, eq=False)
class Method:
    """A row of the table.

    `boundary` is hρ a little inside the end of the stability region on the negative real axis: a method that has one
    can tell that a motion is stiff for it.  An `implicit` method solves for all coordinates at once; `uses_qdot` asks
    for the model's own q̇ = N(q)u, `uses_momenta` for variables w(q, u) to be kept instead of u.
    """

    name: str
    order: int
    adaptive: bool
    description: str
    load: Loader
    boundary: float = 0.0
    implicit: bool = False
    uses_qdot: bool = False
    uses_momenta: bool = False


def _explicit(tableau: Tableau) -> Loader:
    def load() -> Parts:
        from . import runge_kutta

        return runge_kutta.runge_kutta, partial(runge_kutta.Own, tableau)

    return load


def _second_order(verlet: bool) -> Loader:
    def load() -> Parts:
        from . import second_order

        return second_order.second_order, partial(second_order.Own, verlet)

    return load


def _radau() -> Parts:
    from . import radau

    return radau.radau, radau.Own


def _gauss() -> Parts:
    from . import gauss

    return gauss.gauss, gauss.Own


METHODS = {
    m.name: m
    for m in (
        Method("dopri5", 5, True, "Dormand–Prince 5(4), dense output of order 4", _explicit(DOPRI5), 3.25),
        Method("dop853", 8, True, "Dormand–Prince 8(5,3), dense output of order 7", _explicit(DOP853), 6.1),
        Method("radau", 5, True, "Radau IIA, implicit, for stiff systems, dense output of order 4", _radau,
               implicit=True),
        Method("rk4", 4, False, "classical Runge–Kutta, fixed step", _explicit(RK4)),
        Method("gauss4", 4, False, "Gauss with two stages, fixed step, symplectic for all forces", _gauss),
        Method("verlet", 2, False, "velocity Verlet, fixed step, reversible", _second_order(True), uses_qdot=True,
               uses_momenta=True),
        Method("semi_implicit_euler", 1, False, "symplectic Euler, fixed step", _second_order(False), uses_qdot=True),
    )
}


def memory_of(method: Method) -> str:
    """Under which name `record.PIECES` has the memory of a method: a run may have that of an explicit and of an
    implicit one."""
    return "implicit" if method.implicit else "own"


#: the method that "auto" goes on with where a motion is stiff
FOR_STIFF = "radau"


def choose(name: str, accuracy: float, h: float | None = None) -> Method:
    """The method of that name; "auto" is rk4 where a step is given, else dop853 up to accuracy 1e-6, else dopri5.

    A stepper on "auto" goes on with radau where that method turns out to be limited by stability (`method_in_use`).
    """
    if name == "auto" and h is not None:
        return METHODS["rk4"]
    if name == "auto":
        return METHODS["dop853" if accuracy <= AUTO_LIMIT else "dopri5"]
    if name not in METHODS:
        raise UnknownNameError(f"method = {name!r} does not exist; choose {', '.join(METHODS)} or auto.", name)
    if h is None and not METHODS[name].adaptive:
        raise ModelError(f"method = {name!r} takes steps of one length: give fixed_step.")
    return METHODS[name]
