"""A double pendulum whose elbow hits stops: every impact changes the speeds of both links."""

import numpy as np

import linkwright as lw
from linkwright import joints, parts, visualizers

LIMITS = (-0.1, 0.6)  # of the elbow, rad

m = lw.Model("pendulum against a stop")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.shoulder = joints.Revolute(phi=1.2, w=0, friction=lw.Coulomb(mu=0.05, radius=0.02))
m.upper = parts.BodyCylinder(r=[0, -0.5, 0], diameter=0.05)
m.elbow = joints.Revolute(phi=0.2, w=0, phi_min=LIMITS[0], phi_max=LIMITS[1], restitution=0.5,
                          friction=lw.Coulomb(tau=0.02, peak=1.3))
m.lower = parts.BodyCylinder(r=[0, -0.5, 0], diameter=0.05)
m.chain(m.world, m.shoulder, m.upper, m.elbow, m.lower)

# a plate on the upper link carries the two pegs that stop the lower one
m.plate = visualizers.FixedShape(shape_type="cylinder", r_shape=[0, 0, -0.05], length_direction=[0, 0, 1], length=0.02,
                                 width=0.32, color=[155, 155, 155])
m.connect(m.upper.frame_b, m.plate.frame_a)
for name, angle in (("peg_min", LIMITS[0] - 0.32), ("peg_max", LIMITS[1] + 0.32)):
    peg = visualizers.FixedShape(shape_type="cylinder", r_shape=[0.13 * np.sin(angle), -0.13 * np.cos(angle), -0.04],
                                 length_direction=[0, 0, 1], length=0.08, width=0.03, color=[240, 130, 20])
    setattr(m, name, peg)
    m.connect(m.upper.frame_b, peg.frame_a)

if __name__ == "__main__":
    r = lw.simulate(m, 10.0)
    hits = [event for event in r.events if "phi_m" in event.what and event.direction == -1]
    print(f"{len(hits)} hits of the elbow, the first at t = {hits[0].time:.6f} s ({hits[0].what})")
    first = hits[0].time
    before, after = (r.at(first, side=side)["elbow.w"] for side in ("before", "after"))
    print(f"the elbow turns at {before:.4f} rad/s before and {after:.4f} rad/s after: ratio {after / before:.6f}")
    r.save("pendulum_against_a_stop.html")
