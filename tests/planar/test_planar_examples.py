"""Examples of the PlanarMechanics library against Lagrangians written here, or against its published end values."""

import casadi as ca
import numpy as np
import pytest
from lagrangian import body, end
from planar_models import (
    counter_spin,
    crane_crab,
    crane_crab_to_3d,
    double_pendulum,
    dry_friction_wheel,
    free_body,
    ideal_wheel,
    kinematic_loop,
    measure_demo,
    pendulum,
    piston_engine,
    spring_damper_demo,
    spring_demo,
    spur_gear,
)

import linkwright as lw

PUBLISHED = 2e-3
EXACT = 1e-8


def run(model, stop, accuracy=1e-11):
    return lw.simulate(model, stop, accuracy=accuracy, step=stop / 10)


def last(r, *names):
    return [r[name][-1] for name in names]


def circle(length, angle, start=(0, 0)):
    return ca.vertcat(start[0] + length * ca.cos(angle), start[1] + length * ca.sin(angle))


def test_a_free_body_falls():
    r = run(free_body(), 3)
    assert r["body.r"][-1] == pytest.approx([0, -44.145], abs=EXACT)
    assert r["body.v"][-1] == pytest.approx([0, -29.43], abs=EXACT)


def test_pendulum():
    q, u = end(lambda q, u: body(1, 0.1, circle(1, q[0]), q, u, q[0]), [0], [0], 3)
    r = run(pendulum(), 3)
    assert last(r, "body.phi", "revolute.w") == pytest.approx([q[0], u[0]], abs=EXACT)
    assert last(r, "body.phi", "revolute.w") == pytest.approx([-1.13744893, -4.02340052], abs=PUBLISHED)


def two_links(m1, i1):
    def lagrangian(q, u):
        elbow = circle(1, q[0])
        tip = elbow + circle(0.4, q[0] + q[1])
        return body(1, 0.1, elbow, q, u, q[0]) + body(m1, i1, tip, q, u, q[0] + q[1])
    return lagrangian


def test_double_pendulum():
    q, u = end(two_links(0.2, 0.01), [0, 0], [0, 0], 10, max_step=0.005)  # chaotic
    got = last(run(double_pendulum(), 10, 1e-13), "revolute.phi", "revolute1.phi", "revolute.w", "revolute1.w")
    assert got == pytest.approx([*q, *u], abs=EXACT)
    # Simbody at accuracy 1e-13
    assert got == pytest.approx([-0.44980817, 2.7229982, 2.35860216, 9.48347652], abs=1e-6)


def test_measure_demo():
    q, u = end(two_links(0.4, 0.02), [0, 0], [0, 0], 2)
    r = run(measure_demo(), 2)
    assert last(r, "revolute2.phi", "revolute2.w", "body1.w") == pytest.approx([q[1], u[1], u[0] + u[1]], abs=EXACT)
    # sensors against the formulas they stand for
    p1, p = q[0], q.sum()
    w1, w = u[0], u.sum()
    R = np.array([[np.cos(p), -np.sin(p)], [np.sin(p), np.cos(p)]])
    arm = 0.4 * np.array([np.cos(p), np.sin(p)])
    v1 = w1 * np.array([-np.sin(p1), np.cos(p1)])
    v = v1 + w * np.array([-arm[1], arm[0]])
    assert r["absolute_position.r"][-1] == pytest.approx([np.cos(p1) + arm[0], np.sin(p1) + arm[1], p], abs=EXACT)
    assert r["absolute_velocity.v"][-1] == pytest.approx([*(R.T @ v), w], abs=EXACT)
    assert r["relative_position.r_rel"][-1] == pytest.approx([*arm, q[1]], abs=EXACT)
    # seen from the first body the second goes round its joint
    seen = u[1] * np.array([-arm[1], arm[0]])
    assert r["relative_velocity.v_rel"][-1] == pytest.approx([*(R.T @ seen), u[1]], abs=EXACT)
    a2 = r["revolute2.z"][-1]
    seen = a2 * np.array([-arm[1], arm[0]]) - u[1] ** 2 * arm
    assert r["relative_acceleration.a_rel"][-1] == pytest.approx([*(R.T @ seen), a2], abs=1e-7)
    q, u = end(two_links(0.4, 0.02), [0, 0], [0, 0], 10, max_step=0.005)  # chaotic
    final = last(run(measure_demo(), 10, 1e-13), "body1.phi", "body1.w", "revolute2.phi", "revolute2.w")
    assert final == pytest.approx([q.sum(), u.sum(), q[1], u[1]], abs=EXACT)
    assert final == pytest.approx([-12.11086, 4.40884, -11.59159, 1.99932], abs=3e-2)  # published, at a loose tolerance


def crane(q, u):
    load = ca.vertcat(q[0] + ca.sin(q[1]), -ca.cos(q[1]))
    return body(1, 0.1, ca.vertcat(q[0], 0), q, u, ca.SX(0)) + body(0.5, 0.1, load, q, u, q[1])


def test_crane_crab():
    q, u = end(crane, [0, 2.6179938779915], [0, 0], 10, lambda q, u: [-10 * u[0], 0])
    r = run(crane_crab(), 10)
    names = ("damper1d.s_rel", "body.phi", "damper1d.v_rel", "revolute.w")
    assert last(r, *names) == pytest.approx([*q, *u], abs=EXACT)
    assert last(r, *names) == pytest.approx([-0.0225002, 0.6343829, 0.1926890, -0.1590065], abs=PUBLISHED)


