"""Units of variables, from what their components declare."""

from __future__ import annotations

from typing import Any

from ..system import split_entry

#: of the variables of connectors
CONNECTOR_UNITS = {"r_0": "m", "v_0": "m/s", "a_0": "m/s2", "R.T": "1", "R.w": "rad/s", "w": "rad/s", "z": "rad/s2",
                   "f": "N", "t": "N.m", "phi": "rad", "tau": "N.m", "s": "m", "x": "m", "y": "m", "vx": "m/s",
                   "vy": "m/s", "ax": "m/s2", "ay": "m/s2", "fx": "N", "fy": "N",
                   "T": "K", "Q_flow": "W"}
#: of quantities of the whole mechanism
WHOLE_UNITS = {"kinetic_energy": "J", "potential_energy": "J", "elastic_energy": "J", "fixman_energy": "J",
               "centre_of_mass": "m"}


def unit_of(result: Any, name: str) -> str:
    """The unit of a variable, or of an entry of one ("body.r_0[1]"); "" where nobody has said it."""
    unit = _unit_of(result, name)
    return unit or _unit_of(result, split_entry(name)[0])


def _unit_of(result: Any, name: str) -> str:
    if name in WHOLE_UNITS:
        return WHOLE_UNITS[name]
    stored = getattr(result, "units", None)
    if stored is not None:
        return stored.get(name, "")
    model = getattr(getattr(result, "system", None), "model", None)
    if model is None:
        return ""
    whose = {part.path_of(own): unit for part in model.models() for own, unit in part._output_units.items()}
    if name in whose:
        return whose[name]
    owners = [c for c in (*model.leaves(), *model.models()) if c is not model and name.startswith(f"{c.path}.")]
    owner = max(owners, key=lambda c: len(c.path), default=model)
    rest = name if owner is model else name[len(owner.path) + 1:]
    head, _, tail = rest.partition(".")
    if head in owner._connectors and tail:
        return CONNECTOR_UNITS.get(tail, "")
    field = type(owner).fields().get(rest)
    return "" if field is None else field.unit


def written(unit: str) -> str:
    """A unit as people write it: N.m → N·m, m/s2 → m/s²."""
    return unit.replace(".", "·").replace("2", "²").replace("3", "³")
