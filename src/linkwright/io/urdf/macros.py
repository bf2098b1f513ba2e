"""Macro files of robots (xacro): properties, macros, conditions and includes, written out as elements.

The language is that of wiki.ros.org/xacro.  Elements keep the file and line that they were written in, so that errors
and reports point there.  Packages ($(find name)) are looked for as those of meshes are, expressions are evaluated
without Python (`macro_expressions`), and files outside the model's collection are not opened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import ModelError
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..roots import allowed_roots
from ..tolerances import MOST_ELEMENTS, MOST_EXPANSIONS, MOST_FILES
from .macro_expressions import evaluate, literal, truth
from .macro_scopes import Macro, Scope, parameters_of

PREFIX = "xacro:"
#: ${expression}, $(command), and $$ before either for the characters themselves
MARKED = re.compile(r"\$\$(?=[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)")


def has_macros(root: Element) -> bool:
    """Whether a file is written in macros."""
    return any(child.tag.startswith(PREFIX) or has_macros(child) for child in root.children)


def expand(path: Path, arguments: Mapping[str, object], meshes: MeshFiles) -> Element:
    """The root element of a macro file with everything written out; `arguments` are those of $(arg name)."""
    root = read_elements(path)
    made = Element(root.tag, {}, root.file, root.line)
    work = Expansion(path, {name: str(value) for name, value in arguments.items()}, meshes)
    top = Scope()
    made.attributes = {key: str(work.text(root, value, top)) for key, value in root.attributes.items()
                       if not key.startswith("xmlns")}
    work.fill(made, root.children, top)
    unknown = [name for name in arguments if name not in work.asked]
    if unknown:
        raise root.error(f"args: the file has no argument {unknown[0]!r}; it has "
                         f"{', '.join(sorted(work.asked)) or 'none'}.")
    return made


class Expansion:
    """The state of writing out one file: its arguments, and how much has been made."""

    def __init__(self, path: Path, given: dict[str, str], meshes: MeshFiles) -> None:
        self.folder, self.meshes = path.resolve().parent, meshes
        self.allowed = [*allowed_roots(self.folder), *meshes.search]
        self.arguments, self.asked = dict(given), set[str]()
        self.open, self.files, self.made, self.depth = [path.resolve()], 0, 0, 0

    # --- elements ---

    def fill(self, made: Element, children: list[Element], scope: Scope) -> None:
        """Write out children into an element."""
        for child in children:
            for element in self.written(child, scope, made):
                element.parent = made
                made.children.append(element)

    def written(self, element: Element, scope: Scope, into: Element) -> Iterator[Element]:
        """What an element becomes: itself with its texts evaluated, or whatever a macro's word stands for."""
        if not element.tag.startswith(PREFIX):
            yield self._copy(element, element.tag, scope)
            return
        word = element.tag.removeprefix(PREFIX)
        if word in ("property", "arg", "macro"):
            getattr(self, f"_{word}")(element, scope)
        elif word in ("if", "unless"):
            if self._holds(element, scope) == (word == "if"):
                for child in element.children:
                    yield from self.written(child, scope, into)
        elif word == "include":
            yield from self._include(element, scope, into)
        elif word == "insert_block":
            yield from self._block(element, scope, into)
        elif word == "element":
            yield self._copy(element, str(self.text(element, element.need("xacro:name"), scope)), scope)
        elif word == "attribute":
            into.attributes[str(self.text(element, element.need("name"), scope))] = \
                str(self.text(element, element.need("value"), scope))
        else:
            name = str(self.text(element, element.need("macro"), scope)) if word == "call" else word
            yield from self._call(element, name, scope, into)

    def _copy(self, element: Element, tag: str, scope: Scope) -> Element:
        self.made += 1
        if self.made > MOST_ELEMENTS:
            raise element.error(f"its macros stand for more than {MOST_ELEMENTS} elements.")
        copy = Element(tag, {}, element.file, element.line)
        copy.attributes = {key: str(self.text(element, value, scope)) for key, value in element.attributes.items()
                           if not key.startswith((PREFIX, "xmlns:"))}
        copy.text = str(self.text(element, element.text, scope)) if element.text.strip() else ""
        self.fill(copy, element.children, scope)
        return copy

    # --- the words ---

    def _property(self, element: Element, scope: Scope) -> None:
        name = element.need("name")
        target = {"parent": scope.parent or scope, "global": scope.top}.get(element.get("scope") or "", scope)
        value, default = element.get("value"), element.get("default")
        if element.get("remove") is not None:
            target.values.pop(name, None)
        elif default is not None:
            if not scope.knows(name):
                target.values[name] = self._later(element, default, scope)
        elif value is not None:
            target.values[name] = self._later(element, value, scope)
        else:
            target.blocks[name] = (element.children, scope)

    def _later(self, element: Element, text: str, scope: Scope) -> Any:
        """A property's value; what names other properties is evaluated when it is first needed."""
        if "${" not in text and "$(" not in text:
            return literal(text)
        if scope.parent is not None:
            return self.value(element, text, scope)
        return _Pending(element, text)

    def _arg(self, element: Element, scope: Scope) -> None:
        name, default = element.need("name"), element.get("default")
        self.asked.add(name)
        if name not in self.arguments and default is not None:
            self.arguments[name] = str(self.text(element, default, scope))

    def _macro(self, element: Element, scope: Scope) -> None:
        name = element.need("name").removeprefix(PREFIX)
        scope.macros[name] = Macro(name, parameters_of(element), element, scope)

    def _holds(self, element: Element, scope: Scope) -> bool:
        try:
            return truth(self.value(element, element.need("value"), scope))
        except ValueError as error:
            raise element.error(f"{error}.") from None

    def _include(self, element: Element, scope: Scope, into: Element) -> Iterator[Element]:
        named = Path(str(self.text(element, element.need("filename"), scope)))
        file = (named if named.is_absolute() else Path(element.file).resolve().parent / named).resolve()
        if not file.is_file():
            if element.get("optional") in ("true", "True", "1"):
                return
            raise element.error(f"there is no file {str(named)!r}; say where its package is with search=[…].")
        if not any(file.is_relative_to(root) for root in self.allowed):
            raise element.error(f"{named} leads out of the model's folder; allow it with "
                                f"search=[{str(file.parent)!r}].")
        self.files += 1
        if file in self.open or self.files > MOST_FILES:
            raise element.error(f"{file.name} includes itself.")
        self.open.append(file)
        space = element.get("ns")
        target = scope if space is None else scope.spaces.setdefault(space, Scope(scope.top))
        for child in read_elements(file).children:
            yield from self.written(child, target, into)
        self.open.pop()

    def _block(self, element: Element, scope: Scope, into: Element) -> Iterator[Element]:
        name = str(self.text(element, element.need("name"), scope))
        found = scope.block(name)
        if found is None:
            raise element.error(f"there is no block {name!r} here.")
        children, home = found
        for child in children:
            yield from self.written(child, home, into)

    def _call(self, element: Element, name: str, scope: Scope, into: Element) -> Iterator[Element]:
        macro = scope.macro(name)
        if macro is None:
            raise element.error(f"there is no macro {name!r}; the file that defines it is not included before.")
        self.depth += 1
        if self.depth > MOST_EXPANSIONS:
            raise element.error(f"macros call one another more than {MOST_EXPANSIONS} deep.")
        # a macro sees what its caller sees; one of a file that was included with a name, what that file says
        inner = Scope(macro.home if macro.home in scope.top.spaces.values() else scope)
        blocks = list(element.children)
        given = {key: value for key, value in element.attributes.items() if not (name and key == "macro")}
        for parameter in macro.parameters:
            if parameter.blocks:
                if not blocks:
                    raise element.error(f"the macro {name!r} needs a block {parameter.name!r} inside.")
                block = blocks.pop(0)
                inner.blocks[parameter.name] = (block.children if parameter.blocks == 2 else [block], scope)
            elif parameter.name in given:
                inner.values[parameter.name] = self.value(element, given.pop(parameter.name), scope)
            elif parameter.forwarded and scope.knows(parameter.name):
                inner.values[parameter.name] = self.named(scope, parameter.name)
            elif parameter.default is not None:
                inner.values[parameter.name] = self.value(element, parameter.default, inner)
            else:
                raise element.error(f"the macro {name!r} needs the attribute {parameter.name!r}.")
        if given:
            raise element.error(f"the macro {name!r} has no parameter {next(iter(given))!r}.")
        for child in macro.element.children:
            yield from self.written(child, inner, into)
        self.depth -= 1

    # --- texts ---

    def text(self, element: Element, text: str, scope: Scope) -> Any:
        """A text with all ${…} and $(…) evaluated; of one that is a single mark the value itself."""
        if "$" not in text:
            return text
        parts, end = [], 0
        for mark in MARKED.finditer(text):
            parts.append(text[end:mark.start()])
            end = mark.end()
            if mark[1] is not None:
                parts.append(self._expression(element, mark[1], scope))
            else:
                parts.append("$" if mark[2] is None else self._command(element, mark[2], scope))
        parts.append(text[end:])
        parts = [part for part in parts if part != "" or not isinstance(part, str)]
        return parts[0] if len(parts) == 1 else "".join(map(str, parts))

    def value(self, element: Element, text: str, scope: Scope) -> Any:
        """The value of a text: a number or truth where it reads like one."""
        value = self.text(element, text, scope)
        return literal(value) if isinstance(value, str) else value

    def named(self, scope: Scope, name: str) -> Any:
        """The value of a property, which is evaluated now where that was put off."""
        home = scope.home_of(name)
        value = home.values[name]
        if isinstance(value, _Busy):
            raise value.element.error(f"the property {name!r} is defined by itself.")
        if isinstance(value, _Pending):
            home.values[name] = _Busy(value.element, value.text)
            value = home.values[name] = self.value(value.element, value.text, home)
        return value

    def _expression(self, element: Element, text: str, scope: Scope) -> Any:
        def names(name: str) -> Any:
            if name == "xacro":
                return {"load_yaml": lambda file: self._yaml(element, file), "arg": lambda key: self.arguments[key]}
            if name == "load_yaml":
                return lambda file: self._yaml(element, file)
            if name in scope.top.spaces:
                space = scope.top.spaces[name]
                return {key: self.named(space, key) for key in space.values}
            if not scope.knows(name):
                raise KeyError(name)
            return self.named(scope, name)

        try:
            return evaluate(text, names)
        except ValueError as error:
            raise element.error(f"${{{text}}}: {error}.") from None

    def _command(self, element: Element, text: str, scope: Scope) -> Any:
        """$(arg name), $(find package), $(env NAME), $(optenv NAME default), $(dirname), $(eval expression)."""
        word, _, rest = str(self.text(element, text, scope)).strip().partition(" ")
        rest = rest.strip()
        if word == "arg":
            if rest not in self.arguments:
                raise element.error(f"$(arg {rest}): give it with lw.read(…, args={{{rest!r}: …}}).")
            return self.arguments[rest]
        if word == "find":
            folder = self.meshes.package(rest)
            if folder is None:
                raise element.error(f"$(find {rest}): there is no package {rest!r} around the file; say where with "
                                    "search=[…].")
            return str(folder)
        if word == "eval":
            return self._expression(element, rest, scope)
        if word == "dirname":
            return str(Path(element.file).resolve().parent)
        if word in ("env", "optenv"):
            name, _, default = rest.partition(" ")
            if name not in os.environ and word == "env":
                raise element.error(f"$(env {name}): the environment has no variable {name!r}.")
            return os.environ.get(name, default)
        raise element.error(f"$({text}) is not known here; known are arg, find, eval, dirname, env, optenv.")

    def _yaml(self, element: Element, name: str) -> Any:
        try:
            import yaml
        except ImportError:
            raise element.error("load_yaml needs the package PyYAML: pip install pyyaml.") from None
        file = (Path(element.file).resolve().parent / name).resolve()
        if not file.is_file() or not any(file.is_relative_to(root) for root in self.allowed):
            raise element.error(f"load_yaml: there is no file {name!r} in the model's folders.")
        try:
            return yaml.safe_load(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{file}: this cannot be read as YAML: {error}") from None


class _Pending:
    """A property that names others, to be evaluated when it is first needed."""

    def __init__(self, element: Element, text: str) -> None:
        self.element, self.text = element, text


class _Busy(_Pending):
    """The same while it is being evaluated."""
