"""A finger with two cables: a motor winds up the flexor on the palm's side; an elastic extensor over the knuckles opens
the finger again."""

import numpy as np

import linkwright as lw
from linkwright import cables, joints, parts, rotational

LENGTHS, KNUCKLE, EYELET = (0.045, 0.03, 0.022), 0.006, 0.008  # m

m = lw.Model("finger")
m.world = lw.World(gravity=None)
frame = m.world.frame_b
flexor, extensor = [(frame, [-0.02, -EYELET, 0])], [(frame, [-0.03, KNUCKLE, 0])]
for k, length in enumerate(LENGTHS, 1):
    joint = joints.Revolute(n=[0, 0, 1], phi=-0.1, w=0)
    bone = parts.BodyCylinder(r=[length, 0, 0], diameter=0.01, density=1200)
    rubber = rotational.SpringDamper(c=0.02, d=2e-4, phi_rel0=0.0)
    knuckle = cables.Cylinder(radius=KNUCKLE, length=0.01)
    for name, part in (("joint", joint), ("bone", bone), ("rubber", rubber), ("knuckle", knuckle)):
        setattr(m, f"{name}{k}", part)
    m.connect(frame, joint.frame_a, knuckle.frame_a)
    m.connect(joint.frame_b, bone.frame_a)
    m.connect(joint.support, rubber.flange_a)
    m.connect(joint.axis, rubber.flange_b)
    flexor += [(bone.frame_a, [share * length, -EYELET, 0]) for share in (0.3, 0.7)]
    extensor += [knuckle.wrap(turn=-1), (bone.frame_a, [length / 2, KNUCKLE, 0])]
    frame = bone.frame_b

m.motor, m.rotor = rotational.Position(phi_ref=0.0, exact=True), rotational.Inertia(J=1e-5)
m.motor.phi_ref = 3.0 * lw.sin(np.pi * lw.time) ** 2
m.flexor = cables.Hoist(flexor, radius=0.008, c=5e3, d=5.0, length=0.1095)
m.extensor = cables.SpringCable(extensor, c=60.0, d=0.2, length=0.11)
m.connect(m.motor.flange, m.rotor.flange_a)
m.connect(m.rotor.flange_b, m.flexor.drum)

if __name__ == "__main__":
    r = lw.simulate(m, 1.0)
    closed = r.at(0.5)
    bends = [f"{-np.degrees(float(closed[f'joint{k}.phi'])):.0f}°" for k in (1, 2, 3)]
    print(f"the motor winds up {1000 * 3.0 * 0.008:.0f} mm: the joints bend by {', '.join(bends)}")
    print(f"flexor {closed['flexor.f']:.1f} N, extensor {closed['extensor.f']:.2f} N, on the first knuckle over "
          f"{closed['extensor.wrap[0].angle']:.2f} rad")
