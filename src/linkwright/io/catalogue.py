"""Robots that are on this machine already: in installed packages, in caches, in folders that the user names."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import site
import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import ModelError
from .tolerances import HEAD_OF_FILE, MOST_LOOKED_AT, SHOWN_ROBOTS

#: packages whose folders hold models
PACKAGES = ("gymnasium", "gymnasium_robotics", "dm_control", "robosuite", "brax", "mujoco_playground", "pybullet_data",
            "robot_descriptions", "example_robot_data", "newton")
#: folders that hold no models and are large, or parts of USD stages
PASSED = {".git", "__pycache__", "meshes", "textures", "node_modules", "visual", "collision", "Payload", "Props",
          "configuration"}
SUFFIXES = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf", ".osim", ".usd", ".usda", ".usdc", ".usdz")


def robots(name: str | None = None) -> list[Path]:
    """List the robot model files on this machine, the best match of the name first; without a name, list all.

        m = lw.read(lw.robots("panda")[0])

    Looks in the folders of the environment variable LINKWRIGHT_ROBOTS, in the cache of robot_descriptions, and in the
    packages example-robot-data, gymnasium, gymnasium-robotics, dm_control, robosuite, brax, pybullet_data and newton
    where they are installed.  Nothing is fetched from the network.
    """
    found = {path: folder for folder in _folders() for path in _models(folder)}
    if name is None:
        return sorted(found)
    wanted = _words(name)
    scored = [(score, len(path.parts), path) for path, folder in found.items()
              if (score := _fit(wanted, path.relative_to(folder))) > 0]
    if not scored:
        stems = sorted({path.stem.partition(".")[0] for path in found})
        close = difflib.get_close_matches(name, stems, SHOWN_ROBOTS)
        looked = ", ".join(map(str, _folders())) or "no folder"
        near = f"; close are {', '.join(close)}" if close else ""
        raise ModelError(f"lw.robots({name!r}): there is no such robot{near}. Looked in {looked}. Name folders "
                         "in the environment variable LINKWRIGHT_ROBOTS, or install a package with models: pip install "
                         "example-robot-data.")
    return [path for *_, path in sorted(scored, key=lambda entry: (-entry[0], *entry[1:]))]


def _folders() -> list[Path]:
    """Where models are looked for; those of the user first."""
    named = os.environ.get("LINKWRIGHT_ROBOTS", "").split(os.pathsep)
    listed = [Path(folder).expanduser() for folder in named if folder]
    cache = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser()
    packages = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        packages += [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []
    # wheels of example-robot-data keep their files beside the packages
    prefixes = [Path(place) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
                for place in (*site.getsitepackages(), *sys.path) if place]
    return [folder for folder in dict.fromkeys((*listed, cache, *prefixes, *packages)) if folder.is_dir()]


def _models(folder: Path) -> Iterator[Path]:
    """Files below a folder that are models by their suffix, and by their root where that says little."""
    looked = 0
    for above, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if name not in PASSED)
        for name in sorted(names):
            looked += 1
            if looked > MOST_LOOKED_AT:
                return
            path = Path(above) / name
            if path.suffix.lower() in SUFFIXES and (path.suffix.lower() != ".xml" or _is_mjcf(path)):
                yield path


def _is_mjcf(path: Path) -> bool:
    """Whether an XML file is a model of MuJoCo with bodies, and no part that others include."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_OF_FILE)
    except OSError:
        return False
    return b"<mujoco" in head and b"<mujocoinclude" not in head


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", text.lower()) if word]


def _fit(wanted: list[str], path: Path) -> int:
    """How well a file fits the words that are asked for: all of them are in its path; best where they are its name."""
    stem, folders = _words(path.name.partition(".")[0]), _words("/".join(path.parts[:-1]))
    if stem == wanted:
        return 4
    if all(word in stem for word in wanted):
        return 3
    if all(word in stem + folders for word in wanted):
        return 2
    joined = "_".join(folders + stem)
    return 1 if all(word in joined for word in wanted) else 0
