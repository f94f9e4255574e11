"""permute, rearrange and contiguous.

Data is never looked at: an element is itemsize bytes. A strided view that is a bit map of its memory
is folded into the map; every other view goes through a plan for its strides, so nothing is copied
first. What is kept here is which of the engine's ways an array takes.
"""

from __future__ import annotations

import functools
import operator

from . import _core, _device
from ._errors import Impossible, NotationError, UsageError
from ._lending import check_derivative, give_back, lend, library_of, numpy, set_threads, target_of, threads_of
from ._lending import with_progress
from ._lending import state as _state

_fast = _core.permute_fast
# Below this NumPy's own copy of a view is faster than a plan's way in.
_small_bytes = 4096


def _log2(n):
    return n.bit_length() - 1 if n > 0 and n & (n - 1) == 0 else None


def _split(shape, axis):
    """outer, length and inner of the axes that a map acts on."""
    if axis is None:
        length = 1
        for side in shape:
            length *= side
        return 1, length, 1, None
    axis = _axes(axis, len(shape))
    axes = (axis,) if isinstance(axis, int) else axis
    if not axes:
        raise ValueError("axis=(): no axis to permute")
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


def _axes(axis, ndim):
    """One axis as a number from 0, several as a tuple of such."""
    if axis is None:
        return None
    if not isinstance(axis, (tuple, list)):
        try:
            return _axis(axis, ndim)
        except TypeError:
            pass  # a sequence, or no number at all
    axes = tuple(_axis(a, ndim) for a in axis)
    return axes[0] if len(axes) == 1 else axes


def _acted_on(shape, axis):
    """The lengths of the axes that words are of."""
    if axis is None:
        return shape
    first, last = _ends(axis)
    return shape[first : last + 1]


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


def _with_axes(error, shape, axis):
    """Words of bits that do not fit the whole array are told which axes would do."""
    usable = [str(d) for d, n in enumerate(shape) if n > 1 and _log2(n) is not None]
    if axis is None and usable and len(shape) > 1 and error.fault in ("size", "width") and "the words name" not in str(error):
        error.args = (f"{error}\n  of shape {shape}: axis={', '.join(usable)} would do",)
    return error


def _identity(n):
    return _core.BitMap.identity(_log2(n))


def _whole_map(m, shape, outer, inner):
    """The map of one axis as a map of all, where every side is a power of two."""
    return _identity(outer).beside(m).beside(_identity(inner))


def _memory_map(a):
    return _core.memory_map(list(a.shape), list(a.strides), a.itemsize)


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


_plans = functools.lru_cache(maxsize=256)(_core.ArrayPlan)
_no_plan = object()


# What a tensor map is made of is hashable; the map itself is not.
def _tensor_map(words):
    if words[0] == "text":
        return _core.tensor_map(*words[1:])[0]
    if words[0] == "along":
        return _core.tensor_along(*words[1:])
    if words[0] == "batches":
        outer, inverse, of_one = words[1:]
        return _core.tensor_batches(_core.tensor_map(*of_one)[0], outer, inverse)
    return _core.tensor_identity(words[1])


@functools.lru_cache(maxsize=256)
def _tensor_plan(words, itemsize, shape, strides, to_shape, to_strides, in_place, threads):
    try:
        return _core.TensorPlan(
            _tensor_map(words), itemsize, shape, strides, to_shape, to_strides, in_place, threads
        )
    except Impossible:
        # The axes cut the map's digits, out's elements lie in each other, or in place is slow.
        return _no_plan


def _move_view(words, a, out, threads, progress):
    """False where no plan takes these strides."""
    # Without gaps and in C order an array is one axis, whose lengths cut no digit.
    source = ((), ()) if a.flags.c_contiguous else (a.shape, a.strides)
    target = ((), ()) if out.flags.c_contiguous else (out.shape, out.strides)
    plan = _tensor_plan(words, a.itemsize, *source, *target, False, threads)
    if plan is _no_plan:
        return False
    with_progress(lambda heard: plan.run(a, out, heard), progress)
    return True


