"""Which method a stepper uses: at the start, and after the motion has become stiff or is no longer so."""

from __future__ import annotations

from ..errors import ModelError
from .compiled_model import Model
from .methods import FOR_STIFF, METHODS, Method, Own, memory_of
from .record import View
from .stiffness import begin_again
from .tableaux import gaps
from .tolerances import MOST_PATIENCE, PATIENCE


class MethodInUse:
    """The methods of one stepper: the one it began with, and another where that is stiff (`stiffness` tells)."""

    def __init__(self, model: Model, method: Method, automatic: bool, strained: bool, record: View, t: float):
        self.model, self.first, self.strained, self.record = model, method, strained, record
        self._owns: dict[str, Own] = {}
        self.history: list[tuple[float, str]] = []  # (from when on, name)
        watched = automatic and method.boundary > 0 and model.linearised is not None
        record.stiffness.put(watched=watched, boundary=method.boundary, patience=PATIENCE)
        self.use(method, t)

    def own(self, method: Method) -> Own:
        """The memory of a method, made when first needed."""
        if method.name not in self._owns:
            if method.implicit and self.model.linearised is None:
                raise ModelError(f"{method.name} needs the linearised equations; give the model `linearised`.")
            self._owns[method.name] = method.load()[1](self.model)
        return self._owns[method.name]

    def use(self, method: Method, t: float) -> None:
        """Take this method from here on."""
        own, r = self.own(method), self.record
        own.begin()
        install(r, method, own)
        begin_again(r)
        # implicit steps are taken on all coordinates, whichever are states
        r.watch_strain = self.strained and not method.implicit
        r.stiffness.prepared = r.stiffness.prepared or method.implicit
        self.method = method
        self.history.append((t, method.name))

    def change(self, t: float) -> None:
        """From the first method to the one for stiff motions or back."""
        stiffness = self.record.stiffness
        if self.method is self.first:
            self.use(METHODS[FOR_STIFF], t)
        else:
            stiffness.patience = min(2 * stiffness.patience, MOST_PATIENCE)
            self.use(self.first, t)


def install(r: View, method: Method, own: Own) -> None:
    """Let a record step by a method."""
    from .jit import load

    facts = own.facts
    r.put(explicit=not method.implicit, stages=facts.stages, n_dense=facts.n_dense, error_order=facts.error_order,
          keeps=facts.keeps)
    r.holds.put(followed=facts.follows_holds, **gaps(facts.times))
    r.pieces.put(method=load(method.load()[0]).address, **{memory_of(method): own.address})
