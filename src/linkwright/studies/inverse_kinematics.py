"""Inverse kinematics over time: the poses in which a model is nearest to measured markers, orientations, coordinates.

    min Σ w |x_measured − x(q)|² + Σ w θ² + Σ w (q_measured − q)²,      θ: angle of R_measuredᵀ R(q)

with loops closed and coordinates between their bounds; every frame begins at the one before (Lu, O'Connor, J. Biomech.
32 (1999) 129).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import rotation_from_quaternion
from ..compiler import beginning, system_of
from ..errors import ModelError
from ..result import Table, TimeTable, as_table
from ..start import count_turns
from ..system import State, System
from ..system.least_squares import DAMPING_LEAST
from .motions import column_of, coordinate_names, frame_of, is_angle, point_of
from .nearest_pose import Closed, Goals, bounds_of
from .tolerances import NO_ANGLE_SQUARED


@dataclass(frozen=True, repr=False)
class InverseKinematics(Table):
    """Poses over `t`, and how far each is from what was measured.

    `ik["knee_angle_r"]` is any position variable along the motion, `ik.motion` the coordinates as a table (`.save`
    writes a .mot), `ik.errors` the distance of each marker (m; of an orientation the angle, rad; NaN where it was not
    seen), `ik.rms` and `ik.worst` those of the markers of each frame, `ik.unused` the columns that the model has no
    marker for.
    """

    t: np.ndarray
    states: list[State]
    motion: TimeTable
    errors: dict[str, np.ndarray]
    rms: np.ndarray
    worst: np.ndarray
    unused: list[str]

    def __getitem__(self, name: str) -> np.ndarray:
        return np.array([state.get(name) for state in self.states])

    def columns(self) -> Sequence[str]:
        return ("t / s", "rms / m", "worst / m", "worst marker")

    def rows(self) -> Sequence[Sequence[object]]:
        names, found = list(self.errors), []
        for k, t in enumerate(self.t):
            own = np.array([self.errors[name][k] for name in names])
            seen = names[int(np.nanargmax(own))] if np.isfinite(own).any() else "–"
            found.append((float(t), float(self.rms[k]), float(self.worst[k]), seen))
        return found

    def caption(self) -> str:
        return f"inverse kinematics: {len(self.t)} frames, {len(self.errors)} markers and orientations"


def inverse_kinematics(model: object, markers: object = None, orientations: object = None, coordinates: object = None,
                       weights: Mapping[str, float] | None = None, time: tuple[float, float] | None = None,
                       bounds: Mapping[str, tuple[float, float]] | None = None,
                       near: State | None = None) -> InverseKinematics:
    """Find the poses nearest to measured positions of markers, orientations of bodies (quaternions w, x, y, z) and
    coordinates.

    Each of these is a table, a file (.trc, .sto, .mot, .csv), or a dict of columns with the times as "t".  Columns
    have the names of markers (`sensors.Marker`) and bodies of the model; a marker that is NaN in a frame is ignored
    there.  `weights` uses the same names (default 1; 0 omits one).  `bounds` limits coordinates
    (`m.import_report.data["ranges"]` of an OpenSim file).  `time` selects the range of frames.

    >>> ik = lw.inverse_kinematics(m, markers="walk.trc", weights={"R.ASIS": 3})
    >>> ik["knee_angle_r"], ik.rms;  ik.motion.save("walk.mot")
    """
    system = system_of(model)
    tables = [None if given is None else as_table(given) for given in (markers, orientations, coordinates)]
    if not any(tables):
        raise ModelError("inverse_kinematics: give markers=, orientations= or coordinates=, such as markers='walk.trc'")
    state = beginning(system, near)
    wanted = _Wanted(system, state, tables, weights or {})
    t = next(table.t for table in tables if table is not None)
    if time is not None:
        t = t[(t >= time[0]) & (t <= time[1])]
    if not len(t):
        raise ModelError(f"inverse_kinematics: time = {time} holds none of the frames.")
    goals = Goals(system, wanted.gaps, wanted.given, wanted.entries, Closed(system, ()),
                  bounds_of(system, state, bounds or {}))
    targets, scales = wanted.over(t)
    if not goals.closed.open:
        state = goals.closed.close(state)
    state, states, gaps = goals.clipped(state), [], []
    for k, instant in enumerate(t):
        state = state.copy()
        state.t = float(instant)
        goals.targets, goals.scales = targets[k], scales[k]
        state = goals.approach(state)
        goals.damping = DAMPING_LEAST  # the next frame is near
        states.append(state)
        gaps.append(goals.gap(state))
    count_turns(system, *states)
    return _found(system, t, states, wanted, np.array(gaps), scales)


class _Wanted:
    """Everything that is measured, as gaps between the model and numbers that are given frame by frame."""

    def __init__(self, system: System, state: State, tables: Sequence[TimeTable | None],
                 weights: Mapping[str, float]) -> None:
        """`tables` of markers, orientations and coordinates, in this order."""
        self.system, self.unused = system, []
        self.entries: list[str] = []  # whose each gap is
        self.parts: list[tuple[TimeTable, np.ndarray, int, float]] = []  # table, numbers over time, gaps, weight
        self.seen: list[str] = []  # markers and orientations
        gaps, given = [], []
        for kind, table in zip((self._marker, self._orientation, self._coordinate), tables, strict=True):
            for title in () if table is None else table.names:
                weight = float(weights.get(title, 1.0))
                if weight < 0:
                    raise ModelError(f"weights[{title!r}] = {weight:g} must not be negative.", title)
                found = kind(table, title) if weight > 0 else None
                if found is None:
                    self.unused.append(title)
                    continue
                symbol = ca.SX.sym(title, found[1].shape[1])
                gap = found[0](symbol)
                gaps.append(gap)
                given.append(symbol)
                self.entries += [title] * gap.numel()
                self.parts.append((table, found[1], gap.numel(), np.sqrt(weight)))
                if kind != self._coordinate:
                    self.seen.append(title)
        if not gaps:
            raise ModelError(f"inverse_kinematics: {system.mechanism.name!r} has no marker, body or coordinate of "
                             f"these names: {', '.join(self.unused[:8])}. Add m.NAME = sensors.Marker(r=[…]).")
        unknown = [name for name in weights if name not in self.entries and name not in self.unused]
        if unknown:
            raise ModelError(f"weights: {', '.join(unknown)} is measured nowhere in these tables.", *unknown)
        self.gaps, self.given = ca.vertcat(*gaps), ca.vertcat(*given)

    def _marker(self, table: TimeTable, title: str) -> tuple | None:
        name, numbers = point_of(self.system, title), table[title]
        if name is None or numbers.shape[1:] != (3,):
            return None
        return lambda x: self.system.expression(name) - x, numbers

    def _orientation(self, table: TimeTable, title: str) -> tuple | None:
        name, numbers = frame_of(self.system, title), table[title]
        if name is None or numbers.shape[1:] != (4,):
            return None
        turned = np.array([np.asarray(rotation_from_quaternion(q / np.linalg.norm(q))).ravel(order="F")
                           if np.all(np.isfinite(q)) else np.full(9, np.nan) for q in numbers])
        return lambda x: _turned(ca.reshape(x, 3, 3).T @ self.system.expression(name).T), turned

    def _coordinate(self, table: TimeTable, title: str) -> tuple | None:
        name, numbers = column_of(self.system, title), table[title]
        if name is None or numbers.ndim != 1:
            return None
        turned = numbers * (np.pi / 180 if table.degrees and is_angle(self.system, name) else 1.0)
        return lambda x: ca.vec(self.system.expression(name)) - x, turned[:, None]

    def over(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(targets, scales) of every frame; what is missing there has no weight."""
        targets, scales = [], []
        for table, numbers, size, weight in self.parts:
            if table.t.shape == t.shape and np.all(table.t == t):
                own = numbers
            else:
                at = np.clip(np.searchsorted(table.t, t), 1, len(table.t) - 1) if len(table.t) > 1 else None
                if at is None:
                    own = np.broadcast_to(numbers, (len(t), numbers.shape[1]))
                else:
                    share = np.clip((t - table.t[at - 1]) / (table.t[at] - table.t[at - 1]), 0, 1)[:, None]
                    # a frame of the table itself is taken as it is, whatever its neighbours lack
                    own = np.where(share == 0, numbers[at - 1], np.where(share == 1, numbers[at], (
                        1 - share) * numbers[at - 1] + share * numbers[at]))
            there = np.all(np.isfinite(own), axis=1)
            targets.append(np.where(there[:, None], own, 0.0))
            scales.append(np.where(there, weight, 0.0)[:, None] * np.ones(size))
        return np.hstack(targets), np.hstack(scales)


