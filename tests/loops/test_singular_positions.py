"""Through positions where configurations branch: the motion goes on along its momentum, as if nothing were there.

The exact motions are those of one freedom, integrated from their energies.
"""

import numpy as np
import pytest
from loop_mechanisms import four_bars, scott_russell, slider_crank
from loop_models import check_laws, fourbar, rod
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.run.singular_positions import coarse_steps

G = 9.81


def one_freedom(inertia, slope, force, start, t):
    """x of M(x) ẍ + M'(x) ẋ²/2 = force(x) at the times t."""
    def rates(_, y):
        return [y[1], (force(y[0]) - slope(y[0]) * y[1] ** 2 / 2) / inertia(y[0])]

    return solve_ivp(rates, (0, t[-1]), start, "DOP853", t, rtol=1e-13, atol=1e-13).y[0]


def upright_rockers(windows, t):
    """N + 1 rockers turn, N couplers move on a circle."""
    inertia, moment = (windows + 1) / 3 + windows, (windows + 1) / 2 + windows
    return one_freedom(lambda x: inertia, lambda x: 0.0, lambda x: -G * moment * np.cos(x), [np.pi / 2, -1.0], t)


@pytest.mark.parametrize(("windows", "accuracy", "error"), [
    (1, 1e-10, 1e-4), (2, 1e-10, 1e-5), (2, 1e-12, 1e-6), (5, 1e-10, 1e-5),
    pytest.param(40, 1e-10, 1e-5, marks=pytest.mark.slow)])
def test_four_bars_of_the_iftomm_library(windows, accuracy, error):
    """20 s, two full turns of the rockers and eight singular positions, each near the speed that decides the next turn.

    It returns to where it started, upright at 1 m/s, so that errors grow a hundredfold from turn to turn.
    """
    r = lw.simulate(four_bars(windows), 20.0, accuracy=accuracy)
    assert r.system.dof == 1 and r.system.redundant == 0
    check_laws(r)
    assert np.abs(r["coupler0.frame_a.R.T"][:, 0, 1]).max() < 1e-9  # parallel throughout
    assert abs(r["rev0.phi"][-1] - np.pi / 2) > 12
    np.testing.assert_allclose(r["rev0.phi"], upright_rockers(windows, r.t), atol=error)
    assert r.counters["steps"] < 700


def test_four_bars_at_the_default_accuracy():
    r = lw.simulate(four_bars(2), 20.0)
    check_laws(r)
    np.testing.assert_allclose(r["rev0.phi"], upright_rockers(2, r.t), atol=1e-4)


@pytest.mark.parametrize(("accuracy", "tolerance"), [(1e-8, 1e-5), (1e-10, 1e-6), (1e-12, 1e-6)])
def test_scott_russell_goes_round(accuracy, tolerance):
    """Past ±90° of the crank 22 times; the tip stays on its line, the crank turns against the coupler."""
    r = lw.simulate(scott_russell(0.3, 8.0, (0, -1, 0)), 10.0, accuracy=accuracy)
    tip = r["coupler.frame_b.r_0"]
    assert np.abs(tip[:, 0]).max() < max(accuracy, 1e-9)
    # half of the crank, the coupler about the pin, the block on its guide
    exact = one_freedom(lambda x: 1 / 12 + 1 / 4 + 1 / 12 + np.sin(x) ** 2 / 2, lambda x: np.sin(x) * np.cos(x),
                        lambda x: -0.75 * G * np.cos(x), [0.3, 8.0], r.t)
    assert exact[-1] > 60
    np.testing.assert_allclose(r["bearing.phi"], exact, atol=1e4 * accuracy + 1e-8)
    check_laws(r, tolerance=tolerance)
    assert r.counters["steps"] + r.counters["rejected"] < 1500


def test_coupler_and_crank_turn_together_where_momentum_says_so():
    """Begun on the other branch, with the block at the bearing, it stays there."""
    m = scott_russell(0.3, 8.0, (0, -1, 0))
    m.guide._initial["s"] = [lw.guess(0.0)]
    m.pin._initial["phi"] = [lw.guess(3.0)]
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert np.abs(r["guide.s"]).max() < 1e-9
    check_laws(r)


