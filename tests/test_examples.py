"""Every example runs as a user would run it, in a folder of its own; forces and power balance in what it simulates,
every name that its result lists can be asked for and is finite, and what it shows does not flicker."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from flush import flush
from linkwright.cli import find_model

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
#: names of results beyond which the balance takes long; `pytest --balance` looks at all
MANY = 1000
#: names of results beyond which a table of all of them takes long
LARGE_TABLE = 500
#: searched contact of many shapes; what they show is tested in parts
SLOW = {"gear_pair", "trolley"}


@pytest.mark.parametrize("path", [pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [])
                                  for path in EXAMPLES], ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    simulate, results = lw.simulate, []

    def kept(*given, **options):
        results.append(simulate(*given, **options))
        return results[-1]

    monkeypatch.setattr(lw, "simulate", kept)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip(), "an example says what it found"
    for result in results:
        if len(result.names) < MANY:
            assert imbalances(result) == {}
    for result in results[:1]:
        assert flush(result) == []
    result = results[0] if results else simulate(find_model(path), 0.01)
    if len(result.names) < LARGE_TABLE:
        table = result.to_pandas()
        assert np.all(np.isfinite(table.to_numpy(dtype=float)))
        heads = {column.rpartition("[")[0] for column in map(str, table.columns) if column.endswith("]")}
        assert set(result.names) <= heads | set(map(str, table.columns))
