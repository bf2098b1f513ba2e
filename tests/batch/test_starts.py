"""One start on every route: what a model with these numbers begins with, to the last bit."""

import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational
from linkwright.compiler import afresh, changed, is_parameter, system_of
from linkwright.start import OtherStarts

EXAMPLES = Path(__file__).parents[2] / "examples"


def parallelogram():
    """Loop, lengths that follow from one another, speeds that follow from one that is given."""
    m = lw.Model("parallelogram")
    m.world = lw.World()
    m.rev1, m.rev2 = joints.Revolute(phi=1.0, w=-3.0), joints.Revolute(phi=lw.guess(-1.0))
    m.rev3, m.rev4 = joints.Revolute(), joints.Revolute(phi=lw.guess(1.0))
    m.crank = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0])
    m.coupler = parts.BodyShape(m=1, r=[1.0, 0, 0], r_cm=[0.5, 0, 0])
    m.rocker = parts.BodyShape(m=1, r=[0.6, 0, 0], r_cm=[0.3, 0, 0])
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler, m.rev3)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def guessed():
    """Nothing fixes the crank: its guess is kept, and the loop is closed around it."""
    m = parallelogram()
    m.rev1._initial.clear()
    m.rev1._initial["phi"] = [lw.guess(0.8)]
    return m


def tolerances():
    return runpy.run_path(str(EXAMPLES / "four_bar_tolerances.py"))["model"]


def hanging():
    """A tree with an initial equation: where the tip is."""
    m = lw.Model("hanging")
    m.world = lw.World()
    m.rev1, m.rev2 = joints.Revolute(phi=lw.guess(0.3)), joints.Revolute(phi=0.5)
    m.arm, m.hand = (parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[0.2, 0, 0]) for length in (0.5, 0.4))
    m.chain(m.world, m.rev1, m.arm, m.rev2, m.hand)
    m.init(m.hand.frame_b.r_0[1], 0.3)
    return m


def suspended(**start):
    """A mass on a spring: where it begins is where it stays at rest."""
    m = lw.Model("mass on a spring")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[0, 1, 0], **(start or {"s": lw.guess(-0.1), "v": 0, "a": 0}))
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.body)
    m.sus = translational.SpringDamper(c=100.0, d=1.0)
    m.connect(m.rail.support, m.sus.flange_a)
    m.connect(m.rail.axis, m.sus.flange_b)
    return m


def at_rest_by_an_equation():
    m = suspended(s=lw.guess(-0.1), v=0)
    m.init(m.rail.a, 0)
    return m


def freed():
    """The spring's length is solved for, so that a mass at a given place is at rest."""
    m = suspended(s=-0.2, v=0, a=0)
    m.sus.s_rel0 = lw.free(0.1)
    return m


def pushed():
    """A force from outside decides where rest is."""
    m = suspended()
    m.push = translational.Force(f=2.0)
    m.connect(m.rail.axis, m.push.flange)
    return m


def driven():
    """A crank on its course, its arm at rest relative to it where springs hold it."""
    m = lw.Model("driven")
    m.world = lw.World()
    m.crank, m.arm = joints.Revolute(), joints.Revolute(phi=lw.guess(-0.3), w=0, a=0)
    m.one, m.other = (parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.2, 0, 0]) for _ in range(2))
    m.chain(m.world, m.crank, m.one, m.arm, m.other)
    m.spring = rotational.SpringDamper(c=20.0, d=0.1)
    m.connect(m.arm.support, m.spring.flange_a)
    m.connect(m.arm.axis, m.spring.flange_b)
    m.prescribe(m.crank.phi, 0.3 * lw.sin(2 * lw.time + 0.5))
    return m


def rubbing():
    """Dry friction holds the mass where it is at rest."""
    m = suspended(s=-0.05, v=0.0)
    m.rail.friction = lw.Coulomb(tau=8.0)
    return m


def switched():
    """A law with two branches: which of them holds at the start depends on what is swept."""
    m = suspended(s=0.1, v=0.0)
    m.extra = translational.Force()
    m.connect(m.rail.axis, m.extra.flange)
    m.extra.f = lw.where(m.sus.f > 10.5, -3.0, 5.0)
    return m


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.4, w=0.2)
    m.arm = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.2, 0, 0])
    m.chain(m.world, m.rev, m.arm)
    return m


def loose():
    """A guess, and no word of the speed."""
    m = pendulum()
    m.rev._initial.clear()
    m.rev._initial["phi"] = [lw.guess(0.4)]
    return m


