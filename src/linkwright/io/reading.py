"""One way into all formats: `lw.read(path)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import linkwright as lw

from ..errors import ModelError
from .markup import read_elements
from .mjcf import read_mjcf
from .modelica import read_modelica
from .modelica.reader import CLASS_NAME
from .osim import read_osim
from .sdf import read_sdf
from .touching import asked_contact
from .urdf import read_urdf
from .usd import read_usd
from .wishes import Wishes

#: root element → reader; what the suffix says is not asked, since .xml may be anything
READERS: dict[str, Callable[..., lw.Model]] = {"robot": read_urdf, "mujoco": read_mjcf, "OpenSimDocument": read_osim,
                                            "sdf": read_sdf, "usd": read_usd}
#: what is known by its suffix alone
BY_SUFFIX = {".urdf": "robot", ".xacro": "robot", ".usd": "usd", ".usda": "usd", ".usdc": "usd", ".usdz": "usd"}

#: what ends a file's name, so that no class of Modelica is looked for
SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".osim", ".mo", ".world", ".usd", ".usda", ".usdc", ".usdz")


def read(path: str | Path, *, strict: bool = False, floating: bool = False, stops: bool | lw.CompliantStop = True,
         friction: bool = True, hulls: bool = False, search: Sequence[str | Path] = (), contact: object = None,
         key: str | int | bool | None = None, ground: bool | float = False,
         srdf: str | Path | None = None, args: Mapping[str, object] | None = None) -> lw.Model:
    """Read a model from a file: URDF (also .xacro), MJCF (.xml), SDF, USD Physics (.usd), OpenSim (.osim) or
    Modelica (.mo).

        m = lw.read("robot.urdf")
        print(m.import_report)          # what was kept, approximated, ignored, with line numbers

    `strict=True` raises an error for everything that would be approximated or ignored.  `floating=True` lets the
    root link of a URDF file move freely.  `stops=False` ignores joint limits, `stops=lw.CompliantStop(c=…, d=…)`
    makes them elastic; `friction=False` ignores friction and damping.  Collision shapes become contact shapes;
    collision meshes only with `hulls=True`, as their convex hulls.  `search` lists folders with packages and meshes;
    files elsewhere are not opened.

        m = lw.read("scene.xml", contact="file")        # stands on its floor, at its first keyframe

    `contact="file"` creates the contact pairs of the file (pairs, friction, margins) with rigid contact; pass a law of
    `linkwright.contact` instead to use it for all pairs.  Collision meshes then become hulls, and initial overlaps are
    removed, with a remark.  `key` selects the initial keyframe by name or number; by default it is the first one if the
    model has contact or a loop, and `key=False` uses the pose drawn in the file.  `ground=True` (or a height in m)
    adds a level plane.  `srdf` is a file that lists links of a URDF that do not touch, and named poses (`key`); a
    file of the same name next to the URDF is found without it.  `args` are the arguments of a macro file:
    `lw.read("arm.urdf.xacro", args={"prefix": "left_"})`.

        m = lw.read("Fourbar1.mo")
        m = lw.read("MyLibrary.Arm", search=["~/modelica"])      # a class by its full name

    For Modelica, `search` lists folders with libraries, like the variable MODELICAPATH; `m.import_report.data`
    contains the stop time and tolerance of the annotation `experiment`.  The options for robots do not apply.
    """
    asked, path = str(path), Path(path).expanduser()
    if path.suffix.lower() == ".mo" and path.is_file() or not path.exists() and CLASS_NAME.fullmatch(asked) \
            and path.suffix.lower() not in SUFFIXES:
        model = read_modelica(path if path.is_file() else asked, search)
        if strict:
            model.import_report.refuse_losses()
        return model
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; looked in {Path.cwd()}.")
    kind = BY_SUFFIX.get(path.suffix.lower()) or read_elements(path).tag
    if kind not in READERS:
        raise ModelError(f"{path}, line 1: <{kind}> is the root of no format known here ({', '.join(READERS)}).")
    soft = stops if isinstance(stops, lw.CompliantStop) else None
    wishes = Wishes(floating, soft is not None or bool(stops), friction, hulls, search, asked_contact(contact), key,
                    _height(ground), None if srdf is None else Path(srdf).expanduser(), args)
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
