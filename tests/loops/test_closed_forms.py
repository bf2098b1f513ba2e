"""Loops in closed form: recognised whoever wrote them, and equal to the numeric solution."""

import casadi as ca
import numpy as np
import pytest
from assembly_models import ASSEMBLIES, driven, largest_difference, moving
from loop_mechanisms import andrews, bricard, fourbar1, slider_crank, stewart, theo_jansen, v_engine
from loop_models import check_laws, fourbar
from ring_models import PLANAR, SPATIAL, random_ring
from test_assemblies import CylinderRRP

import linkwright as lw
from linkwright import assemblies, joints, parts, rotational


def minimal(model):
    return lw.compile(model, formulation="minimal")


def check_closed(system, tolerance=1e-8):
    """From disturbed dependent coordinates: positions, speeds and accelerations by formula and by the sparse solver."""
    e, closed = system.equations, system.equations.explicit
    assert system.code.has_closed_form
    symbols = [e.symbols[name] for name in "tquzdpf"]
    found = ca.Function("closed", symbols, [closed.restore["q"], closed.restore["u"], closed.udot, e.udot,
                                            closed.discriminants, closed.branches])
    state = system.state()

    def evaluate(q, u, d):
        values = found(state.t, q, u, state.z, d, state.p, np.zeros(len(u)))
        return [np.array(value).ravel() for value in values]

    d = np.array(state.d)
    d[closed.branch_places] = evaluate(state.q, state.u, d)[5]
    random = np.random.default_rng(0)
    q, u = state.q.copy(), state.u.copy()
    for places, mobilities in zip(closed.q_places, closed.dependent, strict=True):
        q[places] += random.uniform(-0.4, 0.4, len(places))
        u[mobilities] += random.uniform(-0.4, 0.4, len(mobilities))
    q, u, _, _, discriminants, _ = evaluate(q, u, d)
    np.testing.assert_allclose(q, state.q, atol=tolerance)
    np.testing.assert_allclose(u, state.u, atol=tolerance)
    _, _, udot, numeric, discriminants, _ = evaluate(q, u, d)
    np.testing.assert_allclose(udot, numeric, atol=tolerance * max(1, np.max(np.abs(numeric))))
    assert np.all(discriminants > 0)


# --- assemblies

@pytest.mark.parametrize("name", [name if name in ("JointUSR", "JointSSP", "JointRRP", "JointUPS")
                                  else pytest.param(name, marks=pytest.mark.slow) for name in ASSEMBLIES])
def test_assemblies_move_as_the_numeric_loop(name):
    model = driven(name)
    system = lw.compile(model)
    assert system.minimal and system.code.has_closed_form
    assert system.states == ["drive.phi", "der(drive.phi)"]
    one = lw.simulate(system, 1.0, accuracy=1e-12)
    other = lw.simulate(lw.compile(driven(name), formulation="projection"), 1.0, accuracy=1e-12)
    assert largest_difference(one, other, moving(model)) < 1e-9


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_assemblies_at_their_start(name):
    check_closed(lw.compile(driven(name)))


@pytest.mark.parametrize(("name", "wrong"), [
    ("JointRPR", {"n_axis_ia": [1, 0, 0.1]}), ("JointRPP", {"n_im": [1, 0, 0]}), ("JointPRP", {"n_a": [0, 0.1, 1]}),
    ("JointUPS", {"n1_a": [1.0, 0, 0.1]}), ("JointSUP", {"n1_b": [1, 0, 0]}),
])
def test_axes_that_cannot_work_are_refused(name, wrong):
    given, *_ = ASSEMBLIES[name]
    with pytest.raises(lw.ModelError, match=r"perpendicular|parallel"):
        getattr(assemblies, name)(**given | wrong)


def test_a_v6_of_assemblies_has_no_system_left_and_moves_as_plain_joints():
    system = lw.compile(v_engine(6, CylinderRRP))
    assert len(system.loops) == 6 and system.dof == 1
    assert "no system of equations is left" in system.report(full=True)
    one = lw.simulate(system, 1.0, accuracy=1e-11)
    other = lw.simulate(lw.compile(v_engine(6), formulation="projection"), 1.0, accuracy=1e-11)
    np.testing.assert_allclose(one["bearing.phi"], other["bearing.phi"], atol=1e-7)
    check_laws(one)


def test_code_grows_with_the_cylinders():
    """In proportion; the second six are less simple, for none of them has its crank in line with its cylinder."""
    counts = [lw.compile(v_engine(n, CylinderRRP)).instructions for n in (6, 12)]
    assert counts[1] < 2.1 * counts[0]


