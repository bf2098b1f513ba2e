"""Mechanisms nobody thought of, one for every seed.

With all coordinates at zero every frame is parallel to the world's, so that the place of every body is known, and any
two bodies may be joined by anything at any point: loops close where they are built.

A model is a tree of bodies on joints, with loops, rods, couplings, drives, springs, friction and stops as its family
says.  `Machine.conserves` says whether its energy stays; `Machine.switches` whether it has events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import models_with_events
import numpy as np

import linkwright as lw
from linkwright import constraints, forces, joints, parts, rotational, translational
from linkwright import planar as pl

#: freedoms of joints, by letter
FREEDOMS = {"R": 1, "P": 1, "H": 1, "C": 2, "U": 2, "S": 3, "E": 3, "T": 3}
#: rings of three to five joints with seven or eight freedoms: every one that has a closed form, and others
RINGS = ("RSUR", "RUPS", "RURS", "RUSP", "RSUP", "RSSR", "PUSR", "RCUR", "RCCC", "RRSS", "PSSP", "RUUS", "RCS", "RSCP",
         "RRCS", "RRRRRRR", "PRRURR", "RUCU")
FAMILIES = ("tree", "ring", "linkage", "redundant", "driven", "rubbing", "stopped", "mixed", "flat", "geared",
            "touching", "reset", "switching", "flat with events")


@dataclass
class Machine:
    """A model in the making: its bodies and where they are."""

    random: np.random.Generator
    model: lw.Model
    places: list[np.ndarray] = field(default_factory=lambda: [np.zeros(3)])
    frames: list = field(default_factory=list)
    axes: list = field(default_factory=list)  # joints with one coordinate, and whether loops tie them
    conserves: bool = True
    switches: bool = False
    count: int = 0

    # --- pieces ---

    def put(self, part):
        self.count += 1
        setattr(self.model, f"part{self.count}", part)
        return part

    def point(self, body: int, place: np.ndarray):
        """A frame of a body at a place."""
        link = self.put(parts.FixedTranslation(r=place - self.places[body]))
        self.model.connect(self.frames[body], link.frame_a)
        return link.frame_b

    def axis(self) -> np.ndarray:
        """A direction: a coordinate axis now and then."""
        return np.eye(3)[self.random.integers(3)] if self.random.random() < 0.3 else self.random.normal(size=3)

    def joint(self, letter: str, n=None, speed: float | None = 0.5, **given):
        random = self.random
        n = self.axis() if n is None else n
        turn, slide = {}, {}
        if speed is not None and letter in "RPH":
            v = lw.guess(float(random.uniform(-speed, speed)))
            turn, slide = {"phi": lw.guess(0.0), "w": v}, {"s": lw.guess(0.0), "v": v}
        if random.random() < 0.2:
            given["reverse"] = True
        made = {"R": lambda: joints.Revolute(n=n, **turn, **given),
                "P": lambda: joints.Prismatic(n=n, **slide, **given),
                "H": lambda: joints.Screw(n=n, pitch=0.1, **turn), "C": lambda: joints.Cylindrical(n=n),
                "U": lambda: joints.Universal(n_a=n, n_b=np.cross(n, random.normal(size=3))),
                "S": joints.Spherical, "E": lambda: joints.Planar(n=n, n_x=np.cross(n, random.normal(size=3))),
                "T": joints.Translation}[letter]()
        joint = self.put(made)
        if letter in "RP":
            self.axes.append(joint)
        return joint

    def body(self, parent: int, joint, place: np.ndarray, flat: bool = False) -> int:
        """A new body at a place, on a joint there."""
        random = self.random
        spread = random.uniform(0.02, 0.2, 3)
        c = random.uniform(-0.2, 0.2, 3) * ([1, 1, 0] if flat else 1)
        A = random.normal(size=(3, 3)) * 0.003
        tensor = np.diag(spread) + (np.zeros((3, 3)) if flat else (A + A.T) / 2)
        tensor = np.trace(tensor) * np.eye(3) - tensor
        body = self.put(parts.Body(m=float(random.uniform(0.3, 2)), r_cm=c, inertia=tensor))
        self.model.connect(self.point(parent, place), joint.frame_a)
        self.model.connect(joint.frame_b, body.frame_a)
        self.places.append(np.array(place))
        self.frames.append(body.frame_a)
        return len(self.places) - 1

    def close(self, one: int, other: int, joint, place: np.ndarray) -> None:
        self.model.connect(self.point(one, place), joint.frame_a)
        self.model.connect(joint.frame_b, self.point(other, place))

    def anywhere(self, near: int, reach: float = 0.6) -> np.ndarray:
        return self.places[near] + self.random.uniform(-reach, reach, 3)

    # --- what may act ---

    def spring(self, one: int, other: int) -> None:
        """A spring, damped or not, between points of two bodies."""
        random = self.random
        length = float(random.uniform(0.1, 0.5))
        if random.random() < 0.5:
            line = forces.Spring(c=float(random.uniform(5, 50)), s_unstretched=length)
        else:
            line = forces.SpringDamperParallel(c=float(random.uniform(5, 50)), d=0.5, s_unstretched=length)
            self.conserves = False
        line = self.put(line)
        self.model.connect(self.point(one, self.anywhere(one, 0.3)), line.frame_a)
        self.model.connect(line.frame_b, self.point(other, self.anywhere(other, 0.3)))

    def drive(self, joint) -> None:
        """Something on the axis of a joint: a torque or force, a spring, a rotor behind a gear."""
        random, turning = self.random, isinstance(joint, joints.Revolute)
        room, effort, size = (rotational, "tau", "J") if turning else (translational, "f", "m")
        choice = random.integers(3)
        if choice == 0:
            self.conserves = False
            push = self.put((room.Torque if turning else room.Force)(**{effort: lw.sin(3 * lw.time) - 0.1}))
            self.model.connect(push.flange, joint.axis)
        elif choice == 1:
            spring = self.put(room.SpringDamper(c=float(random.uniform(1, 20)), d=0.3))
            self.conserves = False
            self.model.connect(joint.support, spring.flange_a)
            self.model.connect(spring.flange_b, joint.axis)
        else:
            rotor = self.put((room.Inertia if turning else room.Mass)(**{size: 0.05}))
            if turning and random.random() < 0.5:
                gear = self.put(rotational.IdealGear(ratio=float(random.uniform(1, 5))))
                self.model.connect(rotor.flange_b, gear.flange_a)
                self.model.connect(gear.flange_b, joint.axis)
            else:
                self.model.connect(rotor.flange_b, joint.axis)

    def give(self, joint) -> None:
        """A motion for a joint that no loop ties."""
        choice, q = self.random.integers(3), joint.phi if isinstance(joint, joints.Revolute) else joint.s
        self.conserves = False
        if choice == 0:
            self.model.prescribe(q, 0.3 * lw.sin(2 * lw.time))
        elif choice == 1:
            self.model.lock(joint, 0.0)
        else:
            room = rotational if isinstance(joint, joints.Revolute) else translational
            given = {"phi_ref" if room is rotational else "s_ref": 0.2 * lw.sin(2 * lw.time)}
            source = self.put(room.Position(**given, exact=True))
            self.model.connect(source.flange, joint.axis)

    def friction(self) -> dict:
        self.conserves, self.switches = False, True
        return {"friction": lw.Coulomb(tau=float(self.random.uniform(0.02, 0.5)), peak=1.2)}

    def stops(self, letter: str) -> dict:
        self.switches = True
        e = float(self.random.choice([0.0, 0.4, 1.0]))
        self.conserves &= e == 1.0
        low, high = ("phi_min", "phi_max") if letter == "R" else ("s_min", "s_max")
        return {low: float(-self.random.uniform(0.01, 0.1)), high: float(self.random.uniform(0.01, 0.1)),
                "restitution": e}


def begin(seed: int, title: str) -> Machine:
    random = np.random.default_rng(seed)
    m = lw.Model(f"{title} {seed}")
    m.world = lw.World(n=random.normal(size=3))
    machine = Machine(random, m)
    machine.frames.append(m.world.frame_b)
    return machine


# --- families ---


def tree(k: Machine, bodies: int | None = None, bounds=None) -> None:
    """Bodies on joints of any kind, each on any body before it; springs between some."""
    for _ in range(bodies or k.random.integers(2, 6)):
        letter = str(k.random.choice(list("RRRPPHCUSET")))
        parent = int(k.random.integers(len(k.places)))
        given = bounds(letter) if bounds is not None and letter in "RP" else {}
        k.body(parent, k.joint(letter, **given), k.anywhere(parent))
    if k.random.random() < 0.5:
        k.spring(int(k.random.integers(len(k.places) - 1)), len(k.places) - 1)


def ring(k: Machine, base: int = 0) -> None:
    """A loop in space by its letters, from a body and back to it."""
    letters = str(k.random.choice(RINGS))
    at = base
    for i, letter in enumerate(letters[:-1]):
        at = k.body(at, k.joint(letter, speed=0.5 if i == 0 else None), k.anywhere(at))
    k.close(at, base, k.joint(letters[-1], speed=None), k.anywhere(at))
    k.axes.clear()


def linkage(k: Machine, bounds=None) -> None:
    """A crank and dyads in a plane that lies anywhere, or in one across a coordinate axis."""
    Q = np.linalg.qr(k.random.normal(size=(3, 3)))[0] if k.random.random() < 0.5 else np.eye(3)
    n = Q[:, 2]

    def near(place, reach=0.7):
        return place + Q[:, :2] @ k.random.uniform(-reach, reach, 2)

    def pin(speed=None):
        return k.joint("R", n, speed, **(bounds("R") if bounds is not None and k.random.random() < 0.5 else {}))

    tips = [k.body(0, pin(0.8), near(np.zeros(3)))]
    for _ in range(k.random.integers(1, 3)):
        start = tips[k.random.integers(len(tips))]
        rod = k.body(start, pin(), near(k.places[start]))
        if k.random.random() < 0.7:
            other = k.body(0, pin(), near(k.places[rod]))
        else:
            slide = k.joint("P", Q[:, :2] @ k.random.normal(size=2), None)
            other = k.body(0, slide, near(k.places[rod]))
        k.close(rod, other, pin(), near(k.places[rod]))
        tips += [rod, other]
    k.axes.clear()


def redundant(k: Machine) -> None:
    """Parallel cranks, more than needed, with a coupler on all of them."""
    arm = k.random.uniform(-0.4, 0.4, 3) * [1, 1, 0]
    bases = [np.array([x, 0.2 * x * x, 0]) for x in np.cumsum(k.random.uniform(0.3, 0.6, k.random.integers(3, 5)))]
    n = [0, 0, 1]
    cranks = [k.body(0, k.joint("R", n, 0.6 if i == 0 else None), base) for i, base in enumerate(bases)]
    coupler = k.body(cranks[0], k.joint("R", n, None), bases[0] + arm)
    for crank, base in zip(cranks[1:], bases[1:], strict=True):
        k.close(coupler, crank, k.joint("R", n, None), base + arm)
    k.axes.clear()


def driven(k: Machine) -> None:
    """A tree with given motions and drives, coordinates coupled to one another."""
    while len(k.axes) < 2:
        tree(k, 2)
    free = [k.axes[i] for i in k.random.permutation(len(k.axes))]
    k.give(free[0])
    for joint in free[1:3]:
        if k.random.random() < 0.7:
            k.drive(joint)
    if k.random.random() < 0.7:
        k.conserves = False
        one, two = ((j.phi, j.w) if isinstance(j, joints.Revolute) else (j.s, j.v) for j in free[:2])
        if k.random.random() < 0.5:
            k.put(constraints.CoordinateCoupler(function=one[0] + 0.5 * two[0] + 0.1 * lw.sin(two[0])))
        else:
            k.put(constraints.SpeedCoupler(function=one[1] + 0.7 * two[1]))


def rubbing(k: Machine) -> None:
    """Dry friction in a tree or a linkage."""
    bounds = lambda letter: k.friction()  # noqa: E731
    (tree if k.random.random() < 0.5 else linkage)(k, bounds=bounds)


def stopped(k: Machine) -> None:
    """Hard stops, with friction here and there."""
    def bounds(letter):
        return {**k.stops(letter), **(k.friction() if k.random.random() < 0.3 else {})}

    (tree if k.random.random() < 0.5 else linkage)(k, bounds=bounds)


def mixed(k: Machine) -> None:
    """A ring on a moving arm, with a rod that may have mass, springs and a drive."""
    arm = k.body(0, k.joint("R"), k.anywhere(0))
    first = k.axes[0]
    ring(k, arm)
    if k.random.random() < 0.5:
        one, other = arm, k.body(0, k.joint("S"), k.anywhere(0))
        a, b = k.anywhere(one), k.anywhere(other)
        mass = float(k.random.choice([0, 0.3]))
        rod = k.put(joints.SphericalSpherical(rod_length=float(np.linalg.norm(a - b)), m=mass))
        k.model.connect(k.point(one, a), rod.frame_a)
        k.model.connect(rod.frame_b, k.point(other, b))
    if k.random.random() < 0.6:
        k.spring(0, len(k.places) - 1)
    if k.random.random() < 0.6:
        k.drive(first)


FAMILY = {"tree": tree, "ring": ring, "linkage": linkage, "redundant": redundant, "driven": driven, "rubbing": rubbing,
          "stopped": stopped, "mixed": mixed}
WITH_EVENTS = {name: getattr(models_with_events, name) for name in ("touching", "reset", "switching")}


# --- in the plane ---


def flat(seed: int, family: str) -> Machine:
    """Planar parts: a crank on the ground, a loop or a pair of wheels, a spring; or what `models_with_events` has."""
    random = np.random.default_rng(seed)
    m = lw.Model(f"{family} {seed}")
    m.world = pl.World(g=9.81, n=random.normal(size=2))
    k = Machine(random, m)

    def fixed(r):
        return k.put(pl.Fixed(r=r)).frame

    def on(frame, joint, at=None):
        """A body on a joint on a frame; its frame."""
        body = k.put(pl.Body(m=float(random.uniform(0.3, 2)), I=float(random.uniform(0.02, 0.3))))
        if at is not None:
            link = k.put(pl.FixedTranslation(r=at))
            m.connect(frame, link.frame_a)
            frame = link.frame_b
        m.connect(frame, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        return body.frame_a

    def link(frame, r):
        part = k.put(pl.FixedTranslation(r=r))
        m.connect(frame, part.frame_a)
        return part.frame_b

    if family == "flat with events":
        models_with_events.flat_with_events(k, fixed, on, link)
        return k
    if family == "geared":
        r_a, r_b = random.uniform(0.1, 0.5, 2)
        psi = random.uniform(0, 2 * np.pi)
        away = (r_a + r_b) * np.array([np.cos(psi), np.sin(psi)])
        carrier = on(fixed([0, 0]), k.put(pl.Revolute(w=lw.guess(0.5)))) if random.random() < 0.5 else fixed([0, 0])
        one, two = k.put(pl.Revolute(phi=float(random.uniform(-9, 9)))), k.put(pl.Revolute())
        a, b = on(carrier, one), on(carrier, two, away)
        mesh = k.put(pl.RigidNoLossExternal(r_a=r_a, r_b=r_b))
        m.connect(a, mesh.frame_a)
        m.connect(b, mesh.frame_b)
        load = k.put(rotational.Torque(tau=float(random.uniform(-3, 3))))
        m.connect(load.flange, two.axis)
        k.conserves = False
        if random.random() < 0.5:
            source = k.put(rotational.ConstantSpeed(w_fixed=1.0))
            m.connect(source.flange, one.axis)
        return k
    # a loop: places are exact where all angles are zero
    r1, r2, r3 = random.uniform(-0.7, 0.7, (3, 2))
    crank = on(fixed([0, 0]), k.put(pl.Revolute(phi=lw.guess(0.0), w=lw.guess(float(random.uniform(-1, 1))))))
    rod = on(link(crank, r1), k.put(pl.Revolute()))
    pin = k.put(pl.Revolute())
    m.connect(link(rod, r2), pin.frame_a)
    if random.random() < 0.5:
        m.connect(pin.frame_b, link(on(fixed(r1 + r2 - r3), k.put(pl.Revolute())), r3))
    else:
        slide = k.put(pl.Prismatic(r=random.normal(size=2)))
        m.connect(pin.frame_b, on(fixed(r1 + r2), slide))
    free = k.put(pl.Body(m=1, I=0.1, r=random.uniform(-1, 1, 2), v=random.uniform(-1, 1, 2), phi=0.3, w=0.5))
    spring = k.put(pl.SpringDamper(c_x=20, c_y=30, c_phi=1, d_x=float(random.choice([0, 0.5]))))
    k.conserves = False
    m.connect(crank, spring.frame_a)
    m.connect(spring.frame_b, free.frame_a)
    return k


def machine(seed: int) -> Machine:
    """The mechanism of a seed; families take turns."""
    family = FAMILIES[seed % len(FAMILIES)]
    if family in ("flat", "geared", "flat with events"):
        return flat(seed, family)
    k = begin(seed, family)
    if family in WITH_EVENTS:
        WITH_EVENTS[family](k, tree, linkage)
    else:
        FAMILY[family](k)
    return k
