"""From what a user hands to a study to the system it runs on."""

from __future__ import annotations

from ..errors import ModelError
from ..language import Model
from ..mechanism import Mechanism
from ..system import State, System, compile_mechanism
from .compiled import compile_model


def system_of(model, **options) -> System:
    """The System of a System, a Mechanism or a Model; `options` are those of `compile_mechanism`."""
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
    """A copy of the state a study begins with: the one given, which must have this system's coordinates, or its own."""
    if state is None:
        return system.state().copy()
    if not isinstance(state, State):
        raise ModelError(f"{state!r} is not a state; take one from system.state().")
    if state.system is not system and any(state.system.part_names(part) != system.part_names(part) for part in "quzdp"):
        raise ModelError("the state belongs to another system, with other coordinates or another formulation; take it "
                         "from system.state() of the one that is studied.")
    return state.copy()
