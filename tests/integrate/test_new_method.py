"""A new explicit method is a table and a row: Bogacki and Shampine's 3(2), which the package does not have, made here.

P. Bogacki, L. F. Shampine, A 3(2) pair of Runge–Kutta formulas, Appl. Math. Lett. 2 (1989) 321–325.
"""

from fractions import Fraction as Q

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.integrate import own_code, ready
from linkwright.integrate.methods import METHODS, Method, _explicit
from linkwright.integrate.record import MAX_STAGES
from linkwright.integrate.tableaux import Tableau, _matrix, _nodes
from linkwright.studies.lane_runs import LaneRuns

TABLE = Tableau(
    3, _matrix({2: {1: Q(1, 2)}, 3: {2: Q(3, 4)}, 4: {1: Q(2, 9), 2: Q(1, 3), 3: Q(4, 9)}}, MAX_STAGES, 1),
    _nodes((0, Q(1, 2), Q(3, 4), 1)),
    _matrix({1: {1: Q(-5, 72), 2: Q(1, 12), 3: Q(1, 9), 4: Q(-1, 8)}}, 2, 1), _matrix({}, 4, 5), 0, 0, 3)
NAME = "bogacki_shampine"


@pytest.fixture(autouse=True)
def a_row(monkeypatch):
    monkeypatch.setitem(METHODS, NAME, Method(NAME, 3, True, "Bogacki–Shampine 3(2)", _explicit(TABLE), 2.4))


@pytest.fixture(scope="module")
def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return lw.compile(m)


def end(system, **options):
    return lw.simulate(system, 1.0, method=NAME, **options)["rev.phi"][-1]


def test_it_has_its_order_and_keeps_the_accuracy(pendulum):
    right = lw.simulate(pendulum, 1.0, accuracy=1e-12)["rev.phi"][-1]
    errors = [abs(end(pendulum, fixed_step=h) - right) for h in (0.01, 0.005)]
    assert 7 < errors[0] / errors[1] < 9
    assert 1e-9 < abs(end(pendulum, accuracy=1e-8) - right) < 1e-6


def test_the_shipped_code_takes_its_steps(pendulum, monkeypatch):
    """No archive is made anew: the tableau is data.  Code of its own has the same bits."""
    assert ready.all_ready()
    monkeypatch.setattr(own_code, "COMPILED_AFTER", 1e9)
    shipped = end(pendulum)
    monkeypatch.setattr(own_code, "COMPILED_AFTER", 0.0)
    own_code._kind.cache_clear()
    assert end(pendulum) == shipped
    own_code._kind.cache_clear()


def test_lanes_take_them_with_the_same_bits(pendulum):
    state = pendulum.state()
    runs = LaneRuns(pendulum, state, 1.0, step=0.1, method=NAME, lanes=4)
    found = runs.run(runs.starts([state]))
    expected = lw.simulate(pendulum, 1.0, method=NAME, output_step=0.1)
    np.testing.assert_array_equal(found.grid_x[0], expected.states)
