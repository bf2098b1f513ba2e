"""A pendulum on the axle of a wheel that rolls to and fro between two walls and bounces off them.

The wheel rolls without slip, so a wall that turns its axle back turns its spin back too; the pendulum goes on with the
momentum that it has about the axle.  Rolling resistance and a dry bearing bring everything to rest.
"""

import linkwright as lw
from linkwright import joints, parts, rotational, visualizers

RADIUS, WALL = 0.15, 0.25  # of the wheel, and how far its axle gets to either side (m)
STEEL, DARK, BRICK, FLOOR = [175, 180, 185], [60, 60, 65], [190, 90, 70], [215, 215, 215]
ALONG, ACROSS = [1, 0, 0], [0, 0, -1]

m = lw.Model("rolling pendulum")
m.world = lw.World(animate_world=False, animate_gravity=False)
m.height = parts.FixedTranslation(r=[0, RADIUS, 0], animation=False)
m.axle = joints.Prismatic(n=ALONG, s=0, v=1.0, s_min=-WALL, s_max=WALL, restitution=0.8, animation=False)
m.spin = joints.Revolute(n=ACROSS, friction=lw.Coulomb(tau=0.02), animation=False)
m.wheel = parts.Body(m=1.0, inertia=[0.006, 0.006, 0.011], animation=False)
m.chain(m.world, m.height, m.axle, m.spin, m.wheel)
m.rolls = rotational.IdealRollingWheel(radius=RADIUS)
m.connect(m.rolls.flange_r, m.spin.axis)
m.connect(m.rolls.flange_t, m.axle.axis)
m.pin = parts.FixedTranslation(r=[0, 0, 0.12], width=0.03)
m.hinge = joints.Revolute(phi=2.2, w=0, friction=lw.Coulomb(tau=0.05, peak=1.5), cylinder_length=0.06)
m.rod = parts.BodyCylinder(r=[0, -0.4, 0], diameter=0.02)
m.bob = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[5e-4] * 3, sphere_diameter=0.09)
m.chain(m.axle, m.pin, m.hinge, m.rod, m.bob)

# walls, floor and wheel, to look at
edge = WALL + RADIUS
for k, (frame, kind, start, along, length, width, height, color, extra) in enumerate([
        (m.spin.frame_b, "pipe", [0, 0, -0.02], ACROSS, 0.04, 2 * RADIUS, None, DARK, 0.8),
        (m.spin.frame_b, "box", [-0.13, 0, -0.04], [1, 0, 0], 0.26, 0.02, 0.03, STEEL, 0),
        (m.spin.frame_b, "box", [0, -0.13, -0.04], [0, 1, 0], 0.26, 0.02, 0.03, STEEL, 0),
        (m.world.frame_b, "box", [-edge - 0.06, 0.2, -0.1], ALONG, 0.06, 0.4, 0.3, BRICK, 0),
        (m.world.frame_b, "box", [edge, 0.2, -0.1], ALONG, 0.06, 0.4, 0.3, BRICK, 0),
        (m.world.frame_b, "box", [-edge, -0.01, -0.1], ALONG, 2 * edge, 0.02, 0.3, FLOOR, 0)]):
    shape = visualizers.FixedShape(shape_type=kind, r_shape=start, length_direction=along, length=length, width=width,
                                   height=height, color=color, extra=extra)
    setattr(m, f"shape{k + 1}", shape)
    m.connect(frame, shape.frame_a)

if __name__ == "__main__":
    r = lw.simulate(m, 20.0)
    hits = [event.time for event in r.events if event.what in ("axle.s_min", "axle.s_max")]
    before, after = (r.at(hits[0], side=side) for side in ("before", "after"))
    print(f"{len(hits)} hits, the first at {hits[0]:.6f} s: the axle comes with {before['axle.v']:.6f} m/s and leaves "
          f"with {after['axle.v']:.6f} m/s")
    end = max(event.time for event in r.events)
    print(f"after {end:.3f} s nothing moves: axle at {r['axle.s'][-1]:.6f} m, pendulum at {r['hinge.phi'][-1]:.6f} rad")
    r.save("rolling_pendulum.html")
