"""The code in the documentation runs as written, page by page, in order."""

import re
from pathlib import Path

import matplotlib
import pytest

DOCS = Path(__file__).parents[1] / "docs"
ALL_PAGES = sorted(p for p in DOCS.rglob("*.md") if "reference" not in p.parts)
COOKBOOK = sorted((DOCS / "cookbook").glob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.S)


@pytest.mark.parametrize("page", [p for p in ALL_PAGES if p not in COOKBOOK and BLOCK.search(p.read_text())],
                         ids=lambda p: p.stem)
def test_code_on_the_page_runs(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for number, block in enumerate(BLOCK.findall(page.read_text())):
        exec(compile(block, f"{page.name}, block {number + 1}", "exec"), names)


ARCHITECTURE = [DOCS / "architecture.md", *sorted((DOCS / "architecture").glob("*.md"))]
#: a file or a folder of the source, perhaps with something in it (`codegen/dialect/c_text.c_of_module`)
PLACE = re.compile(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+(?:\.\w+)?)?|[a-z_0-9]+\.(?:py|c|h|zip))`")


@pytest.mark.parametrize("page", ARCHITECTURE, ids=lambda p: p.stem)
def test_files_that_the_architecture_names_are_there(page):
    root = DOCS.parent
    there = {path.relative_to(root).as_posix() for room in ("src", "tests") for path in (root / room).rglob("*")}
    for name in PLACE.findall(page.read_text()):
        inside = name.rstrip("/")
        if any(f"/{place}".endswith(f"/{inside}") for place in there):
            continue
        path, _, what = inside.rpartition(".")
        files = [place for place in there if f"/{place}".endswith(f"/{path}.py")]
        assert any(re.search(rf"^(def|class) {what}\b", (root / file).read_text(), re.MULTILINE) for file in files), (
            f"{page.name} names {name}, which does not exist")


def reference():
    """The module that writes the reference."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("build_reference", DOCS / "build_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_in_the_reference(tmp_path, monkeypatch, capsys):
    import inspect

    import linkwright as lw

    module = reference()
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    module.main()
    text = "\n".join(page.read_text(encoding="utf-8") for page in tmp_path.glob("*.md"))
    menu = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(f"reference/{page.name}\n" in menu for page in tmp_path.glob("*.md"))
    for name in lw.__all__:
        value = getattr(lw, name)
        if inspect.ismodule(value):
            for member in module.public(value):
                assert inspect.ismodule(getattr(value, member)) or f"## {name}.{member}\n" in text, f"{name}.{member}"
        else:
            assert f"## lw.{name}\n" in text, name


@pytest.mark.parametrize("name", sorted(__import__("linkwright").__all__))
def test_every_public_name_is_described(name):
    import linkwright as lw

    assert (getattr(lw, name).__doc__ or "").strip()


LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
MADE = ("reference/", "animations/")  # written by `make docs`


@pytest.mark.parametrize("page", [*ALL_PAGES, DOCS.parent / "README.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if not link.startswith(MADE) and not link.startswith(tuple(f"../{made}" for made in MADE)):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_every_page_is_in_the_menu():
    menu = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    for page in ALL_PAGES:
        assert page.relative_to(DOCS).as_posix() in menu


def test_the_page_of_missing_addresses_finds_its_files_beside_it():
    import runpy

    beside = runpy.run_path(str(DOCS / "site_hooks.py"))["beside"]
    page = '<link href="/assets/a.css"><script src="/assets/b.js"></script><a href="/index.html">'
    assert beside(page) == page.replace('="/assets', '="./assets').replace('="/index', '="./index')


@pytest.mark.parametrize("page", COOKBOOK, ids=lambda p: p.stem)
def test_a_recipe_needs_nothing_but_the_top_of_its_page(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    top, *recipes = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)
    for recipe in recipes:
        names: dict = {}
        for block in BLOCK.findall(top) + BLOCK.findall(recipe):
            exec(compile(block, recipe.splitlines()[0], "exec"), names)


def test_the_cookbook_lists_every_recipe_and_has_thirty():
    listed = (DOCS / "cookbook.md").read_text(encoding="utf-8")
    recipes = [title for page in (DOCS / "cookbook").glob("*.md")
               for title in re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.M)]
    assert len(recipes) >= 30
    assert [title for title in recipes if f"[{title}]" not in listed] == []
