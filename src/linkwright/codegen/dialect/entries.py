"""Entries: functions of the dialect as others call them.

One run, `void name(arguments…)` or with a result:

    float, int, bool    double, int64_t, int64_t
    real[:, 3]          double*, then every size that is a colon as int64_t
    a record            its address
    one result          returned; several: a last argument `results`, 8 bytes each

W lanes: the same, arrays and records with each number of all lanes side by side, numbers and `shared` arrays the same
for all; results always by `results`, as vectors.  Threads of a GPU: number k of thread i at [k n + i]; the last
arguments are `results` and n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import signatures
from .calls import actual
from .module import Function, Module
from .source import source_of
from .values import ZERO, Array, Record, Value, constant
from .writer import Writer

PASSED = {"real": "double", "whole": "i64", "truth": "i64"}


def entry(module: Module, f: Any, shared: Sequence[str] = (), name: str | None = None) -> str:
    """Add an entry to a module; its name."""
    f = getattr(f, "function", f)
    source = source_of(f)
    given = signatures.arguments(source, module.constants)
    unknown = set(shared) - {one.name for one in given}
    if unknown:
        raise source.wrong(source.tree, f"{', '.join(sorted(unknown))} is to be shared and is no argument",
                           f"some of {', '.join(one.name for one in given)}")
    w = Writer(module, source, False)
    w.lines.clear()
    formal, things = [], []
    for one in given:
        thing = _received(w, one, one.name in shared, formal)
        things.append(thing)
    made = module.function(source, things, False)
    module.roots.append(made)
    symbol = name or source.name
    if module.strided:
        text = _kernel(w, made, things, formal, symbol)
    else:
        text = _function(w, made, things, formal, symbol)
    module.entries.append(text)
    return symbol


def _received(w: Writer, one: signatures.Given, shared: bool, formal: list[str]) -> Any:
    """An argument of the entry: what it is passed as, and what the function gets."""
    own = f"%a.{one.name}"
    mode = "shared" if shared else w.module.outside
    if one.sizes is not None:
        formal.append(f"ptr noalias {own}")
        sizes = []
        for k, size in enumerate(one.sizes):
            sizes.append(Value("whole", f"{own}.size{k}") if size is None else constant(size))
            formal.extend([f"i64 {own}.size{k}"] if size is None else [])
        base = own
        if mode == "strided" and w.module.strided:
            base = w.new("", False, f"getelementptr double, ptr {own}, i64 %thread").name
        return Array(one.kind, base, ZERO, tuple(sizes), mode)
    if one.layout is not None:
        formal.append(f"ptr noalias {own}")
        if mode != "strided" or not w.module.strided:
            return Record(one.layout, own, mode)
        # a thread keeps its record in registers: a copy of its own, written back at the end
        return Record(one.layout, w.memory(f"[{one.layout.slots} x double]", zeroed=False), "lanes")
    formal.append(f"{PASSED[one.kind]} {own}")
    if one.kind == "truth":
        return w.new("truth", False, f"icmp ne i64 {own}, 0")
    return Value(one.kind, own)


def _call(w: Writer, made: Function, things: list[Any]) -> list[str]:
    """The call itself; the names of the results."""
    text = f"call {made.result_type} {made.symbol}({', '.join(actual(w, made, things))})"
    if not made.results:
        w.line(text)
        return []
    whole = w.new("", False, text).name
    return [w.new("", False, f"extractvalue {made.result_type} {whole}, {k}").name for k in range(len(made.results))]


def _stored(w: Writer, made: Function, names: list[str], where: Any) -> None:
    """Results into memory, truth values as whole numbers."""
    from .arithmetic import to, wide

    for k, (result, name) in enumerate(zip(made.results, names, strict=True)):
        value = Value(result.kind, name, result.varying)
        value = to(w, "whole", value) if result.kind == "truth" else value
        value = wide(w, value, w.W > 1)
        place = w.new("", False, f"getelementptr double, ptr %results, i64 {where(k)}").name
        w.line(f"store {w.type(value.kind, value.varying)} {value.name}, ptr {place}, align 8")


def _function(w: Writer, made: Function, things: list[Any], formal: list[str], symbol: str) -> str:
    names = _call(w, made, things)
    returned = "void"
    if w.W == 1 and len(names) == 1:
        kind = made.results[0].kind
        returned, value = PASSED[kind], names[0]
        if kind == "truth":
            value = w.new("whole", False, f"zext i1 {value} to i64").name
        w.line(f"ret {returned} {value}")
    else:
        _stored(w, made, names, lambda k: k * w.W)
        formal += ["ptr noalias %results"] * bool(names)
        w.line("ret void")
    return f"define {returned} @{symbol}({', '.join(formal)}) #0 {{\n" + "\n".join([*w.places, *w.lines]) + "\n}\n"


def _kernel(w: Writer, made: Function, things: list[Any], formal: list[str], symbol: str) -> str:
    """One run a thread; threads beyond the last do nothing."""
    module, before = w.module, w.lines
    head = []
    for word in ("ctaid", "ntid", "tid"):
        module.declarations.add(f"declare i32 @llvm.nvvm.read.ptx.sreg.{word}.x()")
        head.append(f"  %{word} = call i32 @llvm.nvvm.read.ptx.sreg.{word}.x()")
    head += ["  %first = mul i32 %ctaid, %ntid", "  %number = add i32 %first, %tid",
             "  %thread = zext i32 %number to i64", "  %inside = icmp ult i64 %thread, %stride",
             "  br i1 %inside, label %go, label %end", "go:"]
    records = [(formal_name(one), thing) for one, thing in zip(made.source.parameters, things, strict=True)
               if isinstance(thing, Record)]
    w.lines = before
    for name, thing in records:
        _moved(w, name, thing, inwards=True)
    names = _call(w, made, things)
    for name, thing in records:
        _moved(w, name, thing, inwards=False)
    _stored(w, made, names, lambda k: _at(w, k))
    formal += ["ptr noalias %results"] * bool(names) + ["i64 %stride"]
    lines = [*w.places, *head, *w.lines, "  br label %end", "end:", "  ret void"]
    return f"define ptx_kernel void @{symbol}({', '.join(formal)}) #0 {{\n" + "\n".join(lines) + "\n}\n"


def formal_name(parameter: Any) -> str:
    return f"%a.{parameter.arg}"


def _at(w: Writer, k: int) -> str:
    if k == 0:
        return "%thread"
    row = w.new("", False, f"mul i64 %stride, {k}").name
    return w.new("", False, f"add i64 {row}, %thread").name


def _moved(w: Writer, name: str, record: Record, inwards: bool) -> None:
    """A record of a thread from its place among those of all threads, or back."""
    for k in range(record.layout.slots):
        far = w.new("", False, f"getelementptr double, ptr {name}, i64 {_at(w, k)}").name
        near = w.new("", False, f"getelementptr double, ptr {record.name}, i64 {k}").name
        source, target = (far, near) if inwards else (near, far)
        value = w.new("", False, f"load double, ptr {source}, align 8").name
        w.line(f"store double {value}, ptr {target}, align 8")

