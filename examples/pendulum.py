"""A pendulum with a damper in its joint: the first model of the MultiBody library."""

import linkwright as lw
from linkwright import joints, parts, rotational

m = lw.Model("pendulum")
m.world = lw.World()  # gravity 9.80665 m/s² along −y
m.rev = joints.Revolute(n=[0, 0, 1], phi=0.0)  # a value given here is an initial condition
m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
m.damper = rotational.Damper(d=0.1)
m.connect(m.world.frame_b, m.rev.frame_a)
m.connect(m.rev.frame_b, m.body.frame_a)
m.connect(m.rev.support, m.damper.flange_a)  # the 1-D flanges of the joint
m.connect(m.rev.axis, m.damper.flange_b)

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    print(f"after 5 s: phi = {r['rev.phi'][-1]:.6f} rad, w = {r['rev.w'][-1]:.6f} rad/s")
    r.save("pendulum.html")
    print("animation: pendulum.html")
