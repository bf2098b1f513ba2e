"""What derivatives cost: of accelerations, of runs, an iteration of optimal control."""

from __future__ import annotations

import time

import casadi as ca
import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational

from . import gradients

STOP = 2.0


def chain(motors: bool = False, springs: bool = False) -> lw.Model:
    """The spatial chain of seven links of `models`, perhaps with motors, or springs and dampers, in its joints."""
    m = lw.Model("chain")
    m.world, last = lw.World(g=9.81), None
    for k in range(7):
        joint = joints.Revolute(n=[float(k % 3 == i) for i in range(3)], phi=0.3, w=0)
        link = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1])
        setattr(m, f"j{k}", joint)
        setattr(m, f"b{k}", link)
        m.chain(m.world if last is None else last, joint, link)
        last = link
        if motors:
            setattr(m, f"m{k}", rotational.Torque())
            m.connect(joint.axis, getattr(m, f"m{k}").flange)
        if springs:
            setattr(m, f"s{k}", rotational.SpringDamper(c=0.2, d=0.01, phi_rel0=0.1))
            m.connect(joint.support, getattr(m, f"s{k}").flange_a)
            m.connect(joint.axis, getattr(m, f"s{k}").flange_b)
    return m


def derivatives(repeat: int) -> None:
    """Of accelerations, of runs forward and backward; then a plan from point to point."""
    gradients.accelerations(repeat)
    print("\n7-chain")
    few = [*[f"b{k}.m" for k in range(7)], *[f"b{k}.r[1]" for k in range(6)], *[f"j{k}.phi" for k in range(7)]]
    gradients.columns_beside_differences(chain(), few, "b6.frame_b.r_0[0]", STOP, repeat)
    entries = ["m", *(f"{vector}[{i}]" for vector in ("r", "r_cm", "inertia") for i in range(3))]
    many = [*[f"b{k}.{entry}" for k in range(7) for entry in entries], *[f"j{k}.{x}" for k in range(7)
                                                                         for x in ("phi", "w")]]
    many += [f"s{k}.{x}" for x in ("c", "d", "phi_rel0") for k in range(7)][: 100 - len(many)]
    for stop in (STOP, 10.0):
        gradients.adjoint(chain(springs=True), many, "b6.frame_b.r_0[0]", stop, repeat)
    point_to_point(repeat)


def point_to_point(repeat: int) -> None:
    """A plan for the 7-chain, 50 intervals, beside the same programme with CasADi's own derivatives of a map."""
    m = chain(motors=True)
    effort = sum((lw.integral(getattr(m, f"m{k}").tau ** 2) for k in range(1, 7)), lw.integral(m.m0.tau**2))
    asked = dict(minimize=effort, time=1.0, intervals=50, tries=1,
                 end={f"j{k}.{x}": value for k in range(7) for x, value in (("phi", 0.6), ("w", 0.0))})
    inputs = {f"m{k}.tau": (-200, 200) for k in range(7)}
    lw.control(m, inputs, **asked)  # compiles
    start = time.process_time()
    lw.control(m, inputs, **asked, iterations=1)
    rest = time.process_time() - start
    own, count = np.inf, 0
    for _ in range(repeat):
        start = time.process_time()
        plan = lw.control(m, inputs, **asked)
        own, count = min(own, time.process_time() - start - rest), plan.counters["iterations"]
    theirs, steps = by_casadi(plan)
    print(f"7-chain from point to point, 50 intervals, processor time: {1e3 * own / count:.1f} ms an iteration "
          f"({count}, goal {plan.goal:.6f}), CasADi's own derivatives of a map {1e3 * theirs / steps:.1f} ms "
          f"(the first {steps})")


def by_casadi(plan) -> tuple[float, int]:
    """(s, iterations): the same unknowns and rows, written as one does with CasADi alone; the first iterations."""
    point, mesh = plan._point, plan.mesh
    rows = ca.Function("rows", [point.variables, point.constants], [point.residuals], {"cse": True})
    constants = point.constants_of(plan.start, mesh.times)[0]
    points, (D, A) = mesh.points, (ca.sparsify(ca.DM(matrix)) for matrix in mesh.defects())
    V = ca.MX.sym("V", point.n, points)
    # time does not occur in this model
    everywhere = rows.map(points)(V, ca.repmat(ca.DM(constants), 1, points))
    defects = V[: point.nx, :] @ D.T - V[point.slopes, :] @ A.T
    goal = ca.dot(ca.repmat(ca.DM(mesh.weights).T, 7, 1), V[point.places["w"], :] ** 2)
    solver = ca.nlpsol("plan", "ipopt", {"x": ca.vec(V), "f": goal, "g": ca.veccat(everywhere, defects)},
                       {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False, "ipopt.max_iter": 20})
    low, high = (np.full((points, point.n), sign * np.inf) for sign in (-1, 1))
    low[:, point.places["w"]], high[:, point.places["w"]] = -200, 200
    low[0, : point.nx] = high[0, : point.nx] = plan.points[0, : point.nx]
    low[-1, : point.nx] = high[-1, : point.nx] = plan.points[-1, : point.nx]
    guess = np.zeros((points, point.n))
    guess[:, : point.nx] = (1 - mesh.times[:, None]) * low[0, : point.nx] + mesh.times[:, None] * low[-1, : point.nx]
    start = time.process_time()
    solver(x0=guess.ravel(), lbx=low.ravel(), ubx=high.ravel(), lbg=0, ubg=0)
    return time.process_time() - start, int(solver.stats()["iter_count"])
