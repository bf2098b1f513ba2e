"""A heap of balls in a box, stepped beside MuJoCo: time, overlap and drift once it has settled."""

from __future__ import annotations

import time

import numpy as np

import linkwright as lw
from linkwright import contact, parts

RADIUS, HALF, GRAVITY, FRICTION = 0.05, 0.2, 9.81, 0.3


def places(count: int) -> np.ndarray:
    """Where the balls begin: layers of nine, a little out of order."""
    k = np.arange(count)
    out = np.column_stack([0.11 * (k % 3 - 1), 0.06 + 0.11 * (k // 9), 0.11 * (k // 3 % 3 - 1)])
    out[:, [0, 2]] += np.random.default_rng(1).uniform(-4e-3, 4e-3, (count, 2))
    return out


def heap(count: int) -> lw.Model:
    """Balls of 1 kg above a floor between four walls."""
    m = lw.Model("heap")
    m.world, m.floor = lw.World(g=GRAVITY), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    sides = np.array([[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1]])
    m.post = [parts.FixedTranslation(r=list(-HALF * side)) for side in sides]
    m.wall = [contact.Plane(n=list(side)) for side in sides]
    for post, wall in zip(m.post, m.wall, strict=True):
        m.chain(m.world, post, wall)
    m.ball = [parts.Body(m=1, inertia=[0.4 * RADIUS**2] * 3, r_0=list(p)) for p in places(count)]
    m.skin = [contact.Sphere(radius=RADIUS) for _ in m.ball]
    for body, skin in zip(m.ball, m.skin, strict=True):
        m.connect(body.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=FRICTION))
    return m


def overlap(centres: np.ndarray) -> float:
    """The deepest overlap of balls with one another, the floor and the walls."""
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 1e9 * np.eye(len(centres))
    walls = np.abs(centres[:, [0, 2]]).max() - HALF
    return max(2 * RADIUS - apart.min(), RADIUS - centres[:, 1].min(), walls + RADIUS)


def stepped_here(count: int, stop: float, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """(seconds, centres a tenth of a second before the end, and at the end) by moreau."""
    system = lw.compile(heap(count))
    lw.simulate(system, 2 * h, h=h, step=h)  # what is compiled once is not counted
    begin = time.perf_counter()
    r = lw.simulate(system, stop, h=h, step=0.1)
    return time.perf_counter() - begin, *(x[: 7 * count].reshape(count, 7)[:, 4:] for x in r.states[[-2, -1]])


def stepped_by_mujoco(count: int, stop: float, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """The same by MuJoCo with elliptic cones and its own defaults of softness."""
    import mujoco

    walls = "".join(f'<geom type="plane" pos="{-HALF * x} 0 {-HALF * z}" zaxis="{x} 0 {z}" size="1 1 .1"/>'
                    for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    balls = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="1"/></body>'
                    for x, y, z in places(count))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{h}" gravity="0 {-GRAVITY} 0" cone="elliptic"/>'
        f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" zaxis="0 1 0" size="1 1 .1"/>{walls}{balls}</worldbody></mujoco>')
    data = mujoco.MjData(model)
    before, begin = None, time.perf_counter()
    for k in range(round(stop / h)):
        if k == round((stop - 0.1) / h):
            before = data.qpos.reshape(count, 7)[:, :3].copy()
        mujoco.mj_step(model, data)
    return time.perf_counter() - begin, before, data.qpos.reshape(count, 7)[:, :3].copy()


def heaps(count: int = 200, stop: float = 2.0, h: float = 2e-3) -> None:
    """One line each: ms a step, overlap at the end, how far balls moved in the last tenth of a second."""
    print(f"\nA heap of {count} balls, {stop:g} s in steps of {1e3 * h:g} ms")
    for name, run in (("linkwright, moreau", stepped_here), ("MuJoCo, elliptic cones", stepped_by_mujoco)):
        try:
            seconds, before, after = run(count, stop, h)
        except ImportError:
            continue
        drift = np.linalg.norm(after - before, axis=1).max()
        print(f"{name:24s}{1e3 * seconds * h / stop:8.2f} ms a step, overlap {overlap(after):9.1e} m, drift "
              f"{drift:9.1e} m", flush=True)
