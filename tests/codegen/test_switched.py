"""Code that a condition switches off is not computed, and what lay in its place does not matter."""

import ctypes

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright.codegen import Program, Straight, compile_program, solve_closed, sum_in_force
from linkwright.codegen.instructions import Code
from linkwright.codegen.switched import parts_of

MODES = 3


def costly(x: ca.SX, k: int) -> ca.SX:
    """Something that takes some twenty operations."""
    for j in range(10):
        x = ca.sin(x + k) * (j + 1.5)
    return x


def chosen() -> Program:
    """Costly values, each of one mode; two of them share a part."""
    d, x = ca.SX.sym("d", MODES), ca.SX.sym("x")
    shared = costly(x, 7)
    values = [costly(x, 0), costly(shared, 1), costly(shared, 2)]
    y = ca.vertcat(*[ca.if_else(d[k], values[k], k - 1.0) for k in range(MODES)])
    f = ca.Function("f", [d, x], [y])
    return Program("chosen", [("d", MODES), ("x", 1)], [("y", MODES)], [Straight(f, ("d", "x"), ("y",))])


def evaluate(code, given: np.ndarray, fill: float) -> np.ndarray:
    """With a work space that is full of something."""
    out, work = np.zeros(code.n_out), np.full(code.n_work + 1, fill)
    f = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.scalar_address)
    f(given.ctypes.data, out.ctypes.data, work.ctypes.data)
    return out


def test_values_that_modes_share_are_needed_in_either():
    """Four parts: of each mode, and of two of them; little else is computed always."""
    code = Code()
    program = chosen()
    given = [code.vector(k, size) for k, (_, size) in enumerate(program.inputs)]
    (results,) = code.add(program.segments[0].function, given)
    found = parts_of(code, code.live(results), results)
    assert sorted(len(part.conditions) for part in found if part.conditions) == [1, 1, 1, 2]
    assert sum(len(part.values) for part in found if not part.conditions) < 12


@pytest.mark.parametrize("modes", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1)])
def test_bits_are_those_of_code_without_branches(modes):
    code, wide = compile_program(chosen()), compile_program(chosen(), lanes=4)
    given = np.array([*modes, 0.3])
    x, plain = ca.SX.sym("x"), []
    for k in range(MODES):
        value = [costly(x, 0), costly(costly(x, 7), 1), costly(costly(x, 7), 2)][k]
        f = ca.Function("f", [x], [value])
        plain.append(compile_program(Program("one", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))]))(given[3:]))
    expected = np.array([plain[k][0] if on else k - 1.0 for k, on in enumerate(modes)])
    for fill in (0.0, np.nan, 1e300):
        assert np.array_equal(evaluate(code, given, fill), expected)
    rows = np.array([[*np.roll(modes, k), 0.3] for k in range(6)])
    assert np.array_equal(wide.batch(rows), code.batch(rows))


def test_a_sum_over_what_is_in_force_has_derivatives():
    """Forward and backward, against the sum written out."""
    rng = np.random.default_rng(1)
    C, mask = ca.SX(rng.normal(size=(3, 4))), ca.SX([1, 0, 1, 1])
    t = ca.SX.sym("t", 2)
    matrix, x = C + t[0] * ca.SX(rng.normal(size=(3, 4))), t[1] * ca.SX([1, 2, 3, 4])
    inside, plain = sum_in_force(matrix, mask, x), matrix @ (mask * x)
    weights = ca.SX([0.3, 0.7, -0.2])
    values = [ca.vertcat(y, ca.vec(ca.jacobian(y, t)), ca.gradient(ca.dot(weights, y), t)) for y in (inside, plain)]
    found = []
    for value in values:
        f = ca.Function("f", [t], [ca.densify(value)])
        found.append(compile_program(Program("d", [("t", 2)], [("y", f.numel_out(0))], [Straight(f, ("t",), ("y",))])))
    assert found[0]([0.2, 0.5]) == pytest.approx(found[1]([0.2, 0.5]), abs=1e-14)


def test_a_solution_feeds_another_under_the_same_modes():
    """What is needed for what is in force alone: a solution whose right-hand side is another one."""
    rng = np.random.default_rng(2)
    L, mask, b = ca.SX(rng.normal(size=(3, 3))), ca.SX.sym("mask", 3), ca.SX.sym("b", 3)
    first = solve_closed(L, L, ca.SX([1e-3] * 3), mask, ca.vertcat(*[costly(b[k], k) for k in range(3)]))
    second = solve_closed(L, L, ca.SX([1e-3] * 3), mask, sum_in_force(L, mask, first))
    f = ca.Function("f", [mask, b], [second])
    code = compile_program(Program("twice", [("mask", 3), ("b", 3)], [("x", 3)], [Straight(f, ("mask", "b"), ("x",))]))
    for modes in ([1, 1, 0], [0, 0, 0], [1, 1, 1]):
        given = np.array([*modes, 0.1, 0.2, 0.3], dtype=float)
        assert np.array_equal(evaluate(code, given, 0.0), evaluate(code, given, np.nan))


def box_with_a_leg() -> lw.Model:
    m = lw.Model("box with a leg")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.body = parts.Body(m=1, inertia=[0.1] * 3, r_0=[0, 0.5, 0])
    m.rev, m.leg, m.foot = joints.Revolute(n=[0, 0, 1], phi_min=-1.0), parts.BodyCylinder(r=[0.1, -0.2, 0]), \
        contact.Sphere(radius=0.05)
    m.skin = contact.Box(size=[0.2, 0.1, 0.3])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.rev.frame_a, m.skin.frame_a)
    m.connect(m.rev.frame_b, m.leg.frame_a)
    m.connect(m.leg.frame_b, m.foot.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    return m


@pytest.mark.parametrize("name", ["rhs", "events", "project", "project_error", "situation", "jump"])
def test_programs_of_contact_never_read_what_they_have_not_written(name):
    """In any modes, whatever lay in the work space before."""
    system = lw.compile(box_with_a_leg())
    state, code, rng = system.state(), getattr(system.code, name), np.random.default_rng(3)
    start, d = system.layout.pack(state), system.layout.places["d"]
    for _ in range(10):
        given = np.concatenate([start, rng.normal(size=code.n_in - len(start))])
        given[d] = rng.integers(0, 2, d.stop - d.start)
        given[1:8] += 0.1 * rng.normal(size=7)
        assert np.array_equal(evaluate(code, given, 0.0), evaluate(code, given, np.nan), equal_nan=True)
