"""Mechanisms with loops, built from plain joints as a user would."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import joints, parts


def rod(length: float, mass: float = 1.0, direction=(1.0, 0.0, 0.0)) -> parts.BodyShape:
    """A slender rod along x (or another direction): central inertia m l²/12 across."""
    d = np.asarray(direction, dtype=float)
    across = mass * length**2 / 12
    return parts.BodyShape(m=mass, r=list(length * d), r_cm=list(length / 2 * d),
                           inertia=across * (np.eye(3) - np.outer(d, d)))


def fourbar(ground=1.0, lengths=(0.3, 0.9, 0.6), **crank) -> lw.Model:
    """The four-bar of reference/README.md: ground 1.0 m, crank 0.3, coupler 0.9, rocker 0.6, four plain revolutes."""
    m = lw.Model("fourbar")
    m.world = lw.World(g=9.81)
    m.rev1 = joints.Revolute(**({"phi": lw.deg(60), "w": 5.0} | crank))
    m.crank, m.coupler, m.rocker = map(rod, lengths)
    m.rev2 = joints.Revolute(phi=lw.guess(-0.6))
    m.rev3 = joints.Revolute()
    m.rev4 = joints.Revolute(phi=lw.guess(2.0))
    m.ground = parts.FixedTranslation(r=[ground, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.coupler.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def energy(result) -> np.ndarray:
    return result["kinetic_energy"] + result["potential_energy"]


def check_laws(result, closure: float = 1e-9, tolerance: float = 1e-6) -> None:
    """Closed throughout, and energy constant to `tolerance` of the largest kinetic energy."""
    assert result.closure < closure
    E = energy(result)
    peak = np.max(result["kinetic_energy"])
    assert peak > 0
    assert np.max(np.abs(E - E[0])) < tolerance * peak
