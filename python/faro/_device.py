"""Arrays in the memory of a GPU: where they lie, on which stream their library works, and results that
it makes. Bytes are moved by kernels of faro.gpu on that stream; nothing is waited for."""

from __future__ import annotations

import ctypes
import functools
import glob
import importlib.util
import sys

from . import _core
from ._errors import Impossible, UsageError
from ._lending import library_of

_of_dlpack = {2: "cuda", 13: "cuda", 10: "hip"}


class Place:
    """An array as kernels take it: in C order, at a multiple of 16 bytes."""

    __slots__ = ("language", "pointer", "stream", "device")

    def __init__(self, language, pointer, stream, device):
        self.language, self.pointer, self.stream, self.device = language, pointer, stream, device

    def __eq__(self, other):
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)


class _Torch:
    wanted = "in C order, at a multiple of 16 bytes, no view by conj()"

    @staticmethod
    def is_on(x):
        return x.device.type == "cuda"  # AMD's too

    @staticmethod
    def takes(x):
        return x.is_contiguous() and x.data_ptr() % 16 == 0 and not (x.is_conj() or x.is_neg())

    @staticmethod
    def copy(x):
        return x.detach().clone(memory_format=sys.modules["torch"].contiguous_format)

    @staticmethod
    def place(x):
        torch = sys.modules["torch"]
        stream = torch.cuda.current_stream(x.device).cuda_stream
        language = "hip" if torch.version.hip else "cuda"
        return Place(language, x.data_ptr(), stream, x.device.index)

    @staticmethod
    def empty(shape, like):
        return sys.modules["torch"].empty(shape, dtype=like.dtype, device=like.device)

    itemsize = staticmethod(lambda x: x.element_size())


class _OpenCL:
    """pyopencl.array.Array."""

    wanted = "in C order, from the first byte of its buffer"

    @staticmethod
    def is_on(x):
        return hasattr(x, "base_data") and hasattr(x, "queue")

    @staticmethod
    def takes(x):
        return x.flags.c_contiguous and not x.offset

    @staticmethod
    def copy(x):
        if not x.flags.c_contiguous:
            raise UsageError("a pyopencl array that is not in C order: copy it first")
        return x.copy()

    @staticmethod
    def place(x):
        if x.queue is None:
            raise UsageError("a pyopencl array without a queue: with_queue(queue) gives it one")
        return Place("opencl", x.base_data.int_ptr, x.queue.int_ptr, -1)

    @staticmethod
    def empty(shape, like):
        return type(like)(like.queue, shape, like.dtype)

    itemsize = staticmethod(lambda x: x.dtype.itemsize)


class _Interface:
    """CuPy and others with __cuda_array_interface__, without it DLPack. Copies and results are made by the
    array module's own ascontiguousarray and empty; where it has none, as Numba's, the caller makes them."""

    wanted = "in C order, at a multiple of 16 bytes"

    @staticmethod
    def is_on(x):
        if hasattr(x, "__cuda_array_interface__"):
            return True
        return hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) in _of_dlpack

    @staticmethod
    def _space(x):
        if hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
        return sys.modules[library_of(x)]

    @staticmethod
    def _seen(x):
        """Address, whether in C order, the stream that the array asks for, the device's number."""
        if not hasattr(x, "__cuda_array_interface__"):
            pointer, device, in_order = _core.gpu_dlpack_place(x)
            return pointer, in_order, None, device
        about = x.__cuda_array_interface__
        strides, size, in_order = about.get("strides"), x.dtype.itemsize, True
        for length, stride in zip(reversed(about["shape"]), reversed(strides or ())):
            in_order = in_order and (length <= 1 or stride == size)
            size *= length
        device = getattr(getattr(x, "device", None), "id", -1)
        return about["data"][0], in_order, about.get("stream"), device

    @classmethod
    def takes(cls, x):
        pointer, in_order, _, _ = cls._seen(x)
        return in_order and pointer % 16 == 0

    @classmethod
    def copy(cls, x):
        space = cls._space(x)
        if not hasattr(space, "ascontiguousarray"):
            raise UsageError(f"{space.__name__} copies no arrays by ascontiguousarray(): give one {cls.wanted}")
        return space.ascontiguousarray(x).copy()

    @classmethod
    def place(cls, x):
        pointer, _, stream, device = cls._seen(x)
        cuda = getattr(cls._space(x), "cuda", None)
        if hasattr(cuda, "get_current_stream"):
            stream = cuda.get_current_stream().ptr
        hip = getattr(getattr(cuda, "runtime", None), "is_hip", False)
        if hasattr(x, "__dlpack_device__"):
            kind, device = x.__dlpack_device__()
            hip = _of_dlpack[int(kind)] == "hip"
        return Place("hip" if hip else "cuda", pointer, stream or 0, int(device))

    @classmethod
    def empty(cls, shape, like):
        space = cls._space(like)
        if not hasattr(space, "empty"):
            raise UsageError(f"{space.__name__} makes no arrays by empty(): say out=")
        return space.empty(shape, dtype=like.dtype)

    itemsize = staticmethod(lambda x: x.dtype.itemsize)


@functools.lru_cache(maxsize=1)
def _open_compiler_of_wheels():
    """NVRTC of the wheels that NVIDIA gives libraries to: opened once, it is found by its name."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found else ():
        for path in sorted(glob.glob(f"{folder}/*/lib/libnvrtc.so.[0-9]*"), reverse=True):
            try:
                ctypes.CDLL(path)
            except OSError:
                pass  # of another machine, or without its other half


def library(x):
    """What knows x, if it lies on a device; None for the CPU's memory, and for JAX, whose arrays only
    faro.jax may write."""
    name = library_of(x)
    if name in ("numpy", "builtins", "jax"):
        return None
    known = {"torch": _Torch, "pyopencl": _OpenCL}.get(name, _Interface)
    return known if known.is_on(x) else None


def move(known, x, map, shape, out=None, copy=None):
    """x by a map of all its elements, as a new array of `shape` or in out."""
    if out is not None:
        if library_of(out) != library_of(x) or not known.is_on(out):
            raise ValueError("out is an array of another library or of another place")
        if tuple(out.shape) != tuple(shape) or out.dtype != x.dtype:
            raise ValueError(f"out has shape {tuple(out.shape)} of {out.dtype}, the result {tuple(shape)} of {x.dtype}")
    result = known.empty(shape, x) if out is None else out
    if 0 in tuple(shape):
        return result
    if out is not None and not known.takes(out):
        raise ValueError(f"out on a device: wanted an array {known.wanted}")
    taken = known.takes(x)
    if not taken and copy is False:
        raise ValueError("this array cannot be moved without a copy, and copy=False")
    # Held until the kernel is on the stream, after which its library reuses the memory in order.
    held = x if taken else known.copy(x)
    source = known.place(held)
    target = known.place(result)
    if (source.language, source.device) != (target.language, target.device):
        raise ValueError("out is on another device")
    if source.language == "cuda":
        _open_compiler_of_wheels()
    arguments = known.itemsize(x), source.language, source.stream, source.device
    try:
        _core.gpu_move(map, *arguments, source.pointer, target.pointer)
    except Impossible:
        if source != target or copy is False:
            raise
        # No involution, so not in place: by a second array.
        result[...] = move(known, x, map, shape)
    return result
