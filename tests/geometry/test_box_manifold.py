"""Where two boxes touch in stepped runs: the depth of the exact test, the points of the faces they share."""

import numpy as np
import pytest

from linkwright import geometry
from linkwright.algebra import Transform, rotation_from_angles
from linkwright.geometry.loops.box_manifold import box_points


def manifold(sizes, X_WA, X_WB, function=box_points):
    row = np.concatenate([*sizes, X_WA.R.ravel(), X_WA.p, X_WB.R.ravel(), X_WB.p])
    found = np.zeros(44)
    function(row, found, np.zeros(1))
    return found[:40].reshape(4, 10)[found[40:] >= 0], found[40:][found[40:] >= 0].astype(int)


def thrown(seed):
    """Two boxes in random poses that overlap a little, or nearly touch."""
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.1, 0.5, (2, 3))
    X_WA, X_WB = (Transform(rotation_from_angles((1, 2, 3), rng.uniform(-2, 2, 3)), rng.normal(size=3))
                  for _ in range(2))
    pair, way = geometry.pair(*map(geometry.Box, sizes)), X_WB.p - X_WA.p
    low, high = 0.0, 3.0 / np.linalg.norm(way)
    for _ in range(60):  # where they touch
        share = (low + high) / 2
        gap = min(t.gap for t in pair.evaluate(X_WA, Transform(X_WB.R, X_WA.p + share * way)))
        low, high = (share, high) if gap < 0 else (low, share)
    return sizes, X_WA, Transform(X_WB.R, X_WA.p + high * way - rng.uniform(0, 2e-3) * way / np.linalg.norm(way)), pair


@pytest.mark.parametrize("seed", range(60))
def test_the_deepest_point_is_as_deep_as_the_exact_test_says(seed):
    sizes, X_WA, X_WB, pair = thrown(seed)
    points, numbers = manifold(sizes, X_WA, X_WB)
    assert 1 <= len(points) <= 4 and len(set(numbers)) == len(numbers)
    exact = min(pair.evaluate(X_WA, X_WB), key=lambda touch: touch.gap)
    assert points[:, 0].min() == pytest.approx(exact.gap, abs=1e-5)
    for gap, *rest in points:
        n, p, q = np.reshape(rest, (3, 3))
        np.testing.assert_allclose(np.linalg.norm(n), 1, atol=1e-14)
        np.testing.assert_allclose(q - p, gap * n, atol=1e-14)
        assert n @ (X_WB.p - X_WA.p) > 0
        for X, half, point in ((X_WA, sizes[0] / 2, p), (X_WB, sizes[1] / 2, q)):
            # both points lie on their boxes, but for what the other box is inside
            assert np.all(np.abs(X.R.T @ (point - X.p)) <= half + 3e-3)


@pytest.mark.parametrize("seed", range(10))
def test_a_and_b_may_be_exchanged(seed):
    sizes, X_WA, X_WB, _ = thrown(seed)
    one, other = manifold(sizes, X_WA, X_WB)[0], manifold(sizes[::-1], X_WB, X_WA)[0]
    assert one[:, 0].min() == pytest.approx(other[:, 0].min(), abs=1e-6)


def test_bars_that_lie_crosswise_rest_on_four_points():
    bars = [np.array([1.0, 0.1, 0.1]), np.array([0.1, 1.0, 0.1])]
    points, numbers = manifold(bars, Transform(np.eye(3), np.zeros(3)), Transform(np.eye(3), np.array([0, 0, 0.1])))
    assert len(points) == 4 and np.abs(points[:, 0]).max() < 1e-15
    np.testing.assert_allclose(sorted(map(tuple, points[:, 4:6].round(6))),
                               [(-0.05, -0.05), (-0.05, 0.05), (0.05, -0.05), (0.05, 0.05)])
    assert len(set(numbers)) == 4


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9])
def test_boxes_that_lie_flush_have_the_same_four_points_whatever_rounding_says(tilt):
    cube, rng = [np.full(3, 0.2)] * 2, np.random.default_rng(0)
    for _ in range(5):
        R = rotation_from_angles((1, 2, 3), tilt * rng.normal(size=3))
        points, numbers = manifold(cube, Transform(np.eye(3), np.zeros(3)), Transform(R, np.array([0, 0.2, 0])))
        assert sorted(numbers) == [2, 3, 6, 7]  # the upper corners of a
        assert np.abs(points[:, 0]).max() <= 2 * tilt + 1e-15


def test_bricks_side_by_side_do_not_catch_on_the_one_above():
    """Diagonal neighbours share a line and no face."""
    brick = [np.array([0.2, 0.1, 0.1])] * 2
    points, _ = manifold(brick, Transform(np.eye(3), np.zeros(3)), Transform(np.eye(3), np.array([0.2, 0.1, 0])))
    assert len(points) == 0


def test_the_same_as_checked_python_for_boxes():
    for seed in range(5):
        sizes, X_WA, X_WB, _ = thrown(seed)
        checked = manifold(sizes, X_WA, X_WB, box_points.plain)
        for one, other in zip(manifold(sizes, X_WA, X_WB), checked, strict=True):
            np.testing.assert_array_equal(one, other)
