"""Numbers on a GPU, exchanged with CuPy, PyTorch and JAX without copies.

`DeviceArray` has `__cuda_array_interface__` (version 3) and `__dlpack__` (DLPack's unversioned
capsule, https://dmlc.github.io/dlpack), so that `cupy.asarray(a)`, `torch.from_dlpack(a)`, `jax.dlpack.from_dlpack(a)`
look at the same memory.  It needs NumPy and the driver only.
"""

from __future__ import annotations

import ctypes
import math
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any

import numpy as np

from .cuda import Device, Memory

CUDA, FLOAT = 2, 2  # kDLCUDA, kDLFloat
NAME = b"dltensor"


class DeviceArray:
    """Doubles in the memory of a GPU: strided, writable, alive as long as somebody looks at it."""

    def __init__(self, device: Device, memory: Memory, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]):
        self._device, self._memory = device, memory
        self.pointer, self.shape, self.strides = memory.pointer + 8 * offset, shape, strides  # strides in doubles
        self.dtype = np.dtype(float)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, on {self._device.name})"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": "<f8", "data": (self.pointer, False), "version": 3,
                "strides": tuple(8 * stride for stride in self.strides), "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, 0

    def __dlpack__(self, *, stream: object = None, max_version: object = None, dl_device: object = None,
                   copy: object = None) -> object:
        # whatever we have begun is finished: every call waits for its kernels
        return _capsule(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A copy in the memory of this process."""
        span = sum((n - 1) * stride for n, stride in zip(self.shape, self.strides, strict=True)) + 1
        flat = np.empty(span if math.prod(self.shape) else 0)
        self._device.use()
        if len(flat):
            self._device.get(self.pointer, flat)
        there = np.lib.stride_tricks.as_strided(flat, self.shape, [8 * stride for stride in self.strides])
        return np.array(there, dtype=dtype)


# --- DLPack's structures ---


class _Device(Structure):
    _fields_ = [("kind", c_int32), ("number", c_int32)]


class _Type(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device", _Device), ("n", c_int32), ("type", _Type), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("offset", c_uint64)]


class _Managed(Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


#: tensors that others look at, and what keeps their memory alive
_lent: dict[int, tuple] = {}


@ctypes.CFUNCTYPE(None, c_void_p)
def _give_back(managed: int) -> None:
    _lent.pop(managed, None)


@ctypes.CFUNCTYPE(None, c_void_p)
def _forgotten(capsule: int) -> None:
    """A capsule that nobody has taken over."""
    if _is_valid(capsule, NAME):
        _lent.pop(_pointer_of(capsule, NAME), None)


_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))


def _capsule(array: DeviceArray) -> object:
    n = len(array.shape)
    shape, strides = (c_int64 * n)(*array.shape), (c_int64 * n)(*array.strides)
    tensor = _Tensor(array.pointer, _Device(CUDA, 0), n, _Type(FLOAT, 64, 1), shape, strides, 0)
    managed = _Managed(tensor, None, ctypes.cast(_give_back, c_void_p).value)
    address = ctypes.addressof(managed)
    _lent[address] = managed, shape, strides, array
    return _new(address, NAME, ctypes.cast(_forgotten, c_void_p).value)
