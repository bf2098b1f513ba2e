"""1-D rotors, mountings and bevel gears on moving parts: Modelica's examples, and the same thing built of bodies."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, forces, joints, parts, rotational


def test_actuated_drive():
    """Rotational3DEffects.ActuatedDrive: a torque in space and one on a mounted rotor give the same motion."""
    m = lw.Model("ActuatedDrive")
    m.world = lw.World(g=0)
    m.body = parts.BodyShape(r=[0.5, 0, 0], m=0, r_cm=[0, 0, 0], I_11=2, I_22=0, I_33=0)
    m.revolute = joints.Revolute(n=[1, 0, 0], phi=0, w=0)
    m.torque = forces.Torque(torque=[blocks.sine(), 0, 0])
    m.fixed = parts.Fixed()
    m.rotor1D = parts.Rotor1D(J=2, phi=0, w=0)
    m.torque1 = rotational.Torque(tau=blocks.sine())
    m.mounting1D = parts.Mounting1D()
    m.connect(m.world.frame_b, m.revolute.frame_a, m.torque.frame_a)
    m.connect(m.revolute.frame_b, m.body.frame_a)
    m.connect(m.torque.frame_b, m.body.frame_b)
    m.connect(m.fixed.frame_b, m.rotor1D.frame_a, m.mounting1D.frame_a)
    m.connect(m.torque1.flange, m.rotor1D.flange_a)
    m.connect(m.mounting1D.flange_b, m.torque1.support)
    r = lw.simulate(m, 1.1, accuracy=1e-10)
    turn = 2 * np.pi
    for name in ("revolute", "rotor1D"):
        # J w' = sin(2π t), J = 2 kg m²
        assert r[f"{name}.w"] == pytest.approx((1 - np.cos(turn * r.t)) / (2 * turn), abs=1e-10)
        assert r[f"{name}.phi"] == pytest.approx((r.t - np.sin(turn * r.t) / turn) / (2 * turn), abs=1e-10)
        # published
        assert r[f"{name}.phi"][-1] == pytest.approx(0.080089002162525152, abs=2e-5)
        assert r[f"{name}.w"][-1] == pytest.approx(0.015194992895787169, abs=2e-5)


def gyroscopic_effects():
    m = lw.Model("GyroscopicEffects")
    m.world = lw.World()
    still = {"angles": [0, 0, 0], "w_rel_a": [0, 0, 0]}
    m.spherical1, m.spherical2 = joints.Spherical(**still), joints.Spherical(**still)
    for k in (1, 3):
        setattr(m, f"bodyCylinder{k}", parts.BodyCylinder(r=[0.25, 0, 0], diameter=0.05))
        setattr(m, f"bodyCylinder{k + 1}", parts.BodyCylinder(r=[0.2, 0, 0], diameter=0.1))
        setattr(m, f"turned{k}", parts.FixedRotation(n=[0, 1, 0], angle=lw.deg(45)))
        setattr(m, f"shift{k}", parts.FixedTranslation(r=[-0.1, 0, 0]))
    m.revolute = joints.Revolute(n=[1, 0, 0], phi=0, w=10)
    m.fixed = parts.Fixed()
    inertia = 7700 * np.pi * 0.05**2 * 0.2 * 0.05**2 / 2
    m.rotor1D = parts.Rotor1D(J=inertia, n=[1, 0, 0], phi=0, w=10)
    m.chain(m.world, m.spherical1, m.bodyCylinder1, m.turned1, m.revolute, m.shift1, m.bodyCylinder2)
    m.chain(m.fixed, m.spherical2, m.bodyCylinder3, m.turned3, m.shift3, m.bodyCylinder4)
    m.connect(m.turned3.frame_b, m.rotor1D.frame_a)
    return m


def test_gyroscopic_effects_of_a_rotor_equal_those_of_a_body():
    """Rotational3DEffects.GyroscopicEffects: the rotor as a body of its own and as a 1-D rotor on its carrier."""
    r = lw.simulate(gyroscopic_effects(), 5.0, accuracy=1e-11)
    # published; the two halves differ there by 3e-5
    published = {"revolute": (50.863573432126614, 4.8252478347738466),
                 "rotor1D": (50.863560469191, 4.8252176964468489)}
    for name, values in published.items():
        assert [r[f"{name}.phi"][-1], r[f"{name}.w"][-1]] == pytest.approx(values, abs=1e-4)
    assert r["bodyCylinder2.w_a"][-1] == pytest.approx([10, -6.6293914297774483, 4.387947571075042], abs=1e-4)
    assert r["bodyCylinder3.w_a"][-1] == pytest.approx([3.583794526250133, -7.9493030572491952, -3.7344527897629782],
                                                       abs=1e-4)
    assert r["rotor1D.phi"] == pytest.approx(r["revolute.phi"], abs=1e-9)
    assert r["bodyCylinder3.w_a"] == pytest.approx(r["bodyCylinder1.w_a"], abs=1e-8)


def carrier(m, name, turn=(0.2, -0.3, 0.5)):
    """A body on a ball joint in space, turning."""
    setattr(m, f"{name}_ball", joints.Spherical(angles=[0.1, 0.2, 0.3], w_rel_a=list(turn)))
    body = parts.Body(m=2.0, r_cm=[0.3, 0.1, 0], inertia=[0.2, 0.3, 0.4])
    setattr(m, f"{name}_body", body)
    m.connect(m.world.frame_b, getattr(m, f"{name}_ball").frame_a)
    m.connect(getattr(m, f"{name}_ball").frame_b, body.frame_a)
    return body


def test_geared_motor_on_a_moving_carrier_equals_bodies():
    """Motor rotor – gear – arm joint, both about the same axis of a moving carrier, motor mounted on the carrier.

    Beside it the same in space: the rotor is a body on a revolute joint of its own, geared to the arm's joint.  All
    supports are mounted, that of the arm's joint too, which hands its drive torque to the carrier by itself.
    """
    m = lw.Model("geared")
    m.world = lw.World()
    J, ratio, axis = 0.02, 20.0, [0, 1, 0]
    bodies = {name: carrier(m, name) for name in ("flat", "space")}
    for name in ("flat", "space"):
        setattr(m, f"{name}_arm", joints.Revolute(n=axis, phi=0.3, w=0.4))
        setattr(m, f"{name}_load", parts.Body(m=1.0, r_cm=[0.4, 0, 0], inertia=[0.01, 0.02, 0.02]))
        m.connect(bodies[name].frame_a, getattr(m, f"{name}_arm").frame_a)
        m.connect(getattr(m, f"{name}_arm").frame_b, getattr(m, f"{name}_load").frame_a)
    tau = lw.sin(5 * lw.time)
    # 1-D: the locked rotor is part of the carrier
    m.locked = parts.Body(m=0, inertia=[0, J, 0], r_cm=[0, 0, 0])
    m.motor, m.rotor = rotational.Torque(tau=tau), parts.Rotor1D(J=J, n=axis)
    m.gear, m.housing = rotational.IdealGear(ratio=ratio), parts.Mounting1D(n=axis)
    m.connect(m.locked.frame_a, bodies["flat"].frame_a, m.rotor.frame_a, m.housing.frame_a)
    m.connect(m.motor.flange, m.rotor.flange_a)
    m.connect(m.rotor.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.flat_arm.axis)
    m.connect(m.housing.flange_b, m.motor.support, m.gear.support, m.flat_arm.support)
    # in space
    m.spin = joints.Revolute(n=axis)
    m.disc = parts.Body(m=0, inertia=[0, J, 0], r_cm=[0, 0, 0])
    m.drive, m.link = rotational.Torque(tau=tau), rotational.IdealGear(ratio=ratio)
    m.connect(bodies["space"].frame_a, m.spin.frame_a)
    m.connect(m.spin.frame_b, m.disc.frame_a)
    m.connect(m.drive.flange, m.spin.axis, m.link.flange_a)
    m.connect(m.link.flange_b, m.space_arm.axis)
    r = lw.simulate(m, 1.5, accuracy=1e-10)
    assert r["flat_arm.phi"] == pytest.approx(r["space_arm.phi"], abs=1e-6)
    assert r["rotor.w"] == pytest.approx(r["spin.w"], abs=1e-5)
    assert r["flat_body.w_a"] == pytest.approx(r["space_body.w_a"], abs=1e-6)


def test_bevel_gear_keeps_the_angular_momentum_of_everything():
    """Two rotors across one another on a free body: inner torques leave the total angular momentum alone."""
    m = lw.Model("bevel")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=2.0, r_cm=[0, 0, 0], inertia=[0.5, 0.6, 0.7], r_0=[0, 0, 0], v_0=[0, 0, 0],
                        angles=[0, 0, 0], w_0=[0.3, 0.2, -0.4])
    m.one, m.two = parts.Rotor1D(J=0.05, n=[1, 0, 0], w=4.0), parts.Rotor1D(J=0.02, n=[0, 1, 0])
    m.gear = parts.BevelGear1D(ratio=0.5, n_a=[1, 0, 0], n_b=[0, 1, 0])
    m.motor, m.housing = rotational.Torque(tau=0.2), parts.Mounting1D(n=[1, 0, 0])
    m.connect(m.body.frame_a, m.one.frame_a, m.two.frame_a, m.gear.frame_a, m.housing.frame_a)
    m.connect(m.motor.flange, m.one.flange_a)
    m.connect(m.motor.support, m.housing.flange_b)
    m.connect(m.one.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.two.flange_a)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    own = np.array([0.5, 0.6, 0.7]) * r["body.w_a"]
    own[:, 0] += 0.05 * r["one.w"]
    own[:, 1] += 0.02 * r["two.w"]
    total = np.einsum("tji,tj->ti", r["body.frame_a.R.T"], own)
    assert total == pytest.approx(np.broadcast_to(total[0], total.shape), abs=1e-8)
    energy = (np.sum([0.5, 0.6, 0.7] * r["body.w_a"] ** 2, axis=1) / 2
              + 0.05 * (r["one.w"] ** 2 / 2 + r["one.w"] * r["body.w_a"][:, 0])
              + 0.02 * (r["two.w"] ** 2 / 2 + r["two.w"] * r["body.w_a"][:, 1]))
    assert energy - energy[0] == pytest.approx(0.2 * (r["one.phi"] - r["one.phi"][0]), abs=1e-8)


J_ROTOR = 0.01


def two_links(drive, supports):
    """Two links in a plane, the first one free to turn, and a drive in it for the joint of the second.

    The drive "torque" is one between the links, "gear" a motor with rotor and gear, "bevel" with a bevel gear, "motion"
    a given angle; `supports` are the names of what is mounted on the first link.
    """
    m, z = lw.Model("links"), [0, 0, 1]
    m.world = lw.World(gravity=None)
    m.shoulder, m.elbow = joints.Revolute(n=z, phi=0, w=0), joints.Revolute(n=z, phi=0.3, w=0)
    m.upper = parts.BodyShape(r=[1, 0, 0], m=3.0, r_cm=[0.5, 0, 0], I_11=0.1, I_22=0.3, I_33=0.3)
    m.lower = parts.Body(m=2.0, r_cm=[0.35, 0, 0], inertia=[0.05, 0.1, 0.1])
    m.chain(m.world, m.shoulder, m.upper, m.elbow, m.lower)
    m.mounting = parts.Mounting1D(n=z)
    m.connect(m.upper.frame_a, m.mounting.frame_a)
    m.motor = (rotational.Torque(tau=lw.sin(lw.time)) if drive != "motion" else
               rotational.Position(phi_ref=0.3 + lw.sin(lw.time) ** 4, exact=True))
    last = m.motor.flange
    if drive in ("gear", "bevel"):
        m.rotor = parts.Rotor1D(J=J_ROTOR, n=z)
        m.gear = parts.BevelGear1D(ratio=5.0, n_a=z, n_b=z) if drive == "bevel" else rotational.IdealGear(ratio=5.0)
        m.connect(m.motor.flange, m.rotor.flange_a)
        m.connect(m.rotor.flange_b, m.gear.flange_a)
        m.connect(m.upper.frame_a, m.rotor.frame_a, *([m.gear.frame_a] if drive == "bevel" else []))
        last = m.gear.flange_b
    m.connect(last, m.elbow.axis)
    if supports:
        m.connect(m.mounting.flange_b, *(getattr(m, name).support for name in supports))
    return m


def angular_momentum(r):
    """About the shoulder; the upper link contains the rotor."""
    p, q = r["shoulder.phi"], r["shoulder.phi"] + r["elbow.phi"]
    w, u = r["shoulder.w"], r["shoulder.w"] + r["elbow.w"]
    x, y = np.cos(p) + 0.35 * np.cos(q), np.sin(p) + 0.35 * np.sin(q)
    vx, vy = -np.sin(p) * w - 0.35 * np.sin(q) * u, np.cos(p) * w + 0.35 * np.cos(q) * u
    return (0.3 + 3 * 0.25) * w + 0.1 * u + 2 * (x * vy - y * vx) + (J_ROTOR * r["rotor.w"] if "rotor.w" in r else 0)


@pytest.mark.parametrize(("drive", "supports"), [
    ("torque", []), ("torque", ["motor", "elbow"]), ("motion", ["motor", "elbow"]),
    ("gear", ["motor", "gear", "elbow"]), ("bevel", ["motor", "elbow"])])
def test_a_drive_inside_a_link_keeps_angular_momentum(drive, supports):
    r = lw.simulate(two_links(drive, supports), 3.0, accuracy=1e-10)
    assert np.ptp(r["elbow.phi"]) > 0.5
    assert angular_momentum(r) == pytest.approx(np.zeros(len(r.t)), abs=1e-8)
    mounted = "elbow" in supports
    assert r["elbow.support.tau"] == pytest.approx(-r["elbow.axis.tau"] if mounted else 0 * r.t, abs=1e-12)


def test_a_mounted_gear_may_be_tuned():
    system = lw.compile(two_links("gear", ["motor", "gear", "elbow"]), tunable=["gear.ratio"])
    r = lw.simulate(system, 2.0, accuracy=1e-10)
    assert angular_momentum(r) == pytest.approx(np.zeros(len(r.t)), abs=1e-8)


@pytest.mark.parametrize(("drive", "supports", "message"), [
    ("torque", ["motor"], "motor drives elbow.axis .* through mounting .* count twice. Connect elbow.support to "
                          "mounting.flange_b"),
    ("motion", ["motor"], "motor drives elbow.axis .* count twice"),
    ("gear", ["motor", "gear"], "gear drives elbow.axis .* count twice"),
    ("bevel", ["motor"], "gear drives elbow.axis .* count twice. Connect elbow.support to the flange_b of a"),
    ("gear", ["motor", "elbow"], "gear drives elbow.axis from a casing on the ground, .* connect gear.support")])
def test_torques_that_would_count_twice_or_get_lost_are_refused(drive, supports, message):
    with pytest.raises(lw.TopologyError, match=message):
        lw.compile(two_links(drive, supports))
