"""Sensors, sources and elements of the planar library, each against the formula it stands for."""

import numpy as np
import pytest
from planar_models import model

import linkwright as lw
from linkwright import planar as pl


def turn(phi):
    return np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])


def flying(*sensors):
    """Two free bodies in general motion, with sensors between them."""
    m = model("flying")
    m.one = pl.Body(m=1, I=0.1, r=[0.3, -0.2], v=[1, 2], phi=0.4, w=1.5)
    m.two = pl.Body(m=2, I=0.3, r=[-1, 0.5], v=[-0.5, 1], phi=-0.8, w=-2)
    m.spring = pl.SpringDamper(c_x=3, c_y=5, c_phi=0.2, d_x=0.1, d_y=0.2, d_phi=0.05)
    m.connect(m.one.frame_a, m.spring.frame_a)
    m.connect(m.two.frame_a, m.spring.frame_b)
    for k, sensor in enumerate(sensors):
        setattr(m, f"s{k}", sensor)
        ports = sensor._connectors
        m.connect(m.one.frame_a, ports["frame_a"])
        if "frame_b" in ports:
            m.connect(m.two.frame_a, ports["frame_b"])
        m.connect(m.two.frame_a, ports["frame_resolve"])
    return m


AXES_A = ("world", "frame_a", "frame_resolve")
AXES_AB = ("world", "frame_a", "frame_b", "frame_resolve")


def axes(r, choice):
    return {"world": 0, "frame_a": r["one.phi"], "frame_b": r["two.phi"], "frame_resolve": r["two.phi"]}[choice]


def test_absolute_sensors():
    kinds = (pl.AbsolutePosition, pl.AbsoluteVelocity, pl.AbsoluteAcceleration)
    r = lw.simulate(flying(*[kind(resolve_in_frame=a) for kind in kinds for a in AXES_A]), 0.5).at(0.4)
    for k, (kind, choice) in enumerate((kind, a) for kind in kinds for a in AXES_A):
        name, vector, third = {pl.AbsolutePosition: ("r", "one.r", r["one.phi"] - axes(r, choice)),
                               pl.AbsoluteVelocity: ("v", "one.v", r["one.w"]),
                               pl.AbsoluteAcceleration: ("a", "one.a", r["one.z"])}[kind]
        expected = [*(turn(axes(r, choice)).T @ r[vector]), third]
        np.testing.assert_allclose(r[f"s{k}.{name}"], expected, atol=1e-12)


def test_relative_sensors_are_derivatives_of_one_another():
    """What an observer on frame_a measures; the axes of the output only turn the vectors."""
    kinds = {pl.RelativePosition: "r_rel", pl.RelativeVelocity: "v_rel", pl.RelativeAcceleration: "a_rel"}
    r = lw.simulate(flying(*[kind(resolve_in_frame=a) for kind in kinds for a in AXES_AB]), 0.5, accuracy=1e-12)
    t, h = 0.25, 1e-3
    stencil = np.array([1, -8, 0, 8, -1]) / (12 * h)
    near, now = r.at(t + h * np.arange(-2, 3)), r.at(t)
    position, velocity, acceleration = (f"s{4 * k + 1}.{name}" for k, name in enumerate(kinds.values()))
    expected = [*(turn(now["one.phi"]).T @ (now["two.r"] - now["one.r"])), now["two.phi"] - now["one.phi"]]
    np.testing.assert_allclose(now[position], expected, atol=1e-12)
    np.testing.assert_allclose(now[velocity], stencil @ near[position], atol=1e-8)
    np.testing.assert_allclose(now[acceleration], stencil @ near[velocity], atol=1e-8)
    for k, name in enumerate(kinds.values()):
        in_a = turn(now["one.phi"]) @ now[f"s{4 * k + 1}.{name}"][:2]
        for j, choice in enumerate(AXES_AB):
            np.testing.assert_allclose(now[f"s{4 * k + j}.{name}"][:2], turn(axes(now, choice)).T @ in_a, atol=1e-12)


