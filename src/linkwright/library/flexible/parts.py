"""What all parts that bend share: frames on them, coordinates, stiffness and damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca

from ...algebra import cross, quaternion_from_rotation, rotation_angles
from ...errors import ModelError
from ...language import Component, Frame, PartsList, axis_sequence
from ...language.fields import Guess, Variable, appearance, parameter, variable

if TYPE_CHECKING:
    from ...mechanism import Bending


class Amplitudes(Variable):
    """A variable with one entry per internal coordinate."""

    def shape_of(self, component: Component) -> tuple:
        return (component.size,)


class Inner(Component):
    """A piece of a part that bends, or one of its frames: what topology and reports call by a name."""

    def __init__(self, owner: Component, name: str) -> None:
        super().__init__()
        self.__dict__.update(_parent=owner, _name=name)

    @property
    def enforce_states(self) -> bool:
        """A part that flies is carried by its frame_a, of which start values are given."""
        return self._name.endswith("frame_a")

    @property
    def path(self) -> str:
        return f"{self._parent.path}.{self._name}"

    def coordinates(self) -> tuple:
        return ()

    def needed(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        """The load (f, t) that the motion of mass on its frame needs, in the frame; the mass is centred there."""
        a, inertia = next((told.frame, told.inertia) for told in plan.masses if told.component is self)
        w, z, J = a.symbol("w", (3,)), a.symbol("z", (3,)), ca.SX(inertia.inertia)
        return inertia.m * (a.R_WF.T @ (a.a_0 - plan.gravity_at(a.r_0))), J @ z + cross(w, J @ w)


class FlexiblePart(Component):
    """Base: a part with internal coordinates q that stiffness draws back to zero."""

    q = Amplitudes("internal coordinates", initial=True)
    qd = Amplitudes("their rates", initial=True)
    qdd = Amplitudes("their second derivatives")
    energy = variable("strain energy", "J")
    loss_power = variable("dissipated power", "W")
    r_0 = variable("position of frame_a in the world", "m", (3,), initial=True)
    v_0 = variable("velocity of frame_a in world axes", "m/s", (3,), initial=True)
    w_a = variable("angular velocity in frame_a", "rad/s", (3,), initial=True)
    angles = variable("angles of sequence_start that turn the world into frame_a", "rad", (3,), initial=True)
    Q = variable("orientation of frame_a as a unit quaternion, scalar first", "", (4,))
    sequence_start = axis_sequence("axes of the initial angles, counted from 1")
    stiffness_scale = parameter(1.0, "factor on the stiffness")

    start = parameter("straight", 'how it starts where q is not given: "straight", or "static" at rest under its loads',
                      structural=True)

    color_by = appearance(None, 'what colours it in the place of `color`: "displacement", "stress" or "strain"')
    color_range = appearance(None, "value of the last colour; default the largest of the run")

    #: number of internal coordinates
    size: int = 0
    #: what it can be coloured by
    shows: tuple[str, ...] = ("displacement",)

    def __init__(self, **given: Any) -> None:
        if given.get("start") == "static" and "q" not in given:
            given = {**given, "q": [Guess(0.0)] * self.size}
        super().__init__(**given)
        # straight and at rest, unless something else is said
        for name in ("q", "qd"):
            self._initial.setdefault(name, [0.0] * self.size)

    def rest(self, plan: PartsList) -> None:
        """With start="static", ask the start to be at rest under the loads."""
        if self.start == "static":
            for k, acceleration in enumerate(ca.vertsplit(self.coordinates_of(plan)[2])):
                plan.initial_equation(f"{self.path}: at rest under its loads, q[{k}]", acceleration)

    def _check(self) -> None:
        if self.start not in ("straight", "static"):
            raise ModelError(f'{self.path}.start = {self.start!r}: choose "straight" or "static".', self)
        if self.color_by is not None and self.color_by not in self.shows:
            raise ModelError(f"{self.path}.color_by = {self.color_by!r}: choose {' or '.join(map(repr, self.shows))}"
                             + ("" if "stress" in self.shows else "; stresses are known of meshes and blocks") + ".",
                             self)
        if self.color_range is not None and not self.color_range > 0:
            raise ModelError(f"{self.path}.color_range = {self.color_range!r} must be positive.", self)

    def inner(self, name: str) -> Inner:
        """A piece or a frame by its name, the same at every call."""
        table = self.__dict__.setdefault("_inner", {})
        if name not in table:
            table[name] = self._make_inner(name)
        return table[name]

    def _make_inner(self, name: str) -> Inner:
        return Inner(self, name)

    def place(self, plan: PartsList, piece: str, base: Frame, bending: Bending, frames: dict[int, Frame]) -> None:
        """Tell that `bending` is about `base` and that it has these frames, by their number in it."""
        plan.bends(self.inner(piece), base, bending)
        for number, frame in frames.items():
            plan.place_on(self.inner(f"{piece}.{frame.name}"), base, frame, bending, number)

    def pieces(self) -> list[str]:
        """The names of its pieces."""
        raise NotImplementedError

    def coordinates_of(self, plan: PartsList) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(q, q̇, q̈) of all pieces, as symbols."""
        found = [plan.bent_symbols(self.inner(piece)) for piece in self.pieces()]
        return tuple(ca.vertcat(*parts) for parts in zip(*found, strict=True))

    def elastic(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        """Stiffness and damping over q, as matrices."""
        raise NotImplementedError

    def is_damped(self) -> bool:
        """Whether bending loses energy with the numbers it has now."""
        raise NotImplementedError

    def pull_back(self, plan: PartsList) -> None:
        """Tell the forces −K q − D q̇."""
        q, qd, _ = self.coordinates_of(plan)
        K, D = self.elastic(plan)
        forces, start = ca.densify(-(K @ q) - D @ qd), 0
        for piece in self.pieces():
            inner = self.inner(piece)
            for k in range(plan.bent_symbols(inner)[0].numel()):
                plan.mobility_load(inner, k, forces[start + k])
            start += plan.bent_symbols(inner)[0].numel()

    def definitions(self, plan: PartsList) -> dict:
        q, qd, qdd = self.coordinates_of(plan)
        K, D = self.elastic(plan)
        a = self.frame_a
        return {"q": q, "qd": qd, "qdd": qdd, "energy": ca.dot(q, K @ q) / 2, "loss_power": ca.dot(qd, D @ qd),
                "r_0": a.r_0, "v_0": a.v_0, "w_a": a.symbol("w", (3,)),
                "angles": rotation_angles(a.R_WF, self.sequence_start), "Q": quaternion_from_rotation(a.R_WF)}
