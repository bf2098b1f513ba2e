"""Object code kept on disk between runs.

Entries are written to a temporary name and renamed, so processes never see half of one; each carries a checksum of its
key and its content, and one that does not match, or that is not ours alone (see `cache_folder`), is ignored and
written again.  When all entries together exceed `CACHE_LIMIT` bytes, the ones unused
for longest are removed; looking takes a while where there are thousands, so one in `CACHE_LOOKED_AT` new entries does.
A folder that cannot be read or written only means that nothing is cached.

Entries travel, too: `recorded` collects those that are used meanwhile, and what is offered to another process
(`offer`) is found there before its folder is looked at.  The key names the processor, so that another kind of
processor finds nothing and compiles for itself.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from linkwright.cache_folder import cache_folder, is_trusted, usable_folder
from linkwright.codegen.program import Program, Solve, Straight

from .tolerances import CACHE_LIMIT, CACHE_LOOKED_AT

SUFFIX = ".lwo"
_MAGIC = b"linkwright object 2\n"

Entry = tuple[dict, list[bytes]]  # header, object code
_offered: dict[str, Entry] = {}  # what came with the work at hand
_recording: list[dict[str, Entry]] = []  # those who collect


def clear_cache() -> None:
    """Remove all compiled code from the cache folder."""
    folder = cache_folder()
    for path, _ in _entries(folder) if folder else []:
        with contextlib.suppress(OSError):
            path.unlink()


@functools.lru_cache(maxsize=1)
def _emitter_version() -> str:
    """A digest of this package's source: any change to the emitter makes old entries invisible."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def program_key(program: Program, *context: object) -> str:
    """Digest of everything the machine code depends on: the program, the emitter, and `context` (machine, options)."""
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        for part in parts:
            data = part.encode() if isinstance(part, str) else repr(part).encode()
            digest.update(b"%d:" % len(data))
            digest.update(data)

    add(_emitter_version(), context, program.name, list(program.inputs), list(program.outputs))
    for segment in program.segments:
        if isinstance(segment, Straight):
            add("straight", segment.function.serialize(), segment.reads, segment.writes)
        elif isinstance(segment, Solve):
            add("solve", segment.matrix, segment.rhs, segment.solution, segment.n)
        else:
            add("newton", segment.residual.serialize(), segment.jacobian.serialize(), segment.reads)
            add(segment.unknown, segment.guess, segment.status)
            add(float(segment.tolerance).hex(), segment.max_iterations, bool(segment.affine))
    return digest.hexdigest()


def text_key(*parts: object) -> str:
    """Digest of texts that machine code is made of."""
    digest = hashlib.sha256()
    for part in parts:
        data = repr(part).encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def in_use() -> bool:
    """Whether it is worth while to look for code."""
    return bool(_offered or _recording or cache_folder())


def offer(entries: Mapping[str, Entry]) -> None:
    """Code that came from elsewhere, by key; in the place of what was offered before."""
    if _offered.keys() != entries.keys():
        _offered.clear()
        _offered.update(entries)


@contextlib.contextmanager
def recorded() -> Iterator[dict[str, Entry]]:
    """The entries, by key, that are used or made meanwhile."""
    entries: dict[str, Entry] = {}
    _recording.append(entries)
    try:
        yield entries
    finally:
        _recording.remove(entries)


def load(key: str) -> Entry | None:
    """Header and object code kept under `key`, or None."""
    found = _offered.get(key) or _from_disk(key)
    if found is not None:
        _record(key, found)
    return found


def _record(key: str, entry: Entry) -> None:
    for entries in _recording:
        entries[key] = entry


def _from_disk(key: str) -> Entry | None:
    folder = usable_folder()
    if folder is None:
        return None
    path = folder / (key + SUFFIX)
    try:
        content = path.read_bytes() if is_trusted(path) else b""
    except OSError:
        return None
    start = len(_MAGIC)
    payload = content[start + 32 :]
    if content[:start] != _MAGIC or _checksum(key, payload) != content[start : start + 32]:
        return None
    size = int.from_bytes(payload[:4], "little")
    with contextlib.suppress(OSError):  # remember when it was last used
        os.utime(path)
    header = json.loads(payload[4 : 4 + size])
    objects, at = [], 4 + size
    for length in header.pop("lengths"):
        objects.append(payload[at : at + length])
        at += length
    return header, objects


def _checksum(key: str, payload: bytes) -> bytes:
    """Of what an entry holds and of what it is for, so that one under the name of another is noticed."""
    return hashlib.sha256(key.encode() + b"\n" + payload).digest()


def store(key: str, header: dict, objects: Iterable[bytes]) -> None:
    """Keep object code under `key`; silently does nothing where the folder cannot be written."""
    objects = list(objects)
    _record(key, (header, objects))
    folder = usable_folder()
    if folder is None:
        return
    text = json.dumps(header | {"lengths": [len(code) for code in objects]}).encode()
    payload = len(text).to_bytes(4, "little") + text + b"".join(objects)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _checksum(key, payload) + payload)
        os.replace(temporary, folder / (key + SUFFIX))
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return
    if int(key[:8], 16) % CACHE_LOOKED_AT == 0:
        _prune(folder)


def _entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Entries and abandoned temporary files; what another process removes meanwhile is left out."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((SUFFIX, ".tmp")):
                with contextlib.suppress(OSError):
                    found.append((Path(entry.path), entry.stat()))
    return found


def _prune(folder: Path) -> None:
    """Remove the entries unused for longest until nine tenths of `CACHE_LIMIT` are left."""
    entries = _entries(folder)
    total = sum(stat.st_size for _, stat in entries)
    if total <= CACHE_LIMIT:
        return
    for path, stat in sorted(entries, key=lambda entry: entry[1].st_mtime):
        if total <= 0.9 * CACHE_LIMIT:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            total -= stat.st_size
