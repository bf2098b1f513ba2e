"""Two bodies in the gravity field of a point: orbits, without any connection."""

import linkwright as lw
from linkwright import parts

m = lw.Model("point gravity")
m.world = lw.World(gravity="point", mu=1)
m.body1 = parts.Body(m=1, inertia=[0.1] * 3, r_0=[0, 0.6, 0], v_0=[1, 0, 0], angles=[0, 0, 0], w_0=[0, 0, 0])
m.body2 = parts.Body(m=1, inertia=[0.1] * 3, r_0=[0.6, 0.6, 0], v_0=[0.6, 0, 0], angles=[0, 0, 0], w_0=[0, 0, 0])

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    print(f"after 5 s: body1 at {r['body1.r_0'][-1].round(6)}, body2 at {r['body2.r_0'][-1].round(6)} m")
    r.save("point_gravity.html")
