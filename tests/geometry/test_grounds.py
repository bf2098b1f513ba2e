"""Bodies on a height field by unknown feet: equal to the search, differentiable, consistent with motion."""

import casadi as ca
import numpy as np
import pytest
from geometry_models import SHAPES, pose, symbolic_pose

from linkwright import geometry
from linkwright.algebra import Transform
from linkwright.codegen import Program, Straight, compile_program
from linkwright.geometry.touch import least_of_numbers

BODIES = [geometry.Point, geometry.Sphere, geometry.Capsule, geometry.Box, geometry.Cylinder, geometry.Disc,
          geometry.Torus]


def equations(pair):
    """(residual, its Jacobian) over the poses of a and b and the unknowns, compiled."""
    A, B, y = symbolic_pose("a"), symbolic_pose("b"), ca.SX.sym("y", len(pair.unknowns.names))
    residual = pair.unknowns.residual(A, B, y)
    results = ca.veccat(residual, ca.densify(ca.jacobian(residual, y)))
    f = ca.Function("f", [ca.veccat(A.R, A.p, B.R, B.p, y)], [results])
    code = compile_program(Program("f", [("x", f.numel_in(0))], [("f", f.numel_out(0))], [Straight(f, ("x",), ("f",))]))

    def evaluate(X_WA, X_WB, y):
        poses = [np.ravel(part, order="F") for X in (X_WA, X_WB) for part in (X.R, X.p)]
        found = code(np.concatenate([*poses, y]))
        return found[:len(y)], found[len(y):].reshape(len(y), len(y), order="F")

    return evaluate


@pytest.mark.parametrize("swapped", [False, True], ids=["ground first", "ground second"])
@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.__name__)
def test_feet_are_those_of_the_search(kind, swapped):
    """The search solves the equations, Newton's method can follow, and gaps and normals are those of the loops."""
    shapes = [SHAPES[geometry.HeightField](), SHAPES[kind]()]
    pair = geometry.pair(*(shapes[::-1] if swapped else shapes))
    f, rng = equations(pair), np.random.default_rng(0)
    for _ in range(20):
        X_WA, X_WB = pose(rng, spread=0.3), pose(rng)
        found = np.array(pair.unknowns.start(X_WA, X_WB))
        r, J = f(X_WA, X_WB, found)
        assert np.abs(r).max() < 1e-12
        assert np.linalg.cond(J) < 1e4
        for one, other in zip(pair.evaluate(X_WA, X_WB), pair.evaluate(X_WA, X_WB, found), strict=True):
            assert one.gap == pytest.approx(other.gap, abs=1e-12)
            assert one.normal == pytest.approx(other.normal, abs=1e-10)
            assert one.point_b - one.point_a == pytest.approx(one.gap * one.normal, abs=1e-12)


@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.__name__)
def test_newtons_method_goes_on_from_what_programs_find(kind):
    """From the search of a program, Newton's method ends where the loops do, for all poses near the ground."""
    pair, rng = geometry.pair(SHAPES[geometry.HeightField](), SHAPES[kind]()), np.random.default_rng(1)
    f = equations(pair)
    for _ in range(20):
        X = pose(rng)
        X = Transform(X.R, X.p * [3.0, 3.0, 0.3])
        found = np.array(pair.unknowns.search(X, least_of_numbers)[0], dtype=float)
        for _ in range(20):
            r, J = f(Transform(), X, found)
            found -= np.linalg.solve(J, r)
        for one, other in zip(pair.evaluate(Transform(), X), pair.evaluate(Transform(), X, found), strict=True):
            assert one.gap == pytest.approx(other.gap, abs=1e-11)
