"""From a mechanism to its system: which coordinates are states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..equations import hold_comparisons, with_balances
from ..errors import ModelError, unknown_name
from ..mechanism import Mechanism
from .minimal_states import with_choice
from .system import System

FORMULATIONS = (None, "projection", "minimal")


def compile_mechanism(mechanism: Mechanism, tier: str = "auto", fast: bool = False, formulation: str | None = None,
                      tunable: str | Sequence[str] | None = None,
                      initial: Mapping[str, object] | None = None) -> System:
    """The system of a mechanism; code is generated when a question first needs it.

    `tier` is "quick", "optimised" or "auto"; `fast` allows reassociated arithmetic; `tunable` names parameters that
    must be inputs; `initial` gives the values of variables in the initial state, by name; `formulation` is "projection"
    (all coordinates of the tree are states, brought back onto the loops after each step) or "minimal" (only as many as
    there are degrees of freedom; the others follow at every stage); by default coordinates follow in closed form where
    loops have one, and the other loops are closed by projection.
    """
    if formulation not in FORMULATIONS:
        raise ModelError(f"formulation = {formulation!r} does not exist; choose 'projection' or 'minimal'.")
    if tier not in ("auto", "quick", "optimised"):
        raise ModelError(f"tier = {tier!r} does not exist; choose 'auto', 'quick' or 'optimised'.")
    known = [parameter.name for parameter in mechanism.parameters]
    for name in (tunable,) if isinstance(tunable, str) else tunable or ():
        if name not in known:
            raise unknown_name(name, known, f"the list of tunable parameters of {mechanism.name!r}")
    held = with_balances(hold_comparisons(mechanism))
    solved = {name for closure in mechanism.closures for name in closure.constraints}
    if formulation == "minimal" and any(c.mode is None and c.name not in solved for c in mechanism.constraints):
        held = replace(held, closures=())  # as many states as freedoms: all loops by Newton's method
    loops = any(c.mode is None for c in mechanism.constraints)
    if loops and (formulation == "minimal" or formulation is None and mechanism.closures):
        system = System(with_choice(held), tier, fast, dict(initial or {}))
        if formulation or system.code.has_closed_form:
            return system
    return System(held, tier, fast, dict(initial or {}))
