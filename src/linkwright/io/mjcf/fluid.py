"""What a fluid does to bodies: drag on the box that has a body's mass and principal moments.

With its edges bᵢ = √(6 (Iⱼ + Iₖ − Iᵢ)/m), their mean d, the velocity v against the fluid and ω, along principal axes,

    fᵢ = −3π d η vᵢ − ½ ρ bⱼ bₖ |vᵢ| vᵢ,     τᵢ = −π d³ η ωᵢ − ρ bᵢ (bⱼ⁴ + bₖ⁴)/64 |ωᵢ| ωᵢ

(mujoco.readthedocs.io, "Passive forces: inertia model").
"""

from __future__ import annotations

import casadi as ca
import numpy as np

import linkwright as lw

from ..tolerances import EQUAL_MOMENTS
from .bodies import Place, Tree


def add_fluid(tree: Tree) -> None:
    """Drag on all bodies that move, where the file has a fluid."""
    settings = tree.settings
    if not (settings.density or settings.viscosity) or not tree.settings.dampers:
        return
    for element in tree.fluid_shapes:
        tree.report.approximate(element, "fluidshape: the drag of its body is that of a box here, not of an ellipsoid")
    for name, place in tree.parts.bodies.items():
        if place.component is not None and float(place.component.m) > 0:
            _drag(tree, name, place)


def _drag(tree: Tree, name: str, place: Place) -> None:
    body = place.component
    assert body is not None, "asked before"
    m, inertia = float(body.m), np.asarray(body.inertia, dtype=float)
    X = place.inertial
    if X is None:
        moments, axes = np.linalg.eigh(inertia)
        X = lw.Transform(axes * np.array([1, 1, np.linalg.det(axes)]), body.r_cm)
        if tree.settings.density and np.diff(moments).min() < EQUAL_MOMENTS * moments[2] and np.any(np.diff(moments)):
            tree.report.remark_file(f"drag on {name}: two of its principal moments are equal, so that the axes of its "
                                    "box are not the file's own")
    moments = np.diag(X.R.T @ inertia @ X.R)
    b = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / m, 0.0))
    frame = tree.building.placed(place.frame, X, f"{name}_principal")
    d, rho, eta = float(b.mean()), tree.settings.density, tree.settings.viscosity
    v, w = frame.R_WF.T @ (frame.v_0 - np.array(tree.settings.wind)), frame.w
    force, torque = [], []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        force.append(-3 * np.pi * d * eta * v[k] - 0.5 * rho * b[i] * b[j] * ca.fabs(v[k]) * v[k])
        torque.append(-np.pi * d**3 * eta * w[k] - rho * b[k] * (b[i]**4 + b[j]**4) / 64 * ca.fabs(w[k]) * w[k])
    load = lw.forces.WorldForceAndTorque(resolve_in_frame="frame_b", force=force, torque=torque, animation=False)
    tree.building.add(f"{name}_drag", load)
    tree.building.model.connect(frame, load.frame_b)
