"""`lw.verify` over random mechanisms with random start conditions; prints every row that differs or refuses oddly.

    python tests/fuzz/verify_starts.py [--first 0] [--count 100] [--every 1] [--routes "sweep in lanes" Simulator …]
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from attempt import TooLong, limited  # noqa: E402
from random_starts import machine_with_start  # noqa: E402

import linkwright as lw  # noqa: E402

#: routes inside of one process in which starts are searched for
INSIDE = ("numbers", "parameter", "in two", "model", "system", "formulation", "method dop853", "sweep in lanes",
          "sweep with", "sweep in two", "Simulator")
GOOD = ("same bits", "same to accuracy", "refuses", "not installed", "left out")


def verified(seed: int, stop: float, routes: tuple[str, ...]) -> tuple[str, list[tuple[str, str, str]]]:
    """(what is asked of the start, (route, status, what was said) of every row)."""
    k, kind = machine_with_start(seed)
    report = lw.verify(k.model, stop, routes, limit=300)
    return kind, [(row.route, row.status, row.said) for row in report.rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--every", type=int, default=1, help="of the seeds, each so many; 15 meets all kinds")
    parser.add_argument("--stop", type=float, default=0.2)
    parser.add_argument("--limit", type=float, default=120, help="seconds of processor time for one model")
    parser.add_argument("--routes", nargs="*", default=INSIDE)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: dict[str, int] = collections.Counter()
    kinds: dict[str, int] = collections.Counter()
    bad = []
    for number, seed in enumerate(range(given.first, given.first + given.count * given.every, given.every), 1):
        if number % 10 == 0:
            print(f"… {number} of {given.count}: {dict(counts)}", flush=True)
        began = time.process_time()
        try:
            with limited(given.limit):
                kind, rows = verified(seed, given.stop, tuple(given.routes))
        except (lw.LinkwrightError, TooLong) as error:
            counts["does not run"] += 1
            print(f"{seed}: does not run: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        kinds[kind] += 1
        counts.update(status for _, status, _ in rows)
        for route, status, said in rows:
            if status not in GOOD:
                bad.append((seed, kind, route, status))
                print(f"{seed} ({kind}) {route}: {status}: {said[:300]} ({time.process_time() - began:.1f} s)",
                      flush=True)
    print(f"models {sum(kinds.values())}: {dict(kinds)}; rows: {dict(counts)}; bad: {bad}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
