"""WebAssembly modules, through LLVM's own target: no linker, no compiler beside it.

LLVM writes a relocatable object, whose addresses and indices are already those of a module that stands alone, with its
constants from address 0 on.  What it lacks is an export section: that is added, what is for linkers is dropped.
The module imports its memory (`env.__linear_memory`), and a stack pointer where it has a stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from linkwright.codegen.machine import _binding, _lock, target_of
from linkwright.codegen.routines import calls_routines, refuse_routines
from linkwright.errors import LinkwrightError

from .tolerances import WASM_STACK

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+nontrapping-fptoint,+sign-ext"  # in every browser since 2021; memset is no call then
IMPORT, EXPORT, DATA = 2, 7, 11  # numbers of sections
SYMBOLS = 8  # of a part of the section "linking"


@dataclass(frozen=True)
class WasmModule:
    """A module, and how it wants its memory: constants, then the stack, which grows down to them, then room."""

    code: bytes
    stack: int  # where the stack begins, and what the importer may use

    @property
    def room(self) -> int:
        """The first byte of memory that is free."""
        return self.stack


def wasm_module(text: str, exports: Sequence[str]) -> WasmModule:
    """The module of the IR `text` with these functions for others to call; arithmetic stays strict."""
    if calls_routines(text):
        refuse_routines("a page")
    llvm, target = _binding(), target_of(TRIPLE, "WebAssembly")
    with _lock:
        machine = target.create_target_machine(cpu="generic", features=FEATURES, opt=2)
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise LinkwrightError(f"LLVM refuses the generated code: {error}") from error
        module.triple, module.data_layout = TRIPLE, str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return _standing_alone(machine.emit_object(module), exports)


def _standing_alone(code: bytes, exports: Sequence[str]) -> WasmModule:
    """An object as a module that can be instantiated."""
    sections = list(_sections(code))
    numbers = _function_numbers(next(body for kind, body in sections if kind == 0 and _name(body) == "linking"))
    missing = [name for name in exports if name not in numbers]
    if missing:
        raise LinkwrightError(f"the compiled code has no function {missing[0]!r}.")
    wanted = [name for kind, body in sections if kind == IMPORT for name in _imported_functions(body)]
    if wanted:
        raise LinkwrightError(f"the code calls {', '.join(wanted)}, which a page does not have.")
    entries = b"".join(_leb(len(name)) + name.encode() + b"\0" + _leb(numbers[name]) for name in exports)
    export = _leb(len(exports)) + entries
    out, end, done = bytearray(code[:8]), 0, False
    for kind, body in sections:
        if kind == 0:
            continue
        if not done and kind > EXPORT:
            out += bytes([EXPORT]) + _leb(len(export)) + export
            done = True
        if kind == DATA:
            end = _data_end(body)
        out += bytes([kind]) + _leb(len(body)) + body
    return WasmModule(bytes(out), -(-(end + WASM_STACK) // 64) * 64)


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(code):
        size, start = _number(code, at + 1)
        yield code[at], code[start : start + size]
        at = start + size


def _name(body: bytes) -> str:
    size, start = _number(body, 0)
    return body[start : start + size].decode()


def _function_numbers(linking: bytes) -> dict[str, int]:
    """Names of functions and their numbers, from the table of symbols."""
    size, at = _number(linking, 0)
    _, at = _number(linking, at + size)  # the version of the table
    while at < len(linking):
        kind, (size, start) = linking[at], _number(linking, at + 1)
        if kind == SYMBOLS:
            return dict(_function_symbols(linking[start : start + size]))
        at = start + size
    return {}


def _function_symbols(table: bytes) -> Iterator[tuple[str, int]]:
    count, at = _number(table, 0)
    for _ in range(count):
        kind = table[at]
        flags, at = _number(table, at + 1)
        undefined, named = bool(flags & 0x10), bool(flags & 0x40)
        if kind in (0, 2, 4, 5):  # function, global, tag, table
            number, at = _number(table, at)
            if not undefined or named:
                size, at = _number(table, at)
                if kind == 0 and not undefined:
                    yield table[at : at + size].decode(), number
                at += size
        elif kind == 1:  # data
            size, at = _number(table, at)
            at += size
            if not undefined:
                for _ in range(3):
                    _, at = _number(table, at)
        else:  # section
            _, at = _number(table, at)


def _imported_functions(body: bytes) -> Iterator[str]:
    count, at = _number(body, 0)
    for _ in range(count):
        size, at = _number(body, at)
        at += size
        size, at = _number(body, at)
        name = body[at : at + size].decode()
        at += size
        kind, at = body[at], at + 1
        if kind == 0:  # function: its type
            yield name
            _, at = _number(body, at)
        elif kind == 3:  # global: type and whether it changes
            at += 2
        else:  # table (after its type) or memory: limits
            at += kind == 1
            flags, at = body[at], at + 1
            _, at = _number(body, at)
            if flags & 1:
                _, at = _number(body, at)


def _data_end(body: bytes) -> int:
    """The last address of constants."""
    count, at = _number(body, 0)
    end = 0
    for _ in range(count):
        if body[at] != 0 or body[at + 1] != 0x41:  # active, in memory 0, at a constant
            raise LinkwrightError("LLVM wrote a data section of an unknown kind.")
        where, at = _signed(body, at + 2)
        size, at = _number(body, at + 1)  # after the end of the expression
        end, at = max(end, where + size), at + size
    return end


def _leb(number: int) -> bytes:
    """An unsigned number, seven bits a byte."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def _number(code: bytes, at: int) -> tuple[int, int]:
    """An unsigned number and where the next thing begins."""
    out = shift = 0
    while True:
        byte, at = code[at], at + 1
        out |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return out, at


def _signed(code: bytes, at: int) -> tuple[int, int]:
    """A signed number and where the next thing begins."""
    start, (out, at) = at, _number(code, at)
    bits = 7 * (at - start)
    return (out - (1 << bits) if out >> (bits - 1) & 1 else out), at
