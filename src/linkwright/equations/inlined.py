"""Tracing a step of a recursion once and inlining it everywhere.

The recursions are written body by body in motors and transforms.  Calling CasADi once per operation and body costs most
of the time to translate a long chain, so a step is traced once, on symbols, for each kind of mobilizer, and then
called: CasADi inlines the call in C++ and folds the constants of that body.  The result is the same code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Inertia, MomentumMotor, MotorDyad, Transform, VelocityMotor

_FIELDS = {
    Transform: ("R", "p"),
    VelocityMotor: ("resultant", "moment"),
    ForceMotor: ("resultant", "moment"),
    MomentumMotor: ("resultant", "moment"),
    MotorDyad: ("mass", "coupling", "inertia"),
    Inertia: ("m", "first_moment", "inertia"),
}


def inlined(step: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: `step(static, *values)` traced once per `static` (a hashable kind) and shape of its values."""
    traced: dict = {}

    @functools.wraps(step)
    def call(static: Any, *values: Any) -> Any:
        leaves: list = []
        shape = _flatten(values, leaves)
        try:
            key = (static, shape)
            entry = traced.get(key)
        except (TypeError, RuntimeError):  # a kind with symbolic numbers inside may not serve as a key
            return step(static, *values)
        if entry is None:
            symbols = [ca.SX.sym("x", *leaf.shape) for leaf in leaves]
            outputs: list = []
            out_shape = _flatten(step(static, *_rebuild(shape, iter(symbols))), outputs)
            # parameters that a kind holds inside (a pitch, a radius, a user's formula) enter beside the values
            known = ca.veccat(ca.SX(), *symbols)
            free = ca.vertcat(*[s for s in ca.symvar(ca.veccat(ca.SX(), *outputs)) if not ca.depends_on(known, s)])
            function = ca.Function(step.__name__.strip("_"), [*symbols, free], [ca.densify(o) for o in outputs])
            entry = traced[key] = (function, out_shape, free)
        function, out_shape, free = entry
        return _rebuild(out_shape, iter(function.call([*leaves, free])))

    return call


def _flatten(value: Any, leaves: list) -> tuple:
    """Append the arrays in `value` to `leaves`; return a hashable description of its structure."""
    fields = _FIELDS.get(type(value))
    if fields is not None:
        return (type(value), tuple(_flatten(getattr(value, name), leaves) for name in fields))
    if isinstance(value, (tuple, list)):
        return (tuple, tuple(_flatten(item, leaves) for item in value))
    leaf = value if isinstance(value, ca.SX) else ca.SX(np.asarray(value, dtype=float))
    leaves.append(leaf)
    return leaf.shape


def _rebuild(shape: tuple, leaves: Iterator[ca.SX]) -> Any:
    """The inverse of `_flatten`."""
    kind = shape[0]
    if isinstance(kind, int):
        return next(leaves)
    parts = [_rebuild(part, leaves) for part in shape[1]]
    if kind is tuple:
        return parts
    return Inertia.from_moments(*parts) if kind is Inertia else kind(*parts)
