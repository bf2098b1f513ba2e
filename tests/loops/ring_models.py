"""Rings of plain joints: a crank on the ground, then two links joined by the letters of a pattern."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import joints, parts

#: for planar letters: the frame on the ground, and guesses of the three joints
PLANAR = {
    "RRR": ([1.0, 0.1, 0], (-0.9, -1.2, 0.5)), "RRP": ([0.2, 0.1, 0], (-0.9, 0.6, 0.7)),
    "PRR": ([1.0, 0.1, 0], (0.3, 0.9, 0.5)), "RPR": ([1.0, 0.1, 0], (-0.9, 0.4, 0.3)),
    "PRP": ([0.6, 0.5, 0], (0.4, 0.7, 0.3)), "RPP": ([0.4, 0.2, 0], (-0.5, 0.3, 0.3)),
    "PPR": ([0.6, 0.2, 0], (0.3, 0.3, 0.5)),
}
SPATIAL = ("UPS", "SPU", "URS", "SRU", "USR", "RSU", "USP", "PSU", "SUR", "RUS", "SUP", "PUS")


def body() -> parts.BodyShape:
    return parts.BodyShape(m=1.0, r=[0.5, 0.05, 0], r_cm=[0.2, 0.02, 0], inertia=[0.02, 0.03, 0.04])


def planar_ring(letters: str, kept: tuple[int, ...] = (), space: bool = True) -> lw.Model:
    """The joints j1, j2, j3 of a ring in the x–y plane; those of numbers `kept` are not cut."""
    far, guesses = PLANAR[letters]
    m = lw.Model(letters)
    m.world = lw.World(g=9.81)
    m.drive = joints.Revolute(phi=0.9, w=2.0)
    m.crank = parts.BodyShape(m=1.0, r=[0.3, 0, 0], r_cm=[0.15, 0, 0], inertia=[0.01, 0.02, 0.02])
    m.link1, m.link2 = body(), body()
    m.far = parts.Fixed(r=far)
    directions = ([0.2, 1, 0], [1, 0.3, 0], [-0.1, 1, 0])
    for k, letter in enumerate(letters):
        start = {"phi" if letter == "R" else "s": lw.guess(guesses[k])}
        joint = (joints.Revolute(enforce_states=k + 1 in kept, **start) if letter == "R"
                 else joints.Prismatic(n=directions[k], enforce_states=k + 1 in kept, **start))
        setattr(m, f"j{k + 1}", joint)
    m.chain(m.world, m.drive, m.crank, m.j1, m.link1, m.j2, m.link2, m.j3)
    m.connect(m.j3.frame_b, m.far.frame_b)
    return m


def spatial_ring(letters: str) -> lw.Model:
    """The joints j1, j2, j3 of a ring between a crank about x and the ground, all in general position."""
    rng = np.random.default_rng(sum(map(ord, letters)))
    m = lw.Model(letters)
    m.world = lw.World(g=9.81)
    m.drive = joints.Revolute(n=[1, 0, 0], phi=0.3, w=2.0)
    m.crank = parts.BodyShape(m=2.0, r=[0, 0.2, 0.05], r_cm=[0, 0.1, 0], inertia=[0.05, 0.02, 0.05])
    m.link1, m.link2 = body(), body()
    m.turn = parts.FixedRotation(n=[1, 2, 1], angle=0.4)
    kinds = {"R": lambda: joints.Revolute(n=rng.uniform(-1, 1, 3)), "P": lambda: joints.Prismatic(n=[1, 0.3, -0.2]),
             "U": lambda: joints.Universal(n_a=[0, 1, 0], n_b=[0, 0, 1]), "S": joints.Spherical}
    m.j1, m.j2, m.j3 = (kinds[letter]() for letter in letters)
    m.chain(m.world, m.drive, m.crank, m.j1, m.link1, m.turn, m.j2, m.link2, m.j3)
    m.far = parts.Fixed(r=[0.9, 0.4, 0.2])
    m.connect(m.j3.frame_b, m.far.frame_b)
    return m
