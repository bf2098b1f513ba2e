"""Models that the tests of the view look at."""

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
