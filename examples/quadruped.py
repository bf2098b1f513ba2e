"""A four-legged robot stands up straight, then trots: twelve driven joints, four feet that strike, hold and slip."""

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts, rotational, visualizers

LENGTH, WIDTH, LEG, FOOT, MU = 0.4, 0.24, 0.2, 0.02, 0.7
CROUCH, STRIDE, LIFT, PACE = 0.6, 0.28, 0.7, 2.0  # rad, rad, rad, steps of a pair a second
STIFFNESS, DAMPING = 150.0, 4.0  # of the drives, N m/rad and N m s/rad
HEIGHT = 2 * LEG * np.cos(CROUCH) + FOOT


def wanted(side, end):
    """Angles of hip and knee over time: diagonal legs together, each lifted while it swings forward."""
    phase = 2 * np.pi * PACE * lw.time + (0.0 if side * end > 0 else np.pi)
    begun = (1 + lw.tanh(8 * (lw.time - 1))) / 2  # it stands for a second
    lift = LIFT * begun * ((1 + lw.cos(phase)) / 2) ** 2
    return CROUCH + STRIDE * begun * lw.sin(phase) + lift / 2, -2 * CROUCH - lift


class Leg(lw.Model):
    """Abduction, hip and knee, each with a drive that holds an angle like a spring and damper; a ball for a foot."""

    def __init__(self, side, end, name=None):
        super().__init__(name)
        self.joint = [joints.Revolute(n=[1, 0, 0], phi=0.0, w=0, cylinder_length=0.05),
                      joints.Revolute(phi=CROUCH, w=0, cylinder_length=0.05),
                      joints.Revolute(phi=-2 * CROUCH, w=0, cylinder_length=0.04)]
        self.hip = parts.Body(m=0.4, inertia=[4e-4] * 3, animation=False)
        self.thigh = parts.Body(m=0.6, r_cm=[0, -LEG / 2, 0], inertia=[2e-3, 2e-4, 2e-3], animation=False)
        self.shank = parts.Body(m=0.2, r_cm=[0, -LEG / 2, 0], inertia=[7e-4, 5e-5, 7e-4], animation=False)
        self.link = [parts.FixedTranslation(r=[0, -LEG, 0], width=width, color=color)
                     for width, color in ((0.035, [70, 90, 130]), (0.025, [150, 150, 160]))]
        self.foot = contact.Sphere(radius=FOOT, color=[50, 50, 50])
        self.frame_a = lw.Frame()
        self.connect(self.frame_a, self.joint[0].frame_a)
        self.chain(self.joint[0], self.joint[1], self.link[0], self.joint[2], self.link[1], self.foot)
        for joint, body in zip(self.joint, (self.hip, self.thigh, self.shank), strict=True):
            self.connect(joint.frame_b, body.frame_a)
        self.drive = [rotational.Torque(tau=STIFFNESS * (angle - joint.phi) - DAMPING * joint.w)
                      for joint, angle in zip(self.joint, (0.0, *wanted(side, end)), strict=True)]
        for joint, drive in zip(self.joint, self.drive, strict=True):
            self.connect(joint.axis, drive.flange)


m = lw.Model("quadruped")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.floor = contact.Plane(n=[0, 1, 0])
m.connect(m.world.frame_b, m.floor.frame_a)
m.trunk = parts.Body(m=9.0, inertia=[0.06, 0.17, 0.13], r_0=[0, HEIGHT, 0], v_0=[0, 0, 0], w_a=[0, 0, 0],
                     animation=False)
m.hull = visualizers.FixedShape(r_shape=[-LENGTH / 2 - 0.06, 0, 0], length=LENGTH + 0.12, width=WIDTH - 0.08,
                                height=0.1, width_direction=[0, 0, 1], color=[200, 120, 50])
m.connect(m.trunk.frame_a, m.hull.frame_a)
corners = [(side, end) for end in (1, -1) for side in (1, -1)]
m.at = [parts.FixedTranslation(r=[end * LENGTH / 2, 0, side * WIDTH / 2], animation=False) for side, end in corners]
m.leg = [Leg(side, end) for side, end in corners]
for at, leg in zip(m.at, m.leg, strict=True):
    m.connect(m.trunk.frame_a, at.frame_a)
    m.connect(at.frame_b, leg.frame_a)
m.step = [contact.Pair(m.floor, leg.foot, law=contact.Rigid(mu=MU), animation=False) for leg in m.leg]

if __name__ == "__main__":
    r = lw.simulate(m, 3.0)
    stood, went = r.at(1.0)["trunk.r_0"], r["trunk.r_0"][-1]
    hits = [row for row in r.contacts if row.what == "hit"]
    print(f"it stands {stood[1]:.4f} m tall; after {r.t[-1]:g} s it is {went[0]:.3f} m ahead and {went[2]:+.3f} m "
          f"aside, {r['trunk.r_0'][:, 1].min():.3f} to {r['trunk.r_0'][:, 1].max():.3f} m tall")
    print(f"its feet struck the floor {len(hits)} times, {max(row.speed for row in hits):.2f} m/s at most")
    r.save("quadruped.html")
