"""How the time to a first result grows with the size of a mechanism: chains of bodies, ladders of loops.

    python -m bench growth [--links 250 500 …] [--loops 50 100 …]

Each size is measured in a process of its own, code compiled anew; seconds are those of the processor.  The exponent is
the slope over the two largest sizes, log(t₂/t₁)/log(n₂/n₁): 1 where the time is in proportion to the size.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from time import process_time

import numpy as np

import linkwright as lw
from linkwright import joints, parts

CHAINS = (250, 500, 1000, 2000)
LADDERS = (100, 200, 300, 500)
STOP = 0.1


def chain(n: int) -> lw.Model:
    """Bodies one after another, their joints about x, y, z in turn."""
    m = lw.Model("chain")
    m.world = lw.World()
    m.joint = [joints.Revolute(n=np.eye(3)[k % 3], phi=0.01) for k in range(n)]
    m.body = [parts.BodyShape(m=1.0, r=[0.1, 0, 0], r_cm=[0.05, 0, 0], inertia=[1e-3] * 3) for _ in range(n)]
    last = m.world.frame_b
    for joint, body in zip(m.joint, m.body, strict=True):
        m.connect(last, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        last = body.frame_b
    return m


def ladder(n: int) -> lw.Model:
    """Parallel cranks on the ground, each tied to the next by a rod; every other one stands a little higher."""
    m = lw.Model("ladder")
    m.world = lw.World()

    def rod(r: Sequence[float]) -> parts.BodyShape:
        return parts.BodyShape(m=1.0, r=r, r_cm=np.multiply(r, 0.5), inertia=[1e-3, 1e-2, 1e-2])

    rise = [0.1 * (k % 2) for k in range(n + 1)]
    m.foot = [parts.FixedTranslation(r=[0.9 * k, rise[k], 0]) for k in range(n + 1)]
    m.pivot = [joints.Revolute(phi=1.0, w=1.0) if k == 0 else joints.Revolute(phi=lw.guess(1.0)) for k in range(n + 1)]
    m.crank = [rod([0.3, 0, 0]) for _ in range(n + 1)]
    m.near = [joints.Revolute(phi=lw.guess(-1.0)) for _ in range(n)]
    m.rod = [rod([0.9, rise[k + 1] - rise[k], 0]) for k in range(n)]
    m.far = [joints.Revolute() for _ in range(n)]
    for k in range(n + 1):
        m.chain(m.world, m.foot[k], m.pivot[k], m.crank[k])
    for k in range(n):
        m.chain(m.crank[k], m.near[k], m.rod[k], m.far[k])
        m.connect(m.far[k].frame_b, m.crank[k + 1].frame_b)
    return m


def measure(what: str, n: int) -> tuple[float, float, float]:
    """Seconds to translate, to a first run, and to read its energy; in this process."""
    model = {"chain": chain, "ladder": ladder}[what](n)
    began = process_time()
    system = lw.compile(model)
    compiled = process_time()
    r = lw.simulate(system, STOP)
    ran = process_time()
    energy = r["kinetic_energy"] + r["potential_energy"]
    if np.ptp(energy) > 1e-4 * np.max(r["kinetic_energy"]) or r.closure > 1e-8:
        raise SystemExit(f"{what} of {n}: energy or loops are off")
    return compiled - began, ran - compiled, process_time() - ran


def growth(links: Sequence[int] = CHAINS, loops: Sequence[int] = LADDERS) -> None:
    """The table."""
    for what, sizes in (("chain", links), ("ladder", loops)):
        print(f"\n{what:8}{'translate':>12}{'first run':>12}{'read':>8}{'all, s':>10}{'exponent':>10}")
        before: tuple[int, float] | None = None
        for n in sorted(sizes):
            found = _alone(what, n)
            total = sum(found)
            slope = "" if before is None else f"{math.log(total / before[1]) / math.log(n / before[0]):10.2f}"
            print(f"{n:8}{found[0]:12.2f}{found[1]:12.2f}{found[2]:8.2f}{total:10.2f}{slope}", flush=True)
            before = n, total


def _alone(what: str, n: int) -> list[float]:
    """`measure` in a process with an empty cache of compiled models."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"""
from linkwright.integrate import prepare
prepare(["dopri5", "dop853"])
import os
os.environ["LINKWRIGHT_CACHE"] = {folder!r}
from bench.growth import measure
print(*measure({what!r}, {n}))
"""
        run = subprocess.run([sys.executable, "-c", code], env=os.environ, check=True, capture_output=True, text=True)
    return [float(x) for x in run.stdout.split()]
