"""Derivatives of what is solved for: equilibria, assembled states, eigenvalues, one discrete step."""

import numpy as np
import pytest
from derivative_models import fourbar, pendulum

import linkwright as lw
from linkwright import forces, joints, parts, rotational
from linkwright.compiler import changed


def differences(model, name, value, h, study):
    found = []
    for step in (h, -h):
        with changed(model, {name: value + step}):
            found.append(np.asarray(study(model)))
    return (found[0] - found[1]) / (2 * h)


def hanging():
    """A pendulum on a spring: gravity turns it by an angle that no formula gives."""
    m = lw.Model("hanging")
    m.world = lw.World(g=9.81)
    m.rev = joints.Revolute(phi=lw.guess(-0.5))
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.01, 0.01, 0.02])
    m.spring, m.damper = rotational.Spring(c=5.0), rotational.Damper(d=0.2)
    m.chain(m.world, m.rev, m.body)
    for element in (m.spring, m.damper):
        m.connect(m.rev.support, element.flange_a)
        m.connect(m.rev.axis, element.flange_b)
    return m


def held_four_bar():
    m = fourbar()
    m.spring, m.damper = rotational.Spring(c=30.0, phi_rel0=0.8), rotational.Damper(d=0.3)
    for element in (m.spring, m.damper):
        m.connect(m.rev1.support, element.flange_a)
        m.connect(m.rev1.axis, element.flange_b)
    return m


CASES = {"pendulum": (hanging, {"spring.c": 5.0, "body.m": 1.0}, "rev.phi"),
         "four-bar": (held_four_bar, {"spring.c": 30.0, "spring.phi_rel0": 0.8, "coupler.m": 1.0}, "rev4.phi")}


@pytest.mark.parametrize("case", CASES)
def test_equilibria_move_with_parameters(case):
    made, by, output = CASES[case]
    m = made()
    state = lw.equilibrium(m, sensitivities=list(by))
    for name, value in by.items():
        found = differences(m, name, value, 1e-4, lambda m: lw.equilibrium(m).get(output))
        assert state.sensitivity(output, name) == pytest.approx(found, rel=1e-6)
    if case == "four-bar":
        tips = [state.sensitivity(f"{name}.frame_b.r_0", "spring.c") for name in ("coupler", "rocker")]
        assert np.abs(tips[0] - tips[1]).max() < 1e-9


def test_a_mass_on_a_spring_exactly():
    """s = m g/c: ∂s/∂m = g/c, ∂s/∂c = −m g/c²."""
    m = lw.Model("balance")
    m.world = lw.World(g=9.81)
    m.slide, m.body = joints.Prismatic(n=[0, -1, 0], s=lw.guess(0.1)), parts.Body(m=2.0)
    m.spring = forces.Spring(c=50.0, s_unstretched=0.0)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.body.frame_a, m.spring.frame_b)
    state = lw.equilibrium(m, sensitivities=["body.m", "spring.c"])
    assert state.sensitivity("slide.s", "body.m") == pytest.approx(9.81 / 50, rel=1e-9)
    assert state.sensitivity("body.r_0", "spring.c") == pytest.approx([0, 2 * 9.81 / 50**2, 0], rel=1e-9, abs=1e-15)
    assert state.sensitivity("body.r_0[1]", "spring.c") == pytest.approx(2 * 9.81 / 50**2, rel=1e-9)
    with pytest.raises(lw.ModelError, match="body.n"):
        state.sensitivity("body.nonsense", "body.m")
    with pytest.raises(lw.ModelError, match="spring.s_unstretched"):
        state.sensitivity("slide.s", "spring.s_unstretched")
    with pytest.raises(lw.ModelError, match="sensitivities="):
        lw.equilibrium(m).sensitivity("slide.s", "body.m")
    with pytest.raises(lw.ModelError, match="start value"):
        lw.equilibrium(m, sensitivities=["slide.s"])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", ["eigenvalue", "frequency", "damping"])
def test_eigenvalues_change_with_parameters(case, quantity):
    """The equilibrium moves too, and the stiffness of gravity with it."""
    made, by, _ = CASES[case]
    m = made()
    by = by | {"damper.d": {"pendulum": 0.2, "four-bar": 0.3}[case]}
    modes = lw.modes(m, sensitivities=list(by))
    for name, value in by.items():
        found = differences(m, name, value, 1e-4, lambda m: getattr(lw.modes(m), quantity))
        assert modes.sensitivity(quantity, name) == pytest.approx(found, rel=1e-5, abs=1e-7)


def test_an_oscillator_exactly():
    """ω² = c/J: ∂f/∂c = f/(2c), and eigenvalues that two modes share have no derivative."""
    m = lw.Model("two wheels")
    m.world, m.ground = lw.World(), rotational.Fixed()
    for k in range(2):
        setattr(m, f"wheel{k}", rotational.Inertia(J=2.0, phi=0, w=0))
        setattr(m, f"spring{k}", rotational.Spring(c=8.0 + 10 * k))
        m.connect(m.ground.flange, getattr(m, f"spring{k}").flange_a)
        m.connect(getattr(m, f"spring{k}").flange_b, getattr(m, f"wheel{k}").flange_a)
    modes = lw.modes(m, sensitivities=["spring0.c", "wheel1.J"])
    assert modes.frequency == pytest.approx(np.sqrt([4.0, 9.0]) / (2 * np.pi))
    assert modes.sensitivity("frequency", "spring0.c") == pytest.approx([modes.frequency[0] / 16, 0], abs=1e-12)
    assert modes.sensitivity("frequency", "wheel1.J") == pytest.approx([0, -modes.frequency[1] / 4], abs=1e-12)
    m.spring1.c = 8.0
    assert np.isnan(lw.modes(m, sensitivities=["spring0.c"]).sensitivity("frequency", "spring0.c")).all()
    with pytest.raises(lw.ModelError, match="period"):
        modes.sensitivity("period", "spring0.c")


