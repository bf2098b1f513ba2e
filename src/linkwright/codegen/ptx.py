"""PTX for NVIDIA GPUs, through LLVM's own target: no toolkit, no compiler beside the driver's."""

from __future__ import annotations

from linkwright.codegen import cache
from linkwright.codegen.machine import _binding, _lock, target_of
from linkwright.codegen.routines import calls_routines, refuse_routines
from linkwright.errors import LinkwrightError

TRIPLE = "nvptx64-nvidia-cuda"
PROCESSOR = "sm_80"  # runs on everything since; the driver compiles PTX for the device it finds


def ptx_code(text: str, level: int = 2) -> str:
    """PTX of the IR `text`, kept on disk; strict arithmetic stays so, and the bits are those of the processor."""
    if calls_routines(text):
        refuse_routines("a GPU")
    llvm = _binding()
    key = cache.text_key("ptx", PROCESSOR, llvm.llvm_version_info, level, text) if cache.in_use() else ""
    kept = cache.load(key) if key else None
    if kept is not None:
        return kept[1][0].decode()
    code = _compiled(text, level)
    if key:
        cache.store(key, {}, [code.encode()])
    return code


def _compiled(text: str, level: int) -> str:
    llvm = _binding()
    target = target_of(TRIPLE, "PTX")
    with _lock:
        machine = target.create_target_machine(cpu=PROCESSOR, opt=3)
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise LinkwrightError(f"LLVM refuses the generated code: {error}") from error
        module.triple, module.data_layout = TRIPLE, str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_assembly(module)
