"""The numbers that decide at an instant of a lane, and the lines of news for those who read afterwards."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import bits, known, real
from ..beside import N_NEWS
from ..jit import call, matrix, vector
from .lane_record import Lane
from .step_program import UNDECIDED


def look(r: Lane, out: real[:]) -> None:
    """The situation; the ordinary run computes it only where an input has changed."""
    if not r.told.tells:
        call(r.code.situation, r.at.inp, out, r.at.work)
    elif changed_since(vector(r.at.inp, r.at.n_in), vector(r.told.seen, r.at.n_in)):
        call(r.told.situation, r.at.inp, out, r.at.work)


def changed_since(inp: real[:], seen: real[:]) -> bool:
    """Whether inputs differ from those seen last, which they are from now on."""
    changed = False
    for i in range(inp.shape[0]):
        changed = changed or bits(inp[i]) != bits(seen[i])
        seen[i] = inp[i]
    return changed


def tell(r: Lane, kind: known, number: int, direction: int) -> None:
    """A line of news; where there is no room for it, Python decides the instant."""
    if r.told.tells:
        if r.told.n_news >= r.told.most_news:
            r.doing = UNDECIDED
        else:
            line = matrix(r.told.news, r.told.most_news, N_NEWS)[r.told.n_news]
            line[0], line[1], line[2], line[3] = r.t, kind, number, direction
            r.told.n_news += 1