def test_pendulum_about_a_given_state():
    """About a state that is given nothing else moves: λ² = −(m g l sin φ…)/J of that state."""
    m = pendulum()
    state = lw.compile(m).state()
    modes = lw.modes(m, state, sensitivities=["damper.d"])
    found = differences(m, "damper.d", 0.1, 1e-5, lambda m: lw.modes(m, lw.compile(m).state()).eigenvalue)
    assert modes.sensitivity("eigenvalue", "damper.d") == pytest.approx(found, rel=1e-5, abs=1e-8)


def test_an_assembled_loop_follows_its_lengths():
    m = fourbar()
    by = {"crank.r[0]": (lambda h: [0.3 + h, 0, 0]), "ground.r[0]": (lambda h: [1 + h, 0, 0])}
    state = lw.assemble(m, sensitivities=[*by, "rev1.phi"])
    for name, shifted in by.items():
        found = []
        for h in (1e-5, -1e-5):
            with changed(m, {name.partition("[")[0]: shifted(h)}):
                found.append(lw.assemble(m).get("rev4.phi"))
        assert state.sensitivity("rev4.phi", name) == pytest.approx((found[0] - found[1]) / 2e-5, rel=1e-7)
    found = differences(m, "rev1.phi", 1.0, 1e-5, lambda m: lw.assemble(m).get("rev4.phi"))
    assert state.sensitivity("rev4.phi", "rev1.phi") == pytest.approx(found, rel=1e-7)


def test_goals_stay_met():
    """The rocker is wanted at 1.7 rad: by a longer crank it stays there, and the crank turns."""
    m = fourbar()
    state = lw.assemble(m, goals={"rev4.phi": 1.7, "rev1.phi": np.nan}, sensitivities=["crank.r[0]"])
    found = []
    for h in (1e-5, -1e-5):
        with changed(m, {"crank.r": [0.3 + h, 0, 0]}):
            found.append(lw.assemble(m, goals={"rev4.phi": 1.7, "rev1.phi": np.nan}).get("rev1.phi"))
    assert state.sensitivity("rev4.phi", "crank.r[0]") == pytest.approx(0, abs=1e-9)
    assert state.sensitivity("rev1.phi", "crank.r[0]") == pytest.approx((found[0] - found[1]) / 2e-5, rel=1e-6)
    with pytest.warns(UserWarning, match="not met"), pytest.raises(lw.ModelError, match="not met"):
        lw.assemble(m, goals={"rev4.phi": 3.0, "rev1.phi": np.nan}, sensitivities=["crank.r[0]"])


def test_one_discrete_step():
    """∂(φ, ω)⁺/∂(φ, ω, τ) of a step, against differences of steps; the state goes on as without."""
    m = pendulum()
    m.motor = rotational.Torque()
    m.connect(m.rev.axis, m.motor.flange)
    names, h = ["rev.phi", "rev.w", "motor.tau"], 1e-5

    def stepped(phi=0.3, w=0.5, tau=0.2, jac=None):
        sim = lw.Simulator(m, h=0.02, accuracy=1e-12)
        sim.reset({"rev.phi": phi, "rev.w": w})
        return sim.step(inputs={"motor.tau": tau}, jac=jac)

    sim = stepped(jac=names)
    for name, key in zip(names, ("phi", "w", "tau"), strict=True):
        value = {"phi": 0.3, "w": 0.5, "tau": 0.2}[key]
        one, other = (stepped(**{key: value + step}) for step in (h, -h))
        for output in ("rev.phi", "rev.w", "rev.a"):
            assert sim.sensitivity(output, name) == pytest.approx((one[output] - other[output]) / (2 * h), abs=1e-7)
    plain = stepped()
    assert sim["rev.phi"] == pytest.approx(plain["rev.phi"], abs=1e-11) and sim.t == plain.t
    sim.step(inputs={"motor.tau": 0.0})
    with pytest.raises(lw.ModelError, match="jac="):
        sim.sensitivity("rev.phi", "rev.w")
    with pytest.raises(lw.ModelError, match="steps = 3"):
        sim.step(steps=3, jac=names)


def test_steps_of_several_instances():
    m = pendulum()
    sim = lw.Simulator(m, h=0.02, n=3)
    sim.reset({"rev.phi": [0.1, 0.2, 0.3]})
    sim.step(jac=["rev.phi", "rev.w"])
    found = sim.sensitivity("rev.phi", "rev.w")
    assert found.shape == (3,) and np.allclose(found, 0.02, atol=1e-4)


@pytest.mark.parametrize("made, names", [(pendulum, ["damper.d", "body.m", "body.r_cm"]),
                                         (fourbar, ["crank.r", "coupler.m", "rocker.inertia"])])
def test_accelerations_by_parameters(made, names):
    """∂u̇/∂p at any state, of trees and of loops, against differences."""
    system = lw.compile(made(), tunable=names, formulation="projection")
    state, h = system.state(), 1e-6
    by_p = system.function(["q", "u", "p"], ["dudot_dp"])(state.q, state.u, state.p)
    udot = system.function(["q", "u", "p"], ["udot"])
    assert by_p.shape == (len(state.u), len(state.p))
    for k, step in enumerate(h * np.eye(len(state.p))):
        central = (udot(state.q, state.u, state.p + step) - udot(state.q, state.u, state.p - step)) / (2 * h)
        np.testing.assert_allclose(by_p[:, k], central, rtol=1e-6, atol=1e-6)
