"""How far from a model file the files may lie that it names: within the collection it belongs to.

A collection is a repository (the nearest folder above that holds .git), an installed package (the outermost folder with
an __init__.py, below site-packages), or a ROS package (the nearest folder above with a package.xml); without one of
these it is the model's own folder.  What lies elsewhere is opened only where the user names its folder (`search`).
"""

from __future__ import annotations

from pathlib import Path

#: folders that hold what belongs to many: no collection is one of them, or above, nor a home or a folder of the root
SHARED = ("site-packages", "dist-packages")


def allowed_roots(folder: Path) -> list[Path]:
    """The folders below which files of a model in `folder` are opened."""
    roots = [folder]
    package = None
    for above in (folder, *folder.parents):
        if above.name in SHARED or above.parent == above.parent.parent or above == Path.home():
            break
        if (above / "package.xml").is_file() or (above / ".git").exists():
            roots.append(above)
        if (above / "__init__.py").is_file():
            package = above
        if (above / ".git").exists():
            break
    if package is not None:
        roots.append(package)
    return list(dict.fromkeys(roots))
