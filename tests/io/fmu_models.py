"""Mechanisms that FMUs are made of in the tests."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright import blocks, contact, flexible, joints, parts, rotational, translational
from linkwright import planar as pl


def pendulum() -> lw.Model:
    """A damped pendulum with a motor left to be driven."""
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.damper, m.motor = rotational.Damper(d=0.1), rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b, m.motor.flange)
    m.output("height", m.body.r_0[1] + 0.5 * lw.sin(m.rev.phi))
    return m


def bouncing_ball() -> lw.Model:
    """A ball on a floor that throws it back."""
    m = lw.Model("ball")
    m.world = lw.World()
    m.slide, m.body = joints.Prismatic(n=[0, 1, 0], s=1.0), parts.Body(m=1.0)
    m.chain(m.world, m.slide, m.body)
    m.when(m.slide.s < 0, {m.slide.v: -0.8 * m.slide.v})
    m.output("height", m.slide.s)
    return m


def stick_slip() -> lw.Model:
    """A mass on a plate with dry friction, pulled to and fro: it sticks and slides by turns."""
    m = lw.Model("stick and slip")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[1, 0, 0], s=0.0, v=0.3, friction=lw.Coulomb(f=0.6, peak=1.2))
    m.body, m.pull = parts.Body(m=1.0), translational.Force(f=1.2 * lw.sin(9 * lw.time))
    m.chain(m.world, m.slide, m.body)
    m.connect(m.slide.axis, m.pull.flange)
    m.output("place", m.slide.s)
    return m


def thrown_ball() -> lw.Model:
    """A ball that is thrown on a floor: it slides and takes up spin, bounces, and rolls."""
    m = lw.Model("thrown ball")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.body = parts.Body(m=1.0, inertia=[0.004] * 3, r_0=[0, 0.3, 0], v_0=[1.0, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.3))
    m.output("place", m.body.r_0[0])
    return m


def box_on_a_slope() -> lw.Model:
    """A box that falls on a slope with one corner first, slides, and comes to rest."""
    m, angle = lw.Model("box on a slope"), 0.3
    m.world, m.fixed = pl.World(), pl.Fixed()
    m.floor = pl.contact.Line(n=[np.sin(angle), np.cos(angle)])
    m.skin = pl.contact.Polygon([[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]])
    m.body = pl.Body(m=1.0, I=0.02, r=[0.0, 0.2], phi=-angle + 0.05, v=[0.8, 0.0])
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.2, mu=0.5))
    m.output("place", m.body.r[0])
    return m


def between_stops() -> lw.Model:
    """A shaft between stops, and a wheel behind a clutch that slips at every blow."""
    m = lw.Model("between stops")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=10.0, phi_min=-1.0, phi_max=1.0, restitution=0.4)
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[1, 1, 2.0])
    m.wheel = rotational.Inertia(J=3.0, phi=0.0, w=10.0)
    m.clutch = rotational.Clutch(fn_max=100.0, mu_pos=[[0, 0.5]], peak=1.1, f_normalized=1.0)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.wheel.flange_a)
    m.output("place", m.rev.phi + m.wheel.phi)
    return m


def caught() -> lw.Model:
    """A double pendulum whose elbow a lock catches and lets go, and a hook that closes where two points meet."""
    m = lw.Model("caught")
    m.world = lw.World()
    m.shoulder = joints.Revolute(phi=0.2, w=1.0, friction=lw.Coulomb(tau=0.3))
    m.elbow, m.link = joints.Revolute(phi=0.5, w=2.0), parts.FixedTranslation(r=[1.0, 0, 0])
    m.upper = parts.Body(m=1.3, r_cm=[0.5, 0, 0], inertia=[0.01, 0.02, 0.05])
    m.lower = parts.Body(m=0.7, r_cm=[0.4, 0, 0], inertia=[0.01, 0.01, 0.03])
    m.chain(m.world, m.shoulder, m.upper)
    m.chain(m.shoulder, m.link, m.elbow, m.lower)
    m.lock(m.elbow, when=lw.logical_and(m.elbow.phi > 0.9, lw.time < 0.8))
    m.output("place", m.elbow.phi + m.shoulder.phi)
    return m


def on_teeth() -> lw.Model:
    """A drum that a torque swings to and fro, and that a ratchet lets climb only."""
    m = lw.Model("on teeth")
    m.world = lw.World()
    m.ground, m.ratchet = rotational.Fixed(), rotational.Ratchet(pitch=0.1, restitution=0.3)
    m.drum, m.motor = rotational.Inertia(J=2.0, phi=0.01, w=0.0), rotational.Torque(tau=20 * lw.sin(12 * lw.time))
    m.connect(m.ground.flange, m.ratchet.flange_a)
    m.connect(m.ratchet.flange_b, m.drum.flange_a)
    m.connect(m.motor.flange, m.drum.flange_b)
    m.output("place", m.drum.phi)
    return m


def four_bar() -> lw.Model:
    """A crank and rocker, whose crank turns round and round."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.crank, m.coupler = parts.BodyCylinder(r=[0.2, 0, 0], diameter=0.02), parts.BodyCylinder(r=[0.5, 0, 0],
                                                                                               diameter=0.02)
    m.rocker, m.ground = parts.BodyCylinder(r=[0.4, 0, 0], diameter=0.02), parts.FixedTranslation(r=[0.5, 0, 0])
    m.j1, m.j2 = joints.Revolute(phi=0.7, w=15.0), joints.Revolute(phi=lw.guess(0.4))
    m.j3, m.j4 = joints.Revolute(), joints.Revolute(phi=lw.guess(1.2))
    m.chain(m.world, m.j1, m.crank, m.j2, m.coupler, m.j3)
    m.chain(m.world, m.ground, m.j4, m.rocker)
    m.connect(m.rocker.frame_b, m.j3.frame_b)
    m.output("rocking", m.j4.phi)
    return m


