"""Small changes of a state along its freedoms: independent coordinates and speeds, the rest following by the loops.

With G δ = 0 for the position rows, a pivoted QR of G chooses the mobilities that follow (well conditioned) and leaves
the independent ones; on velocity level the rows of nonholonomic constraints take further speeds away.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..system import State, System
from ..system.given_motions import on_course
from .tolerances import FOLLOWING_STEPS, FOLLOWS, NO_STEP, NOISE, RANK_TOLERANCE


class Tangent:
    """The freedoms of a system at a state."""

    def __init__(self, system: System, state: State) -> None:
        state = state.copy()
        self.system, self.state = system, system.assemble(state, on_course(system, state))
        self.nu = system.mechanism.nu
        self.held = np.isin(np.arange(self.nu), system.equations.given_speeds)
        self.q_free = self._independent("position")
        self.u_free = self._independent("velocity")

    def rows(self, state: State, level: str) -> np.ndarray:
        """The active rows of G on a level."""
        if not self.system.mechanism.constraints:
            return np.zeros((0, self.nu))
        active, places = self.system.active_rows(state, level)
        return self.system.constraint_matrix(state)[places[active]]

    def _independent(self, level: str) -> np.ndarray:
        free = np.flatnonzero(~self.held)
        G = self.rows(self.state, level)[:, free]
        if not G.size:
            return free
        from scipy.linalg import qr  # late: it takes a third of the time to import this package

        _, R, order = qr(G, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int(np.sum(diagonal > max(RANK_TOLERANCE * diagonal[0], NOISE)))
        return np.sort(free[order[rank:]])

    def basis(self, level: str, near: State | None = None) -> np.ndarray:
        """Z: the change of all mobilities per unit of the independent ones of a level, here or at a state near by."""
        independent = self.q_free if level == "position" else self.u_free
        Z = np.zeros((self.nu, len(independent)))
        Z[independent, range(len(independent))] = 1.0
        follow = self.following(independent)
        G = self.rows(near or self.state, level)
        if len(follow) and len(G):
            Z[follow] = -np.linalg.lstsq(G[:, follow], G[:, independent], rcond=RANK_TOLERANCE)[0]
        return Z

    def following(self, independent: np.ndarray) -> np.ndarray:
        """The mobilities that are neither independent nor given over time."""
        return np.setdiff1d(np.flatnonzero(~self.held), independent)

    def moved(self, dq: np.ndarray | None = None, du: np.ndarray | None = None, dz: np.ndarray | None = None,
              **parts: np.ndarray) -> State:
        """A state near by: independent coordinates, speeds and auxiliary states changed, the loops closed again."""
        system, state = self.system, self.state.copy()
        for name, value in parts.items():
            setattr(state, name, value)
        delta, speed = np.zeros(self.nu), np.zeros(self.nu)
        if dq is not None:
            delta = self.basis("position") @ dq
        if du is not None:
            speed = self.basis("velocity") @ du
        state.q = state.q + system.advance(state.q, delta)
        system.normalise(state)
        state.u = state.u + speed
        if dz is not None:
            state.z = state.z + dz
        if system.mechanism.constraints:
            self._close(state)
        return state

    def _close(self, state: State) -> None:
        """Newton in the coordinates that follow; then their speeds."""
        system = self.system
        follow = self.following(self.q_free)
        active, _ = system.active_rows(state, "position")
        for _ in range(FOLLOWING_STEPS):
            error = system.evaluate(state, "position_error")[active]
            if np.max(np.abs(error), initial=0.0) < FOLLOWS:
                break
            step = np.zeros(self.nu)
            step[follow] = -np.linalg.lstsq(self.rows(state, "position")[:, follow], error, rcond=RANK_TOLERANCE)[0]
            if np.max(np.abs(step)) < NO_STEP:
                break
            state.q = state.q + system.advance(state.q, step)
            system.normalise(state)
        follow = self.following(self.u_free)
        active, _ = system.active_rows(state, "velocity")
        error = system.evaluate(state, "velocity_error")[active]
        state.u[follow] -= np.linalg.lstsq(self.rows(state, "velocity")[:, follow], error, rcond=RANK_TOLERANCE)[0]

    def rates(self, qdot: np.ndarray) -> np.ndarray:
        """q̇ in tangent coordinates at the state."""
        m, q = self.system.mechanism, self.state.q
        parts = [np.asarray(b.mobilizer.speeds(q[qs], qdot[qs]), dtype=float).ravel()
                 for b, qs in zip(m.bodies, m.slices()[0], strict=True) if b.mobilizer.nq]
        return np.concatenate([np.zeros(0), *parts])

    def carry(self, motion: np.ndarray) -> np.ndarray:
        """N: changes of the coordinates, for motions along the mobilities in columns."""
        columns = [self.system.advance(self.state.q, column) for column in motion.T]
        return np.column_stack(columns) if columns else np.zeros((len(self.state.q), 0))

    def carried(self) -> np.ndarray:
        """N⁺ Ṅ: how tangent coordinates that move along with the motion turn; zero where q̇ = u."""
        system, q = self.system, self.state.q
        if system.plain_speeds:
            return np.zeros((self.nu, self.nu))
        q_symbol, u_symbol = (system.equations.symbols[name] for name in "qu")
        along = system.advance(q, self.state.u)
        turned = ca.Function("turned", [q_symbol, u_symbol], [ca.jtimes(system.equations.qdot, q_symbol, ca.DM(along))])
        return np.column_stack([self.rates(np.array(turned(q, e)).ravel()) for e in np.eye(self.nu)])

    def names(self) -> tuple[list[str], list[str]]:
        """Names of the independent coordinates (tangent where a joint has a quaternion) and speeds."""
        system, out = self.system, []
        q_names = system.part_names("q")
        for body, qs, us in zip(system.mechanism.bodies, *system.mechanism.slices(), strict=True):
            same = body.mobilizer.nq == body.mobilizer.nu
            out += [q_names[qs.start + k] if same else f"{body.joint}.delta[{k}]" for k in range(us.stop - us.start)]
        u_names = system.part_names("u")
        return [out[k] for k in self.q_free], [u_names[k] for k in self.u_free]


def place_of(system: System, state: State, name: str) -> int:
    """The mobility of a joint's coordinate that a name stands for."""
    part, where, _ = system.names_table.place(name, state.get(name), state)
    moved = np.flatnonzero(system.moved_by(part, where)) if part == "q" else []
    if len(moved) != 1:
        raise ModelError(f"{name}: a single coordinate of a joint is needed here.", name)
    return int(moved[0])
