"""Derivatives of runs: equal to central differences of runs at a finer accuracy, and to closed forms."""

import numpy as np
import pytest
from derivative_models import fourbar, pendulum

import linkwright as lw
from linkwright import forces, joints, parts, rotational
from linkwright.compiler import changed

STOP = 1.0


def differences(model, name, shifted, h, outputs, stop=STOP, **options):
    """Central differences of runs; `shifted(h)` is the value of `name` that is h larger."""
    runs = []
    for step in (h, -h):
        with changed(model, {name: shifted(step)}):
            runs.append(lw.simulate(lw.compile(model, **options), stop, accuracy=1e-12, step=stop / 10))
    return {output: (runs[0][output] - runs[1][output]) / (2 * h) for output in outputs}


def agree(result, found, output, by, tolerance=1e-6):
    """Exact derivatives and differences agree, beside the largest."""
    exact = result.sensitivity(output, by)
    assert np.max(np.abs(exact - found[output])) <= tolerance * np.max(np.abs(found[output]))


PENDULUM = {"damper.d": lambda h: 0.1 + h, "body.m": lambda h: 1.0 + h, "body.r_cm[0]": lambda h: [0.5 + h, 0, 0],
            "rev.phi": lambda h: 1.0 + h, "rev.w": lambda h: 0.3 + h, "world.g": lambda h: 9.80665 + h}


def test_a_pendulum_to_parameters_and_start_values():
    m = pendulum()
    outputs = ("rev.phi", "body.r_0", "rev.a", "rev.frame_b.f")
    r = lw.simulate(m, STOP, accuracy=1e-10, step=STOP / 10, sensitivities=list(PENDULUM))
    for by, shifted in PENDULUM.items():
        found = differences(m, by.partition("[")[0], shifted, 1e-5, outputs)
        for output in ("rev.phi", "rev.a", "rev.frame_b.f"):
            agree(r, found, output, by)


def test_energies_momentum_and_centre_of_mass_have_derivatives():
    """Of E = ½ (I + m l²) ω² − m g l … along the motion: dE/dω₀ = (I + m l²) ω₀ all along, where nothing is lost."""
    m = pendulum()
    m.damper.d = 0.0
    r = lw.simulate(m, STOP, accuracy=1e-10, sensitivities=["rev.w", "body.m"])
    energy = r.sensitivity("kinetic_energy", "rev.w") + r.sensitivity("potential_energy", "rev.w")
    assert np.allclose(energy, (0.02 + 0.25) * 0.3, rtol=0, atol=1e-8)
    assert np.allclose(r.sensitivity("centre_of_mass", "rev.w")[:, :2],
                       r.sensitivity("body.frame_a.R.T", "rev.w")[:, 0, :2] * 0.5, rtol=0, atol=1e-9)
    assert r.sensitivity("momentum[0]", "body.m").shape == r.t.shape
    for way in (True, False):
        _, slope = lw.gradient(m, lw.final("kinetic_energy") + lw.final("potential_energy"), STOP, ["rev.w"],
                               adjoint=way, accuracy=1e-10)
        assert slope == pytest.approx([(0.02 + 0.25) * 0.3], abs=1e-8)


@pytest.mark.parametrize("formulation", [None, "projection", "minimal"])
def test_a_four_bar_to_its_geometry_in_every_formulation(formulation):
    m = fourbar()
    by = {"crank.r[0]": lambda h: [0.3 + h, 0, 0], "coupler.m": lambda h: 1 + h, "rev1.phi": lambda h: 1.0 + h,
          "ground.r[0]": lambda h: [1 + h, 0, 0]}
    system = lw.compile(m, formulation=formulation)
    r = lw.simulate(system, STOP, accuracy=1e-10, step=STOP / 10, sensitivities=list(by))
    for name, shifted in by.items():
        found = differences(m, name.partition("[")[0], shifted, 1e-5, ("rev4.phi", "rev1.frame_b.f"),
                            formulation=formulation)
        agree(r, found, "rev4.phi", name)
        agree(r, found, "rev1.frame_b.f", name)


