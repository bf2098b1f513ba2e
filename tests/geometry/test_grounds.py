"""Bodies on a height field by unknown feet: equal to the search, differentiable, consistent with motion."""

import casadi as ca
import numpy as np
import pytest
from geometry_models import SHAPES, pose, symbolic_pose

from linkwright import geometry

BODIES = [geometry.Point, geometry.Sphere, geometry.Capsule, geometry.Box, geometry.Cylinder, geometry.Disc,
          geometry.Torus]


@pytest.mark.parametrize("swapped", [False, True], ids=["ground first", "ground second"])
@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.__name__)
def test_feet_are_those_of_the_search(kind, swapped):
    """The search solves the equations, Newton's method can follow, and gaps and normals are those of the loops."""
    shapes = [SHAPES[geometry.HeightField](), SHAPES[kind]()]
    pair = geometry.pair(*(shapes[::-1] if swapped else shapes))
    A, B, rng = symbolic_pose("a"), symbolic_pose("b"), np.random.default_rng(0)
    count = len(pair.unknowns.names)
    y = ca.SX.sym("y", count + pair.unknowns.places.held)
    residual = pair.unknowns.residual(A, B, y)
    f = ca.Function("f", [A.R, A.p, B.R, B.p, y], [residual, ca.jacobian(residual, y[:count])])
    for _ in range(20):
        X_WA, X_WB = pose(rng, spread=0.3), pose(rng)
        found = np.array(pair.unknowns.start(X_WA, X_WB))
        r, J = (np.array(x) for x in f(X_WA.R, X_WA.p, X_WB.R, X_WB.p, found))
        assert np.abs(r).max() < 1e-12
        assert np.linalg.cond(J) < 1e4
        for one, other in zip(pair.evaluate(X_WA, X_WB), pair.evaluate(X_WA, X_WB, found), strict=True):
            assert one.gap == pytest.approx(other.gap, abs=1e-12)
            assert one.normal == pytest.approx(other.normal, abs=1e-10)
            assert one.point_b - one.point_a == pytest.approx(one.gap * one.normal, abs=1e-12)