def macpherson() -> lw.Model:
    """A wishbone carries the foot of a strut (UPS); what turns on the strut is steered by a tie rod (SSR)."""
    m = lw.Model("MacPherson of assemblies")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.wishbone_joint = joints.Revolute(n=[1, 0, 0], phi=0.05, w=0.5)
    m.wishbone = parts.BodyShape(m=3, r=[0, 0.4, 0], r_cm=[0, 0.2, 0], inertia=[0.04, 0.001, 0.04])
    m.mount, m.rack = parts.Fixed(r=[0.02, 0.3, 0.6]), parts.Fixed(r=[-0.12, 0.05, 0.08])
    m.strut = assemblies.JointUPS(n1_a=[1, 0, 0], n_axis_ia=[0, 0.1, -0.6])
    m.tie_rod = assemblies.JointSSR(rod1_length=0.36, rod1_mass=0.5, n_b=[0, 0.1, -0.6], r_rod2_ib=[-0.12, 0.0, 0.0])
    m.carrier = parts.Body(m=12, r_cm=[0, 0.08, 0.05], inertia=[0.3, 0.3, 0.3])
    m.tube = parts.Body(m=1, r_cm=[0, 0.02, -0.1], inertia=[0.01, 0.01, 0.01])
    m.chain(m.world, m.wishbone_joint, m.wishbone)
    m.connect(m.mount.frame_b, m.strut.frame_a)
    m.connect(m.wishbone.frame_b, m.strut.frame_b)
    m.connect(m.strut.frame_ia, m.tube.frame_a)
    m.connect(m.strut.frame_ib, m.tie_rod.frame_b)
    m.connect(m.rack.frame_b, m.tie_rod.frame_a)
    m.connect(m.tie_rod.frame_ib, m.carrier.frame_a)
    return m


def test_assemblies_feed_one_another():
    system = lw.compile(macpherson())
    assert [closure.name for closure in system.mechanism.closures] == ["strut.ball", "tie_rod.rod1"]
    check_closed(system)
    one = lw.simulate(system, 0.3, accuracy=1e-12)
    other = lw.simulate(lw.compile(macpherson(), formulation="projection"), 0.3, accuracy=1e-12)
    names = ["wishbone_joint.phi", "tie_rod.phi", "strut.s", "carrier.frame_a.R.T", "carrier.a_0"]
    assert np.ptp(one["tie_rod.phi"]) > 0.01
    assert largest_difference(one, other, names) < 1e-9


@pytest.mark.parametrize("what", [{"friction": lw.Coulomb(tau=15.0)}, {"s_max": 0.395, "restitution": 0.3}])
def test_friction_and_stops_on_a_dependent_joint(what):
    def run(formulation):
        model = slider_crank()
        for name, value in what.items():
            setattr(model.slider, name, value)
        return lw.simulate(lw.compile(model, formulation=formulation), 1.5, accuracy=1e-11)

    one, other = run("minimal"), run("projection")
    assert one.system.code.has_closed_form and len(one.events) == len(other.events) > 0
    np.testing.assert_allclose(one["bearing.phi"], other["bearing.phi"], atol=1e-8)


# --- plain joints

@pytest.mark.parametrize("letters", [*PLANAR, *SPATIAL])
def test_rings_of_plain_joints(letters):
    """In a plane that no coordinate axis lies in, or in space; on the ground, or on a free body."""
    system = minimal(random_ring(letters, seed=len(letters) + ord(letters[0]), floating=letters[-1] in "RS"))
    assert len(system.mechanism.closures) == 1
    assert "S" not in letters or system.mechanism.closures[0].name == f"j{letters.index('S') + 1}"
    check_closed(system)


@pytest.mark.parametrize("letters", ["usR", "Psu", "Rus", "uPs", "SRu", "sUP", "bPU", "ubR"])
def test_revolutes_through_a_point_are_universal_joints_and_balls(letters):
    """At any angle, in any order, with and without mass between them."""
    system = minimal(random_ring(letters, seed=ord(letters[0]), floating=letters[-1] == "s"))
    found = system.mechanism.closures[0].form.split()[0]
    assert letters.upper().replace("B", "S") in (found, found[::-1])
    check_closed(system)


def test_revolutes_that_miss_one_another_are_no_ball():
    for offset in (0, 1e-6):
        model = random_ring("UsR", seed=1)
        model.j2x.r = np.add(model.j2x.r, offset)
        assert bool(minimal(model).mechanism.closures) == (offset == 0)


