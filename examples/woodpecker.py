"""The woodpecker toy: a sleeve that jams and slips on its pole, a spring, and a bird that pecks its way down.

Glocker's toy (Dynamik von Starrkörpersystemen mit Reibung und Stößen, 1995) with angles that need not be small: in
every cycle the sleeve jams by its lower edge, the bird swings back, frees the sleeve, pecks, and both fall.
"""

import numpy as np

import linkwright as lw
from linkwright import contact, rotational
from linkwright import planar as pl

POLE, BORE, SLEEVE = 0.0025, 0.0031, 0.0058  # half of the width of pole and bore, half of the height of the sleeve
HINGE, BIRD, BEAK = 0.010, 0.015, [-0.0201, 0.02]  # axis to spring, spring to the bird's centre, from there to the beak
# the sleeve begins where its lower edge meets the pole
JAM = np.arcsin(POLE / np.hypot(BORE, SLEEVE)) - np.arctan2(BORE, SLEEVE)

m = lw.Model("woodpecker")
m.world = pl.World(g=9.81, animate_world=False, animate_gravity=False)
m.foot, m.side = pl.Fixed(animation=False), pl.FixedTranslation(r=[POLE, 0], animation=False)
m.pole = pl.contact.Line(n=[1, 0], length=0.3, animation=False)
m.wood = pl.contact.Polygon([[-POLE, -0.16], [POLE, -0.16], [POLE, 0.04], [-POLE, 0.04]], color=[190, 160, 110])
m.connect(m.foot.frame, m.side.frame_a, m.wood.frame_a)
m.connect(m.side.frame_b, m.pole.frame_a)
m.slide = pl.Prismatic(r=[0, 1], s=0, v=-0.3411, animation=False)
m.tilt = pl.Revolute(phi=JAM, w=0, animation=False)
m.sleeve = pl.Body(m=0.0003, I=5e-9, animation=False)
m.arm = pl.FixedTranslation(r=[HINGE, 0], animation=False)
m.hinge = pl.Revolute(phi=-0.2788 - JAM, w=-7.4583, animation=False)
m.spring = rotational.Spring(c=0.0056)
m.neck, m.bird = pl.FixedTranslation(r=[BIRD, 0], animation=False), pl.Body(m=0.0045, I=7e-7, animation=False)
m.connect(m.foot.frame, m.slide.frame_a)
m.chain(m.slide, m.tilt, m.arm, m.hinge, m.neck, m.bird)
m.connect(m.tilt.frame_b, m.sleeve.frame_a)
m.connect(m.hinge.support, m.spring.flange_a)
m.connect(m.hinge.axis, m.spring.flange_b)
# what touches the pole: two edges of the sleeve, and the beak
m.edge = [pl.FixedTranslation(r=[BORE, y], animation=False) for y in (-SLEEVE, SLEEVE)]
m.beak = pl.FixedTranslation(r=BEAK, animation=False)
m.tip = [pl.contact.Point(animation=False) for _ in range(3)]
for edge, tip in zip(m.edge, m.tip[:2], strict=True):
    m.connect(m.tilt.frame_b, edge.frame_a)
    m.connect(edge.frame_b, tip.frame_a)
m.connect(m.bird.frame_a, m.beak.frame_a)
m.connect(m.beak.frame_b, m.tip[2].frame_a)
m.touch = [contact.Pair(m.pole, tip, law=contact.Rigid(restitution=e, mu=0.3, impact="newton"), animation=False)
           for tip, e in zip(m.tip, (0.0, 0.0, 0.5), strict=True)]
# what is seen of it
m.ring = [pl.contact.Polygon([[side * BORE, -SLEEVE], [side * BORE, SLEEVE], [side * 0.0055, SLEEVE],
                              [side * 0.0055, -SLEEVE]][::-side], color=[60, 90, 140]) for side in (-1, 1)]
m.rod = pl.contact.Polygon([[0.0055, -0.0006], [HINGE, -0.0006], [HINGE, 0.0006], [0.0055, 0.0006]], color=[90, 90, 90])
m.body = [pl.contact.Polygon(points, color=color) for points, color in (
    ([[0.003, -0.024], [0.009, -0.020], [0.009, 0.0], [0.002, 0.024], [-0.007, 0.026], [-0.0125, 0.021], [-0.009, 0.0]],
     [190, 50, 40]), ([BEAK, [-0.0115, 0.0180], [-0.0115, 0.0225]], [230, 180, 60]),
    ([[-BIRD, -0.0006], [-0.008, -0.0006], [-0.008, 0.0006], [-BIRD, 0.0006]], [90, 90, 90]))]
m.connect(m.tilt.frame_b, *[ring.frame_a for ring in m.ring], m.rod.frame_a)
m.connect(m.bird.frame_a, *[part.frame_a for part in m.body])

if __name__ == "__main__":
    r = lw.simulate(m, 2.0)
    pecks = [row for row in r.contacts if row.pair == "touch[2]" and row.what == "hit"]
    times = np.array([row.time for row in pecks])
    first = times[np.flatnonzero(np.diff(times, prepend=-1) > 0.05)]  # of the pecks of one cycle
    fall = r.at(first[-1])["slide.s"] - r.at(first[-2])["slide.s"]
    print(f"it pecks at {pecks[-1].speed:.3f} m/s, every {np.diff(first)[-1]:.4f} s, and is {-1e3 * fall:.2f} mm "
          "lower then")
    print(f"{len(r.contacts)} changes at its three contacts in {r.t[-1]:g} s; their impacts took "
          f"{1e3 * sum(row.loss for row in r.contacts):.2f} mJ")
    r.save("woodpecker.html")
