"""Rigid contacts at an instant: the compiled decision is its plain form, and loads are shared as statics allows."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright import planar as pl
from linkwright.codegen.dialect import compiled, real, whole
from linkwright.run import contact_shares, unilateral
from linkwright.run.contact_impacts import strike
from linkwright.run.contact_instant import approaching, contact_instant, who_touches
from linkwright.run.row_modes import look
from linkwright.run.row_record import DECIDE, HELD, N_FIXED, WAY, integers, rows_at, vector


def ball(mu=0.3, v=1.0, restitution=0.8, law="poisson"):
    """A ball that is thrown on a floor."""
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(g=9.81), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.body = parts.Body(m=1.0, inertia=[0.004] * 3, r_0=[0, 0.6, 0], v_0=[v, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=restitution, mu=mu, impact=law))
    return m


def slope(mu=0.4, angle=0.5, omega=0.0):
    """A box that falls on a slope with one corner first, and slides or stays."""
    m = lw.Model("slope")
    m.world, m.fixed = pl.World(g=9.81), pl.Fixed()
    m.floor = pl.contact.Line(n=[np.sin(angle), np.cos(angle)])
    m.skin = pl.contact.Polygon([[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]])
    m.body = pl.Body(m=1.0, I=0.02, r=[0.0, 0.25], phi=-angle + 0.05, w=omega)
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.2, mu=mu))
    return m


@pytest.mark.parametrize("build", [ball, slope])
def test_the_compiled_instant_is_its_plain_form(monkeypatch, build):
    system = lw.compile(build())
    compiled = lw.simulate(system, 0.6)
    asked = []

    def plain(address, task):
        asked.append(task)
        return contact_instant.plain(address, task)

    monkeypatch.setattr(unilateral, "PIECE", lambda address: plain)
    checked = lw.simulate(system, 0.6)
    assert len(asked) > 4
    assert checked.states.tobytes() == compiled.states.tobytes()
    assert checked.contacts == compiled.contacts and checked.events == compiled.events


@compiled
def spaces(A: real[:, :], L: real[:, :], order: whole[:], basis: real[:, :], small: float) -> int:
    """The rank, an orthonormal basis of the range in L, one of the null space."""
    n = A.shape[0]
    rank = contact_shares_factor(n, A, L, order, small)
    contact_shares_null_space(n, rank, L, order, basis)
    contact_shares_straighten(n, rank, L)
    return rank


contact_shares_factor, contact_shares_null_space = contact_shares.factor, contact_shares.null_space
contact_shares_straighten = contact_shares.straighten


@pytest.mark.parametrize("rank", [0, 1, 5, 12])
def test_range_and_null_space_of_a_matrix(rank):
    rng, n = np.random.default_rng(rank), 12
    half = rng.normal(size=(n, rank)) * np.logspace(0, 2, n)[:, None]
    A = half @ half.T
    L, basis, order = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n, np.int64)
    assert spaces(A.copy(), L, order, basis, 1e-10) == rank
    np.testing.assert_allclose(L[:, :rank].T @ L[:, :rank], np.eye(rank), atol=1e-12)
    size = max(np.abs(A).max(), 1.0)
    np.testing.assert_allclose(L[:, :rank] @ (L[:, :rank].T @ A), A, atol=1e-12 * size)
    null = basis[:, : n - rank]
    assert np.linalg.matrix_rank(null) == n - rank
    np.testing.assert_allclose(A @ null, 0.0, atol=1e-9 * size)


@compiled
def one_blow(address: int) -> int:
    """What the first row does right after an impact: 0 held, 1 open, or ±1 the way it slides; 2: there is no blow."""
    r = rows_at(address)
    look(r)
    who_touches(r)
    if not approaching(r, False):
        return 2
    strike(r)
    F, inp = integers(r.fixed, N_FIXED, r.n), vector(r.inp, r.n_in)
    if inp[F[HELD, 0]] != 0.0:
        return 0
    return int(inp[F[WAY, 0]]) if r.n_sliding > 0 else 1


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("bound", [{}, {"friction": lw.Coulomb(tau=20.0)}], ids=["stop", "friction"])
def test_an_impact_opens_a_stop_and_lets_friction_slide_the_way_of_the_blow(monkeypatch, bound, side):
    """Right after the impact itself, whatever is decided next: a ball strikes a rod that lies on its stop, or that
    friction holds, from below or from above."""
    m = lw.Model("struck")
    m.world, m.rev = lw.World(g=side * 9.81), joints.Revolute(phi=0.0, w=0.0, **(
        bound or {"phi_min" if side > 0 else "phi_max": 0.0}))
    m.rod, m.end = parts.Body(m=1, r_cm=[0.5, 0, 0], inertia=[1e-3, 0.1, 0.1]), parts.FixedTranslation(r=[1, 0, 0])
    m.plate, m.skin = contact.Sphere(radius=0.1), contact.Sphere(radius=0.1)
    m.chain(m.world, m.rev, m.rod)
    m.chain(m.rev, m.end, m.plate)
    m.ball = parts.Body(m=1, inertia=[1e-3] * 3, r_0=[1, -0.4 * side, 0], v_0=[0, 4 * side, 0])
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.plate, m.skin, law=contact.Rigid(restitution=0.5))
    seen = []

    def watched(address, task):
        if task == DECIDE and not seen and (mode := one_blow(address)) != 2:
            seen.append(mode)
        return contact_instant(address, task)

    monkeypatch.setattr(unilateral, "PIECE", lambda address: watched)
    lw.simulate(m, 0.06)
    assert seen == [side if "friction" in bound else 1]
