"""Sensors: what they say is what an observer finds who differentiates positions numerically."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, sensors

ABSOLUTE = ("world", "frame_a", "frame_resolve")
RELATIVE = ("world", "frame_a", "frame_b", "frame_resolve")


def moving():
    """A chain that turns about all axes: frames a on the link, b on the last body, c on a turned bracket."""
    m = lw.Model("moving")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0.2, 0.1, 1], phi=0.3, w=1.1)
    m.link = parts.BodyShape(r=[0.6, 0.1, 0.2], m=1, r_cm=[0.3, 0, 0], inertia=[0.1, 0.2, 0.3])
    m.uni = joints.Universal(phi_a=0.4, phi_b=-0.2, w_a=0.7, w_b=-1.3)
    m.body = parts.BodyShape(r=[0.4, 0.2, -0.1], m=0.7, r_cm=[0.2, 0.1, 0], inertia=[0.05, 0.04, 0.06])
    m.bracket = parts.FixedRotation(r=[0.1, 0, 0.3], n=[1, 2, 0.5], angle=0.8)
    m.chain(m.world, m.rev, m.link, m.uni, m.body)
    m.connect(m.body.frame_b, m.bracket.frame_a)
    return m


def attach(m, name, sensor):
    setattr(m, name, sensor)
    for port, frame in (("frame_a", m.link.frame_b), ("frame_b", m.body.frame_b), ("frame_resolve", m.bracket.frame_b)):
        if port in sensor._connectors:
            m.connect(frame, sensor._connectors[port])
    return sensor


FRAMES = {"frame_a": "link.frame_b", "frame_b": "body.frame_b", "frame_resolve": "bracket.frame_b"}


class Observer:
    """Positions and axes of the frames around one instant, differentiated numerically."""

    h = 1e-3

    def __init__(self, result, t):
        self.r, self.t = result, t
        self.times = t + self.h * np.arange(-2, 3)
        self.at = result.at(self.times)
        self.R = {key: self.at[f"{name}.R.T"].transpose(0, 2, 1) for key, name in FRAMES.items()}
        self.R["world"] = np.broadcast_to(np.eye(3), (5, 3, 3))
        self.p = {key: self.at[f"{name}.r_0"] for key, name in FRAMES.items()}

    def rate(self, values):
        """Fourth-order central differences; the middle value's rate."""
        return (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * self.h)

    def second(self, values):
        return (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * self.h**2)

    def into(self, frame, vectors):
        return np.einsum("tji,tj->ti", self.R[frame], np.broadcast_to(vectors, (5, 3)))

    def spin(self, frame):
        """ω of a frame in the world at all five times, from Ṙ Rᵀ: the axes are followed over a finer grid."""
        out = []
        for t in self.times:
            R = self.r.at(t + 2e-4 * np.arange(-2, 3))[f"{FRAMES[frame]}.R.T"].transpose(0, 2, 1)
            dR = (R[0] - 8 * R[1] + 8 * R[3] - R[4]) / (12 * 2e-4)
            S = dR @ R[2].T
            out.append([S[2, 1], S[0, 2], S[1, 0]])
        return np.array(out)

    def value(self, name):
        return self.at[name][2]


@pytest.fixture(scope="module")
def observed():
    m = moving()
    for frame in ABSOLUTE:
        attach(m, f"abs_{frame}", sensors.AbsoluteSensor(resolve_in_frame=frame, sequence=(3, 1, 2)))
        attach(m, f"pos_{frame}", sensors.AbsolutePosition(resolve_in_frame=frame))
        attach(m, f"vel_{frame}", sensors.AbsoluteVelocity(resolve_in_frame=frame))
        attach(m, f"ang_{frame}", sensors.AbsoluteAngularVelocity(resolve_in_frame=frame))
    for frame in RELATIVE:
        attach(m, f"rel_{frame}", sensors.RelativeSensor(resolve_in_frame=frame))
        attach(m, f"after_{frame}", sensors.RelativeSensor(resolve_in_frame="frame_b",
                                                            resolve_in_frame_after_differentiation=frame))
        attach(m, f"rpos_{frame}", sensors.RelativePosition(resolve_in_frame=frame))
        attach(m, f"rvel_{frame}", sensors.RelativeVelocity(resolve_in_frame=frame))
        attach(m, f"rang_{frame}", sensors.RelativeAngularVelocity(resolve_in_frame=frame))
    attach(m, "angles", sensors.AbsoluteAngles(sequence=(3, 2, 3), guess_angle1=2.0))
    attach(m, "relative_angles", sensors.RelativeAngles())
    attach(m, "distance", sensors.Distance())
    for k, (source, target) in enumerate([("world", "frame_b"), ("frame_resolve", "frame_a"), ("frame_a", "world")]):
        attach(m, f"turn{k}", sensors.TransformRelativeVector(frame_r_in=source, frame_r_out=target,
                                                              r_in=[1, lw.time, -2]))
    attach(m, "turn_absolute", sensors.TransformAbsoluteVector(frame_r_in="frame_a", frame_r_out="frame_resolve",
                                                               r_in=m.rel_frame_a.r_rel))
    return Observer(lw.simulate(m, 1.0, accuracy=1e-12), 0.617)


