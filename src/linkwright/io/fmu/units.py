"""Units as powers of the base units of SI: N.m/rad → kg m² s⁻² rad⁻¹."""

from __future__ import annotations

import re

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {"N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
           "Pa": {"kg": 1, "m": -1, "s": -2}, "Hz": {"s": -1}}


def powers(unit: str) -> dict[str, int] | None:
    """Powers of the base units, those that are not zero; None for a unit that is not understood."""
    above, _, below = unit.partition("/")
    total: dict[str, int] = {}
    for part, sign in ((above, 1), (below.strip("()"), -1)):
        for factor in filter(None, part.replace("/", ".").split(".")):
            match = re.fullmatch(r"([A-Za-z]+)(-?\d*)", factor)
            if factor == "1":
                continue
            if match is None or match.group(1) not in (*BASE, *DERIVED):
                return None
            name, power = match.group(1), sign * int(match.group(2) or 1)
            for base, own in DERIVED.get(name, {name: 1}).items():
                total[base] = total.get(base, 0) + own * power
    return {base: total[base] for base in BASE if total.get(base)}
