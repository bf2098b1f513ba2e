"""A quadruped with compliant feet that drops and stands: the same robot for Linkwright and for MJX, on one GPU.

    python -m bench quadruped --out FOLDER        # files for a machine with a GPU
    python FOLDER/quadruped.py                    # there: needs NumPy and the driver, and JAX and mujoco-mjx for MJX

Trunk of 12 kg on four legs of two links, springs and dampers in the joints, spherical feet on a floor with friction.
Contact laws differ (Hunt and Crossley's here, MuJoCo's soft constraints there), so that each program is compared with
its own solution of small steps: the error is that of the height of the trunk over the run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts, rotational
from linkwright.start import prepare
from linkwright.studies.lane_runs import LaneRuns

STOP, RUNS, OUTPUTS = 1.0, 256, 21
TRUNK, LEG, FOOT = (0.4, 0.1, 0.25), 0.2, 0.02  # size, length of a link, radius
MASS, LINK_MASS = 12.0, 0.5
HIP, KNEE, SPRING, DAMPER = 0.6, -1.2, 150.0, 4.0  # angles at rest, N m/rad, N m s/rad
HEIGHT, FRICTION, STIFFNESS, DISSIPATION = 0.42, 0.8, 2e5, 0.5
STEPS = (1e-3, 5e-4)  # of our runs; larger ones do not last
CHECKED, FINE = 8, 5e-5  # runs that errors are taken of; MuJoCo's steps that are taken for right


def quadruped(law: object = None) -> lw.Model:
    """The robot; feet are compliant unless another law is given."""
    m = lw.Model("quadruped")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    x, y, z = TRUNK
    box = [MASS / 12 * (y * y + z * z), MASS / 12 * (x * x + z * z), MASS / 12 * (x * x + y * y)]
    m.trunk = parts.Body(m=MASS, inertia=box, r_0=[0, HEIGHT, 0], v_0=[0, 0, 0], w_a=[0, 0, 0])
    rod = LINK_MASS * LEG**2 / 12
    law = law or contact.HuntCrossley(stiffness=STIFFNESS, dissipation=DISSIPATION, mu=FRICTION)
    for k, (along, across) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        corner = parts.FixedTranslation(r=[along * x / 2, 0, across * z / 2])
        setattr(m, f"corner{k}", corner)
        m.connect(m.trunk.frame_a, corner.frame_a)
        last = corner.frame_b
        for name, rest in (("hip", HIP), ("knee", KNEE)):
            joint = joints.Revolute(n=[0, 0, 1], phi=rest, w=0.0)
            link = parts.BodyShape(r=[0, -LEG, 0], r_cm=[0, -LEG / 2, 0], m=LINK_MASS, inertia=[rod, 1e-4, rod])
            spring = rotational.SpringDamper(c=SPRING, d=DAMPER, phi_rel0=rest)
            for part, value in ((name, joint), (f"{name}_link", link), (f"{name}_spring", spring)):
                setattr(m, f"{part}{k}", value)
            m.connect(last, joint.frame_a)
            m.connect(joint.frame_b, link.frame_a)
            m.connect(joint.support, spring.flange_a)
            m.connect(joint.axis, spring.flange_b)
            last = link.frame_b
        foot = contact.Sphere(radius=FOOT)
        setattr(m, f"foot{k}", foot)
        m.connect(last, foot.frame_a)
        setattr(m, f"touch{k}", contact.Pair(m.floor, foot, law=law))
    return m


def mjcf() -> str:
    """The same robot for MuJoCo, its y axis up too."""
    x, y, z = TRUNK
    rod = LINK_MASS * LEG**2 / 12
    inertia = f"{MASS / 12 * (y * y + z * z)} {MASS / 12 * (x * x + z * z)} {MASS / 12 * (x * x + y * y)}"

    def joint(rest: float) -> str:
        # an angle of 0 is the leg as drawn, stretched downwards
        return (f'<joint type="hinge" axis="0 0 1" springref="{np.degrees(rest)}" stiffness="{SPRING}" '
                f'damping="{DAMPER}"/>'
                f'<inertial pos="0 {-LEG / 2} 0" mass="{LINK_MASS}" diaginertia="{rod} 1e-4 {rod}"/>')

    legs = "".join(
        f'<body pos="{along * x / 2} 0 {across * z / 2}">{joint(HIP)}<body pos="0 {-LEG} 0">{joint(KNEE)}'
        f'<geom type="sphere" size="{FOOT}" pos="0 {-LEG} 0" friction="{FRICTION} 0.005 0.0001" contype="1" '
        f'conaffinity="0"/></body></body>' for along, across in [(1, 1), (1, -1), (-1, 1), (-1, -1)])
    return f"""<mujoco><compiler angle="degree"/><option gravity="0 -9.80665 0" integrator="implicitfast"/><worldbody>
<geom type="plane" size="5 5 0.1" zaxis="0 1 0" friction="{FRICTION} 0.005 0.0001" contype="0" conaffinity="1"/>
<body pos="0 {HEIGHT} 0"><freejoint/><inertial pos="0 0 0" mass="{MASS}" diaginertia="{inertia}"/>{legs}</body>
</worldbody></mujoco>"""


def starts(system: lw.System, count: int) -> list:
    """Drops with speeds of their own."""
    rng, states = np.random.default_rng(0), []
    for _ in range(count):
        state = system.state().copy()
        state.u = state.u + 0.1 * rng.normal(size=len(state.u)) * (np.arange(len(state.u)) < 6)
        states.append(prepare(system, state, 0.0, {}))
    return states


def files(folder: str) -> None:
    """Runs as bundles, what is right, the robot as MJCF, and the script that measures."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    system = lw.compile(quadruped())
    states = starts(system, RUNS)
    step, height = STOP / (OUTPUTS - 1), system.part_names("q").index("trunk.y")
    exact = LaneRuns(system, states[0], STOP, step=step, accuracy=1e-10, method="dop853")
    right = exact.run(states[:CHECKED]).grid_x[:, :, height]
    for h in STEPS:
        LaneRuns(system, states[0], STOP, step=step, h=h, device="gpu").bundle(out / f"quadruped-{h:g}.zip", states)
    position, speeds, peer = _mujoco()
    (out / "quadruped.xml").write_text(mjcf())
    np.savez(out / "quadruped.npz", right=right, height=height, position=position, speeds=speeds, peer=peer, stop=STOP)
    (out / "quadruped.py").write_text((Path(__file__).parent / "quadruped_on_gpu.py").read_text())
    print(f"{out}: quadruped.py and what it needs")


def _mujoco() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where MuJoCo's runs begin, and heights of the trunk by MuJoCo itself at small steps."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf())
    model.opt.timestep = FINE
    position = np.array([0, HEIGHT, 0, 1, 0, 0, 0, *[HIP, KNEE] * 4])
    speeds = np.zeros((RUNS, model.nv))
    speeds[:, :6] = 0.1 * np.random.default_rng(0).normal(size=(RUNS, 6))
    every, heights = round(STOP / (OUTPUTS - 1) / FINE), np.empty((CHECKED, OUTPUTS))
    for k in range(CHECKED):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = position, speeds[k]
        for j in range(OUTPUTS):
            heights[k, j] = data.qpos[1]
            for _ in range(every):
                mujoco.mj_step(model, data)
    return position, speeds, heights
