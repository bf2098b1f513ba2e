"""From markers to torques: poses and torques of a swinging leg, computed from noisy marker positions."""

import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational, sensors

m = lw.Model("leg")
m.world = lw.World()
m.hip, m.knee = joints.Revolute(phi=-1.2, w=0), joints.Revolute(phi=-0.3, w=0)
m.thigh = parts.BodyShape(r=[0, -0.45, 0], r_cm=[0, -0.2, 0], m=8.0, inertia=[0.13, 0.02, 0.13])
m.shank = parts.BodyShape(r=[0, -0.43, 0], r_cm=[0, -0.19, 0], m=4.0, inertia=[0.06, 0.01, 0.06])
m.chain(m.world, m.hip, m.thigh, m.knee, m.shank)
m.hold = rotational.SpringDamper(c=60.0, d=3.0, phi_rel0=-0.6)
m.connect(m.knee.support, m.hold.flange_a)
m.connect(m.knee.axis, m.hold.flange_b)
for name, body, place in (("thigh_front", m.thigh, [0.06, -0.15, 0.02]), ("thigh_side", m.thigh, [0, -0.3, 0.08]),
                          ("knee_side", m.thigh, [0, -0.44, 0.06]), ("shank_front", m.shank, [0.05, -0.2, 0]),
                          ("ankle", m.shank, [0, -0.42, 0.04])):
    setattr(m, name, sensors.Marker(r=place))
    m.connect(body.frame_a, getattr(m, name).frame_a)
MARKERS = ("thigh_front", "thigh_side", "knee_side", "shank_front", "ankle")

if __name__ == "__main__":
    truth = lw.simulate(m, 1.5, output_step=0.01)
    noise = np.random.default_rng(1)
    seen = {"t": truth.t, **{name: truth[f"{name}.r_0"] + noise.normal(scale=5e-4, size=(len(truth.t), 3))
                             for name in MARKERS}}
    ik = lw.inverse_kinematics(m, markers=seen)
    off = np.degrees(np.abs(ik["knee.phi"] - truth["knee.phi"]).max())
    print(f"{len(ik.t)} frames, markers off by {1e3 * ik.rms.mean():.2f} mm on average; the knee by {off:.2f}° at most")
    needed = lw.inverse_dynamics(m, ik, filter=8.0)
    inner = slice(15, -15)
    print(f"torque that the knee needs beside its spring: {np.abs(needed['knee.phi'][inner]).max():.2f} N m at most "
          "(none, but for the noise)")
