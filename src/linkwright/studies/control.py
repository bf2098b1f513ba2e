"""Optimal control: inputs over time that bring a model where it should go, at least cost (direct collocation).

State, accelerations, unknowns and inputs of many points in time are unknowns of one nonlinear programme, the implicit
equations of motion its only nonlinear rows (`system.residuals`, `transcription`, `nonlinear`), solved by IPOPT.  What
is asked, by names, becomes rows and bounds in `control_problem`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..compiler import by_name, names, number
from ..errors import ModelError, unknown_name
from ..result import Result
from .control_guess import check_guess
from .control_problem import ControlProblem
from .finer_mesh import finer
from .plan import Plan
from .plan_check import carried_out, refined, warn_of_miss
from .scores import score_of
from .tolerances import AGAIN, BEGINNINGS, CURVED, INTERVALS_OF_PLANS, MOST_INTERVALS, OPTIMAL, OPTIMAL_ROUGHLY
from .transcription import METHODS, Mesh


def control(model: object, inputs: Mapping[str, tuple[float, float]], *, minimize: object,
            time: float | tuple[float, float], start: Mapping[str, object] | None = None,
            end: Mapping[str, object] | None = None, bounds: Mapping[str, tuple[float, float]] | None = None,
            periodic: str | Sequence[str] | Mapping[str, object] = (), impact: str | Sequence[str] = (),
            intervals: int | None = None, method: str = "hermite-simpson", guess: Result | None = None,
            accuracy: float | None = None, rounds: int = 12, tries: int | None = None, iterations: int = 1000,
            progress: bool = False) -> Plan:
    """Optimal control: find inputs {name: (low, high)} over time that minimise a goal, and the motion that results.

        plan = lw.control(m, {"drive.f": (-20, 20)}, minimize=lw.integral(m.drive.f ** 2), time=2.0, end={"cart.s": 1})

    `minimize` is a formula of lw.integral(…) and lw.final(…); lw.final(lw.time) is the duration.  The motion starts at
    the initial state of the model, except for `start`: {name: value}, a range (low, high), or None for a free value.
    `end` gives values or ranges of variables at the end, `bounds` ranges during the whole motion.  `time` is the
    duration in s, or its range.  `guess` is a Plan or Result from which the search starts.

    `periodic` lists states with equal values at start and end.  It may also be {name: formula}: initial states as
    formulas of final variables, such as {"ball.s": m.ball.s, "ball.v": -0.8 * m.ball.v} for a motion closed by an
    impact. The name of another variable swaps the two: {"left.phi": "right.phi", "right.phi": "left.phi"}.  `impact`
    names velocities that an impact at the end makes zero ("foot.v_0[0]"); the formulas then use the speeds after the
    impact, and constraints active before it are released.

    `method` is "hermite-simpson" or "radau", `intervals` the number of intervals.  With `accuracy`, the mesh is refined
    at most `rounds` times where the motion between its points is less accurate or an input switches.  Every plan is
    simulated with its inputs before it is returned; `plan.miss` is the distance of the simulated from the planned final
    values. If neither `intervals` nor `accuracy` is given, the mesh of 50 intervals is refined up to four times until
    that miss is small; if it stays larger, a warning says so.

    The plan is a local minimum near the initial guess.  If that guess was a straight line to the end state and the
    problem has negative curvature, or if no plan was found, the search is repeated from other guesses and the best plan
    is kept (`plan.message` says so).  `tries` sets the number of guesses.
    """
    problem = ControlProblem(model, by_name("inputs", inputs, "{'motor.tau': (-2, 2)}"), score_of(minimize), time,
                             by_name("start", start, "start={'rev.phi': 0}"),
                             by_name("end", end, "end={'rev.phi': 3.14}"),
                             by_name("bounds", bounds, "bounds={'rev.w': (-3, 3)}"), periodic,
                             names("impact", impact))
    if method not in METHODS:
        raise unknown_name(str(method), METHODS, "the list of methods of lw.control")
    chosen = intervals is not None or accuracy is not None
    intervals = INTERVALS_OF_PLANS if intervals is None else intervals
    if not isinstance(intervals, int) or not 1 <= intervals <= MOST_INTERVALS:
        raise ModelError(f"intervals = {intervals!r}: give a whole number from 1 to {MOST_INTERVALS}.")
    for said, count, least in (("tries", 1 if tries is None else tries, 1), ("iterations", iterations, 1),
                               ("rounds", rounds, 0)):
        if not isinstance(count, int) or count < least:
            raise ModelError(f"{said} = {count!r}: give a whole number, {least} or more.")
    if accuracy is not None and not number("accuracy", accuracy) > 0:
        raise ModelError(f"accuracy = {accuracy!r}: give a positive number, or leave it out.")
    if guess is not None:
        check_guess(problem.system, guess)
    options = {"ipopt.print_level": 5 if progress else 0, "ipopt.sb": "yes", "ipopt.max_iter": iterations,
               "ipopt.tol": OPTIMAL, "ipopt.constr_viol_tol": OPTIMAL, "ipopt.acceptable_tol": OPTIMAL_ROUGHLY}
    mesh = Mesh(METHODS[method], np.linspace(0, 1, intervals + 1))
    plan, said = _best(problem, mesh, guess, options, tries)

    def again(before: Plan, wanted: float) -> Plan | None:
        """The plan on a mesh that is finer where it is off by more than wanted; None where that leads nowhere."""
        better = finer(before, wanted, problem.point, list(problem.inputs.values()))
        found = None if better is None else problem.solve(better, before, options)
        return found if found is not None and found.success else None

    for _ in range(rounds if accuracy is not None and plan.success else 0):
        found = again(plan, float(accuracy))
        if found is None:
            break
        plan = found
    plan.message += said
    if plan.success:
        plan = carried_out(plan) if chosen else refined(carried_out(plan), again)
        warn_of_miss(plan)
    return plan


def _best(problem: ControlProblem, mesh: Mesh, guess: Result | None, options: dict[str, object],
          tries: int | None) -> tuple[Plan, str]:
    """The best plan of several beginnings, and what is to be said of them."""
    plan = problem.solve(mesh, guess, options)
    if tries is None:
        many = guess is None and (not plan.success or plan.counters["curved down"] > CURVED)
        tries = BEGINNINGS if many else 1
        options = {**options, "ipopt.max_iter": min(AGAIN, int(str(options["ipopt.max_iter"])))}
    found = [plan, *(problem.solve(mesh, guess, options, attempt) for attempt in range(1, tries))]
    ended = [each for each in found if each.success]
    if not ended or tries == 1:
        return plan, ""
    return min(ended, key=lambda each: each.goal), f"; the best of {len(ended)} plans from {tries} beginnings"
