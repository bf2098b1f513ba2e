"""Another machine's processors and memory: CUDA's driver, numbers that stay on a GPU, bundles of runs for elsewhere.

`cuda` finds the driver, `gpu` has many runs as threads (PTX and where its numbers lie: `Threads`), `resident` keeps
their numbers there, `device_array` shows them to PyTorch, CuPy and JAX without copies, `bundle` writes a file that does
the runs on a machine with Python, NumPy and a driver.  Nothing here knows what a step is: code and places come from
`integrate.step_programs`.  May import: nothing of ours, because bundles hold these files by themselves.
"""

from . import gpu
from .bundle import write_runs
from .cuda import CudaError, device
from .gpu import KERNELS, Threads, kernels
from .resident import Advanced

__all__ = ["KERNELS", "Advanced", "CudaError", "Threads", "device", "gpu", "kernels", "write_runs"]
