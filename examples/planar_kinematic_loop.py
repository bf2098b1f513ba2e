"""A kinematic loop of two legs and a sprung slider, with a pendulum on its knee (PlanarMechanics' KinematicLoop)."""

import numpy as np

import linkwright as lw
from linkwright import planar as pl
from linkwright import translational


def kinematic_loop() -> lw.Model:
    m = lw.Model("kinematic loop")
    spread = np.arcsin(0.4)
    m.world = pl.World(g=9.81)
    m.fixed = pl.Fixed()
    m.hip1 = pl.Revolute(phi=lw.guess(spread))
    m.leg1 = pl.FixedTranslation(r=[0, -0.5])
    m.slider = pl.Prismatic(r=[1, 0], s=0.4, v=0)
    m.hip2 = pl.Revolute(phi=lw.guess(-spread))
    m.leg2 = pl.FixedTranslation(r=[0, -0.5])
    m.knee = pl.Revolute()
    m.swing = pl.Revolute(phi=lw.deg(-40), w=0)
    m.rod = pl.FixedTranslation(r=[0, -0.6])
    m.bob = pl.Body(m=1, I=0.1)
    m.spring = translational.SpringDamper(c=20, d=4, s_rel0=0.4)
    m.chain(m.fixed, m.hip1, m.leg1, m.swing, m.rod, m.bob)
    m.chain(m.fixed, m.slider, m.hip2, m.leg2)
    m.connect(m.leg1.frame_b, m.knee.frame_a)
    m.connect(m.knee.frame_b, m.leg2.frame_b)
    m.connect(m.slider.support, m.spring.flange_a)
    m.connect(m.slider.axis, m.spring.flange_b)
    return m


model = kinematic_loop()

if __name__ == "__main__":
    system = lw.compile(model)
    print(system)
    r = lw.simulate(system, 6.0)
    print(f"swing.phi {r['swing.phi'][-1]:.6f} rad (PlanarMechanics: -0.268740)")
    print(f"loop closed to {r.closure:.1e}")
    r.plot("slider.s", "swing.phi").savefig("planar_kinematic_loop.png")
