"""A cart-pole balanced by a digital controller: LQR gains in two lines, a thousand samples a second.

The controller is what runs on a real machine: code that is asked every millisecond, reads sensors of limited resolution
and holds its force until the next time.  Its gains are those of a linear-quadratic regulator about the upright
position, of the linearised model.  At 2 s somebody pushes the pole.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import linkwright as lw
from linkwright import forces, joints, parts, translational

ENCODER = 2 * np.pi / 16384  # rad that one count of the encoder is

m = lw.Model("cart-pole")
m.world = lw.World()
m.rail, m.rev = joints.Prismatic(n=[1, 0, 0], s=0, v=0), joints.Revolute(phi=0, w=0)
m.cart = parts.BodyBox(r=[0.3, 0, 0], r_shape=[-0.15, 0, 0], width=0.12, height=0.16, density=200)
m.pole = parts.BodyCylinder(r=[0, 1, 0], diameter=0.04, density=300, color=[230, 150, 40])
m.motor = translational.Force()
m.hand = forces.WorldForce(force=[m.input("push"), 0, 0])
m.chain(m.world, m.rail, m.cart)
m.chain(m.rail, m.rev, m.pole)
m.connect(m.rail.axis, m.motor.flange)
m.connect(m.hand.frame_b, m.pole.frame_b)

# the regulator in two lines: F = −k·(s, φ, ṡ, φ̇) that minimises ∫ (s² + 10 φ² + 0.1 F²) dt
line = lw.linearize(m, lw.equilibrium(m), inputs=["motor.f"])
gains = line.B.T @ solve_continuous_are(line.A, line.B, np.diag([1.0, 10.0, 0.0, 0.0]), [[0.1]]) / 0.1

m.motor.f = m.input("force")
seen = {}


@m.every(1e-3)
def balance(t, y):
    """Reads the encoder and its rate of the last 20 ms, and pushes the cart by 15 N at most."""
    angle = ENCODER * round(y["rev.phi"] / ENCODER)
    seen[round(1e3 * t)] = angle
    rate = (angle - seen.pop(round(1e3 * t) - 20, angle)) / 20e-3
    return {"force": float(np.clip(-gains[0] @ [y["rail.s"], angle, y["rail.v"], rate], -15, 15))}


stop = 6.0

if __name__ == "__main__":
    seen.clear()
    r = lw.simulate(m, stop, inputs={"push": lambda t: lw.where(abs(t - 2) < 0.05, 1.0, 0.0)})
    print(f"gains {np.round(gains[0], 1)}; pushed, the pole leans by {np.abs(r['rev.phi']).max():.3f} rad and the cart "
          f"is {np.abs(r['rail.s']).max():.2f} m away, by {np.abs(r['force']).max():.1f} N at most")
    print(f"at the end the pole leans by {r['rev.phi'][-1]:+.4f} rad, the cart is {r['rail.s'][-1]:+.4f} m off")
    r.plot("rev.phi", "rail.s", "force").savefig("balanced_cart_pole.png", dpi=80)
    plt.close("all")
