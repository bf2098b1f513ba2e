"""Coordinates and speeds of given motions: set to their values at every stage of a step, so that nothing drifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..codegen import Program
from ..equations import Equations
from .layout import Layout
from .programs import build_program

if TYPE_CHECKING:
    from .state import State
    from .system import System


def given(e: Equations) -> dict[str, dict[int, ca.SX]]:
    """Place → value of the coordinates "q" and speeds "u" that are known from time, inputs and auxiliary states alone.

    Motions that are given as functions of other coordinates are not among them; they follow by their accelerations.
    """
    out: dict[str, dict[int, ca.SX]] = {"q": {}, "u": {}}
    moving = ca.vertcat(e.symbols["q"], e.symbols["u"])
    for body, *slices in zip(e.mechanism.bodies, *e.mechanism.slices(), strict=True):
        for part, place, entries in zip("qu", slices, body.course, strict=True):
            for k, entry in enumerate(entries):
                if entry is None:
                    continue
                value = e.finish(entry)[0]
                if not ca.depends_on(value, moving) and not (e.y.numel() and ca.depends_on(value, e.y)):
                    out[part][place.start + k] = value
    return out


def set_anew(e: Equations, places: list[int]) -> bool:
    """Whether given positions read discrete variables at these places, which actions set."""
    set_there = ca.vertcat(ca.SX(0, 1), *[e.symbols["d"][place] for place in set(places)])
    return bool(places) and any(ca.depends_on(value, set_there) for value in given(e)["q"].values())


def prescribe_program(layout: Layout) -> Program:
    """The state with given coordinates and speeds at their values."""
    return build_program("prescribe", layout, prescribed(layout.equations))


def prescribed(e: Equations) -> dict[str, ca.SX]:
    """Coordinates, speeds and auxiliary states, the given ones at their values."""
    vectors = {part: ca.SX(e.symbols[part]) for part in "quz"}
    for part, values in given(e).items():
        for place, value in values.items():
            vectors[part][place] = value
    return {f"{part}_new": vector for part, vector in vectors.items()}


def on_course(system: System, state: State) -> np.ndarray:
    """Set given motions in a state to their values at its time; returns weights for `assemble` that hold them."""
    weights = np.ones(system.mechanism.nu)
    if not system.code.given:
        return weights
    m, program = system.mechanism, system.code.prescribe
    x = program(system.layout.pack(state))
    state.q, state.u = x[: m.nq], x[m.nq : m.nq + m.nu]
    weights[sorted(system.code.given)] = np.inf
    return weights
