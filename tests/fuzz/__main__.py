"""`make fuzz`: thousands of random mechanisms and malformed models; prints every seed that breaks a law.

    python tests/fuzz [--machines 5000] [--malformed 1000] [--first 0] [--workers N]
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]


def attempt(task: tuple[str, int]) -> tuple[str, int, str, float]:
    """(kind, seed, a word or what is wrong, seconds)."""
    from laws import check
    from malformed import judge

    kind, seed = task
    began = time.process_time()
    try:
        said = (check if kind == "machine" else judge)(seed)
    except Exception as error:  # whatever it is, it is a finding
        said = f"BROKEN {type(error).__name__}: {error}"
    return kind, seed, said, time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", type=int, default=5000)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    tasks = [(kind, given.first + k) for kind, count in (("machine", given.machines), ("malformed", given.malformed))
             for k in range(count)]
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
