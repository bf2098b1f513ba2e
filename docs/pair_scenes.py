"""Two shapes over each other, as a model and as a picture: what docs/contact_pairs.md shows of every pair.

Nothing is drawn by hand: a model is asked where its shapes are nearest, the geometry for all points of contact,
`contact.Pair` and `m.contacts` for the laws they take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image

import linkwright as lw
from linkwright import contact, geometry, parts
from linkwright import planar as pl
from linkwright.algebra import Transform, rotation_from_angles
from linkwright.errors import ModelError
from linkwright.view.contact_shapes import surface
from linkwright.view.light import camera_axes
from linkwright.view.motion import Animation, Body, Item, mesh_of, scale_of
from linkwright.view.picture import Renderer
from linkwright.view.scene import FIELD_OF_VIEW
from linkwright.view.scene_data import Shape, fixed_arrow

GAP = 0.3  # m, between the two shapes of a picture
SIZE = 176  # pixels, shown at half of it
SEEN = 2.0  # m, height of what is seen
WIDE = 1.2  # m, what is shown of a ground
DOT, SHAFT = 0.09, 0.04  # m, diameters
BELOW, ABOVE, TOUCH = (112, 146, 190), (240, 170, 96), (176, 24, 38)
#: what the laws are called on the page; of steps no pair is asked, but `m.contacts`
LAWS = {"rigid": contact.Rigid(mu=0.5), "compliant": contact.Linear(1e5, mu=0.5), "moreau": None,
        "bed": contact.ElasticFoundation(3e7)}


# --- the shapes of the pictures ---

def cam(s: object) -> tuple:
    """The outline of a cam."""
    return 0.42 * lw.cos(s) + 0.08 * lw.cos(2 * s), 0.36 * lw.sin(s)


def star() -> contact.Mesh:
    """A prism with five points, which is no convex body."""
    angle = np.pi / 2 + np.arange(10) * np.pi / 5
    radius = np.where(np.arange(10) % 2 == 0, 0.37, 0.17)
    outline = [*zip(radius * np.cos(angle), radius * np.sin(angle), strict=True), (0.0, 0.0)]
    faces = []
    for k in range(10):
        n = (k + 1) % 10
        faces += [[10, k, n], [21, 11 + n, 11 + k], [k, 11 + k, 11 + n], [k, 11 + n, n]]
    return contact.Mesh(vertices=[[x, y, z] for y in (-0.14, 0.14) for x, z in outline], faces=faces)


def stump(low: float, high: float, height: float) -> contact.Convex:
    """A pyramid over a hexagon, cut off."""
    return contact.Convex([[r * np.cos(a), r * np.sin(a), z] for r, z in ((low, -height / 2), (high, height / 2))
                           for a in np.arange(6) * np.pi / 3 + 0.2])


def hills() -> contact.HeightField:
    x = np.linspace(-WIDE / 2, WIDE / 2, 25)
    return contact.HeightField(x, x, 0.11 * np.sin(4.2 * x + 0.6)[:, None] + 0.05 * np.cos(3 * x)[None, :])


#: kind → the shape as it lies below, and angles about x, y, z that turn it
LOWER: dict[str, Callable] = {
    "Plane": lambda: (contact.Plane(n=[0, 0, 1], length=WIDE), (0, 0, 0)),
    "Sphere": lambda: (contact.Sphere(radius=0.4), (0, 0, 0)),
    "Capsule": lambda: (contact.Capsule(radius=0.2, length=0.8, n=[1, 0, 0]), (0, 0, 0)),
    "Box": lambda: (contact.Box(size=[1.1, 0.8, 0.4]), (0, 0, 0)),
    "Cylinder": lambda: (contact.Cylinder(radius=0.3, length=1.0, n=[1, 0, 0]), (0, 0, 0)),
    "Disc": lambda: (contact.Disc(radius=0.6), (0, 0, 0)),
    "Torus": lambda: (contact.Torus(R=0.46, r=0.16), (0, 0, 0)),
    "Ellipsoid": lambda: (contact.Ellipsoid(radii=[0.55, 0.42, 0.28]), (0, 0.3, 0)),
    "Convex": lambda: (stump(0.55, 0.4, 0.36), (0, 0, 0)),
    "Mesh": lambda: (star(), (0, 0, 0)),
    "HeightField": lambda: (hills(), (0, 0, 0)),
    "Curve": lambda: (contact.Curve(function=cam), (np.pi / 2, 0, 0)),
}
#: kind → the shape as it hangs above
UPPER: dict[str, Callable] = {
    "Point": lambda: (contact.Point(), (0, 0, 0)),
    "Sphere": lambda: (contact.Sphere(radius=0.32), (0, 0, 0)),
    "Capsule": lambda: (contact.Capsule(radius=0.18, length=0.6, n=[1, 0, 0]), (0, 0, 0)),
    "Box": lambda: (contact.Box(size=[0.7, 0.55, 0.42]), (0, 0, 0)),
    "Cylinder": lambda: (contact.Cylinder(radius=0.3, length=0.5), (0, 0, 0)),
    "Disc": lambda: (contact.Disc(radius=0.36, n=[0, 1, 0]), (0.25, 0, 0.5)),
    "Torus": lambda: (contact.Torus(R=0.28, r=0.1, n=[0, 1, 0]), (0.2, 0, 0.5)),
    "Ellipsoid": lambda: (contact.Ellipsoid(radii=[0.46, 0.3, 0.24]), (0, -0.4, 0)),
    "Convex": lambda: (stump(0.3, 0.45, 0.4), (0, 0, 0)),
    "Mesh": lambda: (star(), (0, 0.15, 0.6)),
    "Curve": lambda: (contact.Curve(function=cam), (np.pi / 2, 0, 2.2)),
}
#: kind → the shape in the plane, and its angle where it is above
FLAT: dict[str, Callable] = {
    "Point": lambda: (pl.contact.Point(), 0.0),
    "Line": lambda: (pl.contact.Line(n=[0, 1], length=WIDE), 0.0),
    "Circle": lambda: (pl.contact.Circle(radius=0.38), 0.0),
    "Polygon": lambda: (pl.contact.Polygon([[-0.5, -0.3], [0.5, -0.3], [0.5, 0.1], [0.0, 0.35], [-0.5, 0.1]]), 0.0),
    "Curve": lambda: (pl.contact.Curve(function=cam), 2.2),
}
#: how far aside the upper one is, where not straight above
ASIDE = {"Sphere": 0.25, "Circle": 0.25, "Torus": 0.35, "Ellipsoid": 0.15, "Polygon": 0.2, "Curve": 0.2}


@dataclass(frozen=True)
class Two:
    """Two kinds of shapes, one below the other, and what the package says of them."""

    below: str
    above: str
    flat: bool

    @property
    def name(self) -> str:
        return ("planar_" if self.flat else "") + f"{self.below}_{self.above}".lower()

    def model(self, height: float) -> lw.Model:
        """The lower shape on the world, the upper one on a body over it."""
        m = lw.Model(f"{self.below} and {self.above}")
        aside = ASIDE.get(self.below, 0.0)
        if self.flat:
            m.a, (m.b, angle) = FLAT[self.below]()[0], FLAT[self.above]()
            m.world, m.ground = pl.World(), pl.Fixed()
            m.body = pl.Body(m=1, I=1, r=[aside, height], phi=angle)
            m.connect(m.ground.frame, m.a.frame_a)
        else:
            (m.a, below), (m.b, above) = LOWER[self.below](), UPPER[self.above]()
            m.world = lw.World(n=[0, 0, -1])
            m.body = parts.Body(m=1, inertia=[1, 1, 1], r_0=[aside, 0, height], angles=above)
            m.turned = parts.FixedRotation(rotation_type="sequence", angles=below)
            m.connect(m.world.frame_b, m.turned.frame_a)
            m.connect(m.turned.frame_b, m.a.frame_a)
        m.connect(m.body.frame_a, m.b.frame_a)
        return m

    def placed(self, height: float) -> tuple[geometry.Shape, Transform, geometry.Shape, Transform]:
        """The shapes, and where they are."""
        aside = ASIDE.get(self.below, 0.0)
        if self.flat:
            (a, _), (b, angle) = FLAT[self.below](), FLAT[self.above]()
            below, above, place = (0, 0, 0), (0, 0, angle), [aside, height, 0]
        else:
            (a, below), (b, above) = LOWER[self.below](), UPPER[self.above]()
            place = [aside, 0, height]
        R_a, R_b = (np.array(rotation_from_angles((1, 2, 3), angles), dtype=float) for angles in (below, above))
        return a.shape(a), Transform(R_a, [0, 0, 0]), b.shape(b), Transform(R_b, place)

    @cached_property
    def height(self) -> float:
        """How high the upper one hangs so that they are apart by the gap of all pictures."""
        height, up = 2.0, 1 if self.flat else 2
        for _ in range(30):
            touch = geometry.distance(*self.placed(height))
            if abs(touch.gap - GAP) < 1e-9:
                break
            height -= (touch.gap - GAP) / max(float(touch.normal[up]), 0.3)
        return height

    def nearest(self) -> geometry.Touch:
        """What the model says of their distance."""
        system = lw.compile(self.model(self.height))
        return system.distance(system.state(), "a", "b")

    def touches(self) -> list[geometry.Touch]:
        """Every point of contact that is as near as the nearest."""
        if not self.known:
            return [self.nearest()]
        a, X_a, b, X_b = self.placed(self.height)
        found = geometry.pair(a, b).evaluate(X_a, X_b)
        least = min(touch.gap for touch in found)
        return [touch for touch in found if touch.gap < least + 1e-6]

    # --- what the package says of them ---

    @property
    def known(self) -> bool:
        """Whether they can be a pair."""
        return self.above in geometry.partners(getattr(geometry, self.below))

    @property
    def has_scene(self) -> bool:
        """Whether one can lie below and the other above; two grounds and two points cannot."""
        return self.below in (FLAT if self.flat else LOWER) and self.above in (FLAT if self.flat else UPPER)

    @cached_property
    def has_distance(self) -> bool:
        """Whether their distance is known, a pair or not."""
        try:
            return self.has_scene and np.isfinite(geometry.distance(*self.placed(2.0)).gap)
        except ModelError:
            return False

    @cached_property
    def ways(self) -> list[str]:
        """How their points of contact are found."""
        a, _, b, _ = self.placed(2.0)
        found = geometry.pair(a, b)
        told = [("Newton", found.unknowns is not None), ("search", found.routine is not None)]
        return [way for way, holds in told if holds] or ["formula"]

    @cached_property
    def laws(self) -> list[str]:
        """The laws that they take, as `contact.Pair` has it, and `m.contacts` for steps."""
        if not self.has_scene:
            return []
        m = self.model(2.0)
        return [law for law, one in LAWS.items() if (m.a.points_with(m.b) is not None if one is None
                                                     else takes(m, one))]

    # --- the picture ---

    def picture(self) -> Image.Image:
        """Both shapes, their points of contact, and arrows along the normals from the lower to the upper one."""
        a, X_a, b, X_b = self.placed(self.height)
        bodies = [Body("a.frame_a", X_a.p[None], X_a.R[None]), Body("b.frame_a", X_b.p[None], X_b.R[None])]
        shapes = [Shape(name, "surface", (1.0, 1.0, 1.0), colour, data=drawn(shape), layer="shapes")
                  for name, shape, colour in (("a", a, BELOW), ("b", b, ABOVE))]
        items = [Item(shape, mesh_of(shape), k, np.zeros(3), np.eye(3), np.ones(3)) for k, shape in enumerate(shapes)]
        for touch in self.touches():
            for p in (touch.point_a, touch.point_b):
                items.append(placed_item(Shape("dot", "sphere", (DOT,) * 3, TOUCH, origin=tuple(p - [DOT / 2, 0, 0]))))
            items += [placed_item(part) for part in
                      fixed_arrow("normal", None, touch.point_a, (touch.gap - DOT / 2) * touch.normal, SHAFT, TOUCH,
                                  "forces")]
        up = np.array([0.0, 1.0, 0.0] if self.flat else [0.0, 0.0, 1.0])
        animation = Animation(self.name, np.zeros(1), bodies, items, up, flat=self.flat)
        return Image.fromarray(Renderer(animation, (SIZE, SIZE), seen_from(animation)).draw(0))


def takes(m: lw.Model, law: object) -> bool:
    """Whether the two shapes of a model can be a pair under a law."""
    try:
        contact.Pair(m.a, m.b, law=law)
    except ModelError:
        return False
    return True


def seen_from(animation: Animation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, look_at and up of a camera: at the same distance in all pictures, so that all have one scale."""
    view = np.array([0.0, 0.0, 1.0]) if animation.flat else np.array([0.42, -1.0, 0.36])
    axes = camera_axes(view, np.zeros(3), animation.up)
    points = np.vstack([body.p[0] + item.mesh[0] @ body.R[0].T
                        for body, item in zip(animation.bodies, animation.items, strict=False)]) @ axes
    look_at = axes @ ((points.min(axis=0) + points.max(axis=0)) / 2)
    return look_at + SEEN / 2 / np.tan(FIELD_OF_VIEW / 2) * axes[:, 2], look_at, animation.up


def drawn(shape: geometry.Shape) -> tuple[np.ndarray, np.ndarray]:
    """The surface of a shape, of grounds a piece; a point is larger than the dots on surfaces."""
    sizes = {"Plane": WIDE, "Line": WIDE, "Curve": 0.3}
    return surface(shape, sizes.get(shape.kind), 1.6 * DOT)


def placed_item(shape: Shape) -> Item:
    """A shape that stays where it is in the world."""
    return Item(shape, mesh_of(shape), -1, np.array(shape.origin), shape.axes, scale_of(shape))