def test_vectors_are_transformed_there_and_back():
    there = pl.TransformAbsoluteVector(frame_r_in="frame_a", frame_r_out="frame_resolve", r_in=[1, 2, 0.3])
    m = flying(there, pl.TransformRelativeVector(frame_r_in="frame_b", frame_r_out="world", r_in=[1, 2, 0.3]))
    m.back = pl.TransformAbsoluteVector(frame_r_in="frame_resolve", frame_r_out="frame_a", r_in=there.r_out)
    m.connect(m.one.frame_a, m.back.frame_a)
    m.connect(m.two.frame_a, m.back.frame_resolve)
    r = lw.simulate(m, 0.3).at(0.2)
    expected = turn(r["two.phi"]).T @ turn(r["one.phi"]) @ [1, 2]
    np.testing.assert_allclose(r["s0.r_out"], [*expected, 0.3 + r["one.phi"] - r["two.phi"]], atol=1e-12)
    np.testing.assert_allclose(r["back.r_out"], [1, 2, 0.3], atol=1e-12)
    np.testing.assert_allclose(r["s1.r_out"], [*(turn(r["two.phi"]) @ [1, 2]), 0.3], atol=1e-12)


def test_distance():
    r = lw.simulate(flying(pl.Distance()), 0.3)
    np.testing.assert_allclose(r["s0.distance"], np.linalg.norm(r["two.r"] - r["one.r"], axis=1), atol=1e-12)


def hanging():
    """A pendulum with every cut sensor between rod and body."""
    m = model("hanging")
    m.fixed = pl.Fixed()
    m.rev = pl.Revolute(phi=0.3, w=1)
    m.rod = pl.FixedTranslation(r=[0.5, 0.2])
    m.force = pl.CutForce(resolve_in_frame="world")
    m.torque = pl.CutTorque()
    m.both = pl.CutForceAndTorque(resolve_in_frame="frame_a", positive_sign=False)
    m.power = pl.Power()
    m.tip = pl.FixedTranslation(r=[0.4, 0])
    m.body = pl.Body(m=2, I=0.3)
    m.chain(m.fixed, m.rev, m.rod, m.force, m.torque, m.both, m.power, m.tip, m.body)
    return m


def test_cut_sensors():
    """The cut carries what body and weight need: f = m (a − g), and the moment of it over the tip."""
    r = lw.simulate(hanging(), 0.7, accuracy=1e-10)
    needed = 2 * (r["body.a"] - np.array([0, -9.81]))
    np.testing.assert_allclose(r["force.force"], needed, atol=1e-9)
    arm = r["body.r"] - np.stack([r["tip.frame_a.x"], r["tip.frame_a.y"]], 1)
    moment = 0.3 * r["body.z"] + arm[:, 0] * needed[:, 1] - arm[:, 1] * needed[:, 0]
    np.testing.assert_allclose(r["torque.torque"], moment, atol=1e-9)
    in_a = np.stack([turn(phi).T @ f for phi, f in zip(r["body.phi"], needed, strict=True)])
    np.testing.assert_allclose(r["both.force"], -in_a, atol=1e-9)
    np.testing.assert_allclose(r["both.torque"], -moment, atol=1e-9)
    v = np.stack([r["power.frame_a.vx"], r["power.frame_a.vy"]], 1)
    np.testing.assert_allclose(r["power.power"], np.sum(needed * v, 1) + moment * r["body.w"], atol=1e-8)
    # power that flows in becomes kinetic and potential energy
    kinetic = np.sum(r["body.v"] ** 2, 1) + 0.15 * r["body.w"] ** 2
    gained = kinetic + 2 * 9.81 * r["body.r"][:, 1]
    integral = np.concatenate([[0], np.cumsum((r["power.power"][1:] + r["power.power"][:-1]) / 2 * np.diff(r.t))])
    np.testing.assert_allclose(gained - gained[0], integral, atol=1e-4)


