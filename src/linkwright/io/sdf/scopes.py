"""Named frames of a model: links, joints, frames and nested models, each posed in another one.

A pose counts from the frame that `relative_to` names; without one a link's from its model, a joint's from its child, a
frame's from what it is attached to (sdformat.org, "Pose frame semantics").  `model::name` reaches into nested models.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import linkwright as lw

from ...algebra import quaternion_from_rotation
from ..markup import Element

MODEL, WORLD = "__model__", "world"


@dataclass(eq=False)
class Scope:
    """One model: its elements by name, its pose in the root's frame, and the models inside it.

    A model's pose counts from the model around it or the frame named there, and is that of its own frame, or of the one
    that `placement_frame` names.
    """

    name: str
    element: Element
    prefix: str
    above: Scope | None = None
    inside: dict[str, Scope] = field(default_factory=dict)
    static: bool = False
    collides: bool = False  # whether its links touch one another

    def __post_init__(self) -> None:
        self.named: dict[str, Element] = {}
        for element in self.element.children:
            if element.tag in ("link", "joint", "frame"):
                name = element.need("name")
                if name in self.named:
                    raise element.error(f"the name {name!r} is taken since line {self.named[name].line}.")
                self.named[name] = element
        self._known: dict[str, lw.Transform] = {}
        self._X: lw.Transform | None = None
        self._asked = False

    @property
    def X(self) -> lw.Transform:
        """Where the model's own frame is, in the root's."""
        if self._X is None:
            if self._asked:
                raise self.element.error(f"the pose of {self.name!r} and what it counts from go round in a ring.")
            self._asked = True
            given, base = self.element.first("pose"), lw.Transform()
            if self.above is not None:
                said = None if given is None else given.get("relative_to") or given.get("frame")
                base = self.above.place(said, self.element) if said and said != MODEL else self.above.X
            aim = self.element.get("placement_frame")
            offset = self.inner(aim, self.element).inverse() if aim else lw.Transform()
            self._X, self._asked = base @ pose(self.element) @ offset, False
        return self._X

    def inner(self, name: str, asker: Element) -> lw.Transform:
        """Where a frame is in the model's own, wherever that may be."""
        return _alone(self).place(name, asker)

    def find(self, name: str, asker: Element) -> tuple[Scope, str]:
        """(the scope, the name in it) of `inner::name` or a name of this model."""
        head, _, rest = name.partition("::")
        if rest and head in self.inside:
            return self.inside[head].find(rest, asker)
        if name in self.inside:
            return self.inside[name], MODEL
        if name not in self.named and name != MODEL:
            raise asker.error(f"there is no link, joint, frame or model {name!r} in {self.name}.")
        return self, name

    def place(self, name: str, asker: Element, depth: int = 0) -> lw.Transform:
        """Where a frame is, in the root's."""
        scope, own = self.find(name, asker)
        if own == MODEL:
            return scope.X
        if own not in scope._known:
            if depth > len(scope.named) + 50:
                raise asker.error(f"the poses of {name!r} and what it counts from go round in a ring.")
            element = scope.named[own]
            base = scope.base_of(element)
            origin = scope.X if base == MODEL else scope.place(base, element, depth + 1)
            scope._known[own] = origin @ pose(element)
        return scope._known[own]

    def base_of(self, element: Element) -> str:
        """What the pose of an element counts from."""
        given = element.first("pose")
        said = None if given is None else given.get("relative_to") or given.get("frame")
        if said:
            return said
        if element.tag == "joint":
            child = element.the("child").words()
            return MODEL if child == WORLD and child not in self.named else child
        return element.get("attached_to") or MODEL if element.tag == "frame" else MODEL

    def link(self, name: str, asker: Element, depth: int = 0) -> tuple[Scope, str] | None:
        """The link that a frame belongs to; None for the world."""
        if name == WORLD and name not in self.named:
            return None
        scope, own = self.find(name, asker)
        if own == MODEL:
            first = next((key for key, element in scope.named.items() if element.tag == "link"), None)
            own = scope.element.get("canonical_link") or first or ""
            if own not in scope.named:
                raise asker.error(f"the model {scope.name!r} has no link that stands for it.")
        element = scope.named[own]
        if element.tag == "link":
            return scope, own
        if depth > len(scope.named) + 50:
            raise asker.error(f"what {name!r} is attached to goes round in a ring.")
        on = element.the("child").words() if element.tag == "joint" else element.get("attached_to") or MODEL
        return scope.link(on, element, depth + 1)


def _alone(scope: Scope, above: Scope | None = None) -> Scope:
    """A model with those inside it, as if its own frame were the root's."""
    made = Scope(scope.name, scope.element, "", above)
    made._X = None if above is not None else lw.Transform()
    made.inside = {name: _alone(inner, made) for name, inner in scope.inside.items()}
    return made


def pose(element: Element) -> lw.Transform:
    """The <pose> of an element: x y z, then roll, pitch, yaw about fixed axes (or a quaternion x y z w)."""
    given = element.first("pose")
    if given is None or not given.words():
        return lw.Transform()
    if given.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = given.as_numbers(given.words(), "<pose>", 7)
        Q = np.array([qw, qx, qy, qz])
        size = np.linalg.norm(Q)
        if not size > 0:
            raise given.error("a quaternion of length zero has no orientation.")
        w, v = Q[0] / size, Q[1:] / size
        V = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        return lw.Transform(np.eye(3) + 2 * w * V + 2 * V @ V, [x, y, z])
    x, y, z, roll, pitch, yaw = given.as_numbers(given.words(), "<pose>", 6)
    if given.flag("degrees"):
        roll, pitch, yaw = np.deg2rad([roll, pitch, yaw])
    return lw.Transform(lw.rotation_z(yaw) @ lw.rotation_y(pitch) @ lw.rotation_x(roll), [x, y, z])


def from_text(X: lw.Transform, relative_to: str, parent: Element) -> Element:
    """A <pose> element that says X."""
    said = {"relative_to": relative_to, "rotation_format": "quat_xyzw"}
    made = Element("pose", said, parent.file, parent.line, parent)
    w, x, y, z = quaternion_from_rotation(X.R)
    made.text, made.seen = " ".join(repr(float(number)) for number in (*X.p, x, y, z, w)), True
    return made


def number(element: Element | None, tag: str, default: float) -> float:
    """The number inside a child element."""
    child = element.first(tag) if element is not None else None
    if child is None or not child.words():
        return default
    text = child.words().lower()
    if text.lstrip("+-") in ("inf", "infinity"):
        return -np.inf if text.startswith("-") else np.inf
    return float(child.as_numbers(text, f"<{tag}>", 1)[0])


def flag(element: Element, tag: str, default: bool = False) -> bool:
    """true or false inside a child element."""
    child = element.first(tag)
    word = "" if child is None else child.words().lower()
    if child is not None and word not in ("true", "1", "false", "0", ""):
        raise child.error(f"<{tag}> is true or false; got {word!r}.")
    return default if not word else word in ("true", "1")
