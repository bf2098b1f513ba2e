"""The search for a start: from the guesses to positions that close all loops nearby, then to speeds.

Loops that have closed forms are solved so, and the guesses choose the branches; others by least squares with
continuation (`near_guesses`).  Only where that fails, or ends far from the guesses, other points near the guesses are
tried as a beginning, and of the solutions the nearest to the guesses is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .near_guesses import approach, nearest
from .tolerances import ATTEMPTS, CLOSED, NEAR, NEIGHBOURS

if TYPE_CHECKING:
    from ..system import State
    from .problem import StartProblem


def find(problem: StartProblem, state: State) -> None:
    """Solve the leading conditions, then those of unknowns that follow from them.

    Followers that find no solution where the leading ones put everything else lead themselves, and it begins anew.
    """
    before, led = problem.keep(state), frozenset[int]()
    while True:
        split = problem.conditions.split(led)
        leading = problem.leading(split)
        _lead(leading, state)
        stuck = split.follow(problem, state)
        if not stuck or _left(leading, state) > CLOSED:
            return
        led |= stuck
        problem.put_back(state, before)


def _lead(problem: StartProblem, state: State) -> None:
    """Begin at the guesses and move as little as the conditions require; where that fails, begin near the guesses."""
    before = problem.keep(state)
    _meet_guesses(problem, state)
    if not problem.loop.any():
        _on_a_tree(problem, state, before)
        return
    guessed = problem.keep(state)
    if not _around_guesses(problem, state):
        _near_guesses(problem, state, guessed)
    _turn_back(problem, state, guessed)


def _on_a_tree(problem: StartProblem, state: State, before: dict[str, np.ndarray]) -> None:
    """Without loops: begin at the guesses, or elsewhere where no solution is found from there."""
    random, guessed = np.random.default_rng(0), problem.keep(state)
    for attempt in range(ATTEMPTS):
        if attempt:
            problem.put_back(state, before)
            aside = random.normal(scale=0.3 * attempt, size=problem.system.mechanism.nu)
            problem.shift(state, problem.system.mechanism.spread * aside)
            _meet_guesses(problem, state)
        problem.solve(state, everything=False)
        if _left(problem, state, problem.levels == 0) <= CLOSED:
            return
    problem.put_back(state, guessed)
    problem.solve(state, everything=False)


def _meet_guesses(problem: StartProblem, state: State) -> None:
    """Set the given and guessed values, with loops still open."""
    on_tree = ~problem.closing
    problem.solve(state, everything=True, only="y", rows=~problem.of_unknowns)  # guesses of unknowns
    if problem.loose_places:
        # states that begin where laws want them follow the pose, they do not move it
        problem.solve(state, everything=True, loops=False, only="q",
                      rows=(problem.levels == 0) & on_tree & ~problem.of_states)
        problem.solve(state, everything=True, loops=False, only="z", rows=problem.of_states)
    # positions before speeds: the axes in which guesses of speeds are given depend on positions
    problem.solve(state, everything=True, loops=False, only="qzy", rows=(problem.levels == 0) & on_tree)
    problem.solve(state, everything=True, loops=False, only="uzy", rows=(problem.levels < 2) & on_tree)
    # accelerations say nothing while loops are open
    told = problem.levels < 2 if problem.loop.any() else np.ones_like(on_tree)
    if problem.free_places:
        # freed parameters move before coordinates do
        problem.solve(state, everything=False, only="pzy", rows=told)
    if not problem.loop.any():
        problem.solve(state, everything=True, loops=False, rows=on_tree)


def _around_guesses(problem: StartProblem, state: State) -> bool:
    """Close rings around the independent coordinates, if these were all given or guessed, or if guesses agree; then
    all guesses share what they have to give way, whichever coordinates are the independent ones."""
    independent = problem.bound & ~problem.closed_forms.dependent
    open_ones = problem.leaves_open(state, independent)
    return _in_closed_form(problem, state) and (not open_ones or _off(problem, state) < NEAR)


def _in_closed_form(problem: StartProblem, state: State) -> bool:
    """Close rings around the independent coordinates as they are, and go to the position nearest to the guesses;
    returns whether all conditions hold then."""
    forms = problem.closed_forms
    if not forms.rings or not forms.close(problem, state) or _left(problem, state, problem.levels == 0) > CLOSED:
        return False
    nearest(problem, state)
    _fulfil(problem, state)
    return _left(problem, state) <= CLOSED


def _fulfil(problem: StartProblem, state: State) -> None:
    """Satisfy the conditions on positions, then on speeds, then the rest, so that later ones do not move positions."""
    problem.solve(state, everything=False, only="qpzy", rows=problem.levels == 0)
    if not problem.free_places and _left(problem, state, problem.levels == 0) > CLOSED:
        return  # loops are open
    problem.solve(state, everything=False, only="upzy", rows=problem.levels < 2)
    if problem.free_places:
        problem.solve(state, everything=False, only="pzy")
    problem.solve(state, everything=False)


def _near_guesses(problem: StartProblem, state: State, guessed: dict[str, np.ndarray]) -> None:
    """Least squares from the guesses, and from starts near by; the nearest to the guesses is kept."""
    random, found = np.random.default_rng(0), []
    given = problem.given(state)
    independent = problem.bound & ~problem.closed_forms.dependent
    free = np.ones_like(given) if given.all() else ~given
    for attempt in range(ATTEMPTS):
        problem.put_back(state, guessed)
        if attempt:
            # first only coordinates without a guess begin elsewhere, later all of them
            shift = random.normal(scale=0.15 * attempt if attempt > NEIGHBOURS else 0.5, size=len(free))
            problem.shift(state, problem.system.mechanism.spread * shift * (free if attempt <= NEIGHBOURS else 1.0))
        if problem.closed_forms.partial:
            problem.closed_forms.close(problem, state)  # rings first, as their guesses are; then the other loops
        approach(problem, state)
        reached = problem.keep(state)
        # independent coordinates stay where they were guessed if loops close around them
        problem.reset(state, guessed, given & independent)
        if not _in_closed_form(problem, state):
            problem.put_back(state, reached)
            problem.solve(state, everything=False, only="qpzy", rows=problem.levels == 0)
            nearest(problem, state)
            _fulfil(problem, state)
        left = max(_left(problem, state), CLOSED)
        found.append((left, _off(problem, state), attempt, problem.keep(state)))
        closed = [item for item in found if item[0] <= CLOSED]
        if closed and (min(item[1] for item in closed) < NEAR or attempt >= NEIGHBOURS):
            break
    problem.put_back(state, min(found, key=lambda item: item[:3])[3])


def _left(problem: StartProblem, state: State, rows: np.ndarray | bool = True) -> float:
    """The largest residual of the conditions."""
    left = np.abs(problem.residual(state)[problem.fixed & rows]).max(initial=0.0)
    return float(left) if np.isfinite(left) else np.inf


def _off(problem: StartProblem, state: State) -> float:
    """How far positions are from the guesses."""
    return float(np.linalg.norm(problem.residual(state)[problem.said & ~problem.fixed]))


def _turn_back(problem: StartProblem, state: State, guessed: dict[str, np.ndarray]) -> None:
    """Subtract full turns from angles so that they are nearest to their guesses, where no condition counts turns."""
    system, saved = problem.system, problem.keep(state)
    q = np.array(state.q)
    for body, place in zip(system.mechanism.bodies, system.mechanism.slices()[0], strict=True):
        if body.mobilizer.turns:
            q[place] -= 2 * np.pi * np.round((q[place] - guessed["q"][place]) / (2 * np.pi))
    state.q = q
    if _left(problem, state) > CLOSED:
        problem.put_back(state, saved)
