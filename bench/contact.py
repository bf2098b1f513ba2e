"""What contact costs: evaluations with balls that press on a floor, compliant and rigid, and impacts."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts

from .heap import heaps
from .instants import cost
from .trot import trots

LINKS, RADIUS = 7, 0.05
#: name → words by which the file is found
DRIVEN = {"hopper": "suite hopper", "half-cheetah": "mujoco assets half_cheetah",
          "ant": "mujoco assets ant"}
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


def among(count: int) -> lw.Model:
    """A box that falls on a floor and tumbles, and balls far above it."""
    m = lw.Model("among others")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.box, m.skin = parts.Body(m=1, inertia=[2e-3] * 3, r_0=[0, 0.5, 0], w_0=[3, 2, 1]), contact.Box(size=[0.1] * 3)
    m.ball = [parts.Body(m=1, inertia=[1e-3] * 3, r_0=[3.0 * k, 300.0, 0]) for k in range(count)]
    m.round = [contact.Sphere(radius=RADIUS) for _ in m.ball]
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.skin.frame_a)
    for ball, skin in zip(m.ball, m.round, strict=True):
        m.connect(ball.frame_a, skin.frame_a)
    shapes = [m.floor, m.skin, *m.round]
    m.touch = [contact.Pair(a, b, law=contact.Rigid(restitution=0.5, mu=0.3)) for a, b in combinations(shapes, 2)]
    return m


def far_apart(repeat: int) -> None:
    """ms of a box that tumbles on a floor, by the number of balls far away and of pairs."""
    print("\nA box tumbles on a floor, 2 s, among balls that are far: processor time in ms, and µs per attempted step")
    for count in (0, 2, 5, 10, 20):
        system, best = lw.compile(among(count)), np.inf
        lw.simulate(system, 2.0, output_step=2.0)
        for _ in range(2 + repeat):
            begin = time.process_time()
            r = lw.simulate(system, 2.0, output_step=2.0)
            best = min(best, time.process_time() - begin)
        attempts = r.counters["steps"] + r.counters["rejected"]
        print(f"{count:4d} balls {1 + count + count * (count + 1) // 2:5d} pairs {1e3 * best:10.1f} "
              f"{1e6 * best / attempts:10.1f}", flush=True)


def driven(repeat: int) -> None:
    """Robots of public files whose motors swing, contact events located: real-time factor."""
    print("\nRobots whose motors swing (0.3 sin of their range at 1.5 Hz), 2 s, events located: times real time")
    for name, words in DRIVEN.items():
        try:
            model = lw.read(lw.robots(words)[0], contact="file")
        except (lw.ModelError, IndexError):
            print(f"{name}: not on this machine")
            continue
        inputs = {motor: 0.3 * lw.sin(3 * np.pi * lw.time + 1.3 * k) for k, motor in enumerate(model._inputs)}
        best = np.inf
        for _ in range(2 + repeat):
            begin = time.process_time()
            r = lw.simulate(model, 2.0, inputs=inputs)
            best = min(best, time.process_time() - begin)
        instants, asked = len({event.time for event in r.events}), r.counters["witnesses"]
        print(f"{name:14s}{2 / best:8.1f}, {instants} instants, {r.counters['steps']} steps, {asked} evaluations of "
              "witnesses", flush=True)


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
    far_apart(repeat)
    driven(repeat)
    heaps()
    trots(min(repeat, 2))
