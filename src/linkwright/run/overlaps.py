"""What is said of bodies that overlap where a run starts: which two, how deep, and which way out."""

from __future__ import annotations

import numpy as np

from ..mechanism import Encounter
from ..system import System
from .tolerances import NO_FORCE
from .trouble import Trouble


def overlap(system: System, meet: Encounter, depth: float, normal: np.ndarray) -> Trouble:
    """`normal` points from a to b, in world axes; depth in m."""
    carried = system.equations.jacobian(system.mechanism.shapes[meet.b].frame).nnz() > 0
    moves, way = (meet.b, normal) if carried else (meet.a, -normal)
    small = NO_FORCE * np.abs(way).max()
    along = ", ".join(f"{0.0 if abs(x) <= small else x:.4g}" for x in way)
    names = "" if meet.pair == f"{meet.a}/{meet.b}" else f" ({meet.a} and {meet.b})"
    return Trouble(f"{meet.pair}: the run starts with its two shapes {depth:.3g} m inside one another{names}. Move "
                   f"{moves} with its body by that much along ({along}), or the other the opposite way, by the start "
                   "values of what carries them (r_0, the coordinate of a joint, the length of a part); or take a "
                   "compliant law, which may start pressed.")