@pytest.mark.parametrize("frame", ABSOLUTE)
def test_absolute_sensors_in_every_frame(observed, frame):
    o, p = observed, observed.p["frame_a"]
    w = o.spin("frame_a")
    for name, expected, tolerance in (("r", o.into(frame, p)[2], 1e-12), ("v", o.R[frame][2].T @ o.rate(p), 1e-7),
                                      ("a", o.R[frame][2].T @ o.second(p), 1e-5), ("w", o.into(frame, w)[2], 1e-7),
                                      ("z", o.R[frame][2].T @ o.rate(w), 1e-5)):
        assert o.value(f"abs_{frame}.{name}") == pytest.approx(expected, abs=tolerance), name
    assert o.value(f"pos_{frame}.r") == pytest.approx(o.value(f"abs_{frame}.r"), abs=1e-12)
    assert o.value(f"vel_{frame}.v") == pytest.approx(o.value(f"abs_{frame}.v"), abs=1e-12)
    assert o.value(f"ang_{frame}.w") == pytest.approx(o.value(f"abs_{frame}.w"), abs=1e-12)


@pytest.mark.parametrize("frame", RELATIVE)
def test_relative_sensors_differentiate_components(observed, frame):
    o = observed
    r = o.p["frame_b"] - o.p["frame_a"]
    w = o.spin("frame_b") - o.spin("frame_a")
    for name, expected, tolerance in (("r_rel", o.into(frame, r)[2], 1e-12), ("v_rel", o.rate(o.into(frame, r)), 1e-7),
                                      ("a_rel", o.second(o.into(frame, r)), 1e-5), ("w_rel", o.into(frame, w)[2], 1e-7),
                                      ("z_rel", o.rate(o.into(frame, w)), 1e-5)):
        assert o.value(f"rel_{frame}.{name}") == pytest.approx(expected, abs=tolerance), name
    # differentiated in frame_b, then expressed elsewhere
    R = o.R[frame][2].T @ o.R["frame_b"][2]
    assert o.value(f"after_{frame}.v_rel") == pytest.approx(R @ o.rate(o.into("frame_b", r)), abs=1e-7)
    assert o.value(f"after_{frame}.a_rel") == pytest.approx(R @ o.second(o.into("frame_b", r)), abs=1e-5)
    assert o.value(f"after_{frame}.r_rel") == pytest.approx(o.into("frame_b", r)[2], abs=1e-12)
    # the simple sensor always differentiates in frame_a
    as_seen_by_a = o.R["frame_a"][2] @ o.rate(o.into("frame_a", r))
    assert o.value(f"rvel_{frame}.v_rel") == pytest.approx(o.R[frame][2].T @ as_seen_by_a, abs=1e-7)
    assert o.value(f"rpos_{frame}.r_rel") == pytest.approx(o.into(frame, r)[2], abs=1e-12)
    assert o.value(f"rang_{frame}.w_rel") == pytest.approx(o.into(frame, w)[2], abs=1e-7)


def test_angles_rebuild_the_orientation(observed):
    from linkwright.algebra import rotation_from_angles

    o = observed
    R_a, R_b = o.R["frame_a"][2], o.R["frame_b"][2]
    assert rotation_from_angles((3, 1, 2), o.value("abs_world.angles")) == pytest.approx(R_a, abs=1e-10)
    assert rotation_from_angles((3, 2, 3), o.value("angles.angles")) == pytest.approx(R_a, abs=1e-10)
    assert abs(o.value("angles.angles")[0] - 2.0) <= np.pi / 2
    assert rotation_from_angles((1, 2, 3), o.value("relative_angles.angles")) == pytest.approx(R_a.T @ R_b, abs=1e-10)


def test_transformed_vectors_and_distance(observed):
    o, given = observed, np.array([1, observed.t, -2])
    R = {key: value[2] for key, value in o.R.items()}
    assert o.value("turn0.r_out") == pytest.approx(R["frame_b"].T @ given, abs=1e-12)
    assert o.value("turn1.r_out") == pytest.approx(R["frame_a"].T @ R["frame_resolve"] @ given, abs=1e-12)
    assert o.value("turn2.r_out") == pytest.approx(R["frame_a"] @ given, abs=1e-12)
    r = o.p["frame_b"][2] - o.p["frame_a"][2]
    assert o.value("turn_absolute.r_out") == pytest.approx(R["frame_resolve"].T @ r, abs=1e-12)
    assert o.value("distance.distance") == pytest.approx(np.linalg.norm(r), abs=1e-12)


