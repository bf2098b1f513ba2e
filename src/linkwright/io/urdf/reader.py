"""The reader of URDF files: links first, then the joints between them, then what follows and drives them."""

from __future__ import annotations

from pathlib import Path

import linkwright as lw

from ..building import Building
from ..import_report import ImportReport
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..touching import add_ground, let_touch
from ..wishes import Wishes
from .contacts import friction_of, pairs_of, rigid_law
from .joints import Joints
from .links import Links
from .macros import expand, has_macros
from .srdf import Semantics, read_srdf, set_state
from .transmissions import read_transmission
from .tree import base_of, by_name, carries_nothing, fixed_to

UP = (0.0, 0.0, -1.0)


def read_urdf(path: Path, wishes: Wishes) -> lw.Model:
    """The model of a URDF file; its root link stands on the world, or is free with `floating`."""
    meshes = MeshFiles(path, wishes.search)
    root = _root(path, wishes, meshes)
    if root.tag != "robot":
        raise root.error("a URDF file has <robot> at its root.")
    root.seen = True
    report = ImportReport(str(path))
    building = Building(root.get("name") or path.stem, report, meshes)
    model = building.model
    building.add("world", lw.World(start_inside_stops=True, n=UP))
    links, joints = by_name(root.all("link")), by_name(root.all("joint"))
    bodies = Links(building, wishes.hulls or wishes.contact is not None)
    for material in root.all("material"):
        bodies.colour(material)
    base = base_of(root, links, joints)
    frames = {name: bodies.add(link) for name, link in links.items()}
    free = None
    if wishes.floating:
        free = building.add("floating_base", lw.joints.FreeMotion(animation=False))
        model.connect(model.world.frame_b, free.frame_a)
        model.connect(free.frame_b, frames[base])
    else:
        model.connect(model.world.frame_b, frames[base])
    moving = Joints(building, frames, joints, carries_nothing(bodies.massive, joints), wishes.stops, wishes.friction)
    for joint in joints.values():
        moving.add(joint)
    for joint in joints.values():
        moving.couple(joint)
    for transmission in root.all("transmission"):
        read_transmission(transmission, moving.joints, building)
    semantics = read_srdf(wishes.srdf, path, links, report)
    set_state(semantics, wishes.key, wishes.contact is not None, moving.joints, free, root, report)
    _touch(root, semantics, building, bodies, links, joints, base, wishes)
    bodies.stand_ins.close(report.approximate_file)
    report.close(root)
    model.import_report = report
    return model


def _touch(root: Element, semantics: Semantics, building: Building, bodies: Links, links: dict[str, Element],
           joints: dict[str, Element], base: str, wishes: Wishes) -> None:
    """Who touches whom; a ground that was asked for touches every link but a base that stands on it."""
    friction = friction_of(root, links)
    plane = None if wishes.ground is None else add_ground(building, wishes.ground)
    if wishes.contact is None:
        return
    pairs = list(pairs_of(bodies.surfaces, links, joints, semantics.disabled, friction))
    if plane is not None:
        pairs += [(plane, part, rigid_law(friction, link)) for link, part in bodies.surfaces
                  if wishes.floating or link not in fixed_to(base, joints)]
    building.report.data["touching"] = let_touch(building, pairs, wishes.contact).count


def _root(path: Path, wishes: Wishes, meshes: MeshFiles) -> Element:
    """The root element, its macros written out."""
    root = read_elements(path)
    if path.suffix == ".xacro" or has_macros(root):
        return expand(path, wishes.args or {}, meshes)
    if wishes.args:
        raise root.error("args= are for files with macros (.xacro); this one has none.")
    return root
