"""The first compilation of an installation, shared by two processes: one piece of the stepper each at a time.

`begin` looks whether the pieces have been compiled before.  If not, a second process sets about them while this one
still works out the mechanism's equations.  Who starts on a piece claims it by a file that only one can make, in a
folder made for the two; who needs a piece that the other has claimed waits for it and loads it from the cache.
Should the second process fail, or should there be no second core or no cache, each piece is compiled where it is
needed, as ever.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from ..cache_folder import loops_folder
from .tolerances import COMPILED_ELSEWHERE

#: what the second process compiles, in this order; the first begins with the method, then events, so that both are done
#: at about the same time with what a first run needs
PIECES = ("loop", "manifold", "short_features", "root_finding", "repeat")


class _Shared:
    """The folder of claims, and the other process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="linkwright-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        paths = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import work; work({str(self.folder)!r})"],
            env={**os.environ, "PYTHONPATH": paths}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def wait_for(self, piece: str) -> None:
        """Until the other process has compiled a piece that it has claimed."""
        done, deadline = self.folder / f"{piece}.done", time.monotonic() + COMPILED_ELSEWHERE
        while not done.exists() and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)


_shared: _Shared | None = None


def begin() -> None:
    """Let a second process compile pieces, if none has been compiled yet and there is a core for it."""
    global _shared
    if _shared is not None or multiprocessing.parent_process() is not None or (os.cpu_count() or 1) < 2:
        return
    mark = _mark()
    if mark is None or mark.exists() or not Path(sys.executable or "").is_file():
        return
    try:
        _shared = _Shared()
    except OSError:  # no room, no more processes: then alone
        _shared = None


@contextmanager
def turn(build: Callable) -> Iterator[None]:
    """While a piece is compiled or loaded here; before that, the other process may have to finish it."""
    piece = build.__module__.rpartition(".")[2]
    if _shared is not None and not _claim(_shared.folder, piece):
        _shared.wait_for(piece)
    yield
    mark = _mark()
    if piece == "loop" and mark is not None:
        with suppress(OSError):  # a cache that cannot be written to keeps nothing
            mark.touch(mode=0o600)


def work(folder: str) -> None:
    """What the second process does."""
    from .jit import load

    for piece in PIECES:
        if _claim(Path(folder), piece):
            load(import_module(f".{piece}", __package__).build)
            (Path(folder) / f"{piece}.done").touch()


def _claim(folder: Path, piece: str) -> bool:
    """Whether nobody had claimed a piece."""
    try:
        (folder / piece).touch(exist_ok=False)
    except OSError:
        return False
    return True


def _mark() -> Path | None:
    """A file in the cache that tells that the stepper has been compiled from these sources; None without a cache."""
    folder = loops_folder(__name__)
    return None if folder is None else folder / f"stepper-{sys.implementation.cache_tag}"