def test_the_loop_stays_closed_to_first_order():
    r = lw.simulate(fourbar(), STOP, accuracy=1e-8, sensitivities=["crank.r[0]", "crank.r[1]", "rev1.w"])
    for name in ("crank.r[0]", "crank.r[1]", "rev1.w"):
        tip = r.sensitivity("coupler.frame_b.r_0", name) - r.sensitivity("rocker.frame_b.r_0", name)
        assert np.max(np.abs(tip)) < 1e-9


@pytest.mark.parametrize("formulation", [None, "projection", "minimal"])
def test_an_offset_that_no_loop_can_follow_is_refused(formulation):
    """A planar loop cannot be closed again when one of its links steps out of its plane."""
    m = fourbar()
    system = lw.compile(m, tunable=["crank.r"], formulation=formulation)
    for asked in ("crank.r[2]", "crank.r"):
        with pytest.raises(lw.ModelError, match=r"crank.r\[2\]: no change of it can be followed: displacement along z"):
            lw.simulate(system, 0.1, sensitivities=[asked])
    with pytest.raises(lw.ModelError, match=r"crank.r\[2\]"):
        lw.gradient(m, lw.final("rev4.phi"), 0.1, ["crank.r[0]", "crank.r[2]"])
    with pytest.raises(lw.AssemblyError, match=r"gap 0.05 m.*displacement along z"):
        lw.simulate(system, 0.1, inputs={"crank.r": [0.3, 0, 0.05]})


def test_quaternions():
    """A free body without torque: its attitude after a time depends on how fast it began to spin."""
    m = lw.Model("top")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=2, inertia=[0.1, 0.2, 0.35], w_a=[0.2, 2.0, 0.1], v_0=[0.1, 0, 0])
    m.spring = forces.Spring(c=3.0, s_unstretched=0.2)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.arm = parts.FixedTranslation(r=[0.3, 0.1, 0.2])
    m.connect(m.body.frame_a, m.arm.frame_a)
    m.connect(m.arm.frame_b, m.spring.frame_b)
    by = {"spring.c": lambda h: 3.0 + h, "body.w_a[1]": lambda h: [0.2, 2.0 + h, 0.1],
          "arm.r[2]": lambda h: [0.3, 0.1, 0.2 + h]}
    r = lw.simulate(m, STOP, accuracy=1e-10, step=STOP / 10, sensitivities=list(by))
    for name, shifted in by.items():
        found = differences(m, name.partition("[")[0], shifted, 1e-5, ("body.frame_a.R.T", "body.r_0"))
        agree(r, found, "body.frame_a.R.T", name)
        agree(r, found, "body.r_0", name)


def test_hanging_at_rest_neighbours_move():
    """At rest the state says nothing of how fast its neighbours move: tangents take part in choosing the steps."""
    m = lw.Model("hanging")
    m.world = lw.World(g=9.81)
    m.rev = joints.Revolute(phi=-np.pi / 2, w=0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0, 0, 0])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 5.0, sensitivities=["rev.phi", "rev.w"])
    omega = np.sqrt(9.81 / 0.5)
    assert np.allclose(r.sensitivity("rev.phi", "rev.phi"), np.cos(omega * r.t), rtol=0, atol=1e-5)
    assert np.allclose(r.sensitivity("rev.phi", "rev.w"), np.sin(omega * r.t) / omega, rtol=0, atol=1e-5)


def test_inputs_and_any_time():
    """A mass pushed by a constant force: s = F t²/2m, v = F t/m."""
    m = lw.Model("pushed")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(n=[1, 0, 0])
    m.body = parts.Body(m=2.0)
    m.push = forces.WorldForce(force=[m.input("F", default=3.0), 0, 0])
    m.chain(m.world, m.slide, m.body)
    m.connect(m.body.frame_a, m.push.frame_b)
    r = lw.simulate(m, 2.0, sensitivities=["F", "body.m"])
    assert np.allclose(r.sensitivity("slide.s", "F"), r.t**2 / 4, atol=1e-9)
    assert r.at(1.234).sensitivity("slide.v", "body.m") == pytest.approx(-3.0 * 1.234 / 4, abs=1e-9)


