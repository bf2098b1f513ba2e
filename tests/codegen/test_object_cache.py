"""The cache of object code: hits, damage, folders that cannot be used, many processes, bounded size."""

import os
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Straight, cache, clear_cache, compile_program


def program(factor=2.0):
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [factor * ca.sin(x)])
    return Program("cached", [("x", 2)], [("y", 2)], [Straight(f, ("x",), ("y",))])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "objects"))
    return tmp_path / "objects"


def test_second_compilation_comes_from_the_cache(folder):
    first, second = compile_program(program(), lanes=4), compile_program(program(), lanes=4)
    assert not first.from_cache and second.from_cache
    assert (second.n_work, second.instructions, second.tier) == (first.n_work, first.instructions, first.tier)
    np.testing.assert_array_equal(second.batch(np.ones((9, 2))), first.batch(np.ones((9, 2))))


def test_everything_that_matters_is_in_the_key(folder):
    compile_program(program())
    variants = [dict(tier="quick"), dict(lanes=2), dict(fast=True)]
    assert not any(compile_program(program(), **v).from_cache for v in variants)
    assert not compile_program(program(3.0)).from_cache
    assert len(list(folder.iterdir())) == 5


@pytest.mark.parametrize("damage", [b"", b"rubbish", None])
def test_damaged_entry_is_written_again(folder, damage):
    compile_program(program())
    (entry,) = folder.iterdir()
    content = bytearray(entry.read_bytes())
    content[-20] ^= 1
    entry.write_bytes(bytes(content) if damage is None else damage)
    repaired = compile_program(program())
    assert not repaired.from_cache
    np.testing.assert_allclose(repaired([1.0, 2.0]), 2 * np.sin([1.0, 2.0]))
    assert compile_program(program()).from_cache


def test_folder_that_cannot_be_used_is_harmless(tmp_path, monkeypatch):
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    for place in (blocker, blocker / "below"):
        monkeypatch.setenv("LINKWRIGHT_CACHE", str(place))
        for _ in range(2):
            assert not compile_program(program()).from_cache
        clear_cache()
    assert blocker.read_text() == "not a folder"


def test_read_only_folder_is_harmless(folder):
    folder.mkdir()
    folder.chmod(0o500)
    try:
        compile_program(program())
        assert compile_program(program())([0.0, 0.0]).tolist() == [0.0, 0.0]
    finally:
        folder.chmod(0o700)


def test_off_and_clear(folder, monkeypatch):
    compile_program(program())
    clear_cache()
    assert list(folder.iterdir()) == []
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    compile_program(program())
    assert not compile_program(program()).from_cache
    assert list(folder.iterdir()) == []


def test_size_is_bounded_and_the_oldest_go_first(folder, monkeypatch):
    compile_program(program(1.5))
    size = next(folder.iterdir()).stat().st_size
    monkeypatch.setattr(cache, "CACHE_LIMIT", int(3.5 * size))
    monkeypatch.setattr(cache, "CACHE_LOOKED_AT", 1)
    for age, factor in enumerate((2.5, 3.5)):
        compile_program(program(factor))
        for entry in folder.iterdir():
            stat = entry.stat()
            os.utime(entry, (stat.st_atime, stat.st_mtime - 100 * (age + 1)))
    assert compile_program(program(1.5)).from_cache  # used again, so it is young
    for factor in (4.5, 5.5):
        compile_program(program(factor))
    assert sum(e.stat().st_size for e in folder.iterdir()) <= cache.CACHE_LIMIT
    assert compile_program(program(5.5)).from_cache and compile_program(program(1.5)).from_cache
    assert not compile_program(program(2.5)).from_cache


SCRIPT = """
import casadi as ca
from linkwright.codegen import Program, Straight, compile_program
for k in range(6):
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [(k + 1) * ca.sin(x)])
    c = compile_program(Program("p", [("x", 2)], [("y", 2)], [Straight(f, ("x",), ("y",))]))
    assert abs(c([1.0, 0.0])[0] - (k + 1) * 0.8414709848078965) < 1e-14
"""


def test_processes_share_the_folder(folder):
    processes = [subprocess.Popen([sys.executable, "-c", SCRIPT], env=dict(os.environ)) for _ in range(4)]
    assert [p.wait(timeout=60) for p in processes] == [0] * 4
    assert len(list(folder.iterdir())) == 6
    assert not list(folder.glob("*.tmp"))


def test_importing_leaves_llvm_alone():
    code = "import sys, linkwright.codegen.dialect; assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_entry_under_the_name_of_another_is_not_run(folder):
    """The key is part of what is checked: swapped files give the right results, compiled again."""
    for factor in (2.0, 3.0):
        compile_program(program(factor))
    one, other = folder.iterdir()
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    for factor in (2.0, 3.0):
        compiled = compile_program(program(factor))
        assert not compiled.from_cache
        np.testing.assert_array_equal(compiled([1.0, 2.0]), factor * compile_program(program(1.0))([1.0, 2.0]))


@pytest.mark.skipif(os.name == "nt", reason="rights are those of the account's folder")
def test_what_others_may_write_to_is_not_used(folder):
    compile_program(program())
    (entry,) = folder.iterdir()
    entry.chmod(0o620)
    assert not compile_program(program()).from_cache
    assert compile_program(program()).from_cache  # it was written again, ours alone
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match="others may write"):
        assert not compile_program(program()).from_cache
    folder.chmod(0o700)
    link = folder.parent / "elsewhere.lwo"
    link.write_bytes(entry.read_bytes())
    entry.unlink()
    entry.symlink_to(link)
    assert not compile_program(program()).from_cache


@pytest.mark.skipif(os.name == "nt", reason="rights are those of the account's folder")
def test_the_folder_is_private_whatever_the_umask_and_may_begin_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LINKWRIGHT_CACHE", "~/kept")
    before = os.umask(0)
    try:
        compile_program(program())
    finally:
        os.umask(before)
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    assert compile_program(program()).from_cache


LOOP = """
import sys
sys.path.insert(0, {here!r})
from counted import total
print(total(4))
"""
COUNTED = """
from linkwright.codegen.dialect import compiled

@compiled
def total(n: int) -> int:
    out = 0
    for k in range(n):
        out += k
    return out
"""


def test_loops_lie_in_the_folder_and_broken_ones_are_thrown_away(folder, tmp_path):
    (tmp_path / "counted.py").write_text(COUNTED)

    def run():
        done = subprocess.run([sys.executable, "-c", LOOP.format(here=str(tmp_path))], capture_output=True, text=True)
        assert done.stdout.strip() == "6", done.stderr

    run()
    (kept,) = folder.iterdir()
    code = kept.read_bytes()
    kept.write_bytes(b"rubbish")
    run()
    assert kept.read_bytes() == code
    clear_cache()
    assert not list(folder.iterdir())


def test_without_a_place_to_keep_anything_all_is_compiled(tmp_path, monkeypatch):
    """A read-only installation without a home."""
    (tmp_path / "counted.py").write_text(COUNTED)
    blocker = tmp_path / "file"
    blocker.write_text("")
    done = subprocess.run([sys.executable, "-c", LOOP.format(here=str(tmp_path))], capture_output=True, text=True,
                          env=os.environ | {"LINKWRIGHT_CACHE": str(blocker / "below"), "HOME": str(blocker)})
    assert done.stdout.strip() == "6", done.stderr
