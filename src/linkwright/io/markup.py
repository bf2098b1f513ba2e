"""XML files as elements that know their line, and what of them has been read.

Model files come from strangers.  Nothing outside the file is ever fetched: entities are refused where they are declared
(a few lines of them can stand for gigabytes, or for a file of the system), and size and depth are bounded.

An element remembers which attributes and children somebody asked for.  What is left over at the end was ignored, and
that is how the report of a reader comes by its list (see `import_report`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload
from xml.parsers import expat

import numpy as np

from ..errors import ModelError
from .tolerances import DEEPEST, HUGE, LARGEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Element:
    """One element: tag, attributes, children, text, and where it stands."""

    def __init__(self, tag: str, attributes: dict[str, str], file: Path, line: int,
                 parent: Element | None = None) -> None:
        self.tag, self.attributes, self.file, self.line, self.parent = tag, attributes, file, line, parent
        self.children: list[Element] = []
        self.text = ""
        self.seen = self.left = False
        self.read: set[str] = set()
        self.inherited: dict[str, Element] = {}  # attribute → the element of a class that gives it where it is left out
        self.above: list[Element] = []  # the elements of classes it is made of, the outermost first

    # --- where it is ---

    def __repr__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}{f' name={name!r}' if name else ''}>"

    @property
    def place(self) -> str:
        """File, line and element, as messages begin."""
        return f"{self.file}, line {self.line}, {self!r}"

    def error(self, message: str) -> ModelError:
        """A complaint about this element."""
        return ModelError(f"{self.place}: {message}")

    # --- children ---

    def all(self, *tags: str) -> Iterator[Element]:
        """The children of these tags (all of them without), in the file's order."""
        for child in self.children:
            if not tags or child.tag in tags:
                child.seen = True
                yield child

    def first(self, tag: str) -> Element | None:
        """The first child of a tag, or None."""
        return next(self.all(tag), None)

    def the(self, tag: str) -> Element:
        """The first child of a tag, which must be there."""
        found = self.first(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing here.")
        return found

    def leave(self) -> None:
        """Whatever is inside is meant to be passed over."""
        self.seen = self.left = True
        self.read.update(self.attributes)
        for child in self.children:
            child.leave()

    # --- attributes ---

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute as it is written, or the default."""
        self.read.add(name)
        if name in self.inherited:
            given = self.inherited[name].get(name, default)
            return self.attributes.get(name, given)
        return self.attributes.get(name, default)

    def need(self, name: str) -> str:
        """An attribute that must be there and say something."""
        value = (self.get(name) or "").strip()
        if not value:
            raise self.error(f"the attribute {name} is missing.")
        return value

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """An attribute that is one of a few words."""
        value = self.get(name, default)
        if value not in choices:
            raise self.error(f"{name} is one of {', '.join(choices)}; got {value!r}.")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """true or false."""
        value = (self.get(name) or "").strip().lower()
        if value in ("true", "1"):
            return True
        if value in ("false", "0"):
            return False
        if value:
            raise self.error(f"{name} is true or false; got {value!r}.")
        return default

    @overload
    def number(self, name: str, default: float) -> float: ...

    @overload
    def number(self, name: str, default: None = None) -> float | None: ...

    def number(self, name: str, default: float | None = None) -> float | None:
        """One finite number; an attribute that says nothing stands for the default."""
        text = self.get(name)
        return default if text is None or not text.strip() else float(self.as_numbers(text, name, 1)[0])

    @overload
    def numbers(self, name: str, count: int | tuple[int, ...] | None, default: ArrayLike) -> np.ndarray: ...

    @overload
    def numbers(self, name: str, count: int | tuple[int, ...] | None = None,
                default: None = None) -> np.ndarray | None: ...

    def numbers(self, name: str, count: int | tuple[int, ...] | None = None,
                default: ArrayLike | None = None) -> np.ndarray | None:
        """Finite numbers separated by spaces, as many as `count` says (one of several, or any), or the default."""
        text = self.get(name)
        if text is None or not text.strip():
            return None if default is None else np.array(default, dtype=float)
        return self.as_numbers(text, name, count)

    def as_numbers(self, text: str, what: str, count: int | tuple[int, ...] | None = None) -> np.ndarray:
        """A text of this element as finite numbers."""
        try:
            values = np.array([float(word) for word in text.split()])
        except ValueError:
            values = np.array([math.nan])
        if np.any((np.abs(values) >= HUGE) & np.isfinite(values)):
            raise self.error(f"{what} = {text[:57]}: no quantity of a machine is beyond {HUGE:g}.")
        counts = (count,) if isinstance(count, int) else count
        if counts and len(values) not in counts or not np.all(np.abs(values) < HUGE):
            many = " or ".join(map(str, counts)) if counts else "finite"
            shown = text if len(text) < 60 else text[:57] + "…"
            raise self.error(f"{what} is {many} number{'s' if many != '1' else ''}; got {shown!r}.")
        return values

    def words(self) -> str:
        """The text inside, without the spaces around it."""
        self.read.add("")
        return self.text.strip()

    # --- what nobody asked for ---

    def unread(self) -> Iterator[tuple[Element, str]]:
        """(element, attribute or "") of all that nobody asked for; an element passed over stands for all inside it."""
        if not self.seen:
            yield self, ""
            return
        for name in self.attributes:
            if name not in self.read and not name.startswith(("xmlns", "xsi:")):
                yield self, name
        for name in self.inherited if not self.left else ():
            if name not in self.read and name not in self.attributes:
                yield self, name
        for child in self.children:
            yield from child.unread()


def read_elements(path: Path, text: str | bytes | None = None) -> Element:
    """The root element of a file (or of `text`, which stands for it)."""
    if text is None:
        text = _content(path)
    builder = _Builder(path)
    parser = builder.parser
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, str(error))
        raise ModelError(f"{path}, line {error.lineno}: this is not well-formed XML: {message}{builder.inside()}."
                         ) from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise ModelError(f"{path}, line 1: this cannot be read as XML: {error}.") from None
    return builder.root


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file.")
    size = path.stat().st_size
    if size > LARGEST:
        raise ModelError(f"{path}, line 1: {size / 2**20:.0f} MiB are more than the {LARGEST // 2**20} MiB a model "
                         "file may have.")
    return path.read_bytes()


class _Builder:
    """Makes elements of what expat tells."""

    def __init__(self, path: Path) -> None:
        self.path, self.root, self.open = path, None, []
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.entity
        parser.UnparsedEntityDeclHandler = self.entity
        parser.ExternalEntityRefHandler = self.entity

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        parent = self.open[-1] if self.open else None
        element = Element(tag, attributes, self.path, line, parent)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        if len(self.open) >= DEEPEST:
            raise element.error(f"elements are nested more than {DEEPEST} deep.")
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def entity(self, name: str, *rest: Any) -> None:
        raise ModelError(f"{self.path}, line {self.parser.CurrentLineNumber}: the file declares the entity {name!r}. "
                         "Entities are not followed, since they can reach other files or grow without bound; write out "
                         "what it stands for.")

    def inside(self) -> str:
        return f", inside {self.open[-1]!r} of line {self.open[-1].line}" if self.open else ""
