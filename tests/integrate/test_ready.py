"""Compiled code that travels with the package: it is that of the sources, and is used only where it is."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from linkwright.codegen import llvm_version, optimised_text
from linkwright.codegen.dialect import text_of
from linkwright.integrate import ready
from linkwright.integrate.methods import METHODS
from linkwright.integrate.prepare import pieces
from linkwright.integrate.root_finding import locate
from linkwright.integrate.short_features import features
from linkwright.integrate.write_pieces import named, sources


def about():
    with zipfile.ZipFile(ready.ARCHIVE) as archive:
        return json.loads(archive.read(ready.ABOUT)), set(archive.namelist())


def test_the_archive_is_made_of_these_sources():
    """Where this fails, a source of the steppers was changed: `make pieces` makes the archive anew."""
    told, names = about()
    assert told["sources"] == {named(path): ready.checksum(path) for path in sources()}
    assert names == {ready.ABOUT, *(f"{piece.__name__}.ll" for piece in pieces())}


def test_the_archive_says_what_the_sources_give_on_this_machine():
    """Tables within the code are the same whatever processor worked them out: one run, one machine, one truth."""
    if about()[0]["llvm"] != llvm_version():
        pytest.skip("the archive is of another LLVM, which writes other text")
    with zipfile.ZipFile(ready.ARCHIVE) as archive:
        for piece in (locate, features):
            assert archive.read(f"{piece.__name__}.ll").decode() == optimised_text(text_of(piece))


def test_tables_of_methods_are_no_part_of_it():
    """A new explicit method is a table and a row; a new number or a changed compiler asks for a new archive."""
    names = {named(path) for path in sources()}
    assert not names & {"integrate/tableaux.py", "integrate/methods.py", "integrate/compiled_model.py"}
    assert names >= {"integrate/loop.py", "integrate/radau.py", "integrate/record.py", "integrate/tolerances.py",
                     "codegen/dialect/statements.py", "codegen/elementary/powers.py"}


@pytest.mark.parametrize("change", [{"llvm": 1000}, {"format": 1}, {"sources": {"integrate/loop.py": 1}},
                                    {"sources": {"integrate/gone.py": 1}}])
def test_text_for_another_llvm_or_of_other_sources_is_left_alone(change, tmp_path, monkeypatch):
    monkeypatch.setattr(ready, "ARCHIVE", ready.ARCHIVE.parent / "other.zip")
    try:
        with zipfile.ZipFile(ready.ARCHIVE, "w") as archive:
            archive.writestr(ready.ABOUT, json.dumps({"format": ready.FORMAT, "llvm": 1, "sources": {}} | change))
        assert not ready.all_ready.__wrapped__()
    finally:
        ready.ARCHIVE.unlink()


@pytest.mark.parametrize("content", [None, b"no archive", b""])
def test_an_archive_that_is_missing_or_broken_is_no_error(content, tmp_path, monkeypatch):
    monkeypatch.setattr(ready, "ARCHIVE", tmp_path / "pieces.zip")
    if content is not None:
        ready.ARCHIVE.write_bytes(content)
    assert not ready.all_ready.__wrapped__()


RUN = """
import hashlib, sys
from linkwright.integrate import ready
if sys.argv[1] == "compile":
    ready.ARCHIVE = ready.ARCHIVE.with_name("nowhere.zip")
import linkwright as lw
from linkwright import forces, joints, parts
m = lw.Model("pendulums")
m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
m.spin = parts.Body(m=1.0, r_0=[1, 1, 1], v_0=[1, 0, 0], w_0=[3, 2, 1])
m.push = forces.WorldForce(force=[100 * lw.exp(-((lw.time - 0.6) / 0.001) ** 2), 0, 0])
m.chain(m.world, m.rev, m.body)
m.connect(m.spin.frame_a, m.push.frame_b)
m.output("side", lw.where(m.rev.phi > 0, 1.0, -1.0))
digest = hashlib.sha256()
for method in sys.argv[2:]:
    h = None if method in ("dopri5", "dop853", "radau") else 0.01
    r = lw.simulate(m, 1.0, method=method, h=h)
    for name in ("rev.phi", "spin.r_0", "spin.Q", "side"):
        digest.update(r[name].tobytes() + r.at(0.777)[name].tobytes())
print(digest.hexdigest())
"""


def said(how, cache, *methods):
    run = subprocess.run([sys.executable, "-c", RUN, how, *methods], capture_output=True, text=True,
                         env=os.environ | {"LINKWRIGHT_CACHE": str(cache)})
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
def test_compiled_on_this_machine_the_bits_are_the_same(tmp_path):
    """Of every method: what the dialect makes of the sources here, with all vectors of this processor, and what
    travels."""
    assert said("ready", tmp_path / "a", *METHODS) == said("compile", tmp_path / "b", *METHODS)