def test_spring_demo():
    q, u = end(lambda q, u: 0.25 * u[0] ** 2 - 5 * (q[0] + 0.5) ** 2 - 0.5 * 9.81 * q[0], [0.2], [0], 5,
               lambda q, u: [-u[0]])
    r = run(spring_demo(), 5)
    assert last(r, "prismatic.s", "prismatic.v") == pytest.approx([q[0], u[0]], abs=EXACT)
    assert last(r, "prismatic.s", "prismatic.v") == pytest.approx([-0.99800572, -0.00719661], abs=PUBLISHED)


def test_spring_damper_demo():
    def lagrangian(q, u):
        return 0.25 * ca.dot(u, u) - 2.5 * ((q[0] + 1) ** 2 + q[1] ** 2) - 0.5 * 9.81 * q[1]
    q, u = end(lagrangian, [1, 1], [0, 0], 5, lambda q, u: [-u[0], -u[1]])
    r = run(spring_damper_demo(), 5)
    assert [*r["body.r"][-1], *r["body.v"][-1]] == pytest.approx([*q, *u], abs=EXACT)
    assert r["body.r"][-1] == pytest.approx([-1.00731495, -0.98824546], abs=PUBLISHED)
    assert last(r, "body.phi", "body.w") == [0, 0]


def test_kinematic_loop():
    """Coordinates: half the spread of the two legs, and the hanging rod; the slider is at 2·0.5 sin of the spread."""
    def lagrangian(q, u):
        spread, rod = q[0], q[0] + q[1]
        bob = ca.vertcat(0.5 * ca.sin(spread) + 0.6 * ca.sin(rod), -0.5 * ca.cos(spread) - 0.6 * ca.cos(rod))
        return body(1, 0.1, bob, q, u, rod) - 10 * (ca.sin(spread) - 0.4) ** 2

    def damping(q, u):
        return [-4 * (ca.cos(q[0]) * u[0]) * ca.cos(q[0]), 0]
    q, u = end(lagrangian, [np.arcsin(0.4), -0.69813170079773], [0, 0], 6, damping)
    r = run(kinematic_loop(), 6)
    names = ("revolute1.phi", "revolute4.phi", "revolute1.w", "revolute4.w")
    assert last(r, *names) == pytest.approx([*q, *u], abs=EXACT)
    assert last(r, *names) == pytest.approx([0.31854239, -0.26874003, 0.07537752, 0.42138005], abs=PUBLISHED)


def test_piston_engine():
    def lagrangian(q, u):
        piston = 0.3 * ca.cos(q[0]) + ca.sqrt(0.64 - (0.3 * ca.sin(q[0])) ** 2)
        return 0.05 * u[0] ** 2 + 1.5 * ca.jtimes(piston, q, u) ** 2
    q, u = end(lagrangian, [0], [-2.5], 10)
    r = run(piston_engine(), 10)
    assert last(r, "revolute_drive.phi", "revolute_drive.w") == pytest.approx([q[0], u[0]], abs=EXACT)
    assert last(r, "revolute_drive.phi", "revolute_drive.w") == pytest.approx([-16.8149395, -1.5942663], abs=PUBLISHED)


def test_counter_spin():
    r = run(counter_spin(), 3, 1e-8)
    got = [r["body.r"][-1][0], r["body.v"][-1][0], *last(r, "rolling.phi", "rolling.w")]
    assert got == pytest.approx([0.14048222, -0.91666667, 33.28096443, 9.16666667], abs=PUBLISHED)


def test_crane_crab_in_a_sliding_plane():
    r = run(crane_crab_to_3d(), 10)
    names = ("body.phi", "damper1d.s_rel", "damper1d.v_rel", "prismatic3d.s", "prismatic3d.v", "revolute.w")
    published = [0.6347441929, -0.0228429902, 0.1925926835, 1.8, 0.2, -0.1501804594]
    assert last(r, *names) == pytest.approx(published, abs=PUBLISHED)


def test_spur_gear():
    r = run(spur_gear(), 10)
    assert last(r, "gear_a.phi", "gear_b_bearing.phi", "mesh.phi_gear") == pytest.approx([10, 10, 0], abs=EXACT)


def test_ideal_wheel():
    """One coordinate, the angle of the wheel: (J + m R² + I R²) φ̈ = τ on a bar of length 1."""
    q, u = end(lambda q, u: 0.5 * (1 + 0.09 * 11) * u[0] ** 2, [0], [0], 10, lambda q, u: [2])
    r = run(ideal_wheel(), 10)
    names = ("inertia.phi", "prismatic.s", "revolute.phi", "revolute.w")
    assert last(r, *names) == pytest.approx([q[0], 1, -0.3 * q[0], -0.3 * u[0]], abs=EXACT)


def test_dry_friction_wheel():
    r = run(dry_friction_wheel(), 20, 1e-8)
    names = ("body.phi", "inertia.phi", "inertia.w", "prismatic.s", "prismatic.v", "revolute.w")
    published = [-28.29600239, 165.39478082, 15.21177754, 3.44156904, 0.05626903, -1.32503958]
    assert last(r, *names) == pytest.approx(published, abs=PUBLISHED)
