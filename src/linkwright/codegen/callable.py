"""Single elementary functions as machine code, for those who are compiled by others and want our bits."""

from __future__ import annotations

import functools

from linkwright.codegen import elementary
from linkwright.codegen.machine import Loaded, function_attributes, support_code


@functools.cache
def _loaded(name: str) -> Loaded:
    ending = f"attributes #0 = {{ nounwind {function_attributes(1)} }}\n"
    return Loaded(support_code("\n".join([*sorted(elementary.function(name, 1)), ending])))


def function_address(name: str) -> int:
    """The address of `double f(double)` or `double f(double, double)`, e.g. of "pow"; valid for good."""
    return _loaded(name).address(f"lw_{name}_1")
