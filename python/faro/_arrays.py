"""permute, rearrange, contiguous, check and Plan: arrays of any library, through the buffer protocol.

Data is never looked at: an element is itemsize bytes. A strided view that is a bit map of its memory
is folded into the map, so that it is moved in one pass; other views are copied first by NumPy.
"""

from __future__ import annotations

import functools
import operator
import os
import sys
import threading

from . import _core
from ._errors import Impossible, UsageError
from ._html import table_html

_fast = _core.permute_fast
_lock = threading.Lock()
_state = {"threads": None, "numpy": None}


def numpy():
    """NumPy, imported when it is first needed."""
    np = _state["numpy"]
    if np is None:
        import numpy as np

        with _lock:
            if _state["numpy"] is None:
                _core.use_numpy(np.ndarray, np.empty_like)
                _state["numpy"] = np
    return np


if "numpy" in sys.modules:
    numpy()


def set_threads(n, /):
    """How many threads calls without threads= use; None: as many as the process may run.

    Returns what held before. FARO_NUM_THREADS says it from outside, OMP_NUM_THREADS is respected.
    """
    before = _state["threads"]
    if n is not None and not 1 <= operator.index(n) <= 4096:
        raise ValueError(f"threads: wanted 1 to 4096, found {n}")
    _state["threads"] = None if n is None else operator.index(n)
    return before


def _threads(asked):
    if asked is None:
        asked = _state["threads"]
    if asked is None:
        text = os.environ.get("FARO_NUM_THREADS", "")
        return int(text) if text.isdigit() and 0 < int(text) <= 4096 else 0
    asked = operator.index(asked)
    if not 1 <= asked <= 4096:
        raise ValueError(f"threads: wanted 1 to 4096, found {asked}")
    return asked


# --- libraries ------------------------------------------------------------------------------------


def _library(x):
    name = type(x).__module__.partition(".")[0]
    return {"jaxlib": "jax"}.get(name, name)


def _check_dtype(a):
    if a.dtype.hasobject or a.dtype.kind == "T":
        raise TypeError(f"{a.dtype}: elements that are references cannot be moved as bytes")


def lend(x):
    """A NumPy array on the same memory, and the library that x is of."""
    np = numpy()
    if type(x) is np.ndarray:
        _check_dtype(x)
        return x, "numpy"
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array: its mask would not be moved; take .filled() or .data")
    if isinstance(x, np.ndarray):
        _check_dtype(x)
        return x.view(np.ndarray), "numpy"
    library = _library(x)
    if library == "torch":
        import torch

        if x.device.type != "cpu":
            raise BufferError(f"a tensor on {x.device}: faro moves arrays in the CPU's memory")
        t = x.detach()
        if t.is_conj() or t.is_neg():
            t = t.resolve_conj().resolve_neg()
        plain = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        size = t.element_size()
        t = torch.view_as_real(t).view(torch.int64) if size == 16 else t.view(plain[size])
        return t.numpy(), "torch"
    if library == "jax":
        if hasattr(x, "devices") and any(d.platform != "cpu" for d in x.devices()):
            raise BufferError("an array on another device: faro moves arrays in the CPU's memory")
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
        raise TypeError(f"{type(x).__name__} is no array") from None
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
    return give_back(a, like, lend(like)[1])


def _writable(out, x_library):
    if x_library == "jax" or _library(out) == "jax":
        raise TypeError("out= with a JAX array: JAX arrays are immutable")
    a, library = lend(out)
    if not a.flags.writeable:
        raise ValueError("out is read-only")
    return a, library


# --- progress ---------------------------------------------------------------------------------


class _Bar:
    def __init__(self):
        from tqdm.auto import tqdm

        self._bar = tqdm(unit="B", unit_scale=True)

    def __call__(self, done, total):
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self):
        self._bar.close()


def _run(plan, x, out, progress):
    if progress is True:
        try:
            bar = _Bar()
        except ImportError:
            bar = None
        try:
            plan.run(x, out, bar)
        finally:
            if bar is not None:
                bar.close()
    else:
        plan.run(x, out, progress or None)


# --- maps on shapes ---------------------------------------------------------------------------


