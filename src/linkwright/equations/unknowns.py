"""Algebraic unknowns, sorted into the smallest systems that can be solved one after another."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..errors import ModelError


@dataclass
class Block:
    """Algebraic unknowns solved together: names, symbols y, residual r(y, …), first guess, whether r is affine."""

    names: list[str]
    y: ca.SX
    residual: ca.SX
    start: np.ndarray
    affine: bool


def decompose(names: list[str], y: ca.SX, r: ca.SX, start: np.ndarray) -> list[Block]:
    """Block triangular order of the unknowns (Dulmage–Mendelsohn), so that small systems are solved one by one."""
    pattern = ca.jacobian_sparsity(r, y)
    if ca.sprank(pattern) < y.numel():
        loose = sorted({names[k] for k in range(y.numel()) if not pattern.get_col().count(k)}) or sorted(set(names))
        raise ModelError(f"{', '.join(loose)}: the equations do not determine these unknowns; "
                         "check that each has an equation of its own that depends on it.", *loose)
    _, row_order, column_order, row_block, column_block, *_ = pattern.btf()
    blocks = []
    for b in range(len(row_block) - 1):
        rows = row_order[row_block[b] : row_block[b + 1]]
        columns = column_order[column_block[b] : column_block[b + 1]]
        y_b, r_b = y[columns], r[rows]
        affine = not any(ca.which_depends(r_b, y_b, 2, True))
        blocks.append(Block([names[c] for c in columns], y_b, r_b, start[columns], affine))
    return blocks[::-1] if _needs_later(blocks) else blocks


def _needs_later(blocks: list[Block]) -> bool:
    """Whether some block depends on unknowns of a block after it (the order came out backwards)."""
    return any(ca.depends_on(block.residual, later.y)
               for k, block in enumerate(blocks) for later in blocks[k + 1 :])
