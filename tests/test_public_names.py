"""Every public name has prose and an example."""

import inspect
import re
from pathlib import Path

import linkwright as lw

ROOT = Path(__file__).parents[1]
WORDS = 4  # of a docstring that says something


def names():
    """(name as written in code, object) of the package and of the packages of the library."""
    for name in lw.__all__:
        value = getattr(lw, name)
        if not inspect.ismodule(value):
            yield f"lw.{name}", value
            continue
        for key in getattr(value, "__all__", ()):
            if not inspect.ismodule(getattr(value, key)):
                yield f"{name}.{key}", getattr(value, key)


def used() -> str:
    """All code and prose that shows names in use, of one text."""
    files = [p for p in (ROOT / "docs").rglob("*.md") if "reference" not in p.parts]
    files += sorted((ROOT / "examples").glob("*"))
    return "\n".join(p.read_text(encoding="utf-8") for p in files if p.is_file() and p.suffix in (".md", ".py"))


def test_every_public_name_has_prose():
    short = [name for name, value in names() if len((inspect.getdoc(value) or "").split()) < WORDS]
    assert not short


def test_every_public_name_has_an_example():
    text = used().replace("planar.", "pl.")
    missing = []
    for name, value in names():
        own = inspect.getdoc(value) or ""
        short = name.replace("planar.", "pl.")
        last = name.rpartition(".")[2]
        if short not in text and name not in text and not re.search(rf"`[^`\n]*\b{last}\b[^`\n]*`", text) \
                and f"{last}(" not in own and f"lw.{last}" not in own:
            missing.append(name)
    assert not missing
