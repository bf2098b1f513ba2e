"""Loads on bodies and mobilities: the laws of a mechanism on its traced motion, fields of gravity included."""

from __future__ import annotations

import casadi as ca

from ..algebra import ForceMotor, Transform
from ..mechanism import WORLD, BodyLoad, Mechanism, MobilityLoad
from .laws import Laws


def law_expressions(mechanism: Mechanism) -> list[ca.SX]:
    """The expressions of all loads, in the order of the mechanism."""
    return [ca.SX(load.motor.vector() if isinstance(load, BodyLoad) else load.value) for load in mechanism.loads]


def applied_loads(laws: Laws) -> tuple[list[ForceMotor | None], ca.SX]:
    """Force motors on bodies, in body axes at body origins (None where there is none), and forces on mobilities."""
    mechanism, kin = laws.mechanism, laws.kin
    values = laws.evaluate(*law_expressions(mechanism)) if mechanism.loads else []
    on_body: list[ForceMotor | None] = [None] * len(mechanism.bodies)
    tau = [ca.SX(0)] * mechanism.nu
    _, u_slices = mechanism.slices()

    def add(body: int, motor: ForceMotor) -> None:
        on_body[body] = motor if on_body[body] is None else on_body[body] + motor

    for load, value in zip(mechanism.loads, values, strict=True):
        if isinstance(load, MobilityLoad):
            tau[u_slices[mechanism.index(load.joint)].start + load.index] += value
            continue
        frame = mechanism.frame(load.frame)
        if frame.body == WORLD:
            continue  # the world takes any force
        motor = ForceMotor.from_vector(value)
        if load.axes == "world":
            R_WQ = kin.pose(frame).R
            motor = ForceMotor(R_WQ.T @ motor.resultant, R_WQ.T @ motor.moment)
        add(frame.body, frame.X_BQ @ motor)
    if not mechanism.gravity.uniform:
        for k in range(len(mechanism.bodies)):
            for mass, centre in kin.centres(k):
                weight = _weight(mechanism, mass, centre, kin.X_WB[k])
                add(k, weight)
                # the weight of what bends moves with its centre of mass: m ∂c/∂q_k is the resultant of N_k
                for place, N in enumerate(kin.couplings(k), u_slices[k].start):
                    tau[place] += ca.dot(ca.SX(N.resultant), weight.resultant / mass)
    return on_body, ca.vertcat(ca.SX(0, 1), *tau)


def _weight(mechanism: Mechanism, mass: object, centre: ca.SX, X_WB: Transform) -> ForceMotor:
    """Weight in a field that varies in space, taken at the centre of mass of one part of a body."""
    force = X_WB.R.T @ (mass * mechanism.gravity.at(X_WB @ centre))
    return ForceMotor(force, ca.cross(centre, force))
