"""Linear models, modes and inverse dynamics, with and without loops."""

import numpy as np
import pytest
from test_assemble_and_equilibrium import arm, fourbar

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational


def pendulum():
    m = lw.Model("pendulum")
    m.world = lw.World(g=9.81)
    m.rev = joints.Revolute(phi=-np.pi / 2)
    m.body = parts.Body(m=2.0, r_cm=[0.5, 0, 0], inertia=[0, 0, 0.1])
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.motor.flange, m.rev.axis)
    return m


def test_linear_pendulum():
    lin = lw.linearize(pendulum(), outputs=["body.v_0", "rev.a"])
    J = 0.1 + 2 * 0.25
    np.testing.assert_allclose(lin.A, [[0, 1], [-2 * 9.81 * 0.5 / J, 0]], atol=1e-9)
    np.testing.assert_allclose(lin.B, [[0], [1 / J]], atol=1e-9)
    assert lin.states == ["rev.phi", "der(rev.phi)"] and lin.inputs == ["torque"]
    assert lin.outputs == ["body.v_0[0]", "body.v_0[1]", "body.v_0[2]", "rev.a"]
    np.testing.assert_allclose(lin.C[3], lin.A[1], atol=1e-9)
    np.testing.assert_allclose(lin.D, [[0], [0], [0], [1 / J]], atol=1e-9)


def test_outputs_are_variables_or_entries_of_them():
    m = pendulum()
    whole, entry = lw.linearize(m, outputs=["body.r_0"]), lw.linearize(m, outputs=["body.r_0[1]"])
    assert whole.outputs == [f"body.r_0[{k}]" for k in range(3)]
    assert entry.outputs == ["body.r_0[1]"]
    np.testing.assert_array_equal(entry.C, whole.C[1:2])
    with pytest.raises(lw.ModelError, match="3 entries"):
        lw.linearize(m, outputs=["body.r_0[3]"])


@pytest.mark.filterwarnings("error")
def test_a_course_may_use_functions_of_numpy():
    """Without a word of CasADi's about them; derivatives are exact."""
    t = np.linspace(0, 1, 11)
    by_numpy, ours = (lw.inverse(pendulum(), {"rev.phi": course}, t)["rev.phi"]
                      for course in (lambda t: np.sin(2 * t), lw.sin(2 * lw.time)))
    np.testing.assert_allclose(by_numpy, ours, rtol=1e-12, atol=1e-12)


def test_a_loop_has_two_states_and_the_linear_model_follows_the_motion():
    m = fourbar(phi=1.0, w=2.0)
    system = lw.compile(m)
    state = system.state()
    lin = lw.linearize(system, state)
    assert len(lin.states) == 2
    k = system.part_names("u").index(lin.states[1])
    # against the motion itself: the difference of two neighbouring runs after a short time
    near = state.copy()
    name, eps = lin.states[0], 1e-4
    near = lw.assemble(system, near=near, goals={name: near.get(name) + eps})
    near.u = state.u.copy()
    weights = np.ones(system.mechanism.nu)
    weights[k] = np.inf
    near = system.assemble(near, weights)
    change = (near.get("udot")[k] - state.get("udot")[k]) / eps
    assert change == pytest.approx(lin.A[1, 0], rel=2e-3)


def test_a_free_body_in_tangent_coordinates():
    """A torque-free spinning body: small changes of attitude are carried round with the spin."""
    m = lw.Model("free")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1, inertia=[0.3, 0.2, 0.1], w_0=[0, 0, 2.0], r_0=[0, 0, 0], v_0=[0, 0, 0],
                        angles=[0, 0, 0])
    lin = lw.linearize(m)
    assert lin.A.shape == (12, 12)
    w = np.array([0, 0, 2.0])
    # δ̇ = u − ω × δ in body axes, and Euler's equations about ω
    skew = np.array([[0, -2.0, 0], [2.0, 0, 0], [0, 0, 0]])
    turn = [k for k, name in enumerate(lin.states) if ".delta" in name][:3]
    np.testing.assert_allclose(lin.A[np.ix_(turn, turn)], -skew, atol=1e-9)
    inertia = np.diag([0.3, 0.2, 0.1])
    euler = np.linalg.solve(inertia, np.array([np.cross(inertia @ w, e) - np.cross(w, inertia @ e)
                                               for e in np.eye(3)]).T)
    speeds = [6, 7, 8]
    np.testing.assert_allclose(lin.A[np.ix_(speeds, speeds)], euler, atol=1e-9)


