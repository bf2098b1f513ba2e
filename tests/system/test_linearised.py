"""The linearised equations against differences of the right-hand side, over joints, loops, laws and modes."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, joints, parts, rotational
from linkwright.algebra import ForceMotor, Inertia, Transform
from linkwright.equations import Equations
from linkwright.equations.linearised import linearise
from linkwright.mechanism import TIME, MechanismBuilder, Prismatic, Revolute
from linkwright.system import compile_mechanism
from mechanisms import KINDS, chain, random_coordinates, random_tree


def state_jacobian(system, inputs):
    """J = ∂ẋ/∂x from P J = Q (1, ∂w/∂x)."""
    code = system.code.linearised
    values = code.program(inputs)
    n = code.P.columns.max() + 1
    size = code.Q.rows.max() + 1
    P, Q = np.zeros((size, n)), np.zeros((size, size))
    P[code.P], Q[code.Q] = np.split(values, [len(code.P.rows)])
    return np.linalg.solve(np.hstack([P, -Q[:, n:]]), Q[:, :n])[:n]


def differences(system, inputs, directions):
    """J times directions by differences of fourth order; the unknowns are solved anew at every point."""
    n = directions.shape[0]

    def at(x):
        there = inputs.copy()
        there[1 : 1 + n] += x
        return system.rhs(there)[:n]

    def slope(d, h=2e-3):
        return (8 * (at(h * d) - at(-h * d)) - at(2 * h * d) + at(-2 * h * d)) / (12 * h)

    return np.column_stack([(16 * slope(d, 1e-3) - slope(d, 2e-3)) / 15 for d in directions.T])


def assert_agrees(system, state, tolerance=1e-7):
    inputs = system.layout.pack(state)
    n = len(state.q) + len(state.u) + len(state.z)
    # quaternions are differentiated along the mobilities
    directions = np.zeros((n, len(state.u) + len(state.u) + len(state.z)))
    for k, e in enumerate(np.eye(len(state.u))):
        directions[: len(state.q), k] = system.advance(state.q, e)
    directions[len(state.q) :, len(state.u) :] = np.eye(len(state.u) + len(state.z))
    expected = differences(system, inputs, directions)
    found = state_jacobian(system, inputs) @ directions
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * (1 + np.abs(expected).max()))


def random_state(system, seed=0):
    random = np.random.default_rng(seed)
    state = system.state(assembled=False)
    state.q = random_coordinates(system.mechanism, random)
    state.u = random.uniform(-1, 1, len(state.u))
    state.z = random.uniform(-1, 1, len(state.z))
    return state


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.nu])
def test_trees_of_every_joint(name):
    system = compile_mechanism(random_tree([KINDS[name], Revolute()], 1), tier="quick")
    assert_agrees(system, random_state(system))


def laws():
    """Loads on bodies and mobilities, of positions, speeds, states and time; a state that follows an acceleration."""
    b = MechanismBuilder("laws", gravity=[0, -9.81, 0])
    link = Inertia(1.0, [0.5, 0.1, 0], np.diag([0.1, 0.2, 0.3]))
    b.body("a", "world", Revolute(), inertia=link)
    b.body("c", "a", Revolute(), Transform(None, [1, 0, 0.2]), inertia=link)
    b.frame("tip", "c", Transform(None, [0.7, 0, 0]))
    tip, speed = b.pose("tip").p, b.variable("v", "tip", 3)
    z = b.state("z", lambda z: ca.sin(TIME) - z + b.variable("udot", "c"), start=0.3)
    b.force("pull", "tip", ForceMotor(-40 * (tip - ca.vertcat(0, 1, z)) - 3 * speed, [0, 0, 0]), axes="world")
    b.mobility_force("motor", "a", 2 * z * b.variable("q", "c") - 0.3 * b.variable("u", "a") ** 3)
    return b


def implicit():
    """A node between two springs, a brake that reads its reaction, a mass added by an acceleration."""
    b = laws()
    s = b.variable("q", "c")
    node = b.unknown("node", lambda y: 30 * y - 50 * (s - y) ** 3, start=0.1)
    reaction = b.variable("reaction", "a", 6)
    b.mobility_force("series", "c", -30 * node)
    load = ca.sqrt(ca.dot(reaction[:3], reaction[:3]))
    b.mobility_force("brake", "a", -0.05 * load * ca.tanh(3 * b.variable("u", "a")))
    b.force("added", "tip", ForceMotor(-0.9 * b.variable("a", "tip", 3), [0, 0, 0]), axes="world")
    return b


@pytest.mark.parametrize("make", [laws, implicit])
def test_laws(make):
    system = compile_mechanism(make().build(), tier="quick")
    assert_agrees(system, random_state(system))


def test_prescribed_motion():
    b = MechanismBuilder("carriage", gravity=[0, -9.81, 0])
    motion = -3 * b.variable("q", "cart") + b.variable("q", "bob") * b.variable("u", "cart")
    b.body("cart", "world", Prismatic(), inertia=Inertia(1.0), prescribed=motion)
    b.body("bob", "cart", Revolute(), inertia=Inertia(1.0, [1, 0, 0], np.diag([0.1, 0.1, 0.1])))
    system = compile_mechanism(b.build(), tier="quick")
    assert_agrees(system, random_state(system))


def four_bar():
    """A crank, a coupler and a rocker, the loop closed by a joint; a spring and damper on the crank."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.a = joints.Revolute(phi=0.6, w=2.0)
    m.b, m.c, m.d = joints.Revolute(), joints.Revolute(), joints.Revolute()
    m.crank = parts.BodyCylinder(r=[0.3, 0, 0], diameter=0.04)
    m.coupler = parts.BodyCylinder(r=[0.8, 0, 0], diameter=0.04)
    m.rocker = parts.BodyCylinder(r=[0.5, 0, 0], diameter=0.04)
    m.base = parts.FixedTranslation(r=[0.7, 0, 0])
    m.chain(m.world, m.a, m.crank, m.b, m.coupler, m.c)
    m.connect(m.c.frame_b, m.rocker.frame_b)
    m.chain(m.world, m.base, m.d, m.rocker)
    m.damper, m.housing = rotational.SpringDamper(c=20.0, d=0.3), rotational.Fixed()
    m.connect(m.housing.flange, m.damper.flange_a)
    m.connect(m.damper.flange_b, m.a.axis)
    return m


