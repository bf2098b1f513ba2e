"""A pendulum held by a spring whose own mass counts: a point mass on the line (MultiBody's LineForceWithMass).

The heavy strut is lumped in one point half way between its ends.  It has no degrees of freedom of its own: it moves
with the line, and its weight and inertia divide over the two ends as a lever divides them.
"""

import linkwright as lw
from linkwright import forces, joints, parts, translational


def build(m_strut: float) -> lw.Model:
    m = lw.Model("line force with mass")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=-0.5)
    m.arm = parts.BodyBox(r=[0.8, 0, 0], width=0.06)
    m.post = parts.Fixed(r=[0.2, 0.7, 0])
    m.strut = forces.LineForceWithMass(m=m_strut)
    m.spring = translational.SpringDamper(c=2000, d=40, s_rel0=0.8)
    m.chain(m.world, m.rev, m.arm)
    m.connect(m.post.frame_b, m.strut.frame_a)
    m.connect(m.strut.frame_b, m.arm.frame_b)
    m.connect(m.strut.flange_a, m.spring.flange_a)
    m.connect(m.strut.flange_b, m.spring.flange_b)
    return m


m = build(m_strut=5.0)

if __name__ == "__main__":
    for model in (build(m_strut=0.0), m):
        r = lw.simulate(model, 3.0)
        print(f"strut of {model.strut.m:g} kg: angle after 3 s {r['rev.phi'][-1]:.6f} rad, "
              f"force of the spring {r['spring.f'][-1]:.3f} N")
    r.save("line_force_with_mass.html")
