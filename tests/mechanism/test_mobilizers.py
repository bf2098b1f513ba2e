"""Every kind of mobilizer, by the laws that any joint obeys; the transforms against formulas of their own."""

import itertools

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from linkwright.algebra import Transform, VelocityMotor
from linkwright.mechanism import Free, MechanismBuilder, Reversed, Spherical, reverse
from linkwright.mechanism.mobilizer import velocity
from mechanisms import KINDS, energies, forward_dynamics, random_inertia, random_pose, random_q, trace

every_kind = pytest.mark.parametrize("name", KINDS)
both_ways = pytest.mark.parametrize("direction", ["forward", "reversed"])
e = np.eye(3)


def euler(sequence, angles):
    """Body-fixed angles by SciPy; axes counted from 1."""
    return Rotation.from_euler("".join("XYZ"[k - 1] for k in sequence), angles).as_matrix()


def turned(Q):
    return Rotation.from_quat([Q[1], Q[2], Q[3], Q[0]]).as_matrix()


def on_ellipsoid(R):
    return R, np.array([0.5, 0.8, 1.1]) * R[:, 2]


def polar(azimuth, zenith, arm):
    R = euler((3, 2), [azimuth, zenith])
    return R, R @ arm


def on_a_cone(q):
    x, y = q[1] * np.cos(q[0]), q[1] * np.sin(q[0])
    return euler((3, 2), [q[0], 0.4 * q[1]]), [x, y, 0.5 * q[1] ** 2]


POSES = {
    "Weld": lambda q: (e, 0 * e[0]),
    "Revolute": lambda q: (euler([3], q), 0 * e[0]),
    "Prismatic": lambda q: (e, q[0] * e[2]),
    "Screw": lambda q: (euler([3], q), 0.3 * q[0] * e[2]),
    "Universal": lambda q: (euler((1, 2), q), 0 * e[0]),
    "Cylindrical": lambda q: (euler([3], q[:1]), q[1] * e[2]),
    "BendStretch": lambda q: (euler([3], q[:1]), q[1] * np.array([np.cos(q[0]), np.sin(q[0]), 0])),
    "Planar": lambda q: (euler([3], q[:1]), [q[1], q[2], 0]),
    "Translation": lambda q: (e, q),
    "SphericalCoords": lambda q: polar(q[0], q[1], q[2] * e[2]),
    "SphericalCoords-x": lambda q: polar(0.2 - q[0], -0.3 - q[1], -q[2] * e[0]),
    "Gimbal": lambda q: (euler((1, 2, 3), q), 0 * e[0]),
    "Spherical": lambda q: (turned(q), 0 * e[0]),
    "Spherical-123": lambda q: (euler((1, 2, 3), q), 0 * e[0]),
    "Spherical-313": lambda q: (euler((3, 1, 3), q), 0 * e[0]),
    "Spherical-231": lambda q: (euler((2, 3, 1), q), 0 * e[0]),
    "Ellipsoid": lambda q: on_ellipsoid(turned(q)),
    "Ellipsoid-321": lambda q: on_ellipsoid(euler((3, 2, 1), q)),
    "LineOrientation": lambda q: (turned(q), 0 * e[0]),
    "LineOrientation-123": lambda q: (euler((1, 2, 3), q), 0 * e[0]),
    "Free": lambda q: (turned(q[:4]), q[4:]),
    "Free-132": lambda q: (euler((1, 3, 2), q[:3]), q[3:]),
    "FreeLine": lambda q: (turned(q[:4]), q[4:]),
    "FreeLine-212": lambda q: (euler((2, 1, 2), q[:3]), q[3:]),
    "Bushing": lambda q: (euler((1, 2, 3), q[:3]), q[3:]),
    "CantileverFreeBeam": lambda q: (euler((1, 2, 3), q), 0.7 * np.array(
        [2 / 3 * q[1], -2 / 3 * q[0], 1 - 4 / 15 * (q[0] ** 2 + q[1] ** 2)])),
    "FunctionBased": lambda q: (euler((1, 3), [q[0] * q[1] / 2, q[0]]), [np.sin(q[0]), q[1], 0]),
    "Custom": on_a_cone,
}


def kind_of(name, direction="forward"):
    return reverse(KINDS[name]) if direction == "reversed" else KINDS[name]


def state_of(kind, seed=3):
    random = np.random.default_rng(seed)
    return random_q(kind, random), random.uniform(-1, 1, kind.nu)


