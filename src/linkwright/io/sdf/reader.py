"""The reader of SDF files: scopes first, then links, joints, what is free, and what touches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...algebra import rotation_angles
from ...mechanism import Joined
from ..building import Building
from ..import_report import ImportReport
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..tolerances import MOST_FILES
from ..touching import add_ground, let_touch
from ..wishes import Wishes
from .included import file_of, merge, model_of, set_included
from .joints import add_joint, couple
from .links import Links
from .scopes import Scope, flag

if TYPE_CHECKING:
    from ...language import Component, Frame

BESIDE = ("light", "plugin", "physics", "scene", "gui", "audio", "wind", "atmosphere", "magnetic_field", "state",
          "spherical_coordinates", "actor", "road", "gripper", "enable_wind", "allow_auto_disable", "model_state")


class Reader:
    """Builds a model of all models in a file."""

    def __init__(self, path: Path, building: Building, wishes: Wishes) -> None:
        self.path, self.building, self.report, self.wishes = path, building, building.report, wishes
        self.links = Links(building, wishes.hulls or wishes.contact is not None)
        self.frames: dict[str, tuple[Frame, lw.Transform, Scope]] = {}  # link by its full name
        self.held = Joined()
        self.number: dict[str, int] = {"world": 0}
        self.jointed: set[frozenset[str]] = set()
        self.children: set[str] = set()
        self.joints: dict[str, Component] = {}
        self.files = [path.resolve()]
        self.roots: list[Element] = []

    # --- scopes ---

    def scope(self, element: Element, above: Scope | None, static: bool = False) -> Scope:
        """A model with all that is inside it."""
        element.seen = True
        name = element.need("name")
        prefix = f"{above.prefix}{name}::" if above is not None else ""
        models = list(self.models(element))  # first, since what is merged brings links of its own
        own = Scope(name, element, prefix, above, static=static or flag(element, "static"),
                    collides=flag(element, "self_collide"))
        for key in BESIDE:
            for child in element.all(key):
                self.report.pass_over(child)
        for inner in models:
            if inner.need("name") in own.inside:
                raise inner.error(f"there is a model {inner.get('name')!r} already.")
            own.inside[inner.need("name")] = self.scope(inner, own, own.static)
        return own

    def models(self, element: Element) -> Iterator[Element]:
        """The models inside an element, written there or included; what is merged becomes part of the element."""
        for include in list(element.all("include")):
            file = file_of(include, self.building.meshes)
            if file is None:
                self.report.ignore(include, f"{include.the('uri').words()} is not there; say where with search=[…]")
                continue
            if len(self.files) > MOST_FILES or self.files.count(file) > MOST_FILES // 10 or file == self.path.resolve():
                raise include.error(f"{file.name} is included without end.")
            self.files.append(file)
            root = read_elements(file)
            model = model_of(root)
            if model is None:
                self.report.ignore(include, f"{file.name} is neither SDF nor URDF; models of other formats cannot be "
                                            "included")
                continue
            self.roots.append(root)
            set_included(model, include)
            if include.get("merge") in ("true", "1") and element.tag == "model":
                inner = list(self.models(model))  # which may merge more into it
                model.children = [child for child in model.children if child.tag not in ("include", "model")] + inner
                merge(include, model, element)
            else:
                yield model
        yield from element.all("model")

    # --- links and joints ---

    def build(self, scope: Scope) -> None:
        """Links and joints of a model and of all inside it."""
        ground = self.building.model.world.frame_b
        for name, element in scope.named.items():
            element.seen = True
            if element.tag == "link":
                full = scope.prefix + name
                X = scope.place(name, element)
                frame = self.links.add(element, full)
                self.frames[full] = frame, X, scope
                self.number[full] = len(self.number)
                if scope.static:
                    self.building.model.connect(self.building.placed(ground, X, f"{full}_place"), frame)
                    self.held.join(0, self.number[full])
        for inner in scope.inside.values():
            self.build(inner)
        for name, element in scope.named.items():
            if element.tag == "joint":
                self._joint(scope, name, element)
            elif element.tag == "frame":
                scope.place(name, element)  # a ring of frames is refused, asked for or not
        for name, element in scope.named.items():
            if element.tag == "joint":
                couple(self.building, element, scope.prefix + name, self.joints, scope.prefix)

    def _joint(self, scope: Scope, name: str, joint: Element) -> None:
        ends, poses, names = [], [], []
        for key in ("parent", "child"):
            found = scope.link(joint.the(key).words(), joint)
            if found is None:
                ends.append(self.building.model.world.frame_b)
                poses.append(lw.Transform())
                names.append("world")
                continue
            full = found[0].prefix + found[1]
            frame, X, _ = self.frames[full]
            ends.append(frame)
            poses.append(X)
            names.append(full)
        if names[0] == names[1]:
            raise joint.error(f"its parent and child are the same, {names[0]!r}.")
        component = add_joint(self.building, scope, joint, scope.prefix + name,
                              (ends[0], poses[0], ends[1], poses[1]), self.wishes)
        if component is not None:
            self.joints[scope.prefix + name] = component
        self.held.join(*(self.number[link] for link in names))
        self.jointed.add(frozenset(names))
        self.children.add(names[1])

    def set_free(self) -> None:
        """Give what hangs on nothing a free joint: each set of links by the first that is nobody's child."""
        done = {self.held.find(0)}
        for full in sorted(self.frames, key=lambda link: link in self.children):
            if self.held.find(self.number[full]) in done:
                continue
            done.add(self.held.find(self.number[full]))
            frame, X, _ = self.frames[full]
            free = lw.joints.FreeMotion(r_rel_a=lw.guess(X.p), angles=lw.guess(rotation_angles(X.R)), animation=False)
            self.building.add(f"{full}_free", free)
            self.building.model.connect(self.building.model.world.frame_b, free.frame_a)
            self.building.model.connect(free.frame_b, frame)

    # --- contact ---

    def touch(self) -> None:
        """Links of different models touch, those of one model where it says <self_collide>; neighbours do not."""
        plane = None if self.wishes.ground is None else add_ground(self.building, self.wishes.ground)
        if self.wishes.contact is None:
            return
        pairs = []
        for (one, a, mu_a), (other, b, mu_b) in combinations(self.links.surfaces, 2):
            scopes = self.frames[one][2], self.frames[other][2]
            same = scopes[0] is scopes[1] and not scopes[0].collides
            both_static = scopes[0].static and scopes[1].static
            if one != other and not same and not both_static and frozenset((one, other)) not in self.jointed:
                pairs.append((a, b, lw.contact.Rigid(mu=min(mu_a, mu_b))))
        if plane is not None:
            pairs += [(plane, part, lw.contact.Rigid(mu=mu)) for link, part, mu in self.links.surfaces
                      if not self.frames[link][2].static]
        self.report.data["touching"] = let_touch(self.building, pairs, self.wishes.contact).count


