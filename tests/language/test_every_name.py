"""Every name that a result lists can be asked for, and is finite."""

from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import find_model

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
#: more than 500 names, or long code; their runs are tested with the examples
SLOW = {"car_drive_line", "engine_v6", "gear_pair", "quadruped", "robot_r3", "strandbeest", "trolley"}


@pytest.mark.parametrize("path", [pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [])
                                  for path in EXAMPLES], ids=lambda path: path.stem)
def test_every_listed_name_has_a_finite_value(path):
    r = lw.simulate(find_model(path), 0.01)
    table = r.to_pandas()
    assert np.all(np.isfinite(table.to_numpy(dtype=float)))
    heads = {column.rpartition("[")[0] for column in map(str, table.columns) if column.endswith("]")}
    assert set(r.names) <= heads | set(map(str, table.columns))
