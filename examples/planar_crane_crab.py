"""A crane crab: a trolley on a rail, and a load swinging below it (Zimmer's lecture on planar mechanics)."""

import numpy as np

import linkwright as lw
from linkwright import planar as pl


def crane_crab() -> lw.Model:
    m = lw.Model("crane crab")
    m.world = pl.World()
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[1, 0], s=0, v=0)
    m.trolley = pl.Body(m=1, I=0.1)
    m.rev = pl.Revolute(phi=lw.deg(60), w=0)
    m.rope = pl.FixedTranslation(r=[0, -1])
    m.load = pl.Body(m=0.5, I=0.1)
    m.chain(m.fixed, m.rail, m.trolley, m.rev, m.rope, m.load)
    return m


model = crane_crab()

if __name__ == "__main__":
    r = lw.simulate(model, 10.0)
    print(f"the load swings between {np.degrees(r['rev.phi'].min()):.1f} and {np.degrees(r['rev.phi'].max()):.1f} deg")
    print(f"the trolley moves by {np.ptp(r['rail.s']):.3f} m")
    # nothing pushes along the rail: the centre of mass stays above one point
    centre = (r["trolley.r"] + 0.5 * r["load.r"])[:, 0] / 1.5
    print(f"the common centre of mass moves by {np.ptp(centre):.1e} m along it")
    r.plot("rail.s", "rev.phi").savefig("planar_crane_crab.png")
