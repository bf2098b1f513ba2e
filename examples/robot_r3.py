"""The complete R3 robot: six motors under current, speed and position control, elastic gears with friction.

Data of the MultiBody library's RobotR3.fullRobot (a Manutec r3 of 15 kg payload).  Axes 1 to 3 have elastic gears with
friction on the side of the motor, axes 4 to 6 stiff gears with friction on the side of the arm.  Friction truly sticks:
the gears start at rest, break loose one by one, and the run begins with every motor carrying its share of the weight.
"""

import numpy as np

import linkwright as lw
from linkwright import blocks, joints, parts, rotational, visualizers

# per axis: gear ratio; motor: torque constant (N m/A), inertia (kg m²), frequency (rad/s) and damping of its current;
# friction: torque at rest (N m), slope (N m s/rad), peak; gear: stiffness (N m/rad), damping (N m s/rad)
AXES = [
    (-105.0, 1.1616, 1.3e-3, 4590, 0.60, 0.4, 0.13 / 160, 1.0, 43, 0.005),
    (210.0, 1.1616, 1.3e-3, 5500, 0.60, 0.5, 0.10 / 130, 1.0, 8, 0.01),
    (60.0, 1.1616, 1.3e-3, 5500, 0.60, 0.7, 0.20 / 130, 1.0, 58, 0.04),
    (-99.0, 0.2365, 1.6e-4, 6250, 0.55, 21.8, 9.8, 26.7 / 21.8, None, None),
    (79.2, 0.2608, 1.8e-4, 6250, 0.55, 30.1, 0.03, 39.6 / 30.1, None, None),
    (-99.0, 0.0842, 4.3e-5, 7400, 0.27, 10.9, 3.92, 16.8 / 10.9, None, None),
]
X, Y = [1, 0, 0], [0, 1, 0]
ORANGE, DARK = [240, 130, 20], [70, 70, 75]
# per link: axis of its joint, the link itself, and how thick it is drawn
LINKS = [
    (Y, dict(r=[0, 0.324, 0.3], m=1, I_22=1.16), 0.26),
    (X, dict(r=[0, 0.65, 0], m=56.5, r_cm=[0.172, 0.205, 0], I_11=2.58, I_22=0.64, I_33=2.73, I_21=-0.46), 0.17),
    (X, dict(r=[0, 0.414, -0.155], m=26.4, r_cm=[0.064, -0.034, 0], I_11=0.279, I_22=0.245, I_33=0.413, I_21=-0.07),
     0.15),
    (Y, dict(r=[0, 0.186, 0], m=28.7, I_11=1.67, I_22=0.081, I_33=1.67), 0.12),
    (X, dict(r=[0, 0.125, 0], m=5.2, I_11=1.25, I_22=0.81, I_33=1.53), 0.09),
    (Y, dict(r=[0, 0, 0], m=0.5, r_cm=[0.05, 0.05, 0.05]), 0.05),
]
POSES = np.radians([[-60, 20, 90, 0, -110, 0], [60, -70, -35, 45, 110, 45], [0, 10, 60, -90, -60, 180],
                    [-60, 20, 90, 0, -110, 0]])
PAUSE = 2.5  # seconds from one departure to the next
SPEED, ACCELERATION = [3, 1.5, 5, 3.1, 3.1, 4.1], [15, 15, 15, 60, 60, 60]  # limits of the joints, rad/s and rad/s²


def planned():
    """Reference angles and speeds: from pose to pose in the shortest time, all axes together."""
    legs = [blocks.kinematic_ptp(end, begin, SPEED, ACCELERATION, start_time=k * PAUSE)
            for k, (begin, end) in enumerate(zip(POSES[:-1], POSES[1:], strict=True))]
    q = sum((leg.q - begin for leg, begin in zip(legs, POSES, strict=False)), start=POSES[0])
    return q, sum(leg.qd for leg in legs)


