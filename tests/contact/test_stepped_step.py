"""A whole step as one compiled function: the bits of checked Python, however many steps are taken at once."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, rotational
from linkwright.codegen.dialect import compiled
from linkwright.run import narrowing, stepped_memory, stepped_step
from linkwright.run.moreau import Moreau
from linkwright.run.stepped_record import stepped_at

sys.path.append(str(Path(__file__).parent))
from test_stepped import four_bar, heap


def limping(law):
    """A body on a slope whose arm has a stop, a spring and friction, and two shapes."""
    m = lw.Model("limping")
    m.world = lw.World(g=9.81)
    m.floor, m.box = contact.Plane(n=[0.3, 0.954, 0]), contact.Box(size=[0.3, 0.1, 0.2])
    m.body = parts.Body(m=1, inertia=[0.01] * 3, r_0=[0, 0.1, 0], v_0=[0.5, -0.4, 0])
    m.hinge = joints.Revolute(phi=0.3, w=-4.0, phi_min=0.2, friction=lw.Coulomb(tau=0.05))
    m.spring = rotational.SpringDamper(c=2.0, d=0.05)
    m.arm, m.ball = parts.Body(m=0.3, r_cm=[0.3, 0.0, 0], inertia=[1e-3] * 3), contact.Sphere(radius=0.05)
    m.tip = parts.FixedTranslation(r=[0.3, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.box.frame_a, m.hinge.frame_a)
    m.chain(m.hinge, m.arm)
    m.connect(m.arm.frame_a, m.tip.frame_a)
    m.connect(m.tip.frame_b, m.ball.frame_a)
    m.connect(m.hinge.support, m.spring.flange_a)
    m.connect(m.hinge.axis, m.spring.flange_b)
    m.touch = [contact.Pair(m.floor, shape, law=law) for shape in (m.box, m.ball)]
    return m


MODELS = {"limping": lambda: limping(contact.Rigid(mu=0.4)),
          "turning": lambda: limping(contact.Rigid(mu=0.4, rolling=2e-3, spinning=1e-3)),
          "loop": lambda: four_bar(contact.Rigid(mu=0.3)), "heap": lambda: heap(2)}


def stepped(model, steps, monkeypatch, function, at_once=64):
    system = lw.compile(model)
    monkeypatch.setattr(stepped_memory, "go_on", function)
    monkeypatch.setattr(stepped_memory, "STEPS_AT_ONCE", at_once)
    run = Moreau(system, system.state(), 5e-3)
    run.run(5e-3 * steps, np.zeros(0))
    return run


@pytest.mark.parametrize("name", ["limping", pytest.param("turning", marks=pytest.mark.slow)])
def test_checked_python_and_machine_code_have_the_same_bits(name, monkeypatch):
    """Of the last of some steps."""
    def checked(address, first, count, last):
        return (stepped_step.go_on if first + 1 < last else stepped_step.go_on.plain)(address, first, count, last)

    one, other = (stepped(MODELS[name](), 6, monkeypatch, f, 1) for f in (stepped_step.go_on, checked))
    assert len(one.pressing().meets) > 0
    for a, b in zip(one.pressing(), other.pressing(), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.steps_x, other.steps_x)


@pytest.mark.parametrize("name", MODELS)
def test_how_many_steps_are_taken_at_once_changes_no_bit(name, monkeypatch):
    one, other = (stepped(MODELS[name](), 80, monkeypatch, stepped_step.go_on, k) for k in (64, 1))
    np.testing.assert_array_equal(one.steps_x, other.steps_x)
    assert [(t, d.tolist()) for t, d in one.history] == [(t, d.tolist()) for t, d in other.history]
    assert one.log.contacts == other.log.contacts and one.table == other.table


@compiled
def basis(address: int, rows: int) -> int:
    return narrowing.narrowed(stepped_at(address), rows)


@pytest.mark.parametrize("name", ["limping", "turning"])
def test_rows_are_written_in_a_basis_of_their_own(name, monkeypatch):
    """A = B Q with orthonormal Q, and as many unknowns as independent rows."""
    run = stepped(MODELS[name](), 6, monkeypatch, stepped_step.go_on)
    record, a, nu = run.memory.record, run.memory.arrays, run.system.mechanism.nu
    m = record.n_rows
    count = basis(run.memory.address, m)
    A, B = np.zeros((m, 3, nu)), np.zeros((m, 3, nu))
    for into, values, places in ((A, a["A"], a["a_places"]), (B, a["n_B"], a["n_places"])):
        for row in range(m):
            on = places[row] >= 0
            into[row][:, places[row][on]] = values[row][:, : len(on)][:, on]
    Q = a["n_Q"][:count]
    np.testing.assert_allclose(Q @ Q.T, np.eye(count), atol=1e-12)
    np.testing.assert_allclose(B[:, :, :count] @ Q, A, atol=1e-12 * np.abs(A).max())
    assert count == np.linalg.matrix_rank(A.reshape(-1, nu)) <= nu


def test_what_goes_wrong_in_a_search_is_told():
    """A pair without a formula is searched by Python in the middle of a compiled step."""
    m = lw.Model("hulls")
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    m.world, m.plate, m.skin = lw.World(), contact.Convex(points=corners * [0.5, 0.05, 0.5]), \
        contact.Convex(points=corners * 0.1)
    m.body = parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0, 0.16, 0])
    m.connect(m.world.frame_b, m.plate.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    system = lw.compile(m)
    run = Moreau(system, system.state(), 1e-3)

    def fails(*_):
        raise RuntimeError("no such hull")

    run.memory.shapes.crowd.gaps._points = fails
    with pytest.raises(RuntimeError, match="no such hull"):
        run.run(0.2, np.zeros(0))
