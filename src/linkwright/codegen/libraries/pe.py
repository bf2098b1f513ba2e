"""Libraries of Windows: a DLL without imports (Microsoft, PE Format)."""

from __future__ import annotations

import struct

from .objects import ObjectFile, aligned

PAGE, FILE_PAGE, IMAGE_BASE = 0x1000, 0x200, 0x180000000
AMD64 = 0x8664
#: characteristics of sections: code | read | execute, data | read | write, data | read, the same and discardable
CODE, DATA, CONSTANT, DISCARDABLE = 0x60000020, 0xC0000040, 0x40000040, 0x42000040
#: Windows grows a stack page by page: functions with large frames ask for this one first, with the size in rax.
#: push rcx; push rax; lea rcx, [rsp+24]; cmp rax, 4096; jb end
#: next: sub rcx, 4096; test [rcx], ecx; sub rax, 4096; cmp rax, 4096; ja next
#: end: sub rcx, rax; test [rcx], ecx; pop rax; pop rcx; ret
CHECK_STACK = bytes.fromhex("5150488d4c2418483d000010007217" "4881e900100000" "8509" "482d00100000" "483d00100000"
                            "77e9" "4829c1" "8509" "5859c3")


def library(content: bytes, name: str) -> bytes:
    """The DLL of one object, in which code and constants are read and executed; `name` is its file's."""
    source = ObjectFile(content)
    source.add("__chkstk", CHECK_STACK)
    placed = source.placed(PAGE, PAGE)
    sections = [(b".text", PAGE, placed.image[: placed.data - PAGE], placed.data - PAGE, CODE)]
    at = placed.data
    if placed.end > placed.data:
        sections.append((b".data", at, placed.image[placed.data - PAGE :], placed.end - placed.data, DATA))
        at = aligned(placed.end, PAGE)
    exports = _exports(placed.exports, name, at)
    sections.append((b".edata", at, exports, len(exports), CONSTANT))
    at_relocations = aligned(at + len(exports), PAGE)
    sections.append((b".reloc", at_relocations, struct.pack("<II", PAGE, 8), 8, DISCARDABLE))  # none are needed
    return _file(sections, {0: (at, len(exports)), 5: (at_relocations, 8)}, aligned(at_relocations + 8, PAGE))


def _exports(exports: list[tuple[str, int, int]], name: str, at: int) -> bytes:
    """The directory of exports: addresses, places of names, numbers, then the names themselves."""
    count = len(exports)
    addresses = at + 40
    names, numbers = addresses + 4 * count, addresses + 8 * count
    texts_at = numbers + 2 * count
    texts, places = name.encode() + b"\0", []
    for own, _, _ in exports:
        places.append(texts_at + len(texts))
        texts += own.encode() + b"\0"
    head = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, texts_at, 1, count, count, addresses, names, numbers)
    return head + struct.pack(f"<{count}I{count}I{count}H", *(address for _, address, _ in exports), *places,
                              *range(count)) + texts


def _file(sections: list[tuple[bytes, int, bytes, int, int]], directories: dict[int, tuple[int, int]],
          size: int) -> bytes:
    """Headers, then the sections, each at a multiple of FILE_PAGE; what is only zero has no bytes in the file."""
    head = aligned(64 + 4 + 20 + 240 + 40 * len(sections), FILE_PAGE)
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    coff = struct.pack("<HHIIIHH", AMD64, len(sections), 0, 0, 0, 240, 0x2022)
    code = aligned(len(sections[0][2]), FILE_PAGE)
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, code, 0, 0, 0, PAGE)
    optional += struct.pack("<QIIHHHHHHIIIIHHQQQQII", IMAGE_BASE, PAGE, FILE_PAGE, 6, 0, 0, 0, 6, 0, 0, size, head, 0,
                            2, 0x0160, 1 << 20, 1 << 12, 1 << 20, 1 << 12, 0, 16)
    optional += b"".join(struct.pack("<II", *directories.get(k, (0, 0))) for k in range(16))
    table, content, at = b"", b"", head
    for name, address, data, memory, flags in sections:
        raw = aligned(len(data), FILE_PAGE)
        table += name.ljust(8, b"\0") + struct.pack("<IIIIIIHHI", memory, address, raw, at if raw else 0, 0, 0, 0, 0,
                                                    flags)
        content += data.ljust(raw, b"\0")
        at += raw
    return (dos + b"PE\0\0" + coff + optional + table).ljust(head, b"\0") + content
