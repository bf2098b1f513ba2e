"""Compiling before it is needed: once per installation, or before something is timed."""

from __future__ import annotations

from collections.abc import Iterable

from .methods import METHODS


def prepare(methods: Iterable[str] = METHODS) -> None:
    """Compile, or load from Numba's cache, all pieces that runs with these methods, and their adjoints, may need."""
    from . import backward, jit, loop, manifold, repeat, root_finding, short_features

    for build in (manifold.build, loop.build, root_finding.build, short_features.build, repeat.build, backward.build):
        jit.load(build)
    for name in methods:
        jit.load(METHODS[name].load()[0])