def test_start_in_a_singular_position():
    """Links in line at the start, each with the speed of a parallelogram: that branch is taken."""
    m = lw.Model("in line")
    m.world = lw.World(gravity=None)
    m.rev1, m.rev4 = joints.Revolute(phi=0.0, w=3.0), joints.Revolute(phi=lw.guess(0.0), w=lw.guess(3.0))
    m.rev2, m.rev3 = joints.Revolute(phi=lw.guess(0.0), w=lw.guess(-3.0)), joints.Revolute()
    m.crank, m.coupler, m.rocker, m.ground = rod(1.0), rod(1.0), rod(1.0), parts.Fixed(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler, m.rev3)
    m.chain(m.ground, m.rev4, m.rocker)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    np.testing.assert_allclose(r["rev4.phi"], 3 * r.t, atol=1e-7)
    np.testing.assert_allclose(r["rev1.phi"], 3 * r.t, atol=1e-7)
    check_laws(r)


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_every_stepper_passes(method):
    r = lw.simulate(four_bars(2), 3.0, method=method, **({"h": 1e-3} if method == "rk4" else {"accuracy": 1e-9}))
    np.testing.assert_allclose(r["rev0.phi"], upright_rockers(2, r.t), atol=1e-6)
    assert r.closure < 1e-9


def test_results_between_the_steps_near_a_singular_position():
    """A step is done again as it was, with all its stages closed, when somebody asks for what lies within."""
    r = lw.simulate(four_bars(2), 1.2, accuracy=1e-10)
    t = np.linspace(0.6, 0.8, 301)  # lies down at 0.71 s
    exact = upright_rockers(2, np.append(t, 1.2))[:-1]
    np.testing.assert_allclose(r.at(t)["rev0.phi"], exact, atol=1e-8)


@pytest.mark.parametrize("formulation", ["projection", "minimal"])
def test_a_motion_that_ends_is_said_to(formulation):
    """A rocker driven past its end: crank against coupler, 0.6 m from the crank's bearing, at cos φ = −5/6."""
    m = fourbar(phi=lw.guess(1.0), w=lw.guess(0.0))
    m.rev4._initial.pop("phi")
    m.prescribe(m.rev4.phi, 1.8 + 0.5 * lw.time)
    with pytest.raises(lw.SingularError, match="dead point.*motion given to rev4") as caught:
        lw.simulate(lw.compile(m, formulation=formulation), 5.0)
    end = (np.arccos(-5 / 6) - 1.8) / 0.5
    assert caught.value.time == pytest.approx(end, abs=1e-5)
    assert {"rev1", "rev2", "rev3"} <= set(caught.value.components)
    assert caught.value.result["rev4.phi"][-1] == pytest.approx(np.arccos(-5 / 6), abs=1e-5)


def floating(lengths) -> lw.Model:
    """A ring of four links without a world to hold on to."""
    m = lw.Model("ring")
    m.world = lw.World(gravity=None)
    for k, length in enumerate(lengths):
        setattr(m, f"link{k}", parts.BodyShape(m=1.0 + k, r=[length, 0, 0], r_cm=[length / 2, 0, 0],
                                               inertia=[0.01, 0.1, 0.1]))
        setattr(m, f"rev{k}", joints.Revolute(phi=lw.guess(1.6)) if k else joints.Revolute(phi=1.3, w=2.0))
    m.chain(m.link0, m.rev0, m.link1, m.rev1, m.link2, m.rev2, m.link3, m.rev3)
    m.connect(m.rev3.frame_b, m.link0.frame_a)
    return m


