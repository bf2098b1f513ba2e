"""Drake: a continuous plant under its Simulator in C++, third-order Runge–Kutta at the same fixed step."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from pydrake.all import (
    FixedOffsetFrame,
    MultibodyPlant,
    ResetIntegratorFromFlags,
    RevoluteJoint,
    RigidTransform,
    RotationalInertia,
    Simulator,
    SpatialInertia,
)

from .. import models
from . import Run

VERSION = version("drake")
STAGES = 3


def plant(d: models.Description):
    """The plant, and where the coordinate of each link stands in its own order."""
    p = MultibodyPlant(time_step=0.0)
    inertia = SpatialInertia.MakeFromCentralInertia(models.MASS, models.CENTRE, RotationalInertia(*models.INERTIA))
    bodies = []
    for k, link in enumerate(d.links):
        body = p.AddRigidBody(f"b{k}", inertia)
        parent = p.world_body() if link.parent == models.WORLD else bodies[link.parent]
        at = p.AddFrame(FixedOffsetFrame(f"f{k}", parent.body_frame(), RigidTransform(np.array(link.offset, float))))
        p.AddJoint(RevoluteJoint(f"j{k}", at, body.body_frame(), np.eye(3)[link.axis]))
        bodies.append(body)
    p.mutable_gravity_field().set_gravity_vector(models.GRAVITY)
    p.Finalize()
    return p, np.array([p.GetJointByName(f"j{k}").position_start() for k in range(d.n)])


def forward(d: models.Description) -> Run | None:
    """A third of a step: cheaper per evaluation than `EvalTimeDerivatives` called from Python."""
    run = simulation(d, 1e-4, max(20, 5000 // d.n))
    if run is None:
        return None
    p, order = plant(d)
    context = p.CreateDefaultContext()

    def value():
        p.SetPositions(context, d.q)  # all equal
        return p.EvalTimeDerivatives(context).CopyToVector()[d.n + order]

    return Run(run.call, STAGES * run.count, value)


def simulation(d: models.Description, h: float, steps: int) -> Run | None:
    if d.anchor is not None:
        return None  # ball constraints exist in discrete time only, where the step is not RK
    p, order = plant(d)
    simulator = Simulator(p)
    ResetIntegratorFromFlags(simulator, "runge_kutta3", h)
    integrator = simulator.get_mutable_integrator()
    integrator.set_fixed_step_mode(True)
    context = simulator.get_mutable_context()

    def run():
        context.SetTime(0.0)
        p.SetPositions(context, d.q)
        p.SetVelocities(context, np.zeros(d.n))
        simulator.Initialize()
        simulator.AdvanceTo(h * steps)

    return Run(run, steps, lambda: p.GetPositions(context)[order])
