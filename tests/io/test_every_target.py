"""Machines that bounce, stick, slip and strike end in the same bits on every target.

One run by one method: the scalar solver, lanes, a thread of a GPU (its text on this processor), an FMU, exported C
by the compiler of this machine, a page in a browser.
"""

import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_driver import Fmu, ours
from fmu_models import between_stops, box_on_a_slope
from test_c_code import Run

import linkwright as lw
from linkwright import translational
from linkwright.start import prepare
from linkwright.studies.stepped_runs import SteppedRuns, runs_of

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "studies"), str(TESTS / "view")]
from browser import headless  # noqa: E402
from test_gpu_threads import on_this_processor  # noqa: E402
from test_running_pages import without_picture  # noqa: E402
from test_stepped_runs import by_threads  # noqa: E402
from test_stiff_machines import rubbing_line  # noqa: E402

DONE, LINUX = 1, ["x86_64-linux"]


def example(name, place):
    """A model of the examples, one coordinate of which is the output `place`."""
    def build():
        m = runpy.run_path(str(TESTS.parent / "examples" / f"{name}.py"))["m"]
        m.output("place", place(m))
        return m
    return build


def stiff_in_phases():
    """A mass that is dragged so much, for half of the time, that only an implicit method takes long steps then."""
    m = lw.Model("stiff in phases")
    m.world = lw.World()
    m.drag, m.mass = translational.Force(), translational.Mass(m=1.0, s=0.1, v=0)
    m.spring, m.wall = translational.SpringDamper(c=400.0, d=2.0), translational.Fixed()
    m.connect(m.drag.flange, m.mass.flange_a)
    m.connect(m.mass.flange_b, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.wall.flange)
    m.drag.f = 20 * lw.sin(6 * lw.time) - lw.where(lw.sin(2 * lw.time) > 0, 1e6, 0.0) * m.mass.v
    m.output("place", m.mass.s)
    return m


def stiff_line():
    m = rubbing_line(sampled=False)
    m.output("place", m.b.s)
    return m


#: "auto" goes over to an implicit method, for which lanes ask the scalar solver
STIFF = ("quadruped", "stiff in phases", "stiff line")
#: with modes of rigid contact, pivots that suit at the start do not suit later
IMPLICIT = ["box on a slope", "woodpecker", "quadruped"]
#: model, how long it runs (s)
MACHINES = {
    "bouncing ball": (example("bouncing_ball", lambda m: m.ball.r_0[0]), 2.0),
    "stick-slip oscillator": (example("stick_slip", lambda m: m.block.s), 3.0),
    "clutch with stops": (between_stops, 1.2),
    "box on a slope": (box_on_a_slope, 1.2),
    "woodpecker": (example("woodpecker", lambda m: m.slide.s), 0.4),
    "quadruped": (example("quadruped", lambda m: m.trunk.r_0[0]), 1.5),
    "stiff in phases": (stiff_in_phases, 10.0),
    "stiff line": (stiff_line, 10.0),
}


def by_lanes(model, stop, output, folder, method="auto"):
    runs, state = prepared(model, stop, method)
    found = runs.run([state] * 3)
    assert found.status.tolist() == [DONE] * 3, found.reason(0)
    return [list(found.grid_x[k, -1]) for k in range(3)]


def by_thread(model, stop, output, folder, method="auto"):
    runs, state = prepared(model, stop, method)
    if isinstance(runs, SteppedRuns):
        status, grid, _ = by_threads(runs, [state])
    else:
        status, grid, _ = on_this_processor(runs, runs.starts([state]), 10**9)
    assert status.tolist() == [DONE]
    return [list(grid[0, -1, : runs.program.n])]


def prepared(model, stop, method):
    system = lw.compile(model)
    state = prepare(system, None, 0.0, {})
    return runs_of(system, state, stop, step=stop, lanes=2, method=method), state


def by_fmu(model, stop, output, folder, method="auto"):
    lw.export(model, folder / "m.fmu", outputs=[output], platforms=LINUX, method=method)
    fmu = Fmu(folder / "m.fmu", folder / "unpacked", True, tolerance=1e-8)
    fmu.initialise()
    return [float(fmu.steps(np.array([0.0, stop]), output)[-1, 0])]


def by_c(model, stop, output, folder, method="auto"):
    return [float(Run(model, folder, outputs=[output], method=method, adaptive=True).course([stop])[-1, 0])]


def by_page(model, stop, output, folder, method="auto"):
    lw.export(model, folder / "m.html", method=method)
    with headless() as browser, without_picture(browser, folder / "m.html") as page:
        run = page.evaluate(f"linkwright.runTo({stop})")
    assert run["done"]
    return [run["state"]]


#: target → how it runs a model, and whether it tells the whole state
TARGETS = {"lanes": (by_lanes, True), "GPU thread": (by_thread, True), "FMU": (by_fmu, False), "C": (by_c, False),
           "page": (by_page, True)}
needs = {"FMU": [ours], "C": [pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")]}


def cases():
    """Every machine by its usual method on every target, and some by an implicit one; three of them are quick."""
    quick = [("woodpecker", "radau", "lanes"), ("woodpecker", "radau", "FMU"), ("stiff in phases", "auto", "FMU")]
    for name, method in [(name, "auto") for name in MACHINES] + [(name, "radau") for name in IMPLICIT]:
        for target in TARGETS:
            if name in STIFF and method == "auto" and target in ("lanes", "GPU thread"):
                continue
            slow = [] if (name, method, target) in quick else [pytest.mark.slow]
            yield pytest.param(name, method, target, marks=[*needs.get(target, []), *slow],
                               id=f"{name}-{method}-{target}")


@pytest.mark.parametrize("name, method, target", list(cases()))
def test_it_ends_in_the_bits_of_the_scalar_solver(name, method, target, tmp_path):
    build, stop = MACHINES[name]
    run, whole = TARGETS[target]
    r = lw.simulate(build(), stop, step=stop, method=method)
    assert len(r.events) > 4
    assert (name in STIFF) == any("stiff" in message for message in r.messages) or method != "auto"
    wanted = np.concatenate([r.end.q, r.end.u, r.end.z]).tolist() if whole else float(r["place"][-1])
    for found in run(build(), stop, "place", tmp_path, method):
        assert found == wanted
