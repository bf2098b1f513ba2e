"""Starts of many runs at once are the ordinary ones; what they cannot tell is left to these."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.batch.start_program import StartProgram, least_squares
from linkwright.compiler import changed, system_of
from linkwright.studies.simulate import prepare

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


CASES = {
    "lengths of a loop": (tolerances, {f"{name}.length": (length, 1e-3) for name, length in
                                       (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6), ("ground", 1.0))}),
    "start values and a mass": (parallelogram, {"rev1.phi": (1.0, 0.05), "rev1.w": (-3.0, 0.5),
                                                "crank.m": (1.0, 0.1)}),
    "around a guess": (guessed, {"coupler.m": (1.0, 0.1)}),
    "an initial equation": (hanging, {"rev2.phi": (0.5, 0.05)}),
}


@pytest.mark.parametrize("case", CASES)
def test_starts_together_are_those_of_ordinary_runs(case):
    build, spread = CASES[case]
    m, random = build(), np.random.default_rng(0)
    columns = {name: mean + deviation * random.normal(size=40) for name, (mean, deviation) in spread.items()}
    tunable = tuple(name for name in columns if ".phi" not in name and ".w" not in name)
    options = {"tunable": tunable} if tunable else {}
    system = system_of(m, **options)
    program = StartProgram(system, prepare(system, None, 0.0, {}), tuple(columns))
    assert program.fits
    found, good = program.starts(columns)
    assert good.all()
    for k in range(0, 40, 5):
        with changed(m, {name: column[k] for name, column in columns.items()}):
            own = system_of(m, **options)
            state = prepare(own, None, 0.0, {})
        # both meet conditions to 1e-11 m or rad, and are as far from one another as the loop magnifies that
        np.testing.assert_allclose(found[k], own.layout.pack(state), rtol=0, atol=1e-9)


def test_runs_have_the_bits_of_their_results_and_impossible_ones_say_why():
    study = lw.sweep(tolerances(), {"crank.length": [0.3, 0.31, 0.33, 2.5]}, 1e-3, step=1e-3,
                     reduce={"angle": lw.final("rev4.phi")})
    assert study.data["status"].values.tolist() == ["ok", "ok", "ok", "failed"]
    assert "rev" in study.data["message"].values[3]  # a crank that long closes no loop
    for k in range(3):
        assert study.data["angle"].values[k] == study.result(k)["rev4.phi"][-1]


def test_far_away_the_ordinary_start_decides():
    """A crank that begins half a turn away: the branch that guesses ask for need not be the one Newton comes to."""
    m = parallelogram()
    system = system_of(m)
    program = StartProgram(system, prepare(system, None, 0.0, {}), ("rev1.phi",))
    _, good = program.starts({"rev1.phi": np.array([1.0, 1.1, 1.0 + np.pi])})
    assert good.tolist() == [True, True, False]


def test_least_squares_of_many():
    random = np.random.default_rng(1)
    A, b = random.normal(size=(5, 7, 4)), random.normal(size=(5, 7))
    expected = [np.linalg.lstsq(A[k], b[k])[0] for k in range(5)]
    np.testing.assert_allclose(least_squares(A, b), expected, rtol=0, atol=1e-12)


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
