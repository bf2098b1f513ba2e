"""Random planar mechanisms built from planar and from spatial parts: the same motion, the same code."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright import planar as pl


class Planar:
    """Builds with planar parts."""

    def __init__(self, model):
        self.m = model
        model.world = pl.World(g=9.81)
        model.ground = pl.Fixed()
        self.ground = model.ground.frame

    def rod(self, name, r):
        setattr(self.m, name, pl.FixedTranslation(r=r))

    def body(self, name, m, I):
        setattr(self.m, name, pl.Body(m=m, I=I))

    def revolute(self, name, **start):
        setattr(self.m, name, pl.Revolute(**start))

    def prismatic(self, name, r, **start):
        setattr(self.m, name, pl.Prismatic(r=r, **start))

    def free(self, name, body, start):
        setattr(self.m, body[0], pl.Body(m=body[1], I=body[2], phi=start[0], r=start[1:3], w=start[3], v=start[4:6]))
        return getattr(self.m, body[0]).frame_a


class Spatial:
    """Builds the same with spatial parts whose axes are along z or in the plane."""

    def __init__(self, model):
        self.m = model
        model.world = lw.World(g=9.81)
        self.ground = model.world.frame_b

    def rod(self, name, r):
        setattr(self.m, name, parts.FixedTranslation(r=[*r, 0]))

    def body(self, name, m, I):
        setattr(self.m, name, parts.Body(m=m, inertia=[I / 2, I / 2, I]))

    def revolute(self, name, **start):
        setattr(self.m, name, joints.Revolute(n=[0, 0, 1], **start))

    def prismatic(self, name, r, **start):
        setattr(self.m, name, joints.Prismatic(n=[*r, 0], **start))

    def free(self, name, body, start):
        phi, x, y, w, vx, vy = start
        setattr(self.m, name, joints.Planar(phi=phi, s_x=x, s_y=y, w=w, v_x=vx, v_y=vy))
        self.body(*body)
        self.m.connect(self.ground, getattr(self.m, name).frame_a)
        self.m.connect(getattr(self.m, name).frame_b, getattr(self.m, body[0]).frame_a)
        return getattr(self.m, body[0]).frame_a


def tree(kind, seed):
    """A random tree of six bodies on revolute and prismatic joints; odd seeds float freely."""
    rng = np.random.default_rng(seed)
    m = lw.Model(f"tree {seed}")
    b = kind(m)
    ends = [b.ground]
    if seed % 2:
        ends = [b.free("root", ("b", 1.3, 0.2), rng.uniform(-1, 1, 6))]
    for k in range(5):
        start = ends[rng.integers(len(ends))]
        if rng.random() < 0.6:
            b.revolute(f"j{k}", phi=rng.uniform(-2, 2), w=rng.uniform(-1, 1))
        else:
            direction = [[1, 0], [0, 1], rng.uniform(-1, 1, 2)][rng.integers(3)]
            b.prismatic(f"j{k}", direction, s=rng.uniform(-1, 1), v=rng.uniform(-1, 1))
        b.rod(f"r{k}", rng.uniform(-1, 1, 2))
        b.body(f"b{k}", rng.uniform(0.5, 2), rng.uniform(0.05, 0.5))
        joint, rod, body = (getattr(m, f"{letter}{k}") for letter in "jrb")
        m.connect(start, joint.frame_a)
        m.chain(joint, rod, body)
        ends.append(body.frame_a)
    return m, [f"j{k}.{'phi' if 'phi' in type(getattr(m, f'j{k}')).fields() else 's'}" for k in range(5)]


def loop(kind, seed):
    """A four-bar (even) or slider-crank (odd) of random lengths and masses, in a random starting position."""
    rng = np.random.default_rng(100 + seed)
    m = lw.Model(f"loop {seed}")
    b = kind(m)
    angle, speed = rng.uniform(0.3, 1.2), rng.uniform(-3, 3)
    crank, coupler = rng.uniform(0.2, 0.3), rng.uniform(0.8, 1.0)
    b.revolute("j1", phi=angle, w=speed)
    for k, length in (("1", crank), ("2", coupler)):
        b.rod(f"half{k}", [length / 2, 0])
        b.rod(f"rest{k}", [length / 2, 0])
        b.body(f"b{k}", rng.uniform(0.5, 2), rng.uniform(0.01, 0.05))
    b.revolute("j2", phi=lw.guess(-angle + 0.2))
    b.body("b3", rng.uniform(0.5, 2), rng.uniform(0.01, 0.05))
    if seed % 2:
        b.revolute("j3", phi=lw.guess(0.2))
        b.prismatic("j4", [1, 0], s=lw.guess(1.0))
        m.chain(b.ground, m.j4, m.b3)
        m.connect(m.b3.frame_a, m.j3.frame_a)
        m.connect(m.j3.frame_b, m.rest2.frame_b)
    else:
        b.rod("base", [0.9, 0])
        b.revolute("j4", phi=lw.guess(1.9))
        b.rod("rocker", [0.6, 0])
        b.revolute("j3", phi=lw.guess(-1.7))
        m.chain(b.ground, m.base, m.j4, m.rocker)
        m.connect(m.rocker.frame_b, m.j3.frame_a, m.b3.frame_a)
        m.connect(m.j3.frame_b, m.rest2.frame_b)
    m.chain(b.ground, m.j1, m.half1, m.rest1, m.j2, m.half2, m.rest2)
    m.connect(m.half1.frame_b, m.b1.frame_a)
    m.connect(m.half2.frame_b, m.b2.frame_a)
    return m, ["j1.phi", "j4.s" if seed % 2 else "j4.phi"]


@pytest.mark.parametrize("build", [tree, loop])
@pytest.mark.parametrize("seed", range(5))
def test_planar_equals_spatial(build, seed):
    planar, names = build(Planar, seed)
    spatial, _ = build(Spatial, seed)
    systems = lw.compile(planar), lw.compile(spatial)
    counts = [system.function(["q", "u"], ["udot"]).instructions for system in systems]
    assert counts[0] == counts[1]
    first, second = (lw.simulate(system, 1.0, accuracy=1e-11, step=0.25) for system in systems)
    first, second = first.get_many([*names, "b2.r"]), second.get_many([*names, "b2.r_0"])
    for name in names:
        np.testing.assert_allclose(first[name], second[name], rtol=0, atol=1e-9)
    np.testing.assert_allclose(first["b2.r"], second["b2.r_0"][:, :2], rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_cut_loads_agree(seed):
    """Cut forces at planar frames are those of the spatial frames, in the axes of the plane."""
    (planar, _), (spatial, _) = tree(Planar, seed), tree(Spatial, seed)
    a, b = (lw.simulate(model, 0.3, accuracy=1e-10, step=0.1) for model in (planar, spatial))
    frames = ("j0.frame_a", "j3.frame_b", "r2.frame_a", "b4.frame_a")
    a = a.get_many([f"{frame}.{name}" for frame in frames for name in ("fx", "fy", "t")])
    b = b.get_many([f"{frame}.{name}" for frame in frames for name in ("R.T", "f", "t")])
    for frame in frames:
        R = np.swapaxes(b[f"{frame}.R.T"], 1, 2)
        f = np.einsum("tij,tj->ti", R, b[f"{frame}.f"])
        np.testing.assert_allclose(a[f"{frame}.fx"], f[:, 0], atol=1e-8)
        np.testing.assert_allclose(a[f"{frame}.fy"], f[:, 1], atol=1e-8)
        np.testing.assert_allclose(a[f"{frame}.t"], b[f"{frame}.t"][:, 2], atol=1e-8)


def test_a_planar_joint_costs_no_more_than_the_textbook():
    """Angles, sines and Newton's law of a pendulum: a handful of operations, none of them for the third dimension."""
    m = lw.Model("pendulum")
    m.world = pl.World()
    m.fixed = pl.Fixed()
    m.rev = pl.Revolute()
    m.rod = pl.FixedTranslation(r=[1, 0])
    m.body = pl.Body(m=1, I=0.1)
    m.chain(m.fixed, m.rev, m.rod, m.body)
    assert lw.compile(m).function(["q", "u"], ["udot"]).instructions <= 10
