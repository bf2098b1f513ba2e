"""Events of a mechanism: modes that are held during a step, resets, rows that hold one way.

Everything here is an expression in the same symbols as the laws; modes and other discrete variables are symbols among
the mechanism's `discretes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..building import cached_property
from .contacts import Contact, Encounter
from .memory import Clock
from .rows import Ball, Row

LONGEST, CUT = 60, "…"  # characters of a name made from a formula, and what stands for the rest


@dataclass(frozen=True, eq=False)
class Relation:
    """A comparison, sign or floor in a law, held during a step as the discrete `symbol`.

    | kind | value of the symbol |
    |---|---|
    | "lt", "le" | 1 where `witness` < 0 (≤ 0), else 0 |
    | "sign" | sign of `witness` |
    | "floor" | largest integer ≤ `witness` |

    With `affine` = (a, b), witness = a t + b with a and b constant between events: the instant is known beforehand.
    """

    name: str
    kind: str
    symbol: ca.SX
    witness: ca.SX
    affine: tuple[ca.SX, ca.SX] | None = None


@dataclass(frozen=True, eq=False)
class When:
    """At the instant `condition` becomes true, variables take new values; with a `message` the run ends there.

    `targets` are scalar expressions of coordinates, speeds, states or discrete variables, `names` what users call them.
    A condition that is a single
    comparison is watched by `witness` < 0 ("lt") or ≤ 0 ("le"); any other is a logical expression of relations.
    With a `clock` it acts at the instants of that, when all else has been decided there, and is no event.
    """

    name: str
    condition: ca.SX
    targets: tuple[ca.SX, ...] = ()
    values: tuple[ca.SX, ...] = ()
    message: str | None = None
    witness: ca.SX | None = None
    kind: str = "lt"
    names: tuple[str, ...] = ()
    clock: Clock | None = None


@dataclass(frozen=True, eq=False)
class Update:
    """A discrete variable `symbol` that takes the value of an expression whenever a step is completed."""

    symbol: ca.SX
    value: ca.SX


@dataclass(frozen=True, eq=False)
class Events:
    """All of them, for one mechanism."""

    relations: tuple[Relation, ...] = ()
    whens: tuple[When, ...] = ()
    rows: tuple[Row, ...] = ()  # those that slide first, then those that open, then those with a condition
    updates: tuple[Update, ...] = ()
    contacts: tuple[Contact, ...] = ()
    encounters: tuple[Encounter, ...] = ()  # pairs of shapes under a rigid law
    pressed: tuple[str, ...] = ()  # names of the pairs with a compliant law
    balls: tuple[Ball, ...] = ()  # dry friction along several speeds at once
    remembered: tuple[ca.SX, ...] = ()  # signals whose jumps count, though no law may read them: they come back later

    @cached_property
    def bounded(self) -> tuple[Row, ...]:
        """The rows whose force has an end: what forces decide."""
        return tuple(row for row in self.rows if not row.conditional)

    @cached_property
    def conditional(self) -> tuple[Row, ...]:
        """The rows that hold while a condition is true, whatever force that takes."""
        return tuple(row for row in self.rows if row.conditional)

    @property
    def only_stepped(self) -> list[str]:
        """Pairs whose contacts can only be stepped, because no rows were made for them."""
        return [meet.pair for meet in self.encounters if not meet.contacts]

    @property
    def stepped(self) -> bool:
        """Whether there are such pairs."""
        return bool(self.only_stepped)

    @property
    def holds(self) -> bool:
        """Whether there is anything that holds one way, up to a limit, or while a condition is true."""
        return bool(self.rows or self.contacts or self.balls)

    @property
    def opens(self) -> bool:
        """Whether anything has a gap, so that there may be impacts."""
        return bool(self.contacts) or any(row.opens for row in self.rows)

    @property
    def leans(self) -> dict[str, list[tuple[str, ca.SX]]]:
        """By the name of a row that presses: the names of those along which its force rubs, and how much."""
        return {c.normal: c.leans() for c in self.contacts}

    @property
    def anchors(self) -> list[ca.SX]:
        """Where the points of contact that stick are held."""
        return [c.anchor for c in self.contacts if c.anchor is not None]

    @property
    def said(self) -> list[str]:
        """What users call all of them."""
        return [*(r.name for r in self.relations), *(w.name for w in self.whens), *(row.name for row in self.rows),
                *(ball.name for ball in self.balls), *(c.pair for c in self.contacts), *self.only_stepped]

    def __bool__(self) -> bool:
        """Whether there are events that have to be located."""
        return bool(self.relations or self.whens) or self.holds


def sentence(condition: ca.SX) -> str:
    """A condition as people write it, shortened: "rev.phi > 1 and time < 3"."""
    text = _words(condition)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + CUT


def _words(e: ca.SX) -> str:
    op = e.op() if not e.is_symbolic() and not e.is_constant() else None
    if op in (ca.OP_LT, ca.OP_LE):
        a, b = e.dep(0), e.dep(1)
        mark = ("<", ">") if op == ca.OP_LT else ("≤", "≥")
        return f"{b} {mark[1]} {a}" if a.is_constant() else f"{a} {mark[0]} {b}"
    if op in (ca.OP_AND, ca.OP_OR):
        return f"{_words(e.dep(0))} {'and' if op == ca.OP_AND else 'or'} {_words(e.dep(1))}"
    if op == ca.OP_NOT:
        return f"not {_words(e.dep(0))}"
    return str(e)
