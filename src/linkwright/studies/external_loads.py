"""Measured forces on bodies over time, such as those of force plates under the feet: columns of a table, by name."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..result import TimeTable, as_table, read_table
from ..system import System
from .motions import frame_of

if TYPE_CHECKING:
    from .inverse import Along


@dataclass(frozen=True)
class ExternalForce:
    """A measured force on a body: columns of `table` that begin with these names and end in x, y, z.

    `force` acts at `point` (by default the origin of the body's frame_a), `torque` in addition; both are given in world
    axes unless `force_in` or `point_in` name a body.

    >>> plate = lw.ExternalForce("calcn_r", "grf.mot", force="ground_force_v", point="ground_force_p")
    >>> lw.inverse_dynamics(m, "walk.mot", external=[plate])
    """

    body: str
    table: object
    force: str | None = None
    point: str | None = None
    torque: str | None = None
    force_in: str | None = None
    point_in: str | None = None


def external_forces(given: object) -> list[ExternalForce]:
    """One force, several, or the path of a file of OpenSim's ExternalLoads (.xml)."""
    if given is None:
        return []
    if isinstance(given, ExternalForce):
        return [given]
    if isinstance(given, (str, Path)):
        return _read(Path(given))
    if isinstance(given, Sequence) and all(isinstance(item, ExternalForce) for item in given):
        return list(given)
    raise ModelError(f"external = {given!r}: give lw.ExternalForce(…), a list of them, or the path of an .xml of "
                     "ExternalLoads.")


def generalized(system: System, along: Along, forces: Sequence[ExternalForce], t: np.ndarray) -> np.ndarray:
    """Jᵀ f at every time: what measured forces do on the mobilities."""
    total = np.zeros((len(t), system.mechanism.nu))
    for k, force in enumerate(forces):
        table = as_table(force.table)
        frame = _frame(system, force.body, k)
        T, r_0, J = along.compute(f"{frame}.R.T", f"{frame}.r_0", f"jacobian({frame})")
        f = _turned(system, along, force.force_in, _over(table, force.force, t))
        torque = _turned(system, along, force.force_in, _over(table, force.torque, t))
        if force.force is None and force.torque is None:
            raise ModelError(f"external force on {force.body}: give force= or torque=, the beginning of its columns.")
        if force.point is not None:
            point = _over(table, force.point, t)
            if _own(force.point_in):
                base = _frame(system, force.point_in, k)
                T_p, origin = along.compute(f"{base}.R.T", f"{base}.r_0")
                point = origin + np.einsum("tji,tj->ti", T_p, point)
            torque = torque + np.cross(point - r_0, f)
        wrench = np.hstack([np.einsum("tij,tj->ti", T, torque), np.einsum("tij,tj->ti", T, f)])
        total += np.einsum("tij,ti->tj", J, wrench)
    return total


def _frame(system: System, body: str, k: int) -> str:
    name = frame_of(system, body)
    if name is None:
        raise ModelError(f"external force {k} acts on {body!r}, which is no body or frame of "
                         f"{system.mechanism.name!r}.", body)
    return name.removesuffix(".R.T")


def _own(name: str | None) -> bool:
    return name is not None and name.strip("/") not in ("ground", "world")


def _turned(system: System, along: Along, name: str | None, values: np.ndarray) -> np.ndarray:
    """Vectors in the axes of a body, or already of the world."""
    if not _own(name):
        return values
    return np.einsum("tji,tj->ti", along.compute(f"{_frame(system, name, 0)}.R.T"), values)


def _over(table: TimeTable, name: str | None, t: np.ndarray) -> np.ndarray:
    """Three columns at other times, by natural cubic splines."""
    if name is None:
        return np.zeros((len(t), 3))
    vector = table.vector(name)
    if vector is None:
        raise ModelError(f"{table.title}: there are no columns {name}x, {name}y, {name}z.", name)
    if len(table.t) < 3:
        return np.column_stack([np.interp(t, table.t, column) for column in vector.T])
    from scipy.interpolate import CubicSpline

    return CubicSpline(table.t, vector, bc_type="natural")(t)


def _read(path: Path) -> list[ExternalForce]:
    """OpenSim's ExternalLoads with the table that they name."""
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file.")
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ModelError(f"{path}: {error}.") from None
    loads = root if root.tag == "ExternalLoads" else root.find("ExternalLoads")
    if loads is None:
        raise ModelError(f"{path}: there is no <ExternalLoads>.")

    def word(element: ElementTree.Element, tag: str) -> str | None:
        child = element.find(tag)
        text = (child.text or "").strip() if child is not None else ""
        return None if text in ("", "Unassigned") else text

    file = word(loads, "datafile")
    if file is None:
        raise ModelError(f"{path}: <datafile> does not say where the measured numbers are.")
    table = read_table(path.parent / file)
    found = []
    for element in loads.iter("ExternalForce"):
        if (word(element, "isDisabled") or "false").lower() == "true" or (
                word(element, "appliesForce") or "true").lower() == "false":
            continue
        body = word(element, "applied_to_body")
        if body is None:
            raise ModelError(f"{path}: the force {element.get('name')!r} does not say on which body it acts.")
        found.append(ExternalForce(body, table, word(element, "force_identifier"), word(element, "point_identifier"),
                                   word(element, "torque_identifier"), word(element, "force_expressed_in_body"),
                                   word(element, "point_expressed_in_body")))
    return found
