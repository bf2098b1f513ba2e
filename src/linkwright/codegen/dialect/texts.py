"""LLVM's text of a function and all that it calls, for whoever makes machine code of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..tolerances import WRITTEN_OUT, WRITTEN_OUT_GPU
from ..written import Written
from .entries import entry
from .module import Module


def text_of(f: Any, lanes: int = 1, shared: Sequence[str] = (), constants: Mapping[str, Any] | None = None,
            unroll: int = WRITTEN_OUT, attributes: str = "", commented: bool = False) -> str:
    """The text for one run, or for W lanes, with an entry of the function's name (see `entries`).

    `constants` are put in by their names: sizes, tableaux, functions of the model.  `shared` names the arrays and
    records that are the same for all lanes.
    """
    module = Module(lanes, constants, unroll, False, attributes, commented)
    entry(module, f, shared)
    return module.text()


def written_of(functions: Sequence[Any], lanes: int, constants: Mapping[str, Any], unroll: int,
               prefix: str = "", together: int = 1, stride: int = 1) -> Written:
    """Entries for one run or W lanes, to be linked with the programs of a model that they call by name.

    Numbers of a single run may lie a `stride` apart, between those of others.

    What they call has names that begin with the `prefix`, of which there may be several in one program.  Loops of
    independent rounds that are not written out ask for so many numbers `together`.
    """
    module = Module(lanes, constants, unroll, prefix=prefix, together=together, stride=stride)
    for f in functions:
        entry(module, f)
    return module.written()


def named(f: Any, name: str, constants: Mapping[str, Any], unroll: int = 0) -> tuple[str, ...]:
    """One function for one run under a name of its own, with what it calls; and the declarations of both."""
    module = Module(1, constants, unroll, prefix=f"{name}.")
    entry(module, f, (), name)
    written = module.written()
    return written.text, *sorted(written.declarations)


def kernel_text(f: Any, shared: Sequence[str] = (), constants: Mapping[str, Any] | None = None,
                unroll: int = WRITTEN_OUT_GPU) -> str:
    """The text for threads of a GPU: a kernel, one run a thread."""
    module = Module(1, constants, unroll, True, "alwaysinline")
    entry(module, f, shared)
    return module.text()
