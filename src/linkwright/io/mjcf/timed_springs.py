"""Springs and dampers given by a time constant T and a damping ratio ζ (springdamper).

Stiffness J/(T ζ)² and damping 2 J/T need the inertia J = 1/(M⁻¹)ⱼⱼ that the joint feels of the whole mechanism in the
pose that the file draws, so that the mechanism is compiled once to find it.
"""

from __future__ import annotations

import numpy as np

import linkwright as lw

from ...algebra import quaternion_from_rotation
from .bodies import Tree
from .keyframes import places_of, set_coordinates


def add_timed_springs(tree: Tree) -> None:
    """Give the joints that ask for it their springs and dampers."""
    if not tree.timed:
        return
    system = lw.compile(tree.building.model)
    state = system.state_from_defaults()
    joints = tuple(tree.parts.joints.values())
    set_coordinates(system, state, joints, drawn(tree), None)
    inverse = np.linalg.inv(system.mass_matrix(state))
    for element, joint in tree.timed:
        time, ratio = element.numbers("springdamper", 2)
        k = places_of(system, "u")[joint.component.path]
        J = 1 / inverse[k, k]
        if tree.settings.springs:
            tree.building.spring(joint.component, J / (time * ratio) ** 2, joint.spring_ref, f"{joint.name}_spring")
        if tree.friction and tree.settings.dampers:
            tree.building.damper(joint.component, 2 * J / time, f"{joint.name}_damper")


def drawn(tree: Tree) -> np.ndarray:
    """The coordinates of the pose that the file draws, in MuJoCo's order."""
    parts: list[np.ndarray] = []
    for joint in tree.parts.joints.values():
        if joint.kind == "free":
            X = tree.parts.bodies[joint.body].X
            parts.append(np.concatenate([X.p, np.asarray(quaternion_from_rotation(X.R), dtype=float).ravel()]))
        else:
            parts.append(np.array([1.0, 0, 0, 0]) if joint.kind == "ball" else np.array([joint.ref]))
    return np.concatenate([np.zeros(0), *parts])
