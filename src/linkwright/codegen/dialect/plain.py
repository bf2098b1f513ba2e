"""The dialect as checked Python: the numbers of compiled code, and an error with file and line where it would go astray.

`plain(f)` is the function with its operators replaced by those of `arithmetic`: whole numbers wrap, x/0, √−1 and int(NaN)
are numbers, powers are products.  So its results have the bits of compiled code (a NaN is a NaN: its sign and payload
differ between processors).  What compiled code does not look at is checked: indices within their arrays, own memory read
before it is written, and arrays handed in that overlap while one of them is written to.
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
from .annotations import results
from .arithmetic import COMPARED, FOLDED, cut, divided
from .layouts import Layout, layout_of
from .source import Source, source_of
from .values import KINDS, wrapped

OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
             ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr",
             ast.Pow: "power"}


class Astray(IndexError):
    """Compiled code would have gone astray here."""


class Checked:
    """An array with every access checked; `written` says which entries have a value (None: all)."""

    def __init__(self, data: np.ndarray, written: np.ndarray | None = None):
        self.data, self.written = data, written

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def size(self) -> int:
        return self.data.size

    @property
    def ctypes(self) -> Any:
        return self.data.ctypes

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Any:
        return (_entry(self, (k,), "") for k in range(len(self)))


class View:
    """A record in NumPy's memory: its fields by name."""

    def __init__(self, memory: np.ndarray, layout: Layout):
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_layout", layout)

    def __getattr__(self, name: str) -> Any:
        found = self._layout.find(name)
        if found is None:
            raise AttributeError(name)
        value = self._memory[name]
        if found.layout is not None:
            return View(value, found.layout)
        return Checked(value) if found.shape else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        self._memory[name] = value


def _inside(a: Checked, index: tuple[int, ...], where: str) -> None:
    for k, (i, size) in enumerate(zip(index, a.data.shape, strict=False)):
        if not isinstance(i, int | np.integer) or not 0 <= i < size:
            raise Astray(f"{where}: index {i} in dimension {k} of an array of shape {a.data.shape}.")


def _entry(a: Any, index: Any, where: str) -> Any:
    """a[index]."""
    if isinstance(a, tuple):
        return a[index[0]]
    if isinstance(index[0], slice):
        part = slice(index[0].start, index[0].stop)
        low, high = part.start or 0, len(a) if part.stop is None else part.stop
        if not 0 <= low <= high <= len(a):
            raise Astray(f"{where}: [{low}:{high}] of an array of size {len(a)}.")
        return Checked(a.data[part], None if a.written is None else a.written[part])
    _inside(a, index, where)
    found = a.data[index]
    if isinstance(found, np.ndarray):
        return Checked(found, None if a.written is None else a.written[index])
    if a.written is not None and not a.written[index]:
        raise Astray(f"{where}: an entry of own memory is read that nobody has written.")
    return found.item()


class _Run:
    """What a call from outside knows: places of memory that were handed in twice."""

    def __init__(self) -> None:
        self.overlaps: list[tuple[int, int]] = []

    def put(self, a: Checked, index: Any, value: Any, where: str) -> None:
        """a[index] = value."""
        slices = isinstance(index[0], slice)
        if not slices:
            _inside(a, index, where)
        target = a.data[index] if not slices else _entry(a, index, where).data
        if isinstance(target, np.ndarray) and isinstance(value, tuple) and len(target) != len(value):
            raise Astray(f"{where}: {len(value)} numbers go into {len(target)} places.")
        spot = a.data[index[:-1]][index[-1]:index[-1] + 1] if not isinstance(target, np.ndarray) else target
        first = spot.ctypes.data
        if any(low <= first < high for low, high in self.overlaps):
            raise Astray(f"{where}: memory is written that was handed in twice, by arrays that overlap.")
        if a.data.dtype.kind == "i":
            value = tuple(map(wrapped, value)) if isinstance(value, tuple) else wrapped(int(value))
        part = index if not slices else slice(index[0].start, index[0].stop)
        a.data[part] = value
        if a.written is not None:
            a.written[part] = True

    def begin(self, arrays: list[np.ndarray]) -> None:
        self.overlaps = []
        for k, a in enumerate(arrays):
            for b in arrays[:k]:
                if np.may_share_memory(a, b) and np.shares_memory(a, b):
                    (low, high), (start, end) = ((x.ctypes.data, x.ctypes.data + x.nbytes) for x in (a, b))
                    self.overlaps.append((max(low, start), min(high, end)))


def operate(word: str, a: Any, b: Any) -> Any:
    """a ∘ b, as compiled code has it."""
    if word == "power":
        return _raised(a, b)
    real = isinstance(a, float) or isinstance(b, float)
    if word == "div":
        return divided(float(a), float(b))
    if real:
        return FOLDED[word](float(a), float(b))
    if isinstance(a, bool) and isinstance(b, bool) and word in ("and", "or", "xor"):
        return FOLDED[word](a, b)
    return wrapped(FOLDED[word](int(a), int(b)))


