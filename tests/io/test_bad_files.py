"""Model files from strangers: nothing is followed out of the file, nothing foreign is raised, every complaint has its
place."""

import os
import random
import re
import sys
import time
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.cache_folder import cache_folder

sys.path.insert(0, str(Path(__file__).parent))
from mjcf_files import ACTUATED, BOUNDED, MACHINE
from osim_files import LEG
from robots import ARM
from test_sdf import SDF

FILES = {"urdf": ARM, "xml": MACHINE, "osim": LEG, "mjcf": ACTUATED}

#: what only the compiled model shows (a singular mass matrix, a start that cannot be): told by component, not by line
COMPILED = (lw.SingularError, lw.InitialError, lw.AssemblyError, lw.TopologyError, lw.SimulationError)

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE robot [
  <!ENTITY a "haha"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<robot name="&c;"><link name="a"/></robot>
"""
REACHING = """<?xml version="1.0"?>
<!DOCTYPE robot [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<robot name="r"><link name="a"/>&secret;</robot>
"""


@pytest.mark.parametrize("text", [LAUGHS, REACHING], ids=["billion laughs", "a system file"])
def test_entities_are_refused_where_they_are_declared(tmp_path, text):
    file = tmp_path / "bad.urdf"
    file.write_text(text)
    with pytest.raises(lw.ModelError, match=r"bad.urdf, line [23]: the file declares the entity"):
        lw.read(file)


def test_elements_nested_without_end_are_refused(tmp_path):
    file = tmp_path / "deep.urdf"
    file.write_text("<robot>" * 100_000)
    with pytest.raises(lw.ModelError, match=r"deep.urdf, line 1, .*nested"):
        lw.read(file)


def test_an_unknown_root_is_named(tmp_path):
    file = tmp_path / "page.xml"
    file.write_text("<html/>")
    with pytest.raises(lw.ModelError, match="<html> is the root of no format"):
        lw.read(file)
    with pytest.raises(lw.ModelError, match="no such file"):
        lw.read(tmp_path / "none.urdf")


def mutated(text: str, chance: random.Random) -> str:
    """One to three of the accidents that befall files."""
    for _ in range(chance.randint(1, 3)):
        kind = chance.randrange(7)
        tags = list(re.finditer(r"<[^<>]*>", text)) or [re.match("", text)]
        numbers = list(re.finditer(r"-?\d+\.?\d*(e-?\d+)?", text)) or tags
        words = list(re.finditer(r'"[^"]*"', text)) or tags
        tag, number, word = chance.choice(tags), chance.choice(numbers), chance.choice(words)
        if kind == 0:  # a tag dropped
            text = text[:tag.start()] + text[tag.end():]
        elif kind == 1:  # a whole element dropped, if it closes itself
            text = text[:tag.start()] + (text[tag.end():] if tag.group().endswith("/>") else text[tag.start():])
        elif kind == 2:  # a number broken
            broken = chance.choice(["nan", "1e999", "--1", "0x1", "", "1,5", "-3", "0", "1e300", "9" * 400])
            text = text[:number.start()] + broken + text[number.end():]
        elif kind == 3:  # truncated
            text = text[:chance.randrange(len(text) + 1)]
        elif kind == 4:  # a word for another
            text = text[:word.start()] + chance.choice(words).group() + text[word.end():]
        elif kind == 5:  # a tag twice
            text = text[:tag.start()] + tag.group() + text[tag.start():]
        else:  # a character that does not belong
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(["\x00", "&", "<", '"', "é", "\ud7ff", "]]>"]) + text[at:]
    return text


def including(text: str, chance: random.Random, folder: Path) -> str:
    """A file of many parts, of which some include one another in a ring, or lead out of the folder."""
    for k in range(3):
        target = chance.choice([f"part{chance.randrange(4)}.xml", "broken.xml", "../../../etc/passwd", "",
                                "/etc/passwd"])
        (folder / f"part{k}.xml").write_text(f'<mujoco><include file="{target}"/></mujoco>')
    return text.replace("<worldbody>", f'<include file="part{chance.randrange(4)}.xml"/><worldbody>', 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_broken_files_with_contact_and_includes(tmp_path, seed):
    """250 each: cut, doubled, retyped, in rings; some for contact, which compiles them; each within 20 s of work."""
    chance, file, refused = random.Random(100 + seed), tmp_path / "broken.xml", 0
    files = [MACHINE, ACTUATED, BOUNDED, ARM, SDF]
    for k in range(250):
        text = files[k % len(files)]
        if k % 5 == 0:
            text = including(text, chance, tmp_path)
        file.write_text(mutated(text, chance), encoding="utf-8")
        began = time.process_time()
        try:
            lw.read(file, contact="file" if k % 10 == 0 else None, ground=bool(k % 2), floating=bool(k % 3),
                    key=chance.choice([None, 0, "bent"]) if files[k % len(files)] is MACHINE else None)
        except lw.LinkwrightError as error:
            refused += 1
            assert re.search(r"\w+\.xml, line \d+", str(error)) or isinstance(error, COMPILED), str(error)
            assert "root:" not in str(error)  # nothing of /etc/passwd
        assert time.process_time() - began < 20
    assert 80 < refused < 250


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_broken_files_are_told_with_their_place(tmp_path, suffix, seed):
    """500 files of a kind in all: each is read, or refused by a message of ours with file and line."""
    chance, file, refused = random.Random(seed), tmp_path / f"broken.{suffix}", 0
    for _ in range(100):
        file.write_text(mutated(FILES[suffix], chance), encoding="utf-8")
        try:
            model = lw.read(file)
        except lw.LinkwrightError as error:
            refused += 1
            assert re.search(r"broken\.\w+, line \d+", str(error)), str(error)
        else:
            assert isinstance(model, lw.Model)
    assert refused > 20


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_broken_stages_are_told_with_their_place(tmp_path, seed):
    """50 stages of USD each, cut, retyped, with numbers and words of others: read, or refused with file and place."""
    pytest.importorskip("pxr")
    from test_usd import arm

    chance, file, refused = random.Random(seed), tmp_path / "broken.usda", 0
    whole = arm(tmp_path / "whole.usda", 0.01, 1.0).read_text()
    for _ in range(50):
        file.write_text(mutated(whole, chance), encoding="utf-8")
        try:
            assert isinstance(lw.read(file, contact="file", ground=True), lw.Model)
        except lw.LinkwrightError as error:
            refused += 1
            assert re.search(r"broken\.usda, (line \d+|/)", str(error)) or isinstance(error, COMPILED), str(error)
    assert refused > 10


def real_files() -> list[Path]:
    """Robots of installed packages, small ones of every format; each with its meshes at hand."""
    found = [file for file in lw.robots() if file.suffix in (".urdf", ".xml", ".sdf", ".xacro")
             and 500 < file.stat().st_size < 60_000]
    kinds: dict[str, list[Path]] = {}
    for file in found:
        kinds.setdefault(file.suffix + file.parts[-2], []).append(file)
    return [files[0] for files in kinds.values()]


class Watch:
    """Notes the files that are opened while it is on; a hook of Python's own, which cannot be taken away again."""

    def __init__(self) -> None:
        self.on, self.opened = False, set()
        sys.addaudithook(self.note)

    def note(self, event: str, arguments: tuple) -> None:
        if self.on and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            self.opened.add(os.fsdecode(arguments[0]))


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_accidents_of_real_files(tmp_path, seed, watch):
    """250 each of robots from installed packages: read, or refused with file and line; nothing outside is opened."""
    files = real_files()
    if len(files) < 3:
        pytest.skip("fewer than three robots are installed")
    chance, refused = random.Random(200 + seed), 0
    watch.opened.clear()
    for k in range(250):
        real = files[(k + seed) % len(files)]
        file = tmp_path / f"broken{real.suffix}"
        text = real.read_text(encoding="utf-8", errors="replace")
        if k % 4 == 0 and "<worldbody>" in text:
            text = including(text, chance, tmp_path)
        file.write_text(mutated(text, chance), encoding="utf-8", errors="replace")
        began, watch.on = time.process_time(), True
        try:
            lw.read(file, search=[real.parent], ground=bool(k % 2))
        except lw.LinkwrightError as error:
            refused += 1
            assert re.search(r"[\w.]+\.\w+, line \d+", str(error)) or isinstance(error, COMPILED), str(error)
            assert "root:" not in str(error)
        finally:
            watch.on = False
        assert time.process_time() - began < 20
    assert 40 < refused < 250
    known = [folder.resolve() for folder in (tmp_path, *{file.parent for file in files}, Path(sys.prefix),
                                             Path(sys.base_prefix), Path(lw.__file__).parent, Path(os.devnull),
                                             cache_folder() or tmp_path)]
    assert not {name for name in watch.opened if not any(map(Path(name).resolve().is_relative_to, known))}
