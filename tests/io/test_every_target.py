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
from fmu_models import between_stops, box_on_a_slope, controlled, four_bar, spinning_top, stick_slip, thrown_ball
from test_c_code import Run

import linkwright as lw
from linkwright import translational
from linkwright.integrate import METHODS
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
STIFF = ("stiff in phases", "stiff line")
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


def by_lanes(model, stop, output, folder, **options):
    runs, state = prepared(model, stop, **options)
    found = runs.run([state] * 3)
    assert found.status.tolist() == [DONE] * 3, found.reason(0)
    return [list(found.grid_x[k, -1]) for k in range(3)]


def by_thread(model, stop, output, folder, **options):
    runs, state = prepared(model, stop, **options)
    if isinstance(runs, SteppedRuns):
        status, grid, _ = by_threads(runs, [state])
    else:
        status, grid, _ = on_this_processor(runs, runs.starts([state]), 10**9)
    assert status.tolist() == [DONE]
    return [list(grid[0, -1, : runs.program.n])]


def prepared(model, stop, method="auto", fixed_step=None):
    system = lw.compile(model)
    state = prepare(system, None, 0.0, {})
    return runs_of(system, state, stop, step=stop, lanes=2, method=method, h=fixed_step), state


def by_fmu(model, stop, output, folder, **options):
    lw.export(model, folder / "m.fmu", outputs=[output], platforms=LINUX, **options)
    fmu = Fmu(folder / "m.fmu", folder / "unpacked", True, tolerance=1e-8)
    fmu.initialise()
    return [float(fmu.steps(np.array([0.0, stop]), output)[-1, 0])]


def by_c(model, stop, output, folder, **options):
    return [float(Run(model, folder, outputs=[output], adaptive=True, **options).course([stop])[-1, 0])]


def by_page(model, stop, output, folder, **options):
    lw.export(model, folder / "m.html", **options)
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
    r = compared(build, stop, "place", run, whole, tmp_path, method=method)
    assert len(r.events) > 4
    assert (name in STIFF) == any("stiff" in message for message in r.messages) or method != "auto"


def compared(build, stop, output, run, whole, folder, **options):
    """The run of the scalar solver, with whose end that of a target is compared."""
    r = lw.simulate(build(), stop, step=stop, **options)
    wanted = np.concatenate([r.end.q, r.end.u, r.end.z]).tolist() if whole else float(r[output][-1])
    for found in run(build(), stop, output, folder, **options):
        assert found == wanted
    return r


#: a machine for each of the laws that steps know, its output, how long it runs (s)
LAWS = {"plain": (spinning_top, "tip", 0.3), "events": (controlled, "angle", 0.7), "loop": (four_bar, "rocking", 0.3),
        "friction": (stick_slip, "place", 0.5), "contact": (thrown_ball, "place", 0.6)}
METHODS_WITH_STEPS = {name: {"method": name} | ({} if method.adaptive else {"fixed_step": 0.005})
                      for name, method in METHODS.items()}


def cells():
    """Every law by every method on every target; one cell of each row is quick."""
    quick = [("plain", "gauss4", "lanes"), ("loop", "verlet", "GPU thread"), ("friction", "rk4", "C"),
             ("contact", "radau", "lanes"), ("events", "radau", "GPU thread")]
    for law in LAWS:
        for method in METHODS_WITH_STEPS:
            for target in TARGETS:
                slow = [] if (law, method, target) in quick else [pytest.mark.slow]
                yield pytest.param(law, method, target, marks=[*needs.get(target, []), *slow])


@pytest.mark.parametrize("law, method, target", list(cells()))
def test_every_law_by_every_method(law, method, target, tmp_path):
    (build, output, stop), (run, whole) = LAWS[law], TARGETS[target]
    compared(build, stop, output, run, whole, tmp_path, **METHODS_WITH_STEPS[method])
