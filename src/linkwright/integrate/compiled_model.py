"""A compiled model as steppers see it, and how it is to be stepped; what cannot be right is refused here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ModelError
from .implicit import Linearised
from .record import FUNCTIONS
from .tolerances import FINEST_ACCURACY


@dataclass(frozen=True)
class Model:
    """Machine-code functions `void f(const double* in, double* out, double* work)` over one vector in = (t, x, rest).

    x = (q, u, z) is the state; `rest` (discrete variables, parameters, inputs, warm starts) is constant during a step.

    functions    name → address:
      rhs            out = (ẋ, health, …): health negative or not finite means singular equations
      project        out = (x after one iteration of position then velocity projection, their error norms before it,
                     with `on_strain` the strain, a number to be watched, and with `watch_holds` any number and how well
                     every constraint holds, see singular_positions)
      project_error  in is followed by n more slots with an error of the state; out = that error, projected
      prescribe      out = x with prescribed coordinates and speeds replaced by their values at t
      events         out = witness functions, whose sign changes stop the run, then their bases (see enclosures)
      bounds         in = least, then greatest values of the bases; out = bounds of the witnesses, below, then above
      laws           out = laws that may have short features, their bases, arguments of sharp functions (short_features)
      law_bounds     from bounds of their bases to bounds of the laws, as `bounds`
      qdot           out = q̇ = N(q)u, cheaper than rhs; used by the second-order methods
      momenta        in is followed by n more slots with ẋ; out = (w, ẇ), variables in place of u that a step
                     keeps better (momenta of floating bodies), and their rates
      speeds         in has w in the place of u; out = u
      situation      out = all that decides at an instant, for runs that decide it themselves (step_programs.instants)
      update         out = new values of the inputs in the slots `updated`, given at the start and at completed steps
    sizes        (nq, nu, nz)
    n_in, n_work lengths of the input vector and of the work space
    n_slope      length of rhs's output; by default n + 1.  With n there is no health to look at
    n_out        length of the longest output of the other functions; at least n + 3 are reserved
    senses       per witness, which crossings count: +1 rising, −1 falling, 0 both; −2 falling, of a witness that is
                 taken as positive where a run starts or goes on (a guard, see root_finding)
    n_bases      number of the bases of witnesses
    pairs        number of pairs of shapes that may be left aside, and of every witness that of its pair, or −1 (see
                 far)
    n_laws       numbers of laws, of their bases, and of arguments and their units (see short_features)
    quaternions  indices in x where unit quaternions (scalar first) start
    carry        (slots of rhs's output, slots of the input vector): copied after every accepted step
    updated      slots of the input vector that the function `update` gives new values
    plain_speeds whether q̇ = u, which saves the second-order methods an evaluation
    linearised   gives the linearised model to an implicit method (see implicit); called when first needed
    differentiated  whether columns of tangents are among the states z
    """

    functions: Mapping[str, int]
    sizes: tuple[int, int, int]
    n_in: int
    n_work: int = 0
    n_slope: int | None = None
    n_out: int = 0
    senses: Sequence[float] = ()
    n_bases: int = 0
    pairs: tuple[int, Sequence[int]] = (0, ())
    n_laws: Sequence[int] = (0, 0, 0)
    quaternions: Sequence[int] = ()
    carry: tuple[Sequence[int], Sequence[int]] = ((), ())
    updated: Sequence[int] = ()
    plain_speeds: bool = False
    linearised: Callable[[], Linearised] | None = None
    differentiated: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.functions) - set(FUNCTIONS)
        if unknown or not self.functions.get("rhs"):
            raise ModelError(f"a stepper needs the function 'rhs' and knows {FUNCTIONS}; got {sorted(self.functions)}.")
        if self.n_in < 1 + self.n or self.width < self.n:
            raise ModelError(f"sizes do not fit: {self.n} states, {self.n_in} inputs (at least {1 + self.n} expected), "
                             f"rhs gives {self.width} numbers (at least {self.n} expected).")
        if self.plain_speeds and self.sizes[0] != self.sizes[1]:
            raise ModelError("q̇ = u only where q and u have the same length.")

    @property
    def n(self) -> int:
        """Length of the state."""
        return sum(self.sizes)

    @property
    def most_equations(self) -> float:
        """Memory is no limit."""
        return np.inf

    @property
    def width(self) -> int:
        """Length of rhs's output."""
        return self.n + 1 if self.n_slope is None else self.n_slope


@dataclass(frozen=True)
class Options:
    """How a model is stepped.

    accuracy     α, see error_norm
    h            fixed step; required by fixed-step methods, switches error control off in the others
    weights      1/(unit change) per state; default 1, zero leaves a state out of the error
    time_scale   characteristic time t_c: a unit change of u is one unit of q per t_c, likewise for constraint errors
    norm         "rms" or "max"
    event_tolerance  width in time to which events are located; default the resolution of time
    keep_steps   bytes that accepted points may take; above that all but the last are forgotten at the next pause, and
                 `dense` and `steps_t` reach back to `kept_from` only
    """

    accuracy: float = 1e-8
    h: float | None = None
    weights: Sequence[float] | np.ndarray | None = None
    time_scale: float | None = None
    norm: str = "rms"
    event_tolerance: float = 0.0
    keep_steps: float = np.inf

    def __post_init__(self) -> None:
        if not FINEST_ACCURACY <= self.accuracy < 1:
            raise ModelError(f"accuracy = {self.accuracy} is not between {FINEST_ACCURACY:g} and 1.")
        if self.h is not None and not 0 < self.h < np.inf:
            raise ModelError(f"step sizes must be positive; got h = {self.h}.")
        if self.norm not in ("rms", "max"):
            raise ModelError(f"norm = {self.norm!r} is neither 'rms' nor 'max'.")


def check_start(model: Model, inputs: np.ndarray) -> None:
    """The input vector to start from has its length, and its time and state are finite."""
    if inputs.shape != (model.n_in,):
        raise ModelError(f"sizes do not fit: {model.n_in} inputs expected, got shape {inputs.shape}.")
    if not np.all(np.isfinite(inputs[: 1 + model.n])):
        raise ModelError("the initial state or time is not finite.")


def check_grid(grid: np.ndarray, t: float) -> None:
    """Output times strictly increasing, from the present time on."""
    if grid.ndim != 1 or not np.all(np.diff(grid) > 0) or (len(grid) and not grid[0] >= t):
        raise ModelError("output times must be strictly increasing and not lie before the present time.")
