"""Impacts: jumps of the speeds that all constraints allow.

    M Δu = Gᵀ Λ,   permanent constraints keep G Δu = 0

With the effective inverse mass of the contacts, A = G_c W G_cᵀ, W = M⁻¹ − M⁻¹G_eᵀ(G_e M⁻¹ G_eᵀ)⁺G_e M⁻¹, Poisson's law
has two phases (Simbody Theory Manual §8.6; Glocker 2001): compression, 0 ≤ v + A Λ ⊥ Λ ≥ 0, until nothing approaches
any more; expansion, in which every contact gives back the share `restitution` of its impulse, and further impulse where
something would approach again.
"""

from __future__ import annotations

import itertools

import numpy as np

from ..system.happenings import place

NEAR = 1e-10  # a gap below this takes part in an impact elsewhere
REST = 1e-7  # seconds: flights shorter than this have come to rest
CLEAR = 4e-16  # a rounding error, relative to the coordinates


class Impacts:
    """Hits on the stops of a run."""

    def __init__(self, run, contacts):
        self.run, self.contacts = run, contacts
        e = run.system.equations
        self.rows = np.array([place(e, s.name)[0] for s in run.happenings.stops], dtype=int)
        permanent, start = [], 0
        for constraint, rows in zip(e.mechanism.constraints, e.rows, strict=True):
            if constraint.mode is None:
                permanent += range(start, start + rows.G.shape[0])
            start += rows.G.shape[0]
        self.permanent = np.array(permanent, dtype=int)
        held = set(e.prescribed)
        self.free = np.array([i for k, part in enumerate(e.mechanism.slices()[1]) if k not in held
                              for i in range(part.start, part.stop)], dtype=int)

    def hit(self, which: list[int], x_before: np.ndarray) -> None:
        """Stops that were reached: jump, then come to rest or fly on, from the side the motion came from."""
        run, contacts = self.run, self.contacts
        run.x[:] = x_before
        s = contacts.stops()
        together = sorted({*which, *np.flatnonzero((run.d[contacts.closed] > 0.5) | (np.abs(s["gap"]) <= NEAR))})
        W, G = self._responses(together)
        A, v = G @ W @ G.T, s["rate"][together]
        compression = complementary(A, v)
        expansion = s["restitution"][together] * compression
        further = complementary(A, v + A @ (compression + expansion))
        self._jump(W @ G.T @ (compression + expansion + further))
        held = {k for k in together if run.d[contacts.closed[k]]}
        run.d[contacts.closed[together]] = 0
        for k in which:
            run.log(run.happenings.stops[k].name, -1)
        self._come_to_rest(together, held)
        self.lift(together)

    def _come_to_rest(self, together, held: set[int]) -> None:
        """Stops whose next flight would be too short to matter hold from now on; each may bring others to rest."""
        run, closed = self.run, self.contacts.closed
        resting: list[int] = []
        while True:
            s = self.contacts.stops()
            more = [k for k in together if k not in resting and s["acceleration"][k] < 0
                    and 2 * s["rate"][k] < REST * -s["acceleration"][k] and abs(s["gap"][k]) <= NEAR]
            if not more:
                break
            resting += more
            W, G = self._responses(resting)
            self._jump(-W @ G.T @ (np.linalg.pinv(G @ W @ G.T) @ s["rate"][resting]))
            run.d[closed[resting]] = 1
        for k in sorted({*resting} - held):
            run.log(run.happenings.stops[k].name, 0)

    def lift(self, which) -> None:
        """Bring gaps that came out a rounding error below zero to the open side."""
        run = self.run
        q = run.x[: run.system.mechanism.nq]
        clear = CLEAR * np.max(np.abs(q), initial=0.0)
        for _ in range(5):
            gap = self.contacts.stops()["gap"]
            below = [k for k in which if gap[k] < 0 and not run.d[self.contacts.closed[k]]]
            if not below:
                return
            W, G = self._responses(below)
            shift = W @ G.T @ (np.linalg.pinv(G @ W @ G.T) @ (clear - gap[below]))
            q += run.system.advance(q, shift)
            clear *= 2

    def _responses(self, which) -> tuple[np.ndarray, np.ndarray]:
        """(W, G of these stops): speeds per impulse with the permanent constraints kept."""
        program = self.run.system.code.impact
        out, n = program(self.run.inputs), self.run.system.mechanism.nu
        M = out[: n * n].reshape(n, n, order="F")
        G = out[n * n :].reshape(-1, n, order="F")
        W = np.zeros((n, n))
        free = np.ix_(self.free, self.free)
        inverse = np.linalg.inv(M[free])
        if len(self.permanent):
            E = G[self.permanent][:, self.free]
            B = E @ inverse
            inverse = inverse - B.T @ np.linalg.pinv(B @ E.T, rcond=1e-11) @ B
        W[free] = inverse
        return W, G[self.rows[list(which)]]

    def _jump(self, change: np.ndarray) -> None:
        m = self.run.system.mechanism
        self.run.x[m.nq : m.nq + m.nu] += change


def complementary(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with 0 ≤ x ⊥ A x + b ≥ 0, A symmetric and not negative; by trying active sets, few ones first."""
    n, tolerance = len(b), 1e-12 * (1e-300 + np.max(np.abs(b), initial=0.0))
    if np.all(b >= -tolerance) and np.all(b >= 0):
        return np.zeros(n)
    best, least = np.zeros(n), np.inf
    for size in range(1, n + 1) if n <= 12 else (n,):
        for active in itertools.combinations(range(n), size):
            x = np.zeros(n)
            chosen = list(active)
            x[chosen] = -np.linalg.pinv(A[np.ix_(chosen, chosen)]) @ b[chosen]
            violation = max(-np.min(x, initial=0.0) * np.max(np.diag(A)), -np.min(A @ x + b, initial=0.0))
            if violation <= tolerance:
                return np.maximum(x, 0.0)
            if violation < least:
                best, least = np.maximum(x, 0.0), violation
    return best
