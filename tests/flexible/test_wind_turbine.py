"""NREL's reference wind turbine of 5 MW: tower and blade as bodies with shapes, beside welib's numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, joints, rotational
from linkwright.mechanism.kinds import Integrals

#: kg/m and bending stiffness in N m² at eleven even stations (Jonkman and others 2009, NREL/TP-500-38060)
DENSITY = np.array([5590.87, 5232.43, 4885.76, 4550.87, 4227.75, 3916.41, 3616.83, 3329.03, 3053.01, 2788.75, 2536.27])
STIFFNESS = 1e10 * np.array([61.4343, 53.4821, 46.3267, 39.9131, 34.1883, 29.1011, 24.6027, 20.6457, 17.1851, 14.1776,
                             11.5820])
HEIGHT = 87.6


LINES = [(k, k + 1) for k in range(10)]


def tower():
    """M, K and nodes of ten elements along z: Hermite's cubics, density and stiffness linear in each.

    And the points at which they are integrated: the mass of each, and N of its displacement N u (3 × all).
    """
    n, h = 10, HEIGHT / 10
    M, K = np.zeros((2, 6 * (n + 1), 6 * (n + 1)))
    points, weights = np.polynomial.legendre.leggauss(6)
    mass, moved = [], []
    for e in range(n):
        first = slice(6 * e, 6 * e + 12)
        for x, w in zip((points + 1) / 2, weights * h / 2, strict=True):
            rho, EI = ((1 - x) * table[e] + x * table[e + 1] for table in (DENSITY, STIFFNESS))
            cubic = np.array([1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3,
                              h * (x**3 - x**2)])
            bend = np.array([-6 + 12 * x, h * (-4 + 6 * x), 6 - 12 * x, h * (6 * x - 2)]) / h**2
            line, slope = np.array([1 - x, x]), np.array([-1, 1]) / h
            N = np.zeros((3, 6 * (n + 1)))
            # across: u_x with θ_y, u_y with −θ_x; along and in torsion far stiffer
            for axis, places, signs in ((0, [0, 4, 6, 10], [1, 1, 1, 1]), (1, [1, 3, 7, 9], [1, -1, 1, -1])):
                N[axis, first][places] = cubic * signs
                K[first, first][np.ix_(places, places)] += w * EI * np.outer(bend * signs, bend * signs)
            N[2, first][[2, 8]] = line
            M += w * rho * N.T @ N
            M[first, first][np.ix_([5, 11], [5, 11])] += w * np.outer(line, line)
            for places in ([2, 8], [5, 11]):
                K[first, first][np.ix_(places, places)] += w * 100 * EI * np.outer(slope, slope)
            mass.append(w * rho)
            moved.append(N)
    nodes = np.stack([np.zeros(n + 1), np.zeros(n + 1), np.linspace(0, HEIGHT, n + 1)], axis=1)
    return M, K, nodes, np.array(mass), np.array(moved)


def test_first_bending_of_a_tower():
    """Mass, first moment, inertia, and integrals of the shape that moves the top by one."""
    M, K, nodes, *_ = tower()
    data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"foot": [0]}, modes=2)
    i = data.integrals
    assert i.m == pytest.approx(347460.2316, rel=1e-9)
    assert i.mc[2] == pytest.approx(13265404.838207997, rel=1e-9)
    assert np.diag(i.J0)[:2] == pytest.approx([7.198598843e8] * 2, rel=1e-9)
    assert data.frequencies == pytest.approx([0.891449] * 2, rel=1e-6)
    along = along_x(data)
    assert along @ i.Me @ along == pytest.approx(61094.66490, rel=1e-6)
    assert along @ i.Ct == pytest.approx([104625.69072, 0, 0], rel=1e-6, abs=1e-3)
    assert along @ i.C2 == pytest.approx([0, 6449889.716099, 0], rel=1e-6, abs=0.1)


def along_x(data):
    """The sum of the two shapes that moves the top by one along x: both planes have one frequency."""
    return np.linalg.inv(data.nodes[10].phi[:2, :2])[:, 0]


def softened(data, spin):
    """ω² of the bending along x of a tower that spins about x: no part of it is moved off the axis of the spin."""
    m = lw.Model("tower")
    m.world = lw.World(gravity=None)
    m.hub, m.drive, m.tower = joints.Revolute(n=[1, 0, 0]), rotational.Speed(exact=True), flexible.ModalBody(data)
    m.drive.w_ref = spin
    m.connect(m.hub.axis, m.drive.flange)
    m.chain(m.world, m.hub, m.tower)
    values = np.linalg.eigvals(lw.linearize(m).A)
    return np.max(values.imag) ** 2


def test_tower_that_spins_becomes_stiffer():
    """Along x the square of the frequency grows by Ω² K_geo/Me, where welib's K_geo is of the spin about x."""
    M, K, nodes, mass, moved = tower()
    data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"foot": [0]}, modes=2, lines=LINES)
    # M alone has the motion ω × u between nodes to second order; welib has it as the elements are
    fields = np.concatenate([np.vstack([data.nodes[k].phi, data.nodes[k].psi]) for k in range(11)])
    axis = moved @ np.hstack([nodes, np.zeros((11, 3))]).ravel()
    whole = replace(data, integrals=Integrals.of_points(mass, axis, moved @ fields))
    x = along_x(data)
    for body, exact in ((whole, 1e-6), (data, 5e-4)):
        i = body.integrals
        K_geo = -np.einsum("a,akl->kl", i.J1[2:, 0, 0], body.quadratic)
        assert x @ K_geo @ x == pytest.approx(77201.43393, rel=exact)
        added = softened(body, 2.0) - softened(body, 0.0)
        assert added * 61094.66490 == pytest.approx(4 * 77201.43393, rel=exact)


