"""Models that the tests of the view look at."""

import runpy
from pathlib import Path

import linkwright as lw
from linkwright import forces, joints, parts, rotational


def pendulum(**world):
    m = lw.Model("pendulum")
    m.world = lw.World(**world)
    m.rev = joints.Revolute(n=[0, 0, 1], phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.damper = rotational.Damper(d=0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    return m


def hanging_spring():
    """A mass on a spring, guided along −y."""
    m = lw.Model("hanging spring")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[0, -1, 0], s=0.3)
    m.body = parts.Body(m=1.0)
    m.spring = forces.Spring(c=40.0, s_unstretched=0.2)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.body.frame_a, m.spring.frame_b)
    return m


def chain(n: int):
    """n links of boxes on revolute joints."""
    m = lw.Model("chain")
    m.world = lw.World()
    last = m.world
    for k in range(n):
        joint, link = joints.Revolute(phi=0.1), parts.BodyBox(r=[0.2, 0, 0], width=0.04)
        setattr(m, f"rev{k}", joint)
        setattr(m, f"link{k}", link)
        m.chain(last, joint, link)
        last = link
    return m


def fourbar():
    """Ground 1.0 m, crank 0.3, coupler 0.9, rocker 0.6 on four plain revolutes."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.rev1 = joints.Revolute(phi=1.0, w=5.0)
    m.rev2, m.rev3, m.rev4 = joints.Revolute(phi=lw.guess(-0.6)), joints.Revolute(), joints.Revolute(phi=lw.guess(2.0))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        setattr(m, name, parts.BodyBox(r=[length, 0, 0], width=0.05))
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.coupler.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def engine_v6():
    """The example."""
    return runpy.run_path(str(Path(__file__).parents[2] / "examples" / "engine_v6.py"))["model"]
