"""Rings of plain joints in general position: a crank, then two links joined by the letters of a pattern.

The ring is laid out from random coordinates along the chain, so that it closes; joints are put in either way round.
Small letters u and s stand for universal joints and balls made of revolutes, whose axes meet in a point at any angle, b
for a ball made of a universal joint and a revolute.
"""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import joints, parts
from linkwright.algebra import Transform, axis_rotation, rotation_from_vector, rotation_vector

PLANAR = ("RRR", "RRP", "PRR", "RPR", "PRP", "RPP", "PPR", "RSR", "RSP", "RPS")
SPATIAL = ("UPS", "SPU", "URS", "SRU", "USR", "RSU", "USP", "PSU", "SUR", "RUS", "SUP", "PUS")


class _Random:
    """Directions and offsets, in a plane of general position or in space."""

    def __init__(self, seed: int, planar: bool):
        self.rng, self.planar = np.random.default_rng(seed), planar
        self.R = rotation_from_vector(self.rng.uniform(-2, 2, 3))

    def axis(self) -> np.ndarray:
        """Of a revolute joint: the normal of the plane, or its opposite."""
        return self.R[:, 2] * self.rng.choice([-1, 1]) if self.planar else self.direction()

    def direction(self) -> np.ndarray:
        v = self.rng.normal(size=3) * ([1, 1, 0] if self.planar else 1)
        return self.R @ v / np.linalg.norm(v)

    def offset(self) -> np.ndarray:
        return self.R @ (self.rng.uniform(-0.6, 0.6, 3) * ([1, 1, 0.1] if self.planar else 1))

    def joint(self, letter: str, backwards: bool):
        """A joint with a guess, and its transform there, in the direction it is passed."""
        q = self.rng.uniform(-1, 1, 3)
        guessed = [lw.guess(float(x)) for x in (-q if backwards and letter in "RP" else q)]
        if letter == "R":
            n = self.axis()
            return joints.Revolute(n=n, phi=guessed[0]), Transform(axis_rotation(n, q[0]))
        if letter == "P":
            n = self.direction()
            return joints.Prismatic(n=n, s=guessed[0]), Transform(None, n * q[0])
        if letter == "S":
            turn = axis_rotation(self.R[:, 2], q[0]) if self.planar else rotation_from_vector(q)
            return joints.Spherical(), Transform(turn)
        a, b = self.direction(), self.direction()
        b = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
        X = Transform(axis_rotation(a, q[0]) @ axis_rotation(b, q[1]))
        universal = joints.Universal(n_a=a, n_b=b, phi_a=guessed[0], phi_b=guessed[1])
        return universal, X.inverse() if backwards else X


    def crossing(self, count: int):
        """Revolutes with guesses, parts between them that put their axes through one point, and the whole transform."""
        axes = [self.direction() for _ in range(count)]
        heights = self.rng.uniform(-0.3, 0.3, count)  # of the frames above that point, on the axes
        found, X = [], Transform()
        for k, (n, backwards) in enumerate(zip(axes, self.rng.integers(2, size=count), strict=True)):
            angle = float(self.rng.uniform(-1, 1))
            joint = joints.Revolute(n=n, phi=lw.guess(-angle if backwards else angle))
            found.append((joint, bool(backwards)))
            X = X @ Transform(axis_rotation(n, angle))
            if k + 1 < count:
                r = heights[k + 1] * axes[k + 1] - heights[k] * n
                cross = parts.BodyShape(m=0.3 * k, r=r, r_cm=[0, 0, 0], inertia=[2e-3 * k] * 3)
                found.append((cross, False))
                X = X @ Transform(None, r)
        return found, X


    def ball(self):
        """A universal joint and a revolute through its centre, in either order, a part between, and the transform."""
        backwards, height = bool(self.rng.integers(2)), float(self.rng.uniform(-0.3, 0.3))
        (universal, T), (revolute, Z) = self.joint("U", backwards), self.joint("R", False)
        between = parts.BodyShape(m=0.3, r=height * revolute.n, r_cm=[0, 0, 0], inertia=[2e-3] * 3)
        found, X = [(universal, backwards), (between, False), (revolute, False)], T @ Transform(None, between.r) @ Z
        if self.rng.integers(2):
            found = [(component, not way) for component, way in reversed(found)]
            X = X.inverse()
        return found, X


def random_ring(letters: str, seed: int = 0, floating: bool = False) -> lw.Model:
    """Joints `drive`, j1, j2, j3 and links between them, on the ground or on a free body."""
    random = _Random(seed, not set(letters) & {"U", "u"})
    m = lw.Model(letters)
    m.world = lw.World(g=9.81)
    m.base = (parts.Body(m=5, inertia=[0.3, 0.4, 0.5], r_0=[0, 0, 0], v_0=[0.1, 0.2, 0], w_0=[0.3, 0.2, -0.1])
              if floating else parts.Fixed())
    base = here = m.base.frame_a if floating else m.base.frame_b
    angle, n = float(random.rng.uniform(-1, 1)), random.axis()
    m.drive = joints.Revolute(n=n, phi=angle, w=1.0)
    chain, X = [(m.drive, False)], Transform(axis_rotation(n, angle))
    for k, letter in enumerate(letters, 1):
        if letter in "usb":
            made, T = random.ball() if letter == "b" else random.crossing({"u": 2, "s": 3}[letter])
            for part, (component, _) in zip("axbyc", made, strict=False):
                setattr(m, f"j{k}{part}", component)
        else:
            backwards = bool(random.rng.integers(2))
            joint, T = random.joint(letter, backwards)
            setattr(m, f"j{k}", joint)
            made = [(joint, backwards)]
        r = random.offset()
        link = parts.BodyShape(m=1.0 + 0.2 * k, r=r, r_cm=r / 2, inertia=[0.02, 0.03, 0.04])
        setattr(m, f"link{k}", link)
        chain += [(link, False), *made]
        X = X @ Transform(None, r) @ T
    for component, backwards in chain:
        m.connect(here, component.frame_b if backwards else component.frame_a)
        here = component.frame_a if backwards else component.frame_b
    turn = rotation_vector(X.R)
    m.end = parts.FixedRotation(r=X.p, n=turn, angle=float(np.linalg.norm(turn)))
    m.connect(base, m.end.frame_a)
    m.connect(m.end.frame_b, here)
    return m
