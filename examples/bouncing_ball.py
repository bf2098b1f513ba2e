"""A ball with backspin bounces, slides, and rolls in the end: rigid contact with Coulomb friction."""

import numpy as np

import linkwright as lw
from linkwright import contact, parts

m = lw.Model("bouncing ball")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.floor = contact.Plane(n=[0, 1, 0])
m.ball = parts.Body(m=0.6, inertia=[0.0035] * 3, r_0=[-1.2, 0.8, 0], v_0=[0.9, 0, 0], w_a=[0, 0, 12], animation=False)
m.skin = contact.Sphere(radius=0.12, color=[220, 110, 40])
m.connect(m.world.frame_b, m.floor.frame_a)
m.connect(m.ball.frame_a, m.skin.frame_a)
m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.7, mu=0.4))

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    hits = [row for row in r.contacts if row.what == "hit"]
    rest = next(row for row in r.contacts if row.what in ("slide", "stick"))
    print(f"{len(hits)} impacts, the first at {hits[0].speed:.4f} m/s; bouncing has ended at t = {rest.time:.6f} s")
    energy = r["kinetic_energy"] + r["potential_energy"]
    print(f"impacts cost {sum(row.loss for row in hits):.6f} J of {energy[0] - energy[-1]:.6f} J")
    slip = np.linalg.norm(r["touch.slip"][-1])
    print(f"it rolls at {r['ball.v_0'][-1, 0]:.6f} m/s, slip {slip:.1e} m/s")
    r.save("bouncing_ball.html", traces=["ball"])
