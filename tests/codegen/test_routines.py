"""Routines that programs call: values, slopes, lanes, what cannot hold them."""

import pickle

import casadi as ca
import numpy as np
import pytest

from linkwright import geometry
from linkwright.algebra import Transform, rotation_from_angles
from linkwright.codegen import Program, Routine, Straight, compile_program, ptx_code
from linkwright.codegen.routines import routine_of
from linkwright.errors import ModelError


@pytest.fixture(scope="module")
def ground():
    """A ball over hills: the routine, and how it is asked in numbers."""
    x = np.linspace(-2, 2, 9)
    found = geometry.press(geometry.HeightField(x, x, 0.2 * np.sin(x)[:, None] * np.cos(x)), geometry.Sphere(0.1))
    return Routine(found.entry, found.numbers, found.indices, found.steps, 8 * found.n_rows), found


def program(routine):
    x = ca.SX.sym("x", 12)
    y = routine(x)
    f = ca.Function("rows", [x], [y, ca.densify(ca.jacobian(2 * y[0], x))])
    return Program("rows", [("x", 12)], [("y", 8), ("J", 12)], [Straight(f, ("x",), ("y", "J"))])


def pose():
    R = rotation_from_angles((1, 2, 3), [0.1, 0.2, 0.3])
    return R, np.array([0.3, -0.4, 0.5]), np.array([*R.ravel(), 0.3, -0.4, 0.5])


def test_values_are_those_of_the_routine_and_slopes_those_of_the_gap(ground):
    routine, found = ground
    R, p, x = pose()
    out = compile_program(program(routine))(x)
    touch, weight = found.numeric(Transform(R, p))[0]
    assert out[0] == touch.gap and out[7] == weight
    np.testing.assert_array_equal(out[1:4], touch.normal)
    # a ball that moves comes nearer along the normal, whichever way it turns
    np.testing.assert_allclose(out[17:20], 2 * touch.normal, atol=1e-8)
    np.testing.assert_allclose(out[8:17], 0, atol=1e-8)


def test_lanes_and_copies_have_the_same_bits(ground):
    wanted = program(pickle.loads(pickle.dumps(ground[0].casadi)))
    rows = pose()[2] + 0.01 * np.arange(5)[:, None]
    np.testing.assert_array_equal(compile_program(wanted, lanes=4).batch(rows),
                                  np.array([compile_program(program(ground[0]))(row) for row in rows]))


def test_arrays_are_read_back(ground):
    again = routine_of(ground[0].casadi)
    assert again.entry == ground[0].entry
    np.testing.assert_array_equal(again.numbers, ground[0].numbers)
    np.testing.assert_array_equal(again.indices, ground[0].indices)


def test_gpus_refuse_them_by_name():
    with pytest.raises(ModelError, match="searches over arrays .* a GPU cannot do"):
        ptx_code('declare void @"lw.call:linkwright.somewhere:rows"(ptr)')
