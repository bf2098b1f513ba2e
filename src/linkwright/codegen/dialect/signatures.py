"""What the annotations of a function say."""

from __future__ import annotations

import ast
import types
from typing import Any, NamedTuple

from .layouts import Layout, layout_of
from .source import Source
from .values import KINDS


class Given(NamedTuple):
    """An argument as an entry takes it: a number (`kind`), an array (`sizes`, None where any will do), or a record."""

    name: str
    kind: str
    sizes: tuple[int | None, ...] | None = None
    layout: Layout | None = None


def results(source: Source) -> Any:
    """Kinds of the results, as nested tuples; () where there is none."""
    note = source.tree.returns
    if note is None:
        raise source.wrong(source.tree, "the result is not annotated", "-> float, -> tuple[float, int], -> None")
    if isinstance(note, ast.Constant) and note.value is None:
        return ()
    return _kinds(source, note)


def _kinds(source: Source, note: ast.AST) -> Any:
    if isinstance(note, ast.Name) and note.id in KINDS:
        return KINDS[note.id]
    if isinstance(note, ast.Subscript) and getattr(note.value, "id", "") == "tuple":
        parts = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
        return tuple(_kinds(source, part) for part in parts)
    alias = source.space.get(note.id) if isinstance(note, ast.Name) else None
    if isinstance(alias, types.GenericAlias):
        return tuple(_kinds(source, ast.parse(part.__name__, mode="eval").body) for part in alias.__args__)
    raise source.wrong(note, f"results of type {ast.unparse(note)}", "float, int, bool and tuples of them")


def arguments(source: Source, constants: dict[str, Any]) -> list[Given]:
    """The arguments of an entry."""
    return [_given(source, p, constants) for p in source.parameters]


def _given(source: Source, p: ast.arg, constants: dict[str, Any]) -> Given:
    note = p.annotation
    if isinstance(note, ast.Name) and note.id in KINDS and note.id != "fixed":
        return Given(p.arg, KINDS[note.id])
    if isinstance(note, ast.Subscript) and getattr(note.value, "id", "") in ("real", "whole"):
        sizes = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
        return Given(p.arg, note.value.id, tuple(_size(source, size, constants) for size in sizes))
    cls = constants.get(note.id, source.space.get(note.id)) if isinstance(note, ast.Name) else None
    if isinstance(cls, Layout):
        return Given(p.arg, "", None, cls)
    if getattr(cls, "is_dialect_record", False):
        return Given(p.arg, "", None, layout_of(cls, constants, source.space))
    what = "not annotated" if note is None else f"annotated as {ast.unparse(note)}"
    raise source.wrong(p, f"{p.arg} of an entry is {what}", "float, int, bool, real[:, 3], whole[:], or a record")


def _size(source: Source, node: ast.AST, constants: dict[str, Any]) -> int | None:
    if isinstance(node, ast.Slice):
        return None
    try:
        return int(eval(ast.unparse(node), {}, {**source.space, **constants}))
    except (NameError, TypeError, ValueError) as error:
        raise source.wrong(node, f"the size {ast.unparse(node)} of an array is not known",
                           "a colon for any size, a number, or a constant") from error


def ends(body: list[ast.stmt]) -> bool:
    """Whether statements always end by `return`."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.While):
        forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return forever and not any(isinstance(n, ast.Break) for n in ast.walk(last))
    return isinstance(last, ast.Return)
