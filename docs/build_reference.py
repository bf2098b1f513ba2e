"""Write the reference (docs/reference/*.md) from docstrings: every public name, every component with its fields."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.language import expressions
from linkwright.language.component import Component
from linkwright.language.fields import REQUIRED, Parameter, Signal

FOLDER = Path(__file__).parent / "reference"
LINE = 90  # characters of a call on one line
#: pages of names that are not components: title → names of the package
PAGES = {
    "studies": ("simulate", "assemble", "equilibrium", "linearize", "modes", "inverse_dynamics",
                "inverse_kinematics", "static_optimization", "ExternalForce", "compile", "explain", "load", "read",
                "read_table"),
    "sweeps": ("sweep", "Study", "Simulator", "uniform", "normal", "lognormal", "truncated", "choice", "final",
               "largest", "smallest", "mean", "integral", "when"),
    "models": ("Model", "World", "Frame", "parameter", "guess", "free", "Coulomb", "LuGre", "CompliantStop",
               "time", "der"),
    "systems and results": ("System", "State", "Stage", "Result"),
    "motors": ("VelocityMotor", "ForceMotor", "MomentumMotor", "Inertia", "Transform"),
}
#: methods that parts of the package call on one another: no concern of users
INTERNAL = {"System": {"active_rows", "advance", "beginning_with", "compiled", "describe_part", "is_root", "layout",
                       "minimal", "moved_by", "n_compiled", "names", "normalise", "once", "part_names", "plain_speeds",
                       "quaternions", "raw", "restarted", "rhs", "rooted", "row_names", "seekers", "slot",
                       "state_from_defaults", "switched_rows", "variant"},
            "State": {"as_start", "begins", "cached", "forget_outdated", "forget_start", "keep"}}
#: public, but not in `__all__`, since `from linkwright import *` shall not hide Python's own
NOT_STARRED = ("abs", "min", "max")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    index = ["# Reference\n", "## The package\n"]
    for title, names in pages().items():
        page = [f"# {title}\n", *[line for name in names for line in described(f"lw.{name}", getattr(lw, name))]]
        index.append(write(title, page, ", ".join(f"`{name}`" for name in names)))
    index.append("\n## Components\n")
    for room in modules():
        module = getattr(lw, room)
        page = [f"# {room}\n", f"{(inspect.getdoc(module) or '').splitlines()[0]}\n"]
        members = [getattr(module, name) for name in public(module)]
        components = [cls for cls in members if inspect.isclass(cls) and issubclass(cls, Component)]
        for name in public(module):
            member = getattr(module, name)
            if member in components:
                page += describe(room, name, member)
            elif callable(member):
                page += described(f"{room}.{name}", member)
            elif not inspect.ismodule(member):
                page += [f"## {room}.{name}\n", constant_text(module, name), ""]
        count = f"{len(components)} components" if components else f"{len(members)} functions"
        index.append(write(room, page, count))
    (FOLDER / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    print(f"wrote {len(index) - 3} pages to {FOLDER}")


def pages() -> dict[str, list[str]]:
    """Names of the package by page; what no page above names is a function for formulas, or an error."""
    found = {title: [name for name in names if hasattr(lw, name)] for title, names in PAGES.items()}
    rest = [name for name in lw.__all__ if name not in {n for names in found.values() for n in names}
            and not inspect.ismodule(getattr(lw, name))]
    found["errors"] = [name for name in rest if inspect.isclass(getattr(lw, name))
                       and issubclass(getattr(lw, name), Exception)]
    found["functions"] = sorted([*(name for name in rest if name not in found["errors"]), *NOT_STARRED])
    return found


def modules() -> list[str]:
    """The packages of the library, in alphabetical order."""
    return [name for name in sorted(lw.__all__) if inspect.ismodule(getattr(lw, name))]


def public(module) -> list[str]:
    """The names a package offers."""
    return sorted(getattr(module, "__all__", None) or
                  [name for name, value in vars(module).items() if inspect.isclass(value)
                   and issubclass(value, Component) and value.__module__ == module.__name__ and name[0] != "_"])


def write(title: str, page: list[str], said: str) -> str:
    """Write a page; gives its line of the index."""
    file = f"{title.replace(' ', '_')}.md"
    # pages that explain come before lists of names when a reader searches
    (FOLDER / file).write_text("\n".join(["---\nsearch:\n  boost: 0.3\n---\n", *page]), encoding="utf-8")
    return f"- [{title}]({file}): {said}"


def described(name: str, value) -> list[str]:
    """A function or class: how it is called, its text, and for a class its public methods."""
    out = [f"## {name}\n"]
    if callable(value):
        out += [f"```python\n{name}{call(value)}\n```\n"]
    out += [text(value) if callable(value) else constant_text(expressions, name.removeprefix("lw.")), ""]
    if inspect.isclass(value) and not issubclass(value, Exception):
        for key, member in sorted(methods(value).items()):
            function = member.fget if isinstance(member, property) else getattr(member, "func", member)
            out += [f"### {value.__name__}.{key}\n"]
            if not isinstance(member, property) and not hasattr(member, "func"):
                out += [f"```python\n{key}{call(function)}\n```\n"]
            out += [text(function), ""]
    return out


def constant_text(module, name: str) -> str:
    """The string below a constant where it is defined, and its value where that is short."""
    value, said = repr(getattr(module, name)), ""
    for file in sorted(Path(module.__file__).parent.glob("*.py")):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        for statement, below in zip(body, body[1:], strict=False):
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name \
                    and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                said = inspect.cleandoc(below.value.value)
    return f"{said}\n\n    {value}" if said and len(value) < LINE else said


def text(value) -> str:
    """A docstring; what is indented in it stays as it is, examples of the prompt become code."""
    return re.sub(r"^(>>>|\.\.\.) ", "    ", inspect.getdoc(value) or "", flags=re.M)


def call(value) -> str:
    """The arguments of a callable with types and defaults; one a line where they are many."""
    try:
        parameters = [p for p in inspect.signature(value).parameters.values() if p.name not in ("self", "unknown")]
    except (TypeError, ValueError):
        return "(…)"
    shown = [argument(p) for p in parameters]
    keywords = [k for k, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY]
    if keywords and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        shown.insert(keywords[0], "*")
    line = f"({', '.join(shown)})"
    return line if len(line) < LINE else "(\n" + "".join(f"    {part},\n" for part in shown) + ")"


def argument(p: inspect.Parameter) -> str:
    """One argument as it is written in code."""
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    kind = "" if p.annotation is p.empty else f": {getattr(p.annotation, '__name__', p.annotation)}"
    value = "" if p.default is p.empty else f" = {p.default!r}"
    return f"{star}{p.name}{kind}{value}"


def methods(cls: type) -> dict[str, object]:
    """The public methods and properties of a class and of its bases in the package."""
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("linkwright"):
            found |= {key: value for key, value in vars(base).items() if not key.startswith("_")
                      and (inspect.isfunction(value) or isinstance(value, property) or hasattr(value, "func"))
                      and not (issubclass(cls, Component) and key in vars(Component))
                      and key not in INTERNAL.get(cls.__name__, ())}
    return found


def describe(room: str, name: str, cls: type[Component]) -> list[str]:
    """One component: its text, parameters and signals, variables."""
    out = [f"## {room}.{name}\n", text(cls), ""]
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
