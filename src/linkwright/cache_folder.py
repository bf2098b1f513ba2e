"""Where compiled code is kept between runs, and whether what lies there may be run.

The folder is the environment variable LINKWRIGHT_CACHE, or the user's cache folder; "off" does without.  What is loaded
from it runs with the rights of whoever loads it.  So the folder is made for its owner alone, and neither a folder nor a
file that belongs to somebody else, or that others may write to, is ever read: compiled again is better than foreign.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import warnings
from pathlib import Path

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