def test_a_rolling_wheel_has_five_coordinates_and_three_speeds():
    m = lw.Model("wheel")
    m.world = lw.World(n=[0, 0, -1])
    m.wheel = parts.RollingWheel(radius=0.3, m=2, I_axis=0.09, I_long=0.045, der_angles=[0, 4.0, 0])
    lin = lw.linearize(m)
    assert len(lin.states) == 8 and lin.A.shape == (8, 8)
    # leaning over by δ, it falls: m g r δ against I_long + m r² about the point of contact
    lean = lin.states.index("wheel.delta[0]")
    speed = lin.states.index("wheel.u[0]")
    assert lin.A[speed, lean] == pytest.approx(2 * 9.80665 * 0.3 / (0.045 + 2 * 0.09), rel=1e-6)


def test_modes_of_two_masses_on_springs():
    m = lw.Model("masses")
    m.world = lw.World(gravity=None)
    m.p1, m.p2 = joints.Prismatic(n=[1, 0, 0]), joints.Prismatic(n=[1, 0, 0])
    m.b1, m.b2 = parts.Body(m=1.0), parts.Body(m=1.0)
    m.chain(m.world, m.p1, m.b1, m.p2, m.b2)
    for k, joint in enumerate((m.p1, m.p2)):
        spring = translational.Spring(c=100.0)
        setattr(m, f"spring{k}", spring)
        m.connect(joint.support, spring.flange_a)
        m.connect(joint.axis, spring.flange_b)
    found = lw.modes(m)
    golden = (np.sqrt(5) - 1) / 2
    np.testing.assert_allclose(found.frequency, 10 * np.array([golden, 1 / golden]) / (2 * np.pi), rtol=1e-8)
    np.testing.assert_allclose(found.damping, 0, atol=1e-8)
    # amplitudes of the relative displacements: x₂/x₁ = 1/golden and −golden for absolute ones
    ratio = (found.shape[0] + found.shape[1]) / found.shape[0]
    np.testing.assert_allclose(ratio.real, [1 / golden, -golden], rtol=1e-6)


def test_damping_of_a_mode():
    m = lw.Model("damped")
    m.world = lw.World(gravity=None)
    m.slide, m.body = joints.Prismatic(n=[1, 0, 0]), parts.Body(m=2.0)
    m.spring = translational.SpringDamper(c=200.0, d=4.0)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.slide.support, m.spring.flange_a)
    m.connect(m.slide.axis, m.spring.flange_b)
    found = lw.modes(m)
    assert found.frequency == pytest.approx([10 / (2 * np.pi)], rel=1e-9)
    assert found.damping == pytest.approx([4 / (2 * np.sqrt(400))], rel=1e-9)


def test_the_mode_of_a_loop_is_its_small_swing():
    system = lw.compile(fourbar(phi=lw.guess(1.0)))
    rest = lw.equilibrium(system)
    found = lw.modes(system, rest)
    assert len(found.frequency) == 1
    start = lw.assemble(system, near=rest, goals={"rev1.phi": rest.get("rev1.phi") + 1e-3})
    r = lw.simulate(system, 5.0, state=start, accuracy=1e-11, step=1e-3)
    x = r["rev1.phi"] - rest.get("rev1.phi")
    crossings = r.t[1:][(x[1:] < 0) & (x[:-1] >= 0)]
    assert 1 / np.mean(np.diff(crossings)) == pytest.approx(found.frequency[0], rel=1e-3)


