"""Algebraic unknowns, sorted into the smallest systems that can be solved one after another."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..mechanism import Mechanism


@dataclass
class Block:
    """Algebraic unknowns solved together: names, symbols y, residual r(y, …), first guess, whether r is affine.

    Where `guess` is given, Newton's method starts from that expression.
    """

    names: list[str]
    y: ca.SX
    residual: ca.SX
    start: np.ndarray
    affine: bool
    guess: ca.SX | None = None


def decompose(mechanism: Mechanism, names: list[str], y: ca.SX, r: ca.SX, start: np.ndarray,
              guesses: list[ca.SX | None]) -> list[Block]:
    """Block triangular order of the unknowns (Dulmage–Mendelsohn), so that small systems are solved one by one.

    `guesses` are expressions for single unknowns; a block has a guess where all of its unknowns do.
    """
    pattern = ca.jacobian_sparsity(r, y)
    if ca.sprank(pattern) < y.numel():
        loose = sorted({names[k] for k in range(y.numel()) if not pattern.get_col().count(k)}) or sorted(set(names))
        laws = laws_reading(mechanism, loose)
        if laws:
            raise ModelError(left_open(laws, loose), *laws)
        if any(_of_a_massless_part(name) for name in loose):
            raise ModelError(not_held(loose), *loose)
        raise ModelError(f"{', '.join(loose)}: the equations do not determine these unknowns; "
                         "check that each has an equation of its own that depends on it.", *loose)
    _, row_order, column_order, row_block, column_block, *_ = pattern.btf()
    blocks = []
    for b in range(len(row_block) - 1):
        rows = row_order[row_block[b] : row_block[b + 1]]
        columns = column_order[column_block[b] : column_block[b + 1]]
        y_b, r_b = y[columns], r[rows]
        affine = not any(ca.which_depends(r_b, y_b, 2, True))
        found = [guesses[c] for c in columns]
        guess = None if any(g is None for g in found) else ca.vertcat(*found)
        blocks.append(Block([names[c] for c in columns], y_b, r_b, start[columns], affine, guess))
    return blocks[::-1] if _needs_later(blocks) else blocks


def _of_a_massless_part(name: str) -> bool:
    """Whether an unknown is the place or the velocity of a part that forces alone hold."""
    return name.rpartition(".")[2] in ("position", "pose", "velocity")


def not_held(names: list[str]) -> str:
    """What is wrong with a part without mass that forces leave free to move."""
    return (f"{', '.join(names)}: forces leave a direction open there. Likely: a part without mass that its force "
            "elements do not hold in every direction, because they act along lines, or damp some directions and leave "
            "others to springs. Give it some mass, or make one element of the series: forces.SpringDamperSeries in "
            "space, a pl.LineForce of your own with a self.state in a plane.")


def _needs_later(blocks: list[Block]) -> bool:
    """Whether some block depends on unknowns of a block after it (the order came out backwards)."""
    return any(ca.depends_on(block.residual, later.y)
               for k, block in enumerate(blocks) for later in blocks[k + 1 :])


def laws_reading(mechanism: Mechanism, names: list[str]) -> list[str]:
    """Components whose loads read accelerations that are unknowns by these names; none where others are unknown too."""
    read = {f"{v.of}.{v.quantity}": v.symbol for v in mechanism.variables if v.quantity in ("udot", "a", "z", "der2")}
    if not read.keys() >= set(names):
        return []
    symbols = ca.veccat(*[read[name] for name in names])
    laws = [(load.name, (load.motor.resultant, load.motor.moment) if hasattr(load, "motor") else (load.value,))
            for load in mechanism.loads]
    return list(dict.fromkeys(name for name, law in laws if ca.depends_on(ca.veccat(*map(ca.SX, law)), symbols)))


def left_open(laws: list[str], names: list[str]) -> str:
    """What is wrong with laws that take part in an acceleration and leave it open."""
    return (f"{', '.join(laws)}: the law leaves the acceleration {', '.join(names)} open. Likely: its force is the "
            "mass times the acceleration it causes (F = m·a), so that every acceleration fulfils it. Take the term "
            "with the acceleration out of the law, or add what determines it.")
