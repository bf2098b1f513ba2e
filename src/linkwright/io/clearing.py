"""A start without overlaps: files of programs with soft contact draw bodies a little inside one another.

Of the pairs that shall touch, those that overlap at the start are moved apart along as few coordinates as possible.  To
first order a small change δ of the tangent coordinates opens the gap gₖ by Jₖ δ, so

    minimise Σ wᵢ |δᵢ|     such that     gₖ + Jₖ δ ≥ clear,     stops stay open,     |δᵢ| ≤ a bound

is a linear program, whose solutions are sparse (Chen, Donoho, Saunders: Atomic decomposition by basis pursuit, SIAM
Review 43 (2001) 129); it is solved again until the exact gaps are open.  wᵢ is how far coordinate i moves what
overlaps, less for free bodies.  Pairs that nothing moves apart, or that are deep inside one another (and neither is a
ground), are no start of a contact: they are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..algebra import Transform
from ..geometry import HeightField, Plane, Touch, distance
from ..system import State, System
from .tolerances import CLEAR, CLEARING_ROUNDS, DEEP, FREE_WEIGHT, LARGEST_TURN, NUDGE

if TYPE_CHECKING:
    from ..library.contact import ContactShape


@dataclass
class Cleared:
    """What was done: coordinates with their changes, how deep the start was, and pairs that stay inside one another."""

    moved: dict[str, float] = field(default_factory=dict)
    deepest: float = 0.0
    where: str = ""
    left: dict[tuple[str, str], float] = field(default_factory=dict)  # pair → depth


class Shapes:
    """The shapes of a system that may touch, at any state: poses, distances, and motions of points."""

    def __init__(self, system: System, parts: dict[str, ContactShape]) -> None:
        self.system, self.names = system, list(parts)
        self.shapes = {name: part.shape(part) for name, part in parts.items()}
        self._wanted = [f"{part.frame_a.path}.{what}" for part in parts.values() for what in ("r_0", "R.T")]

    def poses(self, state: State) -> dict[str, Transform]:
        """Where the shapes are."""
        found = self.system.evaluate(state, *self._wanted)
        return {name: Transform(np.asarray(found[2 * k + 1], dtype=float).T, np.asarray(found[2 * k], dtype=float))
                for k, name in enumerate(self.names)}

    def touch(self, poses: dict[str, Transform], a: str, b: str) -> Touch:
        """The deepest place of a pair."""
        return distance(self.shapes[a], poses[a], self.shapes[b], poses[b])

    def is_ground(self, name: str) -> bool:
        return isinstance(self.shapes[name], (Plane, HeightField))


def clear_start(system: System, state: State, pairs: Iterable[tuple[ContactShape, ContactShape]]) -> Cleared:
    """Move what overlaps apart, in the state itself; says what was moved, and which pairs cannot be."""
    out, parts = Cleared(), {part.path: part for pair in pairs for part in pair}
    shapes, open_pairs = Shapes(system, parts), [(a.path, b.path) for a, b in pairs]
    at_start = state.q.copy()
    for _ in range(CLEARING_ROUNDS):
        poses = shapes.poses(state)
        touches = {pair: shapes.touch(poses, *pair) for pair in open_pairs}
        gaps = {pair: float(touch.gap) for pair, touch in touches.items()}
        deep = {pair: -gap for pair, gap in gaps.items() if gap < -DEEP and not any(map(shapes.is_ground, pair))}
        for pair in deep:
            out.left[pair] = deep[pair]
            open_pairs.remove(pair)
        inside = [pair for pair in open_pairs if gaps[pair] < 0]
        if not inside:
            break
        if not out.where:
            worst = min(inside, key=gaps.__getitem__)
            out.deepest, out.where = -gaps[worst], "/".join(worst)
        shift = _least(system, state, shapes, {pair: touches[pair] for pair in open_pairs if gaps[pair] < DEEP}, poses)
        if shift is None:  # nothing moves all of them apart: the deepest is given up
            pair = min(inside, key=gaps.__getitem__)
            out.left[pair] = -gaps[pair]
            open_pairs.remove(pair)
            continue
        state.q += system.advance(state.q, shift)
        system.normalise(state)
    else:
        out.left |= {pair: -gap for pair, gap in gaps.items() if gap < 0 and pair in open_pairs}
    names = system.part_names("q")
    out.moved = {names[k]: float(change) for k, change in enumerate(state.q - at_start) if abs(change) > CLEAR}
    return out


def _least(system: System, state: State, shapes: Shapes, touches: dict[tuple[str, str], Touch],
           poses: dict[str, Transform]) -> np.ndarray | None:
    """The sparse change of the tangent coordinates that opens all gaps; None where there is none."""
    from scipy.optimize import linprog

    nu = system.mechanism.nu
    rows, needed = _motions(system, state, shapes, touches, poses), []
    for touch in touches.values():
        needed.append(CLEAR - float(touch.gap))
    stops, room = _stops(system, state)
    J = np.vstack([rows, stops])
    least = np.concatenate([needed, -room])
    weight = np.abs(rows).max(axis=0, initial=0.0)
    weight[_of_free_bodies(system)] *= FREE_WEIGHT
    turns = _turning(system)
    bound = np.where(turns, LARGEST_TURN, np.abs(needed).max() * 2 + DEEP)
    weight += FREE_WEIGHT * CLEAR  # what moves nothing stays
    found = linprog(np.concatenate([weight, weight]), A_ub=-np.hstack([J, -J]), b_ub=-least,
                    bounds=[(0.0, float(x)) for x in np.concatenate([bound, bound])], method="highs")
    return found.x[:nu] - found.x[nu:] if found.status == 0 else None


def _motions(system: System, state: State, shapes: Shapes, touches: dict[tuple[str, str], Touch],
             poses: dict[str, Transform]) -> np.ndarray:
    """∂gap/∂δ of all pairs, by the motion of the two nearest points with their bodies."""
    nu, out = system.mechanism.nu, np.zeros((len(touches), system.mechanism.nu))
    moved = state.copy()
    for k in range(nu):
        moved.q[:] = state.q + system.advance(state.q, NUDGE * np.eye(nu)[k])
        system.normalise(moved)
        there = shapes.poses(moved)
        for row, ((a, b), touch) in enumerate(touches.items()):
            way = [there[name] @ (poses[name].inverse() @ np.asarray(point, dtype=float).ravel())
                   - np.asarray(point, dtype=float).ravel()
                   for name, point in ((a, touch.point_a), (b, touch.point_b))]
            out[row, k] = np.asarray(touch.normal, dtype=float).ravel() @ (way[1] - way[0]) / NUDGE
    return out


def _stops(system: System, state: State) -> tuple[np.ndarray, np.ndarray]:
    """(∂room/∂δ, room) of all stops of one-axis joints."""
    mechanism = system.mechanism
    gaps = [row.gap for row in mechanism.events.rows if row.opens]
    if not gaps:
        return np.zeros((0, mechanism.nu)), np.zeros(0)
    stacked = ca.vertcat(*gaps)
    value = np.ravel(system.names_table.value(stacked, state))
    rows = np.zeros((len(gaps), mechanism.nu))
    moved = state.copy()
    for k in range(mechanism.nu):
        moved.q[:] = state.q + system.advance(state.q, NUDGE * np.eye(mechanism.nu)[k])
        rows[:, k] = (np.ravel(system.names_table.value(stacked, moved)) - value) / NUDGE
    return rows, np.maximum(value, 0.0)


def _of_free_bodies(system: System) -> np.ndarray:
    """Which tangent coordinates are translations of free bodies."""
    out = np.zeros(system.mechanism.nu, dtype=bool)
    for body, us in zip(system.mechanism.bodies, system.mechanism.slices()[1], strict=True):
        if body.mobilizer.nu == 6:
            out[us.start + 3:us.stop] = True
    return out


def _turning(system: System) -> np.ndarray:
    """Which tangent coordinates are angles."""
    out = np.zeros(system.mechanism.nu, dtype=bool)
    for body, us in zip(system.mechanism.bodies, system.mechanism.slices()[1], strict=True):
        for k in range(body.mobilizer.nu):
            column = np.zeros(body.mobilizer.nu)
            column[k] = NUDGE
            q = np.asarray(body.mobilizer.default(), dtype=float)
            X, Y = body.mobilizer.transform(q), body.mobilizer.transform(q + np.ravel(body.mobilizer.qdot(q, column)))
            out[us.start + k] = np.abs(np.asarray(X.R, dtype=float) - np.asarray(Y.R, dtype=float)).max() > NUDGE / 10
    return out


def keep_start(model: lw.Model, state: State) -> None:
    """Let the joints of a model start where they are in a state."""
    for part in model.leaves():
        if isinstance(part, (lw.joints.Revolute, lw.joints.Prismatic)):
            letter = "phi" if isinstance(part, lw.joints.Revolute) else "s"
            part.start_at(**{letter: lw.guess(float(state.get(f"{part.path}.{letter}")))})
        elif isinstance(part, (lw.joints.FreeMotion, lw.joints.Spherical)):
            part.start_at(angles=lw.guess(np.asarray(state.get(f"{part.path}.angles"), dtype=float)))
            if isinstance(part, lw.joints.FreeMotion):
                part.start_at(r_rel_a=lw.guess(np.asarray(state.get(f"{part.path}.r_rel_a"), dtype=float)))
