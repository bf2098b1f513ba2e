"""Masses, centres of mass and friction of an arm from noisy measurements of its joints, and how well they are known.

Two experiments with other torques; angles with a noise of 2 mrad.  The estimates lie within their covariance; without
gravity and motors' torques known some combinations would not show at all, and would be named.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational

TRUE = {"upper.m": 3.0, "upper.r_cm[0]": 0.22, "fore.m": 1.5, "fore.r_cm[0]": 0.18, "shoulder_damper.d": 0.15}
NOISE = 2e-3


def arm():
    """Two links in a vertical plane, driven at both joints."""
    m = lw.Model("arm")
    m.world = lw.World(g=9.81)
    m.shoulder, m.elbow = joints.Revolute(phi=-1.2, w=0), joints.Revolute(phi=0.4, w=0)
    m.upper = parts.BodyShape(r=[0.4, 0, 0], m=3.0, r_cm=[0.22, 0, 0], inertia=[0, 0.04, 0.04])
    m.fore = parts.BodyShape(r=[0.35, 0, 0], m=1.5, r_cm=[0.18, 0, 0], inertia=[0, 0.015, 0.015])
    m.chain(m.world, m.shoulder, m.upper, m.elbow, m.fore)
    for name, joint, damping in (("shoulder", m.shoulder, 0.15), ("elbow", m.elbow, 0.1)):
        setattr(m, f"{name}_damper", rotational.Damper(d=damping))
        setattr(m, f"{name}_motor", rotational.Torque())
        m.connect(joint.support, getattr(m, f"{name}_damper").flange_a)
        m.connect(joint.axis, getattr(m, f"{name}_damper").flange_b, getattr(m, f"{name}_motor").flange)
    return m


def torques(k):
    """Of experiment k."""
    t = np.linspace(0, 2, 81)
    return {"shoulder_motor.tau": (t, 6 * np.sin((3 + k) * t)), "elbow_motor.tau": (t, 2 * np.cos((5 - k) * t))}


def measured(k, seed):
    """Angles of experiment k with noise."""
    r = lw.simulate(arm(), 2.0, inputs=torques(k), output_step=0.02)
    noise = NOISE * np.random.default_rng(seed).normal(size=(2, len(r.t)))
    return {"t": r.t, "shoulder.phi": r["shoulder.phi"] + noise[0], "elbow.phi": r["elbow.phi"] + noise[1]}


m = arm()

if __name__ == "__main__":
    m.upper.m, m.upper.r_cm, m.fore.m, m.fore.r_cm = 2.5, [0.18, 0, 0], 1.9, [0.22, 0, 0]
    m.shoulder_damper.d = 0.3
    data = [(measured(k, k), torques(k)) for k in range(2)]
    fit = lw.fit(m, data, list(TRUE), noise={"shoulder.phi": NOISE, "elbow.phi": NOISE})
    print(fit)
    off = np.array([fit.values[name] - true for name, true in TRUE.items()])
    print(f"off by χ² = {off @ np.linalg.solve(fit.covariance, off):.1f} of {len(off)} numbers; χ² of the residuals "
          f"{fit.chi_squared:.0f} of {sum(each.samples for each in fit.data)} samples")
    fit.plot().savefig("arm_identification.png", dpi=150)
    plt.close("all")
