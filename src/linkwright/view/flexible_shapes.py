"""Parts that bend, as they are bent: beams as cross-sections swept along their axis, modal bodies by their skin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..library.flexible import Beam, ModalBody
from .default_shapes import port, shown_as
from .meshes import Mesh, grid
from .scene_data import Shape
from .sizes import colour
from .tolerances import BEAM_AROUND as AROUND
from .tolerances import BEAM_STATIONS as STATIONS

if TYPE_CHECKING:
    from ..language import World


class _Swept:
    """A beam's surface in frame_a, from its coordinates."""

    def __init__(self, beam: Beam) -> None:
        self.beam, self.variables = beam, (f"{beam.path}.q",)

    @cached_property
    def _axis(self) -> ca.Function:
        """q → poses of all stations in frame_a, a column of twelve numbers each."""
        q, columns = ca.SX.sym("q", self.beam.size), []
        for pose in self.beam.poses(q, STATIONS):
            columns.append(ca.vertcat(ca.SX(pose.p), ca.vec(ca.SX(pose.R))))
        return ca.Function("axis", [q], [ca.horzcat(*columns)])

    @cached_property
    def _outline(self) -> np.ndarray:
        """(stations, around, 3): the cross-section in its own axes."""
        return np.array([_around(self.beam.outline(f)) for f in self.beam.station_fractions(STATIONS)])

    @cached_property
    def mesh(self) -> Mesh:
        return grid(self._points(np.zeros(self.beam.size)), wrap_v=True)

    def _points(self, q: np.ndarray) -> np.ndarray:
        poses = np.array(self._axis(q)).T
        p, R = poses[:, :3], poses[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
        return p[:, None] + np.einsum("sab,skb->ska", R, self._outline)

    def vertices(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        rows = np.asarray(values[self.variables[0]]).reshape(len(t), -1)
        return np.stack([self._points(q).reshape(-1, 3) for q in rows])


def _around(section: tuple[float, float, bool]) -> np.ndarray:
    """Points of an outline that reaches so far along y and z."""
    y, z, is_round = section
    if is_round:
        a = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
        return np.stack([0 * a, y * np.cos(a), z * np.sin(a)], -1)
    return np.array([[0, y, z], [0, -y, z], [0, -y, -z], [0, y, -z]], dtype=float)


@shown_as(Beam)
def _beam(c: Beam, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield Shape(f"{c.path}.skin", "surface", (1.0, 1.0, 1.0), colour(c.color), port(c, "frame_a"), data=_Swept(c))


class _Skin:
    """The surface of a modal body in its own frame."""

    def __init__(self, body: ModalBody) -> None:
        self.body, self.variables = body, (f"{body.path}.q",)
        points, self.shapes, faces = body.skin
        self.mesh: Mesh = (np.asarray(points, dtype=float), np.asarray(faces))

    def vertices(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        rows = np.asarray(values[self.variables[0]]).reshape(len(t), -1)
        moved = np.array([self.body.amplitudes(q) for q in rows])
        return self.mesh[0] + float(self.body.exaggerate) * np.einsum("pak,tk->tpa", self.shapes, moved)


@shown_as(ModalBody)
def _modal(c: ModalBody, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    if c.skin is not None:
        yield Shape(f"{c.path}.skin", "surface", (1.0, 1.0, 1.0), colour(c.color), port(c, "base"), data=_Skin(c))
