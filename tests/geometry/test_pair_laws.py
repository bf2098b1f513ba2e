"""What holds for every pair of shapes, whatever they are."""

import casadi as ca
import numpy as np
import pytest
from geometry_models import PAIRS, SHAPES, as_function, is_planar, pair_id, pose, table

from linkwright import geometry
from linkwright.algebra import Transform, rotation_from_vector, rotation_z
from linkwright.errors import ModelError

LIFTED = {geometry.Capsule, geometry.Cylinder, geometry.Disc, geometry.Torus}

every_pair = pytest.mark.parametrize("kinds", PAIRS, ids=pair_id)


def shapes(kinds):
    return [SHAPES[kind]() for kind in kinds]


def poses(kinds, n=8, seed=0):
    rng = np.random.default_rng(seed)
    return [(pose(rng, is_planar(kinds)), pose(rng, is_planar(kinds))) for _ in range(n)]


@every_pair
def test_points_lie_a_gap_apart_along_a_unit_normal(kinds):
    pair = geometry.pair(*shapes(kinds))
    for X_WA, X_WB in poses(kinds):
        touches = pair.evaluate(X_WA, X_WB)
        assert len(touches) == pair.n_points
        for gap, *rest in table(touches):
            n, a, b = np.split(np.array(rest), 3)
            assert abs(n @ n - 1) < 1e-12
            assert np.abs(b - a - gap * n).max() < 1e-12  # rounding of positions of about 1 m


@every_pair
def test_exchanging_the_shapes_exchanges_the_points(kinds):
    a, b = shapes(kinds)
    for X_WA, X_WB in poses(kinds):
        one, other = table(geometry.pair(a, b).evaluate(X_WA, X_WB)), table(geometry.pair(b, a).evaluate(X_WB, X_WA))
        if kinds[0] is not kinds[1]:
            other = np.concatenate([other[:, :1], -other[:, 1:4], other[:, 7:], other[:, 4:7]], axis=1)
            assert np.abs(one - other).max() < 1e-9
        else:  # two of one kind may list their points in another order
            assert abs(one[:, 0].min() - other[:, 0].min()) < 1e-9


@every_pair
def test_a_common_motion_changes_no_gap(kinds):
    pair = geometry.pair(*shapes(kinds))
    rng = np.random.default_rng(1)
    for X_WA, X_WB in poses(kinds):
        moved = pose(rng, is_planar(kinds))
        before, after = table(pair.evaluate(X_WA, X_WB)), table(pair.evaluate(moved @ X_WA, moved @ X_WB))
        assert np.abs(before[:, 0] - after[:, 0]).max() < 1e-9
        # curved bodies are approached in steps: their normal is known to the root of the gap's digits
        assert np.abs(before[:, 1:4] @ moved.R.T - after[:, 1:4]).max() < (1e-6 if pair.routine else 1e-8)


def moved(X, v, w, h, planar):
    R = rotation_z(w[2] * h) if planar else rotation_from_vector(w * h)
    return Transform(R @ X.R, X.p + v * h)


@every_pair
def test_the_gap_changes_as_the_bodies_move_at_its_points(kinds):
    """d gap/dt = n·(v_b − v_a), by central differences."""
    if kinds == (geometry.Box, geometry.Box):
        pytest.skip("rows of contact, not distances: looked at where boxes touch, in test_particular_pairs")
    pair = geometry.pair(*shapes(kinds))
    planar = is_planar(kinds)
    rng = np.random.default_rng(2)
    for X_WA, X_WB in poses(kinds):
        v_a, v_b, w_a, w_b = rng.normal(size=(4, 3))
        if planar:
            v_a[2] = v_b[2] = w_a[:2] = w_b[:2] = 0
        now = table(pair.evaluate(X_WA, X_WB))
        h = 1e-6
        after, before = (table(pair.evaluate(moved(X_WA, v_a, w_a, s, planar), moved(X_WB, v_b, w_b, s, planar)))
                         for s in (h, -h))
        rate = (after[:, 0] - before[:, 0]) / (2 * h)
        n, a, b = now[:, 1:4], now[:, 4:7], now[:, 7:]
        relative = v_b + np.cross(w_b, b - X_WB.p) - v_a - np.cross(w_a, a - X_WA.p)
        expected = np.sum(n * relative, axis=1)
        # where some points are lifted off, the nearest of all is none of them
        lifted = pair.routine is not None or set(kinds) & LIFTED
        keep = [int(np.argmin(now[:, 0]))] if lifted else range(pair.n_points)
        # rounding of gaps of 1 m over 2e-6 s, and the cube of the step; normals of loops as above
        assert np.abs(rate - expected)[keep].max() < (1e-6 if pair.routine else 1e-8)


@every_pair
def test_symbols_give_the_numbers_and_derivatives_without_nan(kinds):
    pair = geometry.pair(*shapes(kinds))
    if pair.routine is not None:
        pytest.skip("a compiled loop takes numbers only")
    f = as_function(pair)
    inputs = f.sx_in()
    slope = ca.Function("slope", inputs, [ca.jacobian(f(*inputs), ca.vertcat(*[ca.vec(x) for x in inputs]))])
    special = (Transform(), Transform(None, [0.0, 0.0, 0.0])), (Transform(), Transform(None, [0.0, 0.2, 0.0]))
    for X_WA, X_WB in [*poses(kinds), *special]:
        given = [X_WA.R, X_WA.p, X_WB.R, X_WB.p]
        if pair.unknowns is not None:
            given.append(pair.unknowns.start(X_WA, X_WB))
        assert np.abs(np.array(f(*given)).T - table(pair.evaluate(X_WA, X_WB))).max() < 1e-12
        assert np.all(np.isfinite(np.array(slope(*given))))


def test_a_pair_that_is_not_known_is_refused_with_what_is():
    with pytest.raises(ModelError, match=r"a Plane and a Plane cannot be a contact pair: Plane meets Box, Capsule"):
        geometry.pair(geometry.Plane(), geometry.Plane())
    with pytest.raises(ModelError, match="Line meets Circle, .*; Sphere meets"):
        geometry.pair(geometry.Line(), geometry.Sphere(1.0))
