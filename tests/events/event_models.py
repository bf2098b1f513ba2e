"""A mass on a slider, with whatever acts on it; what most tests of events need."""

import linkwright as lw
from linkwright import forces, joints, parts


def slider(s=0.0, v=0.0, mass=1.0, n=(1, 0, 0), g=9.81, **joint):
    """A mass that slides along n from the world; gravity along −y."""
    m = lw.Model("slider")
    m.world = lw.World(g=g)
    m.s = joints.Prismatic(n=list(n), s=s, v=v, **joint)
    m.body = parts.Body(m=mass, r_cm=[0, 0, 0])
    m.chain(m.world, m.s, m.body)
    return m


def push(m, f):
    """Let a force act on the mass along x."""
    m.push = forces.WorldForce(force=[f, 0, 0])
    m.connect(m.body.frame_a, m.push.frame_b)
    return m


def times(r, what=None):
    return [e.time for e in r.events if what is None or what in e.what]
