"""A map of chaos: how far the second pendulum swings, for every start of a double pendulum at rest.

Each point of the picture is a run of its own, with error control; `--points 1000` draws a million of them.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import joints, parts

model = lw.Model("double pendulum")
model.world = lw.World(g=9.81)
model.upper = joints.Revolute(phi=0.0, w=0.0)
model.rod = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.08, 0.001, 0.08], width=0.05)
model.lower = joints.Revolute(phi=0.0, w=0.0)
model.bob = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.08, 0.001, 0.08], width=0.05)
model.chain(model.world, model.upper, model.rod, model.lower, model.bob)
# the largest angle so far is remembered at every step
widest = model.discrete("widest", 0.0)
model.each_step({widest: lw.max(widest, lw.abs(model.lower.phi))})
stop = 10.0


def swept(points: int) -> lw.Study:
    """One run for each pair of start angles, `points` of either."""
    angles = np.linspace(-np.pi, np.pi, points)
    return lw.sweep(model, {"upper.phi": angles, "lower.phi": angles}, stop, output_step=stop,
                    reduce={"swing": lw.final("widest")}, accuracy=1e-6, chunk=4096)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=20, help="start angles of each pendulum")
    points = parser.parse_known_args()[0].points
    study = swept(points)
    swing = study.data["swing"].values.reshape(points, points)
    over = np.mean(swing > np.pi)
    print(f"{study}: the lower pendulum goes over the top in {100 * over:.0f} % of them within {stop:g} s")
    plt.imshow(np.log10(np.maximum(swing, 0.1)).T, extent=(-180, 180, -180, 180), origin="lower", cmap="magma")
    plt.xlabel("start angle of the upper pendulum / °")
    plt.ylabel("start angle of the lower pendulum / °")
    plt.colorbar(label="log₁₀ of the largest angle of the lower one / rad")
    plt.savefig("double_pendulum_map.png", dpi=120)
