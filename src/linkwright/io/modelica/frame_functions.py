"""Functions of the Standard Library that are known here by name: frames, vectors, units.

An orientation R is {T, w}: T maps world to frame axes, w is the angular velocity in the frame's axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from ...language.symbolic import symbolic
from .arithmetic import as_array, column, is_expression, negated, shape_of, times, two
from .built_in import BUILT_IN_FUNCTIONS

FRAMES = "Modelica.Mechanics.MultiBody.Frames"
sin, cos, sqrt = (BUILT_IN_FUNCTIONS[name] for name in ("sin", "cos", "sqrt"))
cross, transpose = BUILT_IN_FUNCTIONS["cross"], BUILT_IN_FUNCTIONS["transpose"]


def _plus(a: Any, b: Any) -> Any:
    return two("+", a, b)


def _minus(a: Any, b: Any) -> Any:
    return two("-", a, b)


def length(v: Any) -> Any:
    """√(v·v)."""
    return sqrt(times(v, v))


def normalize(v: Any, eps: float = 0.0) -> Any:
    """v / |v|."""
    size = length(v)
    if not is_expression(size) and size == 0:
        return v
    return two("/", v, size)


def orientation(T: Any, w: Any = None) -> dict[str, Any]:
    """The orientation object."""
    return {"T": T, "w": np.zeros(3) if w is None else w}


def resolve1(R: dict, v: Any) -> Any:
    """A vector in frame 1 (world) from one in frame 2."""
    return times(transpose(R["T"]), v)


def resolve2(R: dict, v: Any) -> Any:
    """A vector in frame 2 from one in frame 1."""
    return times(R["T"], v)


def resolve_relative(v: Any, R1: dict, R2: dict) -> Any:
    """A vector in frame 2 from one in frame 1, both by their absolute orientations."""
    return resolve2(R2, resolve1(R1, v))


def absolute_rotation(R1: dict, R_rel: dict) -> dict[str, Any]:
    """Orientation of frame 2 from that of frame 1 and the relative one."""
    return orientation(times(R_rel["T"], R1["T"]), _plus(resolve2(R_rel, R1["w"]), R_rel["w"]))


def inverse_rotation(R: dict) -> dict[str, Any]:
    return orientation(transpose(R["T"]), negated(resolve1(R, R["w"])))


def relative_rotation(R1: dict, R2: dict) -> dict[str, Any]:
    """Orientation that turns frame 1 into frame 2."""
    T = times(R2["T"], transpose(R1["T"]))
    return orientation(T, _minus(R2["w"], resolve2(R2, resolve1(R1, R1["w"]))))


def axis_matrix(axis: int, angle: Any) -> Any:
    """T of a turn by an angle about one of the axes 1, 2, 3."""
    c, s, k = cos(angle), sin(angle), int(axis)
    n = negated(s)
    rows = {1: [[1, 0, 0], [0, c, s], [0, n, c]], 2: [[c, 0, n], [0, 1, 0], [s, 0, c]],
            3: [[c, s, 0], [n, c, 0], [0, 0, 1]]}[k]
    return as_array([as_array([_as(entry, angle) for entry in row]) for row in rows])


def _as(entry: Any, like: Any) -> Any:
    return ca.SX(entry) if is_expression(like) and not is_expression(entry) else entry


def planar_matrix(e: Any, angle: Any) -> Any:
    """T of a turn by an angle about the unit vector e."""
    e = column(e) if is_expression(angle, e) else np.asarray(e, dtype=float)
    outer, skew = BUILT_IN_FUNCTIONS["outerProduct"](e, e), BUILT_IN_FUNCTIONS["skew"](e)
    return _minus(_plus(outer, two("*", cos(angle), _minus(np.eye(3), outer))), two("*", sin(angle), skew))


def planar_rotation(e: Any, angle: Any, der_angle: Any = 0.0) -> dict[str, Any]:
    return orientation(planar_matrix(e, angle), two("*", e, der_angle))


def axes_rotations(sequence: Any, angles: Any, der_angles: Any = None) -> dict[str, Any]:
    """Three turns one after another about axes of the moving frame."""
    T, w = np.eye(3), np.zeros(3)
    for k in range(3):
        turn = axis_matrix(sequence[k], angles[k])
        T = times(turn, T)
        rate = 0.0 if der_angles is None else der_angles[k]
        own = [0.0, 0.0, 0.0]
        own[int(sequence[k]) - 1] = rate
        w = _plus(times(turn, w), as_array([_as(entry, rate) for entry in own]))
    return orientation(T, w)


def from_nxy(n_x: Any, n_y: Any) -> dict[str, Any]:
    """Axes from two vectors: x along n_x, y in the plane of both."""
    e_x = normalize(np.asarray(n_x, dtype=float)) if not is_expression(n_x) else normalize(n_x)
    n_z = cross(e_x, n_y)
    e_z = normalize(n_z)
    return orientation(as_array([e_x, cross(e_z, e_x), e_z]))


def _axis(k: int) -> Any:
    return np.eye(3)[int(k) - 1]


def _interpolate(x: Any, y: Any, xi: Any, iLast: int = 1) -> Any:
    return float(np.interp(xi, x, y))


def _frames() -> dict[str, Callable[..., Any]]:
    return {
        "resolve1": resolve1, "resolve2": resolve2, "resolveRelative": resolve_relative,
        "absoluteRotation": absolute_rotation, "inverseRotation": inverse_rotation,
        "relativeRotation": relative_rotation, "nullRotation": lambda: orientation(np.eye(3)),
        "planarRotation": planar_rotation, "axesRotations": axes_rotations, "from_nxy": from_nxy, "axis": _axis,
        "axisRotation": lambda axis, angle, der_angle=0.0: orientation(axis_matrix(axis, angle),
                                                                       two("*", _axis(axis), der_angle)),
        "angularVelocity1": lambda R: resolve1(R, R["w"]), "angularVelocity2": lambda R: R["w"],
        "from_T": lambda T, w: orientation(T, w), "to_T": lambda R: R["T"],
        "resolveDyade1": lambda R, D2: times(times(transpose(R["T"]), D2), R["T"]),
        "resolveDyade2": lambda R, D1: times(times(R["T"], D1), transpose(R["T"])),
        "smallRotation": lambda R, **_: as_array([R["T"][1, 2], R["T"][2, 0], R["T"][0, 1]]),
    }


def _frame_matrices() -> dict[str, Callable[..., Any]]:
    return {"resolve1": lambda T, v: times(transpose(T), v), "resolve2": lambda T, v: times(T, v),
            "planarRotation": planar_matrix, "axisRotation": axis_matrix, "nullRotation": lambda: np.eye(3),
            "axesRotations": lambda sequence, angles: axes_rotations(sequence, angles)["T"],
            "absoluteRotation": lambda T1, T_rel: times(T_rel, T1), "inverseRotation": transpose,
            "relativeRotation": lambda T1, T2: times(T2, transpose(T1))}


def _scaled(factor: float, offset: float = 0.0) -> Callable[[Any], Any]:
    return lambda value: _plus(two("*", value, factor), offset) if offset else two("*", value, factor)


CONVERSIONS = {
    "from_deg": _scaled(math.pi / 180), "to_deg": _scaled(180 / math.pi), "from_rpm": _scaled(math.pi / 30),
    "to_rpm": _scaled(30 / math.pi), "from_degC": _scaled(1.0, 273.15), "to_degC": _scaled(1.0, -273.15),
    "from_kmh": _scaled(1 / 3.6), "to_kmh": _scaled(3.6), "from_mm": _scaled(1e-3), "from_hour": _scaled(3600.0),
    "from_bar": _scaled(1e5), "from_minute": _scaled(60.0), "from_gps": _scaled(1e-3),
    "to_unit1": lambda value: value, "from_unit1": lambda value: value, "from_Hz": _scaled(2 * math.pi),
    "to_Hz": _scaled(1 / (2 * math.pi)),
}

MATH = {
    **{name: BUILT_IN_FUNCTIONS[name] for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
                                                   "tanh", "exp", "log", "log10")},
    "Vectors.length": length, "Vectors.norm": lambda v, p=2.0: length(v) if p == 2 else float(np.linalg.norm(v, p)),
    "Vectors.normalize": normalize, "Vectors.normalizeWithAssert": normalize, "Vectors.interpolate": _interpolate,
    "Vectors.sum": BUILT_IN_FUNCTIONS["sum"], "Vectors.reverse": lambda v: np.asarray(v)[::-1],
    "Matrices.inv": lambda A: np.linalg.inv(A), "Matrices.solve": lambda A, b: np.linalg.solve(A, b),
    "BooleanVectors.allTrue": lambda b: all(b), "BooleanVectors.anyTrue": lambda b: any(b),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f"{FRAMES}.{name}": function for name, function in _frames().items()},
    **{f"{FRAMES}.TransformationMatrices.{name}": function for name, function in _frame_matrices().items()},
    **{f"Modelica.Units.Conversions.{name}": function for name, function in CONVERSIONS.items()},
    **{f"Modelica.SIunits.Conversions.{name}": function for name, function in CONVERSIONS.items()},
    **{f"Modelica.Math.{name}": function for name, function in MATH.items()},
}

__all__ = ["FUNCTIONS", "shape_of", "symbolic"]
