"""A slider-crank whose connecting rod bends: at 150 rad/s it is swung aside by its own inertia (Jonker 1989).

The crank turns at constant speed, the rod is a round steel bar of 6 mm, and the slider has half of its mass.  The
middle of the rod leaves the line between its ends by 1.5 % of the length.
"""

import numpy as np

import linkwright as lw
from linkwright import flexible, joints, parts, rotational

SPEED, CRANK, ROD = 150.0, 0.15, 0.30
section, steel = flexible.Circle(diameter=0.006), flexible.Material(E=2e11, nu=0.3, rho=7870.0)

model = m = lw.Model("flexible slider-crank")
m.world = lw.World(gravity=None)
m.crank, m.arm = joints.Revolute(phi=0.0), parts.FixedTranslation(r=[CRANK, 0, 0], width=0.012)
m.pin, m.drive = joints.Revolute(phi=0.0, w=-SPEED * (1 + CRANK / ROD)), rotational.Position(exact=True)
m.drive.phi_ref = SPEED * lw.time
m.rod = flexible.Beam(length=ROD, section=section, material=steel, strains="planar", elements=2, degree=1, frames=[0.5])
m.gudgeon, m.slide = joints.Revolute(), joints.Prismatic(n=[1, 0, 0])
m.piston = parts.Body(m=steel.rho * section.A * ROD / 2, r_cm=[0, 0, 0])
m.connect(m.crank.axis, m.drive.flange)
m.chain(m.world, m.crank, m.arm, m.pin, m.rod, m.gudgeon)
m.connect(m.gudgeon.frame_b, m.slide.frame_b, m.piston.frame_a)
m.connect(m.world.frame_b, m.slide.frame_a)
stop = 12.0 / SPEED

if __name__ == "__main__":
    r = lw.simulate(m, stop, output_step=stop / 600)
    a, b, middle = (r[f"rod.{name}.r_0"] for name in ("frame_a", "frame_b", "frame[0]"))
    chord = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    aside = chord[:, 0] * (middle - a)[:, 1] - chord[:, 1] * (middle - a)[:, 0]
    print(f"middle of the rod, over its length: {aside.max() / ROD:.4f} to {aside.min() / ROD:.4f}")
    print(f"largest strain of the steel: {r['rod.surface_strain'].max():.2%}")
    r.save("flexible_slider_crank.png", t=0.81 / SPEED)
