"""The first compilation of an installation is shared by two processes: no piece twice, none forgotten."""

import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from linkwright.integrate import parallel_compilation


def build_of(piece):
    return SimpleNamespace(__module__=f"linkwright.integrate.{piece}")


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """Two processes at work, of which the other never ends by itself."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    both = object.__new__(parallel_compilation._Shared)
    both.folder, both.process = tmp_path, SimpleNamespace(poll=lambda: None)
    monkeypatch.setattr(parallel_compilation, "_shared", both)
    return both


def test_a_piece_is_claimed_once(tmp_path):
    won = []
    threads = [threading.Thread(target=lambda: won.append(parallel_compilation._claim(tmp_path, "loop")))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]


def test_what_nobody_has_begun_is_compiled_at_once(shared):
    with parallel_compilation.turn(build_of("loop")):
        assert not parallel_compilation._claim(shared.folder, "loop")  # so the other process passes it by


def test_what_the_other_has_begun_is_waited_for(shared):
    assert parallel_compilation._claim(shared.folder, "loop")
    threading.Timer(0.2, (shared.folder / "loop.done").touch).start()
    with parallel_compilation.turn(build_of("loop")):
        assert (shared.folder / "loop.done").exists()


def test_a_process_that_died_keeps_nobody_waiting(shared):
    assert parallel_compilation._claim(shared.folder, "loop")
    shared.process = SimpleNamespace(poll=lambda: 1)
    began = time.monotonic()
    with parallel_compilation.turn(build_of("loop")):
        assert time.monotonic() - began < parallel_compilation.PATIENCE / 2


def test_no_second_process_without_a_cache(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(parallel_compilation, "_shared", None)
    parallel_compilation.begin()
    assert parallel_compilation._shared is None


RUN = """
import linkwright as lw
from linkwright import joints, parts
from linkwright.integrate import parallel_compilation
m = lw.Model("pendulum")
m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
m.chain(m.world, m.rev, m.body)
r = lw.simulate(m, 1.0)
done = parallel_compilation._shared and {path.stem for path in parallel_compilation._shared.folder.glob("*.done")}
print(float(r["rev.phi"][-1]).hex(), sorted(done) if done is not None else "alone")
"""


@pytest.mark.slow
def test_an_empty_cache_is_filled_by_two(tmp_path):
    """The loop comes from the other process, and with the same bits as from a cache that is full."""
    said = [subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True,
                           env=os.environ | {"LINKWRIGHT_CACHE": str(tmp_path / "cache")}).stdout.split(maxsplit=1)
            for _ in range(2)]
    assert said[0][0] == said[1][0]
    assert "loop" in said[0][1]
    assert said[1][1].strip() == "alone"
