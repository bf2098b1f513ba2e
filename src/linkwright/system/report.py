"""The translation report: what was made of a mechanism, as data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from ..algebra import Inertia
from ..errors import AssemblyError
from .tolerances import NAMED_JOINTS, RANK_TOLERANCE

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .system import System


class Loop(NamedTuple):
    """A constraint, its number of equations and the joints it ties together."""

    name: str
    equations: int
    joints: tuple[str, ...]


def loops(system: System) -> tuple[Loop, ...]:
    """The constraints off the tree; joints are those whose speeds occur in the equations."""
    m, out = system.mechanism, []
    for rows in system.equations.rows:
        columns = set(np.repeat(np.arange(rows.G.shape[1]), np.diff(rows.G.colind())).tolist())
        joints = tuple(b.joint for b, us in zip(m.bodies, m.slices()[1], strict=True)
                       if columns & set(range(us.start, us.stop)))
        out.append(Loop(rows.name, rows.G.shape[0], joints))
    return tuple(out)


def text(system: System) -> str:
    """The report for people."""
    m = system.mechanism
    lines = [f"{m.name}: {_count(len(m.bodies), 'body', 'bodies')}, {_joints(m)}"]
    try:
        freedom = f"{system.dof} degrees of freedom"
        redundant = system.redundant
    except AssemblyError as error:
        freedom, redundant = f"degrees of freedom unknown ({error})", 0
    given = [body.joint for body in m.bodies if body.prescribed is not None]
    lines.append(f"  {freedom} in {m.nu} speeds" + (f"; the motion of {', '.join(given)} is given" if given else ""))
    forms = {name: closure.form for closure in reversed(m.closures) for name in closure.constraints}
    for loop in system.loops:
        lines.append(f"  constraint {loop.name}: {_count(loop.equations, 'equation')} over {', '.join(loop.joints)}")
        if system.minimal and loop.name in forms:
            lines.append(f"    in closed form: {forms[loop.name]}")
    flat = {c.name for c in m.constraints if c.flat}
    for rows in system.equations.rows:
        if rows.by_themselves and rows.name not in flat:
            lines.append(f"    of {rows.name} hold by themselves: {', '.join(rows.by_themselves)}")
    if not m.bodies and not m.point_masses:
        lines.append("    nothing can move: every part is fixed to the world. Put a joint between those that should")
    if system.loops:
        lines.append(f"  {_count(redundant, 'redundant equation')}")
        lines += _explained(system) if "unknown" not in freedom else []
    sizes = f"{m.nq} coordinates, {m.nu} speeds"
    sizes += "".join(f", {len(system.part_names(p))} {what}" for p, what in
                     (("z", "auxiliary states"), ("d", "discrete variables"), ("p", "parameters"))
                     if len(system.part_names(p)))
    lines.append(f"  variables of a run: {sizes}" if system.minimal else f"  states: {sizes}")
    if system.minimal and "unknown" not in freedom:
        lines.append(_minimal(system))
    for k, block in enumerate(system.layout.blocks):
        kind = "linear" if block.affine else "nonlinear"
        names = ", ".join(dict.fromkeys(block.names))
        lines.append(f"  unknowns, block {k + 1}: {_count(len(block.start), f'{kind} equation')} for {names}")
    lines += impossible_bodies(system)
    lines += [f"  {remark}" for remark in m.remarks]
    rhs = system.rhs
    lines.append(f"  right-hand side: {rhs.instructions} operations, {rhs.tier} code")
    seconds = sum(program.compile_time for program in system.compiled)
    kept = sum(program.from_cache for program in system.compiled)
    lines.append(f"  {_count(system.n_compiled, 'program')} compiled in {seconds:.2f} s ({kept} from the cache)")
    return "\n".join(lines)


def impossible_bodies(system: System) -> list[str]:
    """Bodies whose principal moments break the triangle inequality, which those of real bodies never do."""
    lines, p = [], system.state_from_defaults().p
    for body in system.mechanism.bodies:
        parts = [ca.SX(body.inertia.m), ca.vec(ca.SX(body.inertia.first_moment)), ca.vec(ca.SX(body.inertia.inertia))]
        m, s, moments = (np.array(x) for x in ca.Function("inertia", [system.equations.symbols["p"]], parts).call([p]))
        why = Inertia.from_moments(m.item(), s.ravel(), moments.reshape(3, 3, order="F")).check(body.name)
        lines += [f"  {why}"] if why else []
    return lines


def _minimal(system: System) -> str:
    """Which coordinates are the states, and how the others follow."""
    states = f"  states: {', '.join(system.states)}; the other coordinates follow"
    if not system.code.has_closed_form:
        return f"{states} by Newton's method on the loops"
    closed = system.equations.explicit
    count = len(closed.independent)
    left = "no system of equations is left" if count == 1 else f"a linear system of {count} equations is left"
    if closed.partial:
        others = dict.fromkeys(r.name for r in closed.left() if r.mode is None)
        left = f"but for loops closed by projection ({', '.join(others)})"
    return f"{states} in closed form, {left}"


def _explained(system: System) -> list[str]:
    """What redundancy and immobility mean for the user."""
    found, lines = system.redundancy, []
    for dependency in found.dependencies:
        lines.append(f"    one follows from the others among {dependency}")
    by_directions: dict[tuple[str, ...], list[str]] = {}
    for joint, directions in system.not_unique.items():
        by_directions.setdefault(directions, []).append(joint)
    for directions, joints in by_directions.items():
        more = f" and {len(joints) - NAMED_JOINTS} more" if len(joints) > NAMED_JOINTS else ""
        lines.append(f"    reactions not unique at {', '.join(joints[:NAMED_JOINTS])}{more}: {', '.join(directions)}")
    if found.rank_here < found.rank:
        lines.append(f"    at the start {found.rank - found.rank_here} more: it starts in a singular position")
    if not system.dof and not system.equations.prescribed:
        lines.append("    it cannot move: the equations hold all its speeds. Likely: axes that should be parallel are "
                     "not, or a joint too few")
    if found.nearly is not None:
        lines.append(f"    equations are nearly dependent (to {found.nearly:.1e}; below {RANK_TOLERANCE:.0e} they "
                     "count as dependent). Likely: axes or lengths that should agree do so only roughly")
    return lines


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _joints(mechanism: Mechanism) -> str:
    kinds: dict[str, int] = {}
    for body in mechanism.bodies:
        kind = type(body.mobilizer).__name__
        kinds[kind] = kinds.get(kind, 0) + 1
    return "joints " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()) if kinds else "no joints"
