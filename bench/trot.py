"""A trotting quadruped (examples/quadruped.py) beside MuJoCo and Drake: how fast at which error of the trunk's path.

All have the same bodies, drives (spring and damper about angles given over time), friction and start.  The path that
counts is that of rigid contact at a tight accuracy; the others' contact is soft, as stiff as their step allows.
"""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable

import numpy as np

import linkwright as lw

from .machines import EXAMPLES

STOP, STEP = 2.0, 0.02  # seconds of the run, between the instants at which paths are compared
#: of a leg: mass, how far down its centre is, inertia
BODIES = (("hip", 0.4, 0.0, (4e-4,) * 3), ("thigh", 0.6, 1.0, (2e-3, 2e-4, 2e-3)),
          ("shank", 0.2, 1.0, (7e-4, 5e-5, 7e-4)))
AXES = ((1, 0, 0), (0, 0, 1), (0, 0, 1))
TRUNK = 9.0, (0.06, 0.17, 0.13)
GRAVITY = 9.80665


def trots(repeat: int) -> None:
    """One line per engine and setting: real-time factor, and the largest distance of the trunk from the path."""
    found = runpy.run_path(str(EXAMPLES / "quadruped.py"))
    system = lw.compile(found["m"])
    exact = lw.simulate(system, STOP, step=STEP, accuracy=1e-11)["trunk.r_0"]
    print(f"\nA quadruped that trots, {STOP:g} s: real-time factor, and the error of its trunk's path")
    runs: list[tuple[str, Callable[[], tuple[float, np.ndarray]]]] = [
        (f"linkwright, accuracy {accuracy:g}", lambda accuracy=accuracy: here(system, accuracy))
        for accuracy in (1e-3, 1e-5, 1e-8)]
    runs += [(f"MuJoCo, {1e3 * h:g} ms", lambda h=h: by_mujoco(found, h)) for h in (2e-3, 5e-4, 1e-4)]
    runs += [(f"Drake, {1e3 * h:g} ms", lambda h=h: by_drake(found, h)) for h in (2e-3, 5e-4, 1e-4)]
    for name, run in runs:
        try:
            tried = [run() for _ in range(repeat)]
        except ImportError:
            continue
        seconds, path = min(tried, key=lambda one: one[0])
        error = np.linalg.norm(path - exact, axis=1).max()
        print(f"{name:28s}{STOP / seconds:8.2f} × real time, {1e3 * error:9.4f} mm", flush=True)


def here(system: lw.System, accuracy: float) -> tuple[float, np.ndarray]:
    """(processor seconds, path of the trunk) on compiled code."""
    lw.simulate(system, 1e-3, accuracy=accuracy)
    begin = time.process_time()
    r = lw.simulate(system, STOP, step=STEP, accuracy=accuracy)
    return time.process_time() - begin, r["trunk.r_0"]


def angles(found: dict, times: np.ndarray) -> np.ndarray:
    """(times, 12) what the drives hold, leg by leg: abduction, hip, knee."""
    import casadi as ca

    legs = [(side, end) for end in (1, -1) for side in (1, -1)]
    wanted = ca.vertcat(*[x for side, end in legs for x in (0.0, *found["wanted"](side, end))])
    f = ca.Function("wanted", [lw.time], [wanted])
    return np.array([np.array(f(t)).ravel() for t in times])


def by_mujoco(found: dict, h: float) -> tuple[float, np.ndarray]:
    """MuJoCo with elliptic cones, and contact whose time constant is two steps, its least."""
    import mujoco

    length, width, leg, crouch = (found[name] for name in ("LENGTH", "WIDTH", "LEG", "CROUCH"))
    legs, motors = "", ""
    for k, (end, side) in enumerate((end, side) for end in (1, -1) for side in (1, -1)):
        close = ""
        for j, ((name, mass, low, inertia), axis) in enumerate(zip(BODIES, AXES, strict=True)):
            at = (end * length / 2, 0, side * width / 2) if j == 0 else (0, -leg if j == 2 else 0, 0)
            legs += (f'<body pos="{at[0]} {at[1]} {at[2]}">'
                     f'<joint name="{name}{k}" axis="{axis[0]} {axis[1]} {axis[2]}"/>'
                     f'<inertial mass="{mass}" pos="0 {-low * leg / 2} 0" '
                     f'diaginertia="{inertia[0]} {inertia[1]} {inertia[2]}"/>')
            motors += f'<position joint="{name}{k}" kp="{found["STIFFNESS"]}" kv="{found["DAMPING"]}"/>'
            close += "</body>"
        legs += f'<geom type="sphere" size="{found["FOOT"]}" pos="0 {-leg} 0"/>' + close
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler balanceinertia="true"/><option timestep="{h}" gravity="0 {-GRAVITY} 0" cone="elliptic" '
        'integrator="implicitfast" impratio="10"/>'
        f'<default><geom friction="{found["MU"]} 0 0" condim="3" solref="{2 * h} 1"/></default><worldbody>'
        f'<geom type="plane" zaxis="0 1 0" size="9 9 .1"/><body pos="0 {found["HEIGHT"]} 0"><freejoint/><inertial '
        f'mass="{TRUNK[0]}" pos="0 0 0" diaginertia="{TRUNK[1][0]} {TRUNK[1][1]} {TRUNK[1][2]}"/>{legs}'
        f'</body></worldbody><actuator>{motors}</actuator></mujoco>')
    data, count = mujoco.MjData(model), round(STOP / h)
    data.qpos[7:] = np.tile([0, crouch, -2 * crouch], 4)
    held, path, every = angles(found, h * np.arange(count)), [data.qpos[:3].copy()], round(STEP / h)
    begin = time.process_time()
    for k in range(count):
        data.ctrl[:] = held[k]
        mujoco.mj_step(model, data)
        if (k + 1) % every == 0:
            path.append(data.qpos[:3].copy())
    return time.process_time() - begin, np.array(path)


