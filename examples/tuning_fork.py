"""A tuning fork: its modes by lw.modes, and the note it gives when one prong is struck.

Two prongs and a stem are beams.  In the mode that sounds, the prongs swing against each other and the stem hardly
moves, so that it can be held; the one below it, both prongs to the same side, dies in the hand.
"""

import numpy as np

import linkwright as lw
from linkwright import flexible, parts

prong = {"length": 0.0975, "section": flexible.Rectangle(height=0.005, width=0.006), "material": flexible.Steel,
         "strains": "planar", "elements": 1, "damping": 1e-7}

model = m = lw.Model("tuning fork")
m.world = lw.World(gravity=None)
m.up = parts.FixedRotation(n=[0, 0, 1], angle=np.pi / 2)
m.stem = flexible.Beam(length=0.04, section=flexible.Circle(diameter=0.007), strains="planar", elements=1, degree=1,
                       damping=1e-6)
m.yoke = parts.BodyBox(r=[0.008, 0, 0], width=0.023, height=0.006, density=7850.0, length=0.008)
m.left, m.right = (parts.FixedTranslation(r=[0, y, 0], animation=False) for y in (0.009, -0.009))
m.one, m.two = flexible.Beam(**prong, qd=[-40.0, 0.0, 0.0]), flexible.Beam(**prong)
m.chain(m.world, m.up, m.stem, m.yoke)
for side, one in ((m.left, m.one), (m.right, m.two)):
    m.connect(m.yoke.frame_b, side.frame_a)
    m.connect(side.frame_b, one.frame_a)
stop = 0.02

if __name__ == "__main__":
    modes = lw.modes(m)
    print("natural frequencies:", ", ".join(f"{f:.1f}" for f in modes.frequency[:4]), "Hz")
    r = lw.simulate(m, stop, output_step=5e-5)
    against = r["one.deflection"][:, 1] - r["two.deflection"][:, 1]
    spectrum = np.abs(np.fft.rfft(against * np.hanning(len(against)), 16 * len(against)))
    print(f"the note: {np.fft.rfftfreq(16 * len(against), 5e-5)[spectrum.argmax()]:.0f} Hz")
    r.save("tuning_fork.png", t=0.0006)
