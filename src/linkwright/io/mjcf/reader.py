"""The reader of MJCF files: sections in the order in which they need one another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import linkwright as lw

from ..building import Building
from ..import_report import ImportReport
from ..markup import Element
from ..mesh_paths import MeshFiles
from ..rotations import from_quaternion
from ..shapes import SolidShape
from ..touching import Touching, add_ground, let_touch
from ..wishes import Wishes
from .actuators import read_actuators
from .adhesion import add_adhesion
from .bodies import Tree
from .bonds import read_bonds
from .contacts import carrier, pairs_of, read_pairs, rigid_law
from .defaults import Classes
from .fluid import add_fluid
from .included_files import read_included
from .keyframes import Keyframe, read_keyframes, set_start, start_of
from .plugins import read_instances
from .replicas import replicate
from .sensors import read_sensors
from .settings import Settings, read_settings
from .tendons import read_tendons
from .timed_springs import add_timed_springs
from .touch_sensors import add_touch_sensors, felt_bodies

#: sections that are no part of a mechanism
BESIDE = ("size", "visual", "statistic", "custom")


def read_mjcf(path: Path, wishes: Wishes) -> lw.Model:
    """The model of an MJCF file."""
    root = read_included(path, [Path(folder).expanduser().resolve() for folder in wishes.search])
    if root.tag != "mujoco":
        raise root.error("an MJCF file has <mujoco> at its root.")
    report = ImportReport(str(path))
    building = Building(root.get("model") or path.stem, report, MeshFiles(path, wishes.search))
    settings, classes = read_settings(root, report), Classes(root)
    replicate(root, settings)
    building.add("world", _world(settings))
    meshes, colours = _assets(root, classes, settings, building)
    start = start_of(root, wishes.key, wishes.contact is not None and settings.contact)
    tree = Tree(building, settings, classes, meshes, colours, wishes, _paired(root), _felt(root))
    tree.plugins = read_instances(root)
    for worldbody in root.all("worldbody"):
        tree.world(worldbody)
    _scale_masses(tree, settings)
    tree.compensate()
    add_fluid(tree)
    add_timed_springs(tree)
    model = building.model
    tendons: dict = {}
    for section in root.all("tendon"):
        tendons |= read_tendons(section, tree)
    for section in root.all("equality"):
        read_bonds(section, tree, tendons)
    drives: dict = {}
    written = 0
    for section in root.all("actuator"):
        drives |= read_actuators(section, tree, tendons, start)
        written += len(section.children)
    tree.bound_efforts()
    for section in root.all("sensor"):
        read_sensors(section, tree, tendons, drives)
    frames: dict[str, Keyframe] = {}
    for section in root.all("keyframe"):
        frames |= read_keyframes(section, tree, drives, len(drives) == written)
    set_start(tree, start)
    _contacts(root, tree, wishes.ground)
    for section in root.all(*BESIDE):
        report.pass_over(section)
    classes.close()
    report.close(root)
    report.data["joints"] = tuple(tree.parts.joints.values())
    report.data["drives"] = {name: (drive.inputs, drive.states) for name, drive in drives.items()}
    model.keyframes, model.import_report = frames, report
    return model


def _world(settings: Settings) -> lw.World:
    g = np.linalg.norm(settings.gravity)
    if g == 0:
        return lw.World(start_inside_stops=True, gravity=None, n=(0.0, 0.0, -1.0))
    return lw.World(start_inside_stops=True, g=g, n=tuple(np.array(settings.gravity) / g))


def _assets(root: Element, classes: Classes, settings: Settings, building: Building) -> tuple[dict[str, SolidShape],
            dict[str, np.ndarray]]:
    """Meshes by name (a shape without a file where it was not found), and colours by name."""
    meshes: dict[str, SolidShape] = {}
    colours: dict[str, np.ndarray] = {}
    for asset in root.all("asset"):
        for element in asset.all():
            if element.tag == "material":
                classes.settle(element)
                name = element.get("name")
                colour = element.numbers("rgba", 4)
                if name and colour is not None:
                    colours[name] = colour
                for key in (*element.attributes, *element.inherited):
                    element.get(key)
                for layer in element.all():
                    building.report.pass_over(layer)
            elif element.tag == "mesh":
                classes.settle(element)
                name, shape = _mesh(element, settings, building)
                kind = element.choice("inertia", ("legacy", "exact", "convex", "shell"), "legacy")
                meshes[name] = replace(shape, inertia=kind)
            elif element.tag in ("texture", "skin"):
                building.report.pass_over(element)
            else:
                building.report.ignore(element, f"assets <{element.tag}> are not known here")
    return meshes, colours


def _mesh(element: Element, settings: Settings, building: Building) -> tuple[str, SolidShape]:
    for key in ("smoothnormal", "maxhullvert", "content_type", "material"):
        element.get(key)
    written = element.get("file")
    if written is None:
        building.report.ignore(element, "a mesh without a file is not known here")
        return element.get("name") or "", SolidShape("mesh", lw.Transform(), (1.0, 1.0, 1.0))
    name = element.get("name") or Path(written).stem
    scale = tuple(element.numbers("scale", 3, (1, 1, 1)))
    pos, quat = element.numbers("refpos", 3, (0, 0, 0)), element.numbers("refquat", 4, (1, 0, 0, 0))
    X = lw.Transform(from_quaternion(element, quat), pos).inverse()
    inside = Path(written).name if settings.strip else written
    file, why = building.meshes.find(str(Path(settings.mesh_folder) / inside))
    if file is None:  # names in an included file may count from its own folder
        file = building.meshes.find(inside, Path(element.file).resolve().parent)[0]
    if file is None:
        building.report.ignore(element, why)
        return name, SolidShape("mesh", X, scale)
    return name, SolidShape("mesh", X, scale, str(file))


def _scale_masses(tree: Tree, settings: Settings) -> None:
    """settotalmass: all masses and inertias by one factor."""
    total = sum(float(body.m) for body in tree.parts.masses)
    if settings.total_mass > 0 and total > 0:
        factor = settings.total_mass / total
        for body in tree.parts.masses:
            body.m, body.inertia = factor * float(body.m), factor * np.asarray(body.inertia, dtype=float)


def _paired(root: Element) -> frozenset[str]:
    """The geoms that a <pair> names: they touch, whatever they say themselves."""
    return frozenset(pair.attributes.get(end, "") for section in root.children if section.tag == "contact"
                     for pair in section.children if pair.tag == "pair" for end in ("geom1", "geom2"))


def _felt(root: Element) -> frozenset[str]:
    """The sites at which the load between a body and its parent is measured."""
    return frozenset(sensor.attributes.get("site", "") for section in root.children if section.tag == "sensor"
                     for sensor in section.children if sensor.tag in ("force", "torque"))


def _contacts(root: Element, tree: Tree, ground: float | None) -> None:
    """Who touches whom, as the file says; a ground that was asked for touches all that can touch."""
    report = tree.report
    for section in root.all("contact"):
        read_pairs(section, tree)
    report.data["contact"] = {"pairs": [(a.name, b.name) for _, a, b in tree.parts.pairs],
                              "excluded": [tuple(sorted(pair)) for pair in tree.parts.excluded]}
    pairs = list(pairs_of(tree))
    if ground is not None:
        floor = add_ground(tree.building, ground)
        pairs += [(floor, surface.part, rigid_law(surface.condim, surface.friction)) for surface in tree.parts.surfaces
                  if carrier(tree, surface.body) != "world"]
    if tree.grown:
        geom, kind, margin = max(tree.grown, key=lambda item: item[2])
        report.remark(geom, f"margin: for contact its {kind} is {1e3 * margin:g} mm larger on all sides, edges sharp"
                            f"{f', and so are {len(tree.grown) - 1} more' if len(tree.grown) > 1 else ''}")
    felt = felt_bodies(tree)
    parts = frozenset(id(surface.part) for surface in tree.parts.surfaces if surface.body in felt)
    touching = Touching(0, [], [])
    if tree.contact is not None:
        touching = let_touch(tree.building, pairs, tree.contact, parts)
        report.data["touching"] = touching.count
    add_adhesion(tree, touching)
    add_touch_sensors(tree, touching)
