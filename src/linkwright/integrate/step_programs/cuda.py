"""NVIDIA's driver, as much of it as runs need, by ctypes: no toolkit.  Needs NumPy and the driver only."""

from __future__ import annotations

import ctypes
import functools
import os
import time
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p

import numpy as np


class CudaError(RuntimeError):
    """What the driver refuses, in its own words."""


class Device:
    """The first GPU, its primary context, shared with whatever else in this process uses it."""

    def __init__(self):
        name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
        try:
            self._driver = ctypes.CDLL(name)
        except OSError:
            raise CudaError(f"there is no NVIDIA driver on this machine ({name} is not found).") from None
        self._call("cuInit", 0)
        count, device, self._context = c_int(), c_int(), c_void_p()
        self._call("cuDeviceGetCount", byref(count))
        if not count.value:
            raise CudaError("the NVIDIA driver is here, but no device.")
        self._call("cuDeviceGet", byref(device), 0)
        words = ctypes.create_string_buffer(100)
        self._call("cuDeviceGetName", words, 100, device)
        self.name = words.value.decode()
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), device)

    def _call(self, function: str, *arguments) -> None:
        code = getattr(self._driver, function)(*arguments)
        if code:
            text = c_char_p()
            self._driver.cuGetErrorString(code, byref(text))
            raise CudaError(f"{function}: {(text.value or b'error').decode()} ({code}).")

    def use(self) -> None:
        """Make this device that of the calling thread."""
        self._call("cuCtxSetCurrent", self._context)

    def free_bytes(self) -> int:
        free, total = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def zeros(self, size: int) -> Memory:
        """So many bytes of memory, all zero."""
        pointer = c_uint64()
        self._call("cuMemAlloc_v2", byref(pointer), c_size_t(max(size, 8)))
        self._call("cuMemsetD8_v2", pointer, 0, c_size_t(max(size, 8)))
        return Memory(self, pointer.value)

    def put(self, pointer: int, array: np.ndarray) -> None:
        array = np.ascontiguousarray(array)
        self._call("cuMemcpyHtoD_v2", c_uint64(pointer), c_void_p(array.ctypes.data), c_size_t(array.nbytes))

    def get(self, pointer: int, array: np.ndarray) -> None:
        self._call("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), c_uint64(pointer), c_size_t(array.nbytes))

    def function(self, ptx: str, name: str, level: int = 4) -> Function:
        """A kernel; the driver compiles PTX for this device at its level 0 … 4, and keeps the result on disk."""
        module, function = c_void_p(), c_void_p()
        # one option, CU_JIT_OPTIMIZATION_LEVEL = 7, its value in the place of a pointer
        options, values = (c_int * 1)(7), (c_void_p * 1)(level)
        self._call("cuModuleLoadDataEx", byref(module), c_char_p(ptx.encode()), 1, options, values)
        self._call("cuModuleGetFunction", byref(function), module, name.encode())
        return Function(self, function, module)


class Memory:
    """Memory on the device, given back when nobody holds it."""

    def __init__(self, device: Device, pointer: int):
        self._device, self.pointer = device, pointer

    def __del__(self):
        self._device._driver.cuMemFree_v2(c_uint64(self.pointer))


class Function:
    """A kernel on the device."""

    def __init__(self, device: Device, handle: c_void_p, module: c_void_p):
        self._device, self._handle, self._module = device, handle, module
        self.seconds = 0.0  # spent in it so far

    def attribute(self, number: int) -> int:
        """3: bytes of local memory a thread, 4: registers."""
        value = c_int()
        self._device._call("cuFuncGetAttribute", byref(value), number, self._handle)
        return value.value

    def __call__(self, threads: int, block: int, *arguments: int) -> None:
        """Run so many threads, and wait for them; arguments are pointers or whole numbers of 64 bits."""
        values = [c_int64(argument) for argument in arguments]
        pointers = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        blocks, began = -(-threads // block), time.perf_counter()
        self._device._call("cuLaunchKernel", self._handle, blocks, 1, 1, block, 1, 1, 0, None, pointers, None)
        self._device._call("cuCtxSynchronize")
        self.seconds += time.perf_counter() - began


@functools.lru_cache(maxsize=1)
def device() -> Device:
    """The GPU; a CudaError where there is none."""
    return Device()
