"""What becomes of a plan when it is carried out: its inputs in a simulation, and where that ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ..errors import LinkwrightError
from ..system import split_entry
from .plan import Plan
from .simulate import simulate
from .tolerances import FINER_PLANS, PLAN_MISSED


def carried_out(plan: Plan) -> Plan:
    """The plan with its `miss`: how far a simulation with its inputs ends from where the plan does."""
    names = list(_states(plan))
    try:
        end = simulate(plan.system, plan.time, state=plan.start, inputs=plan.inputs, progress=False).states[-1]
    except LinkwrightError as error:
        plan.miss = dict.fromkeys(names, float("nan"))
        plan.messages.append(f"a simulation with its inputs fails: {error}")
        return plan
    off = np.abs(end - plan.states[-1])
    plan.miss = {name: float(off[place]) for name, place in _states(plan).items()}
    return plan


def _states(plan: Plan) -> dict[str, int]:
    """Names of the states, with their places; without those that only count turns."""
    counting = {state.name for state in plan.system.mechanism.states if state.counts}
    names = [name for part in "quz" for name in plan.system.part_names(part)]
    return {name: k for k, name in enumerate(names) if split_entry(name)[0] not in counting}


def far_off(plan: Plan) -> tuple[str, float] | None:
    """The state that is missed most, beside the sizes that states have on the way, where that is too much."""
    sizes = 1.0 + np.abs(plan.states).max(axis=0)[list(_states(plan).values())]
    shares = np.array(list(plan.miss.values())) / sizes
    if not len(shares) or not shares.max() > PLAN_MISSED:  # NaN where no simulation could tell
        return None
    worst = int(np.argmax(shares))
    name = list(plan.miss)[worst]
    return name, plan.miss[name]


def refined(plan: Plan, again: Callable[[Plan, float], Plan | None]) -> Plan:
    """A plan on finer meshes, until a simulation ends where it does; `again` gives one that is as accurate as asked."""
    for accuracy in FINER_PLANS:
        if far_off(plan) is None:
            break
        better = again(plan, accuracy)
        plan = plan if better is None else carried_out(better)
    return plan


def warn_of_miss(plan: Plan) -> None:
    """Say so where a simulation with the inputs of a plan ends elsewhere."""
    found = far_off(plan)
    if found is not None:
        name, miss = found
        said = (f"simulated with its inputs, the plan misses {name} by {miss:.3g} at the end, on "
                f"{len(plan.mesh.shares)} intervals. Likely: the mesh is too coarse (give accuracy=1e-6, or more "
                "intervals), or the motion is unstable, so that small errors grow and only feedback keeps it on course")
        plan.message += f"; {said}"
        warnings.warn(f"{plan.system.mechanism.name}: {said}.", stacklevel=3)
