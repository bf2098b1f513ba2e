"""Models that were read before, kept in the cache as long as none of the files they came from has changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import linkwright as lw

from ...cache_folder import is_trusted, usable_folder
from .finishing import Condition, Implicit


@cache
def _reader() -> str:
    """What the reader itself is: it reads the same text otherwise once it has changed."""
    folder = Path(__file__).parent
    texts = sorted([*folder.glob("*.py"), *folder.rglob("*.mo")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in texts) + lw.__version__.encode()).hexdigest()


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def place_of(source: str | Path, search: Sequence[str | Path]) -> Path | None:
    """The file of the cache that a model belongs into; None without a cache."""
    folder = usable_folder()
    if folder is None:
        return None
    asked = repr((str(Path(source).resolve() if Path(source).is_file() else source), list(map(str, search)),
                  os.environ.get("MODELICAPATH", ""), os.getcwd(), _reader()))
    return folder / f"modelica-{hashlib.sha256(asked.encode()).hexdigest()[:32]}.model"


def kept_model(place: Path | None) -> lw.Model | None:
    """The model that was read before, where every file is as it was."""
    if place is None or not is_trusted(place):
        return None
    with contextlib.suppress(Exception):  # whatever is wrong with it, it is read again
        files, packed = pickle.loads(place.read_bytes())
        if all(_state(path) == state for path, state in files.items()):
            return pickle.loads(packed)
    return None


def keep_model(place: Path | None, model: lw.Model, files: Sequence[str]) -> None:
    """Keep a model for the next time; one that holds functions or systems of equations is read anew each time."""
    if place is None or any(isinstance(part, (Implicit, Condition)) for part in model.leaves()):
        return
    with contextlib.suppress(Exception):  # what cannot be kept is read again
        data = pickle.dumps(({path: _state(path) for path in files}, pickle.dumps(model)))
        partial = place.with_suffix(f".{os.getpid()}")
        partial.touch(mode=0o600)
        partial.write_bytes(data)
        partial.replace(place)
