"""Where compiled code is kept between runs, and whether what lies there may be run.

The folder is the environment variable LINKWRIGHT_CACHE, or the user's cache folder; "off" does without.  What is loaded
from it runs with the rights of whoever loads it.  So the folder is made for its owner alone, and neither a folder nor a
file that belongs to somebody else, or that others may write to, is ever read: compiled again is better than foreign.

Loops of Numba lie in a folder for each state of the sources of their room, because Numba itself looks at the file of a
loop alone: constants and functions of its neighbours are part of its code too.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: the folder in it for the compiled loops of Numba
LOOPS = "numba"
#: states of a room's sources whose loops are kept, the last used: some branches and releases side by side.  Fewer, and
#: who works on two branches waits for the compiler at each turn; each takes 10 to 20 MB.
STATES = 8
#: s: what else lies beside them is left there for so long after it was written, in case somebody still uses it
STRAY = 86_400.0
_told: set[Path] = set()  # folders that were complained of


def cache_folder() -> Path | None:
    """Where compiled code is kept; None when the cache is off, or where there is no home."""
    setting = os.environ.get("LINKWRIGHT_CACHE", "")
    if setting.lower() == "off":
        return None
    with contextlib.suppress(RuntimeError):  # no home folder
        if setting:
            return Path(setting).expanduser()
        if os.name == "nt":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "linkwright" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "linkwright"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linkwright"
    return None


def is_trusted(path: Path) -> bool:
    """Whether a file or folder is ours, no link, and nobody else may write to it."""
    try:
        found = path.lstat()
    except OSError:
        return False
    if os.name == "nt":
        return True  # rights are those of the account's own folder
    ours = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return ours and not stat.S_ISLNK(found.st_mode)


def usable_folder() -> Path | None:
    """The cache folder, made for us alone if need be; None, with a warning once, where it is not to be trusted."""
    folder = cache_folder()
    if folder is None:
        return None
    folder = folder.resolve() if folder.is_symlink() else folder
    try:
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.chmod(0o700)  # whatever the umask
    except OSError:
        return None
    if is_trusted(folder):
        return folder
    if folder not in _told:
        _told.add(folder)
        warnings.warn(f"the cache folder {folder} belongs to somebody else, or others may write to it, so that it is "
                      f"not used. Make it yours alone (chmod 700 {folder}), or let LINKWRIGHT_CACHE name another.",
                      stacklevel=2)
    return None


def kept_loop(*signature: object, compiler: Callable | None = None, **settings: object) -> Callable[[Callable], Any]:
    """Decorator: a loop that Numba compiles (`numba.njit`, or another compiler), kept in the cache folder if any.

    A broken file there makes a fresh start: the folder of loops is emptied, and what was asked for compiled again.
    """
    def compiled(function: Callable) -> Callable:
        from numba import njit

        compile_loop = compiler or njit
        with _loops_in(loops_folder(function.__module__)) as folder, _uncollected():
            if folder is not None:
                try:
                    return compile_loop(*signature, cache=True, **settings)(function)
                except Exception:  # unreadable pickles and object code come as errors of any kind
                    shutil.rmtree(folder, ignore_errors=True)
            return compile_loop(*signature, **settings)(function)

    return compiled


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """While something is compiled: nothing of what the compiler makes is garbage yet, and looking takes a tenth of the
    time."""
    looking = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looking:
            gc.enable()


@contextlib.contextmanager
def _loops_in(folder: Path | None) -> Iterator[Path | None]:
    """While loops are declared: Numba keeps them in `folder`, if any."""
    if folder is None:
        yield None
        return
    from numba import config

    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield folder
    finally:
        config.CACHE_DIR = before


def loops_folder(module: str) -> Path | None:
    """Where the loops of a module are kept: a folder for its room and the state of its sources; None where it cannot.

    Made if need be; those of states that were not in use for longest are removed then.
    """
    parent = usable_folder()
    if parent is None:
        return None
    package, _, rest = module.partition(".")
    room = rest.partition(".")[0] if package == __package__ else ""
    folder = parent / LOOPS / (f"{room}-{state_of_sources(room)}" if room else "others")
    try:
        _make_private(folder.parent)
        new = _make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)  # in use
    except OSError:
        return None
    if not is_trusted(folder.parent) or not is_trusted(folder):
        return None
    if new:
        _remove_old(folder.parent, room)
    return folder


@functools.cache
def state_of_sources(room: str) -> str:
    """A digest of the sources of one of our rooms."""
    digest, home = hashlib.sha256(), Path(__file__).parent / room
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _make_private(folder: Path) -> bool:
    """Make a folder for us alone; whether it was not there yet."""
    if folder.exists():
        return False
    folder.mkdir(mode=0o700, exist_ok=True)  # another process may have been first
    folder.chmod(0o700)
    return True


def _remove_old(parent: Path, room: str) -> None:
    """Leave the last states of a room, and of what does not belong to a room at all what is young."""
    states, now = [], time.time()
    for path in parent.iterdir():
        with contextlib.suppress(OSError):  # another process removes it
            used = path.stat().st_mtime
            if path.name.startswith(f"{room}-"):
                states.append((used, path))
            elif not re.fullmatch("others|[a-z_]+-[0-9a-f]{16}", path.name) and now - used > STRAY:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    for _, path in sorted(states, reverse=True)[STATES:]:
        shutil.rmtree(path, ignore_errors=True)


def clear_loops() -> None:
    """Remove the compiled loops from the cache folder."""
    folder = cache_folder()
    if folder is not None:
        shutil.rmtree(folder / LOOPS, ignore_errors=True)
