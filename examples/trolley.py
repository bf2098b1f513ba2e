"""A trolley rolls over hills: four tyres on a height field."""

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts

x = np.linspace(-1.0, 5.0, 49)
y = np.linspace(-1.0, 1.0, 17)
z = -0.06 * np.sin(2.2 * x)[:, None] * np.cos(1.3 * y) - 0.06 * x[:, None]
AXLES, TRACK, TYRE = 0.5, 0.4, (0.08, 0.03)  # m: between axles, between wheels, radii of a tyre

m = lw.Model("trolley")
m.world = lw.World(n=[0, 0, -1], animate_world=False, animate_gravity=False)
m.ground = contact.HeightField(x, y, z, color=[170, 185, 150])
m.connect(m.world.frame_b, m.ground.frame_a)
m.chassis = parts.Body(m=8, inertia=[0.12, 0.2, 0.3], r_0=[0, 0, 0.14], animation=False)
m.box = parts.BodyBox(r=[0.6, 0, 0], r_shape=[-0.3, 0, 0.08], width=0.3, height=0.12, density=1e-6, color=[180, 90, 70])
m.connect(m.chassis.frame_a, m.box.frame_a)
corners = [(i * AXLES / 2, j * TRACK / 2) for i in (-1, 1) for j in (-1, 1)]
m.arm = [parts.FixedTranslation(r=[a, b, 0], animation=False) for a, b in corners]
m.axle = [joints.Revolute(n=[0, 1, 0], animation=False) for _ in corners]
m.wheel = [parts.Body(m=0.8, inertia=[0.0025, 0.005, 0.0025], animation=False) for _ in corners]
m.tyre = [contact.Torus(R=TYRE[0], r=TYRE[1], n=[0, 1, 0], feet=0, color=[60, 60, 70]) for _ in corners]
for arm, axle, wheel, tyre in zip(m.arm, m.axle, m.wheel, m.tyre, strict=True):
    m.chain(m.chassis, arm, axle, wheel)
    m.connect(axle.frame_b, tyre.frame_a)
m.touch = [contact.Pair(m.ground, tyre, law=contact.Linear(stiffness=2e4, dissipation=0.5, mu=0.8)) for tyre in m.tyre]
m.integral(sum(pair.loss_power for pair in m.touch), name="lost")

if __name__ == "__main__":
    r = lw.simulate(m, 2.0)
    print(f"after 2 s it has come {r['chassis.r_0'][-1, 0]:.3f} m far, at {r['chassis.v_0'][-1, 0]:.3f} m/s")
    load = np.array([pair for pair in (r[f"touch[{k}].f_n"] for k in range(4))])
    print(f"the tyres carry between {load[:, 200:].min():.1f} and {load.max():.1f} N each")
    energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + r["lost"]
    print(f"energy is kept to {np.ptp(energy) / np.ptp(r['potential_energy']):.1e}, {r['lost'][-1]:.2f} J rubbed off")
    r.save("trolley.html")
