"""Motions that are given: prescribed coordinates, speeds and accelerations of joints, and locks.

A joint whose motion is given moves by an expression and not by forces: it takes no part in the equations of motion, and
the force of its drive follows from them (Sherman, Simbody Theory Manual §8.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from .component import Component
from .conditions import as_condition
from .fields import as_expression
from .joint import Joint
from .smoothness import refuse_jumps

if TYPE_CHECKING:
    from .model import Model

TRUTHS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR, ca.OP_NOT}


@dataclass(eq=False)
class Given:
    """One mobility of a joint, given on a level (0 position, 1 speed, 2 acceleration) by an expression."""

    joint: Joint
    index: int
    level: int
    name: str
    expression: ca.SX

    def expressions(self) -> list[ca.SX]:
        """All it reads."""
        return [self.expression]

    def key(self) -> tuple:
        """What of it decides the structure, beside the expression."""
        return self.joint.path, self.index, self.level


@dataclass(eq=False)
class Lock:
    """A joint that is held where it starts, or at `value`; with `condition`, only while that is true."""

    joint: Joint
    value: np.ndarray | None
    condition: ca.SX | None

    def expressions(self) -> list[ca.SX]:
        """All it reads."""
        return [] if self.condition is None else [self.condition]

    def key(self) -> tuple:
        """What of it decides the structure, beside the condition."""
        return self.joint.path, self.value if self.value is None else tuple(self.value), self.condition is None


class MotionMethods:
    """The part of a Model that gives motions to joints."""

    def prescribe(self, variable: object, expression: object) -> None:
        """Let a coordinate, speed or acceleration of a joint follow an expression, whatever force that takes.

            m.prescribe(m.rev.phi, 0.3 * lw.sin(10 * lw.time))      # or m.rev.w, m.rev.a
            m.prescribe(m.translation.q, [x, y, z])                  # all coordinates of a joint of several

        The joint starts on the expression and its rates; on the level of speeds the coordinate starts anywhere, on that
        of accelerations the speed too.  `rev.tau` (`f` of a Prismatic) is the force of the drive.  A joint of several
        freedoms needs all of them given.  What is given as a position must have two derivatives, as a speed one.  A
        position may read discrete variables that `m.when` sets: between the events it is held, and at an event it is
        set anew without an impact, whatever else moves keeping its speed.
        """
        places = _places(self, variable)
        values = as_expression(expression, (len(places),) if variable.numel() > 1 else (),
                               f"{self.path}: prescribe({variable})")
        for k, (joint, index, level, name) in enumerate(places):
            value = ca.SX(values)[k]
            refuse_jumps(_top(self), f"{joint.path}.{name}", level, value, set_anew=True)
            self._motions.append(Given(joint, index, level, name, value))

    def lock(self, joint: Joint, value: object = None, *, when: object = None) -> None:
        """Hold a joint of any kind where it starts, or at `value` (its coordinates).

        With `when`, only while the condition is true: it then catches the joint wherever it is, at any speed, by the
        impulse that this takes.
        """
        if not isinstance(joint, Joint):
            what = f"{joint.path} is a {type(joint).__name__}" if isinstance(joint, Component) else f"got {joint!r}"
            raise ModelError(f"{self.path}: lock holds a joint such as m.rev; {what}.", joint)
        if not any(joint is part for part in self.leaves()):
            raise ModelError(f"{self.path}: lock({joint.path}) needs a joint of this model; add it first.", joint)
        if when is not None:
            if value is not None:
                raise ModelError(f"{self.path}: lock({joint.path}) with a condition holds the joint where it is then; "
                                 "leave the value out.", joint)
            when = truth(self, when)
        self._motions.append(Lock(joint, None if value is None else _numbers(self, joint, value), when))


def truth(model: Model, condition: object) -> ca.SX:
    """A condition that is 0 or 1: a comparison, or a discrete variable that is one."""
    condition = as_condition(model, condition)
    if any(condition.element_hash() == symbol.element_hash() for part in _top(model).models()
           for symbol, _ in part._inputs.values()):
        return condition > 0.5
    if condition.is_symbolic() or condition.op() not in TRUTHS:
        raise ModelError(f"{model.path}: a condition is a comparison of variables such as m.rev.phi > 1, got "
                         f"{condition}.", model)
    return condition


def _top(model: Model) -> Model:
    return model if model._parent is None else _top(model._parent)


def _places(model: Model, variable: object) -> list[tuple[Joint, int, int, str]]:
    """(joint, mobility, level, name) of every entry of a variable."""
    if not isinstance(variable, ca.SX):
        raise ModelError(f"{model.path}: prescribe takes a variable of a joint such as m.rev.phi, got {variable!r}.",
                         model)
    known: dict[int, tuple] = {}
    for part in model.leaves():
        known |= {part_symbol.nz[k].element_hash(): (part, name, k) for name, part_symbol in part._symbols.items()
                  for k in range(part_symbol.nnz())}
    out = []
    for k in range(variable.numel()):
        entry = variable[k]
        part, name, number = known.get(entry.element_hash() if entry.is_symbolic() else 0, (None, "", 0))
        if part is None:
            raise ModelError(f"{model.path}: {variable} is no variable of a joint of this model; prescribe takes one "
                             "such as m.rev.phi, m.rev.w or m.rev.a.", model)
        if not isinstance(part, Joint):
            raise ModelError(f"{part.path}.{name} is no coordinate of a joint; only joints are prescribed. A shaft or "
                             "rod is moved by rotational.Position or translational.Position with exact=True.", part)
        out.append((part, *_mobility(part, name, number), name if variable.numel() == 1 else f"{name}[{k}]"))
    return out


def _mobility(joint: Joint, name: str, number: int) -> tuple[int, int]:
    """(mobility, level) of a variable of a joint."""
    for index, names in enumerate(joint.coordinates()):
        if name in names:
            return index, names.index(name)
    if not joint.coordinates() and name in ("u", "a"):
        return number, "qua".index(name)
    if not joint.coordinates() and name == "q" and joint.q_size == joint.dof:
        return number, 0
    names = [n for own in joint.coordinates() for n in own] or (
        [n for n in "qua" if n in type(joint).fields() and (n != "q" or joint.q_size == joint.dof)])
    advice = (f"it offers {', '.join(names)}" if names else
              "its coordinates are a quaternion; use joints.Gimbal, Translation or Bushing, or lock it")
    raise ModelError(f"{joint.path}.{name} is no coordinate, speed or acceleration that can be prescribed; {advice}.",
                     joint)


def _numbers(model: Model, joint: Joint, value: object) -> np.ndarray:
    """The coordinates at which a joint is locked."""
    if joint.q_size != joint.dof or not (joint.coordinates() or "q" in type(joint).fields()):
        raise ModelError(f"{joint.path}: a joint whose orientation is free is locked where it starts; give it start "
                         "values instead of a value in lock.", joint)
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError, OverflowError):
        numbers = np.zeros(0)
    if numbers.shape != (joint.dof,) or not np.all(np.isfinite(numbers)):
        raise ModelError(f"{model.path}: lock({joint.path}) needs {joint.dof} finite number(s), got {value!r}; for a "
                         "motion use prescribe.", joint)
    return numbers
