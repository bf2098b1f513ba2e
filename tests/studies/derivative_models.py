"""Models whose runs are differentiated."""

import linkwright as lw
from linkwright import contact, joints, parts, rotational, translational


def pendulum(phi=1.0):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=phi, w=0.3)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.01, 0.01, 0.02])
    m.damper = rotational.Damper(d=0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    return m


def fourbar():
    m = lw.Model("four-bar")
    m.world = lw.World(g=9.81)
    m.rev1, m.rev2 = joints.Revolute(phi=1.0, w=5), joints.Revolute(phi=lw.guess(-0.6))
    m.rev3, m.rev4 = joints.Revolute(), joints.Revolute(phi=lw.guess(1.6))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        across = length**2 / 12
        setattr(m, name, parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0], inertia=[0, across, across]))
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler, m.rev3)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


class Numbers(lw.Model):
    e = lw.parameter(0.8, "restitution")
    w = lw.parameter(1.3, "place of the wall")


def ball(**options):
    m = lw.Model("ball")
    m.world = lw.World(g=9.81)
    m.x = joints.Prismatic(n=[1, 0, 0], **{"s": 0, "v": 1, **options.get("x", {})})
    m.y = joints.Prismatic(n=[0, 1, 0], **{"s": 1.0, "v": 0, **options.get("y", {})})
    m.body = parts.Body(m=1, inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.x, m.y, m.body)
    return m


def thrown_back():
    m = ball()
    m.data = Numbers()
    m.when(m.y.s < 0, {m.y.v: -m.data.e * m.y.v})
    m.when(m.x.s > m.data.w, {m.x.v: -m.data.e * m.x.v})
    return m, {"e": "data.e", "w": "data.w"}


def between_stops():
    m = ball(x={"s_max": 1.3, "restitution": 0.8}, y={"s_min": 0, "restitution": 0.8})
    return m, {"e": "y.restitution", "w": "x.s_max"}


def against_planes():
    m = ball()
    m.skin, m.floor, m.wall = contact.Point(), contact.Plane(n=[0, 1, 0]), contact.Plane(n=[-1, 0, 0])
    m.offset = parts.FixedTranslation(r=[1.3, 0, 0])
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a, m.offset.frame_a)
    m.connect(m.offset.frame_b, m.wall.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.8))
    m.hit = contact.Pair(m.wall, m.skin, law=contact.Rigid(restitution=0.8))
    return m, {"e": "touch.law.restitution", "w": "offset.r[0]"}


def stick_and_slip():
    m = lw.Model("stick-slip")
    m.world, m.wall = lw.World(), translational.Fixed()
    m.spring, m.block = translational.Spring(c=100.0), translational.Mass(m=1.0, s=0, v=0.1)
    m.friction = translational.SupportFriction(f_pos=[[0, 2.0]], peak=1.5)
    m.belt = translational.ConstantSpeed(v_fixed=0.1)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.block.flange_a)
    m.connect(m.block.flange_b, m.friction.flange_a)
    m.connect(m.friction.support, m.belt.flange)
    return m, {"spring.c": 100.0, "block.m": 1.0, "belt.v_fixed": 0.1}


def clutch():
    m = lw.Model("clutch")
    m.world = lw.World()
    m.a, m.b = rotational.Inertia(J=1.0, w=10.0, phi=0), rotational.Inertia(J=2.0, w=0.0, phi=0)
    m.clutch = rotational.Clutch(fn_max=20.0)
    m.clutch.f_normalized = lw.where(lw.time < 0.3, 0, 1)
    m.load, m.ground = rotational.Damper(d=0.3), rotational.Fixed()
    m.connect(m.a.flange_b, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.b.flange_a)
    m.connect(m.b.flange_b, m.load.flange_a)
    m.connect(m.load.flange_b, m.ground.flange)
    return m, {"a.J": 1.0, "load.d": 0.3, "a.w": 10.0}


def reset():
    """A discrete variable takes a value of the motion, at a time that the motion decides."""
    m = ball()
    m.data = Numbers()
    pushed = m.discrete("pushed", 0.0)
    m.when(m.x.s > m.data.w / 2, {pushed: 3.0 * m.y.s})
    m.push = translational.Force()
    m.push.f = pushed * m.x.s
    m.connect(m.x.axis, m.push.flange)
    return m, {"data.w": 1.3, "y.s": 1.0, "x.v": 1.0}


def stop_in_a_loop():
    m = lw.Model("slider-crank")
    m.world = lw.World(g=9.81)
    m.j1, m.j2, m.j3 = joints.Revolute(phi=1.0, w=3.0), joints.Revolute(phi=lw.guess(-1.3)), joints.Revolute()
    m.crank = parts.BodyShape(m=1, r=[0.3, 0, 0], r_cm=[0.15, 0, 0], inertia=[0, 0.01, 0.01])
    m.rod = parts.BodyShape(m=0.7, r=[0.8, 0, 0], r_cm=[0.4, 0, 0], inertia=[0, 0.04, 0.04])
    m.slide, m.piston = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.9), s_max=1.0, restitution=0.6), parts.Body(m=1.5)
    m.chain(m.world, m.j1, m.crank, m.j2, m.rod, m.j3)
    m.chain(m.world, m.slide, m.piston)
    m.connect(m.j3.frame_b, m.piston.frame_a)
    return m, {"rod.m": 0.7, "slide.restitution": 0.6, "j1.w": 3.0}
