"""The planar four-bar of reference/README.md for 10 s: Linkwright at its defaults beside MuJoCo at four settings.

MuJoCo closes the loop by a soft `connect`; how well depends on its time step, integrator, and the stiffness (`solref`,
a time constant) and impedance (`solimp`) of that equality.  All were searched: Euler and implicitfast (the same here,
there is no damping) have no setting that holds its error when step or stiffness changes a little, down to 0.25 ms; only
RK4 comes within 1e-2 rad of the exact travel of the crank.  How costly that is depends on who tunes:

* with `solimp` left alone: RK4 at 1 ms, solref 2 ms, the shortest that this step admits (1.1 ms is not within 1e-2);
* with `solimp` at its limit 0.9999 too: RK4 at 10 ms, solref 50 ms, the longest step at which every solref between 4
  and 6 steps is within 1e-2, and remains so at shorter steps;
* the luckiest: RK4 at 25 ms, solref 87.5 ms: errors of opposite sign cancel (0.02 at 3 steps, −0.01 at 4);
* as accurate as Linkwright is by default: RK4 at 0.25 ms with solref 1 ms.
"""

from __future__ import annotations

import importlib.util

import numpy as np

import linkwright as lw
from linkwright import joints, parts

from . import models
from .peers import Run
from .peers import linkwright as own
from .table import best_of

TRAVEL = 79.4412268629  # rad, exact
STOP = 10.0
GROUND, LENGTHS = 1.0, (0.3, 0.9, 0.6)
#: angles of crank, coupler and rocker to the ground at the start
ANGLES = (np.pi / 3, 0.38734771048495675, 1.598595310921279)
#: what MuJoCo is tuned to → (step, time constant, impedance)
SETTINGS = {
    "solref tuned": (1e-3, 2e-3, 0.9),
    "solref, solimp tuned": (10e-3, 50e-3, 0.9999),
    "luckiest": (25e-3, 87.5e-3, 0.9999),
    "as accurate": (0.25e-3, 1e-3, 0.9999),
}


def model() -> lw.Model:
    """Four plain revolutes in space; each moving link a slender rod of 1 kg."""
    m = lw.Model("fourbar")
    m.world = lw.World(g=9.81)
    m.rev1 = joints.Revolute(phi=ANGLES[0], w=5.0)
    m.rev2, m.rev3 = joints.Revolute(phi=lw.guess(-0.6)), joints.Revolute()
    m.rev4 = joints.Revolute(phi=lw.guess(2.0))
    m.crank, m.coupler, m.rocker = (
        parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0], inertia=[0, length**2 / 12, length**2 / 12])
        for length in LENGTHS)
    m.ground = parts.FixedTranslation(r=[GROUND, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.coupler.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def fourbar(repeat: int) -> None:
    """One line each: processor time of the run, how many times ours, error of the crank's travel; then single costs."""
    system = lw.compile(model(), tier="optimised")
    runs = {"linkwright": _own(system)}
    if importlib.util.find_spec("mujoco"):
        runs |= {name: _mujoco(*setting) for name, setting in SETTINGS.items()}
    else:
        print("mujoco: not installed, left out")
    best = best_of(runs, repeat)
    print(f"\nFour-bar, {STOP:g} s (ms of a run on compiled code; ratio to linkwright; error of {TRAVEL:.2f} rad)")
    for name, run in runs.items():
        setting = "default accuracy"
        if name in SETTINGS:
            h, time_constant, impedance = SETTINGS[name]
            setting = f"MuJoCo, RK4 at {1e3 * h:g} ms, solref {1e3 * time_constant:g} ms, solimp {impedance:g}"
        print(f"{name:22s}{1e-3 * best[name]:10.2f}{best[name] / best['linkwright']:8.1f}×"
              f"{run.value()[0] - TRAVEL:12.1e}   {setting}")
    for formulation in ("projection", "minimal"):
        rhs = lw.compile(model(), formulation=formulation, tier="optimised").rhs
        state = system.state()
        x = np.zeros(rhs.n_in)
        x[1 : 1 + len(state.q) + len(state.u)] = np.concatenate([state.q, state.u])
        print(f"accelerations in the loop, {formulation}: {1e6 * rhs.time(x, n=20_000, repeat=repeat):.3f} µs")
    closed = best_of({"chain": own.forward(models.closed())}, repeat)["chain"]
    print(f"accelerations of the chain of 32 links, closed: {closed:.2f} µs")


def _own(system) -> Run:
    final = []

    def run():
        final[:] = [lw.simulate(system, STOP)]

    run()
    return Run(run, 1, lambda: np.diff(final[0]["rev1.phi"][[0, -1]]))


def _mujoco(h: float, time_constant: float, impedance: float) -> Run:
    """Three hinges and a `connect` between the ends of coupler and rocker."""
    import mujoco
    from mujoco import rollout

    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = models.GRAVITY, h
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    spec.compiler.degree = False

    def link(parent, name, at, length):
        across = length**2 / 12
        body = parent.add_body(name=name, pos=[at, 0, 0], mass=1, ipos=[length / 2, 0, 0],
                               inertia=[1e-4, across, across], explicitinertial=True)
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        body.add_site(name=f"end of {name}", pos=[length, 0, 0])
        return body

    crank = link(spec.worldbody, "crank", 0, LENGTHS[0])
    link(crank, "coupler", LENGTHS[0], LENGTHS[1])
    link(spec.worldbody, "rocker", GROUND, LENGTHS[2])
    spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE, name1="end of coupler",
                      name2="end of rocker", solref=[time_constant, 1], solimp=[impedance, max(impedance, 0.95),
                                                                               0.001, 0.5, 2])
    m = spec.compile()
    data, kind = mujoco.MjData(m), mujoco.mjtState.mjSTATE_FULLPHYSICS
    data.qpos[:], data.qvel[:] = _start()
    state, steps = np.zeros(mujoco.mj_stateSize(m, kind)), round(STOP / h)
    mujoco.mj_getState(m, data, state, kind)
    states, sensors = np.zeros((1, steps, len(state))), np.zeros((1, steps, m.nsensordata))

    def run():
        rollout.rollout(m, data, state[None], None, nstep=steps, state=states, sensordata=sensors)

    return Run(run, 1, lambda: states[0, -1, 1:2] - ANGLES[0])


def _start():
    """Joint angles and speeds of crank, coupler (relative to the crank) and rocker, the loop closed."""
    first, second, third = ANGLES
    a, b, c = np.transpose(np.multiply(LENGTHS, [-np.sin(ANGLES), np.cos(ANGLES)]))
    w2, w3 = np.linalg.solve(np.stack([b, -c], axis=1), -5 * a)
    return (first, second - first, third), (5.0, w2 - 5, w3)