def test_closed_loops():
    system = lw.compile(four_bar(), tier="quick", formulation="projection")
    state = system.state()
    assert system.mechanism.constraints
    assert_agrees(system, state, 1e-6)


def test_redundant_equations_are_harmless():
    """A closed chain whose end is tied down twice moves as if tied once."""
    found = []
    for ties in ("ball",), ("ball", "again"):
        b = MechanismBuilder("closed chain", gravity=[0, -9.81, 0])
        for k in range(3):
            b.body(f"b{k}", f"b{k - 1}" if k else "world", Revolute(), Transform(None, [1.0 if k else 0.0, 0, 0]),
                   inertia=Inertia(1, [0.5, 0, 0], np.diag([0.1, 0.02, 0.1])))
        b.frame("tip", "b2", Transform(None, [1, 0, 0]))
        b.frame("anchor", "world", Transform(None, [2, 0, 0]))
        for name in ties:
            b.constraint(name, b.relative_pose("anchor", "tip").p)
        system = compile_mechanism(b.build(), tier="quick")
        state = system.assemble(system.state(assembled=False).set("b0.phi", 1.0).set("b1.phi", -1.2).set("b0.u", 1.0))
        assert_agrees(system, state, 1e-6)
        found.append(state_jacobian(system, system.layout.pack(state)))
    np.testing.assert_allclose(found[1], found[0], atol=1e-6 * np.abs(found[0]).max())


def test_friction_and_blocks_in_both_modes():
    m = lw.Model("brake")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3, w=1.0, friction=lw.Coulomb(tau=0.5, viscous=0.2))
    m.arm = parts.BodyCylinder(r=[1, 0, 0], diameter=0.1)
    m.chain(m.world, m.rev, m.arm)
    m.motor = rotational.Torque(tau=blocks.first_order(-3 * m.rev.phi, k=2, T=0.2, name="filter"))
    m.connect(m.motor.flange, m.rev.axis)
    system = lw.compile(m, tier="quick")
    for stuck in (0.0, 1.0):
        state = system.state()
        for name in system.part_names("d"):
            if "stuck" in name:
                state.set(name, stuck)
        assert_agrees(system, state)


def test_the_matrices_of_a_long_chain_are_short_code():
    """Plain differentiation of the recursion takes hundreds of thousands of instructions for 32 links."""
    from linkwright.codegen import count_instructions

    e = Equations(chain(32))
    pencil = linearise(e)
    inputs = [e.symbols[name] for name in ("t", "q", "u", "z", "d", "p", "f")]
    count = count_instructions(ca.Function("f", inputs, [pencil.P.nz[:], pencil.Q.nz[:]]))
    assert count < 8 * count_instructions(ca.Function("f", inputs, [e.udot]))
