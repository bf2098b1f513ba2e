"""A crane: a motor winds up the rope, over a pulley at the tip of the boom, while the load swings."""

import linkwright as lw
from linkwright import cables, joints, parts, rotational

m = lw.Model("crane")
m.world = lw.World()
m.mast, m.boom_joint = parts.FixedTranslation(r=[0, 2, 0]), joints.Revolute(n=[0, 0, 1], phi=0.5)
m.boom = parts.BodyCylinder(r=[3, 0, 0], diameter=0.15, density=500)
m.chain(m.world, m.mast, m.boom_joint, m.boom)
m.lock(m.boom_joint)

m.pulley = cables.Disc(radius=0.2, n=[0, 0, 1])
m.connect(m.boom.frame_b, m.pulley.frame_a)
m.load = parts.Body(m=200.0, inertia=[5.0] * 3, r_0=[2.83, 0.6, 0], v_0=[0.6, 0, 0])

m.drum, m.motor = rotational.Inertia(J=2.0), rotational.Speed(w_ref=0.8, exact=True)
m.hoist = cables.Hoist([(m.world.frame_b, [0.3, 2.2, 0]), m.pulley.wrap(turn=-1), (m.load.frame_a, [0, 0.3, 0])],
                       radius=0.25, c=2e5, d=2e3, length=5.59)
m.connect(m.motor.flange, m.drum.flange_a)
m.connect(m.drum.flange_b, m.hoist.drum)

if __name__ == "__main__":
    r = lw.simulate(m, 4.0)
    print(f"tension {r['hoist.f'].min():.0f} … {r['hoist.f'].max():.0f} N for a weight of {200 * 9.80665:.0f} N")
    print(f"the load rose by {r['load.r_0'][-1, 1] - r['load.r_0'][0, 1]:.3f} m, the rope touches the pulley over "
          f"{r['hoist.wrap[0].angle'][-1]:.2f} rad")
