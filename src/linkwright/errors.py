"""One family of exceptions.

Every message has four parts where they apply: the component's path; what is wrong (expected and
got); the likely cause; what to do next.  `components` holds the offending objects (or their names).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class LinkwrightError(Exception):
    """Base of all errors that Linkwright raises; `components` are the objects or names it is about.

        try:
            lw.simulate(m, 10.0)
        except lw.LinkwrightError as error:
            error.show()
    """

    model: Any = None  # the model it is about, of which this file knows nothing
    state: Any = None  # where the computation stood, for the picture

    def __init__(self, message: str, *components: object) -> None:
        super().__init__(message)
        self.components = components

    def show(self, **options: Any) -> Any:
        """Print the message and show the mechanism where it failed: the components to blame in red, all else pale.

        A loop that does not close is drawn with its gap.  `options` are those of `m.show()`: browser, block, port.
        """
        from .view import show_error

        return show_error(self, **options)


class ModelError(LinkwrightError):
    """A component, parameter, connection or name is wrong, for example `joints.Revolute(n=[0, 0, 0])`."""


class UnknownNameError(ModelError, KeyError):
    """A name that is not there; the message suggests near ones."""

    def __str__(self) -> str:  # KeyError would print the repr
        return self.args[0]


class TopologyError(LinkwrightError):
    """The connected parts do not form a mechanism that can be computed, for example two Worlds joined by a joint."""


class InitialError(LinkwrightError):
    """Initial conditions contradict each other, for example `phi=1` on two joints that a gear connects."""


class AssemblyError(LinkwrightError):
    """A loop cannot be closed, for example because a link is too short; the message has the gap."""


class SingularError(LinkwrightError):
    """The equations have no unique solution at this position, for example at the dead point of a driven
    slider-crank."""


class SimulationError(LinkwrightError):
    """The simulation ended early: `error.time` is when, `error.result` holds the results up to there."""

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