def test_fourbar1_of_modelica_is_solved_in_closed_form():
    """Its ball is three revolutes, its universal joint two; 40.32916546 rad after 5 s by independent integration."""
    system = lw.compile(fourbar1())
    assert "closed form: SUP of j3·j4·j5, rev1·rev, j2" in system.report(full=True)
    r = lw.simulate(system, 5.0, accuracy=1e-11)
    numeric = lw.compile(fourbar1(), formulation="projection")
    assert system.instructions < 0.6 * numeric.instructions
    assert largest_difference(r, lw.simulate(numeric, 5.0, accuracy=1e-11), ["j1.phi", "j2.s", "rev.phi"]) < 1e-8
    assert r["j1.phi"][-1] == pytest.approx(40.32916546, abs=2e-8) and r.closure < 1e-12
    check_laws(r)


def test_a_ball_of_revolutes_through_dead_points():
    """Swinging to and fro between positions where the chain is stretched, or an axis comes into line with another."""
    runs = [lw.simulate(lw.compile(random_ring("uPs", seed=2), formulation=name), 2.0, accuracy=1e-11)
            for name in ("minimal", "projection")]
    assert runs[0].counters["exchanges"] > 5 and np.ptp(runs[0]["drive.phi"]) > 3
    assert largest_difference(*runs, ["drive.phi", "j2.s"]) < 1e-9 and runs[0].closure < 1e-9


@pytest.mark.parametrize("cut", [1, 2, 3])
@pytest.mark.parametrize("letters", ["RRR", "RRP", "RPR"])
def test_any_joint_of_a_ring_may_be_cut(letters, cut):
    model = random_ring(letters, seed=5)
    for joint in {model.drive, model.j1, model.j2, model.j3} - {getattr(model, f"j{cut}")}:
        joint.enforce_states = True
    system = minimal(model)
    assert [loop.name for loop in system.loops] == [f"j{cut}"]
    check_closed(system)


@pytest.mark.parametrize(("model", "rings"), [(andrews, 3), (stewart, 5), (lambda: theo_jansen(2), 6)])
def test_mechanisms_of_many_rings(model, rings):
    system = minimal(model())
    assert len(system.mechanism.closures) == rings
    check_closed(system)


def test_the_independent_joint_may_be_any_of_a_loop():
    """A value at its start or `enforce_states` says which; the ring then contains two links as one part."""
    for name in ("rev2", "rev3", "rev4"):
        model = fourbar()
        model.rev1._initial["phi"], model.rev1._initial["w"] = [lw.guess(1.0)], [lw.guess(5.0)]
        getattr(model, name).enforce_states = True
        system = minimal(model)
        assert system.states[0] == f"{name}.phi"
        check_closed(system)


def test_of_joints_nobody_asked_for_the_one_that_turns_fully_is_independent():
    """With crank and rocker exchanged it is the other one on the ground."""
    for crank, rocker, turning in ((0.3, 0.6, "rev1"), (0.6, 0.3, "rev4")):
        model = fourbar()
        model.rev1._initial.clear()
        for part, length in ((model.crank, crank), (model.rocker, rocker)):
            part.r, part.r_cm = [length, 0, 0], [length / 2, 0, 0]
        assert minimal(model).states[0] == f"{turning}.phi"


def test_a_prescribed_joint_is_independent():
    model = fourbar(w=3.0)
    model.speed = rotational.Speed(w_ref=3.0, exact=True)
    model.connect(model.speed.flange, model.rev4.axis)
    model.rev1._initial.clear()
    model.rev4._initial["phi"] = [lw.guess(2.0)]
    system = minimal(model)
    assert ("rev1", 0) in system.mechanism.closures[0].coordinates or system.mechanism.closures[0].name == "rev1"


def test_a_loop_off_the_coordinate_axes_is_planar_too():
    model = fourbar()
    for joint in (model.rev1, model.rev2, model.rev3, model.rev4):
        joint.n = [1, 2, 3]
    along = np.array([3.0, 0, -1]) / np.sqrt(10)  # in the plane
    for part, length in ((model.crank, 0.3), (model.coupler, 0.9), (model.rocker, 0.6)):
        part.r, part.r_cm = length * along, length / 2 * along
    model.ground.r = along
    system = minimal(model)
    assert len(system.mechanism.closures) == 1
    check_closed(system)


def test_lengths_stay_inputs():
    system = lw.compile(fourbar(), formulation="minimal", tunable=["coupler.r"])
    assert system.code.has_closed_form
    check_closed(system)


def test_what_has_no_closed_form_is_left_to_newton():
    assert not minimal(bricard()).mechanism.closures
    assert not lw.compile(bricard()).minimal
    assert lw.compile(fourbar()).minimal and not lw.compile(fourbar(), formulation="projection").minimal


