"""Laws that may have short features: programs that let a stepper see what lies between the stages of a step.

Only laws of sharp functions are taken (exp, tanh, quotients by what moves, steep powers, tables): all others vary with
the motion that the error control follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..codegen import Enclosure, Program, Straight, enclose, short_features
from ..equations import Equations, law_expressions
from .layout import Layout
from .programs import build_program


@dataclass(frozen=True)
class SharpLaws:
    """Loads and rates of states with sharp functions in them, and their bounds."""

    laws: ca.SX
    enclosure: Enclosure

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of laws, bases, arguments and their units."""
        return self.laws.numel(), self.enclosure.bases.numel(), self.enclosure.arguments.numel()


def sought_places(e: Equations) -> ca.SX:
    """Unknowns that are found anew at every pose: where an outline touches, the normal of an ellipsoid.

    They move as the pose does; bounds that let them move by themselves would leave room for anything anywhere, down to
    roots of rounding.  So what reads them is sampled, not bounded.
    """
    return ca.veccat(ca.SX(0, 1), *[unknown.symbol for unknown in e.mechanism.unknowns if unknown.guess is not None])


def sharp_laws(e: Equations) -> SharpLaws | None:
    """The laws of a mechanism that may have short features; None where there are none."""
    still, places = ca.vertcat(e.symbols["d"], e.symbols["p"]), sought_places(e)
    entries = [law[k] for law in (*law_expressions(e.mechanism), *[s.derivative for s in e.mechanism.states])
               for k in range(law.numel()) if not ca.depends_on(law[k], places)]
    sharp = [law for law, (_, is_sharp) in zip(entries, short_features(entries, still), strict=True) if is_sharp]
    return SharpLaws(ca.vertcat(*sharp), enclose(sharp, still)) if sharp else None


def laws_program(layout: Layout, found: SharpLaws) -> Program:
    """The laws, their bases, the arguments of their sharp functions and the units of these."""
    laws, bases, arguments = layout.equations.finish(found.laws, found.enclosure.bases, found.enclosure.arguments)
    return build_program("laws", layout, {"laws": laws, "bases": bases, "arguments": arguments})


def bounds_program(name: str, enclosure: Enclosure) -> Program:
    """(least, greatest) values of the bases → bounds of all expressions, below, then above."""
    n, f = enclosure.bases.numel(), enclosure.bounds
    return Program(name, [("least", n), ("greatest", n)], [("low", f.numel_out(0)), ("high", f.numel_out(1))],
                   [Straight(f, ("least", "greatest"), ("low", "high"))])
