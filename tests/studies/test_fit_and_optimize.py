"""Fitting and optimisation with exact derivatives: known minima, estimates within their covariance."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational
from linkwright.studies.gradient import all_differentiated
from linkwright.studies.scores import score_of
from linkwright.studies.varied import Varied


def oscillator(c=9.0, d=0.5, s=1.0):
    m = lw.Model("oscillator")
    m.world, m.wall = lw.World(), translational.Fixed()
    m.spring, m.mass = translational.SpringDamper(c=c, d=d), translational.Mass(m=1.0, s=s, v=0)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    return m


def pendulum(d=0.1, phi=1.0):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=phi, w=0.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0, 0, 0.02])
    m.damper = rotational.Damper(d=d)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    return m


def test_gradients_of_goals_equal_differences():
    made = {"c": 9.0, "d": 0.5, "s": 1.0}
    names = {"c": "spring.c", "d": "spring.d", "s": "mass.s"}
    goals = {
        "formula": lambda m: lw.integral(m.mass.s**2) + 0.5 * lw.final("mass.v") ** 2 - lw.mean("mass.s") / 3,
        "extremes": lambda m: lw.smallest("mass.s") * lw.largest(m.mass.v),
        "time": lambda m: lw.when("mass.s", below=0.0),
    }
    for goal in goals.values():
        m = oscillator(**made)
        value, slope = lw.gradient(m, goal(m), 3.0, list(names.values()), accuracy=1e-11)
        for k, key in enumerate(names):
            values = []
            for h in (1e-4, -1e-4):
                near = oscillator(**{**made, key: made[key] + h})
                values.append(lw.gradient(near, goal(near), 3.0, ["spring.c"], accuracy=1e-11)[0])
            assert slope[k] == pytest.approx((values[0] - values[1]) / 2e-4, rel=2e-6, abs=2e-7)


def test_an_integral_counts_jumps_at_events_that_move():
    """∫ F dt of a force that is on while s < w: it ends where s = ½ F t²/m = w, so ∫ F dt = √(2 F m w)."""

    class Numbers(lw.Model):
        w = lw.parameter(0.5, "where it ends")

    m = lw.Model("pushed")
    m.world, m.data = lw.World(gravity=None), Numbers()
    m.slide, m.body = joints.Prismatic(n=[1, 0, 0], s=0, v=0), parts.Body(m=2.0)
    m.push = forces.WorldForce(force=[lw.where(m.slide.s < m.data.w, 3.0, 0.0), 0, 0])
    m.chain(m.world, m.slide, m.body)
    m.connect(m.body.frame_a, m.push.frame_b)
    value, slope = lw.gradient(m, lw.integral(lw.where(m.slide.s < m.data.w, 3.0, 0.0)), 2.0, ["data.w", "body.m"])
    assert value == pytest.approx(np.sqrt(2 * 3 * 2 * 0.5), abs=1e-7)
    assert slope[0] == pytest.approx(np.sqrt(2 * 3 * 2 / 0.5) / 2, abs=1e-6)
    assert slope[1] == pytest.approx(np.sqrt(2 * 3 * 0.5 / 2) / 2, abs=1e-6)


@pytest.mark.parametrize("solver", ["scipy", "ipopt"])
def test_the_damping_that_brings_an_oscillator_to_rest_fastest(solver):
    """∫ s² dt over all time is least at d = √(c m): with s(0) = 1, ∫ = d/(2c) + m/(2d)."""
    m = oscillator(c=4.0, d=0.3)
    best = lw.optimize(m, lw.integral("mass.s") * 0 + lw.integral(m.mass.s**2), {"spring.d": (0.1, 10)}, 40.0,
                       solver=solver)
    assert best.success
    assert best.values["spring.d"] == pytest.approx(2.0, rel=1e-4)
    assert best.goal == pytest.approx(2 / 8 + 1 / 4, rel=1e-6)
    assert m.spring.d == 0.3  # the model is left as it was
    assert "spring.d" in str(best)


@pytest.mark.parametrize("solver", ["scipy", "ipopt"])
def test_limits_are_kept_and_named(solver):
    m = oscillator(c=4.0, d=0.3)
    least = -lw.smallest("mass.s") <= 0.05
    best = lw.optimize(m, lw.final("spring.d"), {"spring.d": (0.01, 4)}, 10.0, subject_to=[least], solver=solver)
    # the first swing beyond rest: exp(−π ζ/√(1 − ζ²)) = 0.05, d = 2 ζ √(c m)
    zeta = np.log(20) / np.hypot(np.pi, np.log(20))
    assert best.success
    assert best.values["spring.d"] == pytest.approx(4 * zeta, rel=1e-4)
    impossible = lw.optimize(m, lw.final("spring.d"), {"spring.d": (0.01, 0.02)}, 10.0, subject_to=[least], runs=20,
                             solver=solver)
    assert not impossible.success
    assert "smallest(mass.s)" in impossible.message and "exceeded" in impossible.message


def test_limits_by_the_adjoint():
    """Points of a torque that lift a pendulum with least effort: goal and limits go backward over one run each."""
    m = lw.Model("lifted")
    m.world = lw.World(g=9.81)
    m.rev, m.body = joints.Revolute(phi=-np.pi / 2, w=0), parts.Body(m=1.0, r_cm=[0.3, 0, 0])
    m.motor = rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    names = {f"motor.tau[{k}]": (-4, 4) for k in range(26)}
    asked = m, lw.integral(m.motor.tau**2), names, 0.5
    given = {"inputs": {"motor.tau": (np.linspace(0, 0.5, 26), np.full(26, 1.0))}, "tolerance": 1e-4,
             "subject_to": [lw.final("rev.phi") >= -1.0]}
    found = {way: lw.optimize(*asked, adjoint=way, **given) for way in (None, False)}
    for best in found.values():
        assert best.success and best.result["rev.phi"][-1] == pytest.approx(-1.0, abs=1e-4) and len(best.result.t) > 10
    assert found[None].goal == pytest.approx(found[False].goal, rel=1e-4)


def test_gradients_of_several_formulas_from_one_run():
    """Each by the adjoint as forward, which share the run."""
    m = pendulum()
    names = ["damper.d", "rev.phi", "body.m"]
    scores = [score_of(goal) for goal in (lw.integral(m.rev.phi**2) + lw.final("rev.w") ** 2, lw.largest("rev.w"),
                                          3.0 * lw.final("rev.phi", at=0.7))]
    with Varied(m, names, [goal for score in scores for goal in score.goals]) as runs:
        both = [all_differentiated(runs, scores, {}, 2.0, way, accuracy=1e-10) for way in (True, False)]
    assert [one.way for one in both] == ["adjoint", "forward"]
    for (a, backward), (b, forward) in zip(both[0].found, both[1].found, strict=True):
        assert a == pytest.approx(b, abs=1e-8)
        assert np.allclose(backward, forward, rtol=0, atol=1e-7 * np.max(np.abs(forward)))


@pytest.mark.parametrize("solver", ["scipy", "ipopt"])
def test_it_stops_with_the_best_so_far(solver, capsys):
    m = oscillator(c=4.0, d=0.3)
    best = lw.optimize(m, lw.integral(m.mass.s**2), {"spring.d": (0.1, 10)}, 40.0, solver=solver, runs=3, progress=True)
    assert not best.success and "3 runs were not enough" in best.message
    assert best.goal == min(best.history) and len(best.history) == 3
    assert "run 3: goal" in capsys.readouterr().out


def test_several_scenarios():
    """The mean over two masses is least between what is best for each."""
    m = oscillator(c=4.0)
    both = lw.optimize(m, lw.integral(m.mass.s**2), {"spring.d": (0.1, 10)}, 40.0,
                       scenarios=[{"mass.m": 1.0}, {"mass.m": 4.0}])
    assert both.values["spring.d"] == pytest.approx(np.sqrt(4.0 * 2.5), rel=1e-4)


def test_a_fit_finds_what_the_data_were_made_with():
    true, rng = pendulum(), np.random.default_rng(1)
    runs = [lw.simulate(true, 3.0, step=0.05), lw.simulate(pendulum(phi=0.4), 2.0, step=0.04)]
    tables = [{"t": r.t, "rev.phi": r["rev.phi"] + 0.01 * rng.normal(size=len(r.t)),
               "rev.w": r["rev.w"] + 0.05 * rng.normal(size=len(r.t))} for r in runs]
    tables[0]["rev.w"][5:20] = np.nan
    m = pendulum(d=0.3, phi=0.7)
    fit = lw.fit(m, tables, ["damper.d", "body.r_cm[0]"], own=["rev.phi"], noise={"rev.phi": 0.01, "rev.w": 0.05})
    assert fit.success and not fit.unfixed
    true = {"damper.d": 0.1, "body.r_cm[0]": 0.5, "rev.phi (1)": 1.0, "rev.phi (2)": 0.4}
    off = np.array([fit.values[name] - value for name, value in true.items()])
    assert off @ np.linalg.solve(fit.covariance, off) < 18.5  # χ² of four numbers, 1 in 1000
    samples = sum(each.samples for each in fit.data)
    assert abs(fit.chi_squared - samples) < 4 * np.sqrt(2 * samples)
    assert np.allclose(np.diag(fit.correlation), 1)


def test_what_the_data_do_not_fix_is_named():
    """A pendulum of a point mass: the period says nothing of its mass."""
    m = pendulum()
    m.body.inertia, m.damper.d = [0, 0, 0], 0.0
    r = lw.simulate(m, 2.0, step=0.05)
    fit = lw.fit(m, {"t": r.t, "rev.phi": r["rev.phi"]}, ["body.m", "rev.phi"])
    assert fit.unfixed == ["body.m"] and "body.m" in str(fit)
    assert fit.deviations["body.m"] == np.inf and fit.deviations["rev.phi"] < 1e-6


def test_tables_of_every_kind(tmp_path):
    pandas = pytest.importorskip("pandas")
    m = oscillator()
    r = lw.simulate(m, 2.0, step=0.1)
    frame = pandas.DataFrame({"mass.s": r["mass.s"]}, index=r.t)
    frame.rename_axis("t").to_csv(tmp_path / "data.csv")
    start = oscillator(c=7.0)
    for data in (frame, frame.rename_axis("t").to_xarray(), tmp_path / "data.csv"):
        assert lw.fit(start, data, "spring.c").values["spring.c"] == pytest.approx(9.0, rel=1e-6)


def test_friction_of_a_joint_is_found():
    """A number within a law given as a record has a name of its own."""
    def made(tau):
        m = lw.Model("pendulum")
        m.world, m.body = lw.World(), parts.Body(m=1, r_cm=[0.5, 0, 0])
        m.rev = joints.Revolute(phi=1.0, w=0, friction=lw.Coulomb(tau=tau, viscous=0.1))
        m.chain(m.world, m.rev, m.body)
        return m

    r, start = lw.simulate(made(0.3), 2.0, step=0.05), made(0.5)
    fit = lw.fit(start, {"t": r.t, "rev.phi": r["rev.phi"]}, ["rev.friction.tau", "rev.friction.viscous"])
    assert fit.values == pytest.approx({"rev.friction.tau": 0.3, "rev.friction.viscous": 0.1}, abs=1e-6)
    assert start.rev.friction.tau == 0.5


@pytest.mark.parametrize(("change", "said"), [
    ({"noise": {"mass.s": -1}}, "noise: mass.s = -1: a positive number"),
    ({"noise": 0.1}, "noise = 0.1 is not a dict"),
    ({"weights": {"mass.s": float("nan")}}, "weights: mass.s"),
    ({"bounds": {"spring.c": 3}}, "bounds: spring.c = 3: give a range"),
    ({"bounds": {"spring.c": (3, 4)}}, "spring.c begins at 9"),
    ({"data": {"t": [0, 1], "mass.s": ["a", "b"]}}, "mass.s: numbers are needed"),
    ({"data": None}, "no table of measurements"),
    ({"tolerance": "x"}, "tolerance"),
    ({"runs": 0}, "runs = 0"),
])
def test_fits_are_refused_in_our_words(change, said):
    data = change.pop("data", {"t": [0, 1, 2], "mass.s": [1, 2, 3]})
    with pytest.raises(lw.ModelError, match=said):
        lw.fit(oscillator(), data, ["spring.c"], **change)


@pytest.mark.parametrize(("text", "said"), [
    ("t,mass.s\n0,1\n1\n", "line 3: 2 numbers"), ("t,mass.s\n0,1\n1,x\n", "line 3, mass.s: 'x' is no number"),
    ("", "empty")])
def test_files_that_are_no_tables(tmp_path, text, said):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(lw.ModelError, match=said):
        lw.fit(oscillator(), path, ["spring.c"])


@pytest.mark.parametrize(("change", "said"), [
    ({"solver": "snopt"}, "snopt"), ({"values": {"spring.d": 0.1}}, "give a range"), ({"values": ["spring.d"]}, "dict"),
    ({"start": {"spring.d": 20}}, "outside its bounds"), ({"start": {"spring.e": 2}}, "spring.e"),
    ({"scenarios": {"mass.m": 2}}, "a list with one dict"), ({"scenarios": [{"mass.n": 2}]}, "mass.n"),
    ({"runs": 0}, "runs = 0"), ({"subject_to": ["mass.s < 1"]}, "no limit on a goal")])
def test_searches_are_refused_in_our_words(change, said):
    m = oscillator()
    values = change.pop("values", {"spring.d": (0.1, 10)})
    with pytest.raises(lw.ModelError, match=said):
        lw.optimize(m, lw.integral(m.mass.s**2), values, 1.0, **change)


def test_bad_data_and_names_are_refused():
    m = oscillator()
    with pytest.raises(lw.ModelError, match="times"):
        lw.fit(m, {"mass.s": [1, 2]}, ["spring.c"])
    with pytest.raises(lw.ModelError, match="increasing"):
        lw.fit(m, {"t": [0, 0], "mass.s": [1, 2]}, ["spring.c"])
    with pytest.raises(lw.ModelError, match="spring.x"):
        lw.fit(m, {"t": [0, 1], "mass.s": [1, 2]}, ["spring.x"])
    with pytest.raises(lw.ModelError, match="mass.z"):
        lw.fit(m, {"t": [0, 1], "mass.z": [1, 2]}, ["spring.c"])
    with pytest.raises(lw.ModelError, match="low must not be greater"):
        lw.optimize(m, lw.final("mass.s"), {"spring.c": (2, 1)}, 1.0)
    with pytest.raises(lw.ModelError, match="leave nothing"):
        lw.optimize(m, lw.final("mass.s"), {"spring.c": (2, 2)}, 1.0)
    with pytest.raises(lw.ModelError, match="no goal"):
        lw.optimize(m, m.mass.s, {"spring.c": (1, 2)}, 1.0)
    with pytest.raises(lw.ModelError, match="mass.q"):
        lw.gradient(m, lw.final("mass.q"), 1.0, ["spring.c"])
