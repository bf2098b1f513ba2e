"""Timing side by side and printing: best of several rounds, all engines in turn within each round.

Processor time is counted, so that other work on the machine disturbs less; every engine runs in one thread.
"""

from __future__ import annotations

import time

import numpy as np

from .peers import Run


def best_of(runs: dict[str, Run | None], repeat: int) -> dict[str, float]:
    """Microseconds per evaluation or step, the best of `repeat` rounds; a slow engine gets fewer."""
    best: dict[str, float] = {}
    for _ in range(repeat):
        for name, run in runs.items():
            if run is None or best.get(name, 0.0) * run.count > 3e6:
                continue
            start = time.process_time()
            run.call()
            spent = 1e6 * (time.process_time() - start) / run.count
            best[name] = min(best.get(name, np.inf), spent)
    return best


def disagreements(runs: dict[str, Run | None], tolerance: float) -> list[str]:
    """Engines whose result differs from Linkwright's, with the largest difference relative to the largest value."""
    own = runs["linkwright"].value()
    out = []
    for name, run in runs.items():
        if run is None or run.value is None or name == "linkwright":
            continue
        difference = np.max(np.abs(run.value() - own)) / np.max(np.abs(own))
        if not difference <= tolerance:
            out.append(f"{name} {difference:.0e}")
    return out


def heading(title: str, names: list[str], unit: str) -> None:
    print(f"\n{title} ({unit}; ratio to linkwright)")
    print(f"{'':14s}{'linkwright':>12s}" + "".join(f"{name:>20s}" for name in names if name != "linkwright"))


def row(label: str, names: list[str], best: dict[str, float], note: str = "") -> None:
    """One line: own time, then every peer's time and how many times longer it is."""
    own = best["linkwright"]
    cells = "".join(f"{best[n]:12.2f} {best[n] / own:6.1f}×" if n in best else f"{'–':>20s}"
                    for n in names if n != "linkwright")
    print(f"{label:14s}{own:12.3f}{cells}{'   ' + note if note else ''}", flush=True)
