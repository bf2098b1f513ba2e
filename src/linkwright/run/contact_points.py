"""Points of contact of a crowd at an instant, and the rows by which they act on the speeds."""

from __future__ import annotations

import numpy as np

from ..integrate import gauss_seidel
from ..system import Crowd
from .tolerances import NEAR


class ContactPoints:
    """Points of contact at an instant, and the rows by which they act on the speeds."""

    def __init__(self, crowd: Crowd, pairs: np.ndarray):
        self.crowd, self.pairs = crowd, pairs
        self.owners, self.points, numbers = crowd.gaps(pairs)
        self.gaps, self.normals = numbers[:, 0], numbers[:, 1:4]
        self.places = (numbers[:, 4:7] + numbers[:, 7:10]) / 2

    def closer(self, margins: np.ndarray | None) -> ContactPoints:
        """Only those whose gap is below the sum of the margins of their shapes (default: none)."""
        pairs = self.pairs[self.owners]
        kept = np.flatnonzero(self.gaps <= (0.0 if margins is None else margins[pairs].sum(axis=1) + NEAR))
        self.owners, self.points, self.gaps = self.owners[kept], self.points[kept], self.gaps[kept]
        self.normals, self.places = self.normals[kept], self.places[kept]
        return self

    @property
    def meets(self) -> np.ndarray:
        """The numbers of their encounters."""
        pairs = self.pairs[self.owners]
        return self.crowd.meets[pairs[:, 0], pairs[:, 1]]

    def make_rows(self, turning: np.ndarray | None = None) -> None:
        """The rows of all points, then of the turning of b against a at some of them (by number)."""
        crowd = self.crowd
        which = np.arange(len(self.owners))
        which = which if turning is None else np.concatenate([which, turning])
        n, half, size = len(which), crowd.columns.shape[1], crowd.members.shape[1]
        G, Y = np.zeros((n, 3, 2 * half)), np.zeros((n, 3, 2 * size))
        g_places, y_places = np.full((n, 2 * half), -1), np.full((n, 2 * size), -1)
        self.rows, self.W = (G, g_places, Y, y_places), np.zeros((n, 4))
        turns = (np.arange(n) >= len(self.owners)).astype(np.int64)
        gauss_seidel.rows(self.pairs[self.owners[which]], np.ascontiguousarray(self.normals[which]), self.places[which],
                          turns, crowd.poses, crowd.jacobians, crowd.columns, crowd.inverse,
                          crowd.block_of.astype(np.int64), crowd.place_in, crowd.members, *self.rows, self.W)

    def speeds(self, u: np.ndarray) -> np.ndarray:
        """(n, 3) of normal and tangents, and of what turns."""
        G, places, _, _ = self.rows
        return np.einsum("cik,ck->ci", G, np.where(places >= 0, u[np.maximum(places, 0)], 0.0))

    def felt(self, impulses: np.ndarray, n: int) -> np.ndarray:
        """The change of the speeds by impulses."""
        _, _, Y, places = self.rows
        change, given = np.zeros(n), np.einsum("cik,ci->ck", Y, impulses)
        np.add.at(change, places[places >= 0], given[places >= 0])
        return change

    def dense(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """G and Y = M⁻¹ Gᵀ (rows) over all speeds."""
        out = []
        for values, places in (self.rows[:2], self.rows[2:]):
            full = np.zeros((len(values), 3, n + 1))
            for c in range(len(values)):
                for i in range(3):
                    np.add.at(full[c, i], places[c], values[c, i])
            out.append(full[:, :, :n].reshape(-1, n))
        return out[0], out[1]
