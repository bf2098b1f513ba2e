"""Three springs that meet in a point without mass, whose position is solved for at every instant."""

import linkwright as lw
from linkwright import forces, parts

m = lw.Model("three springs")
m.world = lw.World()
m.bar1 = parts.FixedTranslation(r=[0.3, 0, 0])
m.bar2 = parts.FixedTranslation(r=[0, 0, 0.3])
m.spring1 = forces.Spring(c=20, s_unstretched=0.1, r_rel_0=lw.guess([-0.2, -0.2, 0.2]))
m.spring2 = forces.Spring(c=40, s_unstretched=0.1)
m.spring3 = forces.Spring(c=20, s_unstretched=0.1, fixed_rotation_at_frame_b=True)
m.body = parts.Body(m=0.8, r_cm=[0, -0.2, 0], inertia=[0.1, 0.1, 0.1],
                    r_0=[0.5, -0.3, 0], v_0=[0, 0, 0], angles=[0, 0, 0], w_0=[0, 0, 0])
m.connect(m.world.frame_b, m.bar1.frame_a, m.bar2.frame_a)
m.connect(m.bar1.frame_b, m.spring1.frame_a)
m.connect(m.bar2.frame_b, m.spring3.frame_a)
m.connect(m.spring1.frame_b, m.spring3.frame_b, m.spring2.frame_a)  # the massless point
m.connect(m.spring2.frame_b, m.body.frame_a)

if __name__ == "__main__":
    r = lw.simulate(m, 10.0)
    print(f"after 10 s: body at {r['body.r_0'][-1].round(6)}, point at {r['spring1.frame_b.r_0'][-1].round(6)} m")
    r.save("three_springs.html")
