"""Programs for events: witness functions for the stepper, and what has to be known to decide at an instant.

A witness is positive while the present mode is right and falls through zero where it ends.  The smallest of numbers is
added where an exact zero still belongs to the mode, so that leaving zero on the wrong side is noticed too.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..codegen import Program
from ..equations import Equations
from ..mechanism.events import Relation
from .programs import Layout, build_program

TINY = 1e-300
FLOOR_GUARD = 4e-16
#: backward speed at which sliding has ended; what a stop holds at rest may tremble by rounding without being noticed
STILL = 1e-13


@dataclass(frozen=True)
class Watch:
    """What a witness belongs to: "relation", "when", "slide", "hold+", "hold-", "gap" or "pull"; number; expression."""

    what: str
    number: int
    witness: ca.SX


def watched(e: Equations) -> list[Watch]:
    """The witnesses of a mechanism, in the order of its events program."""
    happenings, out = e.mechanism.happenings, []
    for k, r in enumerate(happenings.relations):
        if r.affine is not None:
            continue  # its instant is known
        d, w = r.symbol, r.witness
        if r.kind == "floor":
            out += [Watch("relation", k, w - d + TINY), Watch("relation", k, d + 1 - w)]
        elif r.kind == "sign":
            out.append(Watch("relation", k, d * w - (1 - d * d) * ca.fabs(w) + TINY))
        else:
            out.append(Watch("relation", k, (1 - 2 * d) * w + TINY))
    for k, when in enumerate(happenings.whens):
        if when.witness is not None:
            out.append(Watch("when", k, when.witness + TINY if when.kind == "lt" else when.witness))
    for k, f in enumerate(happenings.frictions):
        free, push = 1 - f.stuck, multiplier(e, f.name)
        out += [Watch("slide", k, free * f.direction * f.speed + f.stuck + STILL),
                Watch("hold+", k, f.stuck * (f.limit - push) + free),
                Watch("hold-", k, f.stuck * (f.back + push) + free)]
    for k, s in enumerate(happenings.stops):
        out += [Watch("gap", k, (1 - s.closed) * s.gap + s.closed + TINY),
                Watch("pull", k, -s.closed * multiplier(e, s.name) + 1 - s.closed)]
    return out


def multiplier(e: Equations, name: str) -> ca.SX:
    """λ of a constraint of one equation; 0 where it was found to be empty."""
    start, rows = place(e, name)
    return e.multipliers[start] if rows.G.shape[0] else ca.SX(0)


def place(e: Equations, name: str):
    """(first row, rows) of a constraint."""
    start = 0
    for constraint, rows in zip(e.mechanism.constraints, e.rows, strict=True):
        if constraint.name == name:
            return start, rows
        start += rows.G.shape[0]
    raise KeyError(name)


def events_program(layout: Layout) -> Program:
    """All witnesses, one number each."""
    e = layout.equations
    return build_program("events", layout, {"g": e.finish(ca.vertcat(*[w.witness for w in watched(e)]))[0]})


def situation_program(layout: Layout) -> Program:
    """Relations (witness, slope and offset in time), whens (condition, targets, values), friction, stops."""
    e = layout.equations
    h = e.mechanism.happenings
    relations = [ca.vertcat(r.witness, *(r.affine or (0, 0))) for r in h.relations]
    whens = [ca.vertcat(w.condition, *w.targets, *w.values) for w in h.whens]
    frictions = [ca.vertcat(f.speed, _acceleration(e, f.name), multiplier(e, f.name), f.sliding, f.limit, f.back)
                 for f in h.frictions]
    stops = [ca.vertcat(s.gap, place(e, s.name)[1].rate, _acceleration(e, s.name), multiplier(e, s.name),
                        s.restitution) for s in h.stops]
    groups = {"relations": relations, "whens": whens, "frictions": frictions, "stops": stops}
    joined = {name: ca.vertcat(ca.SX(0, 1), *parts) for name, parts in groups.items()}
    finished = e.finish(*joined.values())
    return build_program("situation", layout, dict(zip(joined, finished, strict=True)))


def _acceleration(e: Equations, name: str) -> ca.SX:
    """G u̇ + γ: how fast the speed of a friction or the rate of a gap changes."""
    _, rows = place(e, name)
    return rows.G @ e.udot + rows.gamma


def impact_program(layout: Layout) -> Program:
    """The mass matrix and the Jacobian of all constraints, column by column."""
    e = layout.equations
    return build_program("impact", layout, {"M": ca.vec(ca.densify(e.mass_matrix)),
                                            "G": ca.vec(ca.densify(e.constraint_matrix))})


def relation_value(relation: Relation, held: float | None, w: float, a: float, b: float, t: float) -> float:
    """The value of a relation from its witness w = a t + b; on the boundary it stays what it is (`held`)."""
    kind, timed = relation.kind, relation.affine is not None and a != 0
    if kind == "floor":
        return float(np.floor(w + FLOOR_GUARD * max(1.0, abs(w)) if timed else w))
    if timed:
        w = a if t >= -b / a else -a
    if w == 0:
        return held if held is not None else float(kind == "le")
    return float(np.sign(w)) if kind == "sign" else float(w < 0)


def refresh(system, state) -> None:
    """Bring the held relations of a state up to date with it, where nobody runs it through time."""
    relations = system.mechanism.happenings.relations
    if not relations:
        return
    program = system.code.situation
    names = system.part_names("d")
    places = [names.index(r.name) for r in relations]
    for _ in range(len(relations) + 1):
        inputs = np.concatenate([[state.t], state.q, state.u, state.z, system.rest(state)])
        rows = program(inputs)[program.slice_out("relations")].reshape(-1, 3)
        values = [relation_value(r, None, *row, state.t) for r, row in zip(relations, rows, strict=True)]
        if np.array_equal(state.d[places], values):
            return
        state.d[places] = values
