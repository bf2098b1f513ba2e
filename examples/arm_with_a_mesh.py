"""A robot arm whose upper link is a solid of finite elements, reduced to a few shapes (Craig and Bampton).

The mesh, a tapered bar of hexahedra with 27 nodes, is made here; `flexible.reduce("link.msh", …)` reads files of Gmsh,
Abaqus or Nastran through meshio.  The arm stops abruptly, and its hand goes on trembling; colours show
the stress.
"""

import numpy as np

import linkwright as lw
from linkwright import flexible, joints, parts, rotational

nodes, cells = flexible.block_mesh([0.8, 0.06, 0.05], divisions=[8, 1, 1])
nodes[:, 1:] *= (1.3 - 0.75 * nodes[:, :1])  # thick at the shoulder, thin at the elbow
x = nodes[:, 0]
ends = {"shoulder": np.flatnonzero(x < 1e-9).tolist(), "elbow": np.flatnonzero(x > 0.8 - 1e-9).tolist()}
plastic = flexible.Material(E=3e9, nu=0.35, rho=1100.0)
link = flexible.reduce(nodes=nodes, cells=cells, material=plastic, interfaces=ends, modes=2)

model = m = lw.Model("arm with a mesh")
m.world = lw.World()
m.base = parts.FixedTranslation(r=[0, 0.5, 0], width=0.12)
m.joint, m.drive = joints.Revolute(), rotational.Position(exact=True)
m.upper = flexible.ModalBody(link, zeta=0.02, exaggerate=5.0, color_by="stress")
m.bend = parts.FixedRotation(n=[0, 0, 1], angle=-0.9)
m.fore = parts.BodyBox(r=[0.5, 0, 0], width=0.04, height=0.04, density=800.0)
m.hand = parts.Body(m=1.0, r_cm=[0, 0, 0])
m.connect(m.joint.axis, m.drive.flange)
s = lw.time / 0.4
m.drive.phi_ref = lw.smooth_where(lw.time < 0.4, 0.9 * (10 * s**3 - 15 * s**4 + 6 * s**5), 0.9)
m.chain(m.world, m.base, m.joint)
m.connect(m.joint.frame_b, m.upper.shoulder)
m.connect(m.upper.elbow, m.bend.frame_a)
m.chain(m.bend, m.fore, m.hand)
stop = 0.8

if __name__ == "__main__":
    print(link)
    r = lw.simulate(m, stop, output_step=0.002)
    after = r.t > 0.4
    print(f"the hand trembles by {1e3 * np.ptp(r['hand.r_0'][after, 1]):.1f} mm after the stop")
    r.save("arm_with_a_mesh.png", t=0.42)
