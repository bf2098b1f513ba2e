"""Vectors in the axes a user asks for: the world's, a frame's, or those of a third frame."""

from __future__ import annotations

import casadi as ca

from ..algebra import cross
from ..errors import ModelError
from ..language import Component, Frame

IN_A = ("world", "frame_a", "frame_resolve")
IN_B = ("world", "frame_b", "frame_resolve")
IN_AB = ("world", "frame_a", "frame_b", "frame_resolve")


class Resolved(Component):
    """Base of components whose vectors are given in chosen axes; `choices` are the possible ones.

    `frame_resolve` is always there; it must be connected only where it is chosen.
    """

    choices: tuple[str, ...] = IN_A
    choosing: tuple[str, ...] = ("resolve_in_frame",)

    def _check(self) -> None:
        for name in self.choosing:
            value = getattr(self, name)
            if value is not None and value not in self.choices:
                raise ModelError(f"{self.path}: {name} is one of {', '.join(map(repr, self.choices))}, "
                                 f"not {value!r}.", self)

    def required_ports(self) -> list[str]:
        used = any(getattr(self, name) == "frame_resolve" for name in self.choosing)
        return [name for name in self._connectors if name != "frame_resolve" or used]

    def axes_of(self, choice: str) -> ca.SX:
        """R_WF of the chosen axes F."""
        return ca.SX.eye(3) if choice == "world" else self._connectors[choice].R_WF

    def into(self, choice: str, x_W: ca.SX) -> ca.SX:
        """A world vector in the chosen axes."""
        return x_W if choice == "world" else self._connectors[choice].R_WF.T @ x_W


def world_spin(frame: Frame) -> tuple[ca.SX, ca.SX]:
    """Angular velocity and acceleration of a frame in world axes."""
    return frame.R_WF @ frame.w, frame.R_WF @ frame.z


def rate_in(component: Resolved, choice: str, x: ca.SX, x_dot: ca.SX) -> ca.SX:
    """d/dt of the components of x in the axes F, expressed in the world: ẋ − ω × x."""
    if choice == "world":
        return x_dot
    w, _ = world_spin(component._connectors[choice])
    return x_dot - cross(w, x)


def second_rate_in(component: Resolved, choice: str, x: ca.SX, x_dot: ca.SX, x_ddot: ca.SX) -> ca.SX:
    """d²/dt² of the components of x in the axes F, in the world: ẍ − 2 ω × ẋ − α × x + ω × (ω × x)."""
    if choice == "world":
        return x_ddot
    w, z = world_spin(component._connectors[choice])
    return x_ddot - 2 * cross(w, x_dot) - cross(z, x) + cross(w, cross(w, x))
