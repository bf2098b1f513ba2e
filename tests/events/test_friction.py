"""Dry friction sticks truly, slips at its limit, and turns exactly its work into heat."""

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational
from linkwright import planar as pl


def test_a_sliding_block_stops_at_the_closed_form_and_stays():
    m = models.slider(v=2.0, mass=2.0, friction=lw.Coulomb(tau=8.0))
    r = lw.simulate(m, 2.0, accuracy=1e-12)
    assert models.times(r) == pytest.approx([0.5], abs=1e-10)
    after = r.t > 0.5
    assert r["s.s"][-1] == pytest.approx(0.5, abs=1e-11)
    assert np.ptp(r["s.s"][after]) == 0 and np.all(r["s.v"][after] == 0)
    assert set(r["s.friction_mode"]) == {0.0, 1.0}


def test_viscous_friction_comes_on_top():
    """v̇ = −c/m v − τ/m: rest at t = m/c ln(1 + c v0/τ)."""
    m = models.slider(v=2.0, friction=lw.Coulomb(tau=3.0, viscous=1.5))
    r = lw.simulate(m, 2.0, accuracy=1e-12)
    assert models.times(r) == pytest.approx([np.log(1 + 1.5 * 2 / 3) / 1.5], abs=1e-10)


def test_it_gives_way_at_the_static_limit():
    m = models.slider(mass=2.0, friction=lw.Coulomb(tau=4.0, peak=1.5))
    models.push(m, 10 * lw.time)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    assert models.times(r) == pytest.approx([0.6], abs=1e-10)
    assert r.at(0.5)["s.f_friction"] == pytest.approx(5.0, abs=1e-9)
    assert r.at(0.8)["s.f_friction"] == pytest.approx(4.0, abs=1e-9)
    assert np.all(r["s.s"][r.t < 0.6] == 0)
    assert r["s.s"][-1] == pytest.approx(0.5 * 0.4**2 + 5 / 6 * 0.4**3, abs=1e-10)


def test_limits_without_a_peak_are_passed_smoothly():
    m = models.slider(friction=lw.Coulomb(tau=4.0))
    models.push(m, 10 * lw.time)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    assert models.times(r) == pytest.approx([0.4], abs=1e-10)
    assert r["s.s"][-1] == pytest.approx(10 / 6 * 0.6**3, abs=1e-10)


def belt(k=100.0, mass=1.0, speed=0.1, sliding=2.0, peak=1.5):
    m = lw.Model("belt")
    m.world = lw.World()
    m.wall = translational.Fixed()
    m.spring = translational.Spring(c=k)
    m.mass = translational.Mass(m=mass, s=0.0, v=speed)
    m.rub = translational.SupportFriction(f_pos=[[0, sliding]], peak=peak)
    m.drive = translational.ConstantSpeed(v_fixed=speed)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    m.connect(m.mass.flange_b, m.rub.flange_a)
    m.connect(m.rub.support, m.drive.flange)
    return m


def test_stick_slip_on_a_belt_has_the_closed_period():
    r = lw.simulate(belt(), 3.0, accuracy=1e-12)
    w, X0, v0 = 10.0, (3.0 - 2.0) / 100, 0.1
    slip, stick = 2 * (np.pi - np.arctan(X0 * w / v0)) / w, 2 * X0 / v0
    released = [e.time for e in r.events if e.direction == -1]
    caught = [e.time for e in r.events if e.direction == 0]
    assert released[0] == pytest.approx(3.0 / 100 / v0, abs=1e-9)
    np.testing.assert_allclose(np.diff(released), slip + stick, atol=1e-8)
    np.testing.assert_allclose(np.array(caught) - released[: len(caught)], slip, atol=1e-8)
    stuck = r["rub.mode"] == 0
    np.testing.assert_allclose(r["mass.v"][stuck], v0, atol=1e-12)


