"""Places of atoms from lengths, angles and torsion angles, for molecules built by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import ModelError
from ..tolerances import ON_ONE_LINE


def place(length: float, near: Sequence[float], angle: float = 0.0, second: Sequence[float] | None = None,
          torsion: float = 0.0, third: Sequence[float] | None = None) -> np.ndarray:
    """The position of an atom bonded to `near`, from its bond angle to `second` and its torsion angle to `third`
    (IUPAC).

    Without `second` the bond points along x.  Without `third` the atom lies in the x-y plane or, for a bond along z,
    in the x-z plane.

        c3 = place(0.153, c2, 112 * degree, c1)                          # in a plane with c1, c2
        c4 = place(0.153, c3, 112 * degree, c2, 180 * degree, c1)        # trans
    """
    at = np.asarray(near, dtype=float)
    if second is None:
        return at + [length, 0.0, 0.0]
    z = at - np.asarray(second, dtype=float)
    size = np.linalg.norm(z)
    if not size > 0:
        raise ModelError(f"place: the atoms at {list(map(float, at))} lie on one another; there is no angle at them.")
    z = z / size
    back = (np.asarray(third, dtype=float) - np.asarray(second, dtype=float) if third is not None
            else np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0]))
    x = back - z * (z @ back)
    size = np.linalg.norm(x)
    if not size > ON_ONE_LINE * np.linalg.norm(back):
        raise ModelError("place: the three atoms lie on one line; there is no torsion angle about it.")
    x = x / size
    y = np.cross(z, x)
    turned = np.cos(torsion) * x + np.sin(torsion) * y
    return at + length * (-np.cos(angle) * z + np.sin(angle) * turned)
