"""A diving board: an elastic plank, clamped at one end; a diver drops on its tip and is thrown up again.

The plank is a beam that may bend as far as it likes; the diver, a ball here, touches it through a stiff contact.
"""

import numpy as np

import linkwright as lw
from linkwright import contact, flexible, parts

model = m = lw.Model("diving board")
m.world = lw.World()
m.stand = parts.Fixed(r=[0, 1.0, 0])
m.board = flexible.Beam(length=3.2, section=flexible.Rectangle(height=0.035, width=0.5), material=flexible.Material(
    E=4e10, nu=0.3, rho=1900.0), strains="planar", elements=2, degree=1, damping=2e-3)
m.connect(m.stand.frame_b, m.board.frame_a)
m.pad = contact.Sphere(radius=0.15)
m.connect(m.board.frame_b, m.pad.frame_a)
m.diver = parts.Body(m=60.0, r_cm=[0, 0, 0], inertia=[2.0] * 3, r_0=[3.19, 2.4, 0], v_0=[0, 0, 0], angles=[0, 0, 0])
m.feet = contact.Sphere(radius=0.3)
m.connect(m.diver.frame_a, m.feet.frame_a)
m.touch = contact.Pair(m.pad, m.feet, law=contact.HuntCrossley(stiffness=3e5, dissipation=0.2))
stop = 1.5

if __name__ == "__main__":
    r = lw.simulate(m, stop, output_step=0.01)
    tip, height = r["board.deflection"][:, 1], r["diver.r_0"][:, 1]
    low = int(np.argmin(tip))
    after = int(np.argmax(height[low:])) + low
    print(f"the tip goes down by {-tip[low]:.3f} m at {r.t[low]:.2f} s; the diver flies up to {height[after]:.2f} m")
    print(f"bending moment at the clamp: {np.abs(r['board.section_moment'][:, 0, 2]).max():.0f} N m")
    r.save("diving_board.png", t=float(r.t[low]))
    r.plot("board.deflection", "diver.r_0")
