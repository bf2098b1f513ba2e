"""A free body on two springs: no joint, six degrees of freedom."""

import linkwright as lw
from linkwright import forces, parts

m = lw.Model("free body")
m.world = lw.World()
m.bar = parts.FixedTranslation(r=[0.8, 0, 0])
m.spring1 = forces.Spring(c=20)
m.spring2 = forces.Spring(c=20)
m.body = parts.BodyShape(
    m=1, inertia=[1, 1, 1], r=[0.4, 0, 0], r_cm=[0.2, 0, 0],
    r_0=[0.2, -0.5, 0.1], v_0=[0, 0, 0], angles=[lw.deg(10)] * 3, w_0=[0, 0, 0],
)
m.connect(m.world.frame_b, m.bar.frame_a, m.spring1.frame_a)
m.connect(m.spring1.frame_b, m.body.frame_a)
m.connect(m.bar.frame_b, m.spring2.frame_a)
m.connect(m.body.frame_b, m.spring2.frame_b)

if __name__ == "__main__":
    r = lw.simulate(m, 10.0)
    print(f"after 10 s the body is at {r['body.r_0'][-1].round(6)} m")
    r.save("free_body.html")