def test_stiff_runs():
    """The implicit method carries tangents by the same linear equations."""
    m = pendulum()
    m.damper.d = 40.0
    r = lw.simulate(m, STOP, accuracy=1e-9, method="radau", step=STOP / 10, sensitivities=["damper.d", "rev.phi"])
    for name, shifted in {"damper.d": lambda h: 40.0 + h, "rev.phi": lambda h: 1.0 + h}.items():
        agree(r, differences(m, name, shifted, 1e-4, ("rev.phi",)), "rev.phi", name)


@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_fixed_steps(method):
    """The derivative is that of the steps themselves, whatever their error is."""
    m = pendulum()
    ends = [lw.simulate(pendulum(phi), STOP, method=method, h=1e-2)["rev.phi"][-1] for phi in (1 - 1e-4, 1 + 1e-4)]
    r = lw.simulate(m, STOP, method=method, h=1e-2, sensitivities=["rev.phi"])
    assert r.sensitivity("rev.phi", "rev.phi")[-1] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=1e-6)


def test_what_cannot_be_differentiated_by_is_said():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="body.n"):
        lw.simulate(m, 1.0, sensitivities=["body.nonsense"])
    with pytest.raises(lw.ModelError, match="sensitivities"):
        lw.simulate(m, 0.1).sensitivity("rev.phi", "damper.d")
    r = lw.simulate(m, 0.1, sensitivities=["damper.d"])
    with pytest.raises(lw.ModelError, match="body.m"):
        r.sensitivity("rev.phi", "body.m")
    with pytest.raises(lw.ModelError, match="rev.phy"):
        r.sensitivity("rev.phy", "damper.d")
    with pytest.raises(lw.ModelError, match="structure"):
        lw.simulate(m, 0.1, sensitivities=["rev.n"])


def test_parameters_that_the_start_solves_for_follow():
    """The mass is what makes the pendulum begin with an acceleration of −5 rad/s²: it changes with the damper."""
    def made(d):
        m = pendulum()
        m.damper.d, m.body.m = d, lw.free(1.0)
        m.init(m.rev.a, -5.0)
        return m

    r = lw.simulate(made(0.1), STOP, accuracy=1e-10, sensitivities=["damper.d"])
    ends = [lw.simulate(made(d), STOP, accuracy=1e-12)["rev.phi"][-1] for d in (0.1 + 1e-5, 0.1 - 1e-5)]
    assert r.sensitivity("rev.phi", "damper.d")[-1] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)


def test_what_is_given_over_time_is_taken_as_given():
    m = pendulum()
    m.push = rotational.Torque()
    m.push.tau = m.input("torque")
    m.connect(m.rev.axis, m.push.flange)
    given = {"torque": ([0, 0.5, 1], [0, 1, 0])}
    r = lw.simulate(m, STOP, accuracy=1e-10, step=STOP / 10, inputs=given, sensitivities=["body.m"])
    runs = []
    for mass in (1 + 1e-5, 1 - 1e-5):
        with changed(m, {"body.m": mass}):
            runs.append(lw.simulate(m, STOP, accuracy=1e-12, step=STOP / 10, inputs=given)["rev.phi"])
    assert np.allclose(r.sensitivity("rev.phi", "body.m"), (runs[0] - runs[1]) / 2e-5, rtol=0, atol=1e-6)
    with pytest.raises(lw.ModelError, match="function of time"):
        lw.simulate(m, STOP, inputs={"torque": lambda t: lw.sin(t)}, sensitivities=["torque"])


def test_a_velocity_given_in_the_worlds_axes_turns_no_body_whose_attitude_is_free():
    """Positions are found before speeds: ∂r/∂v₀ = t e for every point of a free body without gravity."""
    m = lw.Model("thrown")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.3], v_0=[0.5, 0, 1.0], w_0=[0, 3.0, 0])
    m.arm = parts.FixedTranslation(r=[0.3, 0.1, 0.2])
    m.connect(m.body.frame_a, m.arm.frame_a)
    r = lw.simulate(m, 0.5, sensitivities=["body.v_0[2]"])
    expected = np.column_stack([np.zeros((len(r.t), 2)), r.t])
    assert r.sensitivity("arm.frame_b.r_0", "body.v_0[2]") == pytest.approx(expected, abs=1e-9)
