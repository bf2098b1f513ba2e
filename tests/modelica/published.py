"""Texts and results of public libraries, where somebody has them: nothing of them is part of this project.

LINKWRIGHT_MODELICA names folders or bare git directories (separated as in PATH) that hold libraries such as
Modelica/package.mo; LINKWRIGHT_MODELICA_RESULTS such with result files A/B/C/C.csv of the class A.B.C.  A folder of
git may be followed by @ and a branch.
"""

import csv
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path


def _places(variable):
    return [entry for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _git(place, *arguments):
    folder, _, branch = place.partition("@")
    arguments = [argument.replace("BRANCH", branch or "HEAD") for argument in arguments]
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], capture_output=True, check=False)


def _is_git(place):
    return (Path(place.partition("@")[0]) / "objects").is_dir()


@cache
def libraries():
    """Folders with the texts; those of git are unpacked once."""
    found = []
    for place in _places("LINKWRIGHT_MODELICA"):
        if not _is_git(place):
            found.append(place)
            continue
        folder = Path(tempfile.mkdtemp(prefix="modelica"))
        names = _git(place, "ls-tree", "-r", "--name-only", "BRANCH").stdout.decode().splitlines()
        for name in names:
            if name.endswith(".mo"):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_git(place, "show", f"BRANCH:{name}").stdout)
        found.append(str(folder))
    return found


@cache
def results():
    """Class → (place, path) of its published results."""
    found = {}
    for place in _places("LINKWRIGHT_MODELICA_RESULTS"):
        names = _git(place, "ls-tree", "-r", "--name-only", "BRANCH").stdout.decode().splitlines() if _is_git(place) \
            else [str(path.relative_to(place)) for path in Path(place).rglob("*.csv")]
        found.update({".".join(Path(name).parts[:-1]): (place, name) for name in names if name.endswith(".csv")})
    return found


def published(name, until=float("inf")):
    """(names, last values, largest amounts) of a class, up to a time; None where the file is not there."""
    place, path = results()[name]
    text = _git(place, "show", f"BRANCH:{path}").stdout.decode() if _is_git(place) else (Path(place) / path).read_text()
    rows = list(csv.reader(text.splitlines()))
    if len(rows) < 2:
        return None
    numbers = [[float(entry) for entry in row] for row in rows[1:] if row]
    numbers = [row for row in numbers if row[0] <= until]
    return [name.strip().strip('"') for name in rows[0]], numbers[-1], [max(map(abs, column))
                                                                      for column in zip(*numbers, strict=True)]