def _log2(n):
    return n.bit_length() - 1 if n > 0 and n & (n - 1) == 0 else None


def _split(shape, axis):
    """outer, length and inner of the axes that a map acts on."""
    if axis is None:
        length = 1
        for side in shape:
            length *= side
        return 1, length, 1, None
    axes = (axis,) if not isinstance(axis, (tuple, list)) else tuple(axis)
    if not axes:
        raise ValueError("axis=(): no axis to permute")
    axes = tuple(_axis(a, len(shape)) for a in axes)
    if any(b != a + 1 for a, b in zip(axes, axes[1:])):
        raise ValueError(f"axes {axes} are not adjacent, or not in order; transpose first")
    outer = inner = length = 1
    for d, side in enumerate(shape):
        if d < axes[0]:
            outer *= side
        elif d > axes[-1]:
            inner *= side
        else:
            length *= side
    return outer, length, inner, axes[0]


def _axis(a, ndim):
    a = operator.index(a)
    if not -ndim <= a < ndim:
        raise ValueError(f"axis {a} of an array with {ndim} axes")
    return a % ndim


def _refuse_length(length, shape, axis):
    where = f"axis {axis} of shape {shape}" if axis is not None else f"shape {shape}"
    if axis is None and len(shape) == 1:
        where = f"axis 0 of shape {shape}"
    usable = [str(d) for d, n in enumerate(shape) if n > 1 and _log2(n) is not None]
    hint = f"; axis={', '.join(usable)} would do" if axis is None and usable else ""
    raise Impossible(f"{length} elements: a bit map moves 2^p ({where}){hint}")


def _identity(n):
    return _core.BitMap.identity(_log2(n))


def _whole_map(m, shape, outer, inner):
    """The map of one axis as a map of all, where every side is a power of two."""
    return _identity(outer).beside(m).beside(_identity(inner))


def _memory_map(a):
    return _core.memory_map(list(a.shape), list(a.strides), a.itemsize)


def _places(a):
    low, size = _core.extent(a)
    return low, low + size


_plans = functools.lru_cache(maxsize=256)(_core.ArrayPlan)


def _move(a, m, outer, inner, out, threads, copy, progress, result_shape=None, order="C"):
    """The general case: a and out are NumPy arrays, m acts on outer x 2^p x inner of a."""
    np = numpy()
    if a.size == 0:
        return np.empty(a.shape, a.dtype) if out is None else out
    fresh = out is None
    if fresh:
        out = np.empty(a.shape if result_shape is None else result_shape, a.dtype, order=order)
    elif out.itemsize != a.itemsize or out.size != a.size:
        raise ValueError(
            f"out has {out.size} elements of {out.itemsize} bytes, the array {a.size} of {a.itemsize}"
        )
    same = False
    if not fresh:
        a_low, a_high = _places(a)
        o_low, o_high = _places(out)
        same = (a_low, a_high) == (o_low, o_high)
        if not same and a_low < o_high and o_low < a_high:
            raise ValueError("out overlaps the array in part; it must be the same memory or apart")
    simple = a.flags.c_contiguous and out.flags.c_contiguous
    if not simple:
        from_memory = _memory_map(a)
        to_memory = _memory_map(out)
        if from_memory is not None and to_memory is not None:
            whole = m if outer == inner == 1 else _whole_map(m, a.shape, outer, inner)
            m = from_memory.inverse() >> whole >> to_memory
            outer = inner = 1
        else:
            # No bit map of its memory: NumPy copies what is not in C order.
            if copy is False:
                raise ValueError("this view cannot be moved without a copy, and copy=False")
            source = a if a.flags.c_contiguous and not same else np.array(a, order="C", copy=True)
            target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
            _move(source, m, outer, inner, target, threads, None, progress)
            if target is not out:
                out[...] = target
            return out
    plan = _plans(m, a.itemsize, outer, inner, same, threads)
    _run(plan, a if not same else out, None if same else out, progress)
    return out


def permute(x, map, /, *, axis=None, out=None, threads=None, copy=None, progress=None):
    """The element at index i goes to index map(i) (scatter). The shape stays as it is."""
    if axis is None and threads is None and copy is None and progress is None and _state[
        "threads"
    ] is None:
        done = _fast(x, map, out=out)
        if done is not NotImplemented:
            return done
    return _permute(x, map, axis, out, threads, copy, progress)


