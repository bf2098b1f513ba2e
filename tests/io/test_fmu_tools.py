"""FMUs in another program: fmpy accepts them, and simulates them both ways as we do."""

import runpy
from ctypes import POINTER, c_double
from pathlib import Path

import numpy as np
import pytest
from fmu_models import (
    between_stops,
    bouncing_ball,
    box_on_a_slope,
    by_tables,
    caught,
    pendulum,
    stick_slip,
    thrown_ball,
)

import linkwright as lw
from linkwright.io.fmu.contents import state_names

fmpy = pytest.importorskip("fmpy")
EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> lw.Model:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["model"]


#: model, its outputs, how long it runs (s)
CASES = {
    "pendulum": (pendulum, ["rev.phi", "height"], 5.0),
    "bouncing_ball": (bouncing_ball, ["height", "slide.v"], 3.0),
    "four_bar": (lambda: example("fourbar"), ["rev1.phi", "rev2.phi"], 2.0),
    "engine_v6": (lambda: example("engine_v6"), ["bearing.phi", "bearing.w"], 0.3),
    "by_tables": (by_tables, ["angle"], 2.0),
    "controlled_arm": (lambda: example("six_axis_arm"), ["joint1.phi", "load.r_0"], 1.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("version", [3, 2])
@pytest.mark.parametrize("name", CASES)
def test_fmpy_accepts_it_and_simulates_our_motion(name, version, tmp_path):
    """Co-simulation at 1e-12, model exchange by CVODE at its finest; ours at 1e-12."""
    from fmpy.validation import validate_fmu

    build, outputs, stop = CASES[name]
    model, path = build(), str(tmp_path / "x.fmu")
    lw.export(model, path, outputs=outputs, fmi=version)
    assert validate_fmu(path) == []
    r = lw.simulate(model, stop, accuracy=1e-12, step=stop / 50)
    for kind, tolerance in (("CoSimulation", 1e-12), ("ModelExchange", 1e-13)):
        found = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=stop, output_interval=stop / 50,
                                  relative_tolerance=tolerance, solver="CVode", record_events=False)
        for column in found.dtype.names[1:]:
            # speeds of the engine are some 200 rad/s: relative there
            np.testing.assert_allclose(found[column], r[column], atol=1e-8, rtol=1e-9, err_msg=f"{kind} {column}")


#: m: the last of a series of bounces are lower (1e-15 m) than CVODE is wrong at its finest tolerance in each of them
#: (3e-13 m), so that its end is known to 1e-7 s only, and the speed of the slide that follows to 4e-8 m/s
BOUNCES = 5e-9


@pytest.mark.slow
@pytest.mark.parametrize("version", [3, 2])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("build", [stick_slip, between_stops, caught, box_on_a_slope, thrown_ball])
def test_friction_stops_locks_and_contact_are_ours_between_events(build, kind, version, tmp_path):
    """To 1e-9, except at the instants themselves, where an output may be that before or after."""
    from fmpy.validation import validate_fmu

    path, stop = str(tmp_path / "x.fmu"), 1.2
    lw.export(build(), path, outputs=["place"], fmi=version)
    if validate_fmu(path):
        pytest.fail("not accepted")
    r = lw.simulate(build(), stop, accuracy=1e-12, step=stop / 50)
    between = np.min(np.abs(np.subtract.outer(r.t, [event.time for event in r.events])), axis=1) > 1e-6
    if len(r.events) < 4 or between.sum() < 40:
        pytest.fail("too few events, or too few output times between them")
    found = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=stop, output_interval=stop / 50, record_events=False,
                              relative_tolerance=1e-12 if kind == "CoSimulation" else 1e-13, solver="CVode")
    allowed = BOUNCES if (kind, build) == ("ModelExchange", box_on_a_slope) else 1e-9
    np.testing.assert_allclose(found["place"][between], r["place"][between], rtol=0, atol=allowed)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_directional_derivatives_are_those_of_the_equations(name, tmp_path):
    """Those of the linear model, which finds them another way, to 1e-9; and differences of the FMU's own slopes.

    The error of the differences, extrapolated twice, is that of rounding: 1e-16 over a step of 1e-3, times the size of
    the slopes.
    """
    from fmpy import extract, read_model_description
    from fmpy.fmi3 import FMU3Model

    build, outputs, _ = CASES[name]
    model, path = build(), str(tmp_path / "x.fmu")
    lw.export(model, path, outputs=outputs, platforms=["x86_64-linux"])
    about = read_model_description(path)
    fmu = FMU3Model(guid=about.guid, unzipDirectory=extract(path, str(tmp_path / "x")), instanceName="x",
                    modelIdentifier=about.modelExchange.modelIdentifier)
    fmu.instantiate()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.enterContinuousTimeMode()
    derivatives = [v for v in about.modelVariables if v.derivative is not None]
    names = [v.derivative.name for v in derivatives]
    states, slopes = [v.derivative.valueReference for v in derivatives], [v.valueReference for v in derivatives]
    x = np.array(fmu.getFloat64(states))

    def slopes_at(state):
        fmu.setContinuousStates(np.ascontiguousarray(state).ctypes.data_as(POINTER(c_double)), len(state))
        return np.array(fmu.getFloat64(slopes))

    def difference(k, step):
        aside = step * np.eye(len(x))[k]
        return (slopes_at(x + aside) - slopes_at(x - aside)) / (2 * step)

    def extrapolated(k, step):
        return (4 * difference(k, step) - difference(k, 2 * step)) / 3

    scale = 1 + np.abs(slopes_at(x)).max()
    J = np.empty((len(x), len(x)))
    for k in range(len(x)):
        wanted = (16 * extrapolated(k, 1e-3) - extrapolated(k, 2e-3)) / 15
        slopes_at(x)
        J[:, k] = fmu.getDirectionalDerivative(slopes, [states[k]], [1.0])
        np.testing.assert_allclose(J[:, k], wanted, rtol=1e-7, atol=1e-8 * scale)
    fmu.terminate()
    fmu.freeInstance()

    linear = lw.linearize(model)
    system = linear.state.system
    own = dict(zip([*system.part_names("q"), *system.part_names("u"), *system.part_names("z")], state_names(system),
                   strict=True))
    rows = [names.index(own[state]) for state in linear.states]
    np.testing.assert_allclose(J[np.ix_(rows, rows)], linear.A, rtol=1e-9, atol=1e-9)
