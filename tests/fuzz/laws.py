"""The laws that every random mechanism must obey, in both formulations."""

from __future__ import annotations

import warnings

import numpy as np
from random_models import machine

import linkwright as lw
from balance import imbalances

STOP = 0.3
FORMULATIONS = ("projection", "minimal")


class Broken(AssertionError):
    """A law that a model breaks."""


def run(seed: int, formulation: str):
    """(the result up to where it came, why it ended early or None, the machine)."""
    k = machine(seed)
    system = lw.compile(k.model, formulation=formulation, tier="quick")
    try:
        return lw.simulate(system, STOP, accuracy=1e-9, step=STOP / 20), None, k
    except lw.SingularError as error:
        return error.result, error, k


def check(seed: int) -> str:
    """Everything that must hold of the mechanism of a seed; gives a word on how it went, raises `Broken`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _check(seed)


def _check(seed: int) -> str:
    results, said = [], "right"
    for formulation in FORMULATIONS:
        try:
            r, ended, k = run(seed, formulation)
        except (lw.AssemblyError, lw.InitialError) as error:
            results.append(error)
            continue
        if ended is not None:
            said = "dead point"
        _sound(r, k, formulation, ended)
        results.append(r)
    refused = [r for r in results if isinstance(r, Exception)]
    if refused:
        if len(refused) < len(results):
            raise Broken(f"refused by one formulation only: {refused[0]}")
        return "refused"
    _alike(k, *results)
    return said


def _sound(r, k, formulation: str, ended) -> None:
    """One result by itself."""
    states = r.states
    if not np.all(np.isfinite(states)):
        raise Broken(f"{formulation}: not finite")
    if r.closure > 1e-7:
        raise Broken(f"{formulation}: loops open by {r.closure:.1e}")
    if len(r.t) < 3:
        return
    off = imbalances(r) if ended is None else {}
    if off:
        raise Broken(f"{formulation}: out of balance {off}")
    if k.conserves:
        energy = r["kinetic_energy"] + r["potential_energy"]
        if "elastic_energy" in r:
            energy = energy + r["elastic_energy"]
        drift = np.ptp(energy) / (1e-3 + np.max(r["kinetic_energy"]))
        if drift > 1e-5:
            raise Broken(f"{formulation}: energy drifts by {drift:.1e}")
    if len(r.events) > 200:
        raise Broken(f"{formulation}: {len(r.events)} events")


def _alike(k, one, other) -> None:
    """The same motion from the same start."""
    if one.system.dof != other.system.dof:
        raise Broken(f"freedoms {one.system.dof} and {other.system.dof}")
    n = min(len(one.t), len(other.t)) - 1
    if abs(one.t[n] - other.t[n]) > 1e-9:
        n -= 1
    places = [name for name in one.names if name.endswith((".r_0", ".r")) and ".frame" not in name]
    a, b = one.get_many(places), other.get_many(places)
    tolerance = 1e-3 if k.switches else 1e-4
    for name in places:
        if np.max(np.abs(a[name][0] - b[name][0])) > 1e-6:
            raise Broken(f"{name} starts at {a[name][0]} and {b[name][0]}")
        gap = np.max(np.abs(a[name][: n + 1] - b[name][: n + 1]))
        if gap > tolerance:
            raise Broken(f"{name} differs by {gap:.1e}")
