"""The break at pool: fifteen balls in a triangle, hit by the white one; 151 contact points, time-stepped."""

import numpy as np

import linkwright as lw
from linkwright import contact, parts, visualizers

RADIUS, MASS, SPEED = 0.0286, 0.17, 6.0
LENGTH, WIDTH = 2.24, 1.12  # of the table

m = lw.Model("pool break")
m.world = lw.World(g=9.81, animate_world=False, animate_gravity=False)
m.table = contact.Plane(n=[0, 1, 0], animation=False)
m.connect(m.world.frame_b, m.table.frame_a)
sides = [(np.array([1.0, 0, 0]), LENGTH), (np.array([-1.0, 0, 0]), LENGTH), (np.array([0, 0, 1.0]), WIDTH),
         (np.array([0, 0, -1.0]), WIDTH)]
m.post = [parts.FixedTranslation(r=list(-size / 2 * n), animation=False) for n, size in sides]
m.cushion = [contact.Plane(n=list(n), animation=False) for n, _ in sides]
m.bed = visualizers.FixedShape(r_shape=[-LENGTH / 2, -0.01, 0], length=LENGTH, width=0.02, height=WIDTH,
                               color=(40, 120, 80))
m.connect(m.world.frame_b, m.bed.frame_a)
m.rail = [visualizers.FixedShape(r_shape=list(-0.03 * n), length_direction=list(n), length=0.03, width=0.08,
                                 height=WIDTH + LENGTH - size, color=(90, 60, 40)) for n, size in sides]
for post, rail in zip(m.post, m.rail, strict=True):
    m.connect(post.frame_b, rail.frame_a)
for post, cushion in zip(m.post, m.cushion, strict=True):
    m.chain(m.world, post, cushion)
# rows of one to five balls, a hair apart
rack = [[0.5 + np.sqrt(3) * (RADIUS + 2e-5) * row, RADIUS, (2 * k - row) * (RADIUS + 2e-5)]
        for row in range(5) for k in range(row + 1)]
inertia = [0.4 * MASS * RADIUS**2] * 3
m.white = parts.Body(m=MASS, inertia=inertia, r_0=[-0.5, RADIUS, 0.004], v_0=[SPEED, 0, 0], w_a=[0, 0, -SPEED / RADIUS],
                     animation=False)
m.ball = [parts.Body(m=MASS, inertia=inertia, r_0=place, animation=False) for place in rack]
colors = [(245, 245, 240), *[((200, 60, 40), (220, 180, 40), (50, 80, 170))[k % 3] for k in range(15)]]
m.skin = [contact.Sphere(radius=RADIUS, color=color) for color in colors]
for body, skin in zip([m.white, *m.ball], m.skin, strict=True):
    m.connect(body.frame_a, skin.frame_a)
m.contacts(law=contact.Rigid(restitution=0.9, mu=0.2, capture=0.05))

if __name__ == "__main__":
    r = lw.simulate(m, 1.5, fixed_step=5e-4, output_step=0.01)
    places = np.array([r[f"ball[{k}].r_0"] for k in range(15)])
    print(r.messages[-1])
    print(f"the rack is {np.ptp(places[:, 0, 2]):.3f} m wide, after {r.t[-1]:g} s its balls lie over "
          f"{np.ptp(places[:, -1, 0]):.2f} m by {np.ptp(places[:, -1, 2]):.2f} m")
    print(f"kinetic energy {r['kinetic_energy'][0]:.3f} J, in the end {r['kinetic_energy'][-1]:.3f} J")
    r.save("pool_break.html")
