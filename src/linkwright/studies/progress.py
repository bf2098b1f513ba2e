"""The bar that shows how far a run has come."""

from __future__ import annotations

import sys
import time

from ..integrate import Stepper
from ..waiting import BAR_AFTER


class Progress:
    """A bar over time (tqdm), shown when asked for, or in a terminal once the run takes long."""

    def __init__(self, wanted: bool | None, start: float, stop: float) -> None:
        self.wanted, self.start, self.stop = wanted, start, stop
        self.began = time.perf_counter()
        self.bar = None

    def __enter__(self) -> Progress:
        if self.wanted:
            self._open()
        return self

    def show(self, stepper: Stepper) -> None:
        """Called between chunks of steps."""
        if self.bar is None and self.wanted is None and time.perf_counter() - self.began > BAR_AFTER:
            self.wanted = sys.stderr.isatty()
            if self.wanted:
                self._open()
        self.move(stepper.t)

    def move(self, t: float) -> None:
        """Put the bar where the run has come, which may be short of its end."""
        if self.bar is not None:
            self.bar.update(min(t, self.stop) - self.start - self.bar.n)

    def _open(self) -> None:
        from tqdm import tqdm

        self.bar = tqdm(total=self.stop - self.start, unit="s", bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s")

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()
