"""One way into all formats: `lw.read(path)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import linkwright as lw

from ..errors import ModelError
from .markup import read_elements
from .mjcf import read_mjcf
from .osim import read_osim
from .urdf import read_urdf

#: root element → reader; what the suffix says is not asked, since .xml may be anything
READERS: dict[str, Callable[..., lw.Model]] = {"robot": read_urdf, "mujoco": read_mjcf, "OpenSimDocument": read_osim}


def read(path: str | Path, *, strict: bool = False, floating: bool = False, stops: bool | lw.CompliantStop = True,
         friction: bool = True, hulls: bool = False, search: Sequence[str | Path] = ()) -> lw.Model:
    """The model of a file: URDF (.urdf, .xacro), MJCF (.xml, .mjcf) or OpenSim (.osim).

        m = lw.read("robot.urdf")
        print(m.import_report)          # what was kept, approximated, ignored, with line numbers

    `strict` makes an error of everything that is not kept as the file says.  `floating` sets a robot free that a URDF
    file says no base of.  `stops=False` leaves out the limits of joints, `stops=lw.CompliantStop(c=…, d=…)` makes them
    elastic, which FMUs and pages can run; `friction=False` leaves out friction and damping.
    Shapes for collision become shapes of contact; meshes among them only with `hulls`, as their convex hulls.
    `search` are folders in which packages and meshes are looked for; files elsewhere are not opened.
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
    model = READERS[kind](path, floating=floating, stops=soft is not None or bool(stops), friction=friction,
                          hulls=hulls, search=search)
    for joint in model.leaves() if soft is not None else ():
        if isinstance(joint, (lw.joints.Revolute, lw.joints.Prismatic)) \
                and any(getattr(joint, end) is not None for end in joint.limits):
            joint.stop = soft
    if strict:
        model.import_report.refuse_losses()
    return model
