"""Libraries of macOS, signed as code for nobody must be.  Experimental: checked for form, never run on a Mac.

Reference: Apple, Mach-O Programming Topics; <mach-o/loader.h>, <kern/cs_blobs.h>.
"""

from __future__ import annotations

import hashlib
import struct

from .objects import AARCH64, ObjectFile, Placed, aligned

PAGE, SIGNED_PAGE = 0x4000, 0x1000
MAGIC, ARM64, INTEL64, DYLIB = 0xFEEDFACF, 0x0100000C, 0x01000007, 6
SEGMENT, ID, LOAD, DYLD_INFO, SYMTAB, DYSYMTAB, UUID, BUILD, SIGNATURE = (
    0x19, 0xD, 0xC, 0x80000022, 2, 0xB, 0x1B, 0x32, 0x1D)
FLAGS = 0x00100085  # no undefined symbols, for the dynamic linker, two-level names, no re-exports
SYSTEM = "/usr/lib/libSystem.B.dylib"


def library(content: bytes, name: str) -> bytes:
    """The library of one object; the file's offsets are its addresses, headers lie in the first page."""
    source = ObjectFile(content)
    placed = source.placed(PAGE, PAGE)
    arm = placed.machine == AARCH64
    links_file = aligned(placed.zero, PAGE)
    trie, symbols, texts = _links(placed)
    at_symbols = links_file + len(trie)
    at_texts = at_symbols + len(symbols)
    at_signature = aligned(at_texts + len(texts), 16)
    signature_size = _signature_size(at_signature, name)
    total = at_signature + aligned(signature_size, 16)
    commands = _segments(placed, links_file, total) + [
        _dylib(ID, f"@rpath/{name}", 1, 0x10000),
        struct.pack("<II10I", DYLD_INFO, 48, *[0] * 8, links_file, len(trie)),
        struct.pack("<IIIIII", SYMTAB, 24, at_symbols, len(placed.exports), at_texts, len(texts)),
        struct.pack("<II18I", DYSYMTAB, 80, 0, 0, 0, len(placed.exports), len(placed.exports), 0, *[0] * 12),
        struct.pack("<II16s", UUID, 24, hashlib.sha256(content).digest()[:16]),
        struct.pack("<IIIIII", BUILD, 24, 1, *[11 << 16 if arm else 10 << 16 | 13 << 8] * 2, 0),
        _dylib(LOAD, SYSTEM, 2, 0x05270000),
        struct.pack("<IIII", SIGNATURE, 16, at_signature, total - at_signature)]
    loads = b"".join(commands)
    head = struct.pack("<IIIIIIII", MAGIC, ARM64 if arm else INTEL64, 0 if arm else 3, DYLIB, len(commands),
                       len(loads), FLAGS, 0)
    out = bytearray(total)
    for at, part in ((0, head + loads), (PAGE, placed.image), (links_file, trie), (at_symbols, symbols),
                     (at_texts, texts)):
        out[at : at + len(part)] = part
    signature = _signature(bytes(out[:at_signature]), name, placed.data)
    out[at_signature : at_signature + len(signature)] = signature
    return bytes(out)


def _segments(placed: Placed, links_file: int, total: int) -> list[bytes]:
    """Code and constants; data and zeros; links, which follow the zeros in memory."""
    memory = aligned(placed.end, PAGE)
    data = struct.pack("<16s16sQQIIIIIIII", b"__data", b"__DATA", placed.data, placed.zero - placed.data, placed.data,
                       6, 0, 0, 0, 0, 0, 0)
    zeros = struct.pack("<16s16sQQIIIIIIII", b"__bss", b"__DATA", placed.zero, placed.end - placed.zero, 0, 6, 0, 0, 1,
                        0, 0, 0)
    code = struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", PAGE, placed.data - PAGE, PAGE, 6, 0, 0, 0x80000400,
                       0, 0, 0)
    found = [_segment(b"__TEXT", 0, placed.data, 0, placed.data, 5, [code])]
    if memory > placed.data:
        found.append(_segment(b"__DATA", placed.data, memory - placed.data, placed.data, links_file - placed.data, 3,
                              [data, zeros]))
    return [*found, _segment(b"__LINKEDIT", memory, aligned(total - links_file, PAGE), links_file, total - links_file,
                             1, [])]


def _segment(name: bytes, address: int, memory: int, at: int, size: int, rights: int, sections: list[bytes]) -> bytes:
    return struct.pack("<II16sQQQQIIII", SEGMENT, 72 + 80 * len(sections), name, address, memory, at, size, rights,
                       rights, len(sections), 0) + b"".join(sections)


def _dylib(command: int, path: str, stamp: int, version: int) -> bytes:
    text = path.encode() + b"\0"
    text = text.ljust(aligned(24 + len(text), 8) - 24, b"\0")
    return struct.pack("<IIIIII", command, 24 + len(text), 24, stamp, version, 0x10000) + text


def _links(placed: Placed) -> tuple[bytes, bytes, bytes]:
    """The exports as a trie, symbols, and their texts."""
    texts, symbols = b" \0", b""
    for name, address, _ in placed.exports:
        symbols += struct.pack("<IBBHQ", len(texts), 0x0F, 1, 0, address)
        texts += b"_" + name.encode() + b"\0"
    return _trie(placed.exports), symbols, texts.ljust(aligned(len(texts), 8), b"\0")


def _trie(exports: list[tuple[str, int, int]]) -> bytes:
    """Of one level: the root, which leads to every name; a root has at most 255 branches."""
    nodes = []
    for name, address, _ in exports:
        value = _leb(0) + _leb(address)
        nodes.append((b"_" + name.encode() + b"\0", _leb(len(value)) + value + b"\0"))
    places = [0] * len(nodes)
    while True:  # how long the root is depends on the places, and they on it
        root = _leb(0) + bytes([len(nodes)]) + b"".join(text + _leb(at) for (text, _), at in zip(nodes, places,
                                                                                                strict=True))
        found, at = [], len(root)
        for _, node in nodes:
            found.append(at)
            at += len(node)
        if found == places:
            break
        places = found
    whole = root + b"".join(node for _, node in nodes)
    return whole.ljust(aligned(len(whole), 8), b"\0")


def _leb(number: int) -> bytes:
    """A whole number in groups of seven bits."""
    out = []
    while True:
        out.append(number & 127)
        number >>= 7
        if not number:
            return bytes([*(group | 128 for group in out[:-1]), out[-1]])


def _signature_size(covered: int, name: str) -> int:
    return 20 + 88 + len(name) + 1 + 32 * -(-covered // SIGNED_PAGE)


def _signature(covered: bytes, name: str, code: int) -> bytes:
    """A superblob with one code directory, hashes of all pages, and no signer."""
    identity = name.encode() + b"\0"
    pages = range(0, len(covered), SIGNED_PAGE)
    hashes = b"".join(hashlib.sha256(covered[at : at + SIGNED_PAGE]).digest() for at in pages)
    size = 88 + len(identity) + len(hashes)
    directory = struct.pack(">IIIIIIIIIBBBBIIIIQQQQ", 0xFADE0C02, size, 0x20400, 0x20002, 88 + len(identity), 88, 0,
                            len(pages), len(covered), 32, 2, 0, 12, 0, 0, 0, 0, 0, 0, code, 0) + identity + hashes
    return struct.pack(">IIIII", 0xFADE0CC0, 20 + size, 1, 0, 20) + directory
