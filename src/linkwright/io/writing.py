"""One way out into all formats: `lw.export(model, path)`, by the suffix."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import linkwright as lw

from ..aliases import shown
from ..errors import ModelError
from .fmu import write_fmu
from .write_c import write_c
from .write_mjcf import write_mjcf
from .write_modelica import write_modelica
from .write_page import write_page
from .write_urdf import write_urdf

#: suffix → writer(model, path, **options), which gives the names of what the file does not hold
WRITERS: dict[str, Callable[..., list[str]]] = {
    ".urdf": write_urdf, ".xml": write_mjcf, ".mjcf": write_mjcf, ".c": write_c, ".mo": write_modelica,
    ".html": write_page,
    ".fmu": write_fmu,
}


@shown
def export(model: lw.Model, path: str | Path, *, strict: bool = False, **options: Any) -> list[str]:
    """Write a model for another program: an FMU (.fmu), URDF (.urdf), MJCF (.xml, .mjcf), C (.c, with its header),
    Modelica (.mo), or a page that runs it (.html).

        lw.export(m, "arm.urdf")
        lw.export(m, "arm.fmu", outputs=["body.r_0"])

    Returns the names of the components that the format cannot represent (forces, drives, signals) and warns about them;
    `strict=True` makes them an error.  Joints and constraints that a format lacks are refused with an error that names
    them.
    """
    path = Path(path).expanduser()
    if not isinstance(model, lw.Model):
        raise ModelError(f"export takes a Model, got {type(model).__name__}.")
    if path.suffix.lower() not in WRITERS:
        raise ModelError(f"{path}: no format ends on {path.suffix!r}; known are {', '.join(WRITERS)}.")
    if not path.parent.is_dir():
        raise ModelError(f"{path}: there is no folder {path.parent}.")
    writer = WRITERS[path.suffix.lower()]
    taken = list(inspect.signature(writer).parameters)[2:]
    for option in options:
        if option not in taken:
            raise ModelError(f"{path.suffix} files take no {option}=; they take {', '.join(taken) or 'no options'}.")
    lost = writer(model, path, **options) or []
    if lost:
        shown = ", ".join(lost[:8]) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
        said = f"{path.name} does not hold {shown}: the format has no words for them."
        if strict:
            path.unlink(missing_ok=True)
            raise ModelError(said)
        warnings.warn(said, stacklevel=2)
    return lost
