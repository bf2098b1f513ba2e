"""Systems are built one thread at a time, and then asked by as many as like.

Equations, names and programs are written out when they are first needed, and all systems of one structure share them.
Two threads that ask for the same at once would find it half written.  So whoever writes holds `building`; a single lock
for all of it, since what is written depends on other things that are.  Whoever gives a model other numbers for a while
holds it too: a system that another thread builds meanwhile would have some of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

building = RLock()


def one_at_a_time(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """A function that writes what systems share."""
    @functools.wraps(function)
    def called(*args: Given.args, **named: Given.kwargs) -> Made:
        with building:
            return function(*args, **named)

    return called


if TYPE_CHECKING:
    from functools import cached_property
else:
    class cached_property(functools.cached_property):
        """A property that is computed once, by one thread, and kept."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            kept, name = instance.__dict__, self.attrname
            if name not in kept:
                with building:
                    if name not in kept:
                        kept[name] = self.func(instance)
            return kept[name]

__all__ = ["building", "cached_property", "one_at_a_time"]
