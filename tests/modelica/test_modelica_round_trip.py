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


def test_initial_equations_and_events_are_written_and_read_back(tmp_path):
    """A ball dropped from the height that its speed at the start asks for bounces until the run is ended."""
    m = lw.Model("ball")
    m.world = lw.World(g=10)
    m.slide = lw.joints.Prismatic(n=[0, 1, 0], s=lw.guess(1.0), v=lw.guess(0.0))
    m.ball = lw.parts.Body(m=2)
    m.chain(m.world.frame_b, m.slide, m.ball)
    m.init(m.slide.s, 1 + m.slide.v)
    m.init(m.slide.v, lw.der(m.slide.s) - m.slide.v + 0.5)
    m.when(m.slide.s < 0, {m.slide.v: -0.8 * m.slide.v})
    m.terminate(lw.time > 2.0, "long enough")
    lw.export(m, tmp_path / "Ball.mo")
    own, other = (lw.simulate(model, 3.0) for model in (m, lw.read(tmp_path / "Ball.mo")))
    assert own["slide.s"][0] == pytest.approx(1.5) and own["slide.v"][0] == pytest.approx(0.5)
    assert own.t[-1] == other.t[-1] == pytest.approx(2.0) and len(own.events) == len(other.events) > 2
    assert np.array_equal(own["slide.s"], other["slide.s"])


@pytest.mark.parametrize("given", [{"gravity": None}, {"gravity": "point", "mu": 4e14}, {"g": 1.62, "n": [0, 0, -1]}])
def test_gravity_is_written_as_it_is(given, tmp_path):
    m = lw.Model("falling")
    m.world = lw.World(**given)
    m.body = lw.parts.Body(m=1, inertia=[1, 2, 3], r_0=[0, 7e6, 0], w_a=[0.1, 0.2, 0.3])
    lw.export(m, tmp_path / "Falling.mo")
    one, other = (lw.compile(model).state() for model in (m, lw.read(tmp_path / "Falling.mo")))
    assert np.array_equal(one.get("udot"), other.get("udot"))