def test_a_brake_holds_a_weight_exactly_until_it_opens():
    m = lw.Model("crane")
    m.world = lw.World(g=10)
    m.rev = joints.Revolute(phi=0.3)
    m.body = parts.Body(m=1.0, r_cm=[1, 0, 0], inertia=[0, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.brake = rotational.Brake(fn_max=30.0, mu_pos=[[0, 0.5]], f_normalized=lw.where(lw.time > 1, 0, 1))
    m.connect(m.rev.axis, m.brake.flange_b)
    r = lw.simulate(m, 1.5, accuracy=1e-12)
    held = r.t <= 1
    assert np.all(r["rev.phi"][held] == 0.3) and np.all(r["rev.w"][held] == 0)
    np.testing.assert_allclose(r["brake.tau"][held], -10 * np.cos(0.3), atol=1e-8)
    # and then it swings like a free pendulum
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert abs(energy[-1] - energy[0]) < 1e-9 and r["rev.phi"][-1] < 0


def test_friction_work_is_what_the_energy_loses():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0, friction=lw.Coulomb(tau=0.3, peak=1.2, viscous=0.05))
    m.body = parts.Body(m=1.0, r_cm=[0, -0.5, 0])
    m.chain(m.world, m.rev, m.body)
    m.integral(m.rev.loss_power, name="heat")
    r = lw.simulate(m, 10.0, accuracy=1e-12)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy[0] - energy, r["heat"], atol=1e-9)
    np.testing.assert_allclose(r["rev.loss_power"], r["rev.tau_friction"] * r["rev.w"], atol=1e-12)
    assert r["rev.friction_mode"][-1] == 0 and r["rev.w"][-1] == 0
    # it rests where friction can hold it, off the vertical
    assert 0 < abs(9.80665 * 0.5 * np.sin(r["rev.phi"][-1])) <= 0.36


def test_friction_and_elastic_stops_turn_what_the_energy_loses_into_heat():
    m = lw.Model("bouncer")
    m.world = lw.World(g=9.81)
    m.rail = joints.Prismatic(n=[0, 1, 0], s=1.0, s_min=0.0, stop=lw.CompliantStop(c=2e3, d=20.0),
                              friction=lw.Coulomb(tau=0.5))
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.rail, m.body)
    m.integral(m.rail.loss_power, name="heat")
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    energy = r["kinetic_energy"] + r["potential_energy"] + 0.5 * 2e3 * np.minimum(r["rail.s"], 0) ** 2
    assert r["rail.s"].min() < -0.05 and r["heat"][-1] > 9
    np.testing.assert_allclose(energy[0] - energy, r["heat"], atol=1e-8)


@pytest.mark.parametrize("name, needed", [("tau_friction", "friction=lw.Coulomb"),
                                          ("tau_stop", "stop=lw.CompliantStop"),
                                          ("loss_power", "friction=lw.Coulomb.* or stop=lw.CompliantStop")])
def test_a_joint_without_friction_says_what_it_needs(name, needed):
    m = lw.Model("bare")
    m.rev = joints.Revolute()
    with pytest.raises(AttributeError, match=f"rev has no {name} without .*{needed}"):
        getattr(m.rev, name)


def test_two_blocks_on_top_of_each_other():
    """The upper one is pulled; the lower one follows through friction, and rubs on the ground itself."""

    def run(pull):
        m = lw.Model("stack")
        m.world = lw.World()
        m.low, m.high = translational.Mass(m=2.0, s=0.0, v=0.0), translational.Mass(m=1.0, s=0.0, v=0.0)
        m.ground = translational.SupportFriction(f_pos=[[0, 3.0]])
        m.between = translational.SupportFriction(f_pos=[[0, 5.0]])
        m.force = translational.Force(f=pull)
        m.connect(m.low.flange_a, m.ground.flange_a)
        m.connect(m.high.flange_a, m.between.flange_a)
        m.connect(m.between.support, m.low.flange_b)
        m.connect(m.force.flange, m.high.flange_b)
        r = lw.simulate(m, 1.0)
        return r["low.a"][-1], r["high.a"][-1], r["ground.mode"][-1], r["between.mode"][-1]

    assert run(2.0) == pytest.approx((0, 0, 0, 0), abs=1e-9)  # nothing moves
    assert run(4.5) == pytest.approx((0.5, 0.5, 1, 0), abs=1e-9)  # both together: (4.5 − 3)/3
    assert run(9.0) == pytest.approx((1.0, 4.0, 1, 1), abs=1e-9)  # (5 − 3)/2 and 9 − 5