def test_the_discriminant_vanishes_at_a_dead_point():
    """The rocker leads: where crank and coupler are stretched, 1.2 m from end to end, it cannot go on."""
    model = fourbar()
    model.rev1._initial.clear()
    model.rev4._initial["phi"] = [2.0]
    system = minimal(model)
    e, state = system.equations, system.state()
    found = ca.Function("d", [e.symbols[n] for n in "tqudp"], [e.explicit.discriminants])
    stretched = np.pi - np.arccos((1 + 0.6**2 - 1.2**2) / (2 * 0.6))

    def discriminant(angle):
        q = state.q.copy()
        q[e.explicit.independent] = angle
        return float(found(0.0, q, state.u, state.d, state.p))

    assert discriminant(stretched) == pytest.approx(0, abs=1e-12)
    assert discriminant(stretched + 0.01) > 1e-3 > -1e-3 > discriminant(stretched - 0.01)


def rsur(seed: int) -> lw.Model:
    """A crank and a rocker on skew axes, with a rod between them: a cross at the crank, a ball at the rocker."""
    random = np.random.default_rng(seed)
    axes, arms, n = random.normal(size=(2, 3)), random.uniform(-0.4, 0.4, (2, 3)), random.normal(size=(2, 3))
    far = np.array([1.0, 0, 0]) + random.uniform(-0.3, 0.3, 3)
    m = lw.Model(f"RSUR {seed}")
    m.world, m.side = lw.World(), parts.FixedTranslation(r=far)
    m.r1, m.r2 = joints.Revolute(n=axes[0], phi=0.0, w=1.0), joints.Revolute(n=axes[1])
    m.crank, m.rocker = (parts.BodyShape(m=1, r=r, r_cm=r / 2, inertia=[0.1] * 3) for r in arms)
    m.ball, m.cross = joints.Spherical(), joints.Universal(n_a=n[0], n_b=np.cross(*n))
    m.tip, m.mass = parts.FixedTranslation(r=arms[0] - far - arms[1]), parts.Body(m=1, r_cm=[-0.1, 0, 0])
    m.chain(m.world, m.r1, m.crank)
    m.chain(m.world, m.side, m.r2, m.rocker, m.ball, m.tip, m.cross)
    m.connect(m.cross.frame_b, m.crank.frame_b)
    m.connect(m.mass.frame_a, m.ball.frame_b)
    return m


@pytest.mark.parametrize("seed", range(3))
def test_skew_four_bars_with_a_universal_joint_and_a_ball(seed):
    runs = [lw.simulate(lw.compile(rsur(seed), formulation=f), 0.2) for f in ("projection", "minimal")]
    np.testing.assert_allclose(runs[0]["rocker.r_0"], runs[1]["rocker.r_0"], atol=1e-6)
    assert runs[1].system.dof == 1


def test_a_ring_that_leaves_no_freedom_is_a_frame():
    """A beam on a hinge and a stay: the stay carries half of the weight at 45 degrees."""
    m = lw.Model("shelf")
    m.world, m.lever, m.beam = lw.World(), joints.Revolute(), parts.BodyShape(m=2, r=[1, 0, 0], r_cm=[0.5, 0, 0])
    m.stay, m.wall = joints.SphericalSpherical(rod_length=2**0.5), parts.Fixed(r=[0, 1, 0])
    m.chain(m.world, m.lever, m.beam)
    m.connect(m.beam.frame_b, m.stay.frame_a)
    m.connect(m.wall.frame_b, m.stay.frame_b)
    for formulation in ("projection", "minimal"):
        r = lw.simulate(lw.compile(m, formulation=formulation), 0.1)
        np.testing.assert_allclose(np.abs(r["stay.f_rod"]), 9.80665 * 2**0.5, rtol=1e-8)
        np.testing.assert_allclose(r["lever.phi"], 0, atol=1e-9)


def test_a_closed_form_that_leads_elsewhere_is_left_and_said(monkeypatch):
    """The motion is that of projection then, and a message names the form."""
    from linkwright.system import closed_form

    system = lw.compile(fourbar())
    right = lw.simulate(system, 0.2)
    assert not right.messages
    values = closed_form._values

    def off(system, inputs, name):
        found = values(system, inputs, name)
        return found + 1e-3 * (np.arange(len(found)) >= 1) if name == "closed" else found

    monkeypatch.setattr(closed_form, "_values", off)
    r = lw.simulate(system, 0.2)
    assert len(r.messages) == 1 and "RRR of" in r.messages[0] and "does not lead" in r.messages[0]
    np.testing.assert_allclose(r["rev4.phi"], right["rev4.phi"], atol=1e-7)
