"""The same mechanism told differently moves the same: other roots, frames, units, partitions, numbers."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, sensors
from linkwright.algebra.rotations import axis_rotation

G = 9.80665
TIGHT = {"accuracy": 1e-12, "step": 0.05}


def two_free_bodies(**root):
    """Two bodies on a universal joint, flying, tied to the ground by a spring; `root` may enforce either as root."""
    m = lw.Model("flying")
    m.world = lw.World()
    m.spring = forces.Spring(c=30, s_unstretched=0.2)
    m.one = parts.BodyShape(r=[0.5, 0.1, 0], m=1, r_cm=[0.2, 0, 0.1], inertia=[0.1, 0.2, 0.25], r_0=[0.1, 0.4, 0],
                            v_0=[0.2, 0, 0.3], angles=[0.1, 0.2, 0.3], w_0=[0.4, -0.3, 0.9],
                            enforce_states=root.get("first", False))
    m.joint = joints.Universal(phi_a=0.2, phi_b=-0.3, w_a=1.0, w_b=0.5)
    m.two = parts.BodyShape(r=[0.4, 0, 0.1], m=0.7, r_cm=[0.2, 0.1, 0], inertia=[0.05, 0.08, 0.06],
                            enforce_states=root.get("second", False))
    m.chain(m.world, m.spring, m.one, m.joint, m.two)
    return m


def test_another_root_moves_the_same():
    one = lw.simulate(two_free_bodies(first=True), 1.0, **TIGHT)
    two = lw.simulate(two_free_bodies(second=True), 1.0, **TIGHT)
    for name in ("one.r_0", "two.r_0", "two.frame_a.R.T", "joint.phi_a", "joint.phi_b"):
        assert one[name] == pytest.approx(two[name], abs=1e-9), name
    for name in ("joint.frame_a.f", "joint.frame_b.t"):
        assert one[name] == pytest.approx(two[name], abs=1e-7), name


def arm(turn=None, unit=1.0, split=False):
    """A spatial double pendulum; turned as a whole with gravity, in another unit of length, or in more pieces.

    `unit` metres become 1: lengths shrink by it, forces by it, inertias by its square.
    """
    R = np.eye(3) if turn is None else axis_rotation([1, 2, 3], turn)
    m = lw.Model("arm")
    m.world = lw.World(g=G / unit, n=R @ [0, -1, 0])
    m.one = joints.Revolute(n=R @ [0.1, 0, 1], phi=0.4, w=0.3)
    m.two = joints.Universal(n_a=R @ [1, 0, 0], n_b=R @ [0, 1, 0], phi_a=0.2, w_b=0.6)
    tensor = R @ np.diag([0.05, 0.2, 0.3]) @ R.T / unit**2
    length = R @ np.array([0.6, 0.1, 0]) / unit
    if split:
        m.first = parts.FixedTranslation(r=0.3 * length)
        m.turned = parts.FixedRotation(n=[0, 1, 1], angle=0.7)
        m.back = parts.FixedRotation(r=[0, 0, 0], n=[0, 1, 1], angle=-0.7)
        m.second = parts.FixedTranslation(r=0.7 * length)
        m.body = parts.Body(m=1.2, r_cm=R @ [0.3, 0.05, 0] / unit, inertia=tensor)
        m.chain(m.world, m.one, m.first, m.turned, m.back, m.second, m.two)
        m.connect(m.one.frame_b, m.body.frame_a)
    else:
        m.link = parts.BodyShape(r=length, m=1.2, r_cm=R @ [0.3, 0.05, 0] / unit, inertia=tensor)
        m.chain(m.world, m.one, m.link, m.two)
    tip = R @ np.diag([0.01, 0.02, 0.015]) @ R.T / unit**2
    m.tip = parts.Body(m=0.6, r_cm=R @ [0.1, -0.2, 0.15] / unit, inertia=tip)
    m.connect(m.two.frame_b, m.tip.frame_a)
    return m, R


@pytest.fixture(scope="module")
def plain():
    return lw.simulate(arm()[0], 1.0, **TIGHT)


def test_turned_frames_move_the_same(plain):
    m, R = arm(turn=0.9)
    r = lw.simulate(m, 1.0, **TIGHT)
    assert r["one.phi"] == pytest.approx(plain["one.phi"], abs=1e-9)
    assert r["two.phi_b"] == pytest.approx(plain["two.phi_b"], abs=1e-9)
    assert r["tip.r_0"] == pytest.approx(plain["tip.r_0"] @ R.T, abs=1e-9)
    assert r["two.frame_b.f"] == pytest.approx(plain["two.frame_b.f"] @ R.T, abs=1e-7)


def test_another_unit_of_length_moves_the_same(plain):
    m, _ = arm(unit=0.01)
    r = lw.simulate(m, 1.0, **TIGHT)
    assert r["one.phi"] == pytest.approx(plain["one.phi"], abs=1e-9)
    assert 0.01 * r["tip.r_0"] == pytest.approx(plain["tip.r_0"], abs=1e-9)
    assert 0.01 * r["two.frame_b.f"] == pytest.approx(plain["two.frame_b.f"], abs=1e-7)
    assert 0.01**2 * r["one.frame_b.t"] == pytest.approx(plain["one.frame_b.t"], abs=1e-7)


def test_parts_split_and_joined_again_move_the_same(plain):
    m, _ = arm(split=True)
    r = lw.simulate(m, 1.0, **TIGHT)
    assert r["one.phi"] == pytest.approx(plain["one.phi"], abs=1e-9)
    assert r["tip.r_0"] == pytest.approx(plain["tip.r_0"], abs=1e-9)
    assert r["one.frame_b.t"] == pytest.approx(plain["one.frame_b.t"], abs=1e-7)
    # what the second joint gives, the massless chain hands on
    assert r["second.frame_b.f"] == pytest.approx(plain["link.frame_b.f"], abs=1e-7)


def test_a_chain_of_rods_carries_force_and_moment_by_hand():
    """A weight at the end of three rods at rest: every cut carries the weight and its lever."""
    m = lw.Model("cantilever")
    m.world = lw.World()
    lengths = (0.3, 0.5, 0.2)
    m.load = parts.Body(m=2.0, r_cm=[0.1, 0, 0])
    chain = [m.world]
    for k, length in enumerate(lengths):
        setattr(m, f"rod{k}", parts.FixedTranslation(r=[length, 0, 0]))
        setattr(m, f"cut{k}", sensors.CutForceAndTorque())
        chain += [getattr(m, f"cut{k}"), getattr(m, f"rod{k}")]
    m.chain(*chain, m.load)
    m.rev = joints.Revolute()
    m.other = parts.Body(m=1, r_cm=[0.1, 0, 0])
    m.chain(m.world, m.rev, m.other)
    r = lw.simulate(m, 0.1)
    for k in range(3):
        lever = sum(lengths[k:]) + 0.1
        assert r[f"cut{k}.force"] == pytest.approx(np.broadcast_to([0, 2 * G, 0], (len(r.t), 3)), abs=1e-10)
        assert r[f"cut{k}.torque"] == pytest.approx(np.broadcast_to([0, 0, 2 * G * lever], (len(r.t), 3)), abs=1e-10)


def test_all_loads_at_the_ground_carry_the_momentum():
    """Newton for the whole: the force of the world on everything is the rate of momentum less the weight."""
    r = lw.simulate(arm()[0], 1.0, accuracy=1e-12, step=1e-3)
    p = r["momentum"][:, :3]
    h = r.t[1] - r.t[0]
    rate = (p[:-4] - 8 * p[1:-3] + 8 * p[3:-1] - p[4:]) / (12 * h)
    expected = -(rate + [0, 1.8 * G, 0])
    assert r["world.frame_b.f"][2:-2] == pytest.approx(expected, abs=1e-6)


def test_a_loop_over_100_masses_compiles_at_most_twice(monkeypatch):
    from linkwright.compiler import compiled as module

    made = []
    original = module.compile_mechanism
    monkeypatch.setattr(module, "compile_mechanism", lambda *a, **k: made.append(1) or original(*a, **k))
    ends = []
    for mass in np.linspace(0.5, 2.0, 100):
        m, _ = arm()
        m.tip.m = mass
        ends.append(lw.simulate(m, 0.05)["one.phi"][-1])
    assert len(made) <= 2
    assert np.all(np.diff(ends) != 0)


def test_changing_masses_and_lengths_gives_what_fresh_code_gives():
    """Numbers that became inputs give the motion of numbers that are folded in."""
    from linkwright.compiler import compiled as module

    warm = []
    for mass in (0.5, 1.0, 1.5):
        m, _ = arm()
        m.tip.m, m.link.r = mass, [0.5, 0.1 * mass, 0]
        warm.append(lw.simulate(m, 0.3)["tip.r_0"][-1])
    module._known.clear()
    m, _ = arm()
    m.tip.m, m.link.r = 1.5, [0.5, 0.15, 0]
    assert lw.simulate(m, 0.3)["tip.r_0"][-1] == pytest.approx(warm[-1], abs=1e-11)