def test_distance_is_smooth_where_frames_meet():
    """Within s_small the distance is L²/(2ε)(3 − L²/ε²), which meets L with equal slope."""
    m = lw.Model("meeting")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(s=-0.2, v=1)
    m.body = parts.Body(m=1)
    m.gap = sensors.Distance(s_small=0.1)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.gap.frame_a)
    m.connect(m.body.frame_a, m.gap.frame_b)
    r = lw.simulate(m, 0.4, step=0.01)
    L, small = np.abs(r["slide.s"]), 0.1
    inside = L**2 / (2 * small) * (3 - L**2 / small**2)
    assert r["gap.distance"] == pytest.approx(np.where(small < L, L, inside), abs=1e-12)


def pendulum_with(sensor):
    """A pendulum of mass m at distance l from the pivot, with the sensor between pivot and rod."""
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.2, w=1.5)
    m.sensor = sensor
    m.body = parts.Body(m=2.0, r_cm=[0.7, 0, 0], inertia=[0.1, 0.2, 0.3])
    m.chain(m.world, m.rev, m.sensor, m.body)
    return m


@pytest.mark.parametrize("frame", ("world", "frame_a"))
@pytest.mark.parametrize("positive", (True, False))
def test_cut_loads_of_a_pendulum_in_closed_form(frame, positive):
    """Radial: −m l φ̇² + m g sin φ; tangential: m l φ̈ + m g cos φ; no torque about the axis."""
    m = pendulum_with(sensors.CutForceAndTorque(resolve_in_frame=frame, positive_sign=positive))
    r = lw.simulate(m, 1.0)
    phi, w, a = r["rev.phi"], r["rev.w"], r["rev.a"]
    mass, length, g = 2.0, 0.7, 9.80665
    radial, tangential = -mass * length * w**2 + mass * g * np.sin(phi), mass * length * a + mass * g * np.cos(phi)
    force = np.stack([radial, tangential, 0 * phi], axis=1)
    if frame == "world":
        c, s = np.cos(phi), np.sin(phi)
        force = np.stack([c * radial - s * tangential, s * radial + c * tangential, 0 * phi], axis=1)
    sign = 1 if positive else -1
    assert r["sensor.force"] == pytest.approx(sign * force, abs=1e-9)
    assert r["sensor.torque"] == pytest.approx(0 * force, abs=1e-9)
    assert a == pytest.approx(-mass * g * length * np.cos(phi) / (0.3 + mass * length**2), abs=1e-9)


def test_single_cut_sensors_agree_with_the_joint():
    m = pendulum_with(sensors.CutForce(resolve_in_frame="frame_resolve"))
    m.torque = sensors.CutTorque()
    m.fork = parts.FixedRotation(n=[0, 0, 1], angle=0.5)
    m.far = parts.Body(m=0.3, r_cm=[0, 0.2, 0.1])
    m.chain(m.body, m.torque, m.fork, m.far)
    m.connect(m.fork.frame_b, m.sensor.frame_resolve)
    r = lw.simulate(m, 0.5)
    R = r["fork.frame_b.R.T"] @ r["sensor.frame_a.R.T"].transpose(0, 2, 1)
    assert r["sensor.force"] == pytest.approx(np.einsum("tij,tj->ti", R, -r["rev.frame_b.f"]), abs=1e-9)
    assert r["torque.torque"] == pytest.approx(-r["torque.frame_b.t"], abs=1e-9)


def test_power_through_a_cut_is_the_rate_of_energy_beyond_it():
    m = pendulum_with(sensors.Power())
    r = lw.simulate(m, 1.0, accuracy=1e-11)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(energy) < 1e-8
    assert r["sensor.power"] == pytest.approx(0 * r.t, abs=1e-8)  # the pivot does no work

    m = lw.Model("two links")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.2, w=1.5)
    m.near = parts.BodyShape(r=[1, 0, 0], m=1, r_cm=[0.5, 0, 0])
    m.power = sensors.Power()
    m.rev2 = joints.Revolute(phi=-0.7)
    m.far = parts.Body(m=0.5, r_cm=[0.4, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.rev, m.near, m.power, m.rev2, m.far)
    r = lw.simulate(m, 0.5, accuracy=1e-12, step=1e-3)
    v, w, R = r["far.v_0"], r["far.w_a"], r["far.frame_a.R.T"].transpose(0, 2, 1)
    com = np.einsum("tij,j->ti", R, [0.4, 0, 0])
    v_cm = v + np.cross(np.einsum("tij,tj->ti", R, w), com)
    beyond = (0.25 * (v_cm**2).sum(1) + 0.05 * (w**2).sum(1) + 0.5 * 9.80665 * (r["far.r_0"] + com)[:, 1])
    rate = (beyond[:-4] - 8 * beyond[1:-3] + 8 * beyond[3:-1] - beyond[4:]) / 0.012
    assert r["power.power"][2:-2] == pytest.approx(rate, abs=1e-6)
