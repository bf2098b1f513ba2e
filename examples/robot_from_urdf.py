"""A robot from a URDF file: driven by a controller, then written for MuJoCo and as C code.

Two links of 2 kg and 1 kg; joint limits are hard stops, damping is in the file, the drives are added here.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import linkwright as lw
from linkwright import rotational

ROBOT = """<robot name="two links">
  <link name="base"><visual><geometry><cylinder radius="0.1" length="0.1"/></geometry></visual></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25"/><mass value="2"/>
      <inertia ixx="0.045" iyy="0.045" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><box size="0.08 0.06 0.5"/></geometry>
      <material name="orange"><color rgba="0.9 0.5 0.1 1"/></material></visual>
  </link>
  <link name="fore">
    <inertial><origin xyz="0 0 0.2"/><mass value="1"/>
      <inertia ixx="0.014" iyy="0.014" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.03" length="0.4"/></geometry>
      <material name="grey"><color rgba="0.6 0.6 0.65 1"/></material></visual>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.05"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="60" velocity="4"/><dynamics damping="0.5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="2.5" effort="30" velocity="4"/><dynamics damping="0.3"/></joint>
</robot>"""



def robot(**options):
    """The robot of the file, as `lw.read("robot.urdf", **options)` would give it."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "two_links.urdf"
        file.write_text(ROBOT)
        return lw.read(file, **options)


model = robot()
goal = {"shoulder": 0.8 * lw.sin(2 * lw.time), "elbow": 1.2 - lw.cos(2 * lw.time)}
for name, stiffness in (("shoulder", 200.0), ("elbow", 80.0)):
    joint = getattr(model, name)
    drive = rotational.Torque(tau=stiffness * (goal[name] - joint.phi) - 0.2 * stiffness * joint.w)
    setattr(model, f"{name}_drive", drive)
    model.connect(joint.axis, drive.flange)
stop = 5.0

if __name__ == "__main__":
    print(model.import_report)
    r = lw.simulate(model, stop)
    print(f"after {stop:g} s: shoulder {r['shoulder.phi'][-1]:.6f} rad, elbow {r['elbow.phi'][-1]:.6f} rad")
    left_out = lw.export(robot(), "two_links.xml")
    print(f"two_links.xml for MuJoCo, without loss: {left_out == []}")
    lw.export(robot(stops=False), "two_links.c", outputs=["fore.r_0"])
    print("two_links.c and two_links.h: right-hand side and fixed step")
