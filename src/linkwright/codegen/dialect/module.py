"""Functions of the dialect for one target, written as LLVM's text with all that they call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import elementary
from ..tolerances import WRITTEN_AGAIN, WRITTEN_OUT
from ..written import Written
from . import signatures
from .source import Source
from .statements import suite
from .values import SCALAR, ZERO, Array, Value, constant, essence, flat, is_tuple
from .writer import Writer


class Module:
    """A text for W lanes, or (`strided`) for threads of a GPU, with `constants` put in by their names.

    Loops over constant ranges of up to `unroll` rounds are written out; longer ones of independent rounds ask for so
    many numbers `together`.  Numbers of a single run that come from outside may lie a known `stride` apart.
    """

    def __init__(self, lanes: int = 1, constants: Mapping[str, Any] | None = None, unroll: int = WRITTEN_OUT,
                 strided: bool = False, attributes: str = "", commented: bool = False, prefix: str = "",
                 together: int = 1, stride: int = 1):
        self.stride = stride
        self.prefix, self.together = prefix, together
        self.lanes, self.constants, self.unroll, self.strided = lanes, dict(constants or {}), unroll, strided
        self.commented = commented  # with the lines that it was made of
        self.several = lanes > 1 or strided
        #: how memory from outside the function lies
        self.outside = "strided" if strided or stride > 1 else "lanes"
        self.attributes = f"nounwind {attributes}"
        self.functions: dict[Any, Function] = {}
        self.tables: dict[tuple[str, bytes], tuple[str, str]] = {}
        self.declarations: set[str] = set()
        self.elementary: set[tuple[str, int]] = set()
        self.entries: list[str] = []
        self.roots: list[Function] = []
        self._open: list[Any] = []
        self._count = 0

    def function(self, source: Source, given: list[Any], masked: bool, caller: Writer | None = None) -> Function:
        """The function compiled for arguments like these."""
        key = source.f, masked, tuple(map(essence, given))
        if caller is not None and any(one[0] is source.f for one in self._open):
            raise caller.wrong(f"{source.name} calls itself", "a loop, and a stack in an array of its own")
        if key not in self.functions:
            self._open.append(key)
            self._count += 1  # functions of one name may call each other
            try:
                self.functions[key] = Function(self, source, f"{self.prefix}{source.name}.{self._count}", given, masked)
            finally:
                self._open.pop()
        return self.functions[key]

    def result_kinds(self, source: Source) -> list[str]:
        return flat(signatures.results(source))

    def table(self, numbers: np.ndarray, kind: str) -> str:
        """Where a table of constants lies."""
        numbers = np.ascontiguousarray(numbers, dtype=np.float64 if kind == "real" else np.int64)
        key = kind, numbers.tobytes()
        if key not in self.tables:
            values = ", ".join(f"{SCALAR[kind]} {constant(x).name}" for x in numbers.ravel().tolist())
            name = f"@{self.prefix}table.{len(self.tables)}"
            self.tables[key] = name, f"{name} = internal constant [{numbers.size} x {SCALAR[kind]}] [{values}], align 8"
        return self.tables[key][0]

    def _used(self) -> list[str]:
        """Tables, functions that are used, entries."""
        used: dict[str, Function] = {}
        open_ones = list(reversed(self.roots))
        while open_ones:
            made = open_ones.pop()
            if made.symbol not in used:
                used[made.symbol] = made
                open_ones += made.called
        return [*(text for _, text in self.tables.values()), *(made.text for made in used.values()), *self.entries]

    def written(self) -> Written:
        """The functions, to be linked with others (`codegen.linked`): programs of a model, elementary functions."""
        others = frozenset(d for d in self.declarations if "@model_" not in d)
        return Written("\n".join(self._used()), others, frozenset(self.elementary))

    def text(self) -> str:
        """All of it: declarations, elementary functions, tables, functions that are used, entries."""
        parts = {part for name, lanes in self.elementary for part in elementary.function(name, lanes)}
        definitions = sorted(re.sub(r"^define (?!internal)", "define internal ", part, flags=re.M)
                             for part in parts if not part.startswith("declare"))
        declared = self.declarations | {part.strip() for part in parts if part.startswith("declare")}
        defined = set(re.findall(r"^define .*?@([\w.]+)\(", "\n".join(definitions), flags=re.M))
        declared = {d for d in declared if re.search(r"@([\w.]+)\(", d)[1] not in defined}
        return "\n".join([*sorted(declared), *definitions, *self._used(),
                          f"attributes #0 = {{ {self.attributes} }}", ""])


class Function:
    """One function for certain arguments, in LLVM's text; internal to its module."""

    def __init__(self, module: Module, source: Source, name: str, given: list[Any], masked: bool):
        self.module, self.source, self.masked, self.symbol = module, source, masked, f"@{name}"
        self.shape = signatures.results(source)
        kinds = flat(self.shape)
        if kinds and not signatures.ends(source.tree.body):
            raise source.wrong(source.tree, "a way leads to the end without a result", "return on every way")
        w = Writer(module, source, masked)
        for _ in range(WRITTEN_AGAIN):
            w.begin()
            formal = [text for p, thing in zip(source.parameters, given, strict=True)
                      for text in self._receive(w, p.arg, thing)]
            suite(w, source.tree.body)
            if not w.again:
                break
        self.called = w.called
        self.results = [Value(kind, "", k in w.varying_results) for k, kind in enumerate(kinds)]
        types = [w.type(r.kind, r.varying) for r in self.results]
        self.result_type = "{ " + ", ".join(types) + " }" if types else "void"
        formal += [f"<{w.W} x i1> %mask"] * masked + ["i64 %stride"] * module.strided
        w.jump("exit")
        w.label("exit")
        whole = "poison"
        for k, text in enumerate(types):
            value = w.new("", False, f"load {text}, ptr {w.slot(f'return {k}', text)}").name
            whole = w.new("", False, f"insertvalue {self.result_type} {whole}, {text} {value}, {k}").name
        w.line(f"ret {self.result_type} {whole}" if types else "ret void")
        self.text = (f"define internal {self.result_type} {self.symbol}({', '.join(formal)}) #0 {{\nentry:\n"
                     + "\n".join([*w.places, *w.lines]) + "\n}\n")

    def _receive(self, w: Writer, name: str, thing: Any) -> list[str]:
        """Formal arguments, and what the name stands for."""
        formal: list[str] = []

        def number(v: Value, what: str) -> Value:
            formal.append(f"{w.type(v.kind, v.varying)} %a.{what}")
            return Value(v.kind, f"%a.{what}", v.varying)

        def received(v: Any, what: str) -> Any:
            if is_tuple(v):
                return tuple(received(part, f"{what}.{k}") for k, part in enumerate(v))
            if isinstance(v, Value):
                return number(v, what)
            formal.append(f"ptr %a.{what}")
            if not isinstance(v, Array):
                return v._replace(name=f"%a.{what}")
            offset = number(v.offset, f"{what}.offset") if v.offset.varying else ZERO
            shape = tuple(size if size.const is not None else number(size, f"{what}.size{k}")
                          for k, size in enumerate(v.shape))
            return v._replace(base=f"%a.{what}", offset=offset, shape=shape)

        inside = received(thing, name)
        w.home_depth[name] = 0
        if isinstance(thing, Value) and thing.const is not None:
            w.bound[name] = thing  # fixed
        elif isinstance(inside, Value) or is_tuple(inside) and all(isinstance(v, Value) for v in flat(inside)):
            w.assign(name, inside)
        else:
            w.bound[name] = inside
            if self._stored(name):
                raise self.source.wrong(self.source.tree, f"the argument {name} is memory and is assigned to",
                                        "another name")
        return formal

    def _stored(self, name: str) -> bool:
        return self.source.assigned.get(name, 0) > 2

    def grouped(self, values: list[Any]) -> Any:
        """Results as the annotation nests them."""
        left = iter(values)

        def group(shape: Any) -> Any:
            return tuple(map(group, shape)) if is_tuple(shape) else next(left)

        return group(self.shape)

