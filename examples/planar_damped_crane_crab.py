"""The crane crab with a damper on its rail: the 1-D damper sits on the flanges of the prismatic joint."""

import numpy as np

import linkwright as lw
from linkwright import planar as pl
from linkwright import translational


def damped_crane_crab(d: float = 10.0) -> lw.Model:
    m = lw.Model("damped crane crab")
    m.world = pl.World(g=9.81)
    m.fixed = pl.Fixed()
    m.prismatic = pl.Prismatic(r=[1, 0], s=0, v=0)
    m.trolley = pl.Body(m=1, I=0.1)
    m.revolute = pl.Revolute(phi=lw.deg(150), w=0)
    m.rope = pl.FixedTranslation(r=[0, -1])
    m.load = pl.Body(m=0.5, I=0.1)
    m.damper = translational.Damper(d=d)
    m.chain(m.fixed, m.prismatic, m.trolley, m.revolute, m.rope, m.load)
    m.connect(m.prismatic.support, m.damper.flange_a)
    m.connect(m.prismatic.axis, m.damper.flange_b)
    return m


model = damped_crane_crab()

if __name__ == "__main__":
    r = lw.simulate(model, 10.0)
    print(f"after 10 s the load hangs at {r['load.phi'][-1]:.6f} rad (PlanarMechanics: 0.634383)")
    energy = r["kinetic_energy"] + r["potential_energy"]
    print(f"the damper took {energy[0] - energy[-1]:.3f} J; at most {np.max(r['damper.loss_power']):.2f} W")
    for d in (1.0, 10.0, 100.0):
        swing = np.abs(lw.simulate(damped_crane_crab(d), 10.0)["revolute.phi"][-100:]).max()
        print(f"d = {d:5.0f} N s/m: swing of the last two seconds {swing:.3f} rad")
    r.plot("prismatic.s", "load.phi").savefig("planar_damped_crane_crab.png")
