"""Numbers and signals given to blocks, refused by the block's name where they make no sense."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar
from ...errors import ModelError
from ...language import numbers
from ...language.given_values import as_expression
from ...language.ranges import Range


def ask(block: str, only: Range | None = None, **values: Scalar | None) -> None:
    """Every value is a finite number or a signal; numbers lie in the range."""
    for key, value in values.items():
        as_expression(value, (), f"{block}.{key}")
        if only is not None and not isinstance(value, ca.SX) and not only.holds(numbers(value)):
            raise ModelError(f"{block}: {key} = {value}{only.said}.", block)