def test_inverse_dynamics_of_a_pendulum():
    t = np.linspace(0, 2, 41)
    found = lw.inverse(pendulum(), {"rev.phi": lambda t: 0.5 * lw.sin(2 * t)}, t)
    phi, a = 0.5 * np.sin(2 * t), -2 * np.sin(2 * t)
    np.testing.assert_allclose(found["rev.phi"], 0.6 * a + 9.81 * np.cos(phi), atol=1e-9)


@pytest.mark.parametrize("form", ["expression", "python", "values"])
def test_inverse_dynamics_of_a_loop_balances_power(form):
    """τ ω of the driven crank is the rate of the energy."""
    import math

    t = np.linspace(0, 2, 201)
    course = {"expression": lambda t: 1 + 0.8 * lw.sin(3 * t), "python": lambda t: 1 + 0.8 * math.sin(3 * t),
              "values": 1 + 0.8 * np.sin(3 * t)}[form]
    found = lw.inverse(fourbar(phi=lw.guess(1.0)), {"rev1.phi": course}, t)
    energy = np.array([s.get("kinetic_energy") + s.get("potential_energy") for s in found.states])
    power = found["rev1.phi"] * 2.4 * np.cos(3 * t)
    rate = np.gradient(energy, t, edge_order=2)
    np.testing.assert_allclose(power[3:-3], rate[3:-3], atol=2e-2 * np.max(np.abs(power)))
    assert max(np.max(np.abs(s.get("position_error"))) for s in found.states) < 1e-11


def test_inverse_undoes_forward_dynamics_of_a_loop():
    """What a torque of 0.7 does in a simulation asks for a torque of 0.7."""
    m = fourbar(phi=1.0, w=2.0)
    m.motor = rotational.Torque(tau=0.7)
    m.connect(m.motor.flange, m.rev1.axis)
    r = lw.simulate(m, 0.4, accuracy=1e-12, step=0.002)
    free = fourbar(phi=lw.guess(1.0))
    found = lw.inverse(free, {"rev1.phi": r["rev1.phi"]}, r.t)
    np.testing.assert_allclose(found["rev1.phi"][5:-5], 0.7, atol=1e-4)


def test_too_few_courses_are_refused():
    with pytest.raises(lw.ModelError, match="do not drive every freedom"):
        lw.inverse(arm(2), {"rev0.phi": lambda t: 0 * t}, [0.0, 0.1])


def test_a_force_law_is_part_of_the_linear_model():
    m = lw.Model("line")
    m.world = lw.World(gravity=None)
    m.slide, m.body = joints.Prismatic(n=[1, 0, 0], s=1.0), parts.Body(m=2.0)
    m.spring = forces.SpringDamperParallel(c=50.0, s_unstretched=0.5, d=3.0)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.body.frame_a, m.spring.frame_b)
    np.testing.assert_allclose(lw.linearize(m).A, [[0, 1], [-25, -1.5]], atol=1e-9)


