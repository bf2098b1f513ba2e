"""ELF objects: their sections, symbols and relocations, read; sections placed and references resolved.

References: System V ABI, and its supplements for x86-64 (§4.4.1) and AArch64 (ELF for the Arm 64-bit Architecture,
§5.7).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from linkwright.errors import LinkwrightError

X86_64, AARCH64 = 62, 183
PROGBITS, SYMTAB, RELA, NOBITS = 1, 2, 4, 8
WRITE, ALLOCATE, EXECUTE = 1, 2, 4
GLOBAL = 1

#: relocations of AArch64 that fill the low twelve bits of an address, and how far they are shifted
LOW_BITS = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}
PAGE_HIGH, JUMPS, RELATIVE = 275, (282, 283), 261
X86_RELATIVE = (2, 4)


@dataclass
class Section:
    """A piece of memory; `data` is empty where it only has a size, being zero at first."""

    name: str
    size: int
    align: int
    flags: int
    data: bytearray

    @property
    def rank(self) -> int:
        """Code, then constants, then data, then what is zero."""
        if self.flags & EXECUTE:
            return 0
        return 1 if not self.flags & WRITE else 2 if self.data else 3


@dataclass(frozen=True)
class Symbol:
    name: str
    section: int
    value: int
    size: int
    is_global: bool


@dataclass(frozen=True)
class Relocation:
    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True)
class Placed:
    """Sections at their addresses, references resolved: code and constants from `start` to `data`, data to `zero`, and
    zeros to `end`; `exports` are (name, address, size), in order of their names."""

    machine: int
    start: int
    data: int
    zero: int
    end: int
    image: bytes  # from start to zero
    exports: list[tuple[str, int, int]]


class ObjectFile:
    """An ELF object of 64 bits."""

    def __init__(self, content: bytes):
        (self.machine,) = struct.unpack_from("<H", content, 18)
        (headers,) = struct.unpack_from("<Q", content, 40)
        count, names = struct.unpack_from("<HH", content, 60)
        rows = [struct.unpack_from("<IIQQQQIIQQ", content, headers + 64 * k) for k in range(count)]

        def text(table: int, offset: int) -> str:
            start = rows[table][4] + offset
            return content[start : content.index(0, start)].decode()

        self.sections: dict[int, Section] = {}
        self.symbols: list[Symbol] = []
        self.relocations: list[Relocation] = []
        for k, (name, kind, flags, _, offset, size, link, _, align, _) in enumerate(rows):
            own = text(names, name)
            if kind in (PROGBITS, NOBITS) and flags & ALLOCATE and size and not own.startswith((".eh_frame", ".note")):
                data = bytearray(content[offset : offset + size] if kind == PROGBITS else b"")
                self.sections[k] = Section(own, size, max(align, 1), flags, data)
            elif kind == SYMTAB:
                for at in range(offset, offset + size, 24):
                    place, info, _, section, value, length = struct.unpack_from("<IBBHQQ", content, at)
                    self.symbols.append(Symbol(text(link, place), section, value, length, info >> 4 == GLOBAL))
        for _, kind, _, _, offset, size, _, target, _, _ in rows:
            if kind == RELA and target in self.sections:
                for at in range(offset, offset + size, 24):
                    where, info, addend = struct.unpack_from("<QQq", content, at)
                    self.relocations.append(Relocation(target, where, info & 0xFFFFFFFF, info >> 32, addend))

    def add(self, name: str, code: bytes) -> None:
        """A function of the target system's own, where the object asks for it."""
        place = max(self.sections) + 1
        if not any(s.name == name and s.section == 0 for s in self.symbols):
            return
        self.sections[place] = Section(f".text.{name}", len(code), 16, ALLOCATE | EXECUTE, bytearray(code))
        self.symbols = [Symbol(name, place, 0, len(code), False) if s.name == name else s for s in self.symbols]

    def placed(self, start: int, page: int, room: int = 0) -> Placed:
        """Sections one after another from `start`; data begin a new page, `room` bytes lie between data and zeros."""
        address: dict[int, int] = {}
        at, data, zero = start, 0, 0
        for rank in range(4):
            if rank == 2:
                at = data = aligned(at, page)
            if rank == 3:
                zero = aligned(at, 16) + room
                at = zero
            for k, section in self.sections.items():
                if section.rank == rank:
                    at = aligned(at, section.align)
                    address[k] = at
                    at += section.size
        for relocation in self.relocations:
            self._resolve(relocation, address)
        image = bytearray(zero - start)
        for k, section in self.sections.items():
            offset = address[k] - start
            image[offset : offset + len(section.data)] = section.data
        exports = sorted((s.name, address[s.section] + s.value, s.size) for s in self.symbols
                         if s.is_global and s.section in address)
        return Placed(self.machine, start, data, zero, at, bytes(image), exports)

    def _resolve(self, r: Relocation, address: dict[int, int]) -> None:
        """Fill in a reference: to S + A, from P."""
        symbol, data = self.symbols[r.symbol], self.sections[r.section].data
        if symbol.section not in address:
            raise LinkwrightError(f"the object needs {symbol.name or 'a section that was left out'}, which is not in "
                                  "it; libraries made here import nothing.")
        to, here = address[symbol.section] + symbol.value + r.addend, address[r.section] + r.offset

        def change(kept: int, bits: int) -> None:
            (word,) = struct.unpack_from("<I", data, r.offset)
            struct.pack_into("<I", data, r.offset, word & kept | bits)

        if self.machine == X86_64 and r.kind in X86_RELATIVE or self.machine == AARCH64 and r.kind == RELATIVE:
            struct.pack_into("<i", data, r.offset, to - here)
        elif self.machine == AARCH64 and r.kind == PAGE_HIGH:
            pages = (to >> 12) - (here >> 12)
            change(0x9F00001F, (pages & 3) << 29 | ((pages >> 2) & 0x7FFFF) << 5)
        elif self.machine == AARCH64 and r.kind in LOW_BITS:
            change(0xFFC003FF, ((to & 0xFFF) >> LOW_BITS[r.kind]) << 10)
        elif self.machine == AARCH64 and r.kind in JUMPS:
            change(0xFC000000, ((to - here) >> 2) & 0x3FFFFFF)
        else:
            raise LinkwrightError(f"a reference to {symbol.name!r} in {self.sections[r.section].name} is of kind "
                                  f"{r.kind}, which is not known here.")


def aligned(value: int, size: int) -> int:
    """The next multiple of a size."""
    return -(-value // size) * size
