"""Compiling before it is needed: once per installation, or before something is timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .methods import METHODS


def common() -> list[Callable[[int, int], int]]:
    """The pieces that every run, or a run with events, may need."""
    from . import backward, loop, manifold, repeat, root_finding, short_features

    return [manifold.manifold, loop.advance, root_finding.locate, short_features.features, repeat.repeat,
            backward.backward]


def pieces() -> list[Callable[[int, int], int]]:
    """All pieces: the common ones, then those of the methods."""
    return [*common(), *dict.fromkeys(method.load()[0] for method in METHODS.values())]


def prepare(methods: Iterable[str] = METHODS) -> None:
    """Compile, or load from the cache, all pieces that runs with these methods, and their adjoints, may need."""
    from . import jit

    for piece in (*common(), *(METHODS[name].load()[0] for name in methods)):
        jit.load(piece)
