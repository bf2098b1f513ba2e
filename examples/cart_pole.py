"""A cart that balances a pole: controller gains from the linearised model, and a page that simulates it.

The controller is a formula of the model, F = −k·x with the gains of a linear-quadratic regulator, so that it runs
wherever the model does, in a page too: pull the pole with the mouse, or let the wind blow.
"""

import numpy as np
from scipy.linalg import solve_continuous_are

import linkwright as lw
from linkwright import forces, joints, parts, translational


def cart_pole(gains=None, lean=0.0):
    """Cart on a rail, pole on the cart, hinged; with `gains` a force on the cart balances it."""
    m = lw.Model("cart-pole")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[1, 0, 0])
    m.cart = parts.BodyBox(r=[0.3, 0, 0], r_shape=[-0.15, 0, 0], width=0.12, height=0.16, density=200)
    m.rev = joints.Revolute(phi=lean)
    m.pole = parts.BodyCylinder(r=[0, 1, 0], diameter=0.04, density=300, color=[230, 150, 40])
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.rail.frame_b, m.rev.frame_a)
    m.connect(m.rev.frame_b, m.pole.frame_a)
    m.motor = translational.Force()
    m.connect(m.rail.axis, m.motor.flange)
    if gains is not None:
        m.motor.f = -sum(k * x for k, x in zip(gains, (m.rail.s, m.rev.phi, m.rail.v, m.rev.w), strict=True))
        m.gust = forces.WorldForce(force=[m.input("wind"), 0, 0])
        m.connect(m.gust.frame_b, m.pole.frame_b)
    return m


def gains():
    """k of F = −k·x that minimises ∫ (s² + 10 φ² + 0.1 F²) dt about the upright position."""
    line = lw.linearize(cart_pole(), inputs=["motor.f"])
    # the states are s, φ, ṡ, φ̇
    P = solve_continuous_are(line.A, line.B, np.diag([1.0, 10.0, 0.0, 0.0]), [[0.1]])
    return (line.B.T @ P / 0.1)[0]


model = cart_pole(gains(), lean=0.3)
stop = 5.0

if __name__ == "__main__":
    r = lw.simulate(model, stop)
    print(f"after {stop} s the pole leans by {r['rev.phi'][-1]:+.4f} rad, the cart is {r['rail.s'][-1]:+.4f} m off")
    lw.export(model, "cart_pole.html", sliders={"wind": (-2, 2), "pole.density": (100, 1000)},
              plots=["rev.phi", "rail.s"])
