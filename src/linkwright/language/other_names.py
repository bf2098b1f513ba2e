"""Names that people bring along from other programs, and what they are called here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..errors import ModelError

if TYPE_CHECKING:
    from .component import Component

#: keywords of components: theirs → ours, where the component has it
KEYWORDS: dict[str, tuple[str, ...]] = {
    "axis": ("n", "n_a", "r"), "direction": ("n", "r"), "mass": ("m",), "com": ("r_cm",), "center_of_mass": ("r_cm",),
    "moment_of_inertia": ("inertia", "I", "J"), "I": ("inertia",), "angle": ("phi", "angle"),
    "angular_velocity": ("w",), "omega": ("w",), "position": ("r_0", "s", "r"), "pos": ("r_0", "r"),
    "velocity": ("v_0", "v", "w"), "stiffness": ("c", "k"), "k": ("c",), "damping": ("d",), "c": ("d",),
    "length": ("r", "s_unstretched"), "rest_length": ("s_unstretched",), "radius": ("diameter", "radius"),
    "gravity": ("g",), "torque": ("tau",), "force": ("f",), "q": ("phi", "s"), "qd": ("w", "v"), "offset": ("r",),
    "size": ("width",),
}


#: what models do elsewhere, and how it is written here
DONE_ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("add", "append", "add_body", "add_joint", "add_component", "addBody", "addJoint"),
                    "Parts are assigned: m.hinge = joints.Revolute(…)."),
    **dict.fromkeys(("simulate", "run", "step"), "Write lw.simulate(m, 10.0)."),
    **dict.fromkeys(("compile", "build", "finalize", "Finalize", "translate"), "Write lw.compile(m)."),
    **dict.fromkeys(("animate", "plot", "save"), "A result does: lw.simulate(m, 10.0); m.show() shows the model."),
    "linearize": "Write lw.linearize(m).", "export": 'Write lw.export(m, "arm.fmu").',
}


def ours(name: str, known: Mapping[str, object]) -> str | None:
    """What a keyword from elsewhere is called here, among the names that are known."""
    return next((own for own in KEYWORDS.get(name, ()) if own in known), None)


def renamed(component: Component, name: str) -> str:
    """What a name that a component knew before is now, with a word on it."""
    now = component.formerly[name]
    said = f"{type(component).__name__}.{name} is called {now} now, as in Modelica."
    warnings.warn(said, FutureWarning, stacklevel=4)
    return now


class UnknownMember(ModelError, AttributeError):
    """A name that a package of the library does not have."""


def members(package: str, theirs: Mapping[str, str], known: list[str]) -> Callable[[str], object]:
    """A module's `__getattr__` that tells what a class of another program is called here."""

    def missing(name: str) -> object:
        import difflib

        if name.startswith("__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        near = [theirs[name]] if name in theirs else difflib.get_close_matches(name, known, n=3, cutoff=0.6)
        hint = f" Did you mean {', '.join(f'{package}.{n}' if '.' not in n else n for n in near)}?" if near else ""
        raise UnknownMember(f"{package} has no {name!r}.{hint}")

    return missing
