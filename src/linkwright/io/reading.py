"""One way into all formats: `lw.read(path)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import linkwright as lw

from ..errors import ModelError
from .markup import read_elements
from .mjcf import read_mjcf
from .osim import read_osim
from .sdf import read_sdf
from .touching import asked_contact
from .urdf import read_urdf
from .wishes import Wishes

#: root element → reader; what the suffix says is not asked, since .xml may be anything
READERS: dict[str, Callable[..., lw.Model]] = {"robot": read_urdf, "mujoco": read_mjcf, "OpenSimDocument": read_osim,
                                            "sdf": read_sdf}


def read(path: str | Path, *, strict: bool = False, floating: bool = False, stops: bool | lw.CompliantStop = True,
         friction: bool = True, hulls: bool = False, search: Sequence[str | Path] = (), contact: object = None,
         key: str | int | bool | None = None, ground: bool | float = False,
         srdf: str | Path | None = None) -> lw.Model:
    """The model of a file: URDF (.urdf, .xacro), MJCF (.xml, .mjcf), SDF (.sdf) or OpenSim (.osim).

        m = lw.read("robot.urdf")
        print(m.import_report)          # what was kept, approximated, ignored, with line numbers

    `strict` makes an error of everything that is not kept as the file says.  `floating` sets a robot free that a URDF
    file says no base of.  `stops=False` leaves out the limits of joints, `stops=lw.CompliantStop(c=…, d=…)` makes them
    elastic, which FMUs and pages can run; `friction=False` leaves out friction and damping.
    Shapes for collision become shapes of contact; meshes among them only with `hulls`, as their convex hulls.
    `search` are folders in which packages and meshes are looked for; files elsewhere are not opened.

        m = lw.read("scene.xml", contact="file")        # stands on its floor, at its first keyframe

    `contact="file"` lets shapes touch as the file means it (who meets whom, friction, margins), rigid and exact; a law
    of `linkwright.contact` takes the place of the file's friction.  Collision meshes are hulls then, and overlaps of
    the start are lifted out with a remark.  `key` is the keyframe that the model starts at, by name or number; without
    one the first, where there is contact or a loop; `key=False` starts as the file is drawn.  `ground=True` (or a
    height in m) adds a level plane.  `srdf` is a file that says which links of a URDF do not touch; one of its name
    beside it is found by itself.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; looked in {Path.cwd()}.")
    if path.suffix.lower() == ".mo":
        raise ModelError(f"{path}: Modelica files are written (lw.export), and not read yet.")
    kind = "robot" if path.suffix in (".urdf", ".xacro") else read_elements(path).tag
    if kind not in READERS:
        raise ModelError(f"{path}, line 1: <{kind}> is the root of no format known here ({', '.join(READERS)}).")
    soft = stops if isinstance(stops, lw.CompliantStop) else None
    wishes = Wishes(floating, soft is not None or bool(stops), friction, hulls, search, asked_contact(contact), key,
                    _height(ground), None if srdf is None else Path(srdf).expanduser())
    if wishes.srdf is not None and not wishes.srdf.is_file():
        raise ModelError(f"{srdf}: there is no such file; looked in {Path.cwd()}.")
    model = READERS[kind](path, wishes)
    for joint in model.leaves() if soft is not None else ():
        if isinstance(joint, (lw.joints.Revolute, lw.joints.Prismatic)) \
                and any(getattr(joint, end) is not None for end in joint.limits):
            joint.stop = soft
    if strict:
        model.import_report.refuse_losses()
    return model


def _height(ground: object) -> float | None:
    """How high the ground lies that was asked for; None for none."""
    if ground is False or ground is None:
        return None
    try:
        height = 0.0 if ground is True else float(ground)
    except (TypeError, ValueError):
        height = math.nan
    if not math.isfinite(height):
        raise ModelError(f"lw.read(ground={ground!r}): give True for a level plane at z = 0, or its height in m.")
    return height
