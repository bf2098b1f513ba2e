"""A belt drive with an idler on a spring: a motor turns a fan, brakes it, and turns it again."""

import linkwright as lw
from linkwright import cables, joints, parts, rotational, translational

m = lw.Model("belt drive")
m.world = lw.World()
m.motor_axle, m.fan_axle = joints.Revolute(phi=0, w=0), joints.Revolute(phi=0, w=0)
m.fan_place, m.idler_place = parts.FixedTranslation(r=[0.5, 0.1, 0]), parts.FixedTranslation(r=[0.25, 0, 0])
m.rotor, m.fan = parts.Body(m=2, inertia=[0.01, 0.01, 0.004]), parts.Body(m=1, inertia=[0.01, 0.01, 0.02])
m.rail, m.bearing = joints.Prismatic(n=[0, 1, 0], s=-0.09, v=0), joints.Revolute(phi=0, w=0)
m.idler = parts.Body(m=0.3, inertia=[2e-4] * 3)
m.spring = translational.SpringDamper(c=3000.0, d=40.0, s_rel0=-0.12)
m.chain(m.world, m.motor_axle, m.rotor)
m.chain(m.world, m.fan_place, m.fan_axle, m.fan)
m.chain(m.world, m.idler_place, m.rail, m.bearing, m.idler)
m.connect(m.rail.support, m.spring.flange_a)
m.connect(m.rail.axis, m.spring.flange_b)

m.small, m.large, m.roller = cables.Disc(radius=0.06), cables.Disc(radius=0.12), cables.Disc(radius=0.03)
for body, disc in ((m.rotor, m.small), (m.fan, m.large), (m.idler, m.roller)):
    m.connect(body.frame_a, disc.frame_a)
m.belt = cables.Belt([m.small.wrap(1), m.roller.wrap(1), m.large.wrap(1)], EA=4e4, d=60.0, pretension=60.0)

m.motor, m.air = rotational.Torque(), rotational.Damper(d=0.05)
m.motor.tau = lw.where(lw.time < 0.5, 4.0, lw.where(lw.time < 0.7, -8.0, 2.0))
m.connect(m.motor_axle.axis, m.motor.flange)
m.connect(m.fan_axle.support, m.air.flange_a)
m.connect(m.fan_axle.axis, m.air.flange_b)

if __name__ == "__main__":
    r = lw.simulate(m, 1.5)
    tensions = [r[f"belt.span[{k}].f"] for k in range(3)]
    print(f"speeds {r['motor_axle.w'][-1]:.2f} and {r['fan_axle.w'][-1]:.2f} rad/s, radii 0.06 and 0.12 m")
    print(f"tensions {min(f.min() for f in tensions):.0f} … {max(f.max() for f in tensions):.0f} N, belt of "
          f"{r['belt.length'][0]:.4f} m")
