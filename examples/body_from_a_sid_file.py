"""A flexible body from a file of Standard Input Data (SID_FEM), which finite element programs write.

So that the example needs nothing else, it writes the file first: a steel plate with two interfaces, reduced to a few
shapes.  Then the file is read, its nodes are given names, and the plate swings as a pendulum.
"""

import tempfile
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright import flexible, joints, parts

plate = flexible.Block([1.0, 0.2, 0.006], flexible.Steel, interfaces={"root": "x-", "end": "x+"}, modes=2,
                       divisions=[6, 1, 1])
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "plate.SID_FEM"
    flexible.write_sid(plate.data, path)
    data = flexible.read_sid(path)
data = data.with_skin(plate.data.skin[2])
tip = max(data.nodes, key=lambda node: data.nodes[node].origin[0])

model = m = lw.Model("body from a SID file")
m.world = lw.World()
m.rev = joints.Revolute(n=[0, 1, 0], phi=0.0)
m.up = parts.FixedRotation(n=[1, 0, 0], angle=np.pi / 2)
m.plate = flexible.ModalBody(data, frames={"tip": tip}, zeta=0.02, exaggerate=5.0)
m.lead = parts.Body(m=2.0, r_cm=[0, 0, 0], inertia=[0.01] * 3)
m.chain(m.world, m.up, m.rev, m.plate)
m.connect(m.plate.tip, m.lead.frame_a)
stop = 1.5

if __name__ == "__main__":
    print(data)
    r = lw.simulate(m, stop, output_step=0.005)
    print(f"largest amplitude of the first shape: {np.abs(r['plate.q'][:, 0]).max():.4f}")
    r.save("body_from_a_sid_file.png", t=0.3)
