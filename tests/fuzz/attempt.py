"""One random model looked at, within a limit of time."""

from __future__ import annotations

import signal
import time

from laws import check
from malformed import judge


class TooLong(Exception):
    """A model that takes more time than any of its size should."""


def too_long(*_given) -> None:
    raise TooLong


def attempt(task: tuple[str, int, float]) -> tuple[str, int, str, float]:
    """(kind, seed, a word or what is wrong, seconds)."""
    kind, seed, limit = task
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, limit)  # of this process's own time, so that a busy machine changes nothing
    began = time.process_time()
    try:
        said = (check if kind == "machine" else judge)(seed)
    except Exception as error:  # whatever it is, it is a finding
        said = f"BROKEN {type(error).__name__}: {error}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    return kind, seed, said, time.process_time() - began
