"""What was done to the state at an instant, step by step, so that it can be differentiated afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Struck:
    """An impulse, M Δu + Gᵀ Λ = J, that brings the rows in force to rest.

    `inputs` is the vector of inputs before it, with the modes of the rows in force; `rows` are further ones, by their
    numbers among all rows.  J are the impulses that the rows `back` return (Poisson): a share of theirs in the step
    before.  Rows `thrown` leave with a share of the speed they came with (Newton).  Both map a row to the number of its
    restitution, rows first, then contacts.  The speeds `held` do not change.  Where an action has just `moved` speeds,
    that change counts too: M (Δu + moved) + Gᵀ Λ = J.

    Contacts that `slid` rub along the slip that is left: each is (number of the contact, its normal row, its rows of
    tangents), and with the direction e of that slip the impulses are Λ_t = −μ (Λ_n − J_n) e.
    """

    inputs: np.ndarray
    rows: tuple[int, ...] = ()
    back: dict[int, int] = field(default_factory=dict)
    thrown: dict[int, int] = field(default_factory=dict)
    held: tuple[int, ...] = ()
    slid: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    moved: np.ndarray | None = None


@dataclass(frozen=True)
class Set:
    """Actions, by number, that set their targets, all from the same values; `inputs` is the vector of inputs before."""

    inputs: np.ndarray
    which: tuple[int, ...]


@dataclass(frozen=True)
class NotSmooth:
    """Something that has no derivative, or none that is known here."""

    said: str


Step = Struck | Set | NotSmooth
