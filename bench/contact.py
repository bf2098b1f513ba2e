"""What contact costs: evaluations with balls that press on a floor, compliant and rigid, and impacts."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts

from .heap import heaps
from .instants import cost
from .trot import trots

LINKS, RADIUS = 7, 0.05
LAWS = {"Hunt–Crossley": contact.HuntCrossley(stiffness=1e7, dissipation=0.5, mu=0.3),
        "rigid, no friction": contact.Rigid(), "rigid, friction": contact.Rigid(mu=0.3)}


def chain(count: int, law) -> lw.Model:
    """A chain of links that turn about all axes in turn, with balls along it over one floor."""
    m = lw.Model("chain over a floor")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.post = parts.FixedTranslation(r=[0, 1, 0])
    m.joint = [joints.Revolute(n=np.eye(3)[(k + 2) % 3], phi=0.1 * k) for k in range(LINKS)]
    m.link = [parts.BodyCylinder(r=[0.1, -0.2, 0], diameter=0.03) for _ in range(LINKS)]
    m.chain(m.world, m.post, *[part for pair in zip(m.joint, m.link, strict=True) for part in pair])
    m.skin = [contact.Sphere(radius=RADIUS) for _ in range(count)]
    for k, skin in enumerate(m.skin):
        m.connect(m.link[(LINKS - 1 - k) % LINKS].frame_b, skin.frame_a)
    m.touch = [contact.Pair(m.floor, skin, law=law) for skin in m.skin]
    return m


def bouncing(skin) -> lw.Model:
    """A body with a ball for a skin, or a box that falls flat, thrown back again and again."""
    m = lw.Model("bouncing")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), skin
    m.ball = parts.Body(m=1, inertia=[1e-3] * 3, r_0=[0, RADIUS + 1e-3, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=1.0, mu=0.3))
    return m


def contacts(repeat: int) -> None:
    """µs per evaluation of the accelerations by number of contacts and law; µs per impact."""
    print(f"\nContact: a chain of {LINKS} links, µs per evaluation")
    print(f"{'':22s}" + "".join(f"{count:>10d}" for count in (0, 1, 4, 16)))
    for name, law in LAWS.items():
        best = []
        for count in (0, 1, 4, 16):
            system = lw.compile(chain(count, law))
            state, names = system.state(), system.part_names("d")
            # all of them press: modes are inputs, else what is open would be folded away
            d = [float(not isinstance(law, contact.Rigid) or name.endswith(("closed", "armed"))) for name in names]
            f = system.function(["q", "u", "d"], ["udot"])
            # many short spells: the best of them is not disturbed by what else the machine does
            best.append(min(f.time(state.q, state.u, np.array(d), n=100) for _ in range(100 * repeat)))
        print(f"{name:22s}" + "".join(f"{1e6 * seconds:10.2f}" for seconds in best), flush=True)
    for name, skin in (("one ball", contact.Sphere(radius=RADIUS)),
                       ("a box that falls flat", contact.Box(size=[0.2, 2 * RADIUS, 0.2]))):
        total, decided, r = cost(lw.compile(bouncing(skin)), 20.0, repeat, output_step=20.0)
        hits = len({row.time for row in r.contacts if row.what == "hit"})
        print(f"an impact with friction ({name}, {hits} of them): {1e6 * decided / hits:.1f} µs, "
              f"{1e6 * total / hits:.1f} with its steps")
    heaps()
    trots(min(repeat, 2))
