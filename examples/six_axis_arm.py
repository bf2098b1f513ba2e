"""A six-axis industrial arm: geared motors under P-PI control move it from point to point.

Each axis is a motor (torque, rotor, gear) on a revolute joint.  The reference is the fastest motion of all axes
together; position control (P) around speed control (PI) follows it at the motor, with the speed fed forward.
"""

import numpy as np

import linkwright as lw
from linkwright import blocks, joints, parts, rotational

# axis, link to the next joint (m), mass (kg), gear ratio, rotor inertia (kg m²), gain of the speed control (N m s/rad),
# largest speed (rad/s) and acceleration (rad/s²)
AXES = [
    ([0, 0, 1], [0.35, 0.0, 0.40], 120.0, -105.0, 1.3e-3, 1.40, 3.0, 8.0),
    ([0, 1, 0], [0.00, 0.0, 0.80], 60.0, 120.0, 1.3e-3, 1.20, 2.5, 6.0),
    ([0, 1, 0], [0.25, 0.0, 0.10], 45.0, 100.0, 1.0e-3, 0.40, 3.0, 8.0),
    ([1, 0, 0], [0.55, 0.0, 0.00], 25.0, -80.0, 3.0e-4, 0.06, 5.0, 15.0),
    ([0, 1, 0], [0.12, 0.0, 0.00], 8.0, 70.0, 2.0e-4, 0.05, 5.0, 15.0),
    ([1, 0, 0], [0.10, 0.0, 0.00], 4.0, 50.0, 2.0e-4, 0.02, 6.0, 20.0),
]
BEGIN = np.radians([-30, -20, 30, 0, 20, 0])
END = np.radians([60, 30, -10, 70, -45, 120])
PAYLOAD = 15.0  # kg


class Drive(lw.Model):
    """A motor with its gear; `flange` goes to the joint's axis."""

    def __init__(self, ratio, J, gain, q, qd):
        super().__init__()
        self.motor = rotational.Torque()
        self.rotor = rotational.Inertia(J=J)
        self.gear = rotational.IdealGear(ratio=ratio)
        self.flange = rotational.Flange()
        self.connect(self.motor.flange, self.rotor.flange_a)
        self.connect(self.rotor.flange_b, self.gear.flange_a)
        self.connect(self.gear.flange_b, self.flange)
        # P around PI, at the motor
        speed = ratio * qd + 20.0 * (ratio * q - self.rotor.phi)
        self.motor.tau = blocks.pi(speed - self.rotor.w, k=gain, T=0.08, name="control")


def build(payload=PAYLOAD):
    """The arm with its drives, on the way from BEGIN to END."""
    m = lw.Model("six-axis arm")
    m.world = lw.World(n=[0, 0, -1])
    path = blocks.kinematic_ptp(END, BEGIN, [axis[6] for axis in AXES], [axis[7] for axis in AXES], start_time=0.2)
    chain = [m.world]
    for k, (n, r, mass, ratio, J, gain, _, _) in enumerate(AXES):
        joint = joints.Revolute(n=n, phi=BEGIN[k], w=0)
        link = parts.BodyShape(r=r, m=mass, r_cm=np.array(r) / 2, inertia=[mass * (0.02 + np.dot(r, r) / 12)] * 3)
        drive = Drive(ratio, J, gain, path.q[k], path.qd[k])
        setattr(m, f"joint{k + 1}", joint)
        setattr(m, f"link{k + 1}", link)
        setattr(m, f"drive{k + 1}", drive)
        m.connect(drive.flange, joint.axis)
        chain += [joint, link]
    m.load = parts.Body(m=payload, r_cm=[0.1, 0, 0], inertia=[payload * 0.01] * 3)
    m.chain(*chain, m.load)
    for k in range(len(AXES)):
        m.output(f"reference{k + 1}", path.q[k])
    return m


model = build()

if __name__ == "__main__":
    r = lw.simulate(model, 3.0)
    for k in range(len(AXES)):
        error = np.abs(r[f"joint{k + 1}.phi"] - r[f"reference{k + 1}"])
        torque = np.abs(r[f"joint{k + 1}.tau"])
        print(f"axis {k + 1}: largest error {1e3 * error.max():6.2f} mrad, largest torque {torque.max():7.1f} N m")
