"""The sizes that shapes start from: the world's defaults, worked out from its nominal length.

Where no nominal length is given it is the size of the mechanism itself (`model_length`).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..errors import LinkwrightError
from ..language.world_sizes import ARROWS, FRACTIONS, OTHERS, size, told
from .tolerances import NO_EXTENT, NO_SIZE, TINY

if TYPE_CHECKING:
    from ..language import World
    from ..system import State, System

LONGEST_ARROW = 0.3  # of the nominal length
ROD = 1.5  # a rod is nominal_length / (ROD · default_width_fraction) wide, whatever its length


def sizes(world: World, length: float = 1.0) -> SimpleNamespace:
    """All default sizes of a world, numbers only, for a mechanism of that length."""
    nominal = float(given(told(world, "nominal_length"), length))
    out = {name: size(world, name, nominal) for name in ("nominal_length", *FRACTIONS, *OTHERS)}
    out |= {name: float(told(world, name))
            for name in ("default_width_fraction", "default_frame_diameter_fraction")}
    return SimpleNamespace(**out, **{name: told(world, name) for name in ARROWS})


def rod_width(s: SimpleNamespace, length: float) -> float:
    """The width of a rod: the same for all of a model, but of short ones, which are to be seen as rods too."""
    return min(s.nominal_length / (ROD * s.default_width_fraction), length / 2)


def load_scale(s: SimpleNamespace, kind: str) -> dict[str, object]:
    """How long a force or torque arrow is, as arguments of a Point: by the world's scale, or by the longest arrow."""
    scale = s.default_n_to_m if kind == "force" else s.default_nm_to_m
    if scale is not None:
        return {"scale": 1.0 / float(scale), "load": kind}
    return {"scale": LONGEST_ARROW * s.nominal_length, "load": kind, "relative": True}


def _pose(system: System) -> State:
    """The initial state; where there is none, default coordinates, so that a failed start can be drawn."""
    try:
        return system.state()
    except LinkwrightError:
        return system.state_from_defaults()


def model_length(system: System) -> float:
    """The size of a mechanism at its start: the longest edge of a box around its frames and centres of mass.

    The world's own frame does not count; of a single point, what its inertia says; 1 m where nothing does.
    """
    equations = system.equations
    X_WB, points, gyration = equations.kinematics.X_WB, [], []
    for path, frame in system.mechanism.frames.items():
        if frame.body >= 0:
            points.append(ca.SX((X_WB[frame.body] @ frame.X_BQ).p))
        elif not path.endswith("world.frame_b"):
            points.append(ca.SX(frame.X_BQ.p))
    for body, X in zip(system.mechanism.bodies, X_WB, strict=True):
        m = ca.fmax(ca.SX(body.inertia.m), TINY)
        points.append(ca.SX(X.p + X.R @ (ca.SX(body.inertia.first_moment) / m)))
        gyration.append(ca.SX(ca.trace(ca.SX(body.inertia.inertia)) / m))
    if not points:
        return 1.0
    numbers = system.names_table.evaluate([ca.horzcat(*points), ca.vertcat(0, *gyration)], _pose(system))
    extent = float(np.ptp(numbers[0], axis=1).max())
    single = 3.0 * float(np.sqrt(np.nanmax(np.abs(numbers[1]))))
    length = extent if extent > NO_EXTENT else single
    return length if np.isfinite(length) and NO_EXTENT < length < NO_SIZE else 1.0


def given(value: Any, default: Any) -> Any:
    """The value, or the default where none is given."""
    return default if value is None else value


def colour(value: Sequence[float] | None, default: Sequence[float] | None = None) -> tuple[int, int, int]:
    """Red, green, blue as integers from 0 to 255."""
    r, g, b = np.clip(np.asarray(given(value, default), dtype=float), 0, 255)
    return int(round(r)), int(round(g)), int(round(b))
