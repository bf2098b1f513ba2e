"""Calls: Python's and the dialect's words, functions of the dialect, functions by address and by name."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable
from typing import Any

from .. import elementary
from . import words
from .arithmetic import binary, choose, number, to, wide
from .expressions import expression, outside
from .layouts import Layout, layout_of
from .memory import address, at_address, copy_guarded, own, pointer_of, settled, store
from .source import source_of
from .values import KINDS, SCALAR, Array, Complex, Record, Value, constant, described, flat, is_tuple
from .writer import Writer


def called(w: Writer, node: ast.Call) -> Any:
    """The result of a call; a tuple for several, None for none."""
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise w.wrong(f"`{ast.unparse(node)}` has arguments by name or by star", "arguments in their order", node)
    meant = outside(w, node.func)
    meant = getattr(meant, "function", meant)  # of compiled code, what it was made of
    layout = getattr(meant, "dialect_layout", None)
    if layout is None and isinstance(meant, type) and getattr(meant, "is_dialect_record", False):
        layout = layout_of(meant, w.module.constants, w.source.space)
    if layout is not None:
        return _record_at(w, layout, node)
    word = WORDS.get(meant) if getattr(meant, "__hash__", None) else None
    if word is not None:
        given = [expression(w, a) for a in node.args]
        w.node = node
        return word(w, *given)
    if isinstance(meant, words.ByAddress | words.ByName):
        given = [expression(w, a) for a in node.args]
        w.node = node
        return (_by_address if isinstance(meant, words.ByAddress) else _by_name)(w, meant, given)
    if meant in (math.sqrt, math.floor, math.hypot, math.atan2, math.exp, math.log):
        raise w.wrong(f"`{ast.unparse(node.func)}` raises errors", f"{meant.__name__} of `codegen.dialect`", node)
    if not inspect.isfunction(meant):
        raise w.wrong(f"`{ast.unparse(node.func)}` is called, which is no function of the dialect",
                      "a function of the module, or one of the words of `codegen.dialect`", node)
    return _function(w, meant, node)


def _function(w: Writer, f: Any, node: ast.Call) -> Any:
    """A call of another function of the dialect, compiled for these arguments."""
    given = [expression(w, a) for a in node.args]
    w.node = node
    return _call_function(w, w.module.constants.get(f.__name__, f), given)


def _call_function(w: Writer, f: Any, given: list[Any], specialised: bool = False) -> Any:
    """A call of a function of the dialect; `specialised` by numbers that are known."""
    source = source_of(f)
    if len(given) != len(source.parameters):
        raise w.wrong(f"{source.name} takes {len(source.parameters)} arguments, and gets {len(given)}",
                      "all of them, in their order")
    given = [_fitted(w, thing, p, source, specialised) for thing, p in zip(given, source.parameters, strict=True)]
    made = w.module.function(source, given, w.mask is not None, w)
    w.called.append(made)
    text = f"call {made.result_type} {made.symbol}({', '.join(actual(w, made, given))})"
    if not made.results:
        w.line(text)
        return None
    whole = w.new("", False, text).name
    values = [w.new(r.kind, r.varying, f"extractvalue {made.result_type} {whole}, {k}")
              for k, r in enumerate(made.results)]
    return made.grouped(values)


def actual(w: Writer, made: Any, given: list[Any]) -> list[str]:
    """Arguments as they are handed over."""
    texts = []
    for thing in (leaf for one in given for leaf in flat(one)):
        if isinstance(thing, Value):
            texts.append(f"{w.type(thing.kind, thing.varying)} {thing.name}")
        elif isinstance(thing, Record):
            texts.append(f"ptr {thing.name}")
        else:
            texts.append(f"ptr {thing.base}")
            sizes = [size for size in thing.shape if size.const is None]
            offset = [thing.offset] if thing.offset.varying else []
            texts += [f"{w.type('whole', v.varying)} {v.name}" for v in (*offset, *sizes)]
    if made.masked:
        texts.append(f"<{w.W} x i1> {w.mask_name()}")
    return texts + ["i64 %stride"] * w.module.strided


def _fitted(w: Writer, thing: Any, p: ast.arg, source: Any, specialised: bool) -> Any:
    """An argument as its annotation wants it; an address may be the array, the record, or the function, itself."""
    note = ast.unparse(p.annotation) if p.annotation else ""
    if note == "int" and (isinstance(thing, Record) or isinstance(thing, Value) and callable(thing.const)):
        return thing
    if note == "int" and isinstance(thing, Array) and thing.shape:
        return settled(w, thing)
    if note in KINDS:
        if not isinstance(thing, Value) or KINDS[note] != "real" and thing.kind == "real":
            raise w.wrong(f"{p.arg} of {source.name} is {note}, and gets {described(thing)}", f"a number, {note}")
        thing = to(w, KINDS[note], thing)
        if note == "fixed" and thing.const is None:
            raise w.wrong(f"{p.arg} of {source.name} is fixed, and gets a number that is not known when code is made",
                          "a constant")
        # constants travel as numbers, so that a function is not compiled anew for every one
        kept = note in ("fixed", "known") or specialised or not isinstance(thing, Value)
        return thing if kept else thing._replace(const=None)
    if isinstance(thing, Array):
        if isinstance(p.annotation, ast.Subscript) and getattr(p.annotation.value, "id", "") in ("real", "whole"):
            kind, dims = p.annotation.value.id, p.annotation.slice
            count = len(dims.elts) if isinstance(dims, ast.Tuple) else 1
            if kind != thing.kind or count != len(thing.shape):
                raise w.wrong(f"{p.arg} of {source.name} is {note}, and gets {described(thing)} of kind {thing.kind}",
                              "an array as it is annotated")
        if any(size.varying for size in thing.shape):
            raise w.wrong("an array whose size differs from lane to lane is handed on", "its start and count")
        return settled(w, thing)
    if is_tuple(thing):
        return tuple(part._replace(const=None) if isinstance(part, Value) else part for part in thing)
    if isinstance(thing, Value):
        return thing._replace(const=None)
    if thing is None:
        raise w.wrong("a function without a result stands where something is needed", "let it return something")
    return thing


def _by_address(w: Writer, function: words.ByAddress, given: list[Any]) -> Any:
    meant = given[0].const if isinstance(given[0], Value) else None
    if isinstance(meant, words.ByName):
        return _by_name(w, meant, given[1:])
    if callable(meant):  # a function that is known when code is made
        return WORDS[meant](w, *given[1:]) if meant in WORDS else _call_function(w, meant, given[1:], True)
    if w.module.several:
        raise w.wrong("a function is called by its address in lanes", "a function by its name, put in as a constant")
    pointer = pointer_of(w, given[0])
    texts = []
    if len(given) != len(function.arguments) + 1:
        raise w.wrong(f"{len(given) - 1} arguments for a function of {len(function.arguments)}", "all of them")
    for kind, thing in zip(function.arguments, given[1:], strict=True):
        if isinstance(thing, Array):
            texts.append(f"ptr {address(w, thing)}")
        elif isinstance(thing, Record):
            texts.append(f"ptr {thing.name}")
        else:
            word = {float: "real", int: "whole"}[kind]
            texts.append(f"{SCALAR[word]} {to(w, word, thing).name}")
    if function.result is None:
        w.line(f"call void {pointer}({', '.join(texts)})")
        return None
    kind = {float: "real", int: "whole"}[function.result]
    return w.new(kind, False, f"call {SCALAR[kind]} {pointer}({', '.join(texts)})")


def _by_name(w: Writer, function: words.ByName, given: list[Any]) -> None:
    if len(given) != function.count or not all(isinstance(thing, Array) for thing in given):
        raise w.wrong(f"{function.name} takes {function.count} arrays", "these")
    w.module.declarations.add(f"declare void @{function.name}({', '.join(['ptr'] * len(given))})")
    guarded = w.mask is not None and function.writes > 0
    places = [address(w, a) for a in given]
    if guarded:
        places[1] = w.memory(f"[{function.writes * w.W} x double]", zeroed=False)
    w.line(f"call void @{function.name}({', '.join(f'ptr {place}' for place in places)})")
    if guarded:
        copy_guarded(w, places[1], settled(w, given[1]), function.writes)


def _record_at(w: Writer, layout: Layout, node: ast.Call) -> Record:
    """`Run(address)`: the record that lies there."""
    where = expression(w, node.args[0])
    return where if isinstance(where, Record) else Record(layout, pointer_of(w, number(w, where)), w.module.outside)


# --- the words ---

def magnitude(w: Writer, x: Any) -> Value:
    """|x|"""
    if isinstance(x, Complex):
        return _elementary("hypot")(w, x.re, x.im)
    return _intrinsic("fabs")(w, x)


def _intrinsic(name: str) -> Callable[..., Value]:
    def write(w: Writer, x: Any) -> Value:
        if name == "fabs" and number(w, x).kind != "real":
            return choose(w, binary(w, "lt", x, constant(0)), binary(w, "sub", constant(0), x), to(w, "whole", x))
        x = to(w, "real", x)
        if x.const is not None and name == "fabs":
            return constant(abs(x.const))
        return w.call("real", x.varying, f"llvm.{name}.{{}}f64", x)

    return write


def _elementary(name: str) -> Callable[..., Value]:
    def write(w: Writer, *given: Any) -> Value:
        values = [to(w, "real", x) for x in given]
        if len(values) != elementary.arguments(name):
            raise w.wrong(f"{name} takes {elementary.arguments(name)} arguments", "all of them")
        varying = any(v.varying for v in values)
        lanes = w.W if varying else 1
        w.module.elementary.add((name, lanes))
        values = [wide(w, v, varying) for v in values]
        t = w.type("real", varying)
        return w.new("real", varying, f"call {t} @lw_{name}_{lanes}({', '.join(f'{t} {v.name}' for v in values)})")

    return write


def _sine_and_cosine(w: Writer, x: Any) -> tuple[Value, Value]:
    x = to(w, "real", x)
    lanes, t = w.W if x.varying else 1, w.type("real", x.varying)
    w.module.elementary.add(("sincos", lanes))
    both = w.new("", False, f"call {{ {t}, {t} }} @lw_sincos_{lanes}({t} {x.name})").name
    sine, cosine = (w.new("real", x.varying, f"extractvalue {{ {t}, {t} }} {both}, {k}") for k in range(2))
    return sine, cosine


def _extreme(word: str) -> Callable[..., Value]:
    def write(w: Writer, first: Any, *others: Any) -> Value:
        result = number(w, first)
        for other in others:
            result = choose(w, binary(w, word, other, result), other, result)
        return result

    return write


def _bitcast(source: str, kind: str) -> Callable[..., Value]:
    def write(w: Writer, x: Any) -> Value:
        x = to(w, source, x)
        return w.new(kind, x.varying, f"bitcast {w.type(source, x.varying)} {x.name} to {w.type(kind, x.varying)}")

    return write


def _length(w: Writer, thing: Any) -> Value:
    if is_tuple(thing):
        return constant(len(thing))
    if not isinstance(thing, Array):
        raise w.wrong(f"the length of {described(thing)}", "the length of an array")
    return thing.shape[0]


def _forget(w: Writer, array: Array) -> None:
    """Entries of one run that may be in registers become a constant, which needs none; what is in memory stays."""
    if w.W == 1 and array.mode == "lanes" and all(size.const is not None for size in array.shape) \
            and array.shape[-1].const <= w.module.unroll:
        for k in range(math.prod(size.const for size in array.shape)):
            store(w, array._replace(offset=binary(w, "add", array.offset, constant(k)), shape=()), constant(0.0))


def _as(kind: str) -> Callable[..., Value]:
    return lambda w, x: to(w, kind, x)


def _own(kind: str) -> Callable[..., Array]:
    return lambda w, *shape: own(w, kind, tuple(number(w, s) for s in shape))


def _at(kind: str) -> Callable[..., Array]:
    return lambda w, where, *shape: at_address(w, kind, where, tuple(to(w, "whole", s) for s in shape))


WORDS: dict[Any, Callable[..., Any]] = {
    abs: magnitude, words.sqrt: _intrinsic("sqrt"), words.floor: _intrinsic("floor"),
    min: _extreme("lt"), max: _extreme("gt"), float: _as("real"), int: _as("whole"), bool: _as("truth"), len: _length,
    words.forget: _forget, words.bits: _bitcast("real", "whole"), words.from_bits: _bitcast("whole", "real"),
    words.sin_cos: _sine_and_cosine, words.reals: _own("real"), words.wholes: _own("whole"),
    words.reals_at: _at("real"), words.wholes_at: _at("whole"), words.complexes_at: _at("complex"),
    **{getattr(words, name): _elementary(ours) for name, ours in words.ELEMENTARY.items()}}
