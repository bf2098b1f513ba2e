"""Where the search for a plan begins: along a plan or a run, or straight from the start to the end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ..errors import AssemblyError, ModelError
from ..result import Result
from ..system import System
from .plan import Plan
from .swinging_guess import swung
from .tolerances import WAVES
from .transcription import Mesh

if TYPE_CHECKING:
    from .control_problem import ControlProblem


def check_guess(system: System, guess: object) -> None:
    """Refuse what is no motion of the system."""
    if not isinstance(guess, Result):
        raise ModelError(f"guess = {guess!r}: give a plan of lw.control or the result of a run.")
    if any(guess.system.part_names(part) != system.part_names(part) for part in "qu"):
        raise ModelError(f"guess: a motion of {guess.system.mechanism.name!r} has other coordinates than "
                         f"{system.mechanism.name!r}; give one of this model, in the same formulation.")


def guessed(problem: ControlProblem, mesh: Mesh, given: Result | None,
            attempt: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(unknowns to begin from, whole states near them); further attempts begin elsewhere: the first of them where the
    mechanism swings by itself, the others beside the straight way."""
    point, low, high = problem.point, problem.low, problem.high
    duration = 0.5 * (low + high)
    if given is None:
        points = _straight(problem, mesh)
    else:
        duration = float(np.clip(given.t[-1], low, high))
        points = _along(problem, mesh, given, duration)
    swings = given is None and attempt == 1 and _swing(problem, mesh, points, duration)
    if attempt and not swings:
        _wave(problem, mesh, points, duration, attempt)
    if point.loops and given is None:
        _close(problem, mesh, points)
    near = point.followed(points[:, : point.nx], problem.state, duration * mesh.times)
    return np.append(points.ravel(), duration), near


def _along(problem: ControlProblem, mesh: Mesh, given: Result, duration: float) -> np.ndarray:
    """The states and inputs of a plan or run, with slopes."""
    point = problem.point
    points = np.zeros((mesh.points, point.n))
    near = given.at(np.clip(mesh.times * given.t[-1], given.t[0], given.t[-1]))
    points[:, : point.nx] = point.own(near.states)
    points[:, point.slopes] = np.gradient(points[:, : point.nx], duration * mesh.times, axis=0)
    for k, name in enumerate(problem.inputs):
        points[:, point.places["w"].start + k] = near[name]
    if isinstance(given, Plan) and given.points.shape[1] == point.n:
        rest = range(point.nx, point.places["mu"].start)
        points[:, rest] = given.mesh.between(given.points[:, rest], mesh.times)
    return points


def _straight(problem: ControlProblem, mesh: Mesh) -> np.ndarray:
    point = problem.point
    begin, finish = np.zeros(point.n), np.zeros(point.n)
    state = problem.state
    begin[: point.nx] = point.own(np.concatenate([state.q, state.u, state.z]))
    for target, group in ((begin, problem.at_start), (finish, problem.at_end)):
        if target is finish:
            finish[: point.nx] = begin[: point.nx]
        for place, limits in group.items():
            if not isinstance(place, tuple):
                target[place] = middle(limits)
    return begin + mesh.times[:, None] * (finish - begin)


def _swing(problem: ControlProblem, mesh: Mesh, points: np.ndarray, duration: float) -> bool:
    """Put a motion in the place of a straight way in which the mechanism swings by itself, if it does."""
    point, q_of = problem.point, problem.point.places["q"]
    states = swung(problem, mesh, points[0, q_of], points[-1, q_of], duration)
    if states is None:
        return False
    points[:, : point.nx] = states
    points[:, point.slopes] = np.gradient(states, duration * mesh.times, axis=0)
    return True


def _wave(problem: ControlProblem, mesh: Mesh, points: np.ndarray, duration: float, attempt: int) -> None:
    """Let the coordinates of a guess swing about it, with speeds and accelerations that belong to it.

        δq = Σ aₖ sin kπτ,   aₖ normal, of half the size of the way to go (1 at least) over k
    """
    point, random = problem.point, np.random.default_rng(attempt)
    q_of, u_of = range(point.n)[point.places["q"]], range(point.n)[point.places["u"]]
    k = np.arange(1, WAVES + 1)
    phase, rate = np.pi * k * mesh.times[:, None], np.pi * k / duration
    size = np.maximum(np.abs(points[-1, q_of] - points[0, q_of]), 1.0)
    a = 0.5 * random.normal(size=(WAVES, len(q_of))) * size / k[:, None]
    points[:, q_of] += np.sin(phase) @ a
    if point.plain:
        points[:, u_of] += (rate * np.cos(phase)) @ a
        points[:, point.places["udot"]] -= (rate**2 * np.sin(phase)) @ a


def _close(problem: ControlProblem, mesh: Mesh, points: np.ndarray) -> None:
    """Close loops from point to point around the coordinates that the end gives, with speeds from differences."""
    system, point, m = problem.system, problem.point, problem.system.mechanism
    state, q_of = problem.state.copy(), point.places["q"]
    plain = system.plain_speeds
    held = [k for k in range(m.nq) if k in problem.at_end] if plain else []
    weights = np.ones(m.nu)
    weights[held] = np.inf
    for k in range(mesh.points):
        trial = state.copy()
        for place in held:
            trial.q[place] = points[k, place]
        with suppress(AssemblyError):  # beyond reach from here: as near as the last
            state = system.assemble(trial, weights)
        points[k, q_of] = state.q
    if plain:
        points[1:-1, point.places["u"]] = np.gradient(points[:, q_of], 0.5 * (problem.low + problem.high) * mesh.times,
                                                      axis=0)[1:-1]


def middle(limits: tuple[float, float]) -> float:
    """A number within a range."""
    low, high = limits
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low if np.isfinite(low) else high if np.isfinite(high) else 0.0
