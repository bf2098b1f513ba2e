"""A Stewart platform: six legs (universal, sliding and ball joint each) move and turn the platform.

From the wanted motion of the platform follow the lengths of the legs, one formula each: these the motors are given.
The platform goes where it should (five coupled loops in space, closed to rounding); the motors' forces are results.
"""

import math

import numpy as np

import linkwright as lw
from linkwright import joints, parts, visualizers

FEET, BALLS, HEIGHT = 0.6, 0.35, 0.8  # radii of the circles of feet and ball joints, height of the platform, m
TUBE, ROD = 0.5, 0.65  # lengths of the two parts of a leg, m
STEEL, RED = [150, 150, 155], [200, 70, 50]


def on_circle(radius, degrees):
    return [radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), 0]


class Leg(lw.Model):
    """A tube on a universal joint, a rod that slides out of it, a ball joint."""

    def __init__(self, foot, ball):
        super().__init__()
        self.base, self.platform = lw.Frame(), lw.Frame()
        self.foot, self.arm = (parts.FixedTranslation(r=r, animation=False) for r in (foot, ball))
        self.universal, self.ball = joints.Universal(n_a=[1, 0, 0], n_b=[0, 1, 0]), joints.Spherical()
        self.tube = parts.BodyCylinder(r=[0, 0, TUBE], diameter=0.06, density=2700, color=STEEL)
        self.slide = joints.Prismatic(n=[0, 0, 1], s=lw.guess(-0.2), animation=False)
        self.rod = parts.BodyCylinder(r=[0, 0, ROD], diameter=0.03, density=7800)
        self.connect(self.base, self.foot.frame_a)
        self.chain(self.foot, self.universal, self.tube, self.slide, self.rod, self.ball)
        self.connect(self.ball.frame_b, self.arm.frame_b)
        self.connect(self.arm.frame_a, self.platform)


#: the wanted motion of the platform: position, and rotation about the vertical
turn = 0.4 * lw.sin(2 * lw.time)
place = [0.15 * lw.sin(2 * lw.time), 0.1 - 0.1 * lw.cos(2 * lw.time), HEIGHT + 0.08 * lw.sin(4 * lw.time)]

m = lw.Model("Stewart platform")
m.world = lw.World(n=[0, 0, -1], animate_world=False, animate_gravity=False)
m.platform = parts.Body(m=30, inertia=[0.7, 0.7, 1.3], r_0=lw.guess([0, 0, HEIGHT]), animation=False)
m.plate = visualizers.FixedShape(shape_type="cylinder", r_shape=[0, 0, 0], length_direction=[0, 0, 1], length=0.03,
                                 width=2 * BALLS + 0.06, color=RED)
m.connect(m.platform.frame_a, m.plate.frame_a)
places = [(on_circle(FEET, 120 * (k // 2) + (12, -12)[k % 2]), on_circle(BALLS, 120 * (k // 2) + (48, -48)[k % 2]))
          for k in range(6)]
m.leg = [Leg(foot, ball) for foot, ball in places]
for leg, (foot, ball) in zip(m.leg, places, strict=True):
    m.connect(m.world.frame_b, leg.base)
    m.connect(m.platform.frame_a, leg.platform)
    x = place[0] + ball[0] * lw.cos(turn) - ball[1] * lw.sin(turn) - foot[0]
    y = place[1] + ball[0] * lw.sin(turn) + ball[1] * lw.cos(turn) - foot[1]
    m.prescribe(leg.slide.s, lw.sqrt(x**2 + y**2 + place[2] ** 2) - TUBE - ROD)
stop = 2 * math.pi

if __name__ == "__main__":
    r = lw.simulate(m, stop)
    wanted = np.stack([0.15 * np.sin(2 * r.t), 0.1 - 0.1 * np.cos(2 * r.t), HEIGHT + 0.08 * np.sin(4 * r.t)], axis=1)
    force = np.array([r[f"leg[{k}].slide.f"] for k in range(6)])
    print(f"the platform is where it should be to {np.max(np.abs(r['platform.r_0'] - wanted)):.0e} m; "
          f"the legs push with {force.min():.0f} … {force.max():.0f} N")
    r.save("stewart_platform.html", traces=["platform"])