def shafts(clutch, w1=10.0, w2=0.0, J1=2.0, J2=1.0):
    m = lw.Model("shafts")
    m.world = lw.World()
    m.one, m.two = rotational.Inertia(J=J1, phi=0.0, w=w1), rotational.Inertia(J=J2, phi=0.0, w=w2)
    m.clutch = clutch
    m.connect(m.one.flange_b, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.two.flange_a)
    return m


def test_a_clutch_locks_at_the_closed_time_with_the_closed_energy():
    m = shafts(rotational.Clutch(fn_max=8.0, mu_pos=[[0, 0.5]], f_normalized=1.0))
    r = lw.simulate(m, 3.0, accuracy=1e-12)
    lock = 10 / (4 / 2 + 4 / 1)
    assert models.times(r) == pytest.approx([lock], abs=1e-10)
    common = 20 / 3
    assert r["one.w"][-1] == pytest.approx(common, abs=1e-10) and r["two.w"][-1] == pytest.approx(common, abs=1e-10)
    lost = r["kinetic_energy"][0] - r["kinetic_energy"][-1]
    assert lost == pytest.approx(0.5 * 2 / 3 * 100, abs=1e-9)


def test_a_one_way_clutch_drives_forwards_and_lets_overtake():
    m = shafts(rotational.OneWayClutch(fn_max=1.0, mu_pos=[[0, 0.0]], f_normalized=0.0), w1=0.0, w2=0.0)
    m.motor = rotational.Torque(tau=lw.where(lw.time > 1, -6, 6))
    m.connect(m.motor.flange, m.one.flange_a)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    driven = r.t <= 1
    np.testing.assert_allclose(r["two.w"][driven], 2 * r.t[driven], atol=1e-9)
    assert r["two.w"][-1] == pytest.approx(2.0, abs=1e-9) and r["one.w"][-1] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.parametrize("mu, stays", [(0.3, True), (0.2, False)])
def test_friction_in_proportion_to_the_reaction(mu, stays):
    """On an incline of slope 0.25 a block stays where mu exceeds the slope."""
    slope = np.arctan(0.25)
    m = lw.Model("incline")
    m.world = lw.World(g=10)
    m.s = joints.Prismatic(n=[np.cos(slope), -np.sin(slope), 0], s=0.0, v=0.0, friction=lw.Coulomb(mu=mu))
    m.body = parts.Body(m=2.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.s, m.body)
    r = lw.simulate(m, 1.0)
    expected = 0 if stays else 10 * (np.sin(slope) - mu * np.cos(slope))
    assert r["s.a"][-1] == pytest.approx(expected, abs=1e-9)


def test_a_journal_bearing_slows_by_its_own_load():
    """A wheel on a loaded journal: J ẇ = −mu r m g."""
    m = lw.Model("wheel")
    m.world = lw.World(g=10)
    m.rev = joints.Revolute(w=4.0, friction=lw.Coulomb(mu=0.1, radius=0.05))
    m.body = parts.Body(m=3.0, r_cm=[0, 0, 0], inertia=[0.1, 0.1, 0.2])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 8.0, accuracy=1e-10)
    assert models.times(r) == pytest.approx([4.0 / (0.1 * 0.05 * 30 / 0.2)], abs=1e-8)


