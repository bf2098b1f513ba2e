"""A four-bar that draws a wanted curve: lengths and the drawing point are found from the distance to the curve.

While the crank goes round at a given speed, a point of the coupler should follow an ellipse.  The goal is the mean of
the squared distance; its derivatives by seven lengths and angles, through the loop, are exact.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import joints, parts

WIDTH, HEIGHT, CENTRE, TURN = 0.22, 0.11, (0.45, 0.7), 2 * np.pi  # of the ellipse, m; turns of the crank, rad/s


class FourBar(lw.Model):
    """Ground, crank, coupler with a point that draws, rocker."""

    ground = lw.parameter(1.0, "distance of the fixed joints", unit="m")
    crank = lw.parameter(0.2, "length of the crank", unit="m")
    coupler = lw.parameter(0.9, "length of the coupler", unit="m")
    rocker = lw.parameter(0.8, "length of the rocker", unit="m")
    along = lw.parameter(0.45, "drawing point along the coupler", unit="m")
    across = lw.parameter(0.4, "drawing point across the coupler", unit="m")
    phase = lw.parameter(0.0, "where on the curve it begins", unit="rad")

    def __init__(self):
        super().__init__("four-bar")
        self.world = lw.World(g=0)
        self.rev1, self.rev2 = joints.Revolute(), joints.Revolute(phi=lw.guess(0.5))
        self.rev3, self.rev4 = joints.Revolute(), joints.Revolute(phi=lw.guess(1.4))
        self.bar1 = parts.BodyShape(m=1, r=[self.crank, 0, 0], width=0.03)
        self.bar2 = parts.BodyShape(m=1, r=[self.coupler, 0, 0], width=0.03)
        self.bar3 = parts.BodyShape(m=1, r=[self.rocker, 0, 0], width=0.03)
        self.base = parts.FixedTranslation(r=[self.ground, 0, 0], animation=False)
        self.pen = parts.FixedTranslation(r=[self.along, self.across, 0], width=0.02)
        self.chain(self.world, self.rev1, self.bar1, self.rev2, self.bar2, self.rev3)
        self.chain(self.world, self.base, self.rev4, self.bar3)
        self.connect(self.rev3.frame_b, self.bar3.frame_b)
        self.connect(self.rev2.frame_b, self.pen.frame_a)
        self.prescribe(self.rev1.phi, TURN * lw.time)


m = FourBar()
angle = TURN * lw.time + m.phase
wanted = [CENTRE[0] + WIDTH * lw.cos(angle), CENTRE[1] + HEIGHT * lw.sin(angle)]
m.output("off", (m.pen.frame_b.r_0[0] - wanted[0]) ** 2 + (m.pen.frame_b.r_0[1] - wanted[1]) ** 2)
stop = 1.0

if __name__ == "__main__":
    before = lw.simulate(m, stop, output_step=0.01)
    best = lw.optimize(m, lw.integral("off"), {
        "ground": (0.6, 1.6), "crank": (0.1, 0.5), "coupler": (0.5, 1.6), "rocker": (0.4, 1.6), "along": (-0.5, 1.5),
        "across": (-0.5, 1.2), "phase": (-3, 3)}, stop, runs=80)
    print(f"off by {np.sqrt(before['off'].max()) * 1e3:.0f} mm at most before, {np.sqrt(best.goal) * 1e3:.1f} mm in "
          f"the mean after {len(best.history)} runs")
    print(best)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    t = np.linspace(0, stop, 400)
    phase = TURN * t + best.values["phase"]
    axes.plot(CENTRE[0] + WIDTH * np.cos(phase), CENTRE[1] + HEIGHT * np.sin(phase), "k--", label="wanted")
    for label, result in (("at first", before), ("optimised", best.result)):
        drawn = result.at(t)["pen.frame_b.r_0"]
        axes.plot(drawn[:, 0], drawn[:, 1], label=label)
    axes.set(aspect="equal", xlabel="x / m", ylabel="y / m")
    axes.legend()
    figure.savefig("four_bar_synthesis.png", dpi=150)
