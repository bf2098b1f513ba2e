"""Write the component reference (docs/reference/*.md) from the components' own descriptions."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.language.component import Component
from linkwright.language.fields import REQUIRED, Parameter, Signal

FOLDER = Path(__file__).parent / "reference"
ROOMS = ("parts", "joints", "assemblies", "constraints", "forces", "sensors", "visualizers", "rotational",
         "translational", "contact", "planar")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    written = []
    for room in ROOMS:
        module = getattr(lw, room, None)
        if module is None:
            continue
        classes = [value for name, value in sorted(vars(module).items())
                   if inspect.isclass(value) and issubclass(value, Component) and not name.startswith("_")
                   and value.__module__.startswith("linkwright") and name == value.__name__]
        page = [f"# {room}\n", f"{(inspect.getdoc(module) or '').splitlines()[0]}\n"]
        for cls in classes:
            page += describe(room, cls)
        (FOLDER / f"{room}.md").write_text("\n".join(page), encoding="utf-8")
        written.append((room, len(classes)))
    (FOLDER / "blocks.md").write_text("\n".join(functions("blocks")), encoding="utf-8")
    index = ["# Components\n", *[f"- [{room}]({room}.md): {count} components" for room, count in written],
             "- [blocks](blocks.md): functions of signals"]
    (FOLDER / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    print(f"wrote {sum(count for _, count in written)} components in {len(written)} pages to {FOLDER}")


def functions(room: str) -> list[str]:
    """A room of functions: how each is called, and its text."""
    module = getattr(lw, room)
    page = [f"# {room}\n", f"{(inspect.getdoc(module) or '').splitlines()[0]}\n"]
    for name in module.__all__:
        function = getattr(module, name)
        call = str(inspect.signature(function)).partition(" ->")[0]
        page += [f"## {room}.{name}\n", f"`{name}{call}`\n", inspect.getdoc(function) or "", ""]
    return page


def describe(room: str, cls: type[Component]) -> list[str]:
    """One component: its text, parameters and signals, variables."""
    out = [f"## {room}.{cls.__name__}\n", inspect.getdoc(cls) or "", ""]
    fields = cls.fields()
    given = {name: f for name, f in fields.items() if isinstance(f, (Parameter, Signal))}
    computed = {name: f for name, f in fields.items() if name not in given}
    if given:
        out += ["| parameter or signal | default | unit | |", "|---|---|---|---|"]
        out += [f"| `{name}` | {default(f)} | {f.unit} | {f.text} |" for name, f in given.items()]
        out.append("")
    if computed:
        out += ["| variable | unit | |", "|---|---|---|"]
        out += [f"| `{name}` | {f.unit} | {f.text} |" for name, f in computed.items()]
        out.append("")
    return out


def default(field) -> str:
    if field.default is REQUIRED:
        return "*must be given*"
    if field.default is None:
        return ""
    value = field.default
    return f"`{np.asarray(value).tolist() if isinstance(value, (list, np.ndarray)) else value!r}`"


if __name__ == "__main__":
    main()