class Axis(lw.Model):
    """Motor, gear and controller of one axis; `flange` turns the joint.

    The current follows its reference through an integrating amplifier (see one_axis_drive): two states v and i.
    """

    def __init__(self, q, qd, ratio, k, J, w, D, friction, slope, peak, c, d):
        super().__init__()
        self.flange = rotational.Flange()
        self.motor = rotational.DCMotor(R=250, L=250 / (2 * D * w), k=k, i=lw.guess(0))
        self.friction = rotational.BearingFriction(tau_pos=[[0, friction], [1, friction + slope]], peak=peak)
        self.gear = rotational.IdealGear(ratio=ratio)
        if c is None:
            self.rotor = rotational.Inertia(J=J)
            train = [self.rotor, self.gear, self.friction]
        else:
            self.rotor = rotational.Inertia(J=J, w=0, a=0)
            self.spring = rotational.SpringDamper(c=c, d=d)
            train = [self.rotor, self.friction, self.spring, self.gear]
        self.connect(self.motor.flange, self.rotor.flange_a)
        for one, next in zip(train[:-1], train[1:], strict=True):
            self.connect(one.flange_b, next.flange_a)
        self.connect(train[-1].flange_b, self.flange)
        # position (P), speed (PI) and current control; in the beginning nothing changes
        error = ratio * qd + 5 * (ratio * q - self.rotor.phi) - self.rotor.w
        i_ref = blocks.pi(error, k=0.5, T=0.05, start=lw.guess(0), name="PI")
        v = self.integral((self.motor.i - i_ref) * w / (0.04 * D), start=lw.guess(0), name="v")
        self.motor.v = -5 * v
        self.init(i_ref, self.motor.i)
        self.init(lw.der(self.motor.i), 0)


model = lw.Model("R3 robot")
model.world = lw.World(g=9.81, animate_world=False, animate_gravity=False, animate_ground=True,
                       ground_color=[225, 225, 225])
model.pedestal = parts.FixedTranslation(r=[0, 0.351, 0], shape_type="cone", width=0.5, extra=0.6, color=DARK)
q, qd = planned()
chain = [model.world, model.pedestal]
for k, ((n, link, width), axis) in enumerate(zip(LINKS, AXES, strict=True)):
    joint = joints.Revolute(n=n, phi=POSES[0, k], w=0, a=0, cylinder_length=1.2 * width, cylinder_diameter=1.1 * width,
                            cylinder_color=DARK)
    body = parts.BodyShape(**{"r_cm": [0, 0, 0]} | link, width=width, color=ORANGE, animate_sphere=False)
    drive = Axis(q[k], qd[k], *axis)
    setattr(model, f"r{k + 1}", joint)
    setattr(model, f"b{k + 1}", body)
    setattr(model, f"axis{k + 1}", drive)
    model.connect(drive.flange, joint.axis)
    model.output(f"reference{k + 1}", q[k])
    chain += [joint, body]
model.load = parts.Body(m=15, r_cm=[0.1, 0.25, 0.1], animation=False)
model.chain(*chain, model.load)
model.flange = visualizers.FixedShape(shape_type="cylinder", length_direction=Y, length=0.06, width=0.1, color=DARK)
model.tool = visualizers.FixedShape(shape_type="box", r_shape=[0.05, 0.06, 0.05], length_direction=[0.1, 0.19, 0.1],
                                    length=0.3, width=0.14, height=0.14, color=[40, 110, 190])
model.connect(model.b6.frame_b, model.flange.frame_a, model.tool.frame_a)

if __name__ == "__main__":
    r = lw.simulate(model, 10.0)
    for k in range(6):
        error = np.abs(r[f"r{k + 1}.phi"] - r[f"reference{k + 1}"])
        stuck = np.mean(r[f"axis{k + 1}.friction.mode"] == 0)
        print(f"axis {k + 1}: {1e3 * error.max():6.2f} mrad from the path at most, {1e3 * error[-1]:7.4f} mrad at the "
              f"end, stuck {100 * stuck:3.0f} % of the time")
    print(f"{len(r.events)} events")
    r.save("robot_r3.html")
