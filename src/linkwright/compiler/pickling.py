"""Systems as bytes: the model goes, and is compiled again where it arrives."""

from __future__ import annotations

import copyreg

from ..errors import ModelError
from ..language import packed, unpacked
from ..system import System
from .compiled import compile_model


def _reduced(system: System) -> tuple:
    if system.origin is None:
        raise ModelError("a system of a mechanism that was described directly cannot be pickled; pickle what it is "
                         "made from.")
    origin = system.origin
    return _compiled_again, (packed((origin.model, origin.tunable, dict(origin.signals), origin.kept,
                                     dict(origin.options))),)


def _compiled_again(data: tuple) -> System:
    model, tunable, signals, kept, options = unpacked(data)
    return compile_model(model, tunable, signals, kept, **options)


copyreg.pickle(System, _reduced)