def controlled() -> lw.Model:
    """A link that a motor with a controller turns, by a reference with corners, known instants, and a comparison."""
    m = lw.Model("controlled")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(n=[0, 0, 1], phi=0.0, w=0.0), parts.Body(m=2.0, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.motor = rotational.Torque()
    wanted = lw.where(lw.time > 0.5, 0.8, 0.0)
    effort = blocks.pi(40 * (wanted - m.rev.phi) - 8 * m.rev.w, k=1.0, T=0.5, name="control")
    m.motor.tau = effort + lw.where(m.rev.phi > 0.4, -2.0, 0.0)
    m.connect(m.rev.axis, m.motor.flange)
    m.output("angle", m.rev.phi)
    return m


def sampled() -> lw.Model:
    """A link under a controller in formulas that samples at one rate what a hold takes at another."""
    m = lw.Model("sampled")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(n=[0, 0, 1], phi=0.5), parts.Body(m=1.0, r_cm=[0, -0.3, 0])
    m.chain(m.world, m.rev, m.body)
    u, total = m.discrete("u"), m.discrete("total")
    m.motor = rotational.Torque(tau=u)
    m.connect(m.rev.axis, m.motor.flange)
    speed = blocks.zero_order_hold(m.rev.w, 0.03, name="seen")
    m.sample(0.01, {u: -8 * m.rev.phi - 1.5 * speed - total, total: total + 0.01 * m.rev.phi})
    m.output("angle", m.rev.phi)
    return m


def spinning_top() -> lw.Model:
    """A heavy top on a ball joint: quaternions."""
    m = lw.Model("top")
    m.world = lw.World()
    m.ball = joints.Spherical(angles=[0.3, 0, 0.1], w_rel_a=[0, 30.0, 0.5])
    m.body = parts.Body(m=1.0, r_cm=[0, 0.2, 0], inertia=[0.01, 0.004, 0.01])
    m.chain(m.world, m.ball, m.body)
    m.output("tip", m.body.r_0[1] + 0.2 * m.body.frame_a.R.T[1, 1])
    return m


def by_tables() -> lw.Model:
    """A link on a spring and a torque over time that are given by points, smooth and with corners."""
    m = lw.Model("by tables")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(phi=0.1), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    spring = blocks.table([-2, -1, 0, 1, 2], [8, 3, 0, -2, -9], m.rev.phi, kind="smooth", extrapolation="linear")
    m.drive = rotational.Torque(tau=spring + blocks.table([0, 0.4, 1.1], [0, 3, -1]))
    m.connect(m.rev.axis, m.drive.flange)
    m.output("angle", m.rev.phi)
    return m


def on_a_ground() -> lw.Model:
    """A ball and a tyre that press on hills, the ball from above."""
    x, y = np.linspace(-1, 2, 13), np.linspace(-1, 1, 9)
    m = lw.Model("on a ground")
    m.world = lw.World(n=[0, 0, -1])
    m.ground = contact.HeightField(x, y, 0.1 * np.sin(2 * x)[:, None] * np.cos(y))
    m.connect(m.world.frame_b, m.ground.frame_a)
    m.ball = parts.Body(m=1, inertia=[0.004] * 3, r_0=[0.3, 0.2, 0.18], v_0=[0.5, 0, 0])
    m.wheel = parts.Body(m=1, inertia=[0.002, 0.004, 0.002], r_0=[-0.4, -0.3, 0.04], v_0=[0.6, 0.1, 0], w_a=[0, 6, 0])
    m.skin, m.tyre = contact.Sphere(radius=0.1), contact.Torus(R=0.07, r=0.03, n=[0, 1, 0], feet=0)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.connect(m.wheel.frame_a, m.tyre.frame_a)
    law = contact.Linear(stiffness=2e3, dissipation=0.2, mu=0.4, transition=0.3)
    m.touch = [contact.Pair(m.ground, skin, law=law) for skin in (m.skin, m.tyre)]
    m.output("height", m.ball.r_0[2] - m.wheel.r_0[2])
    return m


def whip() -> lw.Model:
    """A beam on a hinge that bends as it falls."""
    m = lw.Model("whip")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
    m.beam = flexible.Beam(length=0.8, section=flexible.Circle(diameter=0.004), material=flexible.Aluminium,
                           strains="planar", elements=1, degree=1, damping=1e-4)
    m.chain(m.world, m.rev, m.beam)
    m.output("tip", m.beam.deflection[1])
    return m


def spring_board() -> lw.Model:
    """A board of two shapes on a turning hub, with a weight at its end."""
    m = lw.Model("spring board")
    m.world, m.rev = lw.World(), joints.Revolute(n=[0, 1, 1], phi=0.4, w=2.0)
    m.board = flexible.ModalBody(flexible.beam_modes(1.0, flexible.Rectangle(height=0.02, width=0.005), flexible.Steel,
                                                     2), zeta=0.02)
    m.tip = parts.PointMass(m=0.1)
    m.chain(m.world, m.rev, m.board, m.tip)
    m.output("shape", m.board.q[0])
    return m


def muscle_arm():
    """The extensor's cable leaves its cylinder after 0.255 s: its witness has bounds, whose bases come with it."""
    m = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "muscle_arm.py"))["m"]
    m.output("angle", m.elbow.phi)
    return m
