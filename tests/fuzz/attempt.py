"""One random model looked at, within a limit of time."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from laws import check
from malformed import judge


class TooLong(Exception):
    """A model that takes more time than any of its size should."""


def too_long(*_given) -> None:
    raise TooLong


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """`TooLong` after so many seconds of this process's own time, so that a busy machine changes nothing."""
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def attempt(task: tuple[str, int, float]) -> tuple[str, int, str, float]:
    """(kind, seed, a word or what is wrong, seconds)."""
    kind, seed, limit = task
    began = time.process_time()
    try:
        with limited(limit):
            said = (check if kind == "machine" else judge)(seed)
    except Exception as error:  # whatever it is, it is a finding
        said = f"BROKEN {type(error).__name__}: {error}"
    return kind, seed, said, time.process_time() - began