def along(kind, q, qdot, function, h=2e-3):
    """The rate of function(q) along q̇ (five points, error of order h⁴)."""
    f = [np.asarray(function(kind.normalised(q + k * h * qdot))) for k in (-2, -1, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)


def gap(X, Y):
    return max(np.abs(X.R - Y.R).max(), np.abs(X.p - Y.p).max())


@pytest.mark.parametrize("name", POSES)
def test_transform_is_the_stated_formula(name):
    kind = KINDS[name]
    q, _ = state_of(kind)
    R, p = POSES[name](q)
    X = kind.transform(q)
    np.testing.assert_allclose(X.R, R, atol=1e-14)
    np.testing.assert_allclose(X.p, p, atol=1e-14)


@every_kind
@both_ways
def test_columns_give_the_velocity_of_the_moving_frame(name, direction):
    kind = kind_of(name, direction)
    q, u = state_of(kind)
    qdot = np.asarray(kind.qdot(q, u))
    R = kind.transform(q).R
    spin = R.T @ along(kind, q, qdot, lambda q: kind.transform(q).R)
    v = R.T @ along(kind, q, qdot, lambda q: kind.transform(q).p)
    V = velocity(kind, q, u)
    np.testing.assert_allclose(V.resultant, [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-10)
    np.testing.assert_allclose(V.moment, v, atol=1e-10)


@every_kind
@both_ways
def test_bias_is_the_change_of_velocity_at_constant_speeds(name, direction):
    kind = kind_of(name, direction)
    q, u = state_of(kind)
    qdot = np.asarray(kind.qdot(q, u))
    expected = along(kind, q, qdot, lambda q: velocity(kind, q, u).vector())
    np.testing.assert_allclose(kind.bias(q, u).vector(), expected, atol=1e-10)


@every_kind
def test_speeds_invert_coordinate_rates(name):
    kind = KINDS[name]
    q, u = state_of(kind)
    np.testing.assert_allclose(kind.speeds(q, kind.qdot(q, u)), u, atol=1e-13)


@pytest.mark.parametrize("sequence", [s for s in itertools.product((1, 2, 3), repeat=3) if s[1] not in (s[0], s[2])])
def test_rates_of_angles_belong_to_the_angular_velocity(sequence):
    kind = Spherical(sequence)
    q, w = np.array([0.4, 0.7, -1.1]), np.array([0.3, -0.8, 0.5])
    rates = kind.qdot(q, w)
    spin = kind.transform(q).R.T @ along(kind, q, rates, lambda q: kind.transform(q).R)
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], w, atol=1e-10)
    np.testing.assert_allclose(kind.speeds(q, rates), w, atol=1e-13)
    assert gap(kind.transform(kind.fit(kind.transform(q))), kind.transform(q)) < 1e-13


@every_kind
@both_ways
def test_fit_reproduces_pose_and_velocity(name, direction):
    """Over the whole range of angles, except for users' formulas, whose nearest pose is searched from the start."""
    kind = kind_of(name, direction)
    reach = 0.8 if name in ("FunctionBased", "Custom", "CantileverFreeBeam") else 3.0
    for seed in range(5):
        random = np.random.default_rng(seed)
        q = kind.normalised(kind.default() + random.uniform(-reach, reach, kind.nq))
        u = random.normal(size=kind.nu)
        X = kind.transform(q)
        assert gap(kind.transform(kind.fit(X)), X) < 1e-9
        np.testing.assert_allclose(kind.fit_velocity(q, velocity(kind, q, u)), u, atol=1e-11)


@pytest.mark.parametrize("name", ["Revolute", "Cylindrical", "Planar", "Spherical", "Free"])
def test_fit_stays_near_its_guess(name):
    """Turns are counted on from the guess; of the two quaternions ±Q the nearer one is taken."""
    kind = KINDS[name]
    q, _ = state_of(kind)
    q = -q if kind.quaternion is not None else q + 4 * np.pi * np.eye(kind.nq)[0]
    np.testing.assert_allclose(kind.fit(kind.transform(q), guess=q + 0.1), q, atol=1e-12)


def test_height_of_a_screw_tells_its_turns():
    np.testing.assert_allclose(KINDS["Screw"].fit(KINDS["Screw"].transform([23.0])), [23.0], atol=1e-9)


def test_pose_out_of_reach_is_approached():
    """A point off the reach of polar coordinates: no other coordinates come nearer."""
    X = Transform(euler((1, 2, 3), [0.1, -0.2, 0.4]), [1.0, 0.5, 0.3])
    for name in ("BendStretch", "SphericalCoords", "Universal", "Screw"):
        kind = KINDS[name]

        def distance(q, kind=kind):
            Y = kind.transform(q)
            return np.sum((Y.p - X.p) ** 2) + np.sum(Rotation.from_matrix(Y.R.T @ X.R).as_rotvec() ** 2)

        q = kind.fit(X)
        assert all(distance(q) <= distance(q + s * e) for e in np.eye(kind.nq) for s in (1e-3, -1e-3))


@every_kind
@both_ways
def test_energy_is_conserved(name, direction):
    kind = kind_of(name, direction)
    random = np.random.default_rng(5)
    builder = MechanismBuilder(gravity=(0.5, -1.0, 0.7))
    builder.body("body", "world", kind, random_pose(random), random_pose(random), random_inertia(random))
    m = builder.build()
    kin = trace(m)
    rates = ca.vertcat(kind.qdot(kin.q, kin.u), forward_dynamics(kin)[0])
    derivative = ca.Function("derivative", [ca.vertcat(kin.q, kin.u)], [rates])
    energy = ca.Function("energy", [ca.vertcat(kin.q, kin.u)], list(energies(kin)))
    q, u = state_of(kind)
    start = np.concatenate([q, u])
    run = solve_ivp(lambda t, x: np.asarray(derivative(x)).ravel(), (0, 1), start, "DOP853", rtol=1e-11, atol=1e-12)
    (T0, P0), (T, P) = (map(float, energy(x)) for x in (start, run.y[:, -1]))
    assert run.success
    assert abs(T + P - T0 - P0) <= 1e-9 * (T0 + abs(P - P0))
    if kind.nu:
        assert abs(P - P0) > 1e-3  # gravity did work: the test can fail


