"""What Linkwright alone is measured for: lanes, cost per body, instructions, time to a first result, import.

Seconds are those of the processor, as in `table`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np

from linkwright.codegen import compile_program, native_lanes

from . import models
from .peers import linkwright as own

FIRST = """
import sys, time
from bench import models
began = time.process_time()
from bench.peers.linkwright import mechanism
from linkwright.integrate import prepare
prepare(["dop853"])  # the steppers, compiled once per installation
from linkwright.studies import simulate
from linkwright.system import compile_mechanism
imported = time.process_time()
system = compile_mechanism(mechanism(models.{kind}({n})))
simulate(system, 0.01)
done = time.process_time()
print(done - imported, imported - began, system.rhs.tier, system.rhs.compile_time)
"""


def lanes(n: int, repeat: int) -> None:
    """Throughput of W instances at once against one after the other."""
    d = models.chain(n)
    program, x, width = own.system(d).rhs.program, own.inputs(d), native_lanes()
    scalar, wide = (compile_program(program, tier="optimised", lanes=w) for w in (1, width))
    rows = np.tile(x, (64 * width, 1))
    times = np.full(3, np.inf)
    for _ in range(repeat):
        times = np.minimum(times, [scalar.time(x, n=2000, repeat=1), wide.time(x, n=500, repeat=1) / width,
                                   _seconds(lambda: wide.batch(rows)) / len(rows)])
    one, lane, batch = 1e6 * times
    print(f"\nLanes, chain of {n}: scalar {one:.3f} µs, {width} lanes {lane:.3f} µs per instance, {one / lane:.1f}×; "
          f"rows through batch {batch:.3f} µs, {one / batch:.1f}×")


def _seconds(call) -> float:
    from time import perf_counter

    start = perf_counter()
    call()
    return perf_counter() - start


def bodies(links, repeat: int) -> None:
    """Cost per body and instructions, quick and optimised code."""
    print("\nCost per body of forward dynamics")
    print(f"{'chain':>8s}{'instructions':>14s}{'quick µs':>12s}{'per body':>10s}{'optimised µs':>14s}{'per body':>10s}"
          f"{'compile s':>18s}")
    for n in links:
        d, x = models.chain(n), own.inputs(models.chain(n))
        codes = [own.system(d, tier).rhs for tier in ("quick", "optimised")]
        count = max(20, 10_000_000 // codes[0].instructions)
        quick, best = (1e6 * code.time(x, n=count, repeat=repeat) for code in codes)
        print(f"{n:8d}{codes[0].instructions:14d}{quick:12.2f}{quick / n:10.4f}{best:14.2f}{best / n:10.4f}"
              f"{codes[0].compile_time:9.2f}{codes[1].compile_time:9.2f}", flush=True)


def first_result(links, repeat: int) -> None:
    """From a description to the first result with an empty cache, in a fresh process."""
    print("\nFirst result with an empty cache (simulate 10 ms at default accuracy), processor seconds without imports")
    for kind, n in [*(("chain", n) for n in links), ("closed", 32)]:
        best = None
        for _ in range(repeat):
            with tempfile.TemporaryDirectory() as folder:
                words = _fresh(FIRST.format(kind=kind, n=n), LINKWRIGHT_CACHE=folder).split()
            if best is None or float(words[0]) < float(best[0]):
                best = words
        print(f"{kind:>8s}{n:6d}{float(best[0]):8.2f}   ({best[2]} code compiled in {float(best[3]):.2f}; "
              f"imports {float(best[1]):.2f})", flush=True)


def import_time(repeat: int) -> None:
    code = "import time; t = time.process_time(); import linkwright; print(time.process_time() - t)"
    print(f"\nimport linkwright: {min(float(_fresh(code)) for _ in range(repeat)):.2f} s")


def _fresh(code: str, **environment) -> str:
    """What the code prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout
