"""The dialect as checked Python: numbers as compiled code has them, an error with file and line where it goes astray.

`plain(f)` is the function with its operators replaced by those of `arithmetic`: whole numbers wrap, x/0, √−1 and
int(NaN) are numbers, powers are products.  So its results have the bits of compiled code (a NaN is a NaN: its sign and
payload differ between processors).  What compiled code does not look at is checked: indices within their arrays, own
memory read before it is written, and arrays handed in that overlap while one of them is written to.
"""

from __future__ import annotations

import ast
import copy
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import words
from .arithmetic import COMPARED, cut
from .checked import Astray, Checked, Memory, View, as_kind, compared, entry, negative, operate, own, returned
from .layouts import layout_of
from .signatures import results
from .source import Source, source_of
from .values import KINDS, wrapped

OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
             ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr",
             ast.Pow: "power"}


__all__ = ["Astray", "plain"]


class _Rewritten(ast.NodeTransformer):
    """Operators, entries and words of a tree, replaced."""

    def __init__(self, source: Source):
        self.source = source

    def where(self, node: ast.AST) -> ast.Constant:
        line = self.source.first_line + node.lineno - 1
        return ast.Constant(f"{self.source.file}:{line}: in {self.source.name}")

    def call(self, name: str, *parts: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), list(parts), [])

    def index(self, node: ast.Subscript) -> ast.expr:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]

        def one(part: ast.expr) -> ast.expr:
            if not isinstance(part, ast.Slice):
                return self.visit(part)
            ends = (part.lower, part.upper)
            return self.call("slice", *(self.visit(end) if end else ast.Constant(None) for end in ends))

        return ast.Tuple([one(part) for part in parts], ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        word = ast.Constant(OPERATORS[type(node.op)])
        return self.call("_operate", word, self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        return self.call("_negative", inner) if isinstance(node.op, ast.USub) else ast.UnaryOp(node.op, inner)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if isinstance(node.ops[0], ast.In):
            return ast.Compare(self.visit(node.left), node.ops, [self.visit(part) for part in node.comparators])
        signs = ast.Tuple([ast.Constant(COMPARED[type(op)]) for op in node.ops], ast.Load())
        return self.call("_compared", signs, *map(self.visit, (node.left, *node.comparators)))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.call("_entry", self.visit(node.value), self.index(node), self.where(node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        now = copy.deepcopy(node.target)
        now.ctx = ast.Load()
        return self.visit(ast.copy_location(ast.Assign([node.target], ast.copy_location(
            ast.BinOp(now, node.op, node.value), node)), node))

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = ast.Assign([ast.Name("_value", ast.Store())], self.visit(node.value))
        return [value, *(s for target in node.targets for s in self.put(target, ast.Name("_value", ast.Load())))]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def put(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if isinstance(target, ast.Tuple):
            whole = ast.Assign([ast.Name("_values", ast.Store())], self.call("tuple", value))
            names = [ast.Name(f"_value{k}", ast.Store()) for k in range(len(target.elts))]
            parts = ast.Assign([ast.Tuple(names, ast.Store())], ast.Name("_values", ast.Load()))
            stores = [s for t, n in zip(target.elts, names, strict=True)
                      for s in self.put(t, ast.Name(n.id, ast.Load()))]
            return [whole, parts, *stores]
        if isinstance(target, ast.Subscript):
            owner, at = self.visit(target.value), self.index(target)
            return [ast.Expr(self.call("_put", owner, at, value, self.where(target)))]
        if isinstance(target, ast.Attribute):
            return [ast.Assign([ast.Attribute(self.visit(target.value), target.attr, ast.Store())], value)]
        return [ast.Assign([target], value)]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = ast.Constant(None) if node.value is None else self.visit(node.value)
        return ast.Return(self.call("_returned", ast.Name("_shape", ast.Load()), value))


def plain(f: Any, constants: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function as checked Python, with constants put in by their names; takes NumPy's arrays, also of records."""
    f, run, made = getattr(f, "function", f), Memory(), {}
    inner = _rewritten(f, dict(constants or {}), run, made)

    def outer(*arguments: Any) -> Any:
        run.begin([a for a in arguments if isinstance(a, np.ndarray) and a.dtype.names is None])
        source, given = source_of(f), []
        for p, a in zip(source.parameters, arguments, strict=True):
            if isinstance(a, np.ndarray) and a.dtype.names is not None:
                cls = source.space[p.annotation.id]
                a = View(a.reshape(-1)[:1].reshape(()), layout_of(cls, dict(constants or {}), source.space))
            given.append(Checked(a) if isinstance(a, np.ndarray) else a)
        return inner(*given)

    return outer


def _rewritten(f: Any, constants: dict[str, Any], run: Memory, made: dict[Any, Any]) -> Callable[..., Any]:
    """One function, and those that it calls when they are called."""
    if f in made:
        return made[f]
    source = source_of(f)
    tree = copy.deepcopy(source.tree)
    tree.decorator_list, tree.returns = [], None
    heads: list[ast.stmt] = []
    for p in tree.args.args:
        note = p.annotation.id if isinstance(p.annotation, ast.Name) else ""
        if note in KINDS:
            heads += ast.parse(f"{p.arg} = _as_kind({KINDS[note]!r}, {p.arg})").body
        p.annotation = None
    tree.body = heads + [s for old in tree.body for s in _listed(_Rewritten(source).visit(old))]
    module = ast.increment_lineno(ast.fix_missing_locations(ast.Module([tree], [])), source.first_line - 1)
    space = _Space({**source.space, **constants}, constants, run, made, source)
    exec(compile(module, source.file, "exec"), space)
    made[f] = dict.__getitem__(space, source.name)
    return made[f]


def _listed(thing: Any) -> list[ast.stmt]:
    return thing if isinstance(thing, list) else [thing]


class _Space(dict):
    """The globals of a rewritten function: words checked, functions of the dialect rewritten, arrays checked."""

    def __init__(self, names: dict[str, Any], constants: dict[str, Any], run: Memory, made: dict, source: Source):
        helpers = {"_operate": operate, "_negative": negative, "_compared": compared, "_entry": entry,
                   "_put": run.put, "_as_kind": as_kind, "_returned": returned, "_shape": results(source)}
        super().__init__(helpers)
        for name in source.f.__code__.co_names + source.f.__code__.co_freevars:
            if name in names:
                self[name] = self._meant(name, names[name], constants, run, made)
        for name, word in (("int", _cut_or_int), ("float", float), ("abs", _magnitude)):
            self.setdefault(name, word)

    def _meant(self, name: str, thing: Any, constants: dict, run: Memory, made: dict) -> Any:
        thing = getattr(thing, "function", thing)
        if isinstance(thing, np.ndarray):
            return Checked(thing)
        if thing in _WORDS if getattr(thing, "__hash__", None) else False:
            return _WORDS[thing]
        if getattr(thing, "is_dialect_record", False):
            return lambda address: _record_at(thing, address, constants)
        if inspect.isfunction(thing) and thing.__module__ != words.__name__:
            thing = constants.get(thing.__name__, thing)
            if inspect.isfunction(thing):
                return lambda *given: _rewritten(thing, constants, run, made)(*given)
        return thing


def _record_at(cls: type, address: int, constants: dict[str, Any]) -> View:
    import sys

    layout = layout_of(cls, constants, vars(sys.modules[cls.__module__]))
    memory = words.wholes_at(address, layout.slots).view(layout.dtype)
    return View(memory.reshape(()), layout)


def _cut_or_int(x: Any) -> int:
    return cut(x) if isinstance(x, float) else int(x)


def _magnitude(x: Any) -> Any:
    if isinstance(x, complex):
        return words.hypot(x.real, x.imag)
    return math.fabs(x) if isinstance(x, float) else wrapped(abs(x))


_WORDS = {words.reals: own("real"), words.wholes: own("whole"),
          words.reals_at: lambda *given: Checked(words.reals_at(*given)),
          words.wholes_at: lambda *given: Checked(words.wholes_at(*given)),
          words.complexes_at: lambda *given: Checked(words.complexes_at(*given)),
          words.sqrt: lambda x: words.sqrt(float(x)), words.floor: lambda x: words.floor(float(x))}
