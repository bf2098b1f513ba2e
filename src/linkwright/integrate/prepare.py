"""Compiling before it is needed: once per installation, or before something is timed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from .methods import METHODS

#: the modules that build a piece that every run, or a run with events, may need
COMMON = ("manifold", "loop", "root_finding", "short_features", "repeat", "backward")


def pieces() -> tuple[str, ...]:
    """All modules that build a piece: the common ones, then those of the methods."""
    builds = [method.load()[0] for method in METHODS.values()]
    return *COMMON, *dict.fromkeys(build.__module__.rpartition(".")[2] for build in builds)


def prepare(methods: Iterable[str] = METHODS) -> None:
    """Compile, or load from the cache, all pieces that runs with these methods, and their adjoints, may need."""
    from . import jit

    for name in COMMON:
        jit.load(import_module(f".{name}", __package__).build)
    for name in methods:
        jit.load(METHODS[name].load()[0])