#: model, what is swept, what is looked at, whether one search is enough for all
CASES = {
    "an acceleration": (suspended, {"sus.c": [50.0, 100.0, 200.0]}, "rail.a", False),
    "an acceleration, beside what nothing reads": (suspended, {"sus.d": [1.0, 2.0, 3.0]}, "rail.s", False),
    "an acceleration as an equation": (at_rest_by_an_equation, {"body.m": [1.0, 1.5, 2.0]}, "rail.a", False),
    "a freed parameter": (freed, {"sus.c": [50.0, 100.0, 200.0]}, "rail.a", False),
    "an input": (pushed, {"push.f": [0.0, 2.0, 5.0]}, "rail.a", False),
    "a drive": (driven, {"spring.c": [15.0, 20.0, 30.0]}, "arm.a", False),
    "friction at rest": (rubbing, {"body.m": [0.5, 1.0, 2.0]}, "rail.s", True),
    "a law with branches": (switched, {"sus.c": [100.0, 110.0, 120.0]}, "rail.s", True),
    "lengths of a loop": (tolerances, {"crank.length": [0.3, 0.301, 0.35], "rocker.length": [0.6, 0.599, 0.5]},
                          "rev4.phi", False),
    "start values and a mass of a loop": (parallelogram, {"rev1.phi": [1.0, 1.05, 1.0 + np.pi],
                                                          "rev1.w": [-3.0, 1.0, 0.0], "crank.m": [1.0, 1.1, 2.0]},
                                          "rev4.phi", False),
    "a mass of a loop": (guessed, {"coupler.m": [1.0, 1.1, 2.0]}, "rev4.phi", True),
    "a place": (hanging, {"rev2.phi": [0.5, 0.55, 0.6]}, "rev1.phi", False),
    "a coordinate and a mass": (pendulum, {"rev.phi": [0.4, 1.0 / 3.0, -2.9], "arm.m": [1.0, 2.0, 3.0]}, "rev.phi",
                                True),
    "a speed of which nothing is said": (loose, {"rev.w": [0.0, 0.7, -1.0 / 3.0]}, "rev.w", True),
    "a guess": (loose, {"rev.phi": [0.4, 0.7, -1.0 / 3.0]}, "rev.phi", True),
}


def truth(m, values, look, stop=0.05, **options):
    """The ordinary run of the model with these numbers."""
    tunable = [name for name in values if name != "push.f" and is_parameter(m, name)]
    inputs = {name: value for name, value in values.items() if name == "push.f"}
    with changed(m, {name: value for name, value in values.items() if name not in inputs}):
        return lw.simulate(system_of(m, tunable=tunable), stop, inputs=inputs, **options)[look]


@pytest.mark.parametrize("case", CASES)
def test_every_route_begins_alike(case):
    build, swept, look, plain = CASES[case]
    m, n = build(), 3
    rows = [{name: column[k] for name, column in swept.items()} for k in range(n)]
    wanted = [truth(m, row, look) for row in rows]
    if look.endswith(".a"):
        assert all(abs(run[0]) < 1e-9 for run in wanted)
    study = lw.sweep(m, swept, 0.05, outputs=[look], paired=True)
    with ThreadPoolExecutor(2) as threads:
        others = {"lanes": study, "one by one": lw.sweep(m, swept, 0.05, outputs=[look], paired=True, chunk=1),
                  "a function of the result": lw.sweep(m, swept, 0.05, outputs=[look], paired=True,
                                                       reduce={"end": lambda r: r.t[-1]}),
                  "threads": lw.sweep(m, swept, 0.05, outputs=[look], paired=True, chunk=1, executor=threads,
                                      reduce={"end": lambda r: r.t[-1]})}
    for route, found in others.items():
        assert found.data["status"].values.tolist() == ["ok"] * n, found.data["message"].values
        np.testing.assert_array_equal(found.data[look].values, wanted, err_msg=route)
    for k in range(n):
        np.testing.assert_array_equal(study.result(k)[look], wanted[k])
    parameters = [name for name in swept if name != "push.f" and is_parameter(m, name)]
    sim = lw.Simulator(m, h=0.05, n=n, parameters=parameters)
    sim.reset(swept)
    # a value that the model does not give decides which coordinates are chosen: the same start, other rounding
    same = case not in ("a guess", "a speed of which nothing is said")
    np.testing.assert_allclose(sim[look], [run[0] for run in wanted], rtol=0, atol=1e-12)
    np.testing.assert_allclose(sim.step()[look], [run[-1] for run in wanted], rtol=0, atol=0 if same else 1e-9)
    system = system_of(m, tunable=parameters)
    if parameters and len(parameters) == len(swept):
        assert OtherStarts(system, system.state(), parameters).plain == plain
        for row, run in zip(rows, wanted, strict=True):
            np.testing.assert_array_equal(lw.simulate(system, 0.05, inputs=row)[look], run)
            state = system.state()
            for name, value in row.items():
                state.set(name, value)
            np.testing.assert_array_equal(lw.simulate(system, 0.05, state=state)[look], run)


