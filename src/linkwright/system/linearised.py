"""The program of the linearised equations, for implicit steppers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import casadi as ca
import numpy as np

from ..codegen import CompiledProgram
from ..equations import Equations, Pencil, linearise
from .layout import Layout
from .programs import build_program


class Pattern(NamedTuple):
    """Where the entries of a sparse matrix lie, in the order in which they are computed."""

    rows: np.ndarray
    columns: np.ndarray


class LinearisedCode(NamedTuple):
    """Code for the entries of P and then of Q in P δẋ = Q (δx, δw), and their places (see equations.linearised)."""

    program: CompiledProgram
    P: Pattern
    Q: Pattern


def pencil_of(e: Equations) -> Pencil:
    """P and Q as expressions, at the accelerations and multipliers that solve the equations."""
    return linearise(e)


def linearised_code(pencil: Pencil, layout: Layout, compiled: Callable) -> LinearisedCode:
    """The entries of both matrices as two vectors, and the patterns; `compiled` makes code of what makes a program."""
    program = build_program("linearised", layout, {"P": pencil.P.nz[:], "Q": pencil.Q.nz[:]})
    return LinearisedCode(compiled(lambda _: program), _pattern(pencil.P), _pattern(pencil.Q))


def _pattern(matrix: ca.SX) -> Pattern:
    return Pattern(*[np.array(indices, dtype=np.int64) for indices in matrix.sparsity().get_triplet()])
