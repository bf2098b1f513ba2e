"""Shared libraries for other machines, without a compiler or linker: LLVM's objects, laid out by us.

LLVM writes an ELF object for every target, Windows included; one reader takes it apart, `placed` gives sections their
addresses and resolves references, and a writer for each system puts the headers around: `elf`, `pe`, `macho`.  Objects
must import nothing, which code of this package does not (see `elementary`).
"""

from .targets import TARGETS, Target, shared_libraries

__all__ = ["TARGETS", "Target", "shared_libraries"]
