"""The reader of URDF files: links first, then the joints between them, then what follows and drives them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import linkwright as lw

from ...errors import ModelError
from ..building import Building
from ..import_report import ImportReport
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..touching import add_ground, let_touch
from ..wishes import Wishes
from .contacts import disabled_pairs, friction_of, pairs_of, rigid_law
from .joints import Joints
from .links import Links
from .transmissions import read_transmission
from .tree import base_of, by_name, fixed_to

UP = (0.0, 0.0, -1.0)


def read_urdf(path: Path, wishes: Wishes) -> lw.Model:
    """The model of a URDF file; its root link stands on the world, or is free with `floating`."""
    root = _root(path)
    if root.tag != "robot":
        raise root.error("a URDF file has <robot> at its root.")
    root.seen = True
    report = ImportReport(str(path))
    building = Building(root.get("name") or path.stem, report, MeshFiles(path, wishes.search))
    model = building.model
    building.add("world", lw.World(n=UP))
    links, joints = by_name(root.all("link")), by_name(root.all("joint"))
    bodies = Links(building, wishes.hulls or wishes.contact is not None)
    for material in root.all("material"):
        bodies.colour(material)
    base = base_of(root, links, joints)
    frames = {name: bodies.add(link) for name, link in links.items()}
    if wishes.floating:
        free = building.add("floating_base", lw.joints.FreeMotion(animation=False))
        model.connect(model.world.frame_b, free.frame_a)
        model.connect(free.frame_b, frames[base])
    else:
        model.connect(model.world.frame_b, frames[base])
    moving = Joints(building, frames, joints, wishes.stops, wishes.friction)
    for joint in joints.values():
        moving.add(joint)
    for joint in joints.values():
        moving.couple(joint)
    for transmission in root.all("transmission"):
        read_transmission(transmission, moving.joints, building)
    _touch(root, path, building, bodies, links, joints, base, wishes)
    report.close(root)
    model.import_report = report
    return model


def _touch(root: Element, path: Path, building: Building, bodies: Links, links: dict[str, Element],
           joints: dict[str, Element], base: str, wishes: Wishes) -> None:
    """Who touches whom; a ground that was asked for touches every link but a base that stands on it."""
    friction = friction_of(root, links)
    plane = None if wishes.ground is None else add_ground(building, wishes.ground)
    if wishes.contact is None:
        return
    disabled = disabled_pairs(wishes.srdf, path, links, building.report)
    pairs = list(pairs_of(bodies.surfaces, links, joints, disabled, friction))
    if plane is not None:
        pairs += [(plane, part, rigid_law(friction, link)) for link, part in bodies.surfaces
                  if wishes.floating or link not in fixed_to(base, joints)]
    building.report.data["touching"] = let_touch(building, pairs, wishes.contact)


def _root(path: Path) -> Element:
    root = read_elements(path)
    if path.suffix != ".xacro" and not any(child.tag.startswith("xacro:") for child in root.children):
        return root
    if importlib.util.find_spec("xacro") is None:
        raise ModelError(f"{path}: macros need the xacro package: pip install xacro.")
    import xacro

    try:
        text = xacro.process_file(str(path)).toxml()
    except Exception as error:  # whatever the macros of the file go wrong with
        raise ModelError(f"{path}: its macros cannot be expanded: {error}") from error
    return read_elements(path, text)
