"""A one- or two-coordinate Lagrangian as an independent oracle: T and V written down, the rest by CasADi and SciPy."""

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp


def end(lagrangian, q0, u0, stop, force=None, max_step=np.inf):
    """(q, u) at `stop` for L(q, u) = T − V with generalised forces `force(q, u)`, to about 1e-11.

    Where errors grow along the motion, `max_step` keeps those of the integration at rounding.
    """
    n = len(q0)
    q, u = ca.SX.sym("q", n), ca.SX.sym("u", n)
    L = lagrangian(q, u)
    momentum = ca.gradient(L, u)
    M = ca.jacobian(momentum, u)
    right = ca.gradient(L, q) - ca.jacobian(momentum, q) @ u
    if force is not None:
        right += ca.vertcat(*force(q, u))
    f = ca.Function("f", [q, u], [ca.solve(M, right)])

    def rate(_, x):
        return np.concatenate([x[n:], np.array(f(x[:n], x[n:])).ravel()])

    solution = solve_ivp(rate, (0, stop), np.concatenate([q0, u0]), method="DOP853", rtol=1e-13, atol=1e-13,
                         max_step=max_step)
    return solution.y[:n, -1], solution.y[n:, -1]


def body(m, I, position, q, u, angle):
    """Kinetic energy less potential energy of a planar body whose position and angle are functions of q."""
    v = ca.jtimes(position, q, u)
    w = ca.jtimes(angle, q, u)
    return m * ca.dot(v, v) / 2 + I * w * w / 2 - m * 9.81 * position[1]
