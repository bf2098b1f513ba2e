"""A slewing crane: its jib is a beam that bends and twists, the load hangs on a rope, and both sway after every stop.

The jib turns by a quarter within six seconds.  The load swings, the tip of the jib follows, and the moment in its root
is far from that of the weight alone.
"""

import numpy as np

import linkwright as lw
from linkwright import flexible, joints, parts, rotational

model = m = lw.Model("swaying crane")
m.world = lw.World()
m.tower = parts.FixedTranslation(r=[0, 12.0, 0], width=0.5)
m.slew, m.drive = joints.Revolute(n=[0, 1, 0]), rotational.Position(exact=True)
m.jib = flexible.Beam(length=10.0, section=flexible.Tube(diameter=0.2, wall=0.008), material=flexible.Steel, elements=1,
                      degree=1, damping=2e-3, start="static")
m.hook = joints.Spherical(angles=[0, 0, 0], w_rel_b=[0, 0, 0])
m.rope = parts.FixedTranslation(r=[0, -6.0, 0], width=0.05)
m.load = parts.BodyBox(r=[0, -1.2, 0], length=1.2, width=1.2, height=1.2, density=300.0, color=(191, 89, 51))
turn, within = np.pi / 2, 6.0
s = lw.time / within
m.drive.phi_ref = lw.smooth_where(lw.time < within, turn * (10 * s**3 - 15 * s**4 + 6 * s**5), turn)
m.connect(m.slew.axis, m.drive.flange)
m.chain(m.world, m.tower, m.slew, m.jib, m.hook, m.rope, m.load)
stop = 9.0

if __name__ == "__main__":
    r = lw.simulate(m, stop, output_step=0.02)
    deflection, moment = r["jib.deflection"], np.linalg.norm(r["jib.section_moment"][:, 0], axis=1)
    print(f"the tip hangs {-deflection[0, 1]:.3f} m low at rest and sways by {np.ptp(deflection[:, 2]):.3f} m sideways")
    print(f"moment at the root: {moment[0]:.0f} N m at rest, {moment.max():.0f} N m at most")
    r.save("swaying_crane.png", t=4.5)
