"""A car pulls away and its right wheel comes on ice: engine, clutch, gearbox, differential, wheels, road.

The clutch closes, slips and locks.  The differential gives both wheels the same torque however fast they turn: on the
ice the right one spins, and the left one pushes no harder than that.  Behind the ice the right wheel bites again and
pulls the engine down.
"""

import numpy as np

import linkwright as lw
from linkwright import blocks, joints, parts, rotational, translational, visualizers

MASS, LOAD, RADIUS, TRACK = 1200.0, 3500.0, 0.3, 1.4  # car (kg), weight on a driven wheel (N), wheels (m)
GEAR, AXLE = 3.6, 3.9  # ratios of the first gear and of the differential
ICE = (1.0, 3.0)  # where the ice under the right wheel begins and ends, m
AHEAD, ACROSS = [1, 0, 0], [0, 0, -1]
DARK, STEEL, RED, BLUE = [60, 60, 65], [175, 180, 185], [200, 60, 40], [70, 130, 200]
ROAD, FROZEN = [215, 215, 215], [140, 200, 245]


def turning(name, n, r, J, **start):
    """A joint about n at r in the car, with the inertia J of what turns there."""
    seat, joint = parts.FixedTranslation(r=r, animation=False), joints.Revolute(n=n, animation=False, **start)
    part = parts.Body(m=0, inertia=J * np.abs(n), animation=False)
    for suffix, component in (("_seat", seat), ("", joint), ("_part", part)):
        setattr(m, name + suffix, component)
    m.chain(m.car, seat, joint, part)
    return joint


m = lw.Model("car drive line")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.car = joints.Prismatic(n=AHEAD, s=0, v=0, animation=False)
m.body = parts.Body(m=MASS, r_cm=[0.8, 0.5, 0], animation=False)
m.chain(m.world, m.car, m.body)
crank = turning("crank", AHEAD, [1.5, RADIUS, 0], J=0.2, w=100.0)
disc = turning("disc", AHEAD, [1.1, RADIUS, 0], J=0.01)
shaft = turning("shaft", AHEAD, [0.2, RADIUS, 0], J=0.05)
left = turning("left", ACROSS, [0, RADIUS, -TRACK / 2], J=1.2)
right = turning("right", ACROSS, [0, RADIUS, TRACK / 2], J=1.2)
front = [turning(f"front_{name}", ACROSS, [1.9, RADIUS, z], J=1.0) for name, z in (("left", -TRACK / 2),
                                                                               ("right", TRACK / 2))]

# the drive line
pedal = blocks.ramp(duration=1.0, start_time=0.5)
m.engine = rotational.Torque(tau=pedal * (200 - 0.0012 * (crank.w - 300) ** 2))
m.clutch = rotational.Clutch(mu_pos=[[0, 0.35]], cgeo=0.2, fn_max=3500, f_normalized=pedal)
m.gearbox = rotational.IdealGear(ratio=GEAR)
m.differential = rotational.IdealDifferential(ratio=AXLE)
m.connect(m.engine.flange, crank.axis, m.clutch.flange_a)
m.connect(m.clutch.flange_b, disc.axis, m.gearbox.flange_a)
m.connect(m.gearbox.flange_b, shaft.axis, m.differential.flange_a)

# the road: a driven wheel pushes by its slip, up to what the ground bears; the front wheels roll
drag = 150 * lw.tanh(10 * m.car.v) + 0.4 * m.car.v**2
m.road = translational.Force(f=-drag)
m.connect(m.road.flange, m.car.axis)
icy = lw.logical_and(m.car.s > ICE[0], m.car.s < ICE[1])
for name, wheel, grip in (("left", left, 0.9), ("right", right, lw.where(icy, 0.1, 0.9))):
    slip = RADIUS * wheel.w - m.car.v
    push = grip * LOAD * lw.tanh(slip / 0.5)
    tyre, traction = rotational.Torque(tau=-RADIUS * push), translational.Force(f=push)
    setattr(m, f"tyre_{name}", tyre)
    setattr(m, f"traction_{name}", traction)
    m.connect(getattr(m.differential, f"flange_{name}"), wheel.axis, tyre.flange)
    m.connect(traction.flange, m.car.axis)
    m.output(f"slip_{name}", slip)
