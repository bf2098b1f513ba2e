"""The ranges of an actuator's inputs, states and force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup import Element

if TYPE_CHECKING:
    from .actuators import Target
    from .bodies import Tree


def range_of(element: Element, what: str, tree: Tree) -> tuple[float, float] | None:
    """ctrlrange, actrange or forcerange, where it is in force."""
    bounds = element.numbers(f"{what}range", 2)
    limited = element.choice(f"{what}limited", ("true", "false", "auto"), "auto")
    if bounds is None or limited == "false" or limited == "auto" and not tree.settings.autolimits:
        return None
    if not bounds[0] < bounds[1]:
        raise element.error(f"{what}range: {bounds[0]:g} must lie below {bounds[1]:g}.")
    return float(bounds[0]), float(bounds[1])


def inherited_range(element: Element, what: str, target: Target) -> tuple[float, float] | None:
    """inheritrange: the range of a servo is that of its joint, this share of it about the middle."""
    share = element.number("inheritrange", 0.0)
    if share <= 0 or what != ("act" if element.tag == "intvelocity" else "ctrl") or element.get(f"{what}range"):
        return None
    bounds = target.moments[0][0].bounds if len(target.moments) == 1 else None
    if bounds is None:
        raise element.error("inheritrange needs a joint with a range.")
    middle, half = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
    return middle - share * half, middle + share * half
