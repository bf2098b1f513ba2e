"""Every public name has prose, and an example: a program on a page or in `examples/` that uses it, and runs.

Programs are read as Python: a name counts where code uses it, not where prose or a table lists it.
"""

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import linkwright as lw

ROOT = Path(__file__).parents[1]
WORDS = 4  # of a docstring that says something
BLOCK = re.compile(r"```python\n(.*?)```", re.S)
SHORT = {"pl": "planar"}  # as pages import it


def names() -> Iterator[tuple[str, object]]:
    """(name as written in code, object) of the package and of the packages of the library."""
    for name in lw.__all__:
        value = getattr(lw, name)
        yield from members(name, value) if inspect.ismodule(value) else [(f"lw.{name}", value)]


def members(path: str, module) -> Iterator[tuple[str, object]]:
    for key in getattr(module, "__all__", ()):
        value = getattr(module, key)
        yield from members(f"{path}.{key}", value) if inspect.ismodule(value) else [(f"{path}.{key}", value)]


def programs() -> Iterator[str]:
    """Every program that users read: those of a page, and the examples."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if "reference" not in page.parts:
            yield "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    for example in sorted((ROOT / "examples").glob("*.py")):
        yield example.read_text(encoding="utf-8")


def used(program: str) -> set[str]:
    """The names that code uses, with the modules that it has imported them from."""
    tree = ast.parse(program)
    known = dict(SHORT)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "linkwright":
            above = (node.module or "").partition(".")[2]
            for name in node.names:
                known[name.asname or name.name] = f"{above}.{name.name}" if above else name.name

    def path(node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return known.get(node.id, node.id)
        above = path(node.value) if isinstance(node, ast.Attribute) else None
        return None if above is None else f"{above.removeprefix('lw.')}.{node.attr}" if above != "lw" \
            else f"lw.{node.attr}"

    found = {written for node in ast.walk(tree) if (written := path(node)) is not None}
    return found | {f"lw.{name}" for name in found}


def test_every_public_name_has_prose():
    shown = runpy.run_path(str(ROOT / "docs" / "build_reference.py"))["constant_text"]

    def prose(name: str, value: object) -> str:
        """As the reference shows it; a number or a table has the text below it in the source, not that of its class."""
        room, _, last = name.partition(".")
        return inspect.getdoc(value) or "" if callable(value) or room == "lw" else shown(getattr(lw, room), last)

    short = [name for name, value in names() if len(prose(name, value).split()) < WORDS]
    assert not short


def test_every_public_name_is_used_in_a_program():
    shown = set().union(*map(used, programs()))
    missing = {name for name, _ in names()} - shown
    assert missing == set(), "write a program that uses them: on the page of their subject, or in docs/in_use"


def test_names_in_tables_and_prose_are_no_examples():
    assert used("from linkwright import planar as pl\npl.cables.Rope()") >= {"planar.cables.Rope"}
    assert used("import linkwright as lw\nlw.sin(lw.time)") >= {"lw.sin", "lw.time"}
    assert used("from linkwright import Model, joints\nm.j = joints.Revolute()") >= {"joints.Revolute"}
    assert "joints.Screw" not in used("# joints.Screw\nprint('joints.Screw')")
