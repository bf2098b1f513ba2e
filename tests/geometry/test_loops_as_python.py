"""Every loop over arrays gives the same bits as machine code and as plain Python, which checks bounds and overlaps."""

import importlib
import pkgutil

import numpy as np
import pytest
from geometry_models import SHAPES, pose

from linkwright import geometry
from linkwright.algebra import Transform
from linkwright.codegen.dialect import Compiled
from linkwright.geometry import loops
from linkwright.geometry.loops.vectors import twelve

TOUCHING = [(geometry.Cylinder, geometry.Box), (geometry.Ellipsoid, geometry.Box), (geometry.Capsule, geometry.Capsule),
            (geometry.Mesh, geometry.Sphere), (geometry.Mesh, geometry.Mesh), (geometry.HeightField, geometry.Disc),
            (geometry.HeightField, geometry.Sphere), (geometry.Plane, geometry.Mesh)]
PRESSED = [(geometry.Convex, geometry.Box), (geometry.Ellipsoid, geometry.Box), (geometry.Mesh, geometry.Sphere),
           (geometry.Mesh, geometry.Mesh), (geometry.Plane, geometry.Mesh), (geometry.HeightField, geometry.Convex)]
BEDS = [(geometry.Mesh, geometry.Plane), (geometry.Mesh, geometry.Sphere), (geometry.Mesh, geometry.Mesh)]


def same(function, *arrays):
    """Arguments in; results, and what is written into arrays, agree bit by bit."""
    found = []
    for run in (function, function.plain):
        own = [array.copy() if isinstance(array, np.ndarray) else array for array in arrays]
        found.append((run(*own), *[array.tobytes() for array in own if isinstance(array, np.ndarray)]))
    assert found[0] == found[1]


def loop_of(a, b):
    from linkwright.geometry.loops.convex_pairs import convex_pair

    pair = geometry.pair(a, b)
    return (pair if pair.routine is not None else convex_pair(a, b)).routine


def pressing_of(found):
    module, name = found.entry.split(":")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("kinds", TOUCHING, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
@pytest.mark.parametrize("spread", [0.2, 1.0])
def test_points_of_contact(kinds, spread):
    rng = np.random.default_rng(1)
    loop = loop_of(*[SHAPES[kind]() for kind in kinds])
    same(loop.function, twelve(pose(rng, spread=0.1)), twelve(pose(rng, spread=spread)), loop.numbers, loop.indices,
         np.zeros((9, 10)))


@pytest.mark.parametrize("kinds", PRESSED, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
@pytest.mark.parametrize("spread", [0.2, 0.6])
def test_rows_that_press(kinds, spread):
    from linkwright.geometry.compliant_pairs import press

    found = press(*[SHAPES[kind]() for kind in kinds])
    x = twelve(pose(np.random.default_rng(2), spread=spread))
    same(pressing_of(found), x, found.numbers, found.indices, np.zeros(8 * found.n_rows))


@pytest.mark.parametrize("kinds", BEDS, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
def test_beds_of_springs(kinds):
    from linkwright.geometry.compliant_pairs import bed

    found = bed(*[SHAPES[kind]() for kind in kinds])
    rng = np.random.default_rng(3)
    law = [1e4, 0.1, 0.5, 0.6, 0.1, 0.01, 0]
    x = np.concatenate([twelve(Transform(None, [0.1, 0.1, 0.1])), rng.normal(size=6), law])
    same(pressing_of(found), x, found.numbers, found.indices, np.zeros(found.n_results))


def test_the_rest():
    from linkwright.geometry.loops import (
        box_manifold,
        convex_bodies,
        convex_pairs,
        foundation_rows,
        height_pairs,
    )

    rng = np.random.default_rng(4)
    boxes = np.array([np.concatenate([rng.uniform(0.2, 0.6, 6), twelve(pose(rng, spread=0.1)),
                                      twelve(pose(rng, spread=0.1))]) for _ in range(20)])
    for row in boxes:
        same(box_manifold.box_points, row, np.zeros(44), np.zeros(1))
    body = convex_bodies.pack(SHAPES[geometry.Cylinder](), SHAPES[geometry.Convex]())
    same(foundation_rows._extent, *body, np.zeros(6))
    same(convex_pairs._touch_nearest, twelve(pose(rng)), twelve(pose(rng)), *body, np.zeros((1, 10)))
    ground = height_pairs.height_pair(SHAPES[geometry.HeightField](), SHAPES[geometry.Torus]()).routine
    same(height_pairs.ground_feet, twelve(pose(rng)), ground.numbers, ground.indices, np.zeros((1, 3)))


def test_nothing_is_left_out():
    from linkwright.geometry.compliant_pairs import bed, press

    def made(build, pairs):
        return [build(*[SHAPES[kind]() for kind in kinds]) for kinds in pairs]

    compared = {"_extent", "_touch_nearest", "ground_feet", "box_points"}
    compared |= {loop.function.__name__ for loop in made(loop_of, TOUCHING)}
    compared |= {pressing_of(found).__name__ for found in [*made(press, PRESSED), *made(bed, BEDS)]}
    for part in pkgutil.iter_modules(loops.__path__):
        module = importlib.import_module(f"{loops.__name__}.{part.name}")
        own = {name for name, thing in vars(module).items() if isinstance(thing, Compiled)
               and thing.function.__module__ == module.__name__}
        assert own <= compared
