"""Arrays of any library as NumPy arrays on the same memory, and back; threads and progress."""

from __future__ import annotations

import operator
import os
import sys
import threading

from . import _core

_lock = threading.Lock()
_text = os.environ.get("FARO_NUM_THREADS", "")
state = {"threads": int(_text) if _text.isdigit() and 0 < int(_text) <= 4096 else None, "numpy": None}


def numpy():
    """NumPy, imported when it is first needed."""
    np = state["numpy"]
    if np is None:
        import numpy as np

        with _lock:
            if state["numpy"] is None:
                _core.use_numpy(np.ndarray, np.empty_like)
                state["numpy"] = np
    return np


if "numpy" in sys.modules:
    numpy()


def set_threads(n, /):
    """How many threads calls without threads= use; None: as many as the process may run.

    Returns what held before. FARO_NUM_THREADS says it from outside, OMP_NUM_THREADS is respected.
    """
    before = state["threads"]
    if n is not None and not 1 <= operator.index(n) <= 4096:
        raise ValueError(f"threads: wanted 1 to 4096, found {n}")
    state["threads"] = None if n is None else operator.index(n)
    return before


def whole(value, name, least=1):
    """A number for the library, which counts in 64 bits; None stays."""
    if value is None:
        return None
    value = operator.index(value)
    if not least <= value < 1 << 64:
        raise ValueError(f"{name}: wanted {least} to 2^64 - 1, found {value}")
    return value


def threads_of(asked):
    if asked is None:
        asked = state["threads"]
    if asked is None:
        return 0
    asked = operator.index(asked)
    if not 1 <= asked <= 4096:
        raise ValueError(f"threads: wanted 1 to 4096, found {asked}")
    return asked


def library_of(x):
    own, *bases = (t.__module__.partition(".")[0] for t in type(x).__mro__)
    name = "torch" if "torch" in bases else own  # somebody's subclass of a tensor is one
    return {"jaxlib": "jax"}.get(name, name)


def _check_dtype(a):
    if a.dtype.hasobject or a.dtype.kind == "T":
        raise TypeError(f"{a.dtype}: elements that are references cannot be moved as bytes")


def check_derivative(x):
    import torch

    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError(
            "a tensor that requires its derivative: faro.torch.permute keeps it, .detach() drops it"
        )


def _lend_tensor(x, compared):
    import torch

    if x.device.type != "cpu":
        raise BufferError(f"a tensor on {x.device}: faro moves arrays in the CPU's memory")
    if not compared:
        check_derivative(x)
    t = x.detach().resolve_conj().resolve_neg()
    if t.is_complex():
        return t.numpy()
    plain = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return t.view(plain[t.element_size()]).numpy()


def lend(x, compared=False):
    """A NumPy array on the same memory, and the library that x is of. `compared`: it is only looked
    at, so that it may be part of what torch differentiates."""
    np = numpy()
    if type(x) is np.ndarray:
        _check_dtype(x)
        return x, "numpy"
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array: its mask would not be moved; take .filled() or .data")
    if isinstance(x, np.ndarray):
        _check_dtype(x)
        return x.view(np.ndarray), "numpy"
    library = library_of(x)
    if library == "torch":
        return _lend_tensor(x, compared), "torch"
    if library == "jax":
        if hasattr(x, "devices") and any(d.platform != "cpu" for d in x.devices()):
            raise BufferError("a JAX array on another device: faro.jax.permute moves it where it lies")
        return np.asarray(x), "jax"
    if hasattr(x, "__dlpack_device__"):
        if int(x.__dlpack_device__()[0]) != 1:
            raise BufferError("an array on another device: faro moves arrays in the CPU's memory")
        return np.from_dlpack(x), library
    if isinstance(x, (bytes, bytearray, memoryview)) or hasattr(x, "__buffer__"):
        return np.asarray(memoryview(x)), "buffer"
    try:
        view = memoryview(x)
    except TypeError:
        if hasattr(x, "__array__"):
            a = np.asarray(x)
            _check_dtype(a)
            return a, "numpy"
        raise TypeError(f"{type(x).__name__} is no array; numpy.asarray(x) makes one") from None
    return np.asarray(view), "buffer"


def give_back(a, like, library, shape=None):
    """`a` as an array of the kind of `like`."""
    if library == "torch":
        import torch

        t = torch.from_numpy(a)
        if t.dtype != like.dtype:
            t = t.view(like.dtype)
        return t if shape is None else t.reshape(shape)
    if library == "jax":
        import jax

        try:
            return jax.dlpack.from_dlpack(a)
        except (TypeError, RuntimeError, BufferError, ValueError):
            return jax.numpy.asarray(a)
    if library in ("numpy", "buffer"):
        return a
    space = like.__array_namespace__() if hasattr(like, "__array_namespace__") else None
    return a if space is None else space.from_dlpack(a)


def same_kind(a, like):
    """`a` with its own type in the library of `like`."""
    library = lend(like, compared=True)[1]
    if library == "torch":
        import torch

        return torch.from_numpy(a)
    return give_back(a, like, library)


def writable(out, x_library):
    if x_library == "jax" or library_of(out) == "jax":
        raise TypeError("out= with a JAX array: JAX arrays are immutable")
    a, library = lend(out)
    if library == "numpy" and not isinstance(out, numpy().ndarray):
        if not numpy().shares_memory(a, lend(out)[0]) and a.size:
            raise TypeError(f"{type(out).__name__} gives a copy of its elements: out= would not reach it")
    if not a.flags.writeable:
        raise ValueError("out is read-only")
    if library == "torch":
        import torch

        if out.is_conj() or out.is_neg():
            raise ValueError("out is conjugated or negated lazily; take .resolve_conj().resolve_neg()")
        if not out.is_inference():
            torch.autograd.graph.increment_version(out)  # what autograd saved of it is stale
    return a, library


def target_of(out, x, library, a):
    """out as an array of the type of a, which x was lent as: bytes are moved, values are never cast."""
    target, of_out = writable(out, library)
    if target.itemsize != a.itemsize:
        raise ValueError(f"out has items of {target.itemsize} bytes, the array of {a.itemsize}")
    if "torch" in (library, of_out):  # which lends its elements as whole numbers
        same = library != of_out or out.dtype == x.dtype
    else:
        same = target.dtype == a.dtype or "buffer" in (library, of_out)
    if not same:
        raise ValueError(
            f"out has elements of {out.dtype}, the array of {x.dtype}: bytes are moved and never cast; "
            "out.view() of the array's type takes them as they are"
        )
    return target if target.dtype == a.dtype else target.view(a.dtype)


class _Bar:
    """tqdm as a progress callback."""

    def __init__(self):
        from tqdm.auto import tqdm

        self._bar = tqdm(unit="B", unit_scale=True)

    def __call__(self, done, total):
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self):
        self._bar.close()


def with_progress(work, progress):
    """work(callback): progress=True is tqdm where it is installed."""
    if progress is not True:
        return work(progress or None)
    try:
        bar = _Bar()
    except ImportError:
        return work(None)
    try:
        return work(bar)
    finally:
        bar.close()