@pytest.mark.parametrize("accuracy", [1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("lengths", [(1.0, 0.7, 0.9, 0.8), (1.0, 0.6, 1.0, 0.6)])
def test_a_floating_ring_through_its_change_points_is_as_accurate_as_asked_for(lengths, accuracy):
    system = lw.compile(floating(lengths), formulation="projection")
    for factor in (1.0, 1.7, 2.3):
        state = system.state()
        state.u = factor * state.u
        r = lw.simulate(system, 5.0, state=state, accuracy=accuracy)
        assert np.ptp(r["kinetic_energy"]) < 300 * accuracy * r["kinetic_energy"][0]
        assert r.closure < 1e-12 and not r.messages


def test_positions_that_are_not_singular_cost_nothing():
    """A slider-crank is projected once or twice a step, although pivots of its factorisation nearly vanish."""
    r = lw.simulate(lw.compile(slider_crank(), formulation="projection"), 10.0)
    assert r.counters["projections"] < 3 * r.counters["steps"]


def test_a_step_that_rounding_spoils_is_told():
    class Coarse:
        accuracy, coarsest = 1e-10, (3e-9, 1.25)

    assert coarse_steps(Coarse()) == ["close to a singular position at t = 1.25 s rounding left an error of 3.0e-09 in "
                                      "a step (accuracy 1e-10)"]
    Coarse.coarsest = (9e-10, 1.25)
    assert coarse_steps(Coarse()) == []


@pytest.mark.parametrize("mass", [1e-9, 1e9])
def test_the_unit_of_mass_does_not_matter(mass):
    """Redundant loops included: ε is in proportion to what constraints give way."""
    def run(mass):
        m = fourbar()
        for part in (m.crank, m.coupler, m.rocker):
            part.m, part.inertia = mass * part.m, mass * np.asarray(part.inertia)
        return lw.simulate(lw.compile(m, formulation="projection"), 2.0, accuracy=1e-10)

    np.testing.assert_allclose(run(mass)["rev1.phi"], run(1.0)["rev1.phi"], atol=1e-9)


def folding_rhombus():
    """Four equal rods on a turning table, driven through both ways of folding flat; after a MultiBody test."""
    y = [0, 1, 0]
    m = lw.Model("rhombus")
    m.world = lw.World()
    m.table = joints.Revolute(n=[1, 0, 0], w=2 * np.pi)
    m.tilt = parts.FixedRotation(rotation_type="sequence", sequence=(2, 3, 1), angles=[np.pi / 2, np.pi / 4, 0])
    m.j1, m.j3 = joints.Revolute(n=y), joints.Revolute(n=y, phi=np.pi / 2, w=0)
    m.j4, m.cut = joints.Revolute(n=y, phi=lw.guess(np.pi / 2)), joints.Revolute(n=y)
    m.b = [parts.BodyCylinder(r=[1, 0, 0], diameter=0.2) for _ in range(4)]
    m.chain(m.world, m.table, m.tilt, m.j1, m.b[0], m.j3, m.b[1], m.j4, m.b[2], m.cut, m.b[3])
    m.connect(m.b[3].frame_b, m.j1.frame_a)
    m.motor = rotational.Torque(tau=1000)
    m.connect(m.motor.flange, m.j1.axis)
    return m


def test_a_rhombus_folds_both_ways_in_either_formulation():
    """Where the links of the closed form fold onto each other, and where the side between its pins vanishes."""
    runs = [lw.simulate(lw.compile(folding_rhombus(), formulation=f), 0.8, accuracy=1e-8, step=0.02)
            for f in ("projection", "minimal")]
    for r in runs:
        assert r.counters["steps"] < 100
    for name in ("j1.phi", "j1.w", "table.w"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-6)
    assert runs[0]["j1.phi"][-1] > 2 * np.pi


def test_where_no_step_succeeds_the_closed_form_is_left(monkeypatch):
    """A closed form that breaks down in a way no discriminant tells: the run goes on by projection, and says so."""
    from linkwright.integrate import Stepper

    system = lw.compile(fourbar(), formulation="minimal")
    expected = lw.simulate(system, 0.5)
    run = Stepper.run

    def stumbling(self, t_stop, **options):
        if self.t < 0.25 <= t_stop:
            run(self, 0.25, **options)
            assert self.on_failure(self)
            assert not self.on_failure(self)
        return run(self, t_stop, **options)

    monkeypatch.setattr(Stepper, "run", stumbling)
    r = lw.simulate(system, 0.5)
    assert any("in closed form" in message and "projection" in message for message in r.messages)
    name = next(name for name in r.names if name.endswith(".phi"))
    np.testing.assert_allclose(r[name], expected[name], atol=1e-6)
