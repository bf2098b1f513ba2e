"""Libraries for other systems, mapped into an emulated processor, and their functions called.

The file is taken apart by `lief`, which knows nothing of how it was made: what its loader would map is mapped, names
are looked up among its exports, and arguments are passed by the conventions of the system (System V, Microsoft x64, or
AAPCS64 as Linux and macOS have it; on the stack of macOS everything here is eight bytes wide, so that both agree).
"""

from __future__ import annotations

import struct

import lief
import unicorn
from unicorn import arm64_const as arm
from unicorn import x86_const as x86

PAGE = 0x1000
BASE, STACK, HEAP, RETURN = 0x180000000, 0x7F0000000000, 0x600000000000, 0x500000000000
ROOM = 1 << 20
#: registers for whole numbers and pointers
WHOLE = {"sysv": [x86.UC_X86_REG_RDI, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RCX, x86.UC_X86_REG_R8,
                  x86.UC_X86_REG_R9],
         "windows": [x86.UC_X86_REG_RCX, x86.UC_X86_REG_RDX, x86.UC_X86_REG_R8, x86.UC_X86_REG_R9],
         "arm": [getattr(arm, f"UC_ARM64_REG_X{k}") for k in range(8)]}
#: registers that a function must leave as they were
KEPT = {"sysv": [x86.UC_X86_REG_RBX, x86.UC_X86_REG_RBP, *(getattr(x86, f"UC_X86_REG_R{k}") for k in range(12, 16))],
        "windows": [x86.UC_X86_REG_RBX, x86.UC_X86_REG_RBP, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDI,
                    *(getattr(x86, f"UC_X86_REG_R{k}") for k in range(12, 16)),
                    *(getattr(x86, f"UC_X86_REG_XMM{k}") for k in range(6, 16))],
        "arm": [*(getattr(arm, f"UC_ARM64_REG_X{k}") for k in range(18, 29)),
                *(getattr(arm, f"UC_ARM64_REG_D{k}") for k in range(8, 16))]}


