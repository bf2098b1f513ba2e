"""A row of dominoes: rigid blocks that rock, slip and hit one another, with every impact located."""

import numpy as np

import linkwright as lw
from linkwright import contact
from linkwright import planar as pl

COUNT, WIDTH, HEIGHT, DISTANCE, TILT = 4, 0.01, 0.1, 0.04, -0.12


class Domino(lw.Model):
    """A block that can touch the floor with its lower corners and the next one with an upper one."""

    def __init__(self, r, phi=0.0, name=None):
        super().__init__(name)
        a, b = WIDTH / 2, HEIGHT / 2
        self.body = pl.Body(m=0.02, I=0.02 * (WIDTH**2 + HEIGHT**2) / 12, r=r, phi=phi, animation=False)
        self.face = pl.contact.Polygon([[-a, -b], [a, -b], [a, b], [-a, b]], color=[190, 90, 50])
        self.connect(self.body.frame_a, self.face.frame_a)
        self.arm = [pl.FixedTranslation(r=r, animation=False) for r in ([-a, -b], [a, -b], [a, b])]
        self.corner = [pl.contact.Point(animation=False) for _ in self.arm]
        for arm, corner in zip(self.arm, self.corner, strict=True):
            self.connect(self.body.frame_a, arm.frame_a)
            self.connect(arm.frame_b, corner.frame_a)


m = lw.Model("dominoes")
m.world = pl.World(animate_world=False, animate_gravity=False)
m.ground, m.floor = pl.Fixed(animation=False), pl.contact.Line(n=[0, 1], length=0.5)
m.connect(m.ground.frame, m.floor.frame_a)
# the first one leans over its lower right corner
lean = np.array([[np.cos(TILT), -np.sin(TILT)], [np.sin(TILT), np.cos(TILT)]]) @ [-WIDTH / 2, HEIGHT / 2]
m.domino = [Domino(np.array([WIDTH / 2, 0]) + lean, TILT),
            *[Domino(np.array([k * DISTANCE, HEIGHT / 2])) for k in range(1, COUNT)]]
law = contact.Rigid(mu=0.3)
m.stand = [contact.Pair(m.floor, corner, law=law, animation=False)
           for domino in m.domino for corner in domino.corner[:2]]
m.strike = [contact.Pair(right.face, left.corner[2], law=law, animation=False)
            for left, right in zip(m.domino[:-1], m.domino[1:], strict=True)]

if __name__ == "__main__":
    r = lw.simulate(m, 0.6)
    for k in range(COUNT - 1):
        first = next(row for row in r.contacts if row.pair == f"strike[{k}]" and row.what == "hit")
        print(f"domino {k + 2} is struck at t = {first.time:.4f} s, {first.speed:.3f} m/s")
    print(f"they lean by {np.degrees([r[f'domino[{k}].body.phi'][-1] for k in range(COUNT)]).round(1)} degrees")
    r.save("dominoes.html")
