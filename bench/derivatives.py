"""What derivatives cost: a differentiated run beside plain ones, an iteration of optimal control."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational

STOP = 2.0


def chain(motors: bool = False) -> lw.Model:
    """The spatial chain of seven links of `models`, perhaps with motors in its joints."""
    m = lw.Model("chain")
    m.world, last = lw.World(g=9.81), None
    for k in range(7):
        joint = joints.Revolute(n=[float(k % 3 == i) for i in range(3)], phi=0.3, w=0)
        link = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1])
        setattr(m, f"j{k}", joint)
        setattr(m, f"b{k}", link)
        m.chain(m.world if last is None else last, joint, link)
        last = link
        if motors:
            setattr(m, f"m{k}", rotational.Torque())
            m.connect(joint.axis, getattr(m, f"m{k}").flange)
    return m


def best(run: Callable[[], object], repeat: int) -> float:
    """Seconds, the best of some."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def derivatives(repeat: int) -> None:
    """One run with 20 columns beside 21 plain ones; then a plan from point to point."""
    names = [*[f"b{k}.m" for k in range(7)], *[f"b{k}.r[1]" for k in range(6)], *[f"j{k}.phi" for k in range(7)]]
    system = lw.compile(chain(), tunable=[name.partition("[")[0] for name in names if name.startswith("b")])
    lw.simulate(system, STOP, sensitivities=names)
    plain = best(lambda: lw.simulate(system, STOP), repeat)
    whole = best(lambda: lw.simulate(system, STOP, sensitivities=names), repeat)
    result = lw.simulate(system, STOP, sensitivities=names)
    code = result.system.code.rhs
    values = result.system.layout.pack(result._state)
    evaluate = code.bind(values, np.zeros(code.n_out))

    def many() -> None:
        for _ in range(1000):
            evaluate()

    tangents, rhs = best(many, repeat) * 1e3, system.rhs.time(system.layout.pack(system.state())) * 1e6
    print(f"\n7-chain, {STOP:g} s, 20 columns: {1e3 * whole:.1f} ms beside {1e3 * plain:.2f} ms without (21 such: "
          f"{21e3 * plain:.1f} ms)")
    print(f"one evaluation with 20 columns {tangents:.1f} µs, called from Python; without {rhs:.2f} µs")
    m = chain(motors=True)
    effort = sum((lw.integral(getattr(m, f"m{k}").tau ** 2) for k in range(1, 7)), lw.integral(m.m0.tau**2))
    start = time.perf_counter()
    plan = lw.control(m, {f"m{k}.tau": (-200, 200) for k in range(7)}, minimize=effort, time=1.0, intervals=50,
                      end={f"j{k}.{x}": value for k in range(7) for x, value in (("phi", 0.6), ("w", 0.0))})
    taken, count = time.perf_counter() - start, plan.counters["iterations"]
    start = time.perf_counter()
    again = lw.control(m, {f"m{k}.tau": (-200, 200) for k in range(7)}, minimize=effort, time=1.0, intervals=50,
                       end={f"j{k}.{x}": value for k in range(7) for x, value in (("phi", 0.6), ("w", 0.0))})
    warm = time.perf_counter() - start
    print(f"7-chain from point to point, 50 intervals: {plan.message}, {count} iterations, {taken:.1f} s with "
          f"compilation, {1e3 * warm / max(again.counters['iterations'], 1):.0f} ms an iteration without")