#: kg/m and twist in degrees at the middle of each of 17 equal parts of the blade, linear between the 49 stations of the
#: same report, and its first and second flap and first edge shape: coefficients of x² to x⁶
BLADE_DENSITY = np.array([753.3810439549, 444.3320666015, 396.9129441104, 394.7578100159, 346.2510660002,
                          331.4188710442, 316.6204757253, 291.1864633551, 260.5565350554, 239.9049183127,
                          202.4838188821, 169.3664994573, 146.5139961653, 122.4509289050, 97.6847788148,
                          74.1820266985, 49.1727634759])
TWIST = np.radians([13.308, 13.308, 13.308, 12.5452909380, 10.7696983984, 9.7569316952, 8.7314386803, 7.6473211334,
                    6.5490793358, 5.4978441140, 4.4623795411, 3.4818808335, 2.6925238767, 1.9929830226, 1.2923525071,
                    0.5975107445, 0.1406626149])
FLAP, SECOND_FLAP, EDGE = ((0.0622, 1.7254, -3.2452, 4.7131, -2.2555), (-0.5809, 1.2067, -15.5349, 29.7347, -13.8255),
                           (0.3627, 2.5337, -3.5772, 2.376, -0.6952))
ROOT, LENGTH = 1.5, 61.5


def test_shapes_of_a_twisted_blade():
    """Curvatures are turned by the twist and integrated twice along the blade, as OpenFAST does."""
    n = len(TWIST)
    part, x = LENGTH / n, (np.arange(n) + 0.5) / n
    flap, second, edge = (sum(c * p * (p - 1) * x ** (p - 2) for p, c in enumerate(shape, 2)) / LENGTH**2
                          for shape in (FLAP, SECOND_FLAP, EDGE))
    c, s = np.cos(TWIST), np.sin(TWIST)
    phi = np.zeros((n, 3, 3))
    slopes = np.array([[flap * c, -flap * s], [second * c, -second * s], [edge * s, edge * c]])
    for _ in range(2):  # to the middle of each part
        slopes = part * (np.cumsum(slopes, axis=-1) - slopes / 2)
    phi[:, :2] = slopes.transpose(2, 1, 0)
    axis = np.stack([0 * x, 0 * x, ROOT + LENGTH * x], axis=1)
    i = Integrals.of_points(BLADE_DENSITY * part, axis, phi)
    assert i.J0[0, 0] == pytest.approx(12319399.637394847, rel=1e-10)
    assert i.Ct[0, 0] == pytest.approx(2056.3643491060693, rel=1e-10)
    # welib's Gr_k is twice J1_k; Oe_k has the products of J1_k, with the sign changed
    assert 2 * i.J1[0, 0, 2] == pytest.approx(-180861.62393339022, rel=1e-10)
    assert -i.J1[0, 1, 2] == pytest.approx(-14620.057176601025, rel=1e-10)
