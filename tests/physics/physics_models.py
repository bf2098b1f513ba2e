"""Mechanisms whose motion obeys a law that can be stated without the engine."""

from __future__ import annotations

import numpy as np

from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.algebra.rotations import rotation_x
from linkwright.mechanism import Mechanism, MechanismBuilder, Revolute
from linkwright.system import State, System
from mechanisms import KINDS, random_inertia, random_pose, random_q

GRAVITY = np.array([0.4, -9.0, 1.5])


def on_kind(kind: str, seed: int = 0, gravity=GRAVITY, reversed: bool = False) -> Mechanism:
    """A body on the given kind, carrying another on a revolute joint; the pose of the first is an output."""
    random = np.random.default_rng(seed)
    b = MechanismBuilder(kind, gravity=gravity)
    b.body("base", "world", KINDS[kind], random_pose(random), random_pose(random), random_inertia(random),
           reversed=reversed)
    b.body("arm", "base", Revolute(), random_pose(random), random_pose(random), random_inertia(random))
    mechanism = b.build()
    # the frame M of the base joint, in which its reaction is given
    X = b.pose("joint_frame")
    b._frames["joint_frame"] = mechanism.frame("base")
    b.output("R", X.R)
    b.output("p", X.p)
    return b.build()


def moving(system: System, seed: int = 1, speed: float = 1.0) -> State:
    """A state in general position."""
    random = np.random.default_rng(seed)
    state = system.state(assembled=False)
    state.q = np.concatenate([np.zeros(0), *[random_q(b.mobilizer, random) for b in system.mechanism.bodies]])
    state.u = random.uniform(-speed, speed, len(state.u))
    return state


def energy(result) -> np.ndarray:
    return result["kinetic_energy"] + result["potential_energy"]


def closed_chain(links: int = 3, span: float = 2.0) -> Mechanism:
    """A planar chain of unit links whose end is tied to a point `span` away by a ball joint (two equations)."""
    b = MechanismBuilder("closed chain", gravity=[0, -9.81, 0])
    R = axis_frame([0, 0, 1])
    for k in range(links):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", Revolute(), Transform(R, [0, -1.0 if k else 0.0, 0]),
               Transform(R), Inertia(1, [0, -0.5, 0], [0.1, 0.02, 0.1]))
    b.frame("tip", f"b{links - 1}", Transform(None, [0, -1, 0]))
    b.frame("anchor", "world", Transform(None, [span, 0, 0]))
    b.constraint("ball", b.relative_pose("anchor", "tip").p)
    return b.build()


def bricard(length: float = 1.0) -> Mechanism:
    """Bricard's trihedral loop: six revolutes, links of equal length, successive axes at right angles.

    Denavit–Hartenberg: a = `length`, d = 0, twists +90° and −90° in turn.  Grübler gives 6 − 6 = 0 freedoms; one
    equation of the closure is redundant, and the loop moves with one.  The symmetric position has all
    joint angles ±θ in turn.
    """
    b = MechanismBuilder("Bricard", gravity=[0, 0, 0])
    link = Inertia(1.0, [0.5 * length, 0, 0], np.diag([0.02, 0.1, 0.1]))
    for k in range(6):
        # the frame F of joint k sits at the far end of link k − 1, its axis z turned by the link's twist
        twist = np.pi / 2 * (-1) ** (k - 1)
        X_PF = Transform(rotation_x(twist), [length, 0, 0]) if k else Transform()
        if k < 5:
            b.body(f"b{k}", f"b{k - 1}" if k else "world", Revolute(), X_PF, inertia=link)
    # the last link is the ground's neighbour: its far end must meet the ground's own frame through joint 5
    b.body("b5", "b4", Revolute(), Transform(rotation_x(np.pi / 2 * (-1) ** 4), [length, 0, 0]), inertia=link)
    b.frame("end", "b5", Transform(rotation_x(np.pi / 2 * (-1) ** 5), [length, 0, 0]))
    b.frame("start", "world")
    X = b.relative_pose("start", "end")
    # closed when the end frame coincides with the start: three of position, three of attitude
    b.constraint("closure", [X.p[0], X.p[1], X.p[2], X.R[2, 1], X.R[0, 2], X.R[1, 0]])
    return b.build()