def test_two_brakes_on_one_shaft_share_the_load():
    """Their constraints say the same; each alone could not hold."""
    m = lw.Model("brakes")
    m.world = lw.World(g=10)
    m.rev = joints.Revolute(phi=0.0, w=0.0)
    m.body = parts.Body(m=1.0, r_cm=[1, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.one = rotational.BearingFriction(tau_pos=[[0, 6.0]])
    m.two = rotational.BearingFriction(tau_pos=[[0, 6.0]])
    m.connect(m.rev.axis, m.one.flange_a)
    m.connect(m.one.flange_b, m.two.flange_a)
    r = lw.simulate(m, 1.0)
    assert np.all(np.abs(r["rev.phi"]) < 1e-15)
    np.testing.assert_allclose(r["one.tau"] + r["two.tau"], -10.0, atol=1e-8)


def test_many_elements_slide_and_stick_one_after_another():
    """A row of blocks joined by springs, pulled at one end: every one gives way in its turn, no energy is lost."""
    m = lw.Model("row")
    m.world = lw.World()
    n = 5
    for k in range(n):
        setattr(m, f"b{k}", translational.Mass(m=1.0, s=0.0, v=0.0))
        setattr(m, f"f{k}", translational.SupportFriction(f_pos=[[0, 1.0]], peak=1.3))
        m.connect(getattr(m, f"b{k}").flange_a, getattr(m, f"f{k}").flange_a)
        if k:
            setattr(m, f"s{k}", translational.Spring(c=50.0))
            m.connect(getattr(m, f"b{k - 1}").flange_b, getattr(m, f"s{k}").flange_a)
            m.connect(getattr(m, f"s{k}").flange_b, getattr(m, f"b{k}").flange_b)
    m.pull = translational.Force(f=lw.where(lw.time > 4, 0, 2 * lw.time))
    m.connect(m.pull.flange, m.b0.flange_b)
    m.integral(sum(getattr(m, f"f{k}").loss_power for k in range(n)), name="heat")
    m.integral(m.pull.f * m.b0.v, name="work")
    r = lw.simulate(m, 8.0, accuracy=1e-10)
    first = [next(e.time for e in r.events if e.what == f"f{k}") for k in range(n)]
    assert first == sorted(first) and first[0] == pytest.approx(0.65, abs=1e-9)
    elastic = sum(25.0 * (r[f"b{k}.s"][-1] - r[f"b{k - 1}.s"][-1]) ** 2 for k in range(1, n))
    assert r["work"][-1] == pytest.approx(r["heat"][-1] + elastic + r["kinetic_energy"][-1], abs=1e-8)
    assert all(r[f"f{k}.mode"][-1] == 0 for k in range(n))


class WeakAtRest(translational.SupportFriction):
    """Holds less at rest than it rubs in motion, which no dry friction does."""

    def limit(self, plan):
        return 0.5


def test_friction_without_a_consistent_mode_is_named():
    """Pushed by 0.75 it cannot stick (0.5 at most), nor would it start to slide against 1: as in Painlevé's case."""
    m = lw.Model("paradox")
    m.world = lw.World()
    m.mass = translational.Mass(m=1.0, s=0.0, v=0.0)
    m.rub = WeakAtRest(f_pos=[[0, 1.0]])
    m.force = translational.Force(f=0.75)
    m.connect(m.mass.flange_a, m.rub.flange_a)
    m.connect(m.mass.flange_b, m.force.flange)
    with pytest.raises(lw.SimulationError, match="rub is consistent.*Painlevé"):
        lw.simulate(m, 1.0)


def test_planar_joints_rub_and_stop_too():
    m = lw.Model("planar")
    m.world = pl.World(g=10)
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[1, 0], s=0.0, v=2.0, s_max=0.75, restitution=0.5, friction=lw.Coulomb(mu=0.2))
    m.body = pl.Body(m=3, I=0.1)
    m.chain(m.fixed, m.rail, m.body)
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    # slowed by 2 m/s²: hits at √(4 − 3) = 1 m/s, back at 0.5, rest after 0.25 s
    hit = (2 - 1) / 2
    assert models.times(r) == pytest.approx([hit, hit, hit + 0.25], abs=1e-8)
    assert r["rail.s"][-1] == pytest.approx(0.75 - 0.25 / 4, abs=1e-9)


def test_a_prescribed_joint_needs_its_friction_too():
    m = models.slider(v=1.0, mass=2.0, friction=lw.Coulomb(tau=0.5))
    m.drive = translational.Position(s_ref=lw.sin(lw.time), exact=True)
    m.connect(m.s.axis, m.drive.flange)
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    assert models.times(r) == pytest.approx([np.pi / 2], abs=1e-9)
    needed = -2 * np.sin(r.t) + 0.5 * np.where(r.t < np.pi / 2, 1, -1)
    np.testing.assert_allclose(r["s.f"], needed, atol=1e-7)


def test_a_clutch_between_swinging_arms_only_ever_turns_work_into_heat():
    m = lw.Model("arms")
    m.world = lw.World()
    m.a, m.b = joints.Revolute(phi=1.0, w=0.0), joints.Revolute(phi=-0.5, w=2.0)
    m.one, m.two = parts.Body(m=1.0, r_cm=[0, -1, 0]), parts.Body(m=2.0, r_cm=[0, -0.5, 0])
    m.chain(m.world, m.a, m.one)
    m.chain(m.world, m.b, m.two)
    m.clutch = rotational.Clutch(fn_max=4.0, mu_pos=[[0, 0.5]], peak=1.2, f_normalized=1.0)
    m.connect(m.a.axis, m.clutch.flange_a)
    m.connect(m.b.axis, m.clutch.flange_b)
    m.integral(m.clutch.loss_power, name="heat")
    r = lw.simulate(m, 10.0, accuracy=1e-11)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy + r["heat"], energy[0], atol=1e-9)
    assert len(r.events) == 3 and np.all(np.diff(r["heat"]) > -1e-10)


