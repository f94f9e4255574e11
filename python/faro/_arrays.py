"""permute, rearrange and contiguous.

Data is never looked at: an element is itemsize bytes. What is asked for, (map, shape, axes, inverse),
is one map of the whole array (_core.whole_map), and a plan moves it between the strides that the two
arrays have, so nothing is copied first.
"""

from __future__ import annotations

import functools
import math
import operator

from . import _core, _device
from ._errors import Impossible, NotationError, UsageError
from ._lending import check_derivative, give_back, lend, library_of, numpy, set_threads, target_of, threads_of
from ._lending import with_progress
from ._lending import state as _state

_fast = _core.permute_fast
# What stands for an axis of no elements while words are read: a length that divides as words may ask,
# known again by a prime that no other length has.
_prime = 1_000_003
_stand_in = 5040 * _prime
# Below this NumPy's own copy of a view is faster than a plan's way in.
_small_bytes = 4096


def _log2(n):
    return n.bit_length() - 1 if n > 0 and n & (n - 1) == 0 else None


def _ends(axis, ndim):
    """The first and the last of the axes that a map is of; nothing for all of them together."""
    if axis is None:
        return None
    if not isinstance(axis, (tuple, list)):
        try:
            axis = _axis(axis, ndim)
            return axis, axis
        except TypeError:
            pass  # a sequence, or no number at all
    axes = tuple(_axis(a, ndim) for a in axis)
    if not axes:
        raise ValueError("axis=(): no axis to permute")
    if any(b != a + 1 for a, b in zip(axes, axes[1:])):
        raise ValueError(f"axes {axes} are not adjacent, or not in order; transpose first")
    return axes[0], axes[-1]


def _acted_on(shape, ends):
    """The lengths of the axes that a map is of."""
    return shape if ends is None else shape[ends[0] : ends[1] + 1]


def _split(shape, ends):
    """outer, length and inner of the axes that a map of bits acts on."""
    first, last = (0, len(shape) - 1) if ends is None else ends
    outer, length, inner = math.prod(shape[:first]), math.prod(_acted_on(shape, ends)), math.prod(shape[last + 1 :])
    if _log2(length) is None and 0 not in shape:
        _refuse_length(length, shape, None if ends is None else first)
    return outer, length, inner


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


def _with_axes(error, shape, ends):
    """Words of bits that do not fit the whole array are told which axes would do."""
    usable = [str(d) for d, n in enumerate(shape) if n > 1 and _log2(n) is not None]
    if ends is None and usable and len(shape) > 1 and error.fault in ("size", "width") and "the words name" not in str(error):
        error.args = (f"{error}\n  of shape {shape}: axis={', '.join(usable)} would do",)
    return error


def _raw(a):
    """Whole elements, also where NumPy copies fields alone and leaves what is between them."""
    return a.view(f"V{a.itemsize}") if a.dtype.names else a


def _places(a):
    low, size = _core.extent(a)
    return low, low + size


def _meet(a, b):
    """Whether two arrays share memory: not, "same", or "part"."""
    a_low, a_high = _places(a)
    b_low, b_high = _places(b)
    if (a_low, a_high) == (b_low, b_high):
        return "same"
    return "part" if a_low < b_high and b_low < a_high else ""


@functools.lru_cache(maxsize=1024)
def _shape_of(*question):
    return tuple(_core.whole_map(*question)[1])


def _result_shape(map, shape, ends, inverse=False):
    """The shape of what is asked for; refuses in words what the map cannot do with such an array."""
    if not isinstance(map, str):
        if callable(map) and hasattr(map, "__name__"):
            raise TypeError(f"{map.__name__} is a function; BitMap.probe({map.__name__}, {shape}) finds the map that it is")
        _core.map_for(map, None, ())
        _split(shape, ends)
    empty = 0 in shape
    if empty and not isinstance(map, str):
        return shape
    try:
        result = _shape_of(map, tuple(n or _stand_in for n in shape) if empty else shape, ends, inverse)
    except NotationError as error:
        if empty and error.fault in ("size", "width", "limit"):
            return shape  # nothing moves, however many elements the words speak of
        raise _with_axes(error, shape, ends)
    if empty:
        result = tuple(n if n % _prime else 0 for n in result)
    if inverse and result != shape:
        raise UsageError(
            f"inverse=True: {map!r} makes {result} of {shape}, so it is not of the result's axes; "
            "write the words that go back"
        )
    return result


@functools.lru_cache(maxsize=256)
def _plan(question, itemsize, shape, strides, to_shape, to_strides, in_place, threads):
    try:
        return _core.ArrayPlan(
            _core.whole_map(*question)[0], itemsize, shape, strides, to_shape, to_strides, in_place, threads
        )
    except Impossible:
        # The axes cut the map's digits, out's elements lie in each other, or in place is slow.
        return None


def _planned(question, a, out, in_place, threads, progress):
    """False where no plan takes these strides."""
    # Without gaps and in C order an array is one axis, whose lengths cut no digit.
    dense = a.flags.c_contiguous and out.flags.c_contiguous
    source = ((), ()) if dense or (a.flags.c_contiguous and not in_place) else (a.shape, a.strides)
    target = ((), ()) if dense or (out.flags.c_contiguous and not in_place) else (out.shape, out.strides)
    plan = _plan(question, a.itemsize, *source, *target, in_place, threads)
    if plan is None:
        return False
    with_progress(lambda heard: plan._run(out if in_place else a, None if in_place else out, heard), progress)
    return True