class Emulated:
    """A library in an emulated machine."""

    def __init__(self, content: bytes):
        binary = lief.parse(list(content))
        assert binary is not None
        self.convention, regions, self.exports = _taken_apart(binary)
        on_arm = self.convention == "arm"
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM64 if on_arm else unicorn.UC_ARCH_X86,
                                  unicorn.UC_MODE_ARM if on_arm else unicorn.UC_MODE_64)
        for address, size, data, rights in regions:
            self.machine.mem_map(BASE + address, -(-size // PAGE) * PAGE, rights)
            self.machine.mem_write(BASE + address, data)
        for address in (STACK - ROOM, HEAP, RETURN):
            self.machine.mem_map(address, ROOM, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE | unicorn.UC_PROT_EXEC)
        if on_arm:
            self.machine.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # floating point is switched on
        self._free = HEAP

    # --- memory ---

    def store(self, data: bytes) -> int:
        """Bytes somewhere in memory; gives their address."""
        at, self._free = self._free, self._free + -(-max(len(data), 1) // 16) * 16
        assert self._free < HEAP + ROOM
        self.machine.mem_write(at, data)
        return at

    def text(self, value: str) -> int:
        return self.store(value.encode() + b"\0")

    def reals(self, address: int, n: int) -> list[float]:
        return list(struct.unpack(f"<{n}d", self.machine.mem_read(address, 8 * n)))

    # --- calls ---

    def call(self, name: str, *arguments: int | float, result: str = "whole") -> int | float:
        """Call an exported function with whole numbers (pointers, too) and reals."""
        stack = STACK - 0x1000
        on_stack = self._pass(arguments)
        if self.convention == "windows":
            on_stack = [0, 0, 0, 0, *on_stack]  # room for the four registers
        if self.convention == "arm":
            stack -= -(-8 * len(on_stack) // 16) * 16
            self.machine.reg_write(arm.UC_ARM64_REG_LR, RETURN)
            pointer = arm.UC_ARM64_REG_SP
        else:
            stack -= -(-8 * len(on_stack) // 16) * 16 + 8  # as after the call has pushed where to return to
            on_stack = [RETURN, *on_stack]
            pointer = x86.UC_X86_REG_RSP
        self.machine.mem_write(stack, struct.pack(f"<{len(on_stack)}Q", *on_stack))
        self.machine.reg_write(pointer, stack)
        before = [self.machine.reg_read(register) for register in KEPT[self.convention]]
        self.machine.emu_start(BASE + self.exports[name], RETURN)
        assert [self.machine.reg_read(register) for register in KEPT[self.convention]] == before, name
        if result == "real":
            register = arm.UC_ARM64_REG_D0 if self.convention == "arm" else x86.UC_X86_REG_XMM0
            return struct.unpack("<d", struct.pack("<Q", self.machine.reg_read(register) & (1 << 64) - 1))[0]
        return self.machine.reg_read(arm.UC_ARM64_REG_X0 if self.convention == "arm" else x86.UC_X86_REG_RAX)

    def _pass(self, arguments: tuple[int | float, ...]) -> list[int]:
        """Put arguments into registers; gives those that go on the stack."""
        whole, reals, rest = WHOLE[self.convention], 0, []
        wholes = 0
        for k, argument in enumerate(arguments):
            real = isinstance(argument, float)
            bits = struct.unpack("<Q", struct.pack("<d", argument))[0] if real else argument
            if self.convention == "windows":  # one row of places for both kinds
                place, room = k, k < len(whole)
            else:
                place = reals if real else wholes
                room = place < (8 if real else len(whole))
            if not room:
                rest.append(bits)
            elif real:
                family = "UC_ARM64_REG_D" if self.convention == "arm" else "UC_X86_REG_XMM"
                self.machine.reg_write(getattr(arm if self.convention == "arm" else x86, f"{family}{place}"), bits)
            else:
                self.machine.reg_write(whole[place], bits)
            reals, wholes = reals + real, wholes + (not real)
        return rest


def _taken_apart(binary) -> tuple[str, list[tuple[int, int, bytes, int]], dict[str, int]]:
    """(convention, (address, size, bytes, rights) of what is mapped, exports), as the system's loader sees them."""
    read, write, run = unicorn.UC_PROT_READ, unicorn.UC_PROT_WRITE, unicorn.UC_PROT_EXEC
    if isinstance(binary, lief.PE.Binary):
        assert binary.header.machine == lief.PE.Header.MACHINE_TYPES.AMD64 and not binary.imports
        flags = lief.PE.Section.CHARACTERISTICS
        regions = [(s.virtual_address, s.virtual_size, bytes(s.content)[:s.virtual_size],
                    read | write * s.has_characteristic(flags.MEM_WRITE) | run * s.has_characteristic(
                        flags.MEM_EXECUTE)) for s in binary.sections]
        return "windows", regions, {entry.name: entry.address for entry in binary.get_export().entries}
    if isinstance(binary, lief.ELF.Binary):
        assert not binary.imported_functions and not list(binary.relocations)
        on_arm = binary.header.machine_type == lief.ELF.ARCH.AARCH64
        kinds = lief.ELF.Segment.FLAGS
        segments = [s for s in binary.segments if s.type == lief.ELF.Segment.TYPE.LOAD]
        regions = [(s.virtual_address, s.virtual_size, bytes(s.content),
                    read | write * (kinds.W in s) | run * (kinds.X in s)) for s in segments]
        return "arm" if on_arm else "sysv", _on_pages(regions), {
            symbol.name: symbol.value for symbol in binary.dynamic_symbols if symbol.value}
    assert isinstance(binary, lief.MachO.Binary) and not list(binary.imported_functions)
    on_arm = binary.header.cpu_type == lief.MachO.Header.CPU_TYPE.ARM64
    regions = [(s.virtual_address, s.virtual_size, bytes(s.content), s.init_protection) for s in binary.segments]
    exports = {export.symbol.name.removeprefix("_"): export.address for export in binary.dyld_info.exports}
    return "arm" if on_arm else "sysv", _on_pages(regions), exports


def _on_pages(regions):
    """Regions that begin on a page, as loaders map them."""
    return [(a - a % PAGE, size + a % PAGE, bytes(a % PAGE) + data, rights) for a, size, data, rights in regions]
