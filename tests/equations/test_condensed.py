"""Two routes to the accelerations of closed chains: one factorisation of everything, or recursion and multipliers."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.codegen import count_instructions
from linkwright.equations import Equations
from linkwright.equations import equations as model
from linkwright.mechanism import MechanismBuilder, Prismatic, Revolute, Spherical, Universal, Weld

JOINTS = (Revolute(), Prismatic(), Universal(), Spherical(), Weld())


def closed_chain(links, planar=True, seed=None, prescribed=None, mode=False, copies=1):
    """A chain on the world whose end is held by a ball; `seed` draws joints, branches and inertias."""
    rng = np.random.default_rng(seed)
    b = MechanismBuilder("closed", gravity=[0, -9.81, 0])
    parent = "world"
    for i in range(links):
        kind = Revolute() if seed is None or i == 0 else JOINTS[rng.integers(len(JOINTS))]
        axis = axis_frame([0, 0, 1] if planar else np.eye(3)[i % 3])
        inertia = Inertia(1.0, [0, -0.5, 0], [0.1, 0.02, 0.1] if seed is None else rng.uniform(0.1, 0.2, 3))
        armature = [0.01] if seed is not None and kind.nu == 1 else ()
        motion = [prescribed] if i == 1 and prescribed is not None else None
        b.body(f"b{i}", parent, kind, Transform(axis, [0, -1 if i else 0, 0]), Transform(axis), inertia,
               armature=armature, prescribed=motion)
        parent = f"b{i}" if seed is None or rng.random() < 0.8 else parent
    b.frame("end", f"b{links - 1}", Transform(None, [0, -1, 0]))
    b.frame("anchor", "world", Transform(None, [2, 0, 0]))
    on = b.discrete("on", 1.0) if mode else None
    p = b.relative_pose("anchor", "end").p
    b.constraint("ball", ca.vertcat(*[p * (k + 1) for k in range(copies)]), mode=on)
    return b.build()


def solutions(mechanism, monkeypatch, seed=0, d=()):
    """(u̇, λ, pivot, G u̇ + γ) by the condensed route and by the factorisation, at a random state."""
    rng = np.random.default_rng(seed)
    q = np.concatenate([np.zeros(0), *[body.mobilizer.normalised(
        body.mobilizer.default() + rng.uniform(-1, 1, body.mobilizer.nq)) for body in mechanism.bodies]])
    u, f = rng.normal(size=mechanism.nu), rng.normal(size=mechanism.nu)
    found = []
    for condensed in (True, False):
        monkeypatch.setattr(model, "is_shorter", lambda *_, choice=condensed: choice)
        e = Equations(mechanism)
        gap = e.constraint_matrix @ e.udot + ca.vertcat(*[r.gamma for r in e.rows])
        function = ca.Function("f", [e.symbols[n] for n in "qufd"], [e.udot, e.multipliers, e.pivot, gap])
        found.append([np.array(x).ravel() for x in function(q, u, f, d)])
    return found


def assert_close(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max(initial=1.0))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("links", [3, 7, 16])
def test_both_routes_agree_on_chains(links, planar, monkeypatch):
    condensed, kkt = solutions(closed_chain(links, planar), monkeypatch)
    for a, b in zip(condensed[:2], kkt[:2], strict=True):
        assert_close(a, b)
    assert np.abs(condensed[3]).max() < 1e-10 * max(1.0, np.abs(condensed[0]).max())


@pytest.mark.parametrize("seed", range(12))
def test_both_routes_agree_on_random_joints_branches_and_rotors(seed, monkeypatch):
    condensed, kkt = solutions(closed_chain(9, planar=False, seed=seed), monkeypatch, seed)
    assert_close(condensed[0], kkt[0])


@pytest.mark.parametrize("planar", [True, False])
def test_redundant_rows_are_harmless(planar, monkeypatch):
    once, _ = solutions(closed_chain(8, planar), monkeypatch)
    condensed, kkt = solutions(closed_chain(8, planar, copies=3), monkeypatch)
    assert_close(condensed[0], kkt[0])
    assert_close(condensed[0], once[0])
    # multipliers share the load as the lengths of their rows have it: least norm
    rows = len(once[1])
    shares = condensed[1].reshape(3, rows)
    np.testing.assert_allclose(shares, np.outer([1, 2, 3], shares[0]), rtol=1e-3, atol=1e-3 * np.abs(shares).max())


def test_smallest_pivot_tells_redundancy(monkeypatch):
    (*_, regular, _), (*_, regular_kkt, _) = solutions(closed_chain(8), monkeypatch)
    (*_, pivot, _), (*_, pivot_kkt, _) = solutions(closed_chain(8, copies=2), monkeypatch)
    assert regular > 1e-3 and regular_kkt > 1e-3
    assert 1e-11 < pivot < 1e-8 and 1e-11 < pivot_kkt < 1e-8


@pytest.mark.parametrize("on", [0.0, 1.0])
def test_modes_mask_rows(on, monkeypatch):
    condensed, kkt = solutions(closed_chain(8, mode=True), monkeypatch, d=[on])
    for a, b in zip(condensed[:2], kkt[:2], strict=True):
        assert_close(a, b)
    if on:
        assert_close(condensed[0], solutions(closed_chain(8), monkeypatch)[0][0])
    else:
        assert not np.any(condensed[1])


def test_prescribed_motion(monkeypatch):
    condensed, kkt = solutions(closed_chain(8, prescribed=0.7), monkeypatch)
    assert condensed[0][1] == 0.7
    for a, b in zip(condensed[:2], kkt[:2], strict=True):
        assert_close(a, b)
    assert np.abs(condensed[3]).max() < 1e-10 * np.abs(condensed[0]).max()


@pytest.mark.parametrize(("links", "planar", "most"), [
    (3, True, 295), (4, True, 460), (8, True, 1250), (32, True, 5500), (6, False, 1580), (32, False, 13500)])
def test_the_shorter_route_is_taken(links, planar, most):
    e = Equations(closed_chain(links, planar))
    symbols = [e.symbols[name] for name in "quf"]
    assert count_instructions(ca.Function("f", symbols, [e.udot, e.pivot])) <= most