def _move_where_it_is(words, a, threads, progress):
    """Within an array in C order; False where that is slower than a second array."""
    plan = _tensor_plan(words, a.itemsize, (), (), (), (), True, threads)
    if plan is _no_plan:
        return False
    with_progress(lambda heard: plan.run(a, None, heard), progress)
    return True


def _move(a, m, outer, inner, out, threads, copy, progress):
    """a and out are NumPy arrays, m acts on outer x 2^p x inner of a."""
    np = numpy()
    if out is None:
        out = np.empty(a.shape, a.dtype)
        same = False
    else:
        met = _meet(a, out)
        if met == "part":
            raise ValueError("out overlaps the array in part; it must be the same memory or apart")
        same = met == "same"
    if a.size == 0:
        return out
    if not (a.flags.c_contiguous and out.flags.c_contiguous):
        from_memory = _memory_map(a)
        to_memory = _memory_map(out)
        if from_memory is not None and to_memory is not None:
            whole = m if outer == inner == 1 else _whole_map(m, a.shape, outer, inner)
            m = from_memory.inverse() >> whole >> to_memory
            outer = inner = 1
        elif not same and _move_view(("along", m, outer, inner), a, out, threads, progress):
            return out
        else:
            if copy is False:
                raise ValueError("this view cannot be moved without a copy, and copy=False")
            a, into = _raw(a), _raw(out)
            target = into if out.flags.c_contiguous and not same else np.empty(out.shape, into.dtype)
            _move(np.array(a, order="C"), m, outer, inner, target, threads, None, progress)
            if target is not into:
                into[...] = target
            return out
    plan = _plans(m, a.itemsize, outer, inner, same, threads)
    with_progress(lambda heard: plan._run(a, None if same else out, heard), progress)
    return out


def _move_batches(outer, inverse, words, a, out, threads):
    """`outer` arrays, each by a map of axes of any length or back."""
    words = ("batches", outer, inverse, words)
    if _move_view(words, a, out, threads, None):
        return
    # A view whose axes cut the map's digits; in C order an array is one axis.
    if not _move_view(words, numpy().ascontiguousarray(a), out, threads, None):
        raise Impossible(f"the axes of shape {a.shape} cut what {words[3][0]!r} moves")


def _ends(axis):
    """The first and the last of the axes that words are of."""
    if axis is None:
        return None
    return (axis, axis) if isinstance(axis, int) else (axis[0], axis[-1])


@functools.lru_cache(maxsize=1024)
def _result_shape(text, shape, axis):
    """What the words give; nothing where they are of index bits and the shape stays."""
    made = _core.tensor_map(text, shape, _ends(axis))
    return None if made is None else tuple(made[1])


def _move_text(text, a, axis, inverse, out, threads, copy, progress):
    """By words of axes of any length; nothing where they are of index bits and the shape stays."""
    to_shape = _result_shape(text, a.shape, axis)
    if to_shape is None:
        return None
    if inverse:
        _check_inverse(text, a.shape, to_shape)
    np = numpy()
    if out is None:
        out = np.empty(to_shape, a.dtype)
        met = ""
    else:
        _fits(out, to_shape)
        met = _meet(a, out)
    words = (text, a.shape, _ends(axis))
    words = ("batches", 1, True, words) if inverse else ("text", *words)
    if not met and _move_view(words, a, out, threads, progress):
        return out
    in_order = a.flags.c_contiguous and out.flags.c_contiguous
    if met == "same" and in_order and _move_where_it_is(words, out, threads, progress):
        return out
    if copy is False:
        raise ValueError("this map of lengths needs a second array, and copy=False")
    a, into = _raw(a), _raw(out)
    result = np.empty(to_shape, a.dtype)
    source = a if met else np.ascontiguousarray(a)
    if not _move_view(words, source, result, threads, progress):
        raise Impossible(f"the axes of shape {a.shape} cut what {text!r} moves")
    into[...] = result
    return out