def test_runs_have_the_bits_of_their_results_and_impossible_ones_say_why():
    study = lw.sweep(tolerances(), {"crank.length": [0.3, 0.31, 0.33, 2.5]}, 1e-3, step=1e-3,
                     reduce={"angle": lw.final("rev4.phi")})
    assert study.data["status"].values.tolist() == ["ok", "ok", "ok", "failed"]
    assert "rev" in study.data["message"].values[3]  # a crank that long closes no loop
    for k in range(3):
        assert study.data["angle"].values[k] == study.result(k)["rev4.phi"][-1]


def test_a_state_that_was_moved_is_taken_as_it_is():
    m = suspended()
    system = lw.compile(m, tunable=["sus.c"])
    state = system.state().set("sus.c", 50.0)
    moved = state.copy().set("rail.s", -0.3)
    assert lw.simulate(system, 0.1, state=moved)["rail.s"][0] == -0.3
    later = lw.simulate(system, 0.1).end.set("sus.c", 50.0)
    assert lw.simulate(system, 0.2, start=0.1, state=later)["rail.s"][0] == later.get("rail.s")
    # a spring that is changed while the mass hangs still begins where the mass hangs
    for n in (None, 2):
        sim = lw.Simulator(m, h=0.01, n=n, parameters=["sus.c"])
        place = np.array(sim["rail.s"])
        sim.step({"sus.c": 50.0})
        assert np.all(np.abs(sim["rail.s"] - place) < 1e-3)


def test_other_studies_begin_there_too():
    system = lw.compile(suspended(), tunable=["sus.c"])
    state = system.state().set("sus.c", 50.0)
    with changed(system.model, {"sus.c": 50.0}):
        own = lw.compile(system.model, tunable=["sus.c"])
        expected = lw.linearize(own, own.state())
    np.testing.assert_array_equal(lw.linearize(system, state).A, expected.A)


def test_the_start_is_that_of_its_time():
    """A force that changes over time: at rest at t = 0.7 is another place than at t = 0."""
    m = suspended()
    m.push = translational.Force()
    m.connect(m.rail.axis, m.push.flange)
    m.push.f = 5 * lw.sin(3 * lw.time)
    r = lw.simulate(m, 1.0, start=0.7)
    assert abs(r["rail.a"][0]) < 1e-9
    assert abs(r["rail.s"][0] - (5 * np.sin(2.1) - 9.80665) / 100) < 1e-9
    study = lw.sweep(m, {"sus.c": [50.0, 200.0]}, 1.0, start=0.7, outputs=["rail.a", "rail.s"])
    assert np.all(np.abs(study.data["rail.a"].values[:, 0]) < 1e-9)
    for k in range(2):
        np.testing.assert_array_equal(study.data["rail.s"].values[k], study.result(k)["rail.s"])


def test_another_formulation_finds_the_same_start():
    m = parallelogram()
    for formulation in (None, "projection", "minimal"):
        options = {} if formulation is None else {"formulation": formulation}
        system = lw.compile(m, tunable=["crank.r"], **options)
        r = lw.simulate(system, 1e-3, inputs={"crank.r": [0.45, 0.0, 0.0]})
        with changed(m, {"crank.r": [0.45, 0.0, 0.0]}):
            own = lw.compile(m, tunable=["crank.r"], **options).state()
        assert abs(r["rev4.phi"][0] - own.get("rev4.phi")) < 1e-12


def test_a_parameter_set_for_another_system_is_not_lost():
    m = suspended()
    with afresh():
        folded = lw.compile(m)
        state = lw.compile(m, tunable=["sus.c"]).state().set("sus.c", 50.0)
        with pytest.raises(lw.LinkwrightError, match="sus.c"):
            lw.simulate(folded, 0.1, state=state)


def test_an_offset_that_no_loop_can_follow_is_refused():
    """A step out of the plane of a planar loop opens it for good: the run fails, as an ordinary one, in lanes too."""
    m = parallelogram()
    said = "gap 0.05 m.*displacement along z"
    offsets = [[0.5, 0, 0], [0.5, 0, 0.05], [0.5001, 0, 0]]
    study = lw.sweep(m, {"crank.r": offsets}, 0.05, outputs=["rev4.phi"])
    assert study.data["status"].values.tolist() == ["ok", "failed", "ok"]
    assert "displacement along z" in str(study.failed["message"].values[0])
    with pytest.raises(lw.LinkwrightError, match=said):
        lw.sweep(m, {"crank.r": offsets}, 0.05, outputs=["rev4.phi"], raise_failures=True)
    for n in (None, 3):
        sim = lw.Simulator(m, h=0.01, n=n, parameters=["crank.r"])
        for moved in (sim.reset, sim.step):
            with pytest.raises(lw.AssemblyError, match=said):
                moved({"crank.r": offsets[1] if n is None else offsets})