for k, wheel in enumerate(front):
    rolling = rotational.IdealRollingWheel(radius=RADIUS)
    setattr(m, f"rolling{k + 1}", rolling)
    m.connect(rolling.flange_r, wheel.axis)
    m.connect(rolling.flange_t, m.car.axis)

# what it looks like: frame, kind, start, direction, length, width, height, colour, teeth or hollowness
car, side = m.car.frame_b, TRACK / 2
SEEN = [
    (car, "box", [-0.4, RADIUS, -0.3], AHEAD, 2.6, 0.08, 0.05, DARK, 0),
    (car, "box", [-0.4, RADIUS, 0.3], AHEAD, 2.6, 0.08, 0.05, DARK, 0),
    (car, "box", [1.6, RADIUS + 0.1, 0], AHEAD, 0.5, 0.45, 0.4, BLUE, 0),
    (car, "box", [0.8, RADIUS, 0], AHEAD, 0.25, 0.26, 0.26, BLUE, 0),
    (car, "sphere", [-0.15, RADIUS, 0], AHEAD, 0.3, 0.3, 0.3, BLUE, 0),
    (crank.frame_b, "gearwheel", [-0.12, 0, 0], AHEAD, 0.05, 0.36, None, STEEL, 40),
    (crank.frame_b, "cylinder", [-0.12, 0, 0], AHEAD, 0.3, 0.08, None, STEEL, 0),
    (disc.frame_b, "cylinder", [0.2, 0, 0], AHEAD, 0.03, 0.3, None, RED, 0),
    (disc.frame_b, "cylinder", [-0.29, 0, 0], AHEAD, 0.49, 0.05, None, STEEL, 0),
    (shaft.frame_b, "box", [-0.1, 0, 0], AHEAD, 0.8, 0.07, 0.07, STEEL, 0),
    (m.world.frame_b, "box", [-0.6, -0.02, -side], AHEAD, 6.0, 0.04, 0.6, ROAD, 0),
    (m.world.frame_b, "box", [-0.6, -0.02, side], AHEAD, ICE[0] + 0.6, 0.04, 0.6, ROAD, 0),
    (m.world.frame_b, "box", [ICE[0], -0.02, side], AHEAD, ICE[1] - ICE[0], 0.04, 0.6, FROZEN, 0),
    (m.world.frame_b, "box", [ICE[1], -0.02, side], AHEAD, 5.4 - ICE[1], 0.04, 0.6, ROAD, 0),
]
for wheel, inward in ((left, [0, 0, 1]), (right, [0, 0, -1]), (front[0], [0, 0, 1]), (front[1], [0, 0, -1])):
    SEEN += [(wheel.frame_b, "pipe", [0, 0, 0.1], ACROSS, 0.2, 2 * RADIUS, None, DARK, 0.65),
             (wheel.frame_b, "box", [-0.2, 0, 0], [1, 0, 0], 0.4, 0.08, 0.06, STEEL, 0),
             (wheel.frame_b, "box", [0, -0.2, 0], [0, 1, 0], 0.4, 0.08, 0.06, STEEL, 0),
             (wheel.frame_b, "cylinder", [0, 0, 0], inward, side - 0.1, 0.06, None, STEEL, 0)]
for k, (frame, kind, start, along, length, width, height, color, extra) in enumerate(SEEN):
    shape = visualizers.FixedShape(shape_type=kind, r_shape=start, length_direction=along, length=length, width=width,
                                   height=height, color=color, extra=extra)
    setattr(m, f"shape{k + 1}", shape)
    m.connect(frame, shape.frame_a)

if __name__ == "__main__":
    r = lw.simulate(m, 4.0)
    locks = next(event.time for event in r.events if event.what == "clutch")
    print(f"the clutch locks at {locks:.4f} s, the engine turns at {r.at(locks)['crank.w']:.1f} rad/s then")
    k = int(np.argmax(r["right.w"] - r["left.w"]))
    print(f"at {r.t[k]:.2f} s the right wheel turns at {r['right.w'][k]:.1f} rad/s, the left one at "
          f"{r['left.w'][k]:.1f}; both get {-r['differential.flange_left.tau'][k]:.1f} N m")
    print(f"after {r.t[-1]:.0f} s the car has gone {r['car.s'][-1]:.2f} m and does {3.6 * r['car.v'][-1]:.1f} km/h")
    r.save("car_drive_line.html")
