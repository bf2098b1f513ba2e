"""Parts that bend, as they are bent: beams as cross-sections swept along their axis, modal bodies by their skin.

A surface that shows stress or displacement is cut into patches that have one colour each, of Modelica's "jet": dark
blue for nothing, dark red for the largest value of the run, or for `color_range`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..library.flexible import Beam, ModalBody
from .colours import colour_map
from .default_shapes import port, shown_as
from .meshes import Mesh, grid
from .scene_data import Shape
from .sizes import colour
from .tolerances import BEAM_AROUND as AROUND
from .tolerances import BEAM_STATIONS as STATIONS
from .tolerances import PATCHES

if TYPE_CHECKING:
    from ..language import World

Values = Mapping[str, np.ndarray]
Sums = tuple[np.ndarray, np.ndarray, np.ndarray]


class _Bent:
    """A surface in a frame of its part, from the part's coordinates: `surface` gives points, `shown` what colours them.

    What both give for the coordinates last asked for is kept, since all patches of a part ask for it.
    """

    def __init__(self, part: Any) -> None:
        self.part, self.variables = part, (f"{part.path}.q",)
        self._of: np.ndarray | None = None
        self._found: tuple[np.ndarray, np.ndarray | None] = (np.zeros(0), None)
        self._most = 0.0

    def surface(self, q: np.ndarray) -> np.ndarray:
        """Points (n, 3)."""
        raise NotImplementedError

    def shown(self, q: np.ndarray) -> np.ndarray:
        """The number at every point (n) that `color_by` asks for."""
        raise NotImplementedError

    @cached_property
    def mesh(self) -> Mesh:
        """Undeformed, with all faces."""
        raise NotImplementedError

    def vertices(self, t: np.ndarray, values: Values) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        return self._at(t, values)[0]

    # the same for a page that runs: sums over numbers that the mechanism tells, base + Σ weight · number[index]

    def told(self, q: ca.SX) -> ca.SX:
        """The numbers."""
        raise NotImplementedError

    def sums(self) -> Sums:
        """The vertices: base (n, 3), index and weight (n, 3, terms)."""
        raise NotImplementedError

    def level_sums(self) -> Sums:
        """What colours them: one number each, a displacement (3), or stresses xx yy zz xy yz zx."""
        raise NotImplementedError

    @property
    def most(self) -> float:
        """What the last colour stands for."""
        return float(self.part.color_range or self._most) or 1.0

    def levels(self, t: np.ndarray, values: Values) -> np.ndarray:
        """From 0 to 1 at every vertex (nt, n)."""
        found = self._at(t, values)[1]
        assert found is not None, "only parts that are coloured have patches"
        return np.clip(found / self.most, 0.0, 1.0)

    def _at(self, t: np.ndarray, values: Values) -> tuple[np.ndarray, np.ndarray | None]:
        q = np.asarray(values[self.variables[0]]).reshape(len(t), -1)
        if self._of is None or not np.array_equal(self._of, q):
            numbers = np.stack([self.shown(row) for row in q]) if self.part.color_by is not None else None
            self._of, self._found = q, (np.stack([self.surface(row).reshape(-1, 3) for row in q]), numbers)
            if numbers is not None:
                self._most = max(self._most, float(np.max(numbers, initial=0.0)))
        return self._found


class _Patch:
    """Some faces of a surface, in the colour of the mean of what they show."""

    MAP = colour_map("jet", 64)

    def __init__(self, whole: _Bent, faces: np.ndarray) -> None:
        self.whole, self.variables = whole, whole.variables
        self.own, renumbered = np.unique(faces, return_inverse=True)
        self.mesh: Mesh = (whole.mesh[0][self.own], renumbered.reshape(faces.shape))

    def vertices(self, t: np.ndarray, values: Values) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        return self.whole.vertices(t, values)[:, self.own]

    def colours(self, t: np.ndarray, values: Values) -> np.ndarray:
        """One colour at each time (nt, 3)."""
        level = self.whole.levels(t, values)[:, self.own].mean(axis=1)
        return self.MAP[np.round(level * (len(self.MAP) - 1)).astype(int)]


def _shapes(name: str, bent: _Bent, frame: str | None, groups: Callable[[], list[np.ndarray]]) -> Iterator[Shape]:
    """The whole surface, or its patches."""
    of = colour(bent.part.color)
    if bent.part.color_by is None:
        yield Shape(f"{name}.skin", "surface", (1.0, 1.0, 1.0), of, frame, data=bent)
        return
    for k, faces in enumerate(groups()):
        yield Shape(f"{name}.skin.{k}", "surface", (1.0, 1.0, 1.0), of, frame, data=_Patch(bent, faces))


class _Swept(_Bent):
    """A beam's surface in frame_a."""

    @cached_property
    def _axis(self) -> ca.Function:
        """q → poses of all stations in frame_a, a column of twelve numbers each."""
        q, columns = ca.SX.sym("q", self.part.size), []
        for pose in self.part.poses(q, STATIONS):
            columns.append(ca.vertcat(ca.SX(pose.p), ca.vec(ca.SX(pose.R))))
        return ca.Function("axis", [q], [ca.horzcat(*columns)])

    @cached_property
    def _loads(self) -> ca.Function:
        """q → what colours every station."""
        q = ca.SX.sym("q", self.part.size)
        return ca.Function("shown", [q], [ca.vertcat(*self.part.shown_at(q, self.part.station_fractions(STATIONS)))])

    @cached_property
    def _outline(self) -> np.ndarray:
        """(stations, around, 3): the cross-section in its own axes."""
        return np.array([_around(self.part.outline(f)) for f in self.part.station_fractions(STATIONS)])

    @cached_property
    def mesh(self) -> Mesh:
        return grid(self._rings(np.zeros(self.part.size)), wrap_v=True)

    def _rings(self, q: np.ndarray) -> np.ndarray:
        poses = np.array(self._axis(q)).T
        p, R = poses[:, :3], poses[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
        return p[:, None] + np.einsum("sab,skb->ska", R, self._outline)

    def surface(self, q: np.ndarray) -> np.ndarray:
        return self._rings(q)

    def shown(self, q: np.ndarray) -> np.ndarray:
        if self.part.color_by == "displacement":
            moved = (np.array(self._axis(q)) - np.array(self._axis(np.zeros(len(q)))))[:3]
            at_stations = np.linalg.norm(moved, axis=0)
        else:
            at_stations = np.abs(np.array(self._loads(q)).ravel())
        return np.repeat(at_stations, self._outline.shape[1])

    def told(self, q: ca.SX) -> ca.SX:
        loads = self._loads(q) if self.part.color_by in ("strain", "stress") else ca.SX(0, 1)
        return ca.vertcat(ca.vec(self._axis(q)), loads)

    def sums(self) -> Sums:
        stations, around = self._outline.shape[:2]
        index, weight = np.zeros((2, stations, around, 3, 4))
        for a in range(3):  # p_a + Σ R_ac o_c, of the twelve numbers p and columns of R
            index[..., a, :] = 12 * np.arange(stations)[:, None, None] + [a, 3 + a, 6 + a, 9 + a]
            weight[..., a, 0], weight[..., a, 1:] = 1.0, self._outline
        return np.zeros((stations * around, 3)), index.reshape(-1, 3, 4), weight.reshape(-1, 3, 4)

    def level_sums(self) -> Sums:
        stations, around = self._outline.shape[:2]
        of = np.repeat(np.arange(stations), around)
        if self.part.color_by != "displacement":
            return np.zeros((len(of), 1)), (12 * stations + of)[:, None, None], np.ones((len(of), 1, 1))
        rest = np.array(self._axis(np.zeros(self.part.size)))[:3].T
        return -rest[of], (12 * of[:, None] + np.arange(3))[:, :, None], np.ones((len(of), 3, 1))

    def segments(self) -> list[np.ndarray]:
        """Faces between two stations each."""
        ring, faces = self.mesh[1] // self._outline.shape[1], self.mesh[1]
        return [faces[ring.min(axis=1) == k] for k in range(len(self._outline) - 1)]


def _around(section: tuple[float, float, bool]) -> np.ndarray:
    """Points of an outline that reaches so far along y and z."""
    y, z, is_round = section
    if is_round:
        a = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
        return np.stack([0 * a, y * np.cos(a), z * np.sin(a)], -1)
    return np.array([[0, y, z], [0, -y, z], [0, -y, -z], [0, y, -z]], dtype=float)


@shown_as(Beam)
def _beam(c: Beam, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    bent = _Swept(c)
    yield from _shapes(c.path, bent, port(c, "frame_a"), bent.segments)


class _Skin(_Bent):
    """The surface of a modal body in its own frame."""

    @cached_property
    def mesh(self) -> Mesh:
        points, _, faces = self.part.skin
        return np.asarray(points, dtype=float), np.asarray(faces)

    def surface(self, q: np.ndarray) -> np.ndarray:
        return self.mesh[0] + float(self.part.exaggerate) * self.part.skin[1] @ self.part.amplitudes(q)

    def shown(self, q: np.ndarray) -> np.ndarray:
        if self.part.color_by == "displacement":
            return np.linalg.norm(self.part.skin[1] @ self.part.amplitudes(q), axis=1)
        return self.part.skin_stress(q)

    def told(self, q: ca.SX) -> ca.SX:
        return self.part.followed(q)

    def sums(self) -> Sums:
        shapes = float(self.part.exaggerate) * np.asarray(self.part.skin[1])
        return self.mesh[0], _all_of(shapes), shapes

    def level_sums(self) -> Sums:
        weights = np.asarray(self.part.skin[1]) if self.part.color_by == "displacement" else \
            self.part.data.skin_stress
        return np.zeros(weights.shape[:2]), _all_of(weights), weights

    def patches(self) -> list[np.ndarray]:
        """Faces that lie together, halved where they reach farthest until there are enough."""
        points, faces = self.mesh
        centres, groups = points[faces].mean(axis=1), [np.arange(len(faces))]
        while len(groups) < PATCHES and max(map(len, groups)) > 1:
            largest = max(range(len(groups)), key=lambda k: len(groups[k]))
            own = groups.pop(largest)
            along = centres[own][:, int(np.argmax(np.ptp(centres[own], axis=0)))]
            order = own[np.argsort(along, kind="stable")]
            groups += [order[: len(own) // 2], order[len(own) // 2 :]]
        return [faces[own] for own in groups]


def _all_of(weights: np.ndarray) -> np.ndarray:
    """Every sum runs over the first numbers, one after another."""
    return np.broadcast_to(np.arange(weights.shape[2]), weights.shape)


class BentSurface:
    """A surface for a page that runs, and the shapes that show it or its patches: (index, vertices)."""

    def __init__(self, of: _Bent) -> None:
        self.of = of
        self.shown: list[tuple[int, np.ndarray | None]] = []

    def record(self, names: Sequence[str], place: list[int]) -> dict[str, object]:
        """What the page needs: where its numbers are, sums, and under which names its patches are shown."""
        colours = [patch for patch in self.shown if patch[1] is not None]
        return {"place": place, **_record(self.of.sums()),
                "level": {**_record(self.of.level_sums()), "most": self.of.most, "map": _Patch.MAP.tolist()}
                if colours else None,
                "patches": [{"name": name, "own": None if own is None else own.astype(np.uint32)}
                            for name, (_, own) in zip(names, self.shown, strict=True)]}


def bent_surfaces(shapes: Sequence[Shape]) -> list[BentSurface]:
    """The surfaces of parts that bend, each once."""
    found: dict[int, BentSurface] = {}
    for k, shape in enumerate(shapes):
        whole = shape.data.whole if isinstance(shape.data, _Patch) else shape.data
        if isinstance(whole, _Bent):
            surface = found.setdefault(id(whole), BentSurface(whole))
            surface.shown.append((k, shape.data.own if isinstance(shape.data, _Patch) else None))
    return list(found.values())


def _record(sums: Sums) -> dict[str, np.ndarray]:
    base, index, weight = sums
    return {"base": base.astype(np.float32), "index": index.astype(np.uint32), "weight": weight.astype(np.float32)}


@shown_as(ModalBody)
def _modal(c: ModalBody, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    if c.skin is not None:
        bent = _Skin(c)
        yield from _shapes(c.path, bent, port(c, "base"), bent.patches)
