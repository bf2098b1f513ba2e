"""A MacPherson suspension on a rough road while the driver steers: a strut (JointUPS) carries the steering (JointSSR).

The body of the car stands still.  The wishbone turns about a horizontal axis; the strut, with spring and damper, goes
from a mount in the body to the wishbone's tip; the wheel carrier turns about the strut, held by a tie rod.
Both loops are solved in closed form, the second on top of the first (Otter, Elmqvist and Mattsson 2003, §7).
"""

import numpy as np

import linkwright as lw
from linkwright import assemblies, forces, joints, parts, translational, visualizers

# metres; x forwards, y to the left, z up; the wishbone's bearing is the origin
TIP, MOUNT = np.array([0.0, 0.4, 0.0]), np.array([-0.02, 0.3, 0.6])
ARM, RACK = np.array([-0.14, 0.0, 0.08]), np.array([-0.14, 0.02, 0.09])  # of the carrier, from the tip; of the rack
HUB, RADIUS = np.array([0.0, 0.12, 0.08]), 0.3  # of the wheel, from the tip
STRUT = TIP - MOUNT
LENGTH, TIE_ROD = float(np.linalg.norm(STRUT)), float(np.linalg.norm(TIP + ARM - RACK))
AXIS = STRUT / LENGTH
STEEL, TYRE = [150, 150, 155], [50, 50, 50]


def bump(t, start, height, duration=0.1):
    """A smooth bump of the road, as the wheel meets it in time."""
    x = (t - start) / duration
    return height * lw.where((x > 0) & (x < 1), 0.5 - 0.5 * lw.cos(2 * np.pi * x), 0)


m = lw.Model("MacPherson")
m.world = lw.World(n=[0, 0, -1], animate_world=False, animate_gravity=False, default_joint_length=0.06,
                   default_joint_width=0.03)
m.mount = parts.Fixed(r=MOUNT, animation=False)
m.bearing = joints.Revolute(n=[1, 0, 0], phi=0.0, w=0.0, cylinder_length=0.36, cylinder_diameter=0.04)
m.wishbone = parts.BodyShape(m=3, r=TIP, r_cm=TIP / 2, inertia=[0.04, 0.01, 0.04], animation=False)
m.side = [visualizers.FixedShape(r_shape=[x, 0, 0], length_direction=TIP - [x, 0, 0], width=0.03,
                                 length=float(np.hypot(x, TIP[1])), shape_type="cylinder") for x in (-0.15, 0.15)]
m.strut = assemblies.JointUPS(n1_a=[1, 0, 0], n_axis_ia=STRUT)
m.tube = parts.BodyShape(m=2, r=0.6 * STRUT, r_cm=0.2 * STRUT, inertia=[0.02, 0.02, 0.01], width=0.06, color=STEEL,
                         shape_type="cylinder", animate_sphere=False)
m.piston = parts.Body(m=2, r_cm=-0.2 * STRUT, inertia=[0.02, 0.02, 0.01], animation=False)
m.spring = translational.SpringDamper(c=25e3, d=1500, s_rel0=LENGTH + 0.13)
m.chain(m.world, m.bearing, m.wishbone)
m.connect(m.wishbone.frame_a, m.side[0].frame_a, m.side[1].frame_a)
m.connect(m.mount.frame_b, m.strut.frame_a)
m.connect(m.wishbone.frame_b, m.strut.frame_b)
m.connect(m.strut.frame_ia, m.tube.frame_a)
m.connect(m.strut.frame_ib, m.piston.frame_a)
m.connect(m.strut.bearing, m.spring.flange_a)
m.connect(m.strut.axis, m.spring.flange_b)
# steering: the rack slides sideways and pulls at the tie rod
m.rack_place, m.rack = parts.Fixed(r=RACK, animation=False), joints.Prismatic(n=[0, 1, 0])
m.prescribe(m.rack.s, 0.03 * lw.sin(2 * lw.time))
m.steering = assemblies.JointSSR(rod1_length=TIE_ROD, rod1_mass=0.5, n_b=AXIS, r_rod2_ib=ARM)
m.carrier = parts.Body(m=25, r_cm=HUB, inertia=[0.6, 1.0, 0.6], animation=False)
m.chain(m.rack_place, m.rack)
m.connect(m.rack.frame_b, m.steering.frame_a)
m.connect(m.strut.frame_ib, m.steering.frame_b)
m.connect(m.steering.frame_ib, m.carrier.frame_a)
# the wheel, and the road that pushes it up
m.hub = parts.FixedTranslation(r=HUB, width=0.04)
m.wheel = visualizers.FixedShape(shape_type="cylinder", r_shape=[0, -0.08, 0], length_direction=[0, 1, 0], length=0.16,
                                 width=2 * RADIUS, color=TYRE)
road = TIP[2] + HUB[2] - RADIUS + bump(lw.time, 0.5, 0.06) + bump(lw.time, 2.0, 0.04) + bump(lw.time, 2.25, 0.04)
pressed = road - (m.hub.frame_b.r_0[2] - RADIUS) + 0.015
m.road = forces.WorldForce(force=[0, 0, lw.where(pressed > 0, 200e3 * pressed, 0)], animation=False)
m.connect(m.carrier.frame_a, m.hub.frame_a)
m.connect(m.hub.frame_b, m.wheel.frame_a, m.road.frame_b)
m.output("steering_angle", lw.atan2(-m.wheel.frame_a.R.T[1, 0], m.wheel.frame_a.R.T[1, 1]))
stop = 4.0

if __name__ == "__main__":
    r = lw.simulate(m, stop)
    angle, load = np.degrees(r["steering_angle"]), -r["road.frame_b.f"][:, 2]
    print(f"the wheel is steered from {angle.min():.1f} to {angle.max():.1f}°, the strut works by "
          f"{1e3 * np.ptp(r['spring.s_rel']):.0f} mm, the road carries {load.min():.0f} … {load.max():.0f} N; "
          f"the loops are closed to {r.closure:.0e} m")
    r.save("macpherson.html")
