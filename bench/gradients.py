"""What exact derivatives cost beside other ways to them: ∂u̇ beside Pinocchio's, a run with columns and a gradient by
the adjoint beside plain runs and differences.  Processor time; both sides in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw

from . import models
from .peers import Run
from .table import best_of

LIMBS = 5  # of six joints each, on a chain of six: 36 degrees of freedom


def limbs() -> models.Description:
    """A trunk of six joints with five limbs of six."""
    links = [models.Link(k - 1, k % 3, models.TIP if k else (0, 0, 0)) for k in range(6)]
    for limb in range(LIMBS):
        place = (0.4 * limb - 0.8, -1.0, 0.0)
        for k in range(6):
            links.append(models.Link(len(links) - 1 if k else 5, (k + limb) % 3, models.TIP if k else place))
    return models.Description("limbs 36", tuple(links), (0.3,) * len(links))


def accelerations(repeat: int) -> None:
    """∂u̇/∂q and ∂u̇/∂u of a 7-dof and a 36-dof tree, the latter of both with u̇ itself."""
    print("\nderivatives of accelerations, µs (∂u̇/∂q and ∂u̇/∂u)")
    for d in (models.chain(7), limbs()):
        from .peers import linkwright as own

        q, u = np.array(d.q), np.linspace(-1, 1, d.n)
        function = own.system(d).function(("q", "u"), ("dudot_dq", "dudot_du"))
        ours = 1e6 * min(function.time(q, u) for _ in range(repeat))
        line = f"{d.name:10s} {ours:8.2f}"
        theirs = _pinocchio(d, q, u)
        if theirs is not None:
            pairs = zip(function(q, u), theirs.value(), strict=True)
            off = max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)
            taken = best_of({"pinocchio": theirs}, repeat)["pinocchio"]
            line += f"   Pinocchio, called from Python {taken:8.2f} ({taken / ours:.1f}×), apart by {off:.0e}"
        print(line)


def _pinocchio(d: models.Description, q: np.ndarray, u: np.ndarray) -> Run | None:
    try:
        import pinocchio as pin

        from .peers import pinocchio as peer
    except ImportError:
        return None
    m = peer.model(d)
    data, tau, count = m.createData(), np.zeros(d.n), 2000

    def run() -> None:
        for _ in range(count):
            pin.computeABADerivatives(m, data, q, u, tau)

    run()
    return Run(run, count, lambda: (data.ddq_dq.copy(), data.ddq_dv.copy()))


def spent(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Milliseconds of processor time, the best of some rounds, in turn."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], 1e3 * (time.process_time() - start))
    return best


def columns_beside_differences(m: lw.Model, names: list[str], output: str, stop: float, repeat: int) -> None:
    """A run with a column for each name, beside plain runs and SciPy's differences of SciPy's runs."""
    system = _tunable(m, names)
    lw.simulate(system, stop, sensitivities=names)
    lw.simulate(system, stop)
    found = spent({"plain": lambda: lw.simulate(system, stop),
                   "columns": lambda: lw.simulate(system, stop, sensitivities=names)}, repeat)
    scipy = spent({"scipy": lambda: _scipy_differences(system, output, stop, len(names))}, 1)["scipy"]
    count = len(names)
    print(f"{count} columns: {found['columns']:.1f} ms; {count + 1} plain runs {(count + 1) * found['plain']:.1f} ms; "
          f"{count + 1} runs of SciPy's DOP853 with the compiled equations {scipy:.0f} ms")


def _scipy_differences(system: lw.System, output: str, stop: float, count: int) -> None:
    """As many runs of SciPy as a difference by each of some numbers takes."""
    from scipy.integrate import solve_ivp

    state = system.state()
    udot, n = system.function(("q", "u"), ("udot",)), len(state.q)

    def slopes(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], udot(x[:n], x[n:])])

    for k in range(count + 1):
        x = np.concatenate([state.q, state.u])
        x[k % len(x)] += 1e-6
        solve_ivp(slopes, (0, stop), x, "DOP853", rtol=1e-8, atol=1e-8)


def adjoint(m: lw.Model, names: list[str], output: str, stop: float, repeat: int) -> None:
    """The gradient by many numbers, run included, beside a plain run."""
    system, goal = _tunable(m, names), lw.final(output)
    assert lw.gradient(system, goal, stop, names).way == "adjoint"
    lw.simulate(system, stop)
    found = spent({"plain": lambda: lw.simulate(system, stop),
                   "gradient": lambda: lw.gradient(system, goal, stop, names)}, repeat)
    print(f"gradient by {len(names)} numbers, {stop:g} s: {found['gradient']:.1f} ms, "
          f"{found['gradient'] / found['plain']:.1f} plain runs of {found['plain']:.2f} ms, the run included")


def _tunable(m: lw.Model, names: list[str]) -> lw.System:
    return lw.compile(m, tunable=sorted({name.partition("[")[0] for name in names if not name.startswith("j")}))
