"""Optimisation: numbers of a model that make a goal of its runs least, within bounds and limits.

Gradients are exact (`gradient`), so that a few dozen runs find a minimum: L-BFGS-B where there are bounds only, SLSQP
with limits (SciPy), or IPOPT with an approximate Hessian.  Numbers are scaled by their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiler import by_name, number
from ..errors import LinkwrightError, ModelError, SimulationError, unknown_name
from ..result import Result, Table
from .control_start import value_range
from .gradient import all_differentiated
from .minimisers import SOLVERS, Enough
from .scores import Limit, score_of
from .tolerances import FEASIBLE, WORSE
from .varied import Varied


@dataclass(frozen=True, repr=False)
class Optimum(Table):
    """The best numbers found, what they achieve, and the run with them."""

    values: dict[str, float]
    goal: float
    limits: dict[str, float]  # what was written → by how much it is exceeded; negative where there is room
    result: Result
    success: bool
    message: str
    history: list[float] = field(default_factory=list)  # the goal of every run

    def columns(self) -> Sequence[str]:
        return ("", "value")

    def rows(self) -> Sequence[Sequence[object]]:
        limits = [(f"{said}, {'exceeded by' if excess > 0 else 'to spare'}", abs(excess))
                  for said, excess in self.limits.items()]
        return [*self.values.items(), ("goal", self.goal), *limits]

    def caption(self) -> str:
        return f"{'optimum' if self.success else 'best so far'} after {len(self.history)} runs: {self.message}"


def optimize(model: object, goal: object, values: Mapping[str, tuple[float, float]], stop: float, *,
             subject_to: Sequence[Limit] = (), scenarios: Sequence[Mapping[str, float]] = ({},),
             start: Mapping[str, float] | None = None, solver: str = "scipy", tolerance: float = 1e-8, runs: int = 200,
             progress: bool = False, adjoint: bool | None = None, **options: Any) -> Optimum:
    """Find the values of parameters, start values and inputs, {name: (low, high)}, that minimise a goal.

        best = lw.optimize(m, lw.integral(m.rev.phi ** 2), {"damper.d": (0.01, 5.0)}, 3.0)
        best.values, best.goal, best.result

    The search starts at the values of the model, or at `start`.  `subject_to` lists limits such as
    lw.largest(m.rev.w) <= 3.  `scenarios` is a list of dicts of further values: the goal is the mean over all
    scenarios, and the limits hold in each.  `solver` is "scipy" or "ipopt".  `adjoint` selects how gradients are
    computed, as in `gradient`.  `options` are those of `simulate`.  The search ends after `runs` evaluations, on
    Ctrl-C, or when nothing improves, with the best result so far.
    """
    if solver not in SOLVERS:
        raise unknown_name(str(solver), SOLVERS, "the list of solvers of lw.optimize")
    if not isinstance(runs, int) or runs < 1:
        raise ModelError(f"runs = {runs!r}: give a whole number, 1 or more.")
    values = by_name("values", values, "{'spring.c': (10, 100)}")
    search = _Search(model, goal, values, stop, subject_to, scenarios, options, progress, adjoint)
    with search.varied:
        return search.best(by_name("start", start, "start={'spring.c': 20}"), number("tolerance", tolerance), runs,
                           SOLVERS[solver])


class _Search:
    """Values and gradients of goal and limits over scaled numbers, the best so far kept."""

    def __init__(self, model: object, goal: object, values: Mapping[str, tuple[float, float]], stop: float,
                 limits: Sequence[Limit], scenarios: Sequence[Mapping[str, float]], options: dict[str, Any],
                 progress: bool, adjoint: bool | None):
        if isinstance(limits, Limit):
            limits = (limits,)
        for limit in limits:
            if not isinstance(limit, Limit):
                raise ModelError(f"subject_to: {limit!r} is no limit on a goal; write lw.largest(…) <= 3.")
        if isinstance(scenarios, Mapping) or not scenarios:
            raise ModelError(f"scenarios = {scenarios!r}: give a list with one dict of numbers for each, or leave it "
                             "out.")
        scenarios = [by_name("scenarios", scenario, "[{'body.m': 1}, {'body.m': 2}]") for scenario in scenarios]
        self.limits, self.scenarios = tuple(limits), scenarios
        scores = [score_of(goal), *[limit.excess for limit in limits]]
        self.scores, self.stop, self.options, self.progress = scores, stop, options, progress
        self.adjoint, self.way = adjoint, "forward"
        self.varied = Varied(model, list(values), [goal for score in scores for goal in score.goals],
                             options.get("inputs"))
        values = {each: pair for name, pair in values.items() for each in self.varied.entries(name)}
        bounds = [value_range(f"values: {name}", pair) for name, pair in values.items()]
        for name, (low, high) in zip(values, bounds, strict=True):
            if not low < high:
                raise ModelError(f"{name}: bounds ({low:g}, {high:g}) leave nothing to choose; give (low, high).", name)
        self.low, self.high = np.array(bounds).T
        wide = np.isfinite(self.high - self.low)
        own = np.array([self.varied.now(name) for name in values])
        self.unit = np.where(wide, self.high - self.low, np.maximum(np.abs(own), 1.0))
        self.base = np.where(np.isfinite(self.low), self.low, np.where(np.isfinite(self.high), self.high, own))
        self.history: list[float] = []
        self.most = 0
        self._seen: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        #: (excess of limits, goal), numbers, goal and limits, run
        self._best: tuple[tuple[float, float], np.ndarray, np.ndarray, Result] | None = None

    def best(self, start: Mapping[str, float], tolerance: float, runs: int, minimise: Callable) -> Optimum:
        names, self.most = self.varied.names, runs
        for name, value in start.items():
            if name not in names:
                raise unknown_name(name, names, "what is to be found")
            low, high = (limit[names.index(name)] for limit in (self.low, self.high))
            if not low <= number(f"start: {name}", value) <= high:
                raise ModelError(f"start: {name} = {value:g} lies outside its bounds ({low:g}, {high:g}).", name)
        # numbers of the model that lie outside begin at the nearest bound
        x = np.clip([start.get(name, self.varied.now(name)) for name in names], self.low, self.high)
        bounds = (self.low - self.base) / self.unit, (self.high - self.base) / self.unit
        scaled = (x - self.base) / self.unit
        self.at(scaled)  # a model that does not run from the start says why
        try:
            success, message = minimise(self.at, scaled, bounds, len(self.limits) * len(self.scenarios), tolerance,
                                        runs)
        except Enough:
            success, message = False, f"{runs} runs were not enough; give runs= for more"
        except KeyboardInterrupt:
            success, message = False, "interrupted"
        return self._optimum(success, message)

    def at(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(goal and limits, their gradients) at scaled numbers; far away where the run fails."""
        key = np.asarray(y, dtype=float).tobytes()
        if key not in self._seen:
            if len(self.history) >= self.most:
                raise Enough
            x = np.clip(self.base + self.unit * np.asarray(y), self.low, self.high)
            try:
                values, slopes, result = self._run(dict(zip(self.varied.names, x, strict=True)))
            except (SimulationError, LinkwrightError) as error:
                if self._best is None:
                    raise
                values, slopes = np.full_like(self._best[2], WORSE), np.zeros((len(self._best[2]), len(x)))
                self._say(f"no run at {x}: {error}")
            else:
                self._keep(x, values, result)
            self._seen = {key: (values, slopes * self.unit)}
        return self._seen[key]

    def _run(self, numbers: dict[str, float]) -> tuple[np.ndarray, np.ndarray, Result]:
        """Goal (the mean over scenarios) and limits (of each), with gradients; the run of the first scenario."""
        goal, slope, limits, limit_slopes, first = 0.0, np.zeros(len(numbers)), [], [], None
        for scenario in self.scenarios:
            one = all_differentiated(self.varied, self.scores, {**scenario, **numbers}, self.stop, self.adjoint,
                                     **self.options)
            found, result, self.way = one.found, one.result, one.way
            goal, slope = goal + found[0][0] / len(self.scenarios), slope + found[0][1] / len(self.scenarios)
            limits += [value for value, _ in found[1:]]
            limit_slopes += [gradient for _, gradient in found[1:]]
            first = first or result
        assert first is not None, "there is at least one scenario"
        return np.array([goal, *limits]), np.array([slope, *limit_slopes]), first

    def _keep(self, x: np.ndarray, values: np.ndarray, result: Result) -> None:
        self.history.append(float(values[0]))
        excess = max(0.0, values[1:].max(initial=0.0))
        rank = (excess if excess > FEASIBLE * max(1.0, abs(values[0])) else 0.0, values[0])
        if self._best is None or rank < self._best[0]:
            self._best = rank, x.copy(), values, result
        self._say(f"run {len(self.history)}: goal {values[0]:.6g}" + (f", exceeded by {excess:.2g}" if excess else ""))

    def _say(self, text: str) -> None:
        if self.progress:
            print(text)

    def _optimum(self, success: bool, message: str) -> Optimum:
        assert self._best is not None, "a search has made a run"
        (excess, _), x, values, result = self._best
        said = [limit.said + ("" if len(self.scenarios) == 1 else f" (scenario {k + 1})")
                for k in range(len(self.scenarios)) for limit in self.limits]
        limits = dict(zip(said, map(float, values[1:]), strict=True))
        if excess:
            worst = [f"{name} by {value:.3g}" for name, value in limits.items() if value > 0]
            success, message = False, f"no numbers within the bounds keep all limits; exceeded: {', '.join(worst)}"
        numbers = dict(zip(self.varied.names, map(float, x), strict=True))
        if self.way == "adjoint":  # such a run has the output times that its goals need
            result = self.varied.run({**self.scenarios[0], **numbers}, self.stop, sensitivities=False, **self.options)
        return Optimum(numbers, float(values[0]), limits, result, success, message, self.history)
