"""Many runs of one step program on a GPU, a thread each, with the bits of the ordinary stepper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .cuda import CudaError, Device, Function, Module, device
from .resident import Resident

BLOCK, WARP = 256, 32  # threads that start and end together at most; that go in step


def kernels(*more: str) -> str:
    """The kernels over `@start` and `@thread`, which take `more` pointers beside what all take."""
    given = "".join(f", ptr addrspace(1) %{name}" for name in more)
    cast = "".join(f"  %{name}_own = addrspacecast ptr addrspace(1) %{name} to ptr\n" for name in more)
    handed = "".join(f", ptr %{name}_own" for name in more)
    return """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
""" + "".join(f"""
define ptx_kernel void @{name}(ptr addrspace(1) %M, i64 %N, i64 %attempts, ptr addrspace(1) %grid, i64 %n_grid,
                             i64 %own, ptr addrspace(1) %X{given}) #1 {{
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %block, %ntid
  %sum = add i32 %first, %tid
  %i = zext i32 %sum to i64
  %mine = icmp slt i64 %i, %N
  br i1 %mine, label %run, label %done
run:
  %m = addrspacecast ptr addrspace(1) %M to ptr
  %g = addrspacecast ptr addrspace(1) %grid to ptr
  %x = addrspacecast ptr addrspace(1) %X to ptr
{cast}  call void @{called}(ptr %m, i64 %N, i64 %i, i64 %attempts, ptr %g, i64 %n_grid, i64 %own, ptr %x{handed})
  br label %done
done:
  ret void
}}
""" for name, called in (("starts", "start"), ("runs", "thread"))) + """
attributes #1 = { nounwind "nvvm.maxntid"="256" }
"""


KERNELS = kernels()


@dataclass(frozen=True)
class Threads:
    """A step program as PTX, and where its numbers lie: all that a machine with NumPy and a driver needs.

    `rows` are the rows of the memory by name (first row, count).  Threads of long memory have `far` places of it beside
    these, of which so many as the template is longer than the rows begin with what follows them there.
    """

    ptx: str
    rows: Mapping[str, tuple[int, int]]
    n_rows: int
    n: int
    n_changing: int = 0  # numbers beside the state that change on the way
    near: int = 0  # places of a thread in the memory of its processor
    far: int = 0  # places of a thread beside its rows
    attempts: int = 20_000  # steps between two looks at the keyboard

    def run(self, inputs: np.ndarray, template: np.ndarray, grid: np.ndarray, level: int = 4,
            on_pause: Callable[[int], None] | None = None) -> dict[str, np.ndarray]:
        """Runs to their end from input vectors; `template` are the lasting numbers of a lane that has not begun.

        Numbers by name: status, cause, t, steps, rejected, events, inputs, grid_x; of runs that are not finished
        (`left`) all that lasts (`resting`).
        """
        runs = Resident(self, device(), len(inputs), grid, level)
        runs.begin(inputs, template)
        runs.run(on_pause)
        get = runs.get
        whole = {"status": "doing", "cause": "status", "steps": "counts.steps", "rejected": "counts.rejected",
                 "events": "happened"}
        out = {name: get(own)[0].view(np.int64) for name, own in whole.items()}
        out["left"] = left = np.flatnonzero(out["status"] != 1)
        out["resting"] = np.concatenate([get(name)[:, left] for name in self.rows]).T if len(left) else np.empty((0, 0))
        return out | {"t": get("t")[0], "inputs": get("at.inp").T, "grid_x": runs.at_output_times()}

    def block(self, gpu: Device, n_runs: int) -> tuple[int, int]:
        """Threads that start together, and the bytes of near memory they share; few runs go to all processors."""
        warp = 8 * WARP * self.near
        most = BLOCK if not warp else min(BLOCK, WARP * (gpu.near_bytes // warp))
        if not most:
            raise CudaError(f"{gpu.name} has too little memory near its processors: {gpu.near_bytes} bytes, "
                            f"{warp} are needed.")
        block = min(most, max(WARP, n_runs // gpu.processors // WARP * WARP))
        return block, block // WARP * warp

    def kernel(self, gpu: Device, name: str = "runs", level: int = 4) -> Function:
        """A kernel on a device, compiled by the driver once per process."""
        if level not in self._modules:
            self._modules[level] = gpu.module(self.ptx, level)
        return self._modules[level].function(name)

    @cached_property
    def _modules(self) -> dict[int, Module]:
        return {}
