"""FMUs and exported C take the steps of the simulation: a run has its bits, with every method and with events.

A run is compared at its end, reached by one call; calls in between would end steps where the simulation has none.
"""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from fmu_driver import Fmu, ours
from fmu_models import (
    between_stops,
    bouncing_ball,
    box_on_a_slope,
    by_tables,
    caught,
    controlled,
    four_bar,
    muscle_arm,
    on_a_ground,
    on_teeth,
    pendulum,
    sampled,
    spinning_top,
    spring_board,
    stick_slip,
    thrown_ball,
    whip,
)
from test_c_code import Run

import linkwright as lw
from linkwright.integrate import METHODS

compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
LINUX, STOP = ["x86_64-linux"], 1.2
OUTPUT = {pendulum: "height", bouncing_ball: "height", four_bar: "rocking", controlled: "angle", spinning_top: "tip",
          by_tables: "angle", stick_slip: "place", between_stops: "place", caught: "place", thrown_ball: "place",
          box_on_a_slope: "place", on_a_ground: "height", sampled: "angle", whip: "tip", spring_board: "shape",
          muscle_arm: "angle", on_teeth: "place"}
#: every method, by the table of methods
EVERY = {name: {} if method.adaptive else {"fixed_step": 0.01} for name, method in METHODS.items()}


def simulated(make, accuracy=1e-8, **options) -> float:
    return lw.simulate(make(), STOP, accuracy=accuracy, output_step=STOP, **options)[OUTPUT[make]][-1]


def by_fmu(make, folder, accuracy=1e-8, fmi=3, **options) -> float:
    lw.export(make(), folder / "m.fmu", fmi=fmi, platforms=LINUX, accuracy=accuracy, **options)
    fmu = Fmu(folder / "m.fmu", folder / "unpacked", True, tolerance=accuracy)
    fmu.initialise()
    return fmu.steps(np.array([0.0, STOP]), OUTPUT[make])[-1, 0]


def by_c(make, folder, accuracy=1e-8, **options) -> float:
    run = Run(make(), folder, outputs=[OUTPUT[make]], adaptive=True, accuracy=accuracy, **options)
    return run.course([STOP])[-1, 0]


@ours
@compiler
@pytest.mark.parametrize("accuracy, make", [
    pytest.param(accuracy, make, marks=[pytest.mark.slow] if make is on_a_ground or (
        (make in (thrown_ball, box_on_a_slope, whip, spring_board, on_teeth)) != (accuracy == 1e-4)) else [])
    for accuracy in (1e-4, 1e-8) for make in OUTPUT])
def test_fmu_and_c_have_the_bits_of_the_simulation(make, accuracy, tmp_path):
    wanted = simulated(make, accuracy)
    assert by_fmu(make, tmp_path, accuracy) == wanted
    assert by_c(make, tmp_path, accuracy) == wanted


@ours
@compiler
@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("make", [spinning_top, bouncing_ball, pytest.param(four_bar, marks=pytest.mark.slow)])
def test_with_every_method(make, method, tmp_path):
    options = {"method": method, **EVERY[method]}
    wanted = simulated(make, **options)
    assert by_fmu(make, tmp_path, **options) == wanted
    assert by_c(make, tmp_path, **options) == wanted


@ours
@compiler
@pytest.mark.parametrize("flags", ["-O0", "-O2", "-O3 -march=native"])
def test_a_compiler_does_not_change_them(flags, tmp_path):
    """Products and sums are not contracted, whatever the processor could do; the text itself asks for that."""
    lw.export(controlled(), tmp_path / "m.c", outputs=["angle"], adaptive=True)
    subprocess.run(["cc", *flags.split(), "-shared", "-fPIC", "m.c", "-o", "m.so", "-lm"], cwd=tmp_path, check=True)
    code = ctypes.CDLL(str(tmp_path / "m.so"))
    code.m_begin.restype = ctypes.c_void_p
    run, angle = ctypes.c_void_p(code.m_begin()), ctypes.c_double()
    assert code.m_advance(run, ctypes.c_double(STOP)) == 0
    code.m_outputs(run, ctypes.byref(angle))
    assert angle.value == simulated(controlled)


@compiler
def test_fast_math_is_refused(tmp_path):
    lw.export(pendulum(), tmp_path / "m.c", adaptive=True)
    done = subprocess.run(["cc", "-ffast-math", "-c", "m.c"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode and "must not be compiled with fast-math" in done.stderr


@ours
@pytest.mark.parametrize("make", [stick_slip, between_stops, caught, box_on_a_slope,
                                  pytest.param(thrown_ball, marks=pytest.mark.slow)])
def test_a_tool_that_integrates_finds_the_same_friction_and_impacts(make, tmp_path):
    lw.export(make(), tmp_path / "m.fmu", platforms=LINUX)
    fmu = Fmu(tmp_path / "m.fmu", tmp_path / "x", False)
    fmu.initialise()
    times = np.linspace(0, STOP, 13)
    r = lw.simulate(make(), STOP, accuracy=1e-12)
    assert len(r.events) > 3
    np.testing.assert_allclose(fmu.integrated(times, "place")[:, 0], r.at(times)["place"], atol=1e-9)


@ours
def test_a_tool_that_integrates_stops_where_samples_are_taken(tmp_path):
    lw.export(sampled(), tmp_path / "m.fmu", platforms=LINUX)
    fmu = Fmu(tmp_path / "m.fmu", tmp_path / "x", False)
    fmu.initialise()
    times = np.linspace(0, STOP, 13)
    r = lw.simulate(sampled(), STOP, accuracy=1e-12)
    np.testing.assert_allclose(fmu.integrated(times, "angle")[:, 0], r.at(times)["angle"], atol=1e-9)


@ours
def test_reading_values_between_steps_changes_nothing(tmp_path):
    lw.export(four_bar(), tmp_path / "m.fmu", platforms=LINUX)
    ends = []
    for names in ([], ["der(j1.w)", "rocking"]):
        fmu = Fmu(tmp_path / "m.fmu", tmp_path / str(len(names)), True)
        fmu.initialise()
        fmu.steps(np.linspace(0, 1, 5), *names)
        ends.append(fmu.get("rocking")[0])
    assert ends[0] == ends[1]


@pytest.mark.parametrize("options, said", [
    ({"method": "rk4"}, "give fixed_step"), ({"method": "gauss4"}, "give fixed_step"),
    ({"fixed_step": -1.0}, "must be positive"),
])
def test_methods_that_do_not_go_are_refused_by_name(options, said, tmp_path):
    for path in ("m.fmu", "m.c"):
        with pytest.raises(lw.ModelError, match=said):
            lw.export(pendulum(), tmp_path / path, **options)
