"""From what a user hands to a study to the system it runs on."""

from __future__ import annotations

from ..components import Model
from ..errors import ModelError
from ..mechanism import Mechanism
from ..system import System, compile_mechanism
from .compile import compile_model


def translate(model, **options) -> System:
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
