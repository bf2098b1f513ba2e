"""Draw pairs of shapes (docs/pictures/contact_pairs.png), each with the points where they are nearest."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from linkwright import geometry
from linkwright.algebra import Transform, rotation_x, rotation_y
from linkwright.view.contact_shapes import surface

PICTURE = Path(__file__).parent / "pictures" / "contact_pairs.png"
FLOOR = geometry.Plane([0, 0, 1])
TILTED = rotation_x(0.5) @ rotation_y(0.4)
HULL = geometry.Convex(np.random.default_rng(3).normal(size=(14, 3)) * 0.3)

#: two shapes and the pose of the second
PAIRS = [
    (FLOOR, geometry.Sphere(0.4), Transform(None, [0, 0, 0.6])),
    (FLOOR, geometry.Capsule(0.2, 0.8, [1, 0, 0]), Transform(rotation_y(0.2), [0, 0, 0.5])),
    (FLOOR, geometry.Box([0.8, 0.6, 0.5]), Transform(TILTED, [0, 0, 0.8])),
    (FLOOR, geometry.Cylinder(0.35, 0.7), Transform(TILTED, [0, 0, 0.8])),
    (FLOOR, geometry.Torus(0.4, 0.12, feet=0), Transform(rotation_x(1.2), [0, 0, 0.7])),
    (FLOOR, geometry.Ellipsoid([0.3, 0.4, 0.6]), Transform(TILTED, [0, 0, 0.8])),
    (geometry.Box([0.8, 0.8, 0.8]), geometry.Sphere(0.25), Transform(None, [0.6, 0.5, 0.8])),
    (geometry.Torus(0.5, 0.15), geometry.Sphere(0.2), Transform(None, [0.3, 0.2, 0.6])),
    (geometry.Capsule(0.15, 0.9), geometry.Capsule(0.2, 0.8, [1, 0, 0]), Transform(rotation_y(0.3), [0.1, 0.6, 0.1])),
    (geometry.Ellipsoid([0.3, 0.4, 0.6]), geometry.Ellipsoid([0.5, 0.2, 0.3]), Transform(TILTED, [0.6, 0.4, 0.5])),
    (HULL, geometry.Cylinder(0.25, 0.6), Transform(TILTED, [0.7, 0.6, 0.5])),
    (geometry.HeightField(np.linspace(-1, 1, 25), np.linspace(-1, 1, 25),
                          0.2 * np.sin(3 * np.linspace(-1, 1, 25))[:, None] * np.cos(2 * np.linspace(-1, 1, 25))[None]),
     geometry.Torus(0.35, 0.1, feet=0), Transform(rotation_x(1.3), [0.1, 0.0, 0.75])),
]


def main() -> None:
    figure = plt.figure(figsize=(12, 9))
    for k, (a, b, X_WB) in enumerate(PAIRS):
        axes = figure.add_subplot(3, 4, k + 1, projection="3d")
        for shape, X, colour in ((a, Transform(), "lightsteelblue"), (b, X_WB, "peachpuff")):
            vertices, faces = surface(shape)
            x, y, z = (vertices @ X.R.T + X.p).T
            axes.plot_trisurf(x, y, z, triangles=faces, color=colour, alpha=0.35, linewidth=0)
        touch = geometry.distance(a, Transform(), b, X_WB)
        axes.plot(*np.array([touch.point_a, touch.point_b]).T, "o-", color="firebrick", markersize=4, zorder=10)
        axes.set_title(f"{a.kind} – {b.kind}: {touch.gap:.3f} m", fontsize=9)
        axes.set_box_aspect((1, 1, 1))
        axes.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-0.7, 1.3))
        axes.set_axis_off()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=80)
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
