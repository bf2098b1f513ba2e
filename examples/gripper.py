"""Two fingers close on a ball, hold it by friction and lift it; it must not slip."""

import numpy as np

import linkwright as lw
from linkwright import contact, forces, joints, parts

RADIUS, MASS, GRIP = 0.05, 0.3, 8.0

m = lw.Model("gripper")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.post = joints.Prismatic(n=[0, 1, 0], animation=False)
m.prescribe(m.post.s, lw.smooth_where(lw.time < 2, 0.15 * (1 - lw.cos(np.pi / 2 * lw.time)), 0.3))
m.hand = parts.BodyBox(r=[0, 0.02, 0], width=0.12, height=0.06, color=[120, 120, 130])
m.chain(m.world, m.post, m.hand)
m.rail = [joints.Prismatic(n=[side, 0, 0], s=RADIUS + 0.01, animation=False) for side in (-1, 1)]
m.finger = [parts.BodyBox(r=[0, -0.12, 0], width=0.04, height=0.01, color=[160, 120, 60]) for _ in range(2)]
m.pad = [contact.Plane(n=[-side, 0, 0], length=0.04, color=[90, 90, 90]) for side in (-1, 1)]
m.squeeze = [forces.Force(force=[-side * GRIP, 0, 0], resolve_in_frame="frame_a", animation=False) for side in (-1, 1)]
for rail, finger, pad, squeeze in zip(m.rail, m.finger, m.pad, m.squeeze, strict=True):
    m.connect(m.hand.frame_a, rail.frame_a)
    m.connect(rail.frame_b, finger.frame_a)
    m.connect(finger.frame_b, pad.frame_a)
    m.connect(m.hand.frame_a, squeeze.frame_a)
    m.connect(finger.frame_a, squeeze.frame_b)
m.table = contact.Plane(n=[0, 1, 0])
m.under = parts.FixedTranslation(r=[0, -0.12 - RADIUS, 0], animation=False)
m.chain(m.world, m.under, m.table)
m.ball = parts.Body(m=MASS, inertia=[0.4 * MASS * RADIUS**2] * 3, r_0=[0, -0.12, 0], animation=False)
m.skin = contact.Sphere(radius=RADIUS, color=[200, 60, 60])
m.connect(m.ball.frame_a, m.skin.frame_a)
m.rest = contact.Pair(m.table, m.skin, law=contact.Rigid(mu=0.5), animation=False)
m.hold = [contact.Pair(pad, m.skin, law=contact.Rigid(mu=0.5), animation=False) for pad in m.pad]

if __name__ == "__main__":
    r = lw.simulate(m, 2.5)
    slipped = np.abs((r["ball.r_0"] - r["hand.frame_a.r_0"])[-1] - [0, -0.12, 0]).max()
    print(f"each finger presses with {r['hold[0].f_n'][-1]:.4f} N and carries {r['hold[0].f_t'][-1, 1]:.4f} N of "
          f"{MASS * 9.80665:.4f} N")
    print(f"the ball is {r['ball.r_0'][-1, 1] + 0.12:.4f} m up, {slipped:.1e} m away from where it was taken")
    r.save("gripper.html")
