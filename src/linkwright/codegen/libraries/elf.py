"""Shared objects of Linux: two segments, and what the loader looks for (System V ABI, chapter 5)."""

from __future__ import annotations

import struct

from .objects import AARCH64, ObjectFile, aligned

LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
READ, WRITE, EXECUTE = 4, 2, 1
HASH, STRTAB, SYMTAB, STRSZ, SYMENT, SONAME = 4, 5, 6, 10, 11, 14
#: sizes of the file's header, of a segment's, of a symbol, and of the seven entries for the loader
HEADER, SEGMENT, SYMBOL, ENTRIES = 64, 56, 24, 7 * 16


def shared_object(content: bytes, name: str) -> bytes:
    """The library of one object; `name` is what it calls itself."""
    source = ObjectFile(content)
    page = 0x10000 if source.machine == AARCH64 else 0x1000
    names = sorted(s.name for s in source.symbols if s.is_global and s.section)
    texts = b"\0" + b"".join(text.encode() + b"\0" for text in (*names, name))
    hashes = _hashes(len(names) + 1)
    at_symbols = HEADER + 4 * SEGMENT
    at_hashes = at_symbols + SYMBOL * (len(names) + 1)
    at_texts = at_hashes + len(hashes)
    start = aligned(at_texts + len(texts), 64)
    placed = source.placed(start, page, ENTRIES)
    symbols, at_name = bytes(SYMBOL), 1
    for text, address, size in placed.exports:
        symbols += struct.pack("<IBBHQQ", at_name, 0x12, 0, 1, address, size)
        at_name += len(text) + 1
    entries = ((HASH, at_hashes), (STRTAB, at_texts), (SYMTAB, at_symbols), (STRSZ, len(texts)), (SYMENT, SYMBOL),
               (SONAME, at_name), (0, 0))
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    at_dynamic = placed.zero - ENTRIES
    segments = ((LOAD, READ | EXECUTE, 0, placed.data, placed.data, page),
                (LOAD, READ | WRITE, placed.data, placed.zero - placed.data, placed.end - placed.data, page),
                (DYNAMIC, READ | WRITE, at_dynamic, ENTRIES, ENTRIES, 8),
                (STACK, READ | WRITE, 0, 0, 0, 16))
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, placed.machine, 1, 0, HEADER, 0, 0, HEADER, SEGMENT, len(segments), 64, 0, 0)
    header += b"".join(struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, memory, align)
                       for kind, flags, at, size, memory, align in segments)
    out = bytearray(placed.zero)
    for at, part in ((0, header), (at_symbols, symbols), (at_hashes, hashes), (at_texts, texts),
                     (start, placed.image), (at_dynamic, dynamic)):
        out[at : at + len(part)] = part
    return bytes(out)


def _hashes(count: int) -> bytes:
    """A table with one bucket, whose chain leads through all symbols; the first is none."""
    chain = [0, *(k + 1 if k + 1 < count else 0 for k in range(1, count))]
    table = struct.pack(f"<III{count}I", 1, count, min(count - 1, 1), *chain)
    return table + bytes(-len(table) % 8)
