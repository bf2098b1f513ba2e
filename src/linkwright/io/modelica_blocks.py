"""Blocks with states as those of Modelica.Blocks.Continuous: declarations, equations, and names of their states."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import Scalar
from ..errors import ModelError
from ..language import Block, numbers

CONTINUOUS = "Modelica.Blocks.Continuous"
#: our block → class, names of its states there, and of their start values
CLASSES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "integrator": ("Integrator", ("y",), ("y_start",)), "first_order": ("FirstOrder", ("y",), ("y_start",)),
    "second_order": ("SecondOrder", ("y", "yd"), ("y_start", "yd_start")),
    "derivative": ("Derivative", ("x",), ("x_start",)), "pi": ("PI", ("x",), ("x_start",)),
    "critical_damping": ("CriticalDamping", ("x",), ("x_start",))}


def block_class(block: Block) -> str:
    """Modelica's class of a block; one that is not there is refused by name."""
    if block.kind not in CLASSES or block.input is None:
        raise ModelError(f"{block.path}: a block {block.kind} of this form is not written as Modelica; known are "
                         f"{', '.join(CLASSES)}.", block.path)
    limited = "y_max" in block.numbers
    return f"{CONTINUOUS}.{'LimIntegrator' if limited else CLASSES[block.kind][0]}"


def block_declaration(block: Block, name: str) -> str:
    """A block with its numbers and start values."""
    kind, given = block_class(block), []
    spelled = {"y_max": "outMax", "y_min": "outMin"}
    for key, value in block.numbers.items():
        given.append(f"{spelled.get(key, key)}={_number(value)}")
    starts = CLASSES[block.kind][2]
    values = [float(value) for value in block.start]
    shown = [_number(value) for value in values]
    how = "SteadyState" if block.steady else "NoInit" if block.loose else "InitialState"
    initial = f"initType=Modelica.Blocks.Types.Init.{how}"
    given += [initial, *(f"{key}={value}" for key, value in zip(starts, shown, strict=True))] \
        if len(starts) == len(shown) else [initial, f"{starts[0]}={{{', '.join(shown)}}}"]
    return f"{kind} {name}({', '.join(given)});"


def state_name(block: Block, symbol: ca.SX) -> str | None:
    """The name of a state of a block, counted as Modelica counts."""
    for k in range(block.symbol.numel()):
        if block.symbol[k].element_hash() == symbol.element_hash():
            states = CLASSES[block.kind][1]
            return states[k] if len(states) == block.symbol.numel() else f"{states[0]}[{k + 1}]"
    return None


def _number(value: Scalar) -> str:
    number = float(np.asarray(numbers(value)))
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)