def _permute(x, map, axis, out, threads, copy, progress):
    a, library = lend(x)
    outer, length, inner, first = _split(a.shape, axis)
    if a.size:
        width = _log2(length)
        if width is None:
            _refuse_length(length, a.shape, first)
        m = _core.map_for(map, width)
    else:
        m = _core.map_for(map, None) if not isinstance(map, str) else _identity(1)
    if out is None:
        result = _move(a, m, outer, inner, None, _threads(threads), copy, progress)
        return give_back(result, x, library, getattr(x, "shape", None))
    target, _ = _writable(out, library)
    if target.shape != a.shape:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    _move(a, m, outer, inner, target, _threads(threads), copy, progress)
    return out


def contiguous(x, order="C", /, *, out=None, threads=None):
    """numpy.ascontiguousarray / asfortranarray for views, at the speed of memory."""
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    a, library = lend(x)
    if out is None:
        ready = a.flags.c_contiguous if order == "C" else a.flags.f_contiguous
        if ready:
            return x
        return give_back(_contiguous(a, order, None, threads), x, library)
    target, _ = _writable(out, library)
    if target.size != a.size or target.itemsize != a.itemsize:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    # The result's elements in C (or F) order, whatever shape out has for them.
    if order == "F":
        a = a.T
    flat = target.reshape(-1) if target.flags.c_contiguous else target
    if flat is target and target.shape != a.shape:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    _contiguous_into(a, flat.reshape(a.shape), threads)
    return out


def _contiguous(a, order, out, threads):
    np = numpy()
    if order == "F":
        return _contiguous(a.T, "C", None, threads).T
    out = np.empty(a.shape, a.dtype)
    _contiguous_into(a, out, threads)
    return out


def _contiguous_into(a, out, threads):
    np = numpy()
    if a.size == 0:
        return
    m = _memory_map(a)
    if m is not None:
        _move(a, _identity(a.size), 1, 1, out, _threads(threads), None, None)
        return
    if np.may_share_memory(a, out):
        np.copyto(out, a.copy())
    else:
        np.copyto(out, a)


@functools.lru_cache(maxsize=256)
def _rearrangement(pattern, shape):
    return _core.rearrangement(pattern, list(shape))


def rearrange(x, pattern, /, *, out=None, threads=None, **sizes):
    """einops' patterns, einops' arguments, performed: the result is contiguous."""
    a, library = lend(x)
    words = pattern
    for name, size in sizes.items():
        words += f", {name}={operator.index(size)}"
    split, order, joined = _rearrangement(words, a.shape)
    view = a.reshape(split).transpose(order)
    if out is None:
        np = numpy()
        result = np.empty(view.shape, a.dtype)
        _contiguous_into(view, result, threads)
        return give_back(result.reshape(joined), x, library)
    target, _ = _writable(out, library)
    if target.shape != tuple(joined):
        raise ValueError(f"out has shape {target.shape}, the result {tuple(joined)}")
    if not target.flags.c_contiguous:
        raise ValueError("out of rearrange is contiguous")
    _contiguous_into(view, target.reshape(view.shape), threads)
    return out


class Mismatch:
    """The first element that is not where the map sends it."""

    __slots__ = ("block", "index", "place")

    def __init__(self, block, index, place):
        self.block, self.index, self.place = block, index, place

    def __repr__(self):
        return f"Mismatch(block={self.block}, index={self.index}, place={self.place})"


def check(x, y, map, /, *, axis=None):
    """The first element of y that is not where `map` sends it, compared one by one without tables."""
    np = numpy()
    a, _ = lend(x)
    b, _ = lend(y)
    if a.shape != b.shape or a.itemsize != b.itemsize:
        raise ValueError(
            f"arrays of shapes {a.shape} and {b.shape}, items of {a.itemsize} and {b.itemsize} bytes"
        )
    outer, length, inner, first = _split(a.shape, axis)
    if a.size == 0:
        return None
    if _log2(length) is None:
        _refuse_length(length, a.shape, first)
    m = _core.map_for(map, _log2(length))
    a = np.ascontiguousarray(a)
    b = np.ascontiguousarray(b)
    found = _core.first_mismatch(m, a.itemsize, outer, inner, a, b)
    return None if found is None else Mismatch(*found)


