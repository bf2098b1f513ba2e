"""The long translation report: every loop, redundant equation, block of unknowns and remark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Inertia
from .tolerances import NAMED_JOINTS, RANK_TOLERANCE

if TYPE_CHECKING:
    from .system import System

NOTHING_MOVES = "Nothing can move: every part is fixed to the world. Put a joint between the parts that should move."


def lines(system: System, known: bool) -> Iterator[str]:
    """The report line by line; `known` says whether the mechanism can be assembled, so that its rank is known."""
    m = system.mechanism
    given = [body.joint for body in m.bodies if body.prescribed is not None]
    if given:
        yield f"Prescribed motion: {', '.join(given)}"
    if not m.bodies and not m.point_masses:
        yield NOTHING_MOVES
    forms = {name: closure.form for closure in reversed(m.closures) for name in closure.constraints}
    for loop in system.loops:
        yield f"Constraint {loop.name}: {count(loop.equations, 'equation')} over {', '.join(loop.joints)}"
        if system.minimal and loop.name in forms:
            yield f"  solved in closed form: {forms[loop.name]}"
    yield from always_satisfied(system)
    if system.loops and known:
        yield f"Redundant equations: {system.redundant}"
        yield from _redundancies(system)
    sizes = f"{count(m.nq, 'coordinate')}, {count(m.nu, 'speed')}"
    for part, noun in (("z", "auxiliary state"), ("d", "discrete variable"), ("p", "tunable parameter")):
        sizes += f", {count(len(system.part_names(part)), noun)}" if len(system.part_names(part)) else ""
    yield f"Variables: {sizes}"
    if system.minimal and known:
        yield _minimal(system)
    for k, block in enumerate(system.layout.blocks):
        kind = "linear" if block.affine else "nonlinear"
        names = ", ".join(dict.fromkeys(block.names))
        yield f"Implicit equations, block {k + 1}: {count(len(block.start), f'{kind} equation')} for {names}"
    yield from impossible_bodies(system)
    yield from m.remarks


def always_satisfied(system: System) -> Iterator[str]:
    """Equations of loops that no motion can violate, with their number and reason."""
    flat = {c.name for c in system.mechanism.constraints if c.flat}
    for rows in system.equations.rows:
        if rows.by_themselves and rows.name not in flat:
            n = len(rows.by_themselves)
            subject, verb = (f"{n} equations", "are") if n > 1 else ("One equation", "is")
            reason = "because the loop is planar" if is_planar(rows.by_themselves) else "whatever the joints do"
            yield f"{subject} of {rows.name} {verb} always satisfied, {reason}: {', '.join(rows.by_themselves)}"


def is_planar(labels: Sequence[str]) -> bool:
    """One displacement and two rotations: those out of a plane."""
    return sorted(label.split()[0] for label in labels) == ["displacement", "rotation", "rotation"]


def impossible_bodies(system: System) -> Iterator[str]:
    """Bodies whose principal moments break the triangle inequality, which those of real bodies never do."""
    p = system.state_from_defaults().p
    for body in system.mechanism.bodies:
        parts = [ca.SX(body.inertia.m), ca.vec(ca.SX(body.inertia.first_moment)), ca.vec(ca.SX(body.inertia.inertia))]
        m, s, moments = (np.array(x) for x in ca.Function("inertia", [system.equations.symbols["p"]], parts).call([p]))
        why = Inertia.from_moments(m.item(), s.ravel(), moments.reshape(3, 3, order="F")).check(body.name)
        if why:
            yield why


def positions(system: System) -> Iterator[str]:
    """Singular starts, mechanisms that cannot move, and equations that are nearly dependent."""
    found = system.redundancy
    if found.rank_here < found.rank:
        yield (f"It starts in a singular position, where {found.rank - found.rank_here} more equations depend on "
               "the others")
    if not system.dof and not system.equations.prescribed:
        yield ("It cannot move: the constraints determine all its speeds. Likely: axes that should be parallel are "
               "not, or a joint is missing")
    if found.nearly is not None:
        yield (f"Some equations are nearly dependent (to {found.nearly:.1e}; below {RANK_TOLERANCE:.0e} they "
               "count as dependent). Likely: axes or lengths that should agree do so only roughly")


def _redundancies(system: System) -> Iterator[str]:
    """Which equations depend on which others, and which reactions are not unique for that reason."""
    for dependency in system.redundancy.dependencies:
        yield f"  one follows from the others among {dependency}"
    by_directions: dict[tuple[str, ...], list[str]] = {}
    for joint, directions in system.not_unique.items():
        by_directions.setdefault(directions, []).append(joint)
    for directions, joints in by_directions.items():
        yield f"Reactions not unique at {some(joints)}: {', '.join(directions)}"
    yield from positions(system)


def _minimal(system: System) -> str:
    """Which coordinates are the states, and how the others follow."""
    states = f"States: {', '.join(system.states) or 'none'}. The other coordinates follow"
    if not system.code.has_closed_form:
        return f"{states} from the loops by Newton's method"
    closed = system.equations.explicit
    n = len(closed.independent)
    left = "no system of equations is left" if n <= 1 else f"a linear system of {n} equations is left"
    if closed.partial:
        others = dict.fromkeys(r.name for r in closed.left() if r.mode is None)
        left = f"except for loops closed by projection ({', '.join(others)})"
    return f"{states} in closed form, {left}"


def some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - NAMED_JOINTS} more" if len(names) > NAMED_JOINTS else ""
    return ", ".join(names[:NAMED_JOINTS]) + more


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{n} {one if n == 1 else many or one + 's'}"
