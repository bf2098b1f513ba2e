"""What ran before leaves no trace: examples and pages of the documentation twice in one process, in any order, and
models of one structure in turn, give the same bits each time."""

import contextlib
import hashlib
import io
import random
import re
import runpy
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational
from linkwright.compiler import afresh

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.S)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if "reference" not in p.parts and BLOCK.search(p.read_text()))
#: pages and examples that draw at random without a seed, or tell how long something took
UNLIKE = {"cart_pole_learning"}


def arm(m=1.0, k=2.0, length=0.5):
    """A motor that holds an arm: mass, gain and length are numbers, which change nothing of the structure."""
    model = lw.Model("arm")
    model.world, model.rev = lw.World(), joints.Revolute(phi=0.4)
    model.arm = parts.BodyShape(m=m, r=[length, 0, 0], r_cm=[0.2, 0, 0])
    model.chain(model.world, model.rev, model.arm)
    model.motor = rotational.Torque()
    model.connect(model.rev.axis, model.motor.flange)
    model.motor.tau = -k * model.rev.phi
    model.output("twice", 2 * model.rev.phi)
    return model


class Quarter(lw.Model):
    """A wheel's suspension with a stiffness of its own."""

    c = lw.parameter(100.0, "stiffness")

    def __init__(self):
        super().__init__("quarter")
        self.world, self.rail, self.body = lw.World(), joints.Prismatic(n=[0, 1, 0], s=0.1), parts.Body(m=1.0)
        self.chain(self.world, self.rail, self.body)
        self.sus = translational.SpringDamper(c=self.c, d=1.0)
        self.connect(self.rail.support, self.sus.flange_a)
        self.connect(self.rail.axis, self.sus.flange_b)


def test_a_second_sweep_of_formulas():
    found = []
    for _ in range(2):
        m = Quarter()
        found.append(lw.sweep(m, {"c": [90.0, 110.0], "body.m": [1.0, 2.0]}, 0.2, paired=True,
                              reduce={"most": lw.largest(lw.fabs(m.rail.a)), "mean": lw.mean(m.rail.a**2)}).data)
    for name in ("most", "mean"):
        np.testing.assert_array_equal(found[0][name].values, found[1][name].values)


def test_an_output_is_that_of_the_model_when_it_was_compiled():
    with afresh():
        m = arm()
        result = lw.simulate(m, 0.1)
        m._outputs["twice"] = 7 * m.rev.phi
        other = lw.simulate(arm(), 0.1)
    np.testing.assert_array_equal(result["twice"], 2 * result["rev.phi"])
    np.testing.assert_array_equal(other["twice"], 2 * other["rev.phi"])


def test_goals_of_one_name_are_kept_apart():
    """Formulas of goals are outputs of the model for a while, under the same name each time."""
    m = arm()
    first, second, again = (lw.gradient(m, lw.final(formula), 0.1, ["arm.m"])
                            for formula in (1 * m.rev.phi, 3 * m.rev.w, 1 * m.rev.phi))
    assert first[0] == again[0] != second[0]


def test_models_of_one_structure_in_turn():
    numbers = [{"m": 1.0}, {"m": 2.0, "length": 0.7}, {"m": 1.0, "k": 3.0}]
    with afresh():
        rounds = [[lw.simulate(arm(**own), 0.2)["rev.phi"] for own in numbers] for _ in range(3)]
    for found in rounds[1:]:
        for wanted, own in zip(rounds[0], found, strict=True):
            np.testing.assert_array_equal(own, wanted)


def test_a_compilation_for_tuning_does_not_change_what_came_before():
    with afresh():
        before = lw.simulate(arm(), 0.2)["rev.phi"]
        tuned = lw.compile(arm(), tunable=["arm.m"])
        lw.simulate(tuned, 0.2, inputs={"arm.m": 2.0})
        np.testing.assert_array_equal(lw.simulate(arm(), 0.2)["rev.phi"], before)


def test_simulators_side_by_side():
    numbers = [{"m": 1.0}, {"m": 2.0, "length": 0.7}]
    wanted = []
    for own in numbers:
        sim = lw.Simulator(arm(**own), h=0.05)
        wanted.append([sim.step()["rev.phi"] for _ in range(4)])
    sims = [lw.Simulator(arm(**own), h=0.05) for own in numbers]
    found = [[sim.step()["rev.phi"] for sim in sims] for _ in range(4)]
    assert np.array(found).T.tolist() == wanted


def test_a_step_is_differentiated_by_what_the_simulator_was_not_made_for():
    """Whether code that has the parameter as an input was made before does not count."""
    found = []
    for _ in range(2):
        sim = lw.Simulator(arm(), h=0.01)
        found.append(sim.step(jac=["rev.phi", "arm.m"]).sensitivity("rev.w", "arm.m"))
    assert found[0] == found[1] != 0
    assert sim.step()["rev.phi"] != 0.4


def test_threads_on_one_system_and_on_one_model():
    m = arm()
    system = lw.compile(m, tunable=["arm.m"])
    masses = [1.0, 1.5, 2.0, 2.5]
    wanted = [lw.simulate(system, 0.2, inputs={"arm.m": mass})["rev.phi"] for mass in masses]
    plain, together = lw.simulate(m, 0.2)["rev.phi"], threading.Barrier(4)

    def run(k):
        together.wait()
        tuned = lw.simulate(system, 0.2, state=system.state().set("arm.m", masses[k]), progress=False)["rev.phi"]
        return tuned, lw.simulate(m, 0.2, progress=False)["rev.phi"]

    with ThreadPoolExecutor(4) as threads:
        for (tuned, own), expected in zip(threads.map(run, range(4)), wanted, strict=True):
            np.testing.assert_array_equal(tuned, expected)
            np.testing.assert_array_equal(own, plain)


def told(run, monkeypatch):
    """A digest of every simulation in what `run` does."""
    digests, simulate = [], lw.simulate

    def kept(*given, **options):
        result = simulate(*given, **options)
        digests.append(hashlib.sha256(np.ascontiguousarray(result.states).tobytes()).hexdigest())
        return result

    with monkeypatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setattr(lw, "simulate", kept)
        run()
    return digests


def page(path):
    names = {}
    for number, block in enumerate(BLOCK.findall(path.read_text())):
        exec(compile(block, f"{path.name}, block {number + 1}", "exec"), names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0])
def test_examples_and_pages_twice_in_any_order(seed, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    shuffle = random.Random(seed)
    runs = {path.stem: lambda path=path: runpy.run_path(str(path), run_name="__main__") for path in EXAMPLES}
    runs |= {f"docs/{path.stem}": lambda path=path: page(path) for path in PAGES}
    before, unlike = {}, []
    for _ in range(2):
        for name in shuffle.sample(sorted(runs), len(runs)):
            found = told(runs[name], monkeypatch)
            if before.setdefault(name, found) != found and name not in UNLIKE:
                unlike.append((name, sum(a != b for a, b in zip(before[name], found, strict=False)), len(found)))
    assert unlike == []
