"""What follows from the inertia in the pose that the file draws: springs and dampers given by times and ratios.

A joint's springdamper gives a time constant T and a damping ratio ζ; an actuator's dampratio a share of the critical
damping.


Stiffness J/(T ζ)² and damping 2 J/T need the inertia J = 1/(M⁻¹)ⱼⱼ that the joint feels of the whole mechanism in the
pose that the file draws, so that the mechanism is compiled once to find it.
"""

from __future__ import annotations

import numpy as np

import linkwright as lw

from ...algebra import quaternion_from_rotation
from ..markup import Element
from .bodies import Jointed, Tree
from .keyframes import places_of, set_coordinates


def add_timed_springs(tree: Tree) -> None:
    """Give the joints that ask for it their springs and dampers."""
    if not tree.timed:
        return
    system, inverse = drawn_mobility(tree, tree.timed[0][0])
    for element, joint in tree.timed:
        time, ratio = element.numbers("springdamper", 2)
        k = places_of(system, "u")[joint.component.path]
        J = 1 / inverse[k, k]
        if tree.settings.springs:
            tree.building.spring(joint.component, J / (time * ratio) ** 2, joint.spring_ref, f"{joint.name}_spring")
        if tree.friction and tree.settings.dampers:
            tree.building.damper(joint.component, 2 * J / time, f"{joint.name}_damper")


def drawn_mobility(tree: Tree, asker: Element) -> tuple[lw.System, np.ndarray]:
    """M⁻¹ in the pose that the file draws, and the system whose speeds it belongs to."""
    system = lw.compile(tree.building.model)
    state = system.state_from_defaults()
    set_coordinates(system, state, tuple(tree.parts.joints.values()), drawn(tree), None)
    try:
        return system, np.linalg.inv(system.mass_matrix(state))
    except np.linalg.LinAlgError:
        raise asker.error("what it moves has no inertia, from which its damping would follow; give masses, or kv and "
                          "damping themselves.") from None


def critical_damping(tree: Tree, asker: Element, stiffness: float, moments: list[tuple[Jointed, float]]) -> float:
    """2 √(k m) of a servo, m = 1/(J M⁻¹ Jᵀ) the inertia that it feels through its factors J on joints."""
    if tree.mobility is None:
        system, inverse = drawn_mobility(tree, asker)
        tree.mobility = places_of(system, "u"), inverse
    places, inverse = tree.mobility
    J = np.zeros(len(inverse))
    for joint, factor in moments:
        J[places[joint.component.path]] += factor
    return 2 * float(np.sqrt(stiffness / (J @ inverse @ J)))


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
