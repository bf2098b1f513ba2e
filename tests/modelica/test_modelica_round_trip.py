"""A model written as Modelica and read back is the same system: the same accelerations, bit by bit."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import find_model

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK = ("pendulum", "free_body", "fourbar", "cart_pole", "point_gravity", "stick_slip", "line_force_with_mass")


def plain(name):
    """A name as the writer spells it: no brackets, no words of the language."""
    return re.sub(r"[\W_]+", "_", name).strip("_")


def accelerations(system, known):
    parts = [np.array([known[plain(name)] for name in system.part_names(part)]) for part in "quz"]
    found = system.function(["t", "q", "u", "z"], ["udot"])(0.0, *parts)
    return dict(zip(map(plain, system.part_names("u")), np.ravel(found), strict=True))


@pytest.mark.parametrize("name", [
    pytest.param(path.stem, marks=[] if path.stem in QUICK else [pytest.mark.slow])
    for path in sorted(EXAMPLES.glob("*.py"))])
def test_every_example_that_is_written_is_read_back_the_same(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = find_model(EXAMPLES / f"{name}.py", None)
        except lw.LinkwrightError:
            pytest.skip("the example makes no model by itself")
        try:
            lw.export(model, tmp_path / "M.mo")
        except lw.ModelError as error:
            assert name not in QUICK
            pytest.skip(f"not written as Modelica: {error}")
        one, other = lw.compile(model), lw.compile(lw.read(tmp_path / "M.mo"))
    s = one.state()
    known = {plain(label): value for part in "quz"
             for label, value in zip(one.part_names(part), getattr(s, part), strict=True)}
    assert accelerations(other, known) == accelerations(one, known)
