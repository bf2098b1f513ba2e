"""Bodies that bend in the recursions: every algorithm against the others, and against Lagrange's equations.

The reference knows no integrals and no motors: T = ½ Σ m |ṙ|² over all point masses in the world, differentiated.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Inertia, Transform, rotation_x
from linkwright.equations import Equations, inverse_derivatives
from linkwright.mechanism import Body, FrameOf, Gravity, Mechanism, MobilityLoad, Revolute, Ride, Variable, reverse
from linkwright.mechanism.kinds import Integrals, Modal, Place

MODES, POINTS = 3, 7
G = np.array([0.3, -9.0, 1.0])


class Part:
    """Point masses at c + Φ q on a body with two frames that move: C, D."""

    def __init__(self, random: np.random.Generator) -> None:
        self.m, self.c = random.uniform(0.5, 1, POINTS), random.normal(size=(POINTS, 3))
        self.phi = 0.3 * random.normal(size=(POINTS, 3, MODES))
        self.places = [Place.still(MODES), *[
            Place(random.normal(size=3), 0.4 * random.normal(size=(3, MODES)), 0.4 * random.normal(size=(3, MODES)))
            for _ in range(2)]]
        self.K = random.uniform(1, 9, MODES)
        self.bending = Modal(Integrals.of_points(self.m, self.c, self.phi), tuple(self.places))


def turning(r):
    x = ca.norm_2(r)
    W = ca.skew(r)
    return ca.SX.eye(3) + ca.sin(x) / x * W + (1 - ca.cos(x)) / x**2 * W @ W


def chain(parts, hung_by):
    """World, revolute, part by frame `hung_by`, revolute at frame D, next part …, and a rigid load at the last D."""
    bodies, loads, variables, at = [], [], [], -1
    for k, part in enumerate(parts):
        axis = Transform(rotation_x(0.4), [0.1, 0.2, 0.0])
        bodies.append(Body(f"b{k}", f"rev{k}", at, Revolute(), axis, Inertia(0.3, [0.1, 0, 0.1], [0.1, 0.2, 0.25])))
        core = len(bodies)
        bodies.append(Body(f"part{k}", f"flex{k}", core - 1, reverse(FrameOf(part.bending, hung_by)), Transform(),
                           Inertia(), bending=part.bending))
        symbol = ca.SX.sym(f"q{k}", MODES)
        variables.append(Variable(symbol, "q", f"flex{k}"))
        loads += [MobilityLoad("spring", f"flex{k}", i, -part.K[i] * symbol[i]) for i in range(MODES)]
        bodies.append(Body(f"c{k}", f"ride{k}", core, Ride(FrameOf(part.bending, 3 - max(hung_by, 1))), Transform(),
                           Inertia(0.2, [0.0, 0.1, 0.0], [0.02, 0.03, 0.04])))
        bodies.append(Body(f"d{k}", f"other{k}", core, Ride(FrameOf(part.bending, 2 if hung_by != 2 else 0)),
                           Transform(), Inertia(0.5, [0.2, 0.0, 0.1], [0.1, 0.1, 0.1])))
        at = len(bodies) - 1
    return Mechanism("chain", tuple(bodies), Gravity(tuple(G)), variables=tuple(variables), loads=tuple(loads))


def lagrange(mechanism, parts):
    """(mass matrix, right-hand side) of the same chain."""
    q, qd = ca.SX.sym("q", mechanism.nq), ca.SX.sym("qd", mechanism.nu)
    poses, T, U = [], ca.SX(0), ca.SX(0)

    def add(m, r):
        nonlocal T, U
        v = ca.jtimes(r, q, qd)
        T += m / 2 * ca.dot(v, v)
        U -= m * ca.dot(ca.SX(G), r)

    for k, body in enumerate(mechanism.bodies):
        R, p = (ca.SX.eye(3), ca.SX.zeros(3)) if body.parent < 0 else poses[body.parent]
        part = parts[int(body.name[-1])]
        own = q[mechanism.slices()[0][k]]
        p, R = p + R @ ca.SX(body.X_PF.p), R @ ca.SX(body.X_PF.R)
        if isinstance(body.mobilizer, Revolute):
            R = R @ turning(ca.vertcat(0, 0, own))
        else:
            kind = body.mobilizer.of if body.mobilizer.rides else body.mobilizer.forward
            place = part.places[kind.place]
            S = turning(place.psi @ own) if np.any(place.psi) else ca.SX.eye(3)
            shift = place.origin + place.phi @ own
            if body.mobilizer.rides:
                p, R = p + R @ shift, R @ S
            else:
                R = R @ S.T
                p = p - R @ shift
        poses.append((R, p))
        if body.bending is not None:
            for i in range(POINTS):
                add(part.m[i], p + R @ (part.c[i] + part.phi[i] @ own))
            U += ca.dot(own, part.K * own) / 2
        if body.inertia.m:
            add(body.inertia.m, p + R @ ca.SX(body.inertia.com()))
            W = R.T @ ca.reshape(ca.jtimes(ca.vec(R), q, qd), 3, 3)
            w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
            T += ca.dot(w, ca.SX(body.inertia.central()) @ w) / 2
    P = ca.gradient(T, qd)
    return ca.Function("f", [q, qd], [ca.jacobian(P, qd), ca.gradient(T - U, q) - ca.jtimes(P, q, qd), T, U])


@pytest.mark.parametrize("hung_by", [0, 1, 2])
@pytest.mark.parametrize("size", [0.05, 0.7])
def test_forward_dynamics_is_that_of_the_point_masses(hung_by, size):
    random = np.random.default_rng(3)
    parts = [Part(random) for _ in range(2)]
    mechanism = chain(parts, hung_by)
    e = Equations(mechanism)
    names = ("t", "q", "u", "z", "d", "p", "f")
    arguments = [e.symbols[n] for n in names]
    q, u = size * random.normal(size=(2, mechanism.nq))
    M, h, T, U = (np.array(x) for x in lagrange(mechanism, parts)(q, u))
    expected = np.linalg.solve(M, h).ravel()
    values = [0, q, u, [], [], [], np.zeros(mechanism.nu)]
    udot, mass, kinetic, gravity, free = (np.array(x) for x in ca.Function(
        "f", arguments, [e.udot, e.mass_matrix, e.kinetic_energy, e.potential_energy, e.kinematics.momentum(0).vector()
                         ]).call(values))
    scale = abs(expected).max()
    assert abs(udot.ravel() - expected).max() < 1e-9 * scale
    assert abs(mass - M).max() < 1e-11 * abs(M).max()
    assert abs(kinetic - T).max() < 1e-11 * abs(T).max()
    own = [mechanism.slices()[0][mechanism.index(f"flex{k}")] for k in range(len(parts))]
    springs = sum(part.K @ q[place] ** 2 / 2 for part, place in zip(parts, own, strict=True))
    assert abs(gravity + springs - U).max() < 1e-10 * (1 + abs(U).max())
    # inverse dynamics of these accelerations needs no force
    tau = ca.Function("tau", [*arguments, e.symbols["udot"]], [e.tau]).call([*values, udot])[0]
    assert abs(np.array(tau)).max() < 1e-9 * abs(h).max()


def test_derivatives_of_inverse_dynamics():
    random = np.random.default_rng(5)
    mechanism = chain([Part(random)], 1)
    e = Equations(mechanism)
    d = inverse_derivatives(e.kinematics, e.symbols["udot"])
    names = ("q", "u", "udot")
    f = ca.Function("f", [e.symbols[n] for n in names], [d.tau, d.q, d.u, d.mass])
    x = [random.normal(size=mechanism.nu) * 0.3 for _ in names]
    _, by_q, by_u, mass = (np.array(v) for v in f(*x))
    for number, found in enumerate((by_q, by_u, mass)):
        for k in range(mechanism.nu):
            step = np.eye(mechanism.nu)[k] * 1e-6
            high, low = (np.array(f(*[v + s * step if i == number else v for i, v in enumerate(x)])[0]).ravel()
                         for s in (1, -1))
            assert abs((high - low) / 2e-6 - found[:, k]).max() < 1e-7 * (1 + abs(found).max())
