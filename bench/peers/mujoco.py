"""MuJoCo: RK4 at the same step through `mujoco.rollout`, its loop in C; what it need not compute is switched off."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import rollout

from .. import models
from . import Run

VERSION = mujoco.__version__
MOST = 512  # "depth limit exceeded" for a chain of 1024


def model(d: models.Description, h: float):
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = models.GRAVITY, h
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    if d.anchor is None:
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    spec.compiler.degree = False
    bodies = {models.WORLD: spec.worldbody}
    for k, link in enumerate(d.links):
        bodies[k] = body = bodies[link.parent].add_body(
            name=f"b{k}", pos=link.offset, mass=models.MASS, ipos=models.CENTRE, inertia=models.INERTIA,
            explicitinertial=True)
        body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.eye(3)[link.axis])
    if d.anchor is not None:
        bodies[d.n - 1].add_site(name="tip", pos=models.TIP)
        spec.worldbody.add_site(name="anchor", pos=d.anchor)
        spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE, name1="tip",
                          name2="anchor")
    return spec.compile()


def _prepared(d: models.Description, h: float):
    m = model(d, h)
    data = mujoco.MjData(m)
    order = np.array([m.joint(f"j{k}").qposadr[0] for k in range(d.n)])  # depth first there
    data.qpos[order] = d.q
    state = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(m, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return m, data, state, order


def forward(d: models.Description) -> Run | None:
    """A quarter of a step of RK4: cheaper per evaluation than `mj_forward` called from Python."""
    if d.n > MOST:
        return None
    run = simulation(d, 1e-4, max(20, 20_000 // d.n))
    m, data, _, order = _prepared(d, 1e-4)

    def value():
        data.qpos[order] = d.q
        mujoco.mj_forward(m, data)
        return data.qacc[order]

    return Run(run.call, 4 * run.count, value)


def simulation(d: models.Description, h: float, steps: int) -> Run | None:
    if d.n > MOST:
        return None
    m, data, state, order = _prepared(d, h)
    sensors = np.zeros((1, steps, m.nsensordata))
    states = np.zeros((1, steps, len(state)))

    def run():
        rollout.rollout(m, data, state[None], None, nstep=steps, state=states, sensordata=sensors)

    return Run(run, steps, lambda: states[0, -1, 1 + order])