def by_drake(found: dict, h: float) -> tuple[float, np.ndarray]:
    """Drake's discrete plant (SAP) with points of contact and drives of its own, all in C++."""
    from pydrake.all import (
        AddMultibodyPlantSceneGraph,
        ContactModel,
        CoulombFriction,
        DiagramBuilder,
        DiscreteContactApproximation,
        FixedOffsetFrame,
        HalfSpace,
        PdControllerGains,
        PiecewisePolynomial,
        RevoluteJoint,
        RigidTransform,
        RotationalInertia,
        RotationMatrix,
        Simulator,
        SpatialInertia,
        Sphere,
        TrajectorySource,
        VectorLogSink,
    )

    length, width, leg, crouch, mu = (found[name] for name in ("LENGTH", "WIDTH", "LEG", "CROUCH", "MU"))
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=h)
    plant.set_contact_model(ContactModel.kPoint)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    plant.set_penetration_allowance(1e-5)
    robot = plant.AddModelInstance("robot")

    def inertia(mass: float, low: float, moments: tuple[float, ...]) -> SpatialInertia:
        return SpatialInertia.MakeFromCentralInertia(mass, [0, -low * leg / 2, 0], RotationalInertia(*moments))

    trunk = plant.AddRigidBody("trunk", robot, inertia(TRUNK[0], 0.0, TRUNK[1]))
    for k, (end, side) in enumerate((end, side) for end in (1, -1) for side in (1, -1)):
        parent = trunk
        for j, ((name, mass, low, moments), axis) in enumerate(zip(BODIES, AXES, strict=True)):
            at = [end * length / 2, 0, side * width / 2] if j == 0 else [0, -leg if j == 2 else 0, 0]
            body = plant.AddRigidBody(f"{name}{k}", robot, inertia(mass, low, moments))
            place = RigidTransform(np.array(at, float))
            fixed = plant.AddFrame(FixedOffsetFrame(f"{name}{k}_at", parent.body_frame(), place))
            joint = plant.AddJoint(RevoluteJoint(f"{name}{k}_joint", fixed, body.body_frame(), np.array(axis, float)))
            motor = plant.AddJointActuator(f"{name}{k}_motor", joint)
            motor.set_controller_gains(PdControllerGains(p=found["STIFFNESS"], d=found["DAMPING"]))
            parent = body
        plant.RegisterCollisionGeometry(parent, RigidTransform(np.array([0, -leg, 0.0])), Sphere(found["FOOT"]),
                                        f"foot{k}", CoulombFriction(mu, mu))
    up = RotationMatrix.MakeXRotation(-np.pi / 2)  # half spaces lie below their z
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(up, np.zeros(3)), HalfSpace(), "floor",
                                    CoulombFriction(mu, mu))
    plant.mutable_gravity_field().set_gravity_vector([0, -GRAVITY, 0])
    plant.Finalize()
    times = np.arange(0, STOP + 5e-3, 5e-3)
    held = np.hstack([angles(found, times), np.zeros((len(times), 12))])
    source = builder.AddSystem(TrajectorySource(PiecewisePolynomial.CubicShapePreserving(times, held.T)))
    builder.Connect(source.get_output_port(), plant.get_desired_state_input_port(robot))
    log = builder.AddSystem(VectorLogSink(plant.num_multibody_states(), STEP))
    builder.Connect(plant.get_state_output_port(), log.get_input_port())
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, trunk, RigidTransform(np.array([0, found["HEIGHT"], 0])))
    for k in range(4):
        for name, angle in (("thigh", crouch), ("shank", -2 * crouch)):
            plant.GetJointByName(f"{name}{k}_joint").set_angle(context, angle)
    simulator.Initialize()
    begin = time.process_time()
    simulator.AdvanceTo(STOP)
    seconds = time.process_time() - begin
    start = plant.GetBodyByName("trunk").floating_positions_start()
    return seconds, log.FindLog(simulator.get_context()).data()[start + 4 : start + 7].T
