"""Unknowns that follow from the rest of a start: which they are, and that each is found by itself and moves nothing."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, muscles, parts
from linkwright.start import StartProblem
from linkwright.start.following import blocks


def test_blocks_are_square_and_in_order_and_nothing_else_reads_them():
    random, found = np.random.default_rng(0), []
    for _ in range(500):
        m, n = random.integers(1, 9, 2)
        A = (random.random((m, n)) < random.choice([0.2, 0.3, 0.4])).astype(float)
        may, unknowns = random.random(m) < 0.8, random.random(n) < 0.8
        order = blocks(ca.sparsify(ca.DM(A)).sparsity(), may, unknowns)
        rows, columns = ([k for block in order for k in block[side]] for side in (0, 1))
        assert may[rows].all() and unknowns[columns].all()
        assert not A[np.setdiff1d(np.arange(m), rows)][:, columns].any()  # what leads does not wait for them
        for j, (own, at) in enumerate(order):
            assert not A[own][:, [k for _, later in order[j + 1 :] for k in later]].any()
            assert np.linalg.matrix_rank(A[np.ix_(own, at)] * random.random((len(own), len(at)))) == len(at) == len(own)
        found += order
    assert sum(len(own) == 1 for own, _ in found) > 200
    assert sum(len(own) > 1 for own, _ in found) > 5


def rocker(count):
    """A four-bar whose guesses do not close, and muscles from the world to its rocker."""
    m = lw.Model("rocker")
    m.world = lw.World()
    m.crank, m.rocker = joints.Revolute(phi=lw.guess(1.2)), joints.Revolute(phi=lw.guess(1.6))
    m.c, m.d = joints.Revolute(phi=lw.guess(-0.9)), joints.Revolute()
    m.short, m.long, m.swing = (parts.BodyShape(r=[x, 0, 0], m=1.0) for x in (0.1, 0.4, 0.25))
    m.foot = parts.Fixed(r=[0.4, 0, 0])
    m.chain(m.world, m.crank, m.short, m.c, m.long, m.d)
    m.connect(m.foot.frame_b, m.rocker.frame_a)
    m.connect(m.rocker.frame_b, m.swing.frame_a)
    m.connect(m.swing.frame_b, m.d.frame_b)
    m.muscle = [muscles.Thelen2003([(m.world.frame_b, [0.3, -0.1 - 0.01 * k, 0]), (m.swing.frame_a, [0.2, 0, 0])],
                                   F_max=500.0, l_opt=0.12, l_slack=0.18, a=0.2) for k in range(count)]
    return m


def test_muscles_are_found_each_by_itself_and_move_no_loop():
    bare, pulled = (lw.compile(rocker(count)) for count in (0, 6))
    problem = StartProblem(pulled)
    split = problem.conditions.split()
    of_fibres = [k for k, (label, *_) in enumerate(problem.labels) if "fibre" in label]
    assert [row for follower in split.followers for row in follower.rows if row in of_fibres] == of_fibres
    assert all(len(follower.rows) == 1 for follower in split.followers)
    state, alone = pulled.state(), bare.state()
    assert np.array_equal(state.q, alone.q)  # to the last bit: the same search
    rates = [float(state.get(f"muscle[{k}].v_fiber")) for k in range(6)]
    assert rates == pytest.approx([0.0] * 6, abs=1e-9)
    assert min(float(state.get(f"muscle[{k}].f")) for k in range(6)) > 1


def test_a_follower_without_solution_where_it_is_asked_leads_itself():
    """z² = φ has no solution at the guess φ = −0.2: the coordinate has to come to it."""
    m = lw.Model("square")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=lw.guess(-0.2))
    m.body = parts.Body(m=1.0, r_cm=[0.1, 0, 0])
    m.chain(m.world, m.rev, m.body)
    z = m.integral(0 * m.rev.phi, start=lw.guess(0.5), name="z")
    m.init(z * z, m.rev.phi)
    system = lw.compile(m)
    assert len(StartProblem(system).conditions.split().followers) == 1
    state = system.state()
    assert float(state.get("rev.phi")) >= 0
    assert float(state.get("z")) ** 2 == pytest.approx(float(state.get("rev.phi")), abs=1e-9)
