"""Temperature: speeds drawn from the distribution they have in a heat bath, at the start and every so often.

At kT the speeds of a mechanism are normally distributed with covariance kT M⁻¹.  With the pivots D and vectors U of the
articulated recursion and independent ξ ~ N(0, 1), one outward pass draws them:

    u = ξ √(kT/D) − U·A/D,     A the velocity that comes from inboard

With loops the part that they forbid is taken off as the kinetic energy measures it, which leaves the distribution on
the freedoms that remain.  A motion whose speeds are drawn anew now and then visits configurations by Boltzmann's law
(Andersen, J. Chem. Phys. 72 (1980) 2384), whatever the mechanism; scaling speeds does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..aliases import shown
from ..compiler import beginning, number, system_of
from ..errors import ModelError
from ..system import State, System
from .simulate import simulate
from .tolerances import DEPENDENT_SQUARED


def thermal(model: object, kT: float, state: State | None = None,
            seed: int | np.random.Generator | None = None) -> State:
    """A state (default: the initial one) with speeds drawn at the thermal energy kT, in the model's unit of energy.

        hot = lw.thermal(m, 300 * molecules.GAS_CONSTANT, seed=1)
        r = lw.simulate(m, 10.0, state=hot)
    """
    system = system_of(model)
    state = beginning(system, state)
    kT = number("kT", kT)
    if kT < 0:
        raise ModelError(f"kT = {kT:g}: an energy that is not negative is needed, such as 300 * GAS_CONSTANT.")
    state.u = _drawn(system, state, np.sqrt(kT), np.random.default_rng(seed))
    return state


def _drawn(system: System, state: State, scale: float, random: np.random.Generator) -> np.ndarray:
    """Speeds for the pose of a state."""
    mechanism = system.mechanism
    if any(body.prescribed is not None for body in mechanism.bodies):
        raise ModelError(f"{mechanism.name}: a motion that is prescribed has no temperature; draw the speeds of a "
                         "model in which all joints move freely.")
    xi = scale * random.standard_normal(mechanism.nu)
    if mechanism.is_tree:
        return system.thermal_speeds(state, xi)
    M = system.mass_matrix(state)
    u = np.linalg.solve(np.linalg.cholesky(M).T, xi)
    G = system.constraint_matrix(state)
    inverse = np.linalg.solve(M, G.T)
    return u - inverse @ np.linalg.lstsq(G @ inverse, G @ u, rcond=DEPENDENT_SQUARED)[0]


@dataclass(frozen=True)
class Samples:
    """Values of variables over samples, by name: `samples["mol.C2_C3.phi"]`; the state after the last."""

    values: dict[str, np.ndarray]
    state: State

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.values:
            raise ModelError(f"{name!r} was not among the outputs of this sample: {', '.join(self.values)}.")
        return self.values[name]

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))


@shown
def sample(model: object, kT: float, count: int, every: float, outputs: Sequence[str], *, state: State | None = None,
           seed: int | None = None, method: str = "auto", accuracy: float = 1e-6,
           fixed_step: float | None = None) -> Samples:
    """Sample `count` configurations at the thermal energy kT: after every interval `every`, record `outputs` and
    draw new speeds.

    Samples are independent if the motion goes far during an interval.  Method and step are those of `simulate`
    (method="verlet", fixed_step=0.002).
    """
    system, random = system_of(model), np.random.default_rng(seed)
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    if int(count) != count or count < 1:
        raise ModelError(f"count = {count!r}: how many samples are wanted is 1, 2, 3 ….")
    found: dict[str, list] = {name: [] for name in names}
    here = beginning(system, state)
    for _ in range(int(count)):
        here = simulate(system, every, state=thermal(system, kT, here, random), output_step=every, method=method,
                        accuracy=accuracy, fixed_step=fixed_step, progress=False).end
        here.t = 0.0
        values = system.evaluate(here, *names)
        for name, value in zip(names, values if len(names) > 1 else (values,), strict=True):
            found[name].append(value)
    return Samples({name: np.array(values) for name, values in found.items()}, here)
