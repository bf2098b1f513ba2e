"""Compiled loops on disk: fresh whenever a source of their room has changed, compiled once otherwise, and few."""

import os
import shutil
import subprocess
import sys

import pytest

from linkwright import cache_folder

LOOP = """
from ..cache_folder import kept_loop
from .limits import LIMIT

@kept_loop("int64()")
def limit():
    return LIMIT
"""


@pytest.fixture
def package(tmp_path):
    """A package with our name and one room, whose loop takes a constant from its neighbour."""
    room = tmp_path / "src" / "linkwright" / "room"
    room.mkdir(parents=True)
    for folder in (room, room.parent):
        (folder / "__init__.py").touch()
    shutil.copy(cache_folder.__file__, room.parent)
    (room / "loop.py").write_text(LOOP)
    (room / "limits.py").write_text("LIMIT = 1\n")
    return room


def run(package):
    done = subprocess.run([sys.executable, "-c", "from linkwright.room.loop import limit; print(limit())"],
                          capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(package.parents[1]),
                                            "LINKWRIGHT_CACHE": str(package.parents[2] / "cache")})
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def kept(package):
    return {path: path.stat().st_mtime_ns for path in (package.parents[2] / "cache").rglob("*.nb?")}


def test_a_loop_follows_its_neighbours(package):
    """Numba alone would give the old constant, since the loop's own file is as it was."""
    assert run(package) == 1
    (package / "limits.py").write_text("LIMIT = 2\n")
    assert run(package) == 2


def test_sources_that_stay_are_compiled_once(package):
    run(package)
    before = kept(package)
    os.utime(package / "limits.py")  # as a checkout does
    run(package)
    assert len(before) == 2 and kept(package) == before


def test_old_states_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    loops = tmp_path / "cache" / cache_folder.LOOPS

    def use(state, room="integrate"):
        monkeypatch.setattr(cache_folder, "state_of_sources", lambda room: f"{state:016x}")
        folder = cache_folder.loops_folder(f"linkwright.{room}.loop")
        (folder / "code.nbi").touch()
        return folder

    other = use(0, "geometry")
    for name in ("integrate_of_old", "written_now"):
        (loops / name).mkdir()
    (loops / "stepper-of-old").touch()
    for name in ("integrate_of_old", "stepper-of-old"):
        os.utime(loops / name, (0, 0))
    last = cache_folder.STATES + 3
    folders = []
    for state in range(last):
        for age, folder in enumerate(reversed([folder for folder in folders if folder.exists()])):
            os.utime(folder, (1e9 - age, 1e9 - age))
        folders.append(use(state))
        use(0)  # one that stays in use
    assert [k for k in range(last) if folders[k].exists()] == [0, *range(last - cache_folder.STATES + 1, last)]
    assert other.exists() and (loops / "written_now").exists()
    assert not (loops / "integrate_of_old").exists() and not (loops / "stepper-of-old").exists()
