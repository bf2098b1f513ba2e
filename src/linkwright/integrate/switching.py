"""Which method a stepper uses and the memory that goes with it: from the start, and where stiffness comes or goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ..errors import ModelError
from .collocation import MU_PAIR
from .implicit import Implicit, Linearised, empty, with_pivots
from .methods import METHODS, Method
from .record import RADAU

PATIENCE = 15  # stiff steps before the method changes; twice as many after every change back
MOST_PATIENCE = 240
FIRST_LOOK = 25  # implicit steps before it is asked whether the explicit method would do


class Switching:
    """The methods of one stepper: the one it began with, and radau where that is stiff (`stiffness` tells)."""

    def __init__(self, stepper, method: Method, automatic: bool, linearised: Callable[[], Linearised] | None):
        if method.kind == RADAU and linearised is None:
            raise ModelError("radau needs the linearised equations; give the stepper `linearised`.")
        self.stepper, self.first = stepper, method
        self._make_linearised, self._linearised = linearised, None
        self.implicit: Implicit | None = None
        self.history: list[tuple[float, str]] = []  # (from when on, name)
        r = stepper._r
        r.watch_stiffness = automatic and method.boundary > 0 and linearised is not None
        r.boundary, r.patience = method.boundary, PATIENCE
        self.use(method)

    def use(self, method: Method) -> None:
        """Take this method from here on."""
        if method.kind == RADAU and self._linearised is None:
            self._linearise()
        r = self.stepper._r
        r.put(**settings(method), jacobian_known=0, h_before=0.0, error_before=1e-4, suspicions=0, doubts=0)
        # looks at stiffness begin anew
        next_look = r.steps + FIRST_LOOK if method.kind == RADAU else 0
        r.put(next_look=next_look, tried=r.steps + r.rejected, looked=self.stepper.t)
        # implicit steps are taken on all coordinates, whichever are states
        r.watch_strain = self.stepper.on_strain is not None and method.kind != RADAU
        self.stepper.method = method
        self.history.append((self.stepper.t, method.name))

    def change(self) -> None:
        """From the first method to radau or back."""
        r = self.stepper._r
        if self.stepper.method.kind == RADAU:
            r.patience = min(2 * r.patience, MOST_PATIENCE)
            self.use(self.first)
        else:
            self.use(METHODS["radau"])

    def choose_pivots(self) -> bool:
        """Pivots for the step that is tried now; False where the matrix has none."""
        r = self.stepper._r
        found = with_pivots(self.implicit, self._linearised, self.stepper.n, MU_PAIR / r.pivoted_h)
        if found is None:
            return False
        self.implicit = found
        r.pivoted, r.factored_h = 1, 0.0
        r.p_entries = found.entries.ctypes.data
        return True

    def _linearise(self) -> None:
        """Have the linearised equations made, and room for them."""
        stepper, r = self.stepper, self.stepper._r
        made = self._make_linearised()
        self.implicit = empty(made, stepper.n)
        r.linearised, r.p_entries = made.address, self.implicit.entries.ctypes.data
        if made.n_work > len(stepper._work):
            stepper._work = np.zeros(made.n_work)
            r.p_work = stepper._work.ctypes.data
        stepper._points = (*stepper._points[:3], np.zeros((len(stepper._points[0]), 3 * stepper.n)))
        self._linearised = made


@cache
def settings(method: Method) -> dict[str, float]:
    """What the record says of a method."""
    tableau = method.tableau
    return {"kind": method.kind, "stages": tableau.stages, "n_dense": tableau.n_dense, "n_extra": tableau.n_extra,
            "error_rows": int(np.any(tableau.e, axis=1).sum()), "error_order": tableau.error_order,
            "error_uses_last": bool(tableau.e[0, tableau.stages]), **_gaps(tableau)}


def _gaps(tableau) -> dict[str, float]:
    """Between which two stages of a step most of its time lies, and when the second one is."""
    times = np.unique([0.0, *tableau.c[: tableau.stages], 1.0])
    k = int(np.argmax(np.diff(times)))
    return {"gap_low": float(times[k]), "gap_high": float(times[k + 1]), "gap_second": float(times[1])}
