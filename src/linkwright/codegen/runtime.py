"""Routines that solvers in programs share, as LLVM's text: copies, norms, dense solves, equations of which some are in
force, surfaces of splines.  They are functions of the dialect (`dense_solves`, `spline_surface`)."""

from __future__ import annotations

from functools import cache
from typing import Any

from .tolerances import WRITTEN_OUT

RUNTIME = {
    "declare void @lw_copy(ptr, ptr, i64, i64, i64)",
    "declare void @lw_solve_lanes(ptr, ptr, ptr, ptr, i64, i64)",
    "declare void @lw_newton_begin(ptr, ptr, ptr, ptr, i64, i64)",
    "declare i64 @lw_newton_step(ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, double, double)",
    "declare void @lw_affine_step(ptr, ptr, ptr, ptr, ptr, ptr, i64, i64)",
    "declare void @lw_affine_end(ptr, ptr, i64, i64)",
}


def _text(prefix: str, *functions: Any) -> tuple[str, ...]:
    from .dialect import written_of

    written = written_of(functions, 1, {}, WRITTEN_OUT, prefix)
    return written.text, *sorted(written.declarations)


@cache
def runtime() -> tuple[str, ...]:
    """The routines that all solvers share, and what they declare."""
    from . import dense_solves as own

    return _text("solve.", own.lw_copy, own.lw_solve_lanes, own.lw_newton_begin, own.lw_newton_step,
                 own.lw_affine_step, own.lw_affine_end)


@cache
def closed_routine() -> tuple[str, ...]:
    """`lw_closed` and `lw_in_force`, for `active_equations`."""
    from . import dense_solves

    return _text("closed.", dense_solves.lw_closed, dense_solves.lw_in_force)


@cache
def surface_routine() -> tuple[str, ...]:
    """`lw_surface`, for `surfaces`."""
    from . import spline_surface

    return _text("surface.", spline_surface.lw_surface)
