"""One family of exceptions.

Every message has four parts where they apply: the component's path; what is wrong (expected and
got); the likely cause; what to do next.  `components` holds the offending objects (or their names).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class LinkwrightError(Exception):
    """Base of all errors raised on purpose; `components` are the objects it is about."""

    def __init__(self, message: str, *components: object) -> None:
        super().__init__(message)
        self.components = components


class ModelError(LinkwrightError):
    """A component, parameter, connection or name is wrong."""


class UnknownNameError(ModelError, KeyError):
    """A name that is not there; the message suggests near ones."""

    def __str__(self) -> str:  # KeyError would print the repr
        return self.args[0]


class TopologyError(LinkwrightError):
    """The parts do not form a mechanism that can be computed."""


class InitialError(LinkwrightError):
    """Initial conditions contradict each other or leave something open."""


class AssemblyError(LinkwrightError):
    """A loop cannot be closed."""


class SingularError(LinkwrightError):
    """The equations have no unique solution at this configuration."""


class SimulationError(LinkwrightError):
    """A run stopped early; `time` says when and `result` keeps what was computed."""

    def __init__(self, message: str, *components: object, time: float | None = None, result: Any = None) -> None:
        super().__init__(message, *components)
        self.time = time
        self.result = result  # a Result, of which this file knows nothing


def brief(value: object) -> str:
    """What was given, as it is shown in a message: the beginning where it is long."""
    try:
        text = repr(value)
    except Exception:  # an integer of many thousand digits, an object that cannot be shown
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]} …"


def unknown_name(name: str, known: Iterable[str], what: str, listed: Iterable[str] = ()) -> UnknownNameError:
    """An `UnknownNameError` for `name` that suggests the nearest of `known`, or else says which are `listed`."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    hint = f" Did you mean {', '.join(repr(n) for n in near)}?" if near else ""
    if not near and listed:
        hint = f" It takes {', '.join(listed)}."
    return UnknownNameError(f"{what} has no {name!r}.{hint}", name)
