"""Random trees of rigid bodies, modal bodies and beams: the recursions against Lagrange's equations of their pieces.

The reference takes poses alone, X_WB = X_WP X_PF X_FM(q), and the mass of every piece: T = ½ Σ m |ṙ|² + ω·Jω, all
derivatives by differentiation.  It knows no columns, no biases, no N and H.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Inertia, Transform, rotation_x, rotation_z
from linkwright.equations import Equations
from linkwright.mechanism import Body, FrameOf, Gravity, Mechanism, Revolute, Ride, reverse
from linkwright.mechanism.kinds import Integrals, Modal, Place, Prismatic, Strained

G = np.array([0.3, -9.0, 1.0])


def modal(random, shapes=2, points=6):
    m, c = random.uniform(0.5, 1, points), random.normal(size=(points, 3))
    phi = 0.3 * random.normal(size=(points, 3, shapes))
    places = [Place.still(shapes), *[Place(random.normal(size=3), 0.4 * random.normal(size=(3, shapes)),
                                           0.4 * random.normal(size=(3, shapes))) for _ in range(2)]]
    kind = Modal(Integrals.of_points(m, c, phi), tuple(places))
    return kind, lambda q: [(Transform(p=ca.SX(c[i]) + phi[i] @ q), Inertia(m[i])) for i in range(points)]


def beam(random, degrees):
    points = {0: 3, 1: 4, 2: 5}[max(degrees)]
    kind = Strained(0.7, degrees, tuple(tuple(random.uniform(0.1, 1, 3)) for _ in range(points)),
                    tuple(random.normal(size=3)))
    inner = kind._pieces()[1:-1]
    return kind, lambda q: [(kind.pose(q, at), piece) for at, piece in zip(kind.points, inner, strict=True)]


def random_tree(seed):
    """Six parts, each on a body chosen at random; what bends hangs by any of its frames and carries two others."""
    random = np.random.default_rng(seed)
    bodies, pieces, free = [], {}, [-1]

    def offset():
        return Transform(rotation_x(random.normal()) @ rotation_z(random.normal()), random.normal(size=3))

    def solid():
        return Inertia(random.uniform(0.2, 1), random.normal(size=3), np.diag(random.uniform(1, 1.5, 3)))

    for k in range(6):
        parent = free[int(random.integers(len(free)))]
        if k % 2 == 0:
            kind = (Revolute(), Prismatic())[int(random.integers(2))]
            bodies.append(Body(f"rigid{k}", f"joint{k}", parent, kind, offset(), solid()))
            free.append(len(bodies) - 1)
            continue
        if k == 3:
            kind, own = modal(random)
            count = 3
        else:
            degrees = [(1, 1, 1, -1, -1, -1), (0, 1, 0, 0, 0, 0), (-1, -1, 2, -1, -1, -1)][int(random.integers(3))]
            kind, own = beam(random, degrees)
            count = 2
        hung = int(random.integers(count))
        core = len(bodies)
        bodies.append(Body(f"bent{k}", f"bends{k}", parent, reverse(FrameOf(kind, hung)), offset(), solid(),
                           bending=kind))
        pieces[core] = own
        for place in range(count):
            if place != hung:
                bodies.append(Body(f"ride{k}{place}", f"rides{k}{place}", core, Ride(FrameOf(kind, place)), Transform(),
                                   solid()))
                free.append(len(bodies) - 1)
    return Mechanism("tree", tuple(bodies), Gravity(tuple(G))), pieces


def lagrange(mechanism, pieces):
    q, qd = ca.SX.sym("q", mechanism.nq), ca.SX.sym("qd", mechanism.nu)
    slices, poses, T, U = mechanism.slices()[0], [], ca.SX(0), ca.SX(0)
    for k, body in enumerate(mechanism.bodies):
        X = Transform() if body.parent < 0 else poses[body.parent]
        X = X @ body.X_PF @ body.mobilizer.transform(q[slices[k]])
        poses.append(X)
        for at, inertia in [(Transform(), body.inertia), *(pieces[k](q[slices[k]]) if k in pieces else ())]:
            R, p = ca.SX((X @ at).R), ca.SX((X @ at).p)
            centre = p + R @ ca.SX(inertia.com())
            v = ca.jtimes(centre, q, qd)
            W = R.T @ ca.reshape(ca.jtimes(ca.vec(R), q, qd), 3, 3)
            w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
            T += inertia.m / 2 * ca.dot(v, v) + ca.dot(w, ca.SX(inertia.central()) @ w) / 2
            U -= inertia.m * ca.dot(ca.SX(G), centre)
    P = ca.gradient(T, qd)
    return ca.Function("f", [q, qd], [ca.jacobian(P, qd), ca.gradient(T - U, q) - ca.jtimes(P, q, qd)])


@pytest.mark.parametrize("seed", [0, 1, *[pytest.param(k, marks=pytest.mark.slow) for k in range(2, 12)]])
def test_forward_dynamics_of_a_tree_is_that_of_its_pieces(seed):
    mechanism, pieces = random_tree(seed)
    e, random = Equations(mechanism), np.random.default_rng(100 + seed)
    arguments = [e.symbols[n] for n in ("t", "q", "u", "z", "d", "p", "f")]
    q, u = 0.5 * random.normal(size=(2, mechanism.nq))
    M, h = (np.array(x) for x in lagrange(mechanism, pieces)(q, u))
    expected = np.linalg.solve(M, h).ravel()
    values = [0, q, u, [], [], [], np.zeros(mechanism.nu)]
    udot, mass = (np.array(x) for x in ca.Function("f", arguments, [e.udot, e.mass_matrix]).call(values))
    assert np.abs(mass - M).max() < 1e-11 * np.abs(M).max()
    assert np.abs(udot.ravel() - expected).max() < 1e-9 * np.abs(expected).max()
    tau = ca.Function("tau", [*arguments, e.symbols["udot"]], [e.tau]).call([*values, udot])[0]
    assert np.abs(np.array(tau)).max() < 1e-9 * np.abs(h).max()
