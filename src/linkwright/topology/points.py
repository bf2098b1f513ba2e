"""Points where only massless elements meet: held by the balance of forces alone.

Three springs meeting in a point leave its position as an unknown y with Σ f(y) = 0.  With dampers among them the
position is a state z and its velocity the unknown: Σ f(z, ż) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..mechanism import ContinuousState, Unknown


@dataclass
class Held:
    """What holding points adds to a mechanism."""

    states: list = field(default_factory=list)
    unknowns: list = field(default_factory=list)


def hold_points(translator, points) -> Held:
    """Unknowns (and states) for massless points in space and massless shafts."""
    held = Held()
    definitions, plan = translator.definitions, translator.plan
    symbols = {}
    for group in points:
        name = group.name
        symbols[id(group)] = (name, ca.SX.sym(f"{name}.r_0", 3), ca.SX.sym(f"{name}.v_0", 3))

    def quantity(frame, what):
        node = translator.nodes[id(frame)]
        if id(node.group) not in symbols:
            return None
        _, position, velocity = symbols[id(node.group)]
        return {"p": position, "v": velocity, "R": ca.SX.eye(3), "w": ca.SX.zeros(3), "z": ca.SX.zeros(3),
                "a": ca.SX.zeros(3)}[what]

    definitions.frame_quantity = quantity
    for group in points:
        name, position, velocity = symbols[id(group)]
        frames = {id(frame) for node in group.nodes for frame in node.frames}
        balance = sum((load.f for load in plan.loads if id(load.frame) in frames), ca.SX.zeros(3))
        _hold(held, name, definitions.expand(balance), position, velocity, _start(translator, group))
    for shaft in translator.shafts:
        if shaft.kind == "massless":
            balance = definitions.expand(shaft.drive())
            _hold(held, shaft.name, balance, shaft.symbols[0], shaft.symbols[1], np.zeros(1))
    return held


def _hold(held: Held, name: str, balance: ca.SX, position: ca.SX, velocity: ca.SX, start: np.ndarray) -> None:
    """Position unknown, or position state with velocity unknown where the balance depends on velocity."""
    if ca.depends_on(balance, velocity):
        held.states.append(ContinuousState(f"{name}.position", position, velocity, start))
        held.unknowns.append(Unknown(f"{name}.velocity", velocity, balance, np.zeros_like(start)))
    else:
        held.unknowns.append(Unknown(f"{name}.position", position, balance, start))


def _start(translator, group) -> np.ndarray:
    """A first guess: given by a force element's relative position guess, else near the other ends of the elements."""
    frames = {id(frame) for node in group.nodes for frame in node.frames}
    for load in translator.plan.loads:
        if id(load.frame) in frames:
            hint = getattr(load.component, "point_guess", None)
            guess = hint(translator, load.frame) if hint is not None else None
            if guess is not None:
                return np.asarray(guess, dtype=float)
    return np.array([1e-3, -2e-3, 1.5e-3])
