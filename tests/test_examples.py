"""Every example runs as a user would run it, in a folder of its own; forces and power balance in what it simulates, and
what it shows does not flicker."""

import runpy
from pathlib import Path

import pytest

import linkwright as lw
from balance import imbalances
from flush import flush

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
#: names of results beyond which the balance takes long; `pytest --balance` looks at all
MANY = 1000


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
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
