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

    def __init__(self) -> None:
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
        self._device = device
        # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, …_MULTIPROCESSOR_COUNT
        self.near_bytes, self.processors = self._attribute(97), self._attribute(16)
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), device)

    def _call(self, function: str, *arguments: object) -> None:
        code = getattr(self._driver, function)(*arguments)
        if code:
            text = c_char_p()
            self._driver.cuGetErrorString(code, byref(text))
            raise CudaError(f"{function}: {(text.value or b'error').decode()} ({code}).")

    def _attribute(self, number: int) -> int:
        value = c_int()
        self._call("cuDeviceGetAttribute", byref(value), number, self._device)
        return value.value

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

    def copy(self, target: int, source: int, size: int) -> None:
        """Bytes from one place on the device to another."""
        self._call("cuMemcpyDtoD_v2", c_uint64(target), c_uint64(source), c_size_t(size))

    def wait(self) -> None:
        """Until all that anybody has begun on the device is done."""
        self._call("cuCtxSynchronize")

    def module(self, ptx: str, level: int = 4) -> Module:
        """Kernels; the driver compiles PTX for this device at its level 0 … 4, and keeps the result on disk."""
        module = c_void_p()
        # one option, CU_JIT_OPTIMIZATION_LEVEL = 7, its value in the place of a pointer
        options, values = (c_int * 1)(7), (c_void_p * 1)(level)
        self._call("cuModuleLoadDataEx", byref(module), c_char_p(ptx.encode()), 1, options, values)
        return Module(self, module)


class Module:
    """Kernels on the device, by name."""

    def __init__(self, device: Device, handle: c_void_p) -> None:
        self._device, self._handle = device, handle
        self._functions: dict[str, Function] = {}

    def function(self, name: str) -> Function:
        if name not in self._functions:
            function = c_void_p()
            self._device._call("cuModuleGetFunction", byref(function), self._handle, name.encode())
            self._functions[name] = Function(self._device, function)
        return self._functions[name]


class Memory:
    """Memory on the device, given back when nobody holds it."""

    def __init__(self, device: Device, pointer: int) -> None:
        self._device, self.pointer = device, pointer

    def __del__(self) -> None:
        self._device._driver.cuMemFree_v2(c_uint64(self.pointer))


class Function:
    """A kernel on the device."""

    def __init__(self, device: Device, handle: c_void_p) -> None:
        self._device, self._handle = device, handle
        self._near = -1
        self.seconds = 0.0  # spent in it so far

    def attribute(self, number: int) -> int:
        """3: bytes of local memory a thread, 4: registers."""
        value = c_int()
        self._device._call("cuFuncGetAttribute", byref(value), number, self._handle)
        return value.value

    def __call__(self, threads: int, block: int, near: int, *arguments: int) -> None:
        """Run so many threads, `block` of them sharing `near` bytes, and wait; arguments are of 64 bits each."""
        if near != self._near:
            # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self._device._call("cuFuncSetAttribute", self._handle, 8, near)
            # …_PREFERRED_SHARED_MEMORY_CARVEOUT in percent (-1: the driver chooses).  Where threads ask for none, all
            # is a cache of what registers do not hold (chain of 7 links, H200: 2.01e9 steps a second, else 1.99e9)
            self._device._call("cuFuncSetAttribute", self._handle, 9, -1 if near else 0)
            self._near = near
        values = [c_int64(argument) for argument in arguments]
        pointers = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        blocks, began = -(-threads // block), time.perf_counter()
        self._device._call("cuLaunchKernel", self._handle, blocks, 1, 1, block, 1, 1, near, None, pointers, None)
        self._device._call("cuCtxSynchronize")
        self.seconds += time.perf_counter() - began


@functools.lru_cache(maxsize=1)
def device() -> Device:
    """The GPU; a CudaError where there is none."""
    return Device()
