"""Two shapes that can touch, and the law by which they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ... import geometry
from ...algebra import Scalar, Transform, cross, rotation_from_angles, skew
from ...codegen import Least, Routine
from ...errors import ModelError
from ...language import Component, PartsList, call_law
from ...language.fields import Record, Variable, appearance, kind_reads, parameter, variable
from ...language.looks import FORCE_COLOR
from ...language.planar_frame import PlanarFrame
from ..tolerances import FIXED_ON_BODY, POSES_AROUND
from .compliant import CompliantLaw, is_law, of_materials
from .exponential import Exponential, Grip
from .foundation import ElasticFoundation, press_bed
from .friction import length
from .rigid import Rigid, describe_rigid
from .shapes import ContactShape, Plane

if TYPE_CHECKING:
    from .material import Material


class Law(Record):
    """The law of a pair: one of `contact`'s, or an object of one's own with normal(x, v) and friction(slip, f_n)."""

    def __init__(self, text: str) -> None:
        super().__init__(object, text)

    def checked(self, component: Component, value: Any) -> CompliantLaw | Rigid | None:
        if value is None or isinstance(value, Rigid) or is_law(value):
            return value
        if isinstance(value, type):
            raise ModelError(f"{component.path}.law = {value.__name__} is a class; give a law made of it, such as "
                             f"contact.{value.__name__}(…).", component)
        raise ModelError(f"{component.path}.law = {value!r} is no law of contact; give one of contact's (Rigid, "
                         "HuntCrossley, Hertz, Linear, Smooth, Exponential, ElasticFoundation), or an object with "
                         "normal(x, v) and friction(slip, f_n).", component)


class PerPoint(Variable):
    """A variable of every point of contact: one number (or vector) where there is one point, else as many rows."""

    def shape_of(self, component: Component) -> tuple:
        count = component.n_points
        return self.shape if count == 1 else (count, *self.shape)


class Pair(Component):
    """Two shapes, a and b, that exert contact forces on each other according to a law.

    The normal points from a to b.  Results are the forces on b, in world axes; a receives the opposite force at the
    same point.  Without a law, the materials of both shapes determine it.

    >>> m.touch = contact.Pair(m.floor, m.skin, law=contact.HuntCrossley(stiffness=1e6, dissipation=0.1))
    """

    a = parameter(None, "the first shape", structural=True)
    b = parameter(None, "the second shape", structural=True)
    law = Law("contact.HuntCrossley(…) …")
    animation = appearance(True, "whether its forces are shown")
    color = appearance(FORCE_COLOR, "colour of the forces")
    gap = PerPoint("distance of the surfaces, negative where they overlap", "m")
    f_n = PerPoint("normal force, positive where it presses", "N")
    f_t = PerPoint("friction force on b, in world axes", "N", (3,))
    slip = PerPoint("velocity of b's surface over a's, in world axes", "m/s", (3,))
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")

    def __init__(self, a: ContactShape | None = None, b: ContactShape | None = None,
                 law: CompliantLaw | Rigid | None = None, **given: Any) -> None:
        super().__init__(**given, a=a, b=b, **({} if law is None else {"law": law}))

    def _check(self) -> None:
        for name in "ab":
            shape = getattr(self, name)
            if not isinstance(shape, ContactShape):
                raise ModelError(f"{self.path}: {name} = {shape!r} is no shape of contact; give two, such as "
                                 "contact.Pair(m.floor, m.skin).", self)
        if self.a is self.b:
            raise ModelError(f"{self.path}: {self.a.path} cannot touch itself; give two shapes.", self)
        if self.law is not None and hasattr(self.law, "check"):
            self.law.check(self)
        self._searched()
        self._refuse_anchors()
        if self.law is None:
            self._materials(*[shape.material for shape in (self.a, self.b)])

    def _refuse_anchors(self) -> None:
        """Friction that is anchored needs points that stay who they are; those of hulls and meshes change places."""
        shapes = self._shapes()
        searched = isinstance(self.law, Exponential) and self.law.rubs and self._searched() is not None
        if searched and not any(isinstance(shape, geometry.HeightField) for shape in shapes):
            raise ModelError(f"{self.path} ({self.a.path}, {self.b.path}): the friction of contact.Exponential is a "
                             f"spring at each point, but the points of a {shapes[0].kind} and a {shapes[1].kind} are "
                             "found anew at every instant. Take contact.Linear, whose friction follows the slip, or "
                             "shapes that touch at points of their own (contact.Point on the corners, a Plane).", self)

    @property
    def n_points(self) -> int:
        """How many points of contact the pair has."""
        found = self._searched()
        if isinstance(found, geometry.Bed):
            return 1
        return geometry_of(self, *self._shapes()).n_points if found is None else found.n_rows

    def pins(self) -> list[tuple[Component, str]]:
        """A search over arrays holds the sizes of its shapes, and a bed of springs its law: so they are structure."""
        searched = self._searched()
        held = [*self.a.sizes(), *self.b.sizes()] if self._holds_sizes(searched) else []
        return [*held, (self, "law")] if isinstance(searched, geometry.Bed) else held

    def _holds_sizes(self, searched: object) -> bool:
        """Whether a search over arrays is asked for, for the points themselves or for where formulas begin."""
        return searched is not None or any(isinstance(shape, geometry.HeightField) for shape in self._shapes())

    def _shapes(self) -> tuple[geometry.Shape, geometry.Shape]:
        """Both shapes with the numbers they have: they say of which kind the pair is, which no size of them changes."""
        with kind_reads():
            return self.a.shape(self.a), self.b.shape(self.b)

    def _searched(self) -> geometry.Pressing | geometry.Bed | None:
        """The routine that finds the points; None where they are formulas."""
        shapes = self._shapes()
        bed = isinstance(self.law, ElasticFoundation)
        known = None if bed else geometry_of(self, *shapes)
        if known is not None and (known.routine is None or known.unknowns is not None):
            return None
        if isinstance(self.law, Rigid):
            raise ModelError(f"{self.path} ({self.a.path}, {self.b.path}): where a {shapes[0].kind} and a "
                             f"{shapes[1].kind} touch is found by a search over arrays, which has no second "
                             "derivatives for rigid rows. Take a compliant law (contact.Linear, contact.HuntCrossley), "
                             "or leave the pair to m.contacts(law=contact.Rigid(…)), which steps it "
                             "(method=\"time_stepping\").", self)
        # shapes made of arrays are what they are, the others are made anew every time
        key = (bed, *[shape if shape is again else repr(shape)
                      for shape, again in zip(shapes, self._shapes(), strict=True)])
        if self.__dict__.get("_found", (None,))[0] != key:
            self.__dict__["_found"] = key, _named(self, geometry.bed if bed else geometry.press, *shapes)
        return self.__dict__["_found"][1]

    @property
    def flat(self) -> bool:
        """Whether both shapes stay in a plane."""
        return all(isinstance(shape.frame_a, PlanarFrame) for shape in (self.a, self.b))

    def _materials(self, *materials: Material | None) -> tuple[CompliantLaw, Scalar]:
        bare = [shape.path for shape, material in zip((self.a, self.b), materials, strict=True) if material is None]
        if bare:
            raise ModelError(f"{self.path} has no law, and {' and '.join(bare)} no material; give law=contact."
                             "HuntCrossley(…), or material=contact.Material(…) on both shapes.", self)
        if materials[0].model != materials[1].model:
            raise ModelError(f"{self.path}: the material of {self.a.path} has model = {materials[0].model!r}, that of "
                             f"{self.b.path} {materials[1].model!r}; give both the same, or the pair a law.", self)
        return of_materials(*materials)

    # --- equations ---

    def describe(self, plan: PartsList) -> None:
        for shape in (self.a, self.b):
            if all(component is not shape for component in plan.components):
                raise ModelError(f"{self.path}: {type(shape).__name__} {shape.path!r} is no part of the model; give it "
                                 "a name first: m.skin = ….", self)
        plan.touching(self, self.a.frame_a, self.b.frame_a)
        searched = self._searched_now(plan)
        if isinstance(searched, geometry.Bed):
            point = Pressed(None, None, plan.values(self).law, 1.0)
            press_bed(plan, self, searched, point.law, point)
            own = [point]
        else:
            own = [self._point(plan, touch, weight) for touch, weight in self._touches(plan, searched)]
        plan.keep(self, own)
        for k, point in enumerate(own):
            if isinstance(self.law, Rigid):
                describe_rigid(plan, self, k, len(own), plan.values(self).law, point)
            elif not isinstance(searched, geometry.Bed):
                self._press(plan, k, point)
        self._anchor(plan, [point.grip for point in own if point.grip is not None])
        if isinstance(self.law, Rigid):
            plan.encounter(self.path, self.a, self.b, plan.values(self).law, len(own))
        else:
            plan.pressed.append(self.path)
        # what rows hold is no load, but shows in the cuts of the frames
        self._tell(plan, plan.cut if isinstance(self.law, Rigid) else plan.load, own)

    def _tell(self, plan: PartsList, tell: Callable[..., None], points: list[Pressed]) -> None:
        """Forces on b at points, and their balance on a, as loads of the shapes' frames."""
        force = sum((p.force for p in points), ca.SX.zeros(3))
        moment = sum((cross(p.place, p.force) + p.moment for p in points), ca.SX.zeros(3))
        R, p, _ = plan.relative(self.a.frame_a, self.b.frame_a)
        tell(self, self.a.frame_a, force, moment)
        tell(self, self.b.frame_a, -(R.T @ force), -(R.T @ (moment - cross(p, force))))

    def _searched_now(self, plan: PartsList) -> geometry.Pressing | geometry.Bed | None:
        """The routine for the numbers that the shapes have now; they cannot be symbols."""
        searched = self._searched()
        held = self._holds_sizes(searched)
        for shape in (self.a, self.b) if held else ():
            follows = [name for _, name in shape.sizes() if isinstance(getattr(plan.values(shape), name), ca.SX)]
            if follows:
                raise ModelError(f"{self.path}: {shape.path}.{follows[0]} is a formula of something tunable, but a "
                                 "search over arrays holds it as a number; give it a number.", self)
        return searched

    def _touches(self, plan: PartsList, searched: geometry.Pressing | None) -> list[tuple[geometry.Touch, object]]:
        """The points of contact, in a's axes from a's origin, and what the force of each is multiplied by."""
        R, p, _ = plan.relative(self.a.frame_a, self.b.frame_a)
        if searched is not None:
            routine = Routine(searched.entry, searched.numbers, searched.indices, searched.steps, 8 * searched.n_rows)
            return searched.touches(Transform(R, p), routine)
        pair = geometry_of(self, *[shape.shape(plan.values(shape)) for shape in (self.a, self.b)])
        X = Transform(R, p)
        if pair.unknowns is None:
            return [(touch, 1.0) for touch in pair.evaluate(Transform(), X)]
        y, near = self._place(plan, pair, X)
        # where there is no place, the gap is open in any case
        return [(replace(touch, gap=near * touch.gap + (1 - near) * (ca.fabs(touch.gap) + 1)), 1.0)
                for touch in pair.evaluate(Transform(), X, y)]

    def _place(self, plan: PartsList, pair: geometry.PairGeometry, X: Transform) -> tuple[ca.SX, object]:
        """Where curved bodies touch, as algebraic unknowns; and 1 where there is such a place near, else 0.

        Every time they are found anew, so that they depend on the pose alone.
        """
        unknowns = pair.unknowns
        count = len(unknowns.names)
        y = self.symbol("place", (count,))
        # sizes that are inputs, of both shapes
        sizes = [(shape, name, value) for shape in (self.a, self.b) for _, name in shape.sizes()
                 if isinstance(value := getattr(plan.values(shape), name), ca.SX)]

        def solver(given: np.ndarray) -> Callable[[Transform, Transform], np.ndarray]:
            """The search for a place between shapes with these sizes."""
            numbers, at = [SimpleNamespace(**vars(plan.values(shape))) for shape in (self.a, self.b)], 0
            for shape, name, value in sizes:
                own = given[at : (at := at + value.numel())]
                setattr(numbers[shape is self.b], name, own if value.numel() > 1 else float(own[0]))
            shapes = [shape.shape(own) for shape, own in zip((self.a, self.b), numbers, strict=True)]
            return geometry_of(self, *shapes).unknowns.start

        usual = None if sizes else solver(np.zeros(0))

        def seek(sought: np.ndarray) -> np.ndarray:
            solve = usual or solver(sought[12:])
            return solve(Transform(), Transform(sought[:9].reshape(3, 3, order="F"), sought[9:12]))

        guess, near = unknowns.search(X, lambda kernel, x, a, b: Least(kernel, a, b)(x))
        F = near * unknowns.residual(Transform(), X, y) + (1 - near) * (y - guess)
        plan.unknown(self, "place", y, F, np.zeros(count), seek,
                     ca.vertcat(ca.vec(X.R), X.p, *[ca.vec(value) for *_, value in sizes]), guess)
        return y, near

    def _point(self, plan: PartsList, touch: geometry.Touch, weight: Scalar) -> Pressed:
        """Place and motion at one point, in a's axes."""
        law, share = plan.values(self).law, 0.5
        if law is None:
            law, share = self._materials(*[plan.values(shape).material for shape in (self.a, self.b)])
        elif isinstance(law, Exponential):
            # it presses from afar, at the point of what is over the plane (Simbody's station)
            share = 1.0 if isinstance(self.a, Plane) else 0.0 if isinstance(self.b, Plane) else 0.5
        point = Pressed(touch, touch.point_a + share * touch.gap * touch.normal, law, weight)
        R, p, V = plan.relative(self.a.frame_a, self.b.frame_a)
        point.turning, point.moment = R @ V[0:3], ca.SX.zeros(3)
        point.velocity = R @ V[3:6] + cross(point.turning, point.place - p)
        n = ca.SX(touch.normal)
        point.rate = -ca.dot(n, point.velocity)
        point.slip = point.velocity + point.rate * n
        return point

    def rides_on_b(self, plan: PartsList, place: ca.SX) -> bool:
        """Whether a place in a's axes is a point fixed on b, over any plane of a: its rate is the velocity there."""
        R, p, V = plan.relative(self.a.frame_a, self.b.frame_a)
        moving = [ca.vec(R), p]
        rate = ca.jtimes(place, ca.vertcat(*moving), ca.vertcat(ca.vec(R @ skew(V[0:3])), R @ V[3:6]))
        other = rate - (R @ V[3:6] + cross(R @ V[0:3], place - p))
        if any(ca.depends_on(place, told.symbol) for told in plan.unknowns if told.component is self):
            return False  # it moves along a surface
        free = [s for s in ca.symvar(other) if not ca.depends_on(ca.vertcat(*moving, V), s)]
        numbers = np.random.default_rng(1)
        f = ca.Function("apart", [R, p, V, *free], [ca.norm_inf(other)])
        # near and far: a ball touches a box at a corner, which rides on it, or on a face, along which it moves
        return all(float(f(rotation_from_angles((1, 2, 3), numbers.uniform(-3.0, 3.0, 3)),
                           far * numbers.normal(size=3), numbers.normal(size=6), *[0.7] * len(free))) < FIXED_ON_BODY
                   for far in POSES_AROUND)

    def _press(self, plan: PartsList, k: int, point: Pressed) -> None:
        """The force of a compliant law, in a's axes."""
        touch, law, gap, n = point.touch, point.law, self._entry("gap", k), ca.SX(point.touch.normal)
        law = law.at(touch.curvatures, self) if hasattr(law, "at") else law
        smooth = getattr(law, "smooth", False)

        def pressed(value: Scalar) -> ca.SX:
            return point.weight * (value if smooth else ca.if_else(gap < 0, value, 0))

        point.normal = pressed(call_law(self, "normal(x, v)", law.normal, -gap, point.rate))
        point.energy = pressed(ca.SX(law.energy(-gap)) if hasattr(law, "energy") else ca.SX(0))
        # what the spring alone would press with, for what its damping turns into heat
        point.loss = point.rate * (point.normal - pressed(law.normal(-gap, 0.0)))
        rub = ca.SX.zeros(3)
        if isinstance(law, Exponential) and law.rubs:
            point.grip = law.hold(self._entry("f_n", k), point.slip, n, *self._anchored(k))
            rub = point.grip.force
            point.energy, point.loss = point.energy + point.grip.energy, point.loss + point.grip.loss
        elif getattr(law, "rubs", hasattr(law, "friction")):
            speed = length(point.slip)
            strength = call_law(self, "friction(slip, f_n)", law.friction, speed, self._entry("f_n", k))
            rub = -strength / speed * point.slip
            point.loss = point.loss - ca.dot(rub, point.slip)
        point.rub = rub
        point.force = self._entry("f_n", k) * n + rub

    def _anchored(self, k: int) -> tuple[ca.SX, ca.SX]:
        """The states of friction at a point: how far the spring is stretched, in a's axes, and how much it slides."""
        count = self.n_points
        return self.symbol("stretch", (3 * count,))[3 * k:3 * k + 3], self.symbol("sliding", (count,))[k]

    def _anchor(self, plan: PartsList, grips: list[Grip]) -> None:
        """Tell the states of friction that is anchored."""
        if not grips:
            return
        for name, rates in (("stretch", [grip.stretch_rate for grip in grips]),
                            ("sliding", [grip.sliding_rate for grip in grips])):
            rate = ca.vertcat(*rates)
            plan.state(self, name, self.symbol(name, (rate.numel(),)), rate, np.zeros(rate.numel()))

    def _entry(self, name: str, k: int) -> ca.SX:
        symbol = getattr(self, name)
        return symbol if symbol.numel() == 1 else symbol[k]

    def definitions(self, plan: PartsList) -> dict:
        R, own = self.a.frame_a.R_WF, plan.kept(self)
        origin = self.a.frame_a.r_0

        def rows(vectors: Sequence[ca.SX]) -> ca.SX:
            return vectors[0] if len(vectors) == 1 else ca.vertcat(*[v.T for v in vectors])

        found = {
            "gap": ca.vertcat(*[ca.SX(p.touch.gap) for p in own]),
            "f_n": ca.vertcat(*[ca.SX(p.normal) for p in own]),
            "f_t": rows([R @ p.rub for p in own]),
            "slip": rows([R @ p.slip for p in own]),
            "loss_power": sum((p.loss for p in own), ca.SX(0)),
            "energy": sum((p.energy for p in own), ca.SX(0)),
        }
        for k, p in enumerate(own):
            found |= {f"point_{k}": origin + R @ p.place, f"force_{k}": R @ p.force,
                      f"normal_{k}": R @ ca.SX(p.touch.normal)}
        return found


class Pressed:
    """What a point of contact is made of, in a's axes: its place and velocity of b over a there, the speed of approach,
    slip, and the forces on b: what presses, what rubs, both, and a moment beside them.  All are multiplied by a
    weight, 1 but where a point fades out."""

    def __init__(self, touch: geometry.Touch, place: ca.SX, law: CompliantLaw | Rigid, weight: Scalar) -> None:
        self.touch, self.place, self.law, self.weight = touch, place, law, weight
        self.grip: Grip | None = None


def geometry_of(pair: Pair, a: geometry.Shape, b: geometry.Shape) -> geometry.PairGeometry:
    """The geometry of two shapes; one that is not known is refused with the name of the pair."""
    return _named(pair, geometry.pair, a, b)


def _named(pair: Pair, build: Callable, a: geometry.Shape, b: geometry.Shape) -> Any:
    try:
        return build(a, b)
    except ModelError as error:
        raise ModelError(f"{pair.path} ({pair.a.path}, {pair.b.path}): {error}", pair) from None
