"""Rolling, wheels and gears: no slip and no work where ideal, loss equal to force times slip where not."""

import numpy as np
import pytest
from planar_models import counter_spin, dry_friction_wheel, ideal_wheel, model

import linkwright as lw
from linkwright import planar as pl
from linkwright import rotational


def energy(r):
    return r["kinetic_energy"] + r["potential_energy"]


def sleigh(g=0):
    """A Chaplygin sleigh: a body whose wheel behind the centre of mass cannot skid, free to roll."""
    m = model("sleigh", g)
    m.body = pl.Body(m=2, I=0.3, r=[0.3, 0], v=[1, 0.6], phi=0, w=2)
    m.rod = pl.FixedTranslation(r=[-0.3, 0])
    m.wheel = pl.IdealWheelJoint(radius=0.2)
    m.chain(m.body, m.rod, m.wheel)
    return m


def test_the_ideal_wheel_neither_slips_nor_does_work():
    r = lw.simulate(ideal_wheel(), 10, accuracy=1e-10)
    assert np.max(np.abs(r["wheel.v_lat"])) < 1e-10
    assert np.max(np.abs(r["wheel.v_long"] - 0.3 * r["wheel.w_roll"])) < 1e-10
    # all the work of the engine is kinetic energy: power in at the flange leaves at the frame
    np.testing.assert_allclose(r["kinetic_energy"], 2 * r["inertia.phi"], rtol=1e-9, atol=1e-9)
    frame = "wheel.frame_a"
    power = (r[f"{frame}.fx"] * r[f"{frame}.vx"] + r[f"{frame}.fy"] * r[f"{frame}.vy"]
             + r["wheel.flange_a.tau"] * r["wheel.w_roll"])
    np.testing.assert_allclose(power, 0, atol=1e-9)


def test_a_sleigh_conserves_energy_and_never_skids():
    """With ω and v along the sleigh: v̇ = a ω², ω̇ = −m a v ω/(I + m a²) (Chaplygin)."""
    r = lw.simulate(sleigh(), 5, accuracy=1e-11)
    assert np.max(np.abs(r["wheel.v_lat"])) < 1e-9
    np.testing.assert_allclose(r["kinetic_energy"], r["kinetic_energy"][0], rtol=1e-9)
    v, w, a = r["wheel.v_long"], r["body.w"], 0.3
    scale = 0.3 + 2 * a * a
    np.testing.assert_allclose(r["body.z"], -2 * a * v * w / scale, atol=1e-8)
    assert v[-1] > v[0] and abs(w[-1]) < 0.1 * abs(w[0])  # it ends running straight


def test_dry_friction_wheel_loses_force_times_slip():
    r = lw.simulate(dry_friction_wheel(), 5, accuracy=1e-9)
    force_times_slip = -(r["wheel.f_long"] * r["wheel.v_slip_long"] + r["wheel.f_lat"] * r["wheel.v_slip_lat"])
    np.testing.assert_allclose(r["wheel.loss_power"], force_times_slip, rtol=1e-12, atol=1e-12)
    assert np.all(force_times_slip >= 0)
    # and that is what the energy balance lacks
    lost = 2 * r["inertia.phi"] - r["kinetic_energy"]
    t = r.t
    trapezoid = np.concatenate([[0], np.cumsum((force_times_slip[1:] + force_times_slip[:-1]) / 2 * np.diff(t))])
    np.testing.assert_allclose(lost, trapezoid, atol=2e-3 * lost[-1])


def test_slip_based_wheel_carries_no_load_in_the_air():
    m = model("slip", 0)
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[1, 0], s=0, v=0)
    m.body = pl.Body(m=10, I=1)
    m.wheel = pl.SlipBasedWheelJoint(radius=0.3, N=100, v_adhesion_min=0.05, v_slide_min=0.15, s_adhesion=0.04,
                                     s_slide=0.12, mu_A=0.8, mu_S=0.4,
                                     dynamic_load=lw.where(lw.time < 1, 0, -200))
    m.inertia = rotational.Inertia(J=0.5, phi=0, w=0)
    m.engine = rotational.Torque(tau=5)
    m.chain(m.fixed, m.rail, m.body, m.wheel)
    m.connect(m.engine.flange, m.inertia.flange_a)
    m.connect(m.inertia.flange_b, m.wheel.flange_a)
    r = lw.simulate(m, 2, accuracy=1e-8)
    late = r.t > 1.01
    np.testing.assert_allclose(r["wheel.f_long"][late], 0, atol=1e-12)
    # on the ground it drives nearly without slip: 5 N m against (J + m R²)
    early = r.at(0.9)
    assert early["rail.v"] == pytest.approx(0.3 * early["inertia.w"], rel=0.1)
    assert early["rail.v"] > 0.5


