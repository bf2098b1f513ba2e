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
def example():
    return runpy.run_path(str(ENGINE))


@pytest.fixture(scope="module")
def engine(example):
    return lw.compile(example["model"], formulation="projection")


def test_six_loops_one_freedom(engine):
    assert len(engine.loops) == 6
    assert engine.dof == 1


def test_both_builds_move_alike_and_the_assembled_one_has_nothing_left_to_solve(example, engine):
    assembled = lw.compile(example["engine"](example["Assembled"]), formulation="minimal")
    assert len(assembled.loops) == 6 and assembled.dof == 1
    assert assembled.states == ["bearing.phi", "der(bearing.phi)"]
    assert "no system of equations is left" in assembled.report(full=True)
    one, other = (lw.simulate(system, 1.01, accuracy=1e-10) for system in (engine, assembled))
    for name in ("load.phi", "cylinder1.piston.frame_a.r_0", "cylinder4.rod.r_0"):
        assert abs(one[name] - other[name]).max() < 1e-7


@pytest.mark.parametrize(("accuracy", "error"), [(1e-8, 1e-4), (1e-10, 1e-5)])
def test_end_speed_and_angle(engine, accuracy, error):
    r = lw.simulate(engine, 1.01, accuracy=accuracy)
    assert r["load.phi"][-1] == pytest.approx(130.432956, abs=error)
    assert r["load.w"][-1] == pytest.approx(228.246225, abs=error)
    assert r.closure < 1e-9
