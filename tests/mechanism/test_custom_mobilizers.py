"""Mobilizers from a user's formulas: copies of built-in kinds agree with them; symbols may stand inside."""

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwright.algebra import Transform, rotation_from_angles, rotation_z
from linkwright.errors import ModelError
from linkwright.mechanism import (
    CantileverFreeBeam,
    Custom,
    Ellipsoid,
    FunctionBased,
    MechanismBuilder,
    Screw,
    SphericalCoords,
)
from mechanisms import KINDS, forward_dynamics, random_inertia, random_pose, random_q, trace


def coordinate(k):
    return lambda q: q[k]


PHI_Z = (None, None, coordinate(0))
COPIES = {
    "Custom-Translation": ("Translation", Custom(3, lambda q: Transform(None, q[0:3]))),
    "Custom-Universal": ("Universal", Custom(2, lambda q: Transform(rotation_from_angles((1, 2), q)))),
    "Custom-Planar": ("Planar", Custom(3, lambda q: Transform(rotation_z(q[0]), [q[1], q[2], 0]))),
    "Custom-Gimbal": ("Gimbal", Custom(3, lambda q: Transform(rotation_from_angles((1, 2, 3), q)))),
    "Functions-Revolute": ("Revolute", FunctionBased(1, (*PHI_Z, None, None, None))),
    "Functions-Prismatic": ("Prismatic", FunctionBased(1, (None, None, None, None, None, coordinate(0)))),
    "Functions-Cylindrical": ("Cylindrical", FunctionBased(2, (*PHI_Z, None, None, coordinate(1)))),
    "Functions-Universal": ("Universal", FunctionBased(2, (coordinate(0), coordinate(1), None, None, None, None))),
    "Functions-Planar": ("Planar", FunctionBased(3, (*PHI_Z, coordinate(1), coordinate(2), None))),
    "Functions-Gimbal": ("Gimbal", FunctionBased(3, (*map(coordinate, range(3)), None, None, None))),
    "Functions-Translation": ("Translation", FunctionBased(3, (None, None, None, *map(coordinate, range(3))))),
    "Functions-Screw": ("Screw", FunctionBased(1, (*PHI_Z, None, None, lambda q: 0.3 * q[0]))),
    "Functions-Bushing": ("Bushing", FunctionBased(6, tuple(map(coordinate, range(6))))),
}


@pytest.mark.parametrize("name", COPIES)
def test_copy_moves_as_the_built_in_kind(name):
    original, copy = KINDS[COPIES[name][0]], COPIES[name][1]
    random = np.random.default_rng(2)
    X_PF, X_BM, inertia = random_pose(random), random_pose(random), random_inertia(random)
    q, u = random_q(original, random), random.normal(size=original.nu)
    found = []
    for kind in (original, copy):
        builder = MechanismBuilder(gravity=(1.0, -9.81, 2.0))
        builder.body("first", "world", kind, X_PF, X_BM, inertia)
        builder.body("second", "first", kind, X_PF, X_BM, inertia)
        kin = trace(builder.build())
        X = kin.X_WB[1]
        outputs = [ca.vec(X.R), X.p, kin.V[1].vector(), kin.c[1].vector(), forward_dynamics(kin)[0]]
        function = ca.Function("motion", [kin.q, kin.u], [ca.vertcat(*outputs)])
        found.append(np.asarray(function(np.tile(q, 2), np.tile(u, 2))))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10, atol=1e-10)


def test_functions_along_skewed_axes_and_of_several_coordinates():
    axes = ((1, 1, 0), (0, 2, 1), (1, -1, 3), (1, 0.5, 0), (0, 1, -1), (1, 1, 1))
    functions = (lambda q: q[0] * q[1], lambda q: ca.sin(q[0]) + q[1], lambda q: q[1] ** 2,
                 lambda q: q[0] ** 2, lambda q: q[0] - q[1], lambda q: ca.exp(q[0] * q[1]))
    q = np.array([0.4, -0.7])
    values = [float(f(q)) for f in functions]
    R = np.eye(3)
    for axis, angle in zip(axes[:3], values[:3], strict=True):
        R = R @ Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    X = FunctionBased(2, functions, axes).transform(q)
    np.testing.assert_allclose(X.R, R, atol=1e-14)
    np.testing.assert_allclose(X.p, np.array(axes[3:]).T @ values[3:], atol=1e-14)


PARAMETRIC = {
    "Screw": Screw,
    "Ellipsoid": lambda a: Ellipsoid((a, 0.5, 0.9)),
    "CantileverFreeBeam": CantileverFreeBeam,
    "SphericalCoords": lambda a: SphericalCoords(zenith_offset=a),
    "Custom": lambda a: Custom(1, lambda q: Transform(rotation_z(q[0]), [a * q[0] ** 2, 0, 0])),
}


@pytest.mark.parametrize("name", PARAMETRIC)
def test_parameter_inside_a_kind_is_an_input(name):
    """Two joints whose parameter is a symbol move as joints with the number in its place."""

    def build(value, random):
        builder = MechanismBuilder(gravity=(1.0, -9.81, 2.0))
        number = builder.parameter("a", 0.35)
        for k in range(2):
            builder.body(f"b{k}", "b0" if k else "world", PARAMETRIC[name](value or number * (k + 1)),
                         random_pose(random), random_pose(random), random_inertia(random))
            if value:
                value = 2 * value
        kin = trace(builder.build())
        return ca.Function("udot", [kin.q, kin.u, number], [forward_dynamics(kin)[0]])

    numeric, symbolic = (build(value, np.random.default_rng(0)) for value in (0.35, None))
    kind, random = PARAMETRIC[name](0.35), np.random.default_rng(1)
    q, u = np.tile(random_q(kind, random), 2), random.normal(size=2 * kind.nu)
    np.testing.assert_allclose(symbolic(q, u, 0.35), numeric(q, u, 0), rtol=1e-12, atol=1e-12)


def test_custom_refuses_what_is_no_mobilizer():
    with pytest.raises(ModelError, match="1 to 6 degrees of freedom, not 7"):
        Custom(7, lambda q: Transform())
    with pytest.raises(ModelError, match="must be a lw.Transform, got list"):
        Custom(1, lambda q: [0, 0, q[0]]).transform([0.1])
    with pytest.raises(ModelError, match="six functions"):
        FunctionBased(1, (coordinate(0),))
    with pytest.raises(ModelError, match="1 to 6 degrees of freedom, not 0"):
        FunctionBased(0, (None,) * 6)
    with pytest.raises(ModelError, match="no direction"):
        FunctionBased(1, (*PHI_Z, None, None, None), ((1, 0, 0), (0, 1, 0), (0, 0, 0)) * 2)