class Plan:
    """Made once, executed many times, from any number of threads."""

    __slots__ = ("_plan", "_options", "_facts", "__weakref__")

    def __init__(self, map, *, itemsize=1, outer=1, inner=1, in_place=False, threads=None):
        m = _core.map_for(map, None)
        count = _threads(threads)
        self._plan = _core.ArrayPlan(m, itemsize, outer, inner, in_place, count)
        self._options = (m, itemsize, outer, inner, bool(in_place), threads)
        self._facts = None

    @classmethod
    def of(cls, x, map, *, axis=None, in_place=False, measure=False, threads=None):
        a, _ = lend(x)
        outer, length, inner, first = _split(a.shape, axis)
        if _log2(length) is None:
            _refuse_length(length, a.shape, first)
        m = _core.map_for(map, _log2(length))
        plan = cls(m, itemsize=a.itemsize, outer=outer, inner=inner, in_place=in_place,
                   threads=threads)
        if measure and not in_place and a.size:
            np = numpy()
            a = np.ascontiguousarray(a)
            plan._plan.measure(a, np.empty_like(a))
        return plan

    def __call__(self, x, out=None, *, progress=None):
        if progress is None and out is not None and self._plan.run_ready(x, out):
            return out
        m, itemsize, outer, inner, in_place, _ = self._options
        a, library = lend(x)
        if a.itemsize != itemsize or a.size != outer * inner << m.width:
            raise UsageError(
                f"an array of {a.size} elements of {a.itemsize} bytes for a plan of "
                f"{outer * inner << m.width} of {itemsize}"
            )
        if in_place:
            if out is not None and out is not x:
                raise UsageError("a plan in place takes one array")
            target, _ = _writable(x, library)
            if not target.flags.c_contiguous:
                raise UsageError("a plan in place takes an array in C order")
            _run(self._plan, target, None, progress)
            return x
        np = numpy()
        if not a.flags.c_contiguous:
            a = np.ascontiguousarray(a)
        if out is None:
            target = np.empty(a.shape, a.dtype)
            _run(self._plan, a, target, progress)
            return give_back(target, x, library, getattr(x, "shape", None))
        target, _ = _writable(out, library)
        if not target.flags.c_contiguous:
            raise UsageError("a plan takes an out in C order; permute() takes any")
        _run(self._plan, a, target, progress)
        return out

    def _fact(self, k):
        if self._facts is None:
            self._facts = self._plan.facts
        return self._facts[k]

    map = property(lambda self: self._options[0])
    in_place = property(lambda self: self._options[4])
    passes = property(lambda self: self._fact(0))
    bytes_moved = property(lambda self: self._fact(1))
    working_bytes = property(lambda self: self._fact(2))
    threads = property(lambda self: self._fact(3))

    def __str__(self):
        return self._plan.describe()

    def __repr__(self):
        m, itemsize, outer, inner, in_place, _ = self._options
        return (
            f"Plan('{m}', itemsize={itemsize}, outer={outer}, inner={inner}, in_place={in_place})"
        )

    def __reduce__(self):
        m, itemsize, outer, inner, in_place, threads = self._options
        return (_plan_again, (m, itemsize, outer, inner, in_place, threads))

    def __eq__(self, other):
        return isinstance(other, Plan) and self._options == other._options

    def __hash__(self):
        return hash(self._options)

    def _repr_html_(self):
        rows = [("map", self.map), ("passes", self.passes), ("bytes moved", self.bytes_moved),
                ("working bytes", self.working_bytes), ("threads", self.threads)]
        return table_html("plan", rows) + f"<pre>{self._plan.describe()}</pre>"


def _plan_again(m, itemsize, outer, inner, in_place, threads):
    return Plan(m, itemsize=itemsize, outer=outer, inner=inner, in_place=in_place, threads=threads)


for _object in (permute, rearrange, contiguous, check, Plan, Mismatch, set_threads):
    _object.__module__ = "faro"
