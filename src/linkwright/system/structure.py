"""What a system knows of its mechanism without any code: names of the parts, rows of constraints, quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..building import cached_property
from ..equations import Equations
from ..errors import unknown_name
from ..mechanism import Mechanism
from . import diagnose
from .tolerances import UNIT_LENGTH

if TYPE_CHECKING:
    from .state import State

LEVELS = {"position": ("position",), "velocity": ("position", "velocity"),
          "acceleration": ("position", "velocity", "acceleration")}


class Structure:
    """Base of System: the mechanism and its equations, asked for names and places."""

    mechanism: Mechanism
    equations: Equations

    def part_names(self, part: str) -> list[str]:
        """The names of the entries of q, u, z, p, d or y."""
        m = self.mechanism
        if part in "qu":
            return self._coordinate_names["qu".index(part)]
        if part == "y":
            return [name for block in self.equations.blocks for name in block.names]
        items = {"z": m.states, "p": m.parameters, "d": m.discretes}[part]
        return [item.name if item.symbol.numel() == 1 else f"{item.name}[{k}]"
                for item in items for k in range(item.symbol.numel())]

    def slot(self, name: str) -> tuple[str, slice]:
        """Where a coordinate, speed, parameter or discrete variable lies in a state: the part, and its entries."""
        for part in "qu":
            if name in (names := self.part_names(part)):
                return part, slice(names.index(name), names.index(name) + 1)
        for part, items in (("p", self.mechanism.parameters), ("d", self.mechanism.discretes)):
            start = 0
            for item in items:
                stop = start + item.symbol.numel()
                if item.name == name:
                    return part, slice(start, stop)
                start = stop
        raise unknown_name(name, [*self.part_names("q"), *self.part_names("p")], "the entries of a state")

    @cached_property
    def _coordinate_names(self) -> tuple[list[str], list[str]]:
        return diagnose.coordinate_names(self.mechanism)

    def describe_part(self, part: str) -> str:
        """For messages: how many entries a part has, and which."""
        names = self.part_names(part)
        listed = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
        return f"{len(names)} numbers" + (f" ({listed})" if names else "")

    def row_names(self, level: str) -> list[str]:
        """The constraint each equation of a level belongs to."""
        return [r.name for r in self.equations.rows if r.level in LEVELS[level] for _ in range(r.G.shape[0])]

    def switched_rows(self, level: str) -> list[bool]:
        """Which equations of a level hold only in some mode (friction that sticks, a stop that is hit)."""
        return [r.mode is not None for r in self.equations.rows if r.level in LEVELS[level]
                for _ in range(r.G.shape[0])]

    def active_rows(self, state: State, level: str) -> tuple[np.ndarray, np.ndarray]:
        """(which equations of a level hold in this state, their places among all rows of G)."""
        active, places, start = [], [], 0
        for r in self.equations.rows:
            count = r.G.shape[0]
            if r.level in LEVELS[level]:
                active += [r.mode is None or bool(self._mode(r.mode, state) > 0.5)] * count
                places += range(start, start + count)
            start += count
        return np.array(active, dtype=bool), np.array(places, dtype=int)

    def _mode(self, mode: ca.SX, state: State) -> float:
        return float(ca.Function("mode", [self.equations.symbols["d"]], [mode])(state.d))

    @cached_property
    def quaternions(self) -> list[int]:
        """Where unit quaternions start in q."""
        m = self.mechanism
        return [qs.start + b.mobilizer.quaternion for b, qs in zip(m.bodies, m.slices()[0], strict=True)
                if b.mobilizer.quaternion is not None]

    @cached_property
    def plain_speeds(self) -> bool:
        """Whether q̇ = u for every joint."""
        return all(diagnose.is_plain(body.mobilizer) for body in self.mechanism.bodies)

    def normalise(self, state: State) -> None:
        """Bring the quaternions of a state to unit length; those that have it keep their bits."""
        for start in self.quaternions:
            length = np.linalg.norm(state.q[start : start + 4])
            if abs(length - 1) > UNIT_LENGTH:
                state.q[start : start + 4] /= length

    def advance(self, q: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """N(q) δ: the change of coordinates along tangent coordinates δ."""
        parts = [np.asarray(b.mobilizer.qdot(q[qs], shift[us]), dtype=float).ravel()
                 for b, qs, us in zip(self.mechanism.bodies, *self.mechanism.slices(), strict=True)]
        return np.concatenate([np.zeros(0), *parts])

    def moved_by(self, part: str, where: np.ndarray) -> np.ndarray:
        """The mobilities of the joints that own these coordinates or speeds."""
        held = np.zeros(self.mechanism.nu, dtype=bool)
        q_slices, u_slices = self.mechanism.slices()
        for qs, us in zip(q_slices, u_slices, strict=True):
            own = range(*(qs if part == "q" else us).indices(10**9))
            inside = [own.index(k) for k in where if k in own]
            if inside and part == "q" and len(own) != us.stop - us.start:
                held[us] = True
            else:
                held[[us.start + k for k in inside]] = True
        return held
