"""Saying what is waited for: to the log always, to a person who looks on once it takes longer than a second.

    with waiting("compiling the stepper (once per installation)"):
        …

`logging.getLogger("linkwright")` gets a line for each, DEBUG for short ones and INFO for those a person would notice;
in a terminal or a notebook a line on stderr appears when the second is over, completed by how long it took.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger("linkwright")
log.addHandler(logging.NullHandler())

#: Seconds: what is done sooner needs no word.  Less fills the terminal with lines about short waits; after more, a
#: person wonders whether anything happens.
PATIENCE = 1.0
#: Seconds after which a run or a sweep shows a bar of its progress in a terminal, unasked.  It comes after the lines of
#: what is compiled, so that a short run after a compilation has none.
BAR_AFTER = 2.0
_here = threading.local()  # what this thread waits for: only the outermost is shown


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """While it lasts, `what` is being done."""
    outermost = not getattr(_here, "busy", False)
    began, _here.busy = time.perf_counter(), True  # before the line counts its own second
    shown = _Line(what) if outermost and _somebody_looks_on() else None
    try:
        yield
    finally:
        seconds = time.perf_counter() - began
        if outermost:
            _here.busy = False
        if shown is not None:
            shown.end(seconds)
        log.log(logging.INFO if seconds > PATIENCE else logging.DEBUG, "%s: %.2f s", what, seconds)


def _somebody_looks_on() -> bool:
    """Whether stderr is a terminal, or the cell of a notebook."""
    return "ipykernel" in sys.modules or bool(sys.stderr) and sys.stderr.isatty()


class _Line:
    """One line on stderr, begun when patience is over."""

    def __init__(self, what: str):
        self.what, self.begun = what, False
        self.lock = threading.Lock()
        self.timer: threading.Timer | None = threading.Timer(PATIENCE, self.begin)
        self.timer.daemon = True
        self.timer.start()

    def begin(self) -> None:
        with self.lock:
            if self.timer is not None:
                self.begun = True
                print(f"linkwright: {self.what} …", end="", file=sys.stderr, flush=True)

    def end(self, seconds: float) -> None:
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            self.timer = None
        if self.begun:
            print(f" {seconds:.1f} s", file=sys.stderr, flush=True)
