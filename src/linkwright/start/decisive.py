"""Which numbers decide where a model starts: those that a condition on the start reads."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..system import System, across
from ..system.given_motions import given
from .problem import StartProblem


def decides(system: System, names: Sequence[str]) -> bool:
    """Whether a condition on the start, or an unknown, reads one of these parameters or inputs, itself or through
    modes."""
    symbols = _symbols(system, names)
    if not symbols:
        return False
    numbers = ca.veccat(*symbols, *_modes_by(system, symbols))
    unknowns = [system.equations.finish(unknown.residual)[0] for unknown in system.mechanism.unknowns]
    return any(bool(ca.depends_on(ca.vec(read), numbers)) for read in (_read(system, True), *unknowns))


def decides_modes(system: System, names: Sequence[str]) -> bool:
    """Whether a relation reads one of these parameters or inputs, itself or through others."""
    return bool(_modes_by(system, _symbols(system, names)))


def reads_modes(system: System) -> bool:
    """Whether a condition on the start reads what friction, stops, locks and contacts do: a force, an acceleration."""
    modes = [item.symbol for item in system.mechanism.discretes]
    return bool(ca.depends_on(_read(system, True), ca.veccat(*modes)))


def _symbols(system: System, names: Sequence[str]) -> list[ca.SX]:
    m = system.mechanism
    return [item.symbol for item in (*m.parameters, *m.discretes) if item.name in names]


def _modes_by(system: System, symbols: list[ca.SX]) -> list[ca.SX]:
    """The modes of relations that read these numbers, themselves or through other modes."""
    e, left = system.equations, list(system.mechanism.events.relations)
    found: list[ca.SX] = []
    witnesses = {relation.name: e.finish(relation.witness)[0] for relation in left} if symbols else {}
    held = {item.name: item.symbol for item in system.mechanism.discretes}
    more = bool(symbols)
    while more:
        numbers = ca.veccat(*symbols, *found)
        reached = [relation for relation in left if ca.depends_on(witnesses[relation.name], numbers)]
        found += [held[relation.name] for relation in reached]
        left = [relation for relation in left if relation not in reached]
        more = bool(reached)
    return found


def decisive_slots(system: System) -> dict[int, str]:
    """Places in the input vector (t, q, u, z, d, p, f, y), with their names, of what decides the start and must keep
    its number where nobody can search: the time, parameters and inputs.

    Given motions are followed without a search, so that what they alone read is not among them; nor is what only counts
    beside coordinates and speeds that have other values than the given ones (a damper at rest).
    """
    read, m, layout = _at_given(system, _read(system, False)), system.mechanism, system.layout
    modes = {item.name for item in m.events.relations} | {update.symbol.name() for update in m.events.updates}
    found = {0: "the time"} if ca.depends_on(read, system.equations.symbols["t"]) else {}
    for item in (*m.parameters, *m.discretes):
        if item.name not in modes and ca.depends_on(read, ca.vec(item.symbol)):
            part, where = system.slot(item.name)
            first, one = layout.places[part].start, where.stop == where.start + 1
            found |= {first + k: item.name if one else f"{item.name}[{k - where.start}]"
                      for k in range(where.start, where.stop)}
    return found


def _at_given(system: System, read: ca.SX) -> ca.SX:
    """Expressions with coordinates and speeds at the numbers that must hold for them."""
    problem = StartProblem(system)
    for value, variable, number in zip(problem.conditions.given, problem.conditions.variables, problem.numbers,
                                       strict=True):
        if value.fixed and value.formula is None and variable.is_symbolic():
            # what the condition itself asks is then fulfilled
            read = ca.substitute(read, variable, ca.SX(number))
    return read


def _read(system: System, courses: bool) -> ca.SX:
    """All that decides which coordinates, speeds and auxiliary states a start has, and whether there is one; without
    the courses of given motions where no other condition reads these."""
    conditions = StartProblem(system).conditions
    key = ("read at the start", courses, id(conditions))
    return system.code.once(key, lambda: (conditions, _collected(system, courses)))[1]


def _collected(system: System, courses: bool) -> ca.SX:
    e, m, conditions = system.equations, system.mechanism, StartProblem(system).conditions
    known, part = given(e), conditions.part
    moved = [us.start + k - qs.start for qs, us in zip(*m.slices(), strict=True) for k in range(qs.start, qs.stop)
             if k in known["q"] and qs.stop - qs.start == us.stop - us.start]
    rows, columns = (np.array(each, dtype=int) for each in conditions.pattern.get_triplet())
    followed = np.isin(columns, [*(part["q"].start + k for k in moved), *(part["u"].start + k for k in known["u"])])
    count = len(conditions.names)
    by_themselves = np.bincount(rows, minlength=count) == np.bincount(rows[followed], minlength=count)
    by_themselves &= np.bincount(rows, minlength=count) > 0
    others = np.flatnonzero(~by_themselves)
    read = [conditions.expressions[others.tolist()], across(system).residuals]
    if courses or np.any(followed & np.isin(rows, others)):
        read += [conditions.expressions, *(value for values in known.values() for value in values.values())]
    read += [ca.vec(e.finish(winding.wound)[0]) for winding in (m.start.windings if m.start is not None else ())]
    read += [ca.vec(e.laws.evaluate(closure.values)[0]) for closure in m.closures]
    read += [e.finish(item.residual)[0] for item in (m.start.positive if m.start is not None else ())]
    return ca.vertcat(*read)
