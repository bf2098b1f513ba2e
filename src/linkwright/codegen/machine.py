"""The machine: LLVM's target, object code from IR text, and loading it into the process."""

from __future__ import annotations

import functools
import re
import threading
from types import ModuleType
from typing import Any

from linkwright.codegen.routines import offer_routines
from linkwright.errors import LinkwrightError

from .tolerances import INLINED

_lock = threading.Lock()  # LLVM's global context is not thread-safe


@functools.lru_cache(maxsize=1)
def _binding() -> ModuleType:
    """llvmlite's binding, with the native target ready."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.lru_cache(maxsize=1)
def host() -> tuple[str, str, str]:
    """Name of the CPU, its features, version of LLVM: what object code depends on."""
    llvm = _binding()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), ".".join(map(str, llvm.llvm_version_info))


def llvm_version() -> int:
    """Of the LLVM that is installed, the number of its release."""
    return _binding().llvm_version_info[0]


@functools.lru_cache(maxsize=1)
def native_lanes() -> int:
    """Doubles in the widest vector register of this machine: 8 with AVX-512, 4 with AVX, otherwise 2."""
    features = set(host()[1].split(","))
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


def function_attributes(lanes: int) -> str:
    """Attributes that let LLVM use registers as wide as the lanes."""
    return f'"prefer-vector-width"="{64 * native_lanes()}" "min-legal-vector-width"="{64 * min(lanes, native_lanes())}"'


@functools.lru_cache(maxsize=16)
def target_of(triple: str, what: str) -> Any:
    """LLVM's target for another machine than this one; `what` it writes there, for the message where it cannot."""
    llvm = _binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return llvm.Target.from_triple(triple)
    except RuntimeError as error:
        raise LinkwrightError(f"this build of LLVM cannot write {what}: {error}.") from error


def _target_machine(level: int) -> Any:
    llvm = _binding()
    cpu, features, _ = host()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="default", codemodel="jitdefault", jit=True
    )


def object_code(text: str, level: int, passes: bool = False, vectorised: bool = True, packed: bool = False) -> bytes:
    """Machine code of the IR `text` at LLVM's code generation level 0 … 3; with `passes` it is transformed before, as
    loops need it that were not written for speed (straight-line code gains nothing by it).  Loops full of branches are
    slower where LLVM makes vectors of them, so that it can be told not to; `packed` lets it make vectors of operations
    that are written out side by side."""
    llvm = _binding()
    with _lock:
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise LinkwrightError(f"LLVM refuses the generated code: {error}") from error
        machine = _target_machine(level)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if passes:
            options = llvm.create_pipeline_tuning_options(speed_level=2)
            options.loop_unrolling, options.inlining_threshold = False, INLINED  # compiled in a third of the time
            options.loop_vectorization, options.slp_vectorization = vectorised, packed
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)


def optimised_text(text: str) -> str:
    """The IR `text` after LLVM's passes for a plain processor without vectors: fit for all of them."""
    llvm = _binding()
    with _lock:
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = target.create_target_machine(opt=2, jit=True)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return re.sub(r"^(target|source_filename|; ModuleID).*\n", "", str(module), flags=re.M)


@functools.lru_cache(maxsize=32)
def support_code(text: str) -> bytes:
    """Machine code of the routines programs share (sincos, tables, solvers): short, so always optimised."""
    return object_code(text, 2, passes=True) if text else b""


class Loaded:
    """Object code in executable memory, linked together; addresses are valid while this object lives."""

    def __init__(self, *objects: bytes) -> None:
        llvm = _binding()
        offer_routines(*filter(None, objects))  # they are compiled themselves, so not under the lock
        with _lock:
            _offer_library()
            module = llvm.parse_assembly("")
            self._engine = llvm.create_mcjit_compiler(module, _target_machine(0))
            for code in filter(None, objects):
                self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        address = self._engine.get_function_address(symbol)
        if not address:
            raise LinkwrightError(f"the compiled code has no function {symbol!r}.")
        return address


_LIBRARY = ("floor", "ceil", "memcpy", "memset")  # what LLVM calls on processors that lack an instruction for it


@functools.lru_cache(maxsize=1)
def _offer_library() -> None:
    """Make the C library's functions known to LLVM by address, whatever the platform calls its library."""
    import ctypes.util
    import os

    llvm = _binding()
    library = ctypes.CDLL("ucrtbase") if os.name == "nt" else ctypes.CDLL(ctypes.util.find_library("m") or None)
    for name in _LIBRARY:
        function = getattr(library, name, None)
        if function is not None:
            llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
