"""Points of contact of a crowd at an instant, and the rows by which they act on the speeds."""

from __future__ import annotations

from copy import copy

import numpy as np

from ..integrate import gauss_seidel
from ..system import Crowd

_NONE = np.zeros(0, dtype=np.int64)


class ContactPoints:
    """Points of contact at an instant, and the rows by which they act on the speeds."""

    def __init__(self, crowd: Crowd, pairs: np.ndarray):
        self.crowd, self.pairs = crowd, pairs
        self.owners, self.points, numbers = crowd.gaps(pairs)
        self.gaps, self.normals = numbers[:, 0], numbers[:, 1:4]
        self.places = (numbers[:, 4:7] + numbers[:, 7:10]) / 2

    def closer(self, margins: np.ndarray) -> ContactPoints:
        """Only those whose gap is at most the sum of the margins of their shapes."""
        a, b = self.pairs[self.owners].T
        kept = np.flatnonzero(self.gaps <= margins[a] + margins[b])
        if len(kept) == len(self.gaps):
            return self
        self.owners, self.points, self.gaps = self.owners[kept], self.points[kept], self.gaps[kept]
        self.normals, self.places = self.normals[kept], self.places[kept]
        return self

    @property
    def meets(self) -> np.ndarray:
        """The numbers of their encounters."""
        pairs = self.pairs[self.owners]
        return self.crowd.meets[pairs[:, 0], pairs[:, 1]]

    def make_rows(self, turning: np.ndarray = _NONE, more: int = 0, width: int = 0) -> None:
        """The rows of all points, then of the turning of b against a at some of them (by number).

        Behind them there is room for so many `more`, that read up to `width` speeds.
        """
        crowd, which = self.crowd, np.concatenate([np.arange(len(self.owners)), turning])
        n, half, size = len(which), crowd.columns.shape[1], crowd.members.shape[1]
        room, wide = n + more, max(2 * half, width)
        G, Y = np.zeros((room, 3, wide)), np.zeros((room, 3, 2 * size))
        g_places, y_places = np.full((room, wide), -1), np.full((room, 2 * size), -1)
        self.rows, self.W = (G, g_places, Y, y_places), np.zeros((room, 4))
        turns = (np.arange(n) >= len(self.owners)).astype(np.int64)
        gauss_seidel.rows(self.pairs[self.owners[which]], self.normals[which], self.places[which], turns, crowd.poses,
                          crowd.jacobians, crowd.columns, crowd.inverse, crowd.block_of, crowd.place_in, crowd.members,
                          *self.rows, self.W)

    def first(self, count: int) -> ContactPoints:
        """With as many rows."""
        out = copy(self)
        G, g_places, Y, y_places = self.rows
        out.rows, out.W = (G[:count], g_places[:count], Y[:count], y_places[:count]), self.W[:count]
        return out

    def speeds(self, u: np.ndarray, count: int) -> np.ndarray:
        """(count, 3) of normal and tangents, and of what turns."""
        G, places, _, _ = (rows[:count] for rows in self.rows)
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