_map_of_text = functools.lru_cache(maxsize=1024)(_core.map_for)


def _map_of(map, width, shape):
    return (_map_of_text if isinstance(map, str) else _core.map_for)(map, width, shape)


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
    axis = _axes(axis, len(shape))
    outer, length, inner, first = _split(shape, axis)
    made = None
    if isinstance(map, str) and 0 not in shape:
        made = _core.tensor_map(map, shape, _ends(axis))
    if made is not None:
        whole, to_shape = made[0], tuple(made[1])
        if inverse:
            _check_inverse(map, shape, to_shape)
            whole = _core.tensor_batches(whole, 1, True)
        return _device.move(known, x, whole, to_shape, out, copy)
    if 0 in shape:
        return _device.move(known, x, None, shape, out, copy)
    if _log2(length) is None:
        _refuse_length(length, shape, first)
    m = _map_of(map, _log2(length), _acted_on(shape, axis))
    whole = _core.tensor_along(m.inverse() if inverse else m, outer, inner)
    return _device.move(known, x, whole, shape, out, copy)


def _orders(axes, ndim):
    axes = tuple(_axis(a, ndim) for a in axes)
    if sorted(axes) != list(range(ndim)):
        raise ValueError(f"axes={axes} of an array with {ndim} axes")
    return axes


def _check_inverse(text, shape, to_shape):
    if to_shape != shape:
        raise UsageError(
            f"inverse=True: {text!r} makes {to_shape} of {shape}, so it is not of the result's axes; "
            "write the words that go back"
        )


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
    if callable(map) and hasattr(map, "__name__"):
        raise TypeError(f"{map.__name__} is a function; BitMap.probe({map.__name__}, {a.shape}) finds the map that it is")
    axis = _axes(axis, a.ndim)
    outer, length, inner, first = _split(a.shape, axis)
    if isinstance(map, str) and a.size:
        try:
            result = _move_text(map, a, axis, inverse, target, count, copy, progress)
        except NotationError as error:
            raise _with_axes(error, a.shape, axis)
        if result is not None:
            return give_back(result, x, library) if out is None else out
    if a.size:
        width = _log2(length)
        if width is None:
            _refuse_length(length, a.shape, first)
        m = _map_of(map, width, _acted_on(a.shape, axis))
        m = m.inverse() if inverse else m
    else:
        m = _core.map_for(map, None, ()) if not isinstance(map, str) else _identity(1)
    if target is not None and target.shape != a.shape:
        raise ValueError(f"out has shape {target.shape}, the array {a.shape}")
    result = _move(a, m, outer, inner, target, count, copy, progress)
    return give_back(result, x, library, getattr(x, "shape", None)) if out is None else out


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
    np = numpy()
    if a.size == 0:
        return
    a, out = _raw(a), _raw(out)
    met = _meet(a, out)
    if a.nbytes <= _small_bytes and not met:
        np.copyto(out, a)
        return
    if met != "part" and _memory_map(a) is not None and _memory_map(out) is not None:
        _move(a, _identity(a.size), 1, 1, out, threads, copy, progress)
        return
    if met:
        if copy is False:
            raise ValueError("this view cannot be moved in place without a copy, and copy=False")
        a = a.copy()
    if not _move_view(("identity", a.size), a, out, threads, progress):
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
        return give_back(_copied(view, threads_of(threads)).reshape(joined), x, library)
    target = target_of(out, x, library, a)
    _fits(target, joined)
    if not target.flags.c_contiguous:
        raise ValueError("out of rearrange is contiguous")
    _copy_view(view, target.reshape(view.shape), threads_of(threads))
    return out


for _object in (permute, rearrange, contiguous, set_threads):
    _object.__module__ = "faro"