@pytest.mark.parametrize("force, acceleration", [(3.0, 0.0), (7.0, 3.0), (-7.0, -3.0)])
def test_the_initial_state_knows_whether_it_sticks(force, acceleration):
    m = models.push(models.slider(friction=lw.Coulomb(tau=4.0, peak=1.5)), force)
    system = lw.compile(m)
    assert system.evaluate(system.state(), "s.a") == pytest.approx(acceleration, abs=1e-12)


def test_friction_of_a_wrong_kind_is_refused():
    with pytest.raises(lw.ModelError, match="either f or mu"):
        models.slider(friction=lw.Coulomb())
    with pytest.raises(lw.ModelError, match="Coulomb"):
        models.slider(friction=0.3)
    with pytest.raises(lw.ModelError, match="tau_pos"):
        rotational.BearingFriction(tau_pos=[[1, 0]])


@pytest.mark.parametrize(("table", "beyond"), [([[0, 4], [1, 2]], 2.0), ([[0, 4], [1, 2], [2, 3]], 6.0)])
def test_friction_beyond_its_table_goes_on_rising_but_never_falls(table, beyond):
    m = lw.Model("fast")
    m.world = lw.World()
    m.mass, m.rub = translational.Mass(m=1.0, s=0, v=5.0), translational.SupportFriction(f_pos=table)
    m.connect(m.mass.flange_b, m.rub.flange_a)
    r = lw.simulate(m, 0.1)
    assert r["rub.f"][0] == pytest.approx(beyond)
    assert np.all(r["rub.loss_power"] > 0)


@pytest.mark.parametrize("share, moves", [(1.0 + 1e-3, True), (1.0 - 1e-3, False)])
def test_friction_holds_up_to_its_limit_and_no_more(share, moves):
    m = lw.Model("limit")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(s=0.0, v=0.0, friction=lw.Coulomb(tau=10.0, peak=1.0))
    m.body = parts.Body(m=2.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.slide, m.body)
    m.push = translational.Force(f=10.0 * share)
    m.connect(m.push.flange, m.slide.axis)
    r = lw.simulate(m, 1.0)
    assert r["slide.s"][-1] == pytest.approx(10.0 * (share - 1) / 2.0 / 2 if moves else 0.0, abs=1e-9)
