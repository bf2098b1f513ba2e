"""Every name that a result lists can be asked for, and is finite."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = {
    "free_body": "m", "line_force_with_mass": "m", "pendulum": "m", "point_gravity": "m", "stick_slip": "m",
    "three_springs": "m",
    "planar_crane_crab": "crane_crab", "planar_double_pendulum": "double_pendulum",
    "planar_kinematic_loop": "kinematic_loop", "planar_piston_engine": "piston_engine",
}


@pytest.mark.parametrize("example", MODELS)
def test_every_listed_name_has_a_finite_value(example):
    found = runpy.run_path(str(EXAMPLES / f"{example}.py"), run_name="example")[MODELS[example]]
    r = lw.simulate(found if isinstance(found, lw.Model) else found(), 0.01)
    table = r.to_pandas()
    assert np.all(np.isfinite(table.to_numpy(dtype=float)))
    heads = {column.partition("[")[0] for column in map(str, table.columns)}
    assert set(r.names) <= heads | set(map(str, table.columns))
