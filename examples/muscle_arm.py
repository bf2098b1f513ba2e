"""A forearm with two muscles: the extensor wraps the elbow from behind; a burst of the flexor lifts the hand."""

import numpy as np

import linkwright as lw
from linkwright import cables, joints, muscles, parts

m = lw.Model("arm")
m.world = lw.World()
m.elbow = joints.Revolute(n=[0, 0, 1], phi=0.3)
m.forearm = parts.BodyShape(r=[0, -0.3, 0], m=1.5, r_cm=[0, -0.18, 0], inertia=[0.02] * 3, width=0.025)
m.chain(m.world, m.elbow, m.forearm)
m.upper_arm = parts.FixedTranslation(r=[0, 0.3, 0], width=0.03)
m.connect(m.world.frame_b, m.upper_arm.frame_a)
m.condyle = cables.Cylinder(radius=0.018, n=[0, 0, 1], length=0.05)
m.connect(m.world.frame_b, m.condyle.frame_a)
m.flexor = muscles.Millard2012([(m.world.frame_b, [0.03, 0.26, 0]), (m.forearm.frame_a, [0.025, -0.05, 0])],
                               F_max=600.0, l_opt=0.12, l_slack=0.18, a=0.05, diameter=0.02)
m.extensor = muscles.Millard2012([(m.world.frame_b, [-0.025, 0.25, 0]), m.condyle.wrap(turn=1),
                                  (m.forearm.frame_a, [-0.02, -0.03, 0])],
                                 F_max=700.0, l_opt=0.12, l_slack=0.16, a=0.05, diameter=0.02)

if __name__ == "__main__":
    burst = lw.where(lw.time < 0.3, 0.35, 0.1)
    r = lw.simulate(m, 1.0, inputs={"flexor.excitation": burst, "extensor.excitation": 0.05})
    state = lw.compile(m).state()
    arm = lw.compile(m).moment_arm(state, "flexor.l", "elbow.phi")
    print(f"the flexor's moment arm at the start is {1000 * arm:.1f} mm")
    print(f"flexion from {np.degrees(r['elbow.phi'][0]):.0f}° to {np.degrees(r['elbow.phi'].max()):.0f}°; largest "
          f"force {r['flexor.f'].max():.0f} N, shortest fibre {1000 * r['flexor.l_fiber'].min():.0f} mm")
