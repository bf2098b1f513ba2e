"""Who calls whom in one run of a pendulum, from `connect` to a pixel: rooms call only rooms that they may import.

Three kinds of calls do not count.  A method that overrides one of a class that the caller may know (a component's
`describe`, called by the translation) goes through an interface.  A function made in a later room and handed over as a
value is its maker's own business.  And the conveniences of `test_imports` reach down the page on purpose.
"""

import sys
from collections import Counter
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Protocol

import numpy as np

import linkwright as lw
from linkwright import joints, parts
from test_imports import ALLOWED, CONVENIENCES, EVERYTHING, ROOT

OPEN = {"aliases", "errors", "cache_folder", "waiting"}
#: passes calls on, as functools does
PASSES_ON = "building.py"


def file_of(frame: FrameType | None) -> str | None:
    """The file of a frame below the package, None for others."""
    name = frame.f_code.co_filename if frame is not None else ""
    return Path(name).relative_to(ROOT).as_posix() if name.startswith(f"{ROOT}/") else None


def room_of(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def known_to(cls: type, allowed: set[str]) -> bool:
    """Whether a class comes from an allowed room, or from Python itself (a Mapping)."""
    module = cls.__module__.split(".")
    return module[0] != "linkwright" or module[1] in allowed


def through_an_interface(frame: FrameType, allowed: set[str]) -> bool:
    """Whether the function is a method that a base class known to the caller has as well, or a protocol of its room."""
    owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
    cls, name = owner if isinstance(owner, type) else type(owner), frame.f_code.co_name
    return any(name in vars(base) and known_to(base, allowed) for base in cls.__mro__ if base is not object) or any(
        name in vars(protocol) and known_to(protocol, allowed)
        and all(hasattr(cls, member) or member in vars(owner) for member in vars(protocol) if member[0] != "_")
        for protocol in Protocol.__subclasses__())


class Calls:
    """Calls from room to room while it is in force: how many, and which are outside of the table."""

    def __init__(self):
        self.counts, self.outside = Counter(), Counter()

    def __call__(self, frame: FrameType, event: str, _):
        code = frame.f_code
        if event != "call" or code.co_flags & CO_GENERATOR or code.co_name == "<module>":
            return
        callee = file_of(frame)
        if callee in (None, PASSES_ON):
            return
        caller = frame.f_back
        while caller is not None and file_of(caller) in (None, PASSES_ON):
            caller = caller.f_back
        if caller is None or caller.f_code.co_name == "<module>":
            return
        source = file_of(caller)
        one, two = room_of(source), room_of(callee)
        if one == two or {one, two} & (OPEN | EVERYTHING):
            return
        self.counts[one, two] += 1
        allowed = {one, *ALLOWED[one].split()}
        if two in allowed or (source, two) in CONVENIENCES or "<locals>" in code.co_qualname \
                or through_an_interface(frame, allowed):
            return
        self.outside[f"{source} {caller.f_code.co_name} → {callee} {code.co_qualname}"] += 1

    def __enter__(self):
        sys.setprofile(self)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)


def pendulum_to_pixel(path: Path) -> Calls:
    with Calls() as calls:
        # names of its own: of a model that another test has made, the translation is known
        m = lw.Model("from connect to a pixel")
        m.world = lw.World()
        m.followed = joints.Revolute(phi=1.0)
        m.bob = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        m.connect(m.world.frame_b, m.followed.frame_a)
        m.connect(m.followed.frame_b, m.bob.frame_a)
        r = lw.simulate(m, 0.1)
        assert np.isfinite(r["followed.phi"]).all()
        r.save(path)
    return calls


def test_rooms_call_only_rooms_they_may_import(tmp_path):
    calls = pendulum_to_pixel(tmp_path / "pendulum.png")
    assert (tmp_path / "pendulum.png").stat().st_size > 1000
    # the pipeline was followed: every room took part in its turn
    for step in (("compiler", "translate"), ("translate", "library"), ("library", "language"), ("system", "equations"),
                 ("studies", "run"), ("run", "integrate"), ("view", "result")):
        assert calls.counts[step], step
    assert not calls.outside
