"""The loop of one kind of run as machine code of its own: the same functions, with the same bits, up to twice as fast.

The loop and its pieces travel with the package, compiled once for every model: sizes, choices and the tableau are
numbers in memory, and pieces call each other by address (`ready`).  Compiled anew for a record of which these are
known, loops over stages and over few states are written out, coefficients of zero and what a run does not have are
left out, and a step is one function.  The
record and its arrays are the same and lie where they were, and so does the code of the model, called by its address:
a run may go on with either code after any step, and code made for one model serves all that have its sizes.

Compiling takes some tenths of a second.  So runs begin with what travels with the package, and go on with code of
their own once runs of their kind have taken about as long as that; much sooner where the cache has it already.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..codegen.dialect import Layout, Machine, approximate_power
from .loop import advance
from .manifold import manifold
from .methods import METHODS, Method, memory_of
from .record import MAX_STAGES, PIECE, STEP, View
from .root_finding import locate
from .short_features import features
from .tolerances import COMPILED_AFTER, FETCHED_AFTER, KINDS_KEPT

#: numbers of the record that never change while a method is in use
SIZES = ("n", "nq", "nu", "nz", "n_events", "n_bases", "n_far", "n_laws", "n_law_bases", "has_health", "max_norm",
         "identity_qdot", "bare", "fixed", "shows", "begins", "explicit", "stages", "n_dense", "keeps", "error_order")
LENGTHS = ("n_in", "n_out", "n_quaternions", "vector_width", "slope_width", "witness_width", "law_width",
           "n_carried", "n_carry", "n_changing", "rolling")
ARRAYS = ("inp", "out", "vectors", "slopes", "dense", "witnesses", "laws")
#: that record, in annotations of what is compiled for it
Ordinary = View


def go_on(r: Ordinary) -> int:  # type: ignore[valid-type]
    """The loop over a record of which most is known."""
    return advance(r, 0)  # type: ignore[arg-type]


class Kind:
    """Runs whose records have the same known numbers: how long they have taken, and their code once it is made."""

    def __init__(self, method: Method, known: tuple[int, ...]):
        self.method, self.known = method, known
        self.code: Callable[[int, int], int] | None = None
        self._seconds, self._looked, self._lock = 0.0, False, threading.Lock()

    def note(self, seconds: float) -> None:
        """So long a run of this kind has taken; code is made where that becomes worth its time."""
        if self.code is not None:
            return
        self._seconds += seconds
        if self._seconds >= COMPILED_AFTER:
            self.make()
        elif self._seconds >= FETCHED_AFTER and not self._looked:
            self._looked = True
            if Machine.is_kept(go_on, constants=self._constants, unroll=MAX_STAGES, packed=True):
                self.make()

    def make(self) -> None:
        """Compile the code of this kind."""
        with self._lock:
            if self.code is None:
                self._machine = Machine(go_on, constants=self._constants, unroll=MAX_STAGES, packed=True)
                self.code = PIECE(self._machine.address)

    @property
    def _constants(self) -> dict[str, Layout]:
        return {"Ordinary": known_layout(self.method, dict(zip((*SIZES, *LENGTHS, *ARRAYS), self.known, strict=True)))}


def kind_of(r: View, method: Method, last: int) -> Kind | None:
    """The kind of a run, by its record, and where the last array lies that follows it.

    None for implicit methods, whose own memory is not the same for all models of a size.
    """
    if method.implicit:
        return None
    here = ctypes.addressof(r)
    places = ((at - here) // 8 if here < at <= last else 0 for at in (getattr(r.at, name) for name in ARRAYS))
    return _kind(method.name, (*(getattr(r, name) for name in SIZES), *(getattr(r.at, name) for name in LENGTHS),
                               *places))


@lru_cache(maxsize=KINDS_KEPT)
def _kind(method: str, known: tuple[int, ...]) -> Kind:
    return Kind(METHODS[method], known)


def known_layout(method: Method, numbers: dict[str, int]) -> Layout:
    """The stepper's record, in the place of its numbers, pieces and tableau what is known of them."""
    piece, own_of = method.load()
    own: Any = own_of(None)  # type: ignore[arg-type]
    pieces = {"manifold": manifold, "method": piece, "locate": locate, "features": features,
              "power": approximate_power}
    fields = []
    for field in STEP.layout.fields:
        if field.layout is not None and field.name == "pieces":
            memory = _with(own.fields.layout, own.known)
            field = field._replace(layout=_with(field.layout, pieces, memory, memory_of(method)))
        elif field.layout is not None:
            field = field._replace(layout=_with(field.layout, numbers if field.name == "at" else {}, slot=field.slot))
        elif field.name in numbers:
            field = field._replace(known=numbers[field.name])
        fields.append(field)
    return STEP.layout._replace(fields=tuple(fields))


def _with(layout: Layout, known: dict[str, Any], own: Layout | None = None, name: str = "own",
          slot: int = 0) -> Layout:
    """A layout with what is known put in, all else where it was; the record `own` of this `name` lies elsewhere.

    Arrays lie at known places after the stepper's record, which begins `slot` places before this one.
    """
    fields = []
    for field in layout.fields:
        if own is not None and field.name == name:
            field = field._replace(kind="", layout=own, elsewhere=True)
        elif field.name in ARRAYS:
            if known.get(field.name):
                field = field._replace(kind="real", shape=(0,), slot=known[field.name] - slot, alias=True)
        else:
            field = field._replace(known=known.get(field.name))
        fields.append(field)
    return layout._replace(fields=tuple(fields))
