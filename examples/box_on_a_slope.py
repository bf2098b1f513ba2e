"""Two boxes on a slope, just below and just above the angle of friction: the first one stays at rest."""

import numpy as np

import linkwright as lw
from linkwright import contact, parts

MU, SIZE = 0.5, 0.2
SLOPE = np.arctan(MU)
UP, DOWN = np.array([np.sin(SLOPE), np.cos(SLOPE), 0.0]), np.array([np.cos(SLOPE), -np.sin(SLOPE), 0.0])

m = lw.Model("boxes on a slope")
m.world = lw.World(g=9.81, animate_world=False, animate_gravity=False)
m.slope = contact.Plane(n=list(UP), length=2.0)
m.connect(m.world.frame_b, m.slope.frame_a)
m.box = [parts.Body(m=1, inertia=[SIZE**2 / 6] * 3, r_0=[*(SIZE / 2 * UP - 0.5 * DOWN)[:2], z], angles=[0, 0, -SLOPE],
                    animation=False) for z in (-0.3, 0.3)]
m.skin = [contact.Box(size=[SIZE] * 3, color=color) for color in ((90, 150, 90), (200, 90, 70))]
for box, skin in zip(m.box, m.skin, strict=True):
    m.connect(box.frame_a, skin.frame_a)
m.touch = [contact.Pair(m.slope, skin, law=contact.Rigid(mu=factor * MU), animation=False)
           for skin, factor in zip(m.skin, (1.001, 0.9), strict=True)]

if __name__ == "__main__":
    r = lw.simulate(m, 1.2)
    moved = [np.linalg.norm(r[f"box[{k}].r_0"][-1] - r[f"box[{k}].r_0"][0]) for k in range(2)]
    law = 9.81 * (np.sin(SLOPE) - 0.9 * MU * np.cos(SLOPE)) * 1.2**2 / 2
    print(f"with 1.001 of the friction it needs a box has moved {moved[0]:.1e} m; with 0.9 of it {moved[1]:.9f} m, "
          f"by Coulomb's law {law:.9f} m")
    print(f"what presses on its corners: {r['touch[0].f_n'][-1].round(3)} N")
    r.save("box_on_a_slope.html")
