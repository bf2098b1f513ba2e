"""Mechanisms nobody thought of: both formulations move them alike, energy stays, loops stay closed."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

#: freedoms of the joints of a random ring in space
FREEDOMS = {"R": 1, "P": 1, "C": 2, "U": 2, "S": 3}


class Linkage:
    """Dyads (two links and three joints) one after another on a crank, in a plane that lies anywhere in space."""

    def __init__(self, seed: int, friction: float = 0.0):
        self.random = random = np.random.default_rng(seed)
        self.friction = friction
        self.model = m = lw.Model(f"linkage {seed}")
        m.world = lw.World(n=list(random.normal(size=3)))
        m.plane = parts.FixedRotation(n=list(random.normal(size=3)), angle=float(random.uniform(0, 3)))
        m.chain(m.world, m.plane)
        self.count = 0
        centre, w = random.uniform(-1, 1, 2), random.uniform(1, 4)
        self.points = [self.link(self.ground(centre), 0.0, centre, centre + self.direction(0.3), w)]
        for _ in range(random.integers(1, 4)):
            point = self.points[random.integers(len(self.points))]
            getattr(self, random.choice(["add_rrr", "add_rrp", "add_rpr"]))(*point)

    def direction(self, length: float) -> np.ndarray:
        angle = self.random.uniform(0, 2 * np.pi)
        return length * np.array([np.cos(angle), np.sin(angle)])

    def add(self, *items) -> None:
        for item in items:
            self.count += 1
            setattr(self.model, f"part{self.count}", item)

    def ground(self, at) -> lw.Frame:
        place = parts.FixedTranslation(r=[*at, 0])
        self.add(place)
        self.model.chain(self.model.plane, place)
        return place.frame_b

    def revolute(self, **start) -> joints.Revolute:
        torque = self.friction * self.random.uniform(0.2, 1.5)
        return joints.Revolute(**start, **({"friction": lw.Coulomb(tau=torque, peak=1.2)} if torque else {}))

    def link(self, frame, turned: float, start, end, w: float | None = None):
        """A link from a point to another, hinged to a frame that is turned so far: (its end, frame, angle)."""
        random, m = self.random, self.model
        length, angle = float(np.hypot(*(end - start))), float(np.arctan2(*(end - start)[::-1]))
        phi = (angle - turned + np.pi) % (2 * np.pi) - np.pi
        given = {"phi": lw.guess(phi + random.uniform(-0.05, 0.05))} if w is None else {"phi": phi, "w": float(w)}
        mass = float(random.uniform(0.5, 2))
        body = parts.BodyShape(m=mass, r=[length, 0, 0], r_cm=[length / 2, random.uniform(-0.1, 0.1), 0],
                               inertia=[mass * length**2 / 12] * 3)
        joint = self.revolute(**given)
        self.add(joint, body)
        m.connect(frame, joint.frame_a)
        m.chain(joint, body)
        return end, body.frame_b, angle

    def close(self, frame_a, frame_b) -> None:
        joint = self.revolute()
        self.add(joint)
        self.model.connect(frame_a, joint.frame_a)
        self.model.connect(joint.frame_b, frame_b)

    def add_rrr(self, point, frame, turned) -> None:
        random = self.random
        far = point + self.direction(random.uniform(0.8, 1.2))
        along = far - point
        across = random.choice([-1, 1]) * random.uniform(0.5, 0.9) * np.array([-along[1], along[0]])
        middle = point + along * random.uniform(0.3, 0.7) + across
        self.points.append(self.link(frame, turned, point, middle))
        self.close(self.points[-1][1], self.link(self.ground(far), 0.0, far, middle)[1])

    def add_rrp(self, point, frame, turned) -> None:
        random = self.random
        along = self.direction(1.0)
        end = point + along * random.uniform(0.9, 1.4) + self.direction(0.2)
        self.points.append(self.link(frame, turned, point, end))
        s = random.uniform(0.2, 0.6)
        slide, block = joints.Prismatic(n=[*along, 0], s=lw.guess(s + random.uniform(-0.05, 0.05))), parts.Body(m=1.0)
        guide = self.ground(end - s * along)
        self.add(slide, block)
        self.model.connect(guide, slide.frame_a)
        self.model.chain(slide, block)
        self.close(self.points[-1][1], block.frame_a)

    def add_rpr(self, point, frame, turned) -> None:
        far = point + self.direction(self.random.uniform(0.8, 1.2))
        length = float(np.hypot(*(far - point)))
        _, tip, _ = self.link(self.ground(far), 0.0, far, far + 0.3 * (point - far))
        slide = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.4 * length))
        rod = parts.BodyShape(m=0.5, r=[0.3 * length, 0, 0])
        self.add(slide, rod)
        self.model.connect(tip, slide.frame_a)
        self.model.chain(slide, rod)
        self.close(rod.frame_b, frame)


def ring(seed: int) -> lw.Model:
    """A loop in space of three to five joints with one to three freedoms, axes and links in any direction."""
    random = np.random.default_rng(seed)
    kinds = []
    while not (7 <= sum(FREEDOMS[kind] for kind in kinds) <= 9 and kinds.count("S") <= 2 and kinds[1:] != ["S", "S"]):
        kinds = [str(random.choice(["R", "P"])), *map(str, random.choice(list(FREEDOMS), random.integers(2, 5)))]

    def joint(kind: str, first: bool):
        n, other = random.normal(size=(2, 3))
        small = lw.guess(random.uniform(-0.03, 0.03))
        return {"R": lambda: joints.Revolute(n=n, **({"phi": 0.0, "w": 2.0} if first else {"phi": small})),
                "P": lambda: joints.Prismatic(n=n, **({"s": 0.0, "v": 0.6} if first else {"s": small})),
                "C": lambda: joints.Cylindrical(n=n), "S": joints.Spherical,
                "U": lambda: joints.Universal(n_a=n, n_b=np.cross(n, other))}[kind]()

    m = lw.Model(f"ring {seed} {''.join(kinds)}")
    m.world = lw.World()
    m.joint = [joint(kind, k == 0) for k, kind in enumerate(kinds)]
    lengths = random.uniform(-0.6, 0.6, (len(kinds) - 1, 3))
    m.link = [parts.BodyShape(m=float(random.uniform(0.5, 2)), r=r, r_cm=r / 2 + random.uniform(-0.05, 0.05, 3),
                              inertia=random.uniform(0.05, 0.08, 3)) for r in lengths]
    m.end = parts.Fixed(r=np.sum(lengths, axis=0))
    between = [item for pair in zip(m.joint, m.link, strict=False) for item in pair]
    m.chain(m.world, *between, m.joint[-1])
    m.connect(m.joint[-1].frame_b, m.end.frame_b)
    return m


def check_alike(build, stop: float, conserved: bool = True) -> None:
    """Both formulations: the same bodies at the same places, at the start and at the end."""
    runs = [lw.simulate(lw.compile(build(), formulation=formulation), stop, accuracy=1e-10)
            for formulation in ("projection", "minimal")]
    places = [name for name in runs[0].names if name.endswith(".r_0") and "frame" not in name]
    assert places
    for name in places:
        np.testing.assert_allclose(runs[0][name][[0, -1]], runs[1][name][[0, -1]], atol=1e-6, err_msg=name)
    for r in runs:
        energy, peak = r["kinetic_energy"] + r["potential_energy"], np.max(r["kinetic_energy"])
        assert r.closure < 1e-9
        assert (np.ptp(energy) if conserved else np.max(np.diff(energy))) < 1e-6 * peak


@pytest.mark.parametrize("seed", [*range(4), *[pytest.param(k, marks=pytest.mark.slow) for k in range(4, 30)]])
def test_linkages(seed):
    check_alike(lambda: Linkage(seed).model, 1.0)


@pytest.mark.parametrize("seed", [*range(2), *[pytest.param(k, marks=pytest.mark.slow) for k in range(2, 15)]])
def test_linkages_with_dry_friction(seed):
    check_alike(lambda: Linkage(seed, friction=1.0).model, 1.5, conserved=False)


@pytest.mark.parametrize("seed", [*range(6), *[pytest.param(k, marks=pytest.mark.slow) for k in range(6, 40)]])
def test_rings_in_space(seed):
    check_alike(lambda: ring(seed), 0.6)