def test_inverse_dynamics_over_many_turns():
    """At constant speed of the crank the work over whole turns is zero; angles of all joints count the turns."""
    speed, turns = 10.0, 3
    t = np.linspace(0, turns * 2 * np.pi / speed, 40 * turns + 1)
    found = lw.inverse(fourbar(phi=lw.guess(1.0)), {"rev1.phi": lambda t: 1 + speed * t}, t)
    tau = found["rev1.phi"]
    assert np.max(np.abs(tau)) > 8
    # equally spaced points of a periodic course: the mean is exact to the last digits
    assert abs(np.mean(tau[:-1])) < 1e-6 * np.max(np.abs(tau))
    np.testing.assert_allclose(tau[40:80], tau[:40], atol=1e-8 * np.max(np.abs(tau)))
    angles = [np.array([state.get(f"rev{k}.phi") for state in found.states]) for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(angles[0] + angles[1] + angles[2] - angles[3],
                               (angles[0] + angles[1] + angles[2] - angles[3])[0], atol=1e-9)
    assert angles[0][-1] - angles[0][0] == pytest.approx(turns * 2 * np.pi)


def test_inverse_dynamics_where_a_point_is_far_from_the_one_before():
    """Four points a turn: too far for Newton's method at once, found all the same."""
    fine = lw.inverse(fourbar(phi=lw.guess(1.0)), {"rev1.phi": lambda t: 1 + 10 * t}, np.linspace(0, 0.2 * np.pi, 41))
    coarse = lw.inverse(fourbar(phi=lw.guess(1.0)), {"rev1.phi": lambda t: 1 + 10 * t}, np.linspace(0, 0.2 * np.pi, 5))
    np.testing.assert_allclose(coarse["rev1.phi"], fine["rev1.phi"][::10], atol=1e-8 * np.max(np.abs(fine["rev1.phi"])))


@pytest.mark.parametrize("formulation", ["minimal", "projection"])
@pytest.mark.parametrize("points", [3, 5, 41])
def test_inverse_kinematics_keeps_to_its_branch_on_any_grid(points, formulation):
    """A slider-crank at 20 rad/s for two seconds, the slide ahead of the crank: s = r cos φ + √(l² − r² sin² φ)."""
    m = lw.Model("slider-crank")
    m.world = lw.World(g=9.81)
    m.crank, m.pin, m.eye = joints.Revolute(phi=lw.guess(0.1)), joints.Revolute(), joints.Revolute()
    m.slide, m.block = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.6)), parts.Body(m=2.0)
    m.web, m.rod = (parts.BodyShape(m=1, r=[x, 0, 0], r_cm=[x / 2, 0, 0], inertia=[0, 0.01, 0.01]) for x in (0.2, 0.5))
    m.chain(m.world, m.crank, m.web, m.pin, m.rod, m.eye)
    m.chain(m.world, m.slide, m.block)
    m.connect(m.eye.frame_b, m.block.frame_a)
    t = np.linspace(0, 2, points)
    found = lw.inverse(lw.compile(m, formulation=formulation), {"crank.phi": lambda t: 20 * t}, t)
    exact = 0.2 * np.cos(20 * t) + np.sqrt(0.25 - (0.2 * np.sin(20 * t)) ** 2)
    np.testing.assert_allclose(found["slide.s"], exact, atol=1e-11)
    np.testing.assert_allclose([state.get("pin.phi") for state in found.states],
                               -20 * t - np.arcsin(0.4 * np.sin(20 * t)), atol=1e-10)


def test_a_course_beyond_reach_is_refused():
    m = fourbar(phi=lw.guess(1.0))
    with pytest.raises(lw.AssemblyError, match=r"between t = 0 and t = 1 the loops cannot follow"):
        lw.inverse(m, {"rev4.phi": lambda t: 2.0 - 2 * t}, [0.0, 1.0])


def test_what_chooses_the_states_of_a_loop_is_no_input():
    for formulation in ("minimal", "projection"):
        linear = lw.linearize(lw.compile(fourbar(), formulation=formulation))
        assert linear.inputs == [] and linear.B.shape == (2, 0)


def spring_law(law) -> lw.Model:
    """A mass of 2 kg at s = 1 µm under a force of the user's own."""
    m = lw.Model("law")
    m.world = lw.World(gravity=None)
    m.slide, m.body = joints.Prismatic(n=[1, 0, 0], s=1e-6, v=0.0), parts.Body(m=2.0)
    m.chain(m.world, m.slide, m.body)
    m.push = forces.WorldForce(force=[law(m.slide), 0, 0])
    m.connect(m.body.frame_a, m.push.frame_b)
    return m


