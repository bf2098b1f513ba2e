"""The layout of the input vector (t | q u z | d p f y) that all programs share: the only place that packs it.

t time; q, u, z the continuous state x; d discrete variables; p parameters; f forces on the mobilities (zero in a run);
y guesses of the algebraic unknowns.  Parts may be empty; they keep their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from ..building import cached_property
from ..equations import Block, Equations
from .state import State

#: the parts of the input vector, in order; y is divided into the blocks of unknowns
INPUTS = ("t", "q", "u", "z", "d", "p", "f", "y")


class Layout:
    """Names, sizes, places and symbols of the input vectors of one mechanism's programs."""

    def __init__(self, equations: Equations):
        self.equations = equations
        self.symbols: dict[str, ca.SX] = {name: equations.symbols[name] for name in (*INPUTS[:-1], "udot")}
        self._divide(equations.blocks)

    def _divide(self, blocks: list[Block]) -> None:
        """Divide y into blocks of unknowns."""
        self.blocks = blocks
        self.guesses = [f"guess{k}" for k in range(len(blocks))]
        self.unknowns = [f"y{k}" for k in range(len(blocks))]
        self.start_y = np.concatenate([np.zeros(0), *[np.asarray(block.start, float) for block in blocks]])

    def size(self, name: str) -> int:
        return len(self.start_y) if name == "y" else self.symbols[name].numel()

    def vectors(self, inputs: Sequence[str]) -> list[tuple[str, int]]:
        """The program inputs for the named parts, in order; parts without entries are left out."""
        out: list[tuple[str, int]] = []
        for name in inputs:
            if name == "y":
                out += [(g, len(block.start)) for g, block in zip(self.guesses, self.blocks, strict=True)]
            elif self.size(name):
                out.append((name, self.size(name)))
        return out

    # --- numbers ---

    @cached_property
    def places(self) -> Mapping[str, slice]:
        """Where every part lies in the input vector; also x = (q u z)."""
        ends = np.cumsum([self.size(name) for name in INPUTS]).tolist()
        places = {name: slice(start, end) for name, start, end in zip(INPUTS, [0, *ends], ends, strict=False)}
        return places | {"x": slice(places["q"].start, places["z"].stop)}

    @property
    def n_in(self) -> int:
        """Length of the input vector."""
        return self.places["y"].stop

    def pack(self, state: State, parts: Sequence[str] = INPUTS) -> np.ndarray:
        """The input vector of a state, without forces on the mobilities; or some of its parts, in their order."""
        values = {"t": [state.t], "f": np.zeros(self.size("f"))}
        return np.concatenate([values[part] if part in values else getattr(state, part) for part in parts])

    def unpack(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Views into an input vector, by part; writing to them writes to it."""
        return {name: inputs[place] for name, place in self.places.items()}

    def put(self, inputs: np.ndarray, state: State) -> State:
        """Set a state to what an input vector says, wherever that comes from; gives the state back."""
        parts = self.unpack(inputs)
        state.forget_start()
        state.t = float(inputs[0])
        for name in ("q", "u", "z", "d", "p", "y"):
            setattr(state, name, parts[name])
        return state

    def split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, u, z) of continuous states x, along the last axis."""
        nq, nu = self.size("q"), self.size("u")
        return x[..., :nq], x[..., nq : nq + nu], x[..., nq + nu :]