def test_ideal_rolling_down_a_slope():
    """ẍ = g_x m/(m + I/R²), the friction needed is I ẍ/R², the normal force m g_y."""
    m = lw.Model("slope")
    m.world = pl.World(g=9.81, n=[0.5, -1])
    m.body = pl.Body(m=2, I=0.5)
    m.rolling = pl.IdealRolling(R=0.5, x=0.1, phi=0.2, w=0)
    m.connect(m.body.frame_a, m.rolling.frame_a)
    r = lw.simulate(m, 2, accuracy=1e-10)
    gx, gy = 9.81 * np.array([0.5, 1]) / np.hypot(0.5, 1)
    a = gx * 2 / (2 + 0.5 / 0.25)
    np.testing.assert_allclose(r["rolling.x"], 0.1 + a * r.t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(r["rolling.phi"], 0.2 - a * r.t**2 / 2 / 0.5, atol=1e-9)
    np.testing.assert_allclose(r["rolling.N"], 2 * gy, atol=1e-9)
    np.testing.assert_allclose(r["rolling.frame_a.fx"], 0.5 * a / 0.25, atol=1e-8)
    np.testing.assert_allclose(r["rolling.frame_a.t"], 0.5 * r["rolling.frame_a.fx"], atol=1e-8)


def test_counter_spin_loses_what_friction_takes():
    r = lw.simulate(counter_spin(), 3, accuracy=1e-9)
    lost = energy(r)[0] - energy(r)[-1]
    t = np.linspace(0, 3, 20001)
    power = r.at(t)["rolling.loss_power"]
    assert lost == pytest.approx(np.sum((power[1:] + power[:-1]) / 2) * (t[1] - t[0]), rel=1e-5)
    assert np.all(power > -1e-12)


def planetary(radius=(0.3, 0.1)):
    """A planet on a carrier that turns round a fixed sun."""
    m = model("planetary", 0)
    m.fixed = pl.Fixed()
    m.carrier = pl.Revolute(phi=0.0)
    m.drive = rotational.Speed(w_ref=1.0, exact=True)
    m.arm = pl.FixedTranslation(r=[sum(radius), 0])
    m.planet_bearing = pl.Revolute(phi=0.0)
    m.planet = pl.Body(m=1, I=0.01)
    m.mesh = pl.RigidNoLossExternal(r_a=radius[0], r_b=radius[1])
    m.chain(m.fixed, m.carrier, m.arm, m.planet_bearing, m.planet)
    m.connect(m.drive.flange, m.carrier.axis)
    m.connect(m.fixed.frame, m.mesh.frame_a)
    m.connect(m.planet.frame_a, m.mesh.frame_b)
    return m


def test_a_planet_turns_by_the_radii_through_every_direction():
    """Also where the line of centres is upright, and over many turns."""
    r = lw.simulate(planetary(), 20, accuracy=1e-9)
    np.testing.assert_allclose(r["planet.phi"], (1 + 0.3 / 0.1) * r["carrier.phi"], atol=1e-8)
    np.testing.assert_allclose(r["mesh.phi_gear"], r["carrier.phi"], atol=1e-8)
    assert r["carrier.phi"][-1] == pytest.approx(20, abs=1e-8)


def test_internal_gear():
    m = model("ring", 0)
    m.fixed = pl.Fixed()
    m.ring_bearing = pl.Revolute(phi=0)
    m.ring = pl.Body(m=2, I=0.4)
    m.speed = rotational.Torque(tau=0.5)
    m.base = pl.FixedTranslation(r=[0, 0.2])
    m.pinion_bearing = pl.Revolute()
    m.pinion = pl.Body(m=0.5, I=0.002)
    m.mesh = pl.RigidNoLossInternal(r_a=0.1, r_b=0.3)
    m.half = pl.FixedRotation(alpha=np.pi / 2)
    m.chain(m.fixed, m.ring_bearing, m.ring)
    m.chain(m.fixed, m.base, m.half, m.pinion_bearing, m.pinion)
    m.connect(m.speed.flange, m.ring_bearing.axis)
    m.connect(m.pinion.frame_a, m.mesh.frame_a)
    m.connect(m.ring.frame_a, m.mesh.frame_b)
    r = lw.simulate(m, 2, accuracy=1e-10)
    # inside a ring both turn the same way, three times as fast
    np.testing.assert_allclose(r["pinion_bearing.w"], 3 * r["ring_bearing.w"], atol=1e-9)
    np.testing.assert_allclose(r["ring_bearing.w"], 0.5 * r.t / (0.4 + 9 * 0.002), atol=1e-8)
    np.testing.assert_allclose(np.abs(r["mesh.f_n"]) * 0.1, 0.002 * 3 * 0.5 / (0.4 + 9 * 0.002), atol=1e-9)


def test_gear_loads_balance():
    """Force and moment of a mesh on its two wheels cancel."""
    r = lw.simulate(planetary(), 1, accuracy=1e-10)
    a, b = "mesh.frame_a", "mesh.frame_b"
    np.testing.assert_allclose(r[f"{a}.fx"], -r[f"{b}.fx"], atol=1e-10)
    np.testing.assert_allclose(r[f"{a}.fy"], -r[f"{b}.fy"], atol=1e-10)
    dx, dy = r[f"{b}.x"] - r[f"{a}.x"], r[f"{b}.y"] - r[f"{a}.y"]
    moment = r[f"{a}.t"] + r[f"{b}.t"] + dx * r[f"{b}.fy"] - dy * r[f"{b}.fx"]
    np.testing.assert_allclose(moment, 0, atol=1e-10)


def test_differential_shares_torque_evenly():
    m = model("differential", 0)
    m.differential = pl.DifferentialGear()
    m.engine = rotational.Torque(tau=6)
    m.shaft = rotational.Inertia(J=0.1, phi=0, w=0)
    m.left = rotational.Inertia(J=1, phi=0, w=0)
    m.right = rotational.Inertia(J=2)
    m.connect(m.engine.flange, m.shaft.flange_a)
    m.connect(m.shaft.flange_b, m.differential.flange_b)
    m.connect(m.differential.flange_left, m.left.flange_a)
    m.connect(m.differential.flange_right, m.right.flange_a)
    r = lw.simulate(m, 1, accuracy=1e-10)
    np.testing.assert_allclose(2 * r["shaft.phi"], r["left.phi"] + r["right.phi"], atol=1e-9)
    np.testing.assert_allclose(r["left.a"] * 1, r["right.a"] * 2, atol=1e-8)


def test_two_wheels_and_a_differential_drive_a_circle():
    """A cart on two ideal wheels, of which one equation is redundant; the engine's work is kinetic energy."""
    m = model("cart", 0)
    m.body = pl.Body(m=5, I=0.5, r=[0, 0], phi=0)
    m.to_left = pl.FixedTranslation(r=[0, 0.4])
    m.to_right = pl.FixedTranslation(r=[0, -0.4])
    m.wheel_left = pl.IdealWheelJoint(radius=0.1)
    m.wheel_right = pl.IdealWheelJoint(radius=0.1)
    m.left = rotational.Inertia(J=0.01, w=5.0, phi=0)
    m.right = rotational.Inertia(J=0.01, w=7.0, phi=0)
    m.differential = pl.DifferentialGear()
    m.engine = rotational.Torque(tau=0.2)
    m.shaft = rotational.Inertia(J=0.02)
    m.chain(m.body, m.to_left, m.wheel_left)
    m.chain(m.body, m.to_right, m.wheel_right)
    m.connect(m.engine.flange, m.shaft.flange_a)
    m.connect(m.shaft.flange_b, m.differential.flange_b)
    m.connect(m.differential.flange_left, m.left.flange_a)
    m.connect(m.differential.flange_right, m.right.flange_a)
    m.connect(m.left.flange_b, m.wheel_left.flange_a)
    m.connect(m.right.flange_b, m.wheel_right.flange_a)
    r = lw.simulate(m, 3, accuracy=1e-10)
    np.testing.assert_allclose(r["body.w"], 0.1 * (r["right.w"] - r["left.w"]) / 0.8, atol=1e-9)
    # even torques do not turn the cart: its angular velocity stays
    np.testing.assert_allclose(r["body.w"], 0.25, atol=1e-8)
    for side in ("left", "right"):
        assert np.max(np.abs(r[f"wheel_{side}.v_lat"])) < 1e-9
        assert np.max(np.abs(r[f"wheel_{side}.v_long"] - 0.1 * r[f"{side}.w"])) < 1e-9
    gained = r["kinetic_energy"] - r["kinetic_energy"][0]
    np.testing.assert_allclose(gained, 0.2 * (r["shaft.phi"] - r["shaft.phi"][0]), atol=1e-8)


def cart_on_rails(wheel):
    m = model("rail cart", 0)
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[1, 0], s=0, v=0)
    m.body = pl.Body(m=10, I=1)
    m.wheel = wheel
    m.chain(m.fixed, m.rail, m.body, m.wheel)
    return m


