"""A motion as it is compared: variables by name at output times, and how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import SimulationError
from ..result import Result
from ..studies.simulate import simulate
from ..system import System
from .tolerances import MOST_WATCHED

#: variables of bodies that float, whose coordinates (quaternions, speeds in the body's axes) are not compared
OF_BODIES = ("r_0", "v_0", "w_a", "frame_a.R.T")


@dataclass(frozen=True)
class Motion:
    """Variables over `t`; `ended` is the last time reached, `failed` why it came no further."""

    t: np.ndarray
    values: dict[str, np.ndarray]
    ended: float
    failed: str = ""
    events: np.ndarray = field(default_factory=lambda: np.empty(0))


def run_of(system: object, stop: float, names: Sequence[str], step: float, **options: object) -> Motion:
    """An ordinary simulation as a motion; a run that fails is compared as far as it comes."""
    try:
        return motion_of(simulate(system, stop, step=step, progress=False, **options), names)  # type: ignore[arg-type]
    except SimulationError as error:
        if error.result is None or not len(error.result.t):
            raise
        return motion_of(error.result, names, str(error))


def motion_of(result: Result, names: Sequence[str], failed: str = "") -> Motion:
    """What is compared of a result."""
    events = np.array([event.time for event in result.events], dtype=float)
    return Motion(result.t, dict(result.get_many(list(names))), float(result.t[-1]), failed, events)


def taken_apart(rows: Sequence[np.ndarray], like: Motion, by_columns: bool = False) -> dict[str, np.ndarray]:
    """Variables by name from rows of all their numbers, in the order and of the shapes they have in another motion.

    Entries of a matrix follow each other row by row, or `by_columns`.
    """
    table, values, at = np.array(rows), {}, 0
    for name, known in like.values.items():
        size = int(np.prod(known.shape[1:], dtype=int))
        numbers = table[:, at : at + size]
        values[name] = numbers.reshape(len(rows), *known.shape[1:])
        if by_columns and known.ndim == 3:
            values[name] = numbers.reshape(len(rows), *known.shape[:0:-1]).transpose(0, 2, 1)
        at += size
    return values


def watched(system: System, outputs: Sequence[str]) -> list[str]:
    """Names that tell a motion whatever its states are: coordinates, speeds, poses of floating bodies, outputs."""
    table = system.names_table
    own = [*system.part_names("q"), *system.part_names("u"), *system.part_names("z")]
    floating = dict.fromkeys(name.partition(".Q_")[0] for name in own if ".Q_" in name)
    names = [name for name in own if name in table and " " not in name and name.rpartition(".")[0] not in floating]
    names += [f"{body}.{what}" for body in floating for what in OF_BODIES if f"{body}.{what}" in table]
    names = list(dict.fromkeys(names))
    if len(names) > MOST_WATCHED:
        names = [names[k] for k in np.unique(np.linspace(0, len(names) - 1, MOST_WATCHED).astype(int))]
    names += [name for name in outputs if name in table and name not in names]
    return names or ["kinetic_energy"]
