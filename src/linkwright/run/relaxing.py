"""Relaxation: what has no inertia takes its equilibrium anew where inputs or modes have jumped.

The balances g(q, t, d) = 0 of fast coordinates (`equations.balances`) are constraints between instants; a jump of d
opens them.  Only what has no inertia may move at once: with M singular along it, the change of least kinetic energy
that closes a balance moves nothing else (Simbody Theory Manual §10.4.2).
"""

from __future__ import annotations

import numpy as np

from ..mechanism import Balance
from ..system import System
from . import tolerances as tol
from .course import NotSmooth
from .instant import Instant, Jumps
from .trouble import Trouble


class Relaxation:
    """The fast coordinates of a run at its instants."""

    def __init__(self, instant: Instant, accuracy: float) -> None:
        self.now, self.jumps, self.accuracy = instant, Jumps(instant), accuracy
        named = {c.name for c in instant.system.mechanism.constraints if isinstance(c, Balance)}
        self.rows = np.array([r.name in named for r in instant.system.equations.rows for _ in range(r.G.shape[0])])
        self.names = ", ".join(sorted(named))

    def relax(self) -> tuple[bool, Trouble | None]:
        """Close the balances where they are open; whether anything had to move, or why that was impossible."""
        now, jumps = self.now, self.jumps
        allowed = self.accuracy * (1 + np.max(np.abs(now.q), initial=0.0))
        jumps.solve(bottom=0.0)
        gaps = np.where(self.rows, jumps.gaps, 0.0)
        rates = np.abs(jumps.rates[self.rows])
        if (np.all(np.abs(gaps) <= tol.BALANCED * allowed) and np.all(
                rates <= tol.BALANCED * self.accuracy * (1 + np.max(np.abs(now.u), initial=0.0)))):
            return False, None
        now.course.append(NotSmooth(f"{self.names}: the equilibrium jumped"))
        for _ in range(tol.CLOSING):
            step = jumps.solve(bottom=-gaps).copy()
            size = np.max(np.abs(step), initial=0.0)
            now.q += now.system.advance(now.q, step * min(1.0, tol.RELAXED_AT_ONCE / max(size, tol.RELAXED_AT_ONCE)))
            jumps.solve(bottom=0.0)
            gaps = np.where(self.rows, jumps.gaps, 0.0)
            if not np.all(np.isfinite(gaps)):
                break
            if size <= tol.CLOSED_STEP * (1 + np.max(np.abs(now.q), initial=0.0)):
                for _ in range(2):  # twice: the regularised factorisation leaves an error of 1e-10
                    now.u += jumps.solve()
                return True, None
        return True, Trouble(f"at t = {now.t:.9g} s {self.names}: no equilibrium was found near the last one. Likely: "
                             "a spring that snaps through, or forces that jump by more than the springs take up. Give "
                             "the part some mass, so that it can swing there.")


def relaxation(system: System, instant: Instant, accuracy: float) -> Relaxation | None:
    """That of a run; None where everything has inertia."""
    if any(isinstance(c, Balance) for c in system.mechanism.constraints):
        return Relaxation(instant, accuracy)
    return None
