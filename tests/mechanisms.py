"""Common mechanisms for tests: every kind of mobilizer, random trees of them, and the chains of the reference."""

from __future__ import annotations

from dataclasses import MISSING, fields

import casadi as ca
import numpy as np

from linkwright.algebra import Inertia, Transform, VelocityMotor, axis_frame, rotation_y, rotation_z
from linkwright.algebra.rotations import rotation_from_vector
from linkwright.equations.articulated import articulated_inertias, bias_forces, solve_tree
from linkwright.equations.inverse import joint_forces
from linkwright.equations.kinematics import Kinematics, accelerations, kinematics
from linkwright.mechanism import (
    CantileverFreeBeam,
    Custom,
    Ellipsoid,
    Free,
    FreeLine,
    FunctionBased,
    LineOrientation,
    Mechanism,
    MechanismBuilder,
    Mobilizer,
    Revolute,
    Screw,
    Spherical,
    SphericalCoords,
    kinds,
)


def _on_a_cone(q):
    """A frame that turns about z while it slides down a cone: two coordinates, position and attitude coupled."""
    turn = rotation_z(q[0])
    return Transform(turn @ rotation_y(0.4 * q[1]), turn @ ca.vertcat(q[1], 0, 0.5 * q[1] ** 2))


def _plain_kinds() -> dict[str, Mobilizer]:
    """One of every built-in kind that needs no arguments; a new kind enters by itself."""
    found = [getattr(kinds, name) for name in kinds.__all__]
    return {kind.__name__: kind() for kind in found if isinstance(kind, type) and not any(
        f.default is MISSING for f in fields(kind))}


#: the rows of Simbody's table of mobilizers, variants beside one another
KINDS: dict[str, Mobilizer] = _plain_kinds() | {
    "Screw": Screw(0.3),
    "SphericalCoords-x": SphericalCoords(0.2, -0.3, negative_azimuth=True, negative_zenith=True,
                                         negative_radius=True, radial_axis="x"),
    "Spherical-123": Spherical((1, 2, 3)),
    "Spherical-313": Spherical((3, 1, 3)),
    "Spherical-231": Spherical((2, 3, 1)),
    "Ellipsoid": Ellipsoid((0.5, 0.8, 1.1)),
    "Ellipsoid-321": Ellipsoid((0.5, 0.8, 1.1), (3, 2, 1)),
    "LineOrientation-123": LineOrientation((1, 2, 3)),
    "Free-132": Free((1, 3, 2)),
    "FreeLine-212": FreeLine((2, 1, 2)),
    "CantileverFreeBeam": CantileverFreeBeam(0.7),
    "FunctionBased": FunctionBased(2, (lambda q: 0.5 * q[0] * q[1], None, lambda q: q[0],
                                       lambda q: ca.sin(q[0]), lambda q: q[1], None)),
    "Custom": Custom(2, _on_a_cone, (0.0, 0.8)),
}


def random_q(kind: Mobilizer, random) -> np.ndarray:
    """Coordinates in general position, away from singular ones (for proper Euler angles the second must not vanish)."""
    return kind.normalised(kind.default() + random.uniform(0.3, 0.8, kind.nq))


def random_coordinates(mechanism: Mechanism, random) -> np.ndarray:
    return np.concatenate([np.zeros(0), *[random_q(body.mobilizer, random) for body in mechanism.bodies]])


def random_pose(random) -> Transform:
    return Transform(rotation_from_vector(random.normal(size=3)), random.normal(size=3))


def random_inertia(random) -> Inertia:
    """A real body: its tensor obeys the triangle inequality about any axis."""
    A = random.normal(size=(3, 3))
    spread = A @ A.T + 0.1 * np.eye(3)
    return Inertia(random.uniform(0.5, 2), random.uniform(-0.5, 0.5, 3), np.trace(spread) * np.eye(3) - spread)


def random_tree(kinds: list[Mobilizer], seed: int = 0, reverse=(), gravity=(0.4, -9.0, 1.5)) -> Mechanism:
    """Bodies b0, b1, … on the given kinds, each on a random earlier body; those numbered in `reverse` swap roles."""
    random = np.random.default_rng(seed)
    builder = MechanismBuilder("random tree", gravity=gravity)
    for k, kind in enumerate(kinds):
        parent = f"b{random.integers(max(k - 3, 0), k)}" if k and random.random() < 0.9 else "world"
        builder.body(f"b{k}", parent, kind, random_pose(random), random_pose(random), random_inertia(random),
                     reversed=k in reverse)
    return builder.build()


def every_joint(seed: int = 0) -> Mechanism:
    """A random tree with every kind of mobilizer, every third one reversed."""
    kinds = [kind for kind in KINDS.values()]
    np.random.default_rng(seed).shuffle(kinds)
    return random_tree(kinds, seed, reverse=range(1, len(kinds), 3))


def chain(n: int, planar: bool = False) -> Mechanism:
    """The spatial chain of reference/README.md (revolutes about x, y, z in turn), or its planar kin (all about z)."""
    builder = MechanismBuilder("chain", gravity=[0, -9.81, 0])
    frames = [axis_frame(e) for e in np.eye(3)]
    for k in range(n):
        R = frames[2 if planar else k % 3]
        builder.body(f"b{k}", f"b{k - 1}" if k else "world", Revolute(), Transform(R, [0, -1.0 if k else 0.0, 0]),
                     Transform(R), Inertia(1, [0, -0.5, 0], [0.1, 0.02, 0.1]))
    return builder.build()


# --- the recursions, put together for a mechanism under uniform gravity and without loads ---


def trace(mechanism: Mechanism) -> Kinematics:
    """The kinematics on fresh symbols q and u."""
    return kinematics(mechanism, ca.SX.sym("q", mechanism.nq), ca.SX.sym("u", mechanism.nu))


def world_acceleration(mechanism: Mechanism) -> VelocityMotor:
    """Uniform gravity as an acceleration of the world."""
    return VelocityMotor((0, 0, 0), -np.array(mechanism.gravity.g, dtype=float))


def forward_dynamics(kin: Kinematics, tau=None):
    """(u̇, body accelerations) by the articulated-body recursion."""
    m = kin.mechanism
    factors, left = articulated_inertias(kin)
    tau = ca.SX.zeros(m.nu) if tau is None else tau
    udot, A = solve_tree(kin, factors, left, tau, bias_forces(kin, [None] * len(m.bodies)), kin.c,
                         world_acceleration(m))
    return ca.vertcat(*[value for joint in udot for value in joint]), A


def inverse_dynamics(kin: Kinematics, udot):
    """(τ, force motors through the joints) by the Newton–Euler recursion."""
    m = kin.mechanism
    A = accelerations(kin, udot, world_acceleration(m))
    tau, f = joint_forces(kin, A, bias_forces(kin, [None] * len(m.bodies)), udot)
    return ca.vertcat(*tau), f


def energies(kin: Kinematics):
    """(kinetic, potential) energy as sums over the bodies."""
    g = np.array(kin.mechanism.gravity.g, dtype=float)
    kinetic = potential = 0
    for body, V, X_WB in zip(kin.mechanism.bodies, kin.V, kin.X_WB, strict=True):
        kinetic += (body.inertia @ V).dot(V) / 2
        potential -= ca.dot(g, X_WB.R @ body.inertia.first_moment + X_WB.p * body.inertia.m)
    return kinetic, potential
