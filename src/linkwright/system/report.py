"""The translation report: what was made of a mechanism, as data and as one screen of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import AssemblyError
from . import report_details
from .report_details import NOTHING_MOVES, count, impossible_bodies, is_planar, some
from .tolerances import REMARKS, SCREEN

if TYPE_CHECKING:
    from ..equations import Rows
    from .system import System


class Loop(NamedTuple):
    """A constraint, its number of equations and the joints it ties together."""

    name: str
    equations: int
    joints: tuple[str, ...]


class Text(str):
    """Text that a Python prompt and a notebook show as lines."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self)}</pre>"


def loops(system: System) -> tuple[Loop, ...]:
    """The constraints off the tree; joints are those whose speeds occur in the equations."""
    m, out = system.mechanism, []
    for rows in system.equations.rows:
        columns = set(np.repeat(np.arange(rows.G.shape[1]), np.diff(rows.G.colind())).tolist())
        joints = tuple(b.joint for b, us in zip(m.bodies, m.slices()[1], strict=True)
                       if columns & set(range(us.start, us.stop)))
        out.append(Loop(rows.name, rows.G.shape[0], joints))
    return tuple(out)


def text(system: System, full: bool = False) -> Text:
    """The report for people: one screen, or with `full` every constraint, redundancy and remark."""
    known = True
    try:
        dof = f"{count(system.dof, 'degree')} of freedom"
    except AssemblyError as error:
        known, dof = False, f"degrees of freedom unknown ({error})"
    body = report_details.lines(system, known) if full else _summary(system, known)
    lines = [_head(system, dof), *(f"  {line}" for line in (*body, _code(system)))]
    return Text("\n".join(lines if full else (wrapped(line) for line in lines)))


def wrapped(line: str) -> str:
    """A line of the short report, folded at the width of a screen; names are not broken."""
    return fill(line, SCREEN, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _head(system: System, dof: str) -> str:
    """Name, bodies with their joints, degrees of freedom."""
    m = system.mechanism
    kinds: dict[str, int] = {}
    for body in m.bodies:
        kinds[type(body.mobilizer).__name__] = kinds.get(type(body.mobilizer).__name__, 0) + 1
    joints = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    return f"{m.name}: {count(len(m.bodies), 'body', 'bodies')}{f' (joints: {joints})' if joints else ''}, {dof}"


def _summary(system: System, known: bool) -> Iterator[str]:
    """Prescribed motion, loops, redundant equations, states, implicit equations and remarks, a line each."""
    m = system.mechanism
    given = [body.joint for body in m.bodies if body.prescribed is not None]
    if given:
        yield f"Prescribed motion: {some(given)}"
    if not m.bodies and not m.point_masses:
        yield NOTHING_MOVES
    always = [rows for rows in system.equations.rows if rows.mode is None]
    if always:
        equations = count(sum(rows.G.shape[0] for rows in always), "equation")
        yield (f"Loops and constraints: {len(always)} ({some([rows.name for rows in always])}), {equations}"
               f"{_solution(system, always)}")
    switched = list(dict.fromkeys(rows.name.removesuffix(".normal").removesuffix(".tangent")
                                  for rows in system.equations.rows if rows.mode is not None))
    if switched:
        yield (f"Contacts and locks: {len(switched)} ({some(switched)}); the degrees of freedom are those at the start")
    if system.loops and known:
        yield from _redundancy(system)
    if known:
        names, discrete = system.states, len(system.part_names("d"))
        yield (f"States: {len(names)}" + (f" ({some(names)})" if names else "")
               + (f"; {count(discrete, 'discrete variable')}" if discrete else ""))
    blocks = system.layout.blocks
    if blocks:
        total = count(sum(len(block.start) for block in blocks), "implicit equation")
        unknown = dict.fromkeys(name for block in blocks for name in block.names)
        yield f"{total} in {count(len(blocks), 'block')}, for {some(list(unknown))}"
    impossible = list(impossible_bodies(system))
    if len(impossible) > 1:
        others = [line.split(":")[0] for line in impossible[1:]]
        impossible = [f"{impossible[0]} The same holds for {some(others)}."]
    remarks = [*impossible, *m.remarks]
    yield from remarks[:REMARKS]
    if len(remarks) > REMARKS:
        yield f"{len(remarks) - REMARKS} more remarks: print(system.report(full=True))"


def _solution(system: System, always: Sequence[Rows]) -> str:
    """How the loops are solved where their coordinates are no states."""
    if not system.minimal:
        return ""
    solved = {name for closure in system.mechanism.closures for name in closure.constraints}
    n = sum(rows.name in solved for rows in always)
    if n == len(always):
        return ", solved in closed form"
    return f", {n} of them solved in closed form" if n else ", solved by Newton's method"


def _redundancy(system: System) -> Iterator[str]:
    """How many equations are redundant or always satisfied; how many joints have reactions that are not unique."""
    n = system.redundant
    flat = {c.name for c in system.mechanism.constraints if c.flat}
    satisfied = [rows.by_themselves for rows in system.equations.rows if rows.by_themselves and rows.name not in flat]
    line = f"Redundant equations: {n or 'none'}"
    for dependency in system.redundancy.dependencies[:1]:
        line += f"; {'one' if n == 1 else 'for example one'} follows from the others among {dependency}"
    if satisfied:
        reason = ", because the loops are planar" if all(map(is_planar, satisfied)) else ""
        n = sum(map(len, satisfied))
        line += f"; {count(n, 'further equation')} {'is' if n == 1 else 'are'} always satisfied{reason}"
    yield line
    if system.not_unique:
        yield f"Reactions not unique: {some(list(system.not_unique))} (directions in system.not_unique)"
    yield from report_details.positions(system)


def _code(system: System) -> str:
    """Size of the code and what compiling it took."""
    seconds = sum(program.compile_time for program in system.compiled)
    kept = sum(program.from_cache for program in system.compiled)
    return (f"Code: {system.rhs.instructions} operations per evaluation; "
            f"{count(system.n_compiled, 'program')} compiled in {seconds:.2f} s ({kept} from the cache)")
