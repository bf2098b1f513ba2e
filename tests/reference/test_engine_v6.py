"""The V6 engine of Modelica's MultiBody library, from plain joints, against an independent computation.

End values after 1.01 s: load.phi 130.432956, load.w 228.246225 (spec, high precision; that computation steps over the
switches of the gas law, which costs it a few 1e-6).
"""

import runpy
from pathlib import Path

import pytest

import linkwright as lw

ENGINE = Path(__file__).parents[2] / "examples" / "engine_v6.py"


@pytest.fixture(scope="module")
def engine():
    return lw.compile(runpy.run_path(str(ENGINE))["model"])


def test_six_loops_one_freedom(engine):
    assert len(engine.loops) == 6
    assert engine.dof == 1


@pytest.mark.parametrize("accuracy", [1e-8, 1e-10])
def test_end_speed_and_angle(engine, accuracy):
    r = lw.simulate(engine, 1.01, accuracy=accuracy)
    assert r["load.phi"][-1] == pytest.approx(130.432956, abs=1e-5)
    assert r["load.w"][-1] == pytest.approx(228.246225, abs=3e-5)
    assert r.closure < 1e-9
