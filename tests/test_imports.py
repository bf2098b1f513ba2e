"""Who may import whom, imports inside functions included: rooms are the pipeline, and know nothing of later ones."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import linkwright

ROOT = Path(linkwright.__file__).parent

#: room → rooms it may import; `aliases`, `building`, `errors`, `cache_folder` and `waiting` are open to everyone
ALLOWED = {
    "errors": "",
    "cache_folder": "",
    "waiting": "", "aliases": "", "building": "",
    "algebra": "",
    "codegen": "",
    "geometry": "algebra codegen",
    "mechanism": "geometry algebra",
    "device": "",
    "integrate": "codegen device",
    "language": "mechanism geometry algebra codegen",
    "library": "language mechanism geometry algebra codegen",
    "translate": "language mechanism geometry algebra",
    "equations": "mechanism geometry codegen algebra",
    "system": "equations mechanism geometry codegen algebra",
    "compiler": "language translate system mechanism codegen",
    "result": "system",
    "run": "system integrate result mechanism algebra codegen",
    "start": "compiler run system equations mechanism algebra",
    "studies": "compiler start run integrate device result system mechanism algebra",
    "batch": "studies compiler start run integrate result system mechanism algebra codegen",
}
ABOVE = " ".join(ALLOWED)
ALLOWED |= {"view": ABOVE, "io": f"{ABOVE} view", "verify": f"{ABOVE} view io"}
EVERYTHING = {"cli", "__init__", "__main__"}
#: conveniences that reach down the page when they are called: (file, room)
CONVENIENCES = {
    ("errors.py", "view"),  # error.show
    ("language/wanted_contacts.py", "translate"),  # m.contacts() read
    ("language/model.py", "view"),  # m.show, m.diagram
    ("library/molecules/field.py", "io"),  # ForceField.read
    ("library/molecules/molecule.py", "io"),  # Molecule.read, read_amber, write
    ("result/result.py", "view"),  # r.animate
    ("result/datasets.py", "view"),  # r.save
    ("studies/simulate.py", "view"),  # simulate(live=)
    ("system/system.py", "start"),  # system.state
}


def rooms_imported(path: Path):
    """(line, room, inside a function) for every import of one of our rooms in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = ["linkwright", *path.relative_to(ROOT).parts[:-1]]
    lazy = {id(node) for function in ast.walk(tree) if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)}
    for node in ast.walk(tree):
        targets = []
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module.split(".") if node.module else [])]
            # `from .. import room` names the room among what is imported
            targets = [[*module, alias.name] for alias in node.names] if len(module) == 1 else [module]
        for target in targets:
            if len(target) > 1 and target[0] == "linkwright":
                yield node.lineno, target[1], id(node) in lazy


def names_past_the_door(path: Path):
    """(line, what) for every name that a file takes from another room past the `__init__` of a folder there."""
    package = ["linkwright", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        module = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
        if len(module) < 2 or module[1] == package[-1 if len(package) == 1 else 1]:
            continue
        door = ROOT.joinpath(*module[1:], "__init__.py")
        if not door.is_file():
            folder = ROOT.joinpath(*module[1:-1], "__init__.py")
            if ROOT.joinpath(module[1]).is_dir() and module[-1] not in _named(folder):
                yield node.lineno, ".".join(module[1:])
            continue
        named = _named(door)
        yield from ((node.lineno, ".".join([*module[1:], alias.name])) for alias in node.names
                    if alias.name not in named and not ROOT.joinpath(*module[1:], alias.name).is_dir())


def _named(door: Path) -> set[str]:
    """What an `__init__` names in `__all__`."""
    for node in ast.parse(door.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets):
            return set(ast.literal_eval(node.value)) if isinstance(node.value, ast.List) else set()
    return set()


def files():
    return sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_are_entered_by_their_doors(path):
    """A folder's `__init__` names what others may use, things or whole files; nothing else is imported from it."""
    if path.relative_to(ROOT).parts[0].removesuffix(".py") not in EVERYTHING:
        assert not list(names_past_the_door(path))


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    room, name = path.relative_to(ROOT).parts[0].removesuffix(".py"), path.relative_to(ROOT).as_posix()
    if room in EVERYTHING:
        return
    for line, imported, lazy in rooms_imported(path):
        if imported in (room, "aliases", "building", "errors", "cache_folder", "waiting") or (
                lazy and (name, imported) in CONVENIENCES):
            continue
        assert imported in ALLOWED[room].split(), f"{name}:{line}: {room} must not import {imported}"


def test_the_documentation_has_the_same_table():
    page = ROOT.parents[1] / "docs" / "architecture.md"
    rows = [line.strip("| \n").split(" | ") for line in page.read_text(encoding="utf-8").split("## The rooms")[1].split(
        "## ")[0].splitlines() if line.startswith("| `")]
    told = {room.strip("`"): set(rooms.replace("–", "").split()) for room, _, rooms in rows}
    assert told.pop("view") == told.pop("io") == told.pop("verify") == {"all", "above"}
    assert told == {room: set(ALLOWED[room].split()) for room in told} and set(ALLOWED) - set(told) == {
        "aliases", "building", "errors", "cache_folder", "waiting", "view", "io", "verify"}


def test_every_room_is_in_the_table():
    rooms = {p.name for p in ROOT.iterdir() if (p / "__init__.py").is_file()}
    assert rooms <= set(ALLOWED)


def test_importing_the_package_leaves_slow_libraries_alone():
    """They are imported when something needs them: a plain import stays a fraction of a second."""
    code = "import sys, linkwright; print(' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "matplotlib", "xarray", "pandas", "viser", "trimesh"} & set(done.stdout.split())