def _move(question, a, out, threads, copy=None, progress=None):
    """out becomes what is asked for of a; they may share memory."""
    if a.size == 0:
        return
    a, out = _raw(a), _raw(out)
    met = _meet(a, out)
    if met != "part" and _planned(question, a, out, met == "same", threads, progress):
        return
    if copy is False:
        raise ValueError(f"{'in place this' if met else 'a view like this'} needs a second array, and copy=False")
    np = numpy()
    result = out if out.flags.c_contiguous and not met else np.empty(out.shape, out.dtype)
    if not (
        _planned(question, a, result, False, threads, progress)
        or _planned(question, np.ascontiguousarray(a), result, False, threads, progress)
    ):
        raise Impossible(f"the axes of shape {a.shape} cut what {question[0]!r} moves")
    if result is not out:
        out[...] = result


def _fits(out, shape):
    if out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape}, the result {tuple(shape)}")


def permute(x, map=None, /, *, axis=None, axes=None, inverse=False, out=None, threads=None,
            copy=None, progress=None):
    """The element at index i goes to index map(i) (scatter); inverse=True brings it back."""
    if (
        axis is None and axes is None and not inverse and threads is None and copy is None
        and progress is None and _state["threads"] is None
    ):
        done = _fast(x, map, out=out)
        if done is not NotImplemented:
            return done
    return _permute(x, map, axis, axes, inverse, out, threads, copy, progress)


def _on_device(known, x, map, axis, axes, inverse, out, copy):
    """permute of an array that lies on a device, by its library's stream."""
    shape = tuple(x.shape)
    if axes is not None:
        map = f"numpy:a.transpose{_orders(axes, len(shape))}"
    question = (map, shape, _ends(axis, len(shape)), inverse)
    to_shape = _result_shape(*question)
    whole = None if 0 in shape else _core.whole_map(*question)[0]
    return _device.move(known, x, whole, to_shape, out, copy)


def _orders(axes, ndim):
    if isinstance(axes, str):
        raise TypeError(f"axes={axes!r} is a text; wanted are numbers, as in axes=(2, 0, 1)")
    axes = tuple(_axis(a, ndim) for a in axes)
    if sorted(axes) != list(range(ndim)):
        raise ValueError(f"axes={axes} of an array with {ndim} axes")
    return axes


def _permute(x, map, axis, axes, inverse, out, threads, copy, progress):
    if (map is None) == (axes is None):
        raise TypeError("permute takes a map, or axes=")
    if axes is not None and (axis is not None or inverse):
        raise TypeError(
            "axis= goes with a map, axes= stands alone" if axis is not None
            else "inverse= goes with a map; numpy.argsort(axes) are the axes that go back"
        )
    known = _device.library(x)
    if known is not None:
        if library_of(x) == "torch":
            check_derivative(x)
        return _on_device(known, x, map, axis, axes, inverse, out, copy)
    a, library = lend(x)
    count = threads_of(threads)
    target = None if out is None else target_of(out, x, library, a)
    if axes is not None:
        view = a.transpose(axes)
        if target is None:
            target = numpy().empty(view.shape, a.dtype)
        _fits(target, view.shape)
        _copy_view(view, target, count, copy, progress)
        return give_back(target, x, library) if out is None else out
    question = (map, a.shape, _ends(axis, a.ndim), inverse)
    shape = _result_shape(*question)
    if target is None:
        target = numpy().empty(shape, a.dtype)
    _fits(target, shape)
    _move(question, a, target, count, copy, progress)
    if out is not None:
        return out
    return give_back(target, x, library, getattr(x, "shape", None) if shape == a.shape else None)


def contiguous(x, order="C", /, *, out=None, threads=None):
    """numpy.ascontiguousarray / asfortranarray for views, at the speed of memory."""
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    a, library = lend(x)
    count = threads_of(threads)
    if out is None:
        ready = a.flags.c_contiguous if order == "C" else a.flags.f_contiguous
        if ready:
            return x
        result = _copied(a, count) if order == "C" else _copied(a.T, count).T
        return give_back(result, x, library)
    target = target_of(out, x, library, a)
    if target.size != a.size:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    # The result's elements in C (or F) order, whatever shape out has for them.
    if order == "F":
        a = a.T
    flat = target.reshape(-1) if target.flags.c_contiguous else target
    if flat is target and target.shape != a.shape:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    _copy_view(a, flat.reshape(a.shape), count)
    return out


def _copied(a, threads):
    """A new array in C order."""
    np = numpy()
    if a.nbytes <= _small_bytes:
        return _raw(a).copy(order="C").view(a.dtype)
    result = np.empty(a.shape, a.dtype)
    _copy_view(a, result, threads)
    return result


def _copy_view(a, out, threads, copy=None, progress=None):
    """out[...] = a, also where out is the memory that a is a view of."""
    if a.nbytes <= _small_bytes and not _meet(a, out):
        numpy().copyto(_raw(out), _raw(a))
    else:
        _move(("i -> i", (a.size,), None, False), a, out, threads, copy, progress)


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
        return give_back(_copied(view, threads_of(threads)).reshape(joined), x, library)
    target = target_of(out, x, library, a)
    _fits(target, joined)
    if not target.flags.c_contiguous:
        raise ValueError("out of rearrange is contiguous")
    _copy_view(view, target.reshape(view.shape), threads_of(threads))
    return out


for _object in (permute, rearrange, contiguous, set_threads):
    _object.__module__ = "faro"
