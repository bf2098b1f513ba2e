"""Programs: what the compiler is given.

A program is a list of segments over named vectors of doubles.  Every vector is a program input or is written by
exactly one segment; a segment reads vectors by name and writes vectors by name.  Matrices are stored column by
column, as CasADi stores them.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi

from linkwright.errors import ModelError

from .tolerances import NEWTON_ITERATIONS, NEWTON_TOLERANCE


@dataclass(frozen=True)
class Straight:
    """Straight-line code: `writes = function(*reads)`, an SX function.

    Structural zeros of a sparse output are written as 0.0; an output vector has `function.numel_out(i)` entries.
    """

    function: casadi.Function
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True)
class Newton:
    """Solves `residual(*reads, unknown) = 0` by Newton's method, starting from the vector `guess`.

        J Δ = r,   y ← y − Δ        until  ‖r‖∞ ≤ tolerance

    `status` is written as [iterations, final ‖r‖∞]; a run that did not converge shows there as a norm above
    `tolerance` (or not finite).  The iteration also stops when a step no longer changes the unknown, so a residual
    whose rounding error exceeds the tolerance does not cost `max_iterations`.  With `affine=True` the residual is
    known to be affine in the unknown: one factorisation, one solve, and the residual evaluated once more for `status`.
    """

    unknown: str
    residual: casadi.Function
    jacobian: casadi.Function
    reads: tuple[str, ...]
    guess: str
    status: str
    tolerance: float = NEWTON_TOLERANCE
    max_iterations: int = NEWTON_ITERATIONS
    affine: bool = False


@dataclass(frozen=True)
class Solve:
    """`solution = matrix⁻¹ rhs`, dense n × n, LU with partial pivoting.

    A singular matrix gives a solution that is not finite.
    """

    matrix: str
    rhs: str
    solution: str
    n: int


Segment = Straight | Newton | Solve


@dataclass(frozen=True)
class Program:
    """Named inputs and outputs (name, length) and the segments between them, in order of execution."""

    name: str
    inputs: list[tuple[str, int]]
    outputs: list[tuple[str, int]]
    segments: list[Segment]

    @property
    def n_out(self) -> int:
        """Numbers that it gives."""
        return sum(size for _, size in self.outputs)


def vector_sizes(program: Program) -> dict[str, int]:
    """Length of every vector of `program`; refuses unknown names, vectors written twice and lengths that disagree."""
    sizes: dict[str, int] = {}

    def define(name: str, size: int, what: str) -> None:
        if name in sizes:
            raise ModelError(f"{program.name}: {what} writes {name!r}, which already exists; give it another name.")
        sizes[name] = int(size)

    def expect(name: str, size: int, what: str) -> None:
        if name not in sizes:
            known = ", ".join(sizes) or "none"
            raise ModelError(f"{program.name}: {what} reads {name!r}, which nothing has written (known: {known}).")
        if sizes[name] != size:
            raise ModelError(f"{program.name}: {what} expects {size} values in {name!r}, which has {sizes[name]}.")

    for name, size in program.inputs:
        define(name, size, "the input list")
    for segment in program.segments:
        if isinstance(segment, Straight):
            f = segment.function
            what = f"segment {f.name()!r}"
            _check_counts(program, what, f, segment.reads, segment.writes)
            for i, name in enumerate(segment.reads):
                expect(name, f.numel_in(i), what)
            for i, name in enumerate(segment.writes):
                define(name, f.numel_out(i), what)
        elif isinstance(segment, Newton):
            what = f"Newton segment {segment.residual.name()!r}"
            n = segment.residual.numel_out(0)
            _check_counts(program, what, segment.residual, (*segment.reads, segment.unknown), ("r",))
            _check_counts(program, what, segment.jacobian, (*segment.reads, segment.unknown), ("J",))
            if segment.jacobian.numel_out(0) != n * n:
                raise ModelError(
                    f"{program.name}: {what} has {n} equations but a Jacobian of shape {segment.jacobian.size_out(0)}."
                )
            for i, name in enumerate(segment.reads):
                expect(name, segment.residual.numel_in(i), what)
            expect(segment.guess, n, what)
            define(segment.unknown, n, what)
            define(segment.status, 2, what)
        elif isinstance(segment, Solve):
            what = f"Solve segment for {segment.solution!r}"
            expect(segment.matrix, segment.n**2, what)
            expect(segment.rhs, segment.n, what)
            define(segment.solution, segment.n, what)
        else:
            raise ModelError(f"{program.name}: {segment!r} is not a segment (Straight, Newton or Solve).")
    for name, size in program.outputs:
        expect(name, size, "the output list")
    return sizes


def _check_counts(program: Program, what: str, function: casadi.Function, reads: tuple, writes: tuple) -> None:
    if not function.is_a("SXFunction"):
        kind = function.class_name()
        raise ModelError(f"{program.name}: {what} is a {kind}, not an SX function; try function.expand().")
    if function.n_in() != len(reads) or function.n_out() != len(writes):
        raise ModelError(
            f"{program.name}: {what} has {function.n_in()} inputs and {function.n_out()} outputs, "
            f"but {len(reads)} vectors are read and {len(writes)} written."
        )
