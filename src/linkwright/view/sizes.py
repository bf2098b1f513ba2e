"""The sizes that shapes start from: the world's defaults, worked out from its nominal length."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

#: world parameter → the fraction of the nominal length it has unless given (spec: World animation defaults)
FRACTIONS = {"default_axis_length": 5, "default_joint_length": 10, "default_joint_width": 20,
             "default_force_length": 10, "default_force_width": 20, "default_body_diameter": 9,
             "default_arrow_diameter": 40, "axis_length": 2}


def sizes(world) -> SimpleNamespace:
    """All default sizes of a world, numbers only."""
    out = {name: given(getattr(world, name), world.nominal_length / fraction) for name, fraction in FRACTIONS.items()}
    out["axis_diameter"] = given(world.axis_diameter, out["axis_length"] / world.default_frame_diameter_fraction)
    out["gravity_arrow_length"] = given(world.gravity_arrow_length, out["axis_length"] / 2)
    out["gravity_arrow_diameter"] = given(world.gravity_arrow_diameter,
                                          out["gravity_arrow_length"] / world.default_width_fraction)
    out["ground_length_v"] = given(world.ground_length_v, world.ground_length_u)
    for name in ("nominal_length", "default_width_fraction", "default_frame_diameter_fraction", "default_n_to_m",
                 "default_nm_to_m", "ground_length_u"):
        out[name] = float(getattr(world, name))
    return SimpleNamespace(**out)


def given(value, default):
    """The value, or the default where none is given."""
    return default if value is None else value


def colour(value, default=None) -> tuple[int, int, int]:
    """Red, green, blue as integers from 0 to 255."""
    r, g, b = np.clip(np.asarray(given(value, default), dtype=float), 0, 255)
    return int(round(r)), int(round(g)), int(round(b))