def test_an_axle_without_inertia_drives_the_cart():
    """Also where the rail holds the wheel across already: that equation has no force of its own."""
    m = cart_on_rails(pl.IdealWheelJoint(radius=0.3))
    m.engine = rotational.Torque(tau=3)
    m.connect(m.engine.flange, m.wheel.flange_a)
    r = lw.simulate(m, 1)
    np.testing.assert_allclose(r["rail.a"], 3 / 0.3 / 10, atol=1e-9)
    assert r["wheel.phi_roll"][-1] == pytest.approx(0.5 / 0.3, abs=1e-8)
    np.testing.assert_allclose(r["wheel.f_lat"], 0, atol=1e-12)


@pytest.mark.parametrize("wheel", [
    lambda: pl.IdealWheelJoint(radius=0.3, phi_roll=2.0),
    lambda: pl.DryFrictionWheelJoint(radius=0.3, phi_roll=2.0, N=10, v_adhesion=0.1, v_slide=0.3, mu_A=0.8, mu_S=0.4)])
def test_a_loose_axle_turns_with_the_ground(wheel):
    m = model("trailer", 0)
    m.body = pl.Body(m=10, I=1, r=[0, 0], v=[1, 0], phi=0, w=0)
    m.wheel = wheel()
    m.chain(m.body, m.wheel)
    r = lw.simulate(m, 1)
    np.testing.assert_allclose(r["wheel.phi_roll"], 2 + r.t / 0.3, atol=1e-8)
    np.testing.assert_allclose(r["wheel.f_long"], 0, atol=1e-10)