def _raised(x: Any, n: int) -> Any:
    if n == 0:
        return 1.0 if isinstance(x, float) else 1
    result = None
    while n:
        if n & 1:
            result = x if result is None else operate("mul", result, x)
        n >>= 1
        if n:
            x = operate("mul", x, x)
    return result


def _compared(signs: tuple[str, ...], *values: Any) -> bool:
    """A chain of comparisons; a whole number beside a real one becomes real."""
    def holds(sign: str, a: Any, b: Any) -> bool:
        if isinstance(a, float) or isinstance(b, float):
            a, b = float(a), float(b)
        return FOLDED[sign](a, b)

    return all(holds(sign, a, b) for sign, a, b in zip(signs, values, values[1:], strict=False))


def _negative(x: Any) -> Any:
    return -x if isinstance(x, float) else wrapped(-x)


def _own(kind: str) -> Callable[..., Checked]:
    def make(*shape: int) -> Checked:
        data = words.reals(*shape) if kind == "real" else words.wholes(*shape)
        return Checked(data, np.zeros(shape, dtype=bool))

    return make


def _as_kind(kind: str, x: Any) -> Any:
    if kind == "whole":
        return cut(x) if isinstance(x, float) else int(x)
    return float(x) if kind == "real" else bool(x)


def _returned(shape: Any, value: Any) -> Any:
    if isinstance(shape, tuple):
        return tuple(_returned(s, v) for s, v in zip(shape, value, strict=True)) if shape else None
    return _as_kind(shape, value)


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
            return self.call("slice", *(self.visit(end) if end else ast.Constant(None) for end in (part.lower, part.upper)))

        return ast.Tuple([one(part) for part in parts], ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self.call("_operate", ast.Constant(OPERATORS[type(node.op)]), self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        return self.call("_negative", inner) if isinstance(node.op, ast.USub) else ast.UnaryOp(node.op, inner)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
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
            stores = [s for t, n in zip(target.elts, names, strict=True) for s in self.put(t, ast.Name(n.id, ast.Load()))]
            return [whole, parts, *stores]
        if isinstance(target, ast.Subscript):
            return [ast.Expr(self.call("_put", self.visit(target.value), self.index(target), value, self.where(target)))]
        if isinstance(target, ast.Attribute):
            return [ast.Assign([ast.Attribute(self.visit(target.value), target.attr, ast.Store())], value)]
        return [ast.Assign([target], value)]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = ast.Constant(None) if node.value is None else self.visit(node.value)
        return ast.Return(self.call("_returned", ast.Name("_shape", ast.Load()), value))


def plain(f: Any, constants: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function as checked Python, with constants put in by their names; takes NumPy's arrays and records of them."""
    f, run, made = getattr(f, "function", f), _Run(), {}
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


def _rewritten(f: Any, constants: dict[str, Any], run: _Run, made: dict[Any, Any]) -> Callable[..., Any]:
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
    exec(compile(module, source.file, "exec"), space)  # noqa: S102
    made[f] = dict.__getitem__(space, source.name)
    return made[f]


def _listed(thing: Any) -> list[ast.stmt]:
    return thing if isinstance(thing, list) else [thing]


class _Space(dict):
    """The globals of a rewritten function: words checked, functions of the dialect rewritten, arrays checked."""

    def __init__(self, names: dict[str, Any], constants: dict[str, Any], run: _Run, made: dict, source: Source):
        helpers = {"_operate": operate, "_negative": _negative, "_compared": _compared, "_entry": _entry, "_put": run.put, "_as_kind": _as_kind,
                   "_returned": _returned, "_shape": results(source)}
        super().__init__(helpers)
        for name in source.f.__code__.co_names + source.f.__code__.co_freevars:
            if name in names:
                self[name] = self._meant(name, names[name], constants, run, made)
        for name, word in (("int", cut_or_int), ("float", float), ("abs", _magnitude)):
            self.setdefault(name, word)

    def _meant(self, name: str, thing: Any, constants: dict, run: _Run, made: dict) -> Any:
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


def cut_or_int(x: Any) -> int:
    return cut(x) if isinstance(x, float) else int(x)


def _magnitude(x: Any) -> Any:
    return math.fabs(x) if isinstance(x, float) else wrapped(abs(x))


_WORDS = {words.reals: _own("real"), words.wholes: _own("whole"),
          words.reals_at: lambda *given: Checked(words.reals_at(*given)),
          words.wholes_at: lambda *given: Checked(words.wholes_at(*given)),
          words.sqrt: lambda x: words.sqrt(float(x)), words.floor: lambda x: words.floor(float(x))}
