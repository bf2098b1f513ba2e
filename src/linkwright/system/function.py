"""Compiled callables over parts of the state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from ..building import cached_property
from ..codegen import CompiledProgram, Newton, Program, compile_program, native_lanes
from ..errors import LinkwrightError, ModelError
from .tolerances import LANES_AFTER


def written_as(name: str) -> str:
    """The name of the vector that holds an output; an input of the same name (a state z, say) is another vector."""
    return f"output {name}"


class CompiledFunction:
    """Machine code for chosen outputs of a system, called with one array per input, in their order.

    One output comes back as it is, several as a tuple; scalars are floats, vectors (n,), matrices (rows, columns).

    >>> f = system.function(["q", "u"], ["udot"])
    >>> f(q, u)                       # (nu,)
    >>> f.batch(Q, U)                 # one instance per row: (n, nu)
    >>> f.time(q, u)                  # seconds per call inside a compiled loop
    """

    def __init__(self, program: Program, inputs: Sequence[tuple[str, int]],
                 outputs: Sequence[tuple[str, tuple[int, ...]]], tier: str = "auto", fast: bool = False,
                 counter: Callable[[str], None] | None = None,
                 patterns: Mapping[str, ca.Sparsity] | None = None) -> None:
        self.program, self.inputs, self.outputs = program, tuple(inputs), tuple(outputs)
        self.patterns = dict(patterns or {})  # of matrices whose zeros are left out of the code
        self.tier, self.fast = tier, fast
        self._counter = counter
        self._rows = 0  # evaluated so far by `batch`

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}[{size}]" for name, size in self.inputs)
        return f"CompiledFunction({arguments}) → {', '.join(name for name, _ in self.outputs)}"

    @cached_property
    def scalar(self) -> CompiledProgram:
        """The code for one instance."""
        return self._compile(1)

    @cached_property
    def wide(self) -> CompiledProgram:
        """The code for as many instances at once as the processor has lanes."""
        return self._compile(native_lanes())

    def _compile(self, lanes: int) -> CompiledProgram:
        compiled = compile_program(self.program, tier=self.tier, lanes=lanes, fast=self.fast)
        if self._counter is not None:
            self._counter(compiled)
        return compiled

    @property
    def iterates(self) -> bool:
        """Whether algebraic unknowns are solved on the way."""
        return any(isinstance(segment, Newton) for segment in self.program.segments)

    @property
    def casadi(self) -> ca.Function:
        """The symbolic function, inputs and outputs as here; only where no unknowns are solved iteratively."""
        if self.iterates:
            raise LinkwrightError(f"{self!r} solves algebraic unknowns by iteration and is no single CasADi function; "
                                  "choose outputs that do not depend on them.")
        (segment,) = self.program.segments
        symbols = {name: ca.SX.sym(name, size) for name, size in self.inputs}
        results = dict(zip(segment.writes, segment.function.call([symbols[n] for n in segment.reads]), strict=True))
        shaped = [ca.SX(self.patterns[name], results[written_as(name)]) if name in self.patterns
                  else results.get(written_as(name), ca.SX(0, 1)) for name, _ in self.outputs]
        names = [_identifier(name) for name, _ in self.outputs]
        return ca.Function("f", list(symbols.values()), shaped, list(symbols), names)

    @property
    def instructions(self) -> int:
        """Arithmetic operations of the code."""
        return self.scalar.instructions

    def __call__(self, *arrays: object) -> Any:
        return self._split(self.scalar(self._finite(self._joined(arrays))), ())

    def joined(self, numbers: np.ndarray) -> Any:
        """The function of all its arrays, one after the other in one."""
        return self._split(self.scalar(self._finite(numbers)), ())

    def unchecked(self, *arrays: object) -> Any:
        """The function of any numbers, finite or not."""
        return self._split(self.scalar(self._joined(arrays)), ())

    def time(self, *arrays: object, n: int = 1000) -> float:
        """Seconds per call inside a compiled loop, the best of several runs of `n` calls."""
        return self.scalar.time(self._joined(arrays), n=n)

    def batch(self, *arrays: object) -> Any:
        """The function of every row of the arrays; rows are instances.

        Code over all lanes of the processor takes longer to compile and gives the same bits: it is used once there are
        many rows.
        """
        if len(arrays) != len(self.inputs):
            raise self._wrong_count(arrays)
        parts = []
        for (name, size), array in zip(self.inputs, arrays, strict=True):
            rows = _numbers(name, array)
            rows = rows.reshape(-1, 1) if rows.ndim == 1 and size == 1 else rows
            if rows.ndim != 2 or rows.shape[1] != size or len(rows) != len(np.atleast_1d(arrays[0])):
                raise ModelError(f"{name}: rows of {size} numbers are needed, one row per instance, "
                                 f"got an array of shape {np.shape(array)}.", name)
            parts.append(rows)
        rows = np.concatenate(parts, axis=1) if parts else np.zeros((0, 0))
        rows = self._finite(rows)
        self._rows += len(rows)
        code = self.wide if self._rows > LANES_AFTER or "wide" in self.__dict__ else self.scalar
        return self._split(code.batch(np.ascontiguousarray(rows)), (len(rows),))

    def _joined(self, arrays: Sequence) -> np.ndarray:
        if len(arrays) != len(self.inputs):
            raise self._wrong_count(arrays)
        parts = []
        for (name, size), array in zip(self.inputs, arrays, strict=True):
            part = _numbers(name, array).reshape(-1)
            if len(part) != size:
                raise ModelError(f"{name}: {size} numbers are needed, got {len(part)}.", name)
            parts.append(part)
        return np.concatenate([np.zeros(0), *parts])

    def _finite(self, numbers: np.ndarray) -> np.ndarray:
        """The arguments, refused where they are no finite numbers; guesses of unknowns (y) may be anything."""
        if np.isfinite(numbers).all():
            return numbers
        owners = [name for name, size in self.inputs for _ in range(size)]
        for *row, column in np.argwhere(~np.isfinite(numbers)):
            if (name := owners[column]) != "y":
                where = f" in row {row[0]}" if row else ""
                raise ModelError(f"{name}: finite numbers are needed, got {numbers[(*row, column)]}{where}.", name)
        return numbers

    def _wrong_count(self, arrays: Sequence) -> ModelError:
        return ModelError(f"the function takes {len(self.inputs)} arrays ({', '.join(n for n, _ in self.inputs)}), "
                          f"got {len(arrays)}.")

    def _split(self, values: np.ndarray, leading: tuple[int, ...]) -> Any:
        out, start = [], 0
        for name, shape in self.outputs:
            pattern = self.patterns.get(name)
            size = math.prod(shape) if pattern is None else pattern.nnz()
            part = values[..., start : (start := start + size)]
            if pattern is not None:
                whole = np.zeros((*leading, *shape))
                whole[..., pattern.row(), pattern.get_col()] = part
                part = whole
            elif len(shape) == 2:
                # matrices are stored column by column
                part = np.swapaxes(part.reshape(*leading, *shape[::-1]), -1, -2)
            elif not shape:
                part = part[..., 0] if leading else float(part[0])
            out.append(part)
        return out[0] if len(out) == 1 else tuple(out)


def _numbers(name: str, array: object) -> np.ndarray:
    try:
        return np.asarray(array, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{name}: numbers are needed, got {array!r}.", name) from None


def _identifier(name: str) -> str:
    """A name CasADi accepts."""
    cleaned = "".join(c if c.isalnum() else "_" for c in name).strip("_")
    while "__" in cleaned:
        cleaned = cleaned.replace("__", "_")
    return cleaned if cleaned[:1].isalpha() else f"v_{cleaned}"
