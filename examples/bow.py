"""A bow: the string pushes an arrow of 30 g, which leaves it when the string is straight."""

import linkwright as lw
from linkwright import cables, joints, parts, rotational

DRAW, ARROW, LOOSED = 0.5, 0.03, 0.3  # m from the grip, kg, s

m = lw.Model("bow")
m.world = lw.World(gravity=None)
for name, side in (("upper", 1), ("lower", -1)):
    grip, hinge = parts.FixedTranslation(r=[0, 0.1 * side, 0]), joints.Revolute(n=[0, 0, 1], phi=0.75 * side, w=0)
    limb = parts.BodyShape(m=0.05, r=[0, 0.65 * side, 0], r_cm=[0, 0.22 * side, 0], inertia=[1e-3, 1e-5, 1e-3])
    bending = rotational.SpringDamper(c=60.0, d=0.1, phi_rel0=-0.3 * side)
    for part, what in (("grip", grip), ("hinge", hinge), ("limb", limb), ("bending", bending)):
        setattr(m, f"{name}_{part}", what)
    m.chain(m.world, grip, hinge, limb)
    m.connect(hinge.support, bending.flange_a)
    m.connect(hinge.axis, bending.flange_b)

m.rail, m.arrow = joints.Prismatic(n=[1, 0, 0], s=-DRAW, v=0.0), parts.BodyShape(m=ARROW, r=[0.75, 0, 0],
                                                                                 inertia=[1e-6, 1e-3, 1e-3])
m.chain(m.world, m.rail, m.arrow)
m.lock(m.rail, when=lw.time < LOOSED)
behind = m.rail.s < m.upper_limb.frame_b.r_0[0]  # the string is on the nock until it is straight
m.string = cables.SpringCable([m.upper_limb.frame_b, cables.via(m.arrow.frame_a, when=behind), m.lower_limb.frame_b],
                              c=2e4, d=2.0, length=1.45)

if __name__ == "__main__":
    r = lw.simulate(m, 0.4)
    before = r.at(LOOSED - 1e-6)
    speed, stored = float(r["rail.v"][-1]), float(before["elastic_energy"])
    print(f"the string pulls with {before['string.f']:.0f} N; limbs and string hold {stored:.1f} J")
    print(f"the arrow leaves at {speed:.1f} m/s and takes {0.5 * ARROW * speed**2:.1f} J along")
