"""Steps and solvers exist once: a line that is changed changes ordinary runs, lanes, threads and FMUs alike."""

import functools
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_events import ball
from test_lane_runs import DONE, starts

import linkwright as lw
from linkwright import forces, joints, parts
from linkwright.codegen import dense_solves, runtime
from linkwright.codegen.dialect import Machine, source
from linkwright.compiler.compiled import afresh
from linkwright.integrate import jit, root_finding, runge_kutta
from linkwright.integrate.record import BEFORE
from linkwright.integrate.root_finding import crossings, state_at
from linkwright.integrate.step_programs import emit
from linkwright.integrate.tolerances import REMEMBERED
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "io"))
from fmu_driver import Fmu, ours


def steady_factor(r, own, error: float) -> float:
    """Acceptance, changed: steps grow by little, whatever their error."""
    own.error_before = max(error, REMEMBERED)
    return 1.125


def not_narrowed(r, low: float, high: float, inp, V, F, G) -> float:
    """Location, changed: the end of the piece in which a witness crosses is good enough."""
    crossings(r, G, root_finding.G_LOW, root_finding.G_HIGH)
    state_at(r, low, inp, V, F)
    r.t_before = inp[0]
    for i in range(r.n):
        V[BEFORE, i] = inp[1 + i]
    state_at(r, high, inp, V, F)
    return high


def by_reciprocals(a, order, b, n: int) -> None:
    """LU, changed: products by the reciprocal of a pivot in the place of quotients."""
    for k in range(n):
        row, held = int(order[k]), b[k]
        b[k] = b[row]
        b[row] = held
    for k in range(n):
        dense_solves.eliminate(b[k + 1 : n], a[k * n + k + 1 : (k + 1) * n], b[k])
    for k in range(n - 1, -1, -1):
        b[k] = b[k] * (1.0 / a[k * n + k])
        dense_solves.eliminate(b[0:k], a[k * n : k * n + k], b[k])


def thrown():
    """The ball, and beside it a pendulum with a law that uses its own acceleration: an equation to be solved."""
    m = ball()
    m.rev, m.bob = joints.Revolute(phi=0.7), parts.Body(m=1.0, r_cm=[0.4, 0.1, 0], inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.rev, m.bob)
    m.feedback = forces.WorldTorque(torque=[0, 0, -0.3 * lw.tanh(m.rev.a)])
    m.connect(m.feedback.frame_b, m.bob.frame_a)
    m.output("angle", m.rev.phi)
    return m


def runs_everywhere(folder=None):
    """States at output times: ordinary runs, two lanes, threads; and, with a folder for it, the angle at the end of a
    run and of its FMU."""
    with afresh():
        model = thrown()
        system = lw.compile(model)
        states = starts(system, 2)
        runs = LaneRuns(system, states[0], 1.0, step=0.05, lanes=2, method="dopri5")
        packed = runs.starts(states)
        lanes = runs.run(packed)
        assert np.all(lanes.status == DONE)
        _, threads, _ = on_this_processor(runs, packed, 10**9)
        ordinary = [lw.simulate(system, 1.0, state=state, step=0.05, method="dopri5").states for state in states]
        n = ordinary[0].shape[1]
        found = [np.array(ordinary), lanes.grid_x, threads[:, :, :n]]
        if folder is None:
            return found
        found.append(lw.simulate(system, 1.0, method="dopri5")["angle"][-1])
        lw.export(model, folder / "m.fmu", outputs=["angle"], platforms=["x86_64-linux"], method="dopri5")
    if not ours.args[0]:  # a library of this processor
        fmu = Fmu(folder / "m.fmu", folder / "unpacked", True, tolerance=1e-8)
        fmu.initialise()
        found.append(fmu.steps(np.array([0.0, 1.0]), "angle")[-1, 0])
    return found


def assert_alike(found):
    """All targets have the same bits."""
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    assert len(set(found[3:])) <= 1


@pytest.fixture
def made_anew(monkeypatch):
    """Nothing that was compiled before is used: names are looked up again, and nothing is kept."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(source, "_sources", weakref.WeakKeyDictionary())
    monkeypatch.setattr(jit, "load", functools.cache(Machine))  # not those that travel with the package
    kept = runtime.runtime, emit.text_of_record
    for texts in kept:
        texts.cache_clear()
    yield
    for texts in kept:
        texts.cache_clear()


CHANGES = [pytest.param(runge_kutta, "next_factor", steady_factor, id="acceptance"),
           pytest.param(root_finding, "narrow", not_narrowed, id="location"),
           pytest.param(dense_solves, "lu_substitute", by_reciprocals, id="LU")]


@pytest.fixture(scope="module")
def unchanged():
    found = runs_everywhere()
    assert_alike(found)
    return found


@pytest.mark.parametrize(("module", "name", "changed"), CHANGES)
def test_a_changed_line_changes_every_target_alike(module, name, changed, unchanged, made_anew, monkeypatch):
    monkeypatch.setattr(module, name, changed)
    found = runs_everywhere()
    assert not np.array_equal(found[0], unchanged[0])
    assert_alike(found)


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "changed"), CHANGES)
def test_and_the_fmu(module, name, changed, unchanged, made_anew, monkeypatch, tmp_path):
    monkeypatch.setattr(module, name, changed)
    found = runs_everywhere(tmp_path)
    assert not np.array_equal(found[0], unchanged[0])
    assert_alike(found)
