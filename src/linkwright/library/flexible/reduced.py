"""A body as a few shapes: what a reduction of finite elements, a file or a closed form comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place
from ..tolerances import NO_ENTRY

SKIN = ("skin_points", "skin_shapes", "skin_triangles")
INTEGRALS = ("m", "mc", "J0", "Ct", "C2", "C3", "J1", "J2", "Me")


@dataclass(frozen=True, eq=False)
class Reduced:
    """The data of a modal body: mass integrals, stiffness K, damping D, and the nodes at which frames can be placed.

    `frames` maps names of frames to nodes.  Shapes beyond those of the coordinates follow from these by `quadratic`
    (see `mechanism.kinds.modal`) and describe geometric stiffening.  `notes` lists remarks of the reduction.
    """

    integrals: Integrals
    K: np.ndarray
    D: np.ndarray
    nodes: dict[int, Place]
    frames: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    title: str = "reduced body"
    quadratic: np.ndarray | None = None
    skin: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # points (P × 3), shapes (P × 3 × all), triangles
    stress: np.ndarray | None = None  # xx yy zz xy yz zx of the first nodes by each coordinate (… × 6 × n)
    dropped: float | None = None  # Hz, the first natural frequency that was left out

    @property
    def size(self) -> int:
        return len(self.K)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies in Hz while B is held."""
        from scipy.linalg import eigh

        n = self.size
        return np.sqrt(np.maximum(eigh(self.K, self.integrals.Me[:n, :n], eigvals_only=True), 0)) / (2 * np.pi)

    @property
    def whole_mass(self) -> np.ndarray:
        """Of the six motions of its frame (v, ω) and of its shapes, undeformed."""
        i = self.integrals.first(self.size)
        C = -np.cross(np.eye(3), i.mc).T  # C v = mc × v
        N = np.hstack([i.Ct, i.C2])
        return np.block([[i.m * np.eye(3), -C, N[:, :3].T], [C, i.J0, N[:, 3:].T], [N[:, :3], N[:, 3:], i.Me]])

    @property
    def has_positive_mass(self) -> bool:
        """Whether every motion of the undeformed body has kinetic energy."""
        return bool(np.linalg.eigvalsh(self.whole_mass)[0] > NO_ENTRY * np.trace(self.whole_mass))

    @property
    def free_frequencies(self) -> np.ndarray:
        """Natural frequencies in Hz of the free body, its six rigid motions left out."""
        from scipy.linalg import eigh

        mass = self.whole_mass
        stiff = np.zeros_like(mass)
        stiff[6:, 6:] = self.K
        return np.sqrt(np.maximum(eigh(stiff, mass, eigvals_only=True)[6:], 0)) / (2 * np.pi)

    @cached_property
    def skin_stress(self) -> np.ndarray:
        """Of the points of the skin: those of the nodes there."""
        from scipy.spatial import cKDTree

        assert self.skin is not None and self.stress is not None, "asked for where both are"
        places = np.array([place.origin for place in list(self.nodes.values())[: len(self.stress)]])
        return self.stress[cKDTree(places).query(self.skin[0])[1]]

    def without_stiffening(self) -> Reduced:
        """The same with shapes that are linear in q."""
        n = self.size
        nodes = {k: Place(node.origin, node.phi[:, :n], node.psi[:, :n]) for k, node in self.nodes.items()}
        skin = None if self.skin is None else (self.skin[0], self.skin[1][:, :, :n], self.skin[2])
        return Reduced(self.integrals.first(n), self.K, self.D, nodes, self.frames,
                       (*self.notes, "without geometric stiffening"), self.title, None, skin, self.stress, self.dropped)

    def with_skin(self, triangles: Sequence[Sequence[int]]) -> Reduced:
        """The same with a surface, triangles of node numbers, for pictures."""
        faces = np.asarray(triangles, dtype=int).reshape(-1, 3)
        used = np.unique(faces)
        places = [self.node(int(number), "skin") for number in used]
        return replace(self, skin=(np.array([p.origin for p in places]), np.array([p.phi for p in places]),
                                   np.searchsorted(used, faces)))

    def node(self, number: int, what: str = "") -> Place:
        """A node by its number."""
        if number not in self.nodes:
            some = ", ".join(map(str, list(self.nodes)[:8])) + (", …" if len(self.nodes) > 8 else "")
            raise ModelError(f"frame {what!r} is node {number!r}, {self.title} has {some}.")
        return self.nodes[number]

    def __str__(self) -> str:
        i = self.integrals
        centre = i.mc / i.m
        lines = [f"{self.title}: {self.size} shapes, mass {i.m:.6g} kg, centre of mass "
                 f"({', '.join(f'{x:.4g}' for x in centre)}) m, {len(self.nodes)} node{'s' * (len(self.nodes) > 1)}",
                 "  frequencies while the reference is held: "
                 + ", ".join(f"{f:.5g}" for f in self.frequencies[:8]) + (" … Hz" if self.size > 8 else " Hz")]
        if self.has_positive_mass:
            lines.append("  frequencies of the free body: " + ", ".join(f"{f:.5g}" for f in self.free_frequencies[:4])
                         + (" … Hz" if self.size > 4 else " Hz"))
        return "\n".join([*lines, *[f"  {note}" for note in self.notes]])

    def save(self, path: str | Path) -> None:
        """Write it as .npz."""
        i, nodes = self.integrals, self.nodes
        none = np.zeros((0, self.size, self.size))
        np.savez_compressed(
            path, format="linkwright reduced body 1", title=self.title, K=self.K, D=self.D, notes=list(self.notes),
            frame_names=list(self.frames), frame_nodes=list(self.frames.values()), node_numbers=list(nodes),
            origin=np.array([p.origin for p in nodes.values()]), phi=np.array([p.phi for p in nodes.values()]),
            psi=np.array([p.psi for p in nodes.values()]),
            quadratic=none if self.quadratic is None else self.quadratic,
            stress=[] if self.stress is None else self.stress, dropped=np.nan if self.dropped is None else self.dropped,
            **dict(zip(SKIN, self.skin or ([], [], []), strict=True)),
            **{f"integral_{name}": getattr(i, name) for name in INTEGRALS})

    @classmethod
    def load(cls, path: str | Path) -> Reduced:
        """Read what `save` wrote."""
        with np.load(path) as data:
            if str(data.get("format", "")) != "linkwright reduced body 1":
                raise ModelError(f"{path}: no reduced body; write one with reduced.save(…), or give M, K and nodes to "
                                 "flexible.reduce.")
            found = [data[f"integral_{name}"] for name in INTEGRALS]
            integrals = Integrals(float(found[0]), *found[1:])
            nodes = {int(k): Place(o, f, s) for k, o, f, s in zip(
                data["node_numbers"], data["origin"], data["phi"], data["psi"], strict=True)}
            frames = {str(name): int(node) for name, node in zip(data["frame_names"], data["frame_nodes"], strict=True)}
            return cls(integrals, data["K"], data["D"], nodes, frames, tuple(map(str, data["notes"])),
                       str(data["title"]), data["quadratic"] if len(data["quadratic"]) else None,
                       tuple(data[name] for name in SKIN) if len(data[SKIN[0]]) else None,
                       data["stress"] if "stress" in data and len(data["stress"]) else None,
                       float(data["dropped"]) if "dropped" in data and np.isfinite(data["dropped"]) else None)
