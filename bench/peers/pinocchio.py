"""Pinocchio: `aba`, or `constraintDynamics`, called from a tight Python loop with everything preallocated."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from .. import models
from . import Run

VERSION = pin.__version__
MOST = 400  # pin.Data holds several tensors of nv³ numbers: 50 GB for 1024 joints


def model(d: models.Description):
    m = pin.Model()
    m.gravity.linear = np.array(models.GRAVITY)
    joints = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
    inertia = pin.Inertia(models.MASS, np.array(models.CENTRE), np.diag(models.INERTIA))
    for k, link in enumerate(d.links):
        at = pin.SE3(np.eye(3), np.array(link.offset, dtype=float))
        number = m.addJoint(link.parent + 1, joints[link.axis](), at, f"j{k}")
        m.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    return m


def accelerations(d: models.Description):
    """u̇(q, u) as a function."""
    m = model(d)
    data, tau = m.createData(), np.zeros(d.n)
    if d.anchor is None:
        aba = pin.aba
        return lambda q, v: aba(m, data, q, v, tau)
    tip, anchor = (pin.SE3(np.eye(3), np.array(p)) for p in (models.TIP, d.anchor))
    ball = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, m, d.n, tip, 0, anchor, pin.ReferenceFrame.LOCAL)
    balls, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    balls.append(ball)
    datas.append(ball.createData())
    pin.initConstraintDynamics(m, data, balls, datas)
    settings = pin.ProximalSettings(1e-12, 1e-12, 10)
    solve = pin.constraintDynamics
    return lambda q, v: solve(m, data, q, v, tau, balls, datas, settings)


def forward(d: models.Description) -> Run | None:
    if d.n > MOST:
        return None
    f, q, v = accelerations(d), np.array(d.q), np.zeros(d.n)
    count = max(100, 50_000 // d.n)

    def run():
        for _ in range(count):
            f(q, v)

    return Run(run, count, lambda: np.array(f(q, v)))


def simulation(d: models.Description, h: float, steps: int) -> Run | None:
    """RK4 written in NumPy around it: Pinocchio has no integrator of its own."""
    if d.n > MOST or d.anchor is not None:
        return None
    f = accelerations(d)
    final = []

    def run():
        q, v = np.array(d.q), np.zeros(d.n)
        for _ in range(steps):
            a1 = f(q, v).copy()
            v2 = v + h / 2 * a1
            a2 = f(q + h / 2 * v, v2).copy()
            v3 = v + h / 2 * a2
            a3 = f(q + h / 2 * v2, v3).copy()
            v4 = v + h * a3
            a4 = f(q + h * v3, v4)
            q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        final[:] = [q]

    return Run(run, steps, lambda: final[0])
