"""A rattleback (Kane and Levinson 1982): spun the wrong way, it rattles, stops, and turns back."""

import numpy as np

import linkwright as lw
from linkwright import contact, parts
from linkwright.algebra import rotation_from_angles

RADII, SINK = np.array([0.2, 0.03, 0.02]), 0.01  # half axes; the centre of mass lies below the middle
tilt, spin = np.radians([0.5, 0.5, 0.0]), np.array([0, 0, -5.0])
R = rotation_from_angles((1, 2, 3), tilt)
# where it touches, from the centre of mass, in its own axes
up = R.T @ [0, 0, 1]
under = np.array([0, 0, SINK]) - RADII**2 * up / np.sqrt((RADII**2 * up**2).sum())

m = lw.Model("rattleback")
m.world = lw.World(n=[0, 0, -1], animate_world=False, animate_gravity=False)
m.floor = contact.Plane(n=[0, 0, 1])
m.stone = parts.Body(m=1, inertia=np.array([[2, -0.2, 0], [-0.2, 16, 0], [0, 0, 17]]) * 1e-4, r_0=-(R @ under),
                     v_0=R @ -np.cross(spin, under), w_a=spin, angles=tilt, animation=False)
m.middle = parts.FixedTranslation(r=[0, 0, SINK], animation=False)
m.skin = contact.Ellipsoid(radii=RADII, color=[90, 140, 120])
m.connect(m.world.frame_b, m.floor.frame_a)
m.connect(m.stone.frame_a, m.middle.frame_a)
m.connect(m.middle.frame_b, m.skin.frame_a)
m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=1.0), animation=False)

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    about = (r["stone.w_a"] * r["stone.frame_a.R.T"][:, :, 2]).sum(1)  # about the vertical
    print(f"it starts at {about[0]:.3f} rad/s and turns back at t = {r.t[np.argmax(about > 0)]:.2f} s")
    print(f"at the end it turns at {about[-1]:+.3f} rad/s; events on the way: {len(r.events)}")
    r.save("rattleback.html")