def read_sdf(path: Path, wishes: Wishes) -> lw.Model:
    """The model of an SDF file: all its models, or those of its first world."""
    root = read_elements(path)
    root.seen = True
    root.get("version")
    world = root.first("world")
    top = world if world is not None else root
    report = ImportReport(str(path))
    title = (world or root.first("model") or root).get("name") or path.stem
    building = Building(title, report, MeshFiles(path, wishes.search))
    building.add("world", _gravity(world))
    reader = Reader(path, building, wishes)
    if world is not None:
        for key in BESIDE:
            for child in world.all(key):
                report.pass_over(child)
    scopes = [reader.scope(model, None) for model in reader.models(top)]
    if not scopes:
        raise root.error("an SDF file has a <model>, or a <world> with models.")
    several = len(scopes) > 1
    for scope in scopes:
        if several:
            _rename(scope, f"{scope.name}::")
        reader.build(scope)
    reader.set_free()
    reader.touch()
    reader.links.stand_ins.close(report.approximate_file)
    report.close(root, *reader.roots)
    building.model.import_report = report
    return building.model


def _rename(scope: Scope, prefix: str) -> None:
    scope.prefix = prefix + scope.prefix
    for inner in scope.inside.values():
        _rename(inner, prefix)


def _gravity(world: Element | None) -> lw.World:
    given = world.first("gravity") if world is not None else None
    g = np.array([0, 0, -9.80665]) if given is None else given.as_numbers(given.words(), "<gravity>", 3)
    size = float(np.linalg.norm(g))
    field = {"gravity": None, "n": (0.0, 0.0, -1.0)} if size == 0 else {"g": size, "n": tuple(g / size)}
    return lw.World(start_inside_stops=True, **field)