def test_derivatives_are_exact_whatever_the_size_of_the_mechanism():
    lin = lw.linearize(spring_law(lambda slide: -3.0 * lw.sinh(slide.s / 1e-6)), outputs=["slide.a"])
    assert lin.A[1, 0] == pytest.approx(-3.0 * np.cosh(1) / 1e-6 / 2.0, rel=1e-12)
    assert lin.C[0, 0] == lin.A[1, 0]


def test_modes_are_held_where_a_force_jumps():
    lin = lw.linearize(spring_law(lambda slide: lw.where(slide.v < 0, 2.0, 1.0) - 3 * slide.s - 0.5 * slide.v))
    np.testing.assert_allclose(lin.A, [[0, 1], [-1.5, -0.25]], rtol=1e-12)


def test_a_length_is_an_input_that_the_loop_follows():
    """The crank at rest, a coupler longer by δ turns the rocker of 0.6 m by δ/(0.6 sin(coupler − rocker))."""
    system = lw.compile(fourbar(phi=1.0, w=0.0), tunable=["coupler.r"])
    lin = lw.linearize(system, inputs=["coupler.r[0]"], outputs=["rev4.phi"])
    state = system.state()
    between = state.get("rev1.phi") + state.get("rev2.phi") - state.get("rev4.phi")
    assert lin.states[0] == "rev1.phi"
    assert lin.D[0, 0] == pytest.approx(1 / (0.6 * np.sin(between)), rel=1e-10)


@pytest.mark.parametrize("study", [lw.linearize, lw.modes, lambda system, state: lw.equilibrium(system, near=state),
                                   lambda system, state: lw.assemble(system, near=state),
                                   lambda system, state: lw.inverse(system, {"rev1.phi": lw.cos}, [0.0], near=state)])
def test_a_state_of_another_formulation_is_refused(study):
    own, other = (lw.compile(fourbar(phi=1.0), formulation=kind) for kind in ("minimal", "projection"))
    with pytest.raises(lw.ModelError, match="the state belongs to another system"):
        study(own, other.state())


def test_states_of_a_linear_system_can_be_asked_of_any_state():
    m = lw.Model("names")
    m.world = lw.World()
    m.rev, m.ball, m.slide = joints.Revolute(phi=0.3, w=0.7), joints.Spherical(), joints.Prismatic(s=0.1, v=0.2)
    m.one, m.two, m.three = (parts.Body(m=1.0, r_cm=[0.3, 0.1, 0], inertia=[0.1, 0.2, 0.2]) for _ in range(3))
    m.chain(m.world, m.rev, m.one, m.ball, m.two, m.slide, m.three)
    e = m.integral(m.rev.phi)
    m.output("twice", 2 * e)
    m.output("timed", lw.sin(3 * lw.time) * m.rev.phi)
    system = lw.compile(m)
    s = system.state()
    names = lw.linearize(system, s).states
    # small turns of a ball, which are none at the state itself, are no variables
    assert np.all(np.isfinite([s.get(name) for name in names if ".delta[" not in name]))
    assert s.get("der(rev.phi)") == 0.7 and s.get("der(twice)") == 2 * 0.3
    s.t = 0.2
    assert s.get("der(timed)") == pytest.approx(3 * np.cos(0.6) * 0.3 + np.sin(0.6) * 0.7, rel=1e-12)
    assert s.get("der(rev.w)") == pytest.approx(s.get("rev.a"), rel=1e-12)
    assert s.get("der(three.r_0)") == pytest.approx(s.get("three.v_0"), rel=1e-12)
    assert s.get("der(der(three.r_0))") == pytest.approx(s.get("three.a_0"), rel=1e-11)
    r = lw.simulate(system, 0.1)
    np.testing.assert_allclose(r["der(three.r_0)"], r["three.v_0"], atol=1e-12)
    with pytest.raises(lw.ModelError, match="counted from 0"):
        s.get("three.r_0[3]")