def _turned(R: ca.SX) -> ca.SX:
    """The rotation vector of a rotation matrix: its axis times its angle (below 180°)."""
    sine = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
    size = ca.sqrt(ca.dot(sine, sine) + NO_ANGLE_SQUARED)
    return ca.atan2(size, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2) / size * sine


def _found(system: System, t: np.ndarray, states: list[State], wanted: _Wanted, gaps: np.ndarray,
           scales: np.ndarray) -> InverseKinematics:
    entries = np.array(wanted.entries)
    with np.errstate(invalid="ignore"):
        off = np.where(scales > 0, gaps / scales, np.nan)
    errors = {name: np.linalg.norm(off[:, entries == name], axis=1) for name in wanted.seen}
    distances = np.array([e for name, e in errors.items() if point_of(system, name)]).reshape(-1, len(t))
    some = np.isfinite(distances).any(axis=0) if len(distances) else np.zeros(len(t), dtype=bool)
    rms, worst = np.full(len(t), np.nan), np.full(len(t), np.nan)
    if some.any():
        rms[some] = np.sqrt(np.nanmean(distances[:, some] ** 2, axis=0))
        worst[some] = np.nanmax(distances[:, some], axis=0)
    names, q = coordinate_names(system), np.array([state.q for state in states])
    units = {name: "rad" if is_angle(system, name) else "m" for name in names}
    motion = TimeTable(t, {name: q[:, k] for k, name in enumerate(names)}, False, units, "Coordinates")
    return InverseKinematics(t, states, motion, errors, rms, worst, wanted.unused)
