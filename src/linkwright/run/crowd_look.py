"""Where the shapes of a crowd are now, how they move, and the inertia behind them (see `system.crowd`)."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..integrate.record import View
from .crowd_inertia import factor
from .crowd_record import call, integers, matrix, vector
from .nearness import move
from .tolerances import TINY


def look(c: View, inp: int, step: float, inertia: bool) -> None:
    """Poses, Jacobians and (unless the last are good enough) the factored inertia at the inputs of a program.

    Forces of springs and dampers on joints act for so long as a `step` (s).
    """
    call(c.places, inp, c.out, c.work)
    move(c)
    spread(c.jacobian_values, c.jacobian_at, c.n_jacobian, c.jacobians, c.n_shapes * 6 * c.width)
    spread(c.single_values, c.single_at, c.n_single_values, c.singles, c.n_singles * c.nu)
    spread(c.held_values, c.held_at, c.n_held_values, c.rows, c.n_rows * c.nu)
    read_told(c)
    if inertia:
        spread(c.inertia_values, c.inertia_at, c.n_inertia, c.inertia, c.n_blocks * c.block * c.block)
        soften(c, step)
        factor(c)


def spread(values: int, places: int, count: int, target: int, size: int) -> None:
    """Numbers of a program to their places in an array."""
    v, at, t = vector(values, count), integers(places, count), vector(target, size)
    for k in range(count):
        t[at[k]] = v[k]


def read_told(c: View) -> None:
    """What stops and friction bear, by the last outputs of the program."""
    values, told = vector(c.told_values, 3 * c.n_singles), vector(c.told, 3 * c.n_singles)
    for k in range(3 * c.n_singles):
        told[k] = values[k]


def soften(c: View, step: float) -> None:
    """Add to the inertia what springs and dampers do over a step."""
    M, added, pull = matrix(c.inertia, c.n_blocks, c.block, c.block), vector(c.added, c.nu), vector(c.pull, c.nu)
    stiff, damping = vector(c.stiff, c.nu), vector(c.damping, c.nu)
    block_of, place_in = integers(c.block_of, c.nu), integers(c.place_in, c.nu)
    for j in range(c.nu):
        block, at, spring = block_of[j], place_in[j], step * step * stiff[j]
        share = spring / max(spring + M[block, at, at], TINY)
        added[j] = step * damping[j] + spring * (1.0 + 3.0 * share) / 4.0
        pull[j] = share * spring
        M[block, at, at] += added[j]
