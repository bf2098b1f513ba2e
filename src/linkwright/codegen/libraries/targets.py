"""The machines that libraries are made for: what LLVM calls them, and who writes their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from linkwright.codegen.machine import _binding, _lock, target_of

from . import elf, macho, pe


@dataclass(frozen=True)
class Target:
    """A system: the triple, processor and features that LLVM knows, the end of a library's name, and its writer."""

    name: str
    triple: str
    cpu: str
    suffix: str
    write: Callable[[bytes, str], bytes]
    features: str = ""
    experimental: bool = False


#: x86-64-v2 (2009) has an instruction for floor, which the first processors call a library for; macOS keeps register
#: x18 to itself, and Linux does without it too, so that both have the same object
TARGETS = {target.name: target for target in (
    Target("x86_64-linux", "x86_64-unknown-linux-gnu", "x86-64-v2", ".so", elf.shared_object),
    Target("aarch64-linux", "aarch64-unknown-linux-gnu", "generic", ".so", elf.shared_object, "+reserve-x18"),
    Target("x86_64-windows", "x86_64-pc-windows-msvc-elf", "x86-64-v2", ".dll", pe.library),
    Target("x86_64-darwin", "x86_64-unknown-linux-gnu", "x86-64-v2", ".dylib", macho.library,
           experimental=True),
    Target("aarch64-darwin", "aarch64-unknown-linux-gnu", "generic", ".dylib", macho.library, "+reserve-x18", True),
)}


def object_for(text: str, machine: Target, level: int = 2) -> bytes:
    """An ELF object of IR text for another machine, that may lie anywhere in memory.

    Local variables become registers first, and what is never called is left out; arithmetic stays as it was written.
    """
    llvm, target = _binding(), target_of(machine.triple, f"code for {machine.name}")
    with _lock:
        module = llvm.parse_assembly(text)
        own = target.create_target_machine(cpu=machine.cpu, features=machine.features, opt=level, reloc="pic",
                                           codemodel="small")
        module.triple, module.data_layout = machine.triple, str(own.target_data)
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, llvm.create_pass_builder(own, llvm.create_pipeline_tuning_options(speed_level=1)))
        return own.emit_object(module)


def shared_libraries(text: str, targets: Iterable[Target], name: str, level: int = 2) -> dict[str, bytes]:
    """The libraries of IR text by the names of their targets; `name` is that of their files, without the suffix."""
    objects: dict[tuple[str, str, str], bytes] = {}
    libraries = {}
    for target in targets:
        key = target.triple, target.cpu, target.features
        if key not in objects:
            objects[key] = object_for(text, target, level)
        libraries[target.name] = target.write(objects[key], name + target.suffix)
    return libraries