@pytest.mark.parametrize("choice", ["world", "frame_b", "frame_resolve"])
def test_world_force(choice):
    m = model("force", 0)
    m.body = pl.Body(m=2, I=0.5, r=[0, 0], v=[0, 0], phi=0.3, w=1)
    m.post = pl.Fixed(phi=0.7)
    m.push = pl.WorldForce(force=[1, 2 * lw.time, 0.4], resolve_in_frame=choice)
    m.connect(m.body.frame_a, m.push.frame_b)
    m.connect(m.post.frame, m.push.frame_resolve)
    r = lw.simulate(m, 1)
    angle = {"world": 0 * r.t, "frame_b": r["body.phi"], "frame_resolve": 0.7 + 0 * r.t}[choice]
    f = np.stack([turn(a) @ [1, 2 * t] for a, t in zip(angle, r.t, strict=True)])
    np.testing.assert_allclose(2 * r["body.a"], f, atol=1e-10)
    np.testing.assert_allclose(0.5 * r["body.z"], 0.4, atol=1e-10)


@pytest.mark.parametrize("choice", AXES_AB)
def test_relative_force_conserves_momentum(choice):
    """Linear and angular momentum: the moment of the force is balanced, which the original forgets."""
    m = model("pair", 0)
    m.one = pl.Body(m=1, I=0.1, r=[0, 0], v=[0.5, 0], phi=0.2, w=0.3)
    m.two = pl.Body(m=2, I=0.2, r=[1, 0.5], v=[0, -0.2], phi=-0.4, w=0)
    m.post = pl.Fixed(phi=1)
    m.push = pl.RelativeForce(force=[1, 2, 0.3], resolve_in_frame=choice)
    m.connect(m.one.frame_a, m.push.frame_a)
    m.connect(m.two.frame_a, m.push.frame_b)
    m.connect(m.post.frame, m.push.frame_resolve)
    r = lw.simulate(m, 1, accuracy=1e-11)
    np.testing.assert_allclose(r["momentum"], np.broadcast_to(r["momentum"][0], (501, 6)), atol=1e-9)
    assert np.ptp(r["two.w"]) > 0.1


def test_quadratic_speed_dependent_force():
    m = model("drag", 0)
    m.body = pl.Body(m=2, I=0.5, r=[0, 0], v=[3, -4], phi=0, w=2)
    m.drag = pl.QuadraticSpeedDependentForce(F_nominal=-10, v_nominal=5, tau_nominal=-1, w_nominal=2)
    m.connect(m.body.frame_a, m.drag.frame_b)
    r = lw.simulate(m, 2, accuracy=1e-10)
    # v̇ = −k v|v| gives v = v0/(1 + k v0 t)
    k = 10 / 25 / 2
    np.testing.assert_allclose(r["body.v"][:, 0], 3 / (1 + 3 * k * r.t), atol=1e-8)
    np.testing.assert_allclose(r["body.v"][:, 1], -4 / (1 + 4 * k * r.t), atol=1e-8)
    np.testing.assert_allclose(r["body.w"], 2 / (1 + 2 * (1 / 4 / 0.5) * r.t), atol=1e-8)


@pytest.mark.parametrize("speed", [20.0, -20.0])
def test_air_resists_both_ways(speed):
    m = model("air", 0)
    m.body = pl.Body(m=1000, I=1000, r=[0, 0], v=[0, speed], phi=np.pi / 2, w=0)
    m.air = pl.AirResistanceLongitudinal(c_W=0.5, area=2)
    m.connect(m.body.frame_a, m.air.frame_a)
    r = lw.simulate(m, 10, accuracy=1e-10)
    k = 0.5 * 1.18 * 0.5 * 2 / 1000
    np.testing.assert_allclose(r["body.v"][:, 1], speed / (1 + k * abs(speed) * r.t), atol=1e-7)


