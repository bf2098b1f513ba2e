"""A tippe top inverts: slip and spin share the friction over a small contact area (Coulomb–Contensou).

With friction at a point it would only roll; with all of the patch rubbing it slips a little all along, and that lifts
its centre of mass (Leine and Glocker, Eur. J. Mech. A 22 (2003) 193, whose measures these are).
"""

import numpy as np

import linkwright as lw
from linkwright import contact, parts

HEAD, STEM = 0.015, 0.005  # radii of the ball below and of the end of the stem
BELOW, ABOVE = 0.003, 0.016  # their centres, below and above the centre of mass along the axis
SPIN, TILT = 180.0, 0.1

m = lw.Model("tippe top")
m.world = lw.World(g=9.81, animate_world=False, animate_gravity=False)
m.table = contact.Plane(n=[0, 1, 0])
m.connect(m.world.frame_b, m.table.frame_a)
# the centre of the larger ball lies above the centre of mass
m.top = parts.Body(m=0.006, inertia=[8e-7, 7e-7, 8e-7], r_0=[0, HEAD - BELOW * np.cos(TILT), 0], angles=[0, 0, TILT],
                   w_a=[0, SPIN, 0], animation=False)
m.arm = [parts.FixedTranslation(r=[0, height, 0], animation=False) for height in (BELOW, ABOVE)]
m.skin = [contact.Sphere(radius=HEAD, color=(180, 120, 70)), contact.Sphere(radius=STEM, color=(90, 60, 40))]
for arm, skin in zip(m.arm, m.skin, strict=True):
    m.chain(m.top, arm, skin)
m.touch = [contact.Pair(m.table, skin, law=contact.Rigid(mu=0.3, patch=5e-4)) for skin in m.skin]
# how far its axis has turned over
m.output("upside", lw.dot(m.top.frame_a.R_WF @ np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0])))

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    energy = r["kinetic_energy"] + r["potential_energy"]
    struck = next((row.time for row in r.contacts if row.pair == "touch[1]"), None)
    print(f"the stem touches the table at t = {struck} s")
    lean = np.degrees(np.arccos(np.clip(r["upside"], -1, 1)))
    print(f"its axis leans by {lean[0]:.1f} degrees, in the end by {lean[-1]:.1f}")
    print(f"energy falls from {1e3 * energy[0]:.3f} to {1e3 * energy[-1]:.3f} mJ, and never rises by more than "
          f"{1e3 * max(np.diff(energy).max(), 0):.1e} mJ")
    r.save("tippe_top.html")
