"""A piston engine in the plane: crank, rod and piston are connected; the loop is found and closed."""

import time

import numpy as np

import linkwright as lw
from linkwright import planar as pl


def piston_engine() -> lw.Model:
    m = lw.Model("piston engine")
    m.world = pl.World(g=9.81)
    m.fixed = pl.Fixed()
    m.crank = pl.Revolute(phi=0, w=-2.5)
    m.flywheel = pl.Body(m=1, I=0.1)
    m.disc = pl.FixedTranslation(r=[0.3, 0])
    m.crank_pin = pl.Revolute()
    m.rod = pl.FixedTranslation(r=[0.8, 0])
    m.piston_pin = pl.Revolute()
    m.cylinder = pl.Prismatic(r=[1, 0], s=lw.guess(1.1))
    m.piston = pl.Body(m=3, I=0.1)
    m.chain(m.fixed, m.crank, m.disc, m.crank_pin, m.rod)
    m.connect(m.crank.frame_b, m.flywheel.frame_a)
    m.chain(m.fixed, m.cylinder, m.piston, m.piston_pin)
    m.connect(m.piston_pin.frame_b, m.rod.frame_b)
    return m


model = piston_engine()

if __name__ == "__main__":
    start = time.perf_counter()
    system = lw.compile(model)
    r = lw.simulate(system, 10.0)
    print(f"compiled and run for 10 s in {time.perf_counter() - start:.2f} s: {system.dof} degree of freedom")
    print(f"crank {r['crank.phi'][-1]:.6f} rad, {r['crank.w'][-1]:.6f} rad/s (PlanarMechanics: -16.814939, -1.594266)")
    print(f"piston stroke {np.ptp(r['cylinder.s']):.6f} m = 2 · 0.3 m")
    print(f"the loop stayed closed to {r.closure:.1e}")
    r.plot("crank.w", "cylinder.s").savefig("planar_piston_engine.png")