def test_spring_damper_loses_what_damping_takes_rotation_included():
    r = lw.simulate(flying(), 1.0, accuracy=1e-10, step=1e-3)
    v = np.stack([r["spring.v_relx"], r["spring.v_rely"], r["spring.w_rel"]], 1)
    np.testing.assert_allclose(r["spring.loss_power"], v**2 @ [0.1, 0.2, 0.05], atol=1e-12)
    stored = (3 * r["spring.s_relx"] ** 2 + 5 * r["spring.s_rely"] ** 2 + 0.2 * r["spring.phi_rel"] ** 2) / 2
    total = r["kinetic_energy"] + r["potential_energy"] + stored
    lost = np.sum((r["spring.loss_power"][1:] + r["spring.loss_power"][:-1]) / 2 * np.diff(r.t))
    assert total[0] - total[-1] == pytest.approx(lost, abs=1e-5)


def test_torsion_of_a_spring():
    """Spring.c_phi acts, which it does not in the original."""
    m = model("torsion", 0)
    m.fixed = pl.Fixed()
    m.spring = pl.Spring(c_x=10, c_y=10, c_phi=2, phi_rel0=0.5)
    m.body = pl.Body(m=1, I=0.5, r=[0, 0], v=[0, 0], phi=0, w=0)
    m.chain(m.fixed, m.spring, m.body)
    r = lw.simulate(m, 3, accuracy=1e-10)
    np.testing.assert_allclose(r["body.phi"], 0.5 - 0.5 * np.cos(2 * r.t), atol=1e-8)


def test_a_body_may_be_without_weight():
    m = model("float")
    m.body = pl.Body(m=1, I=0.1, enable_gravity=False, r=[0, 0], v=[1, 1], phi=0, w=0)
    m.other = pl.Body(m=1, I=0.1, r=[0, 0], v=[1, 1], phi=0, w=0)
    r = lw.simulate(m, 1)
    np.testing.assert_allclose(r["body.r"], np.stack([r.t, r.t], 1), atol=1e-10)
    np.testing.assert_allclose(r["other.r"][:, 1], r.t - 9.81 * r.t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(r["body.frame_a.fy"], 0, atol=1e-12)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)  # of gravity, what has no weight has none


def test_angles_count_full_turns():
    m = model("spin", 0)
    m.fixed = pl.Fixed(phi=1.0)
    m.rev = pl.Revolute(phi=0, w=10)
    m.turned = pl.FixedRotation(alpha=7.0)
    m.body = pl.Body(m=1, I=0.1)
    m.chain(m.fixed, m.rev, m.turned, m.body)
    m.free = pl.Body(m=1, I=0.1, r=[0, 0], v=[0, 0], phi=20, w=-10)
    r = lw.simulate(m, 5)
    np.testing.assert_allclose(r["body.phi"], 8 + 10 * r.t, atol=1e-8)
    np.testing.assert_allclose(r["free.phi"], 20 - 10 * r.t, atol=1e-8)


def test_sub_models_have_planar_ports_and_tunable_parameters():
    class Link(lw.Model):
        def __init__(self, length=1.0, name=None):
            super().__init__(name)
            self.start, self.end = pl.Frame(), pl.Frame()
            self.rod = pl.FixedTranslation(r=[length, 0])
            self.body = pl.Body(m=1, I=0.1)
            self.connect(self.start, self.rod.frame_a)
            self.connect(self.rod.frame_b, self.body.frame_a, self.end)

    m = model("chain")
    m.fixed = pl.Fixed()
    m.rev1, m.link1, m.rev2, m.link2 = pl.Revolute(phi=0, w=0), Link(0.6), pl.Revolute(phi=0, w=0), Link(0.4)
    m.connect(m.fixed.frame, m.rev1.frame_a)
    m.connect(m.rev1.frame_b, m.link1.start)
    m.connect(m.link1.end, m.rev2.frame_a)
    m.connect(m.rev2.frame_b, m.link2.start)
    system = lw.compile(m, tunable=["link1.body.m", "link2.rod.r"])
    r = lw.simulate(system, 1, accuracy=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)
    assert r["link2.body.r"].shape == (501, 2)
