"""`make fuzz`: thousands of random mechanisms and malformed models; prints every seed that breaks a law.

    python tests/fuzz [--machines 5000] [--malformed 1000] [--first 0] [--workers N] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from attempt import attempt  # noqa: E402  (processes that are started anew import it by its name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", type=int, default=5000)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=120, help="seconds of processor time for one model")
    given = parser.parse_args()
    wanted = {"machine": given.machines, "malformed": given.malformed}
    tasks = [(kind, given.first + k, given.limit) for kind, count in wanted.items() for k in range(count)]
    counts: dict[tuple[str, str], int] = collections.Counter()
    broken = []
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(given.workers, context, max_tasks_per_child=100) as pool:
        for number, (kind, seed, said, seconds) in enumerate(pool.map(attempt, tasks, chunksize=10), 1):
            counts[kind, said.split()[0]] += 1
            if said.startswith("BROKEN"):
                broken.append((kind, seed))
                print(f"{kind} {seed}: {said} ({seconds:.1f} s)", flush=True)
            if number % 100 == 0:
                print(f"… {number} of {len(tasks)}: {dict(counts)}", flush=True)
    print(f"{dict(counts)}; broken: {broken}")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
