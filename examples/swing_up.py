"""A double pendulum on a cart is swung up with the least effort of the force on the cart.

Optimal control by direct collocation: states, accelerations and force at 201 points in time are unknowns of one
problem, the implicit equations of motion its nonlinear rows.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import joints, parts, translational

m = lw.Model("double pendulum on a cart")
m.world = lw.World(g=9.81, default_joint_length=0.12)
m.cart, m.body = joints.Prismatic(n=[1, 0, 0], s=0, v=0), parts.BodyBox(r=[0.2, 0, 0], width=0.1, density=500)
m.rev1, m.rev2 = joints.Revolute(phi=0, w=0), joints.Revolute(phi=0, w=0)
m.pole1, m.pole2 = (parts.BodyCylinder(r=[0, -0.5, 0], diameter=0.03, density=800) for _ in range(2))
m.drive = translational.Force()
m.chain(m.world, m.cart, m.body)
m.chain(m.cart, m.rev1, m.pole1, m.rev2, m.pole2)
m.connect(m.cart.axis, m.drive.flange)


def plan(intervals=100):
    """The plan: to rest upright, above where it began."""
    upright = {"cart.s": 0, "cart.v": 0, "rev1.phi": np.pi, "rev1.w": 0, "rev2.phi": 0, "rev2.w": 0}
    return lw.control(m, {"drive.f": (-30, 30)}, minimize=lw.integral(m.drive.f**2), end=upright,
                      bounds={"cart.s": (-1.5, 1.5)}, time=3.0, intervals=intervals)


if __name__ == "__main__":
    found = plan()
    print(f"{found.message} after {found.counters['iterations']} iterations: ∫ f² = {found.goal:.3f} N² s, at most "
          f"{np.max(np.abs(found['drive.f'])):.1f} N, the cart moves by {np.ptp(found['cart.s']):.2f} m")
    # a run with these forces, straight between the points, does the same until it nears the unstable end
    r = lw.simulate(m, 2.0, inputs={name: (t, f) for name, (t, f) in found.inputs.items()})
    print(f"a run with these forces is {np.abs(r['rev1.phi'][-1] - found.at(2.0)['rev1.phi']):.1e} rad off after 2 s")
    found.plot("rev1.phi", "rev2.phi", "cart.s", "drive.f").savefig("swing_up.png", dpi=150)
    plt.close("all")
    found.save("swing_up.html", traces=["pole2.frame_b"])