@every_kind
def test_reversed_joint_gives_the_same_motion_with_roles_swapped(name):
    """A on a free joint carrying B, or B on a free joint carrying A by the reversed kind: one and the same machine."""
    kind, random = KINDS[name], np.random.default_rng(7)
    X_AF, X_BM, inertia_a, inertia_b = (random_pose(random), random_pose(random), random_inertia(random),
                                        random_inertia(random))
    first, second = MechanismBuilder(gravity=(0, 0, -3)), MechanismBuilder(gravity=(0, 0, -3))
    first.body("A", "world", Free(), inertia=inertia_a)
    first.body("B", "A", kind, X_AF, X_BM, inertia_b)
    second.body("B", "world", Free(), inertia=inertia_b)
    second.body("A", "B", kind, X_BM, X_AF, inertia_a, reversed=True)
    q, u = state_of(kind)
    q_A, u_A = random_q(Free(), random), random.normal(size=6)
    kin = trace(first.build())
    udot, A = forward_dynamics(kin)
    X_MB = X_BM.inverse()
    X_WB, V_B, A_B = kin.X_WB[1] @ X_MB, X_MB.into(kin.V[1]), X_MB.into(A[1])
    found = ca.Function("first", [kin.q, kin.u], [udot[6:], X_WB.R, X_WB.p, V_B.vector(), A_B.vector()])
    udot_1, R, p, V, A_1 = (np.asarray(x) for x in found(np.r_[q_A, q], np.r_[u_A, u]))
    kin = trace(second.build())
    udot, A = forward_dynamics(kin)
    found = ca.Function("second", [kin.q, kin.u], [udot[6:], A[0].vector()])
    q_B = Free().fit(Transform(R, p))
    udot_2, A_2 = (np.asarray(x) for x in found(np.r_[q_B, q], np.r_[V.ravel(), u]))
    np.testing.assert_allclose(udot_2, udot_1, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(A_2, A_1, rtol=1e-9, atol=1e-10)


def test_reversing_twice_is_the_kind_itself():
    assert reverse(reverse(KINDS["Universal"])) is KINDS["Universal"]
    assert isinstance(reverse(KINDS["Universal"]), Reversed)


def test_velocity_that_a_joint_cannot_have_is_fitted_in_the_least_squares_sense():
    V = VelocityMotor([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    np.testing.assert_allclose(KINDS["Revolute"].fit_velocity([0.4], V), [0.3])
    np.testing.assert_allclose(KINDS["Cylindrical"].fit_velocity([0.4, 0.1], V), [0.3, 3.0])


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.closes])
def test_closing_equations_hold_where_the_joint_may_be_and_nowhere_else(name):
    """They vanish at every pose of the joint, as many as it has no freedoms, independent; coordinates are read back."""
    kind, random = KINDS[name], np.random.default_rng(5)
    R, p, V = ca.SX.sym("R", 3, 3), ca.SX.sym("p", 3), ca.SX.sym("V", 6)
    closing = kind.closing(R, p, V)
    rows = ca.vertcat(ca.SX(0, 1), closing.residual)
    assert rows.numel() == 6 - kind.nu == len(closing.labels)
    # along a small motion V of M: Ṙ = R ω×, ṗ = R v
    rate = ca.jtimes(rows, ca.veccat(R, p), ca.veccat(R @ ca.skew(V[:3]), R @ V[3:]))
    read = ca.vertcat(*closing.angles, *closing.lengths)
    of_pose = ca.Function("closing", [R, p, V], [rows, ca.jacobian(rate, V), read,
                                                 ca.SX(0, 1) if closing.speeds is None else closing.speeds])
    for _ in range(5):
        q, u = random_q(kind, random), random.uniform(-1, 1, kind.nu)
        X, V_FM = kind.transform(q), velocity(kind, q, u)
        residual, J, coordinates, speeds = (np.array(x) for x in of_pose(X.R, X.p, V_FM.vector()))
        assert np.abs(residual).max(initial=0) < 1e-14
        assert np.linalg.matrix_rank(J) == 6 - kind.nu if kind.nu < 6 else not J.size
        H = np.column_stack([S.vector() for S in kind.columns(q)]) if kind.nu else np.zeros((6, 0))
        assert np.abs(J @ H).max(initial=0) < 1e-13  # the joint's own motion leaves them alone
        if closing.speeds is not None:
            assert coordinates.ravel() == pytest.approx(q, abs=1e-13)
            assert speeds.ravel() == pytest.approx(u, abs=1e-13)
