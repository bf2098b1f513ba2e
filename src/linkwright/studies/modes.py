"""Vibration modes: eigenvalues of the linear model about an equilibrium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..compiler import system_of
from ..errors import unknown_name
from ..result import Table
from ..system import State
from .equilibrium import equilibrium
from .equilibrium_derivatives import eigenvalue_changes
from .freedoms import Tangent
from .linearize import linearize
from .sensitivities import tunable
from .tolerances import NO_FREQUENCY


@dataclass(frozen=True, repr=False)
class Modes(Table):
    """Modes by rising frequency: `frequency` (Hz, undamped), `damping` (share of critical), `eigenvalue`, `shape`.

    Column k of `shape` holds the amplitudes of all mobilities (named by `names`) in mode k, the largest being 1.
    """

    frequency: np.ndarray
    damping: np.ndarray
    eigenvalue: np.ndarray
    shape: np.ndarray
    names: list[str]
    state: State
    changes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def sensitivity(self, quantity: str, parameter: str) -> np.ndarray:
        """∂ "eigenvalue", "frequency" or "damping" of every mode / ∂ parameter, where `sensitivities` named it.

        NaN for modes whose eigenvalue is shared by others: which is which a change decides.
        """
        if parameter not in self.changes:
            raise unknown_name(parameter, self.changes, "what the modes were differentiated by (sensitivities=)")
        change, size = self.changes[parameter], np.abs(self.eigenvalue)
        with np.errstate(divide="ignore", invalid="ignore"):
            grows = (self.eigenvalue.conj() * change).real / size
            found = {"eigenvalue": change, "frequency": grows / (2 * np.pi),
                     "damping": (self.eigenvalue.real * grows / size - change.real) / size}
        if quantity not in found:
            raise unknown_name(quantity, found, "what modes have derivatives of")
        return found[quantity]

    def columns(self) -> Sequence[str]:
        return ("frequency / Hz", "damping", "eigenvalue / (1/s)", "moves most")

    def rows(self) -> Sequence[Sequence[object]]:
        return [(float(f), float(d), complex(v), self.names[int(np.argmax(np.abs(shape)))] if len(shape) else "")
                for f, d, v, shape in zip(self.frequency, self.damping, self.eigenvalue, self.shape.T, strict=True)]

    def caption(self) -> str:
        return f"{len(self.frequency)} mode{'' if len(self.frequency) == 1 else 's'}"


def modes(model: object, state: State | None = None, sensitivities: str | Sequence[str] | None = None) -> Modes:
    """The modes of a system about a state (default: the equilibrium reached from the initial state).

    `sensitivities` names parameters and inputs by which eigenvalues are differentiated: `modes.sensitivity("frequency",
    "spring.c")`.  If the equilibrium was computed, its change is included.
    """
    if sensitivities is not None:
        system, wanted = tunable(model, sensitivities)
        found = modes(system, state)
        return replace(found, changes=eigenvalue_changes(system, found, wanted, moves=state is None))
    system = system_of(model)
    linear = linearize(system, equilibrium(system) if state is None else state, outputs=())
    values, vectors = np.linalg.eig(linear.A)
    # of a conjugate pair the one that turns forwards; what does not oscillate stands for itself
    scale = np.max(np.abs(values), initial=0.0)
    keep = np.flatnonzero(values.imag > -NO_FREQUENCY * scale)
    keep = keep[np.argsort(np.abs(values[keep]), kind="stable")]
    values, vectors = values[keep], vectors[:, keep]
    tangent = Tangent(system, linear.state)
    shape = tangent.basis("position") @ vectors[: len(tangent.q_free)]
    for k in range(shape.shape[1]):
        largest = shape[np.argmax(np.abs(shape[:, k])), k] if len(shape) else 0
        if largest:
            shape[:, k] /= largest
    size = np.abs(values)
    damping = np.where(size > NO_FREQUENCY * scale, -values.real / np.where(size > 0, size, 1), 0.0)
    return Modes(size / (2 * np.pi), damping + 0.0, values, shape, system.part_names("u"), linear.state)
