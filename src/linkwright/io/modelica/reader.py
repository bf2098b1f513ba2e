"""The way in: a file or the name of a class to a Model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import linkwright as lw

from ...errors import ModelError
from ..import_report import ImportReport
from .building import Build
from .changes import Scope
from .evaluation import Evaluator
from .library import Library, Node, noting, parsed
from .model_cache import keep_model, kept_model, place_of

#: a name with dots that is no path of a file
CLASS_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_']\w*)*")


def read_modelica(source: str | Path, search: Sequence[str | Path] = ()) -> lw.Model:
    """The model of a file, or of a class by its full name."""
    place = place_of(source, search)
    kept = kept_model(place)
    if kept is not None:
        return kept
    files: list[str] = []
    with noting(files):
        model = _read(source, search)
    keep_model(place, model, files)
    return model


def _read(source: str | Path, search: Sequence[str | Path]) -> lw.Model:
    library = Library(search)
    path = Path(source).expanduser()
    if path.is_file():
        node = _of_file(library, path)
    else:
        found = library.top.resolve(str(source))
        if found is None:
            looked = ", ".join(map(str, library.search)) or "nowhere; give search=[…] or set MODELICAPATH"
            raise ModelError(f"{source}: there is no such file, and no class of this name; looked in {looked}.")
        node = found
    report = ImportReport(node.tree.file if node.tree is not None else str(source))
    build = Build(library, report)
    model = build.run(node)
    model.__dict__["import_report"] = report
    report.data.update(_experiment(build.evaluator, node))
    return model


def _of_file(library: Library, path: Path) -> Node:
    """The class of a file that is meant: the one named like it, else its last model."""
    nodes = library.add(parsed(path), path)
    if not nodes:
        raise ModelError(f"{path}: there is no class in this file.")
    named = [node for node in nodes if node.name == path.stem]
    chosen = named[0] if named else nodes[-1]
    if chosen.tree is not None and chosen.tree.kind == "package":
        inside = [chosen.child(name) for name, tree in chosen.tree.classes.items()
                  if tree.kind in ("model", "class") and "partial" not in tree.prefixes]
        if len(inside) == 1 and inside[0] is not None:
            return inside[0]
        names = ", ".join(node.full for node in inside if node is not None) or "none"
        raise ModelError(f"{path}: {chosen.full} is a package; name the model in it, such as "
                         f"lw.read(\"{chosen.full}.Model\", search=[\"{path.parent}\"]). Models in it: {names}.")
    return chosen


def _experiment(evaluator: Evaluator, node: Node) -> dict[str, float]:
    """What the annotation `experiment` says: stop time, tolerance."""
    if node.tree is None:
        return {}
    words = {"StartTime": "start", "StopTime": "stop", "Tolerance": "tolerance", "Interval": "interval"}
    return {words[name]: float(evaluator.value(value, Scope(None, node)))
            for name, value in node.tree.annotations.get("experiment", {}).items() if name in words}
