"""Families with events: contact with a floor, actions at instants, laws that switch, planar machines."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts, rotational
from linkwright import planar as pl


def touching(k, tree, linkage) -> None:
    """A ball on a free body, or at the end of a tree or a linkage, comes down on a floor."""
    random = k.random
    base = random.integers(3)
    if base == 0:
        n = random.normal(size=3)
        k.put(parts.Body(m=float(random.uniform(0.3, 2)), inertia=random.uniform(0.02, 0.03, 3), r_0=[0, 0, 0],
                         v_0=random.uniform(-0.5, 0.5, 3) - 1.5 * n / np.linalg.norm(n), angles=[0, 0, 0],
                         w_0=random.uniform(-2, 2, 3)))
        place, frame = np.zeros(3), getattr(k.model, f"part{k.count}").frame_a
    else:
        (tree if base == 1 else linkage)(k)
        last = len(k.places) - 1
        n, place, frame = random.normal(size=3), k.places[last], k.frames[last]
    n = n / np.linalg.norm(n)
    radius, gap = 0.05, float(random.uniform(0.01, 0.1))
    under = k.put(parts.FixedTranslation(r=place - (radius + gap) * n))
    k.model.connect(k.model.world.frame_b, under.frame_a)
    floor, skin = k.put(contact.Plane(n=n)), k.put(contact.Sphere(radius=radius))
    k.model.connect(under.frame_b, floor.frame_a)
    k.model.connect(frame, skin.frame_a)
    mu = float(random.choice([0.0, 0.3]))
    if random.random() < 0.5:
        k.conserves = False
        law = contact.HuntCrossley(stiffness=1e5, dissipation=0.2, mu=mu)
    else:
        e = float(random.choice([0.0, 0.5, 1.0]))
        k.conserves &= e == 1 and mu == 0
        law = contact.Rigid(restitution=e, mu=mu)
    k.switches = True
    k.put(contact.Pair(floor, skin, law=law))


def reset(k, tree, linkage) -> None:
    """Actions: speeds turned round, a free body thrown anew, at an instant or where something passes a value."""
    random = k.random
    k.conserves, k.switches = False, True
    (tree if random.random() < 0.5 else linkage)(k)
    part = k.put(parts.Body(m=1.0, r_cm=random.uniform(-0.1, 0.1, 3), inertia=[0.1, 0.12, 0.15], r_0=[0, 1, 0],
                            v_0=random.uniform(-1, 1, 3), angles=random.uniform(-1, 1, 3), w_0=random.normal(size=3)))
    new = {part.v_0: random.uniform(-1, 1, 3), part.r_0: [0, 1, 0], part.w_0: -part.w_0, part.w_a: [1, 0, 2],
           part.angles: random.uniform(-1, 1, 3), part.v_0[1]: -part.v_0[1]}
    chosen = [[0], [0, 1], [2, 4], [0, 1, 3, 4], [5]][random.integers(5)]
    k.model.when(lw.time > float(random.uniform(0.05, 0.2)), {list(new)[i]: list(new.values())[i] for i in chosen})
    moving = [part for part in vars(k.model).values() if isinstance(part, (joints.Revolute, joints.Prismatic))]
    if moving:
        first = moving[0]
        speed = first.w if isinstance(first, joints.Revolute) else first.v
        k.model.when(lw.time > float(random.uniform(0.05, 0.25)), {speed: -0.5 * speed})


def switching(k, tree, linkage) -> None:
    """Torques with a sign (that drives away from where it changes), joints locked for a while, brakes that close."""
    random = k.random
    k.conserves, k.switches = False, True
    while not k.axes:
        tree(k, 2)
    for joint in k.axes[:2]:
        turning = isinstance(joint, joints.Revolute)
        x, v = (joint.phi, joint.w) if turning else (joint.s, joint.v)
        choice = random.integers(3)
        if choice == 0 and turning:
            push = k.put(rotational.Torque(tau=lw.where(x > 0.02, -2.0, 1.0) + 0.1 * lw.sign(v - 0.3)))
            k.model.connect(push.flange, joint.axis)
        elif choice == 1:
            k.model.lock(joint, when=lw.time > float(random.uniform(0.05, 0.2)))
        elif turning:
            brake = k.put(rotational.Brake(fn_max=20.0, f_normalized=lw.where(lw.time > 0.1, 1.0, 0.0)))
            k.model.connect(brake.flange_a, joint.axis)


def flat_with_events(k, fixed, on, link) -> None:
    """In the plane: parallel cranks more than needed, or a chain with friction, stops and a given motion."""
    random, m = k.random, k.model
    k.conserves = False
    if random.random() < 0.5:
        arm, xs = random.uniform(-0.4, 0.4, 2), np.cumsum(random.uniform(0.3, 0.6, random.integers(2, 4)))
        feet = [np.array([x, 0.3 * x * x]) for x in xs]
        cranks = [on(fixed(foot), k.put(pl.Revolute(phi=lw.guess(0.0), **({"w": lw.guess(0.7)} if i == 0 else {}))))
                  for i, foot in enumerate(feet)]
        coupler = on(link(cranks[0], arm), k.put(pl.Revolute()))
        for crank, foot in zip(cranks[1:], feet[1:], strict=True):
            pin = k.put(pl.Revolute())
            m.connect(link(coupler, foot - feet[0]), pin.frame_a)
            m.connect(pin.frame_b, link(crank, arm))
        return
    k.switches = True
    frame = fixed([0, 0])
    for i in range(random.integers(2, 4)):
        given = {}
        choice = random.integers(4)
        if choice == 0:
            given["friction"] = lw.Coulomb(tau=float(random.uniform(0.05, 0.5)), peak=1.2)
        elif choice == 1:
            given |= {"phi_min": -0.05, "phi_max": 0.08, "restitution": float(random.choice([0.0, 0.5]))}
        joint = k.put(pl.Revolute(w=float(random.uniform(-1, 1)) if choice else 0.0, **given))
        if choice == 2 and i == 0:
            m.prescribe(joint.phi, 0.3 * lw.sin(2 * lw.time))
            joint._initial.clear()
        frame = on(link(frame, random.uniform(-0.5, 0.5, 2)), joint)
