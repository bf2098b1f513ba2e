"""Linkwright: compiled code in a compiled loop, and `simulate` as users call it."""

from __future__ import annotations

import functools

import numpy as np

from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.integrate import prepare
from linkwright.mechanism import Mechanism, MechanismBuilder, Revolute
from linkwright.studies import simulate
from linkwright.system import System, compile_mechanism

from .. import models
from . import Run

VERSION = "this tree"

prepare(["dop853", "dopri5", "radau"])  # the steppers: compiled once per installation, not while timing


def mechanism(d: models.Description) -> Mechanism:
    b = MechanismBuilder(d.name, gravity=models.GRAVITY)
    frames = [axis_frame(e) for e in np.eye(3)]
    inertia = Inertia(models.MASS, models.CENTRE, models.INERTIA)
    for k, link in enumerate(d.links):
        R = frames[link.axis]
        parent = "world" if link.parent == models.WORLD else f"b{link.parent}"
        b.body(f"b{k}", parent, Revolute(), Transform(R, link.offset), Transform(R), inertia)
    if d.anchor is not None:
        b.frame("tip", f"b{d.n - 1}", Transform(None, models.TIP))
        b.frame("anchor", "world", Transform(None, d.anchor))
        b.constraint("ball", b.relative_pose("anchor", "tip").p)
    return b.build()


@functools.cache
def system(d: models.Description, tier: str = "optimised") -> System:
    return compile_mechanism(mechanism(d), tier=tier)


def inputs(d: models.Description) -> np.ndarray:
    """The input vector of the right-hand side at the start, at rest."""
    return np.concatenate([[0.0], d.q, np.zeros(2 * d.n)])


def forward(d: models.Description, tier: str = "optimised") -> Run:
    rhs, x = system(d, tier).rhs, inputs(d)
    count = max(50, 40_000_000 // (rhs.instructions + 100))
    return Run(lambda: rhs.time(x, n=count, repeat=1), count, lambda: rhs(x)[d.n : 2 * d.n])


def simulation(d: models.Description, h: float, steps: int) -> Run:
    compiled = system(d)
    state = compiled.state(assembled=False)
    state.q[:] = d.q
    final = []

    def run():
        final[:] = [simulate(compiled, h * steps, state=state, method="rk4", h=h, step=h * steps)]

    return Run(run, steps, lambda: np.array([final[0][f"b{k}.phi"][-1] for k in range(d.n)]))
