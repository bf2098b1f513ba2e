"""A tapered rotor blade: how its frequencies rise with the speed of rotation (a Campbell diagram).

Centrifugal force stiffens the blade; the first flapping frequency follows the speed and never meets it, which is why
the diagram is drawn.  Nothing has to be said of the stiffening: it follows from the beam's exact geometry.
"""

import numpy as np

import linkwright as lw
from linkwright import flexible, joints, rotational


def rotor(speed: float) -> lw.Model:
    """One blade of 8 m on a hub that turns about y."""
    m = lw.Model("rotor blade")
    m.world = lw.World(gravity=None)
    m.hub, m.drive = joints.Revolute(n=[0, 1, 0]), rotational.Speed(exact=True)
    m.drive.w_ref = speed
    m.blade = flexible.Beam(length=8.0, material=flexible.Aluminium, elements=1, degree=2, damping=1e-4,
                            section=lambda s: flexible.Rectangle(height=0.10 - 0.07 * s, width=0.6 - 0.35 * s))
    m.connect(m.hub.axis, m.drive.flange)
    m.chain(m.world, m.hub, m.blade)
    return m


model = rotor(20.0)
model.blade.line_force = [0, 150.0 * lw.cos(10 * lw.time), 0]
stop = 1.0

if __name__ == "__main__":
    print("  speed    frequencies, rad/s")
    for speed in (0.0, 15.0, 30.0):
        values = np.linalg.eigvals(lw.linearize(rotor(speed)).A)
        found = np.sort(values.imag[values.imag > 1.0])[:4]
        print(f"  {speed:5.0f}    " + "  ".join(f"{x:7.2f}" for x in found))
    r = lw.simulate(model, stop, output_step=0.01)
    print(f"the tip flaps by {np.ptp(r['blade.deflection'][:, 1]):.3f} m under the load along the blade")
    r.save("rotor_blade.png", t=0.3)