@pytest.mark.parametrize("kind, x, r_b", [(pl.RigidNoLossExternal, 0.5, 0.3), (pl.RigidNoLossInternal, -0.3, 0.5)])
def test_teeth_meet_between_the_wheels_wherever_they_start(kind, x, r_b):
    """The line of centres points where it does, and the force of the teeth is the same, from any start."""
    forces = []
    for phi in (0.0, 2.0, 4.0, -7.0, 12.0):
        m = model("wheels", 0)
        m.side = pl.Fixed(r=[x, 0])
        m.base = pl.Fixed()
        m.ja, m.jb = pl.Revolute(phi=phi, w=1.0), pl.Revolute()
        m.a, m.b, m.mesh = pl.Body(m=1, I=0.1), pl.Body(m=2, I=0.3), kind(r_a=0.2, r_b=r_b)
        m.chain(m.base, m.ja, m.a)
        m.chain(m.side, m.jb, m.b)
        m.connect(m.a.frame_a, m.mesh.frame_a)
        m.connect(m.b.frame_a, m.mesh.frame_b)
        m.load = rotational.Torque(tau=1.0)
        m.connect(m.load.flange, m.jb.axis)
        r = lw.simulate(m, 0.5, step=0.1)
        np.testing.assert_allclose(np.cos(r["mesh.phi_gear"]), 1.0, atol=1e-9)
        forces.append(r["mesh.f_n"][-1])
    np.testing.assert_allclose(forces, forces[0], rtol=1e-9)


@pytest.mark.parametrize("start", [{}, {"x": 1.0, "phi": 0.5}, {"x": 2.0, "phi": 0.0, "w": 3.0},
                                   {"phi": 1.0, "vx": 1.0}])
def test_rolling_in_the_plane_is_holonomic(start):
    """One freedom, any place and angle to start from, and x + R φ to rounding; on a slope ẍ = g sin α / (1 + I/mR²)."""
    m = lw.Model("disc")
    m.world, m.body = pl.World(g=9.81, n=[0.3, -1]), pl.Body(m=1, I=0.02)
    m.rolls = pl.IdealRolling(R=0.2, **start)
    m.connect(m.body.frame_a, m.rolls.frame_a)
    r = lw.simulate(m, 1.0)
    assert r.system.dof == 1 and len(lw.linearize(r.system).states) == 2
    for name, value in start.items():
        assert r[f"rolls.{name}"][0] == pytest.approx(value, abs=1e-12)
    assert np.ptp(r["rolls.x"] + 0.2 * r["rolls.phi"]) < 1e-14
    slope = 9.81 * 0.3 / np.hypot(0.3, 1) / 1.5
    np.testing.assert_allclose(np.ptp(r["rolls.vx"]), slope, rtol=1e-9)
