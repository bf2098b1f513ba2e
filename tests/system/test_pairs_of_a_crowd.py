"""Pairs of shapes in stepped runs: closed forms are compiled code, and say what the pair says by itself."""

from itertools import product

import numpy as np
import pytest

from linkwright import geometry
from linkwright.algebra import Transform, axis_frame, rotation_from_angles
from linkwright.system import gaps_of_many as gaps

SHAPES = [geometry.Point(), geometry.Plane(n=[0.6, 0.8, 0]), geometry.Sphere(0.3), geometry.Box([0.1, 0.2, 0.3]),
          geometry.Capsule(0.1, 0.3, n=[1, 0, 0]), geometry.Cylinder(0.1, 0.3, n=[0, 0.6, 0.8], feet=6),
          geometry.Disc(0.2, n=[0, 1, 0]), geometry.Torus(0.3, 0.1)]
FORMULAS = [(a, b) for a, b in product(SHAPES, SHAPES)
            if b.kind in geometry.partners(type(a)) and {a.kind, b.kind} != {"Disc", "Point"}
            and geometry.pair(a, b).routine is None]


def test_there_are_formulas():
    kinds = {(a.kind, b.kind) for a, b in FORMULAS}
    assert {("Plane", "Box"), ("Capsule", "Capsule"), ("Sphere", "Box"), ("Plane", "Cylinder")} <= kinds


@pytest.mark.parametrize("a, b", FORMULAS, ids=lambda shape: shape.kind)
def test_closed_forms_are_compiled(a, b):
    code = gaps._compiled(gaps._signature(a), gaps._signature(b))
    assert code is not None
    rng = np.random.default_rng(1)
    for _ in range(5):
        X = [Transform(rotation_from_angles((1, 2, 3), rng.normal(size=3)), 0.3 * rng.normal(size=3)) for _ in range(2)]
        turned = [x.R @ axis_frame(s.n) if isinstance(s, gaps.ROUND) else x.R for s, x in zip((a, b), X, strict=True)]
        row = np.concatenate([gaps._sizes(a), gaps._sizes(b), turned[0].ravel(), X[0].p, turned[1].ravel(), X[1].p])
        found = code(row).reshape(-1, 10)
        for own, touch in zip(found, geometry.pair(a, b).evaluate(*X), strict=True):
            np.testing.assert_allclose(own[0], touch.gap, atol=1e-14)
            np.testing.assert_allclose(own[1:4], touch.normal, atol=1e-13)
            np.testing.assert_allclose(own[4:7], touch.point_a, atol=1e-13)
