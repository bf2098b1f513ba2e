"""One engine a file, each with the same two functions; either gives None where the engine has nothing to offer.

    forward(description)              → Run of forward dynamics, `count` evaluations a call
    simulation(description, h, steps) → Run of a whole simulation, `count` steps a call
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

NAMES = ("linkwright", "pinocchio", "mujoco", "drake", "exudyn")


@dataclass
class Run:
    """Something to be timed; `value` gives its result (accelerations, final coordinates) to compare."""

    call: Callable[[], object]
    count: int
    value: Callable[[], np.ndarray] | None = None


def installed(names=NAMES) -> dict:
    """The engines that can be imported."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(f"bench.peers.{name}")
        except ImportError:
            print(f"{name}: not installed, left out")
    return found
