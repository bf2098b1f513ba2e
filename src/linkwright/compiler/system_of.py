"""From what a user hands to a study to the system it runs on."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from ..language import Model
from ..mechanism import Mechanism
from ..system import State, System, compile_mechanism, transferred
from .arguments import refuse_keywords
from .compiled import compile_model
from .model_numbers import check_tuned

#: what `compile` takes, and what studies ask of it beside
OPTIONS = ("tunable", "formulation", "tier", "fast", "initial", "signals", "kept")


def _shown(model: object, tunable: object = None, formulation: object = None, tier: object = None,
           fast: object = None) -> None:
    """The options of `compile` that users know."""


def system_of(model: object, **options: Any) -> System:
    """Translate a model and compile it: returns its System, which all studies accept in place of the model.

        system = lw.compile(m, tunable=["body.m"])
        print(system)                                    # the translation report
        state = system.state().set("body.m", 2.0)
        r = lw.simulate(system, 10.0, state=state)

    `tunable` names parameters that stay adjustable without compiling again.  `formulation` decides about loops:
    "projection" (all coordinates are states) or "minimal" (as many as there are degrees of freedom); by default
    closed forms are used where they exist.  `tier` is "quick", "optimised" or "auto", `fast=True` permits reassociated
    arithmetic, which rounds differently.
    """
    refuse_keywords("compile", {name: None for name in options if name not in OPTIONS}, _shown)
    if isinstance(model, System):
        if options:
            raise ModelError(f"{', '.join(options)}: a compiled system takes no further options; give them to compile.")
        return model
    if isinstance(model, Mechanism):
        return compile_mechanism(model, **options)
    if isinstance(model, Model):
        return compile_model(model, **options)
    raise ModelError(f"a model, mechanism or system is needed, got {type(model).__name__}.", model)


def beginning(system: System, state: State | None) -> State:
    """A copy of the state a study begins with: its own, or the one given, which may be of another system of the model.

    So what one study returns another accepts: `simulate(m, 1.0, state=equilibrium(m))`.  A start in which parameters or
    inputs were set is searched for again with these.
    """
    if state is None:
        return system.state().copy()
    if not isinstance(state, State):
        raise ModelError(f"{state!r} is not a state; take one from system.state().")
    found = state.copy() if state.system is system else _taken_over(system, state)
    check_tuned(system, found)
    return system.restarted(found) if found.begins else found


def _taken_over(system: System, state: State) -> State:
    """The same positions, speeds and values in a state of another system of the same model.

    Parameters and inputs that nobody set in the state are as this system has them.
    """
    other = state.system
    same = all(other.part_names(part) == system.part_names(part) for part in "quz")
    if not same and not (other.model is not None and other.model is system.model
                         and other.mechanism.depth.keys() == system.mechanism.depth.keys()):
        raise ModelError("the state belongs to another system, with other coordinates or another formulation; take it "
                         "from system.state() of the one that is studied.")
    out = system.state_from_defaults() if same else transferred(state, system)
    out.t = state.t
    for part in "quzy" if same else "":
        if len(getattr(out, part)) == len(getattr(state, part)):
            setattr(out, part, getattr(state, part))
    untouched, own = other.state_from_defaults(), system.state_from_defaults()
    for part in "pd":
        given = {name: value for name, value, default in zip(
            other.part_names(part), getattr(state, part), getattr(untouched, part), strict=True) if value != default}
        known = system.part_names(part)
        for name in given if part == "p" else ():
            if name not in known:
                raise ModelError(f"{name}: it was set in the state, and the system that is studied does not have it as "
                                 "an input; hand over the system that the state was taken from.", name)
        setattr(out, part, [given.get(name, value) for name, value in zip(known, getattr(own, part), strict=True)])
    return out.as_start() if same and state.begins else out
