"""Random vectors, rotations (singular ones among them), frames, motors and bodies for the laws of the algebra."""

import casadi as ca
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from linkwright.algebra import ForceMotor, Inertia, MomentumMotor, MotorDyad, Transform, VelocityMotor, axis_rotation
from linkwright.algebra.motors import Motor

law = settings(max_examples=60, deadline=None, derandomize=True)
SEQUENCES = [(i, j, k) for i in (1, 2, 3) for j in (1, 2, 3) for k in (1, 2, 3) if i != j and j != k]

numbers = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 6))
vectors = st.lists(numbers, min_size=3, max_size=3).map(np.array)
coordinate_axes = st.sampled_from([np.array(e) for e in (*np.eye(3), *-np.eye(3))])
axes = st.one_of(coordinate_axes, vectors.filter(lambda n: np.linalg.norm(n) > 0.1))

# general angles, quarter turns, and both within 1e-1 … 1e-16 of a quarter turn
offsets = st.builds(lambda sign, k: sign * 10.0**-k, st.sampled_from([-1, 1]), st.integers(1, 16))
quarter_turns = st.integers(-2, 2).map(lambda k: k * np.pi / 2)
angles = st.one_of(st.floats(-3.1, 3.1), quarter_turns, st.builds(lambda q, d: q + d, quarter_turns, offsets))

rotations = st.builds(axis_rotation, axes, angles)
transforms = st.builds(Transform, rotations, vectors)
velocities = st.builds(VelocityMotor, vectors, vectors)
forces = st.builds(ForceMotor, vectors, vectors)
momenta = st.builds(MomentumMotor, vectors, vectors)
motors = st.one_of(velocities, forces, momenta)


def _body(m, com, R, spread):
    square = np.square(spread)
    return Inertia(m, com, central=R @ np.diag(m * (square.sum() - square)) @ R.T)


bodies = st.builds(_body, st.floats(0, 5), vectors, rotations, vectors)


def _dyad(entries):
    A = np.array(entries).reshape(6, 6)
    A = A @ A.T
    return MotorDyad(A[3:, 3:], A[:3, 3:], A[:3, :3])


dyads = st.lists(numbers, min_size=36, max_size=36).map(_dyad)


def _components(x):
    return x.vector() if isinstance(x, Motor) else x.matrix() if isinstance(x, MotorDyad) else np.asarray(x)


def close(a, b, tolerance=1e-11):
    """Equality of numbers, motors or dyads up to rounding, relative to their size."""
    a, b = _components(a), _components(b)
    assert np.shape(a) == np.shape(b)
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(a).max(initial=0)))


def symbolically(function, *numbers):
    """`function` traced on symbols shaped like the numbers, then evaluated at them."""
    symbols = [ca.SX.sym(f"x{i}", *np.atleast_1d(x).shape) for i, x in enumerate(numbers)]
    result = ca.SX(function(*symbols))
    value = np.array(ca.Function("f", symbols, [result])(*numbers))
    return value.ravel() if 1 in value.shape else value


def matrix6(X):
    """X @ motor on (resultant, moment): [[R, 0], [[p]× R, R]]."""
    P = np.cross(np.eye(3), X.p)  # row i is eᵢ × p, which makes it [p]×
    return np.block([[X.R, np.zeros((3, 3))], [P @ X.R, X.R]])


EXCHANGE = np.roll(np.eye(6), 3, axis=0)
