"""check: an array beside what a map says of it, element by element."""

from __future__ import annotations

from . import _core
from ._arrays import _acted_on, _axes, _ends, _log2, _raw, _refuse_length, _result_shape, _split
from ._lending import lend, numpy
from ._stored import check_stored, is_stored


class Mismatch:
    """The first element that is not where the map sends it."""

    __slots__ = ("block", "index", "place")

    def __init__(self, block, index, place):
        self.block, self.index, self.place = block, index, place

    def __repr__(self):
        return f"Mismatch(block={self.block}, index={self.index}, place={self.place})"


def _compare(b, shape, a):
    if b.shape != tuple(shape) or b.itemsize != a.itemsize:
        raise ValueError(
            f"the second array has shape {b.shape} and items of {b.itemsize} bytes; wanted are "
            f"{tuple(shape)} and {a.itemsize}"
        )


def check(x, y, /, map=None, *, axis=None, axes=None, flip=None, memory="2GiB", threads=None,
          dtype=None, shape=None, progress=None):
    """The first element of y that is not where `map` sends it, compared one by one without tables."""
    if is_stored(x) or is_stored(y):
        if axis is not None:
            raise ValueError("axis= is of arrays in memory; the map of a stored one names its axes")
        return check_stored(x, y, map=map, axes=axes, flip=flip, memory=memory, threads=threads,
                            dtype=dtype, shape=shape, progress=progress)
    if axes is not None or flip is not None or dtype is not None or shape is not None:
        raise ValueError("axes=, flip=, dtype= and shape= are of stored arrays; take a map")
    np = numpy()
    a, _ = lend(x, compared=True)
    b, _ = lend(y, compared=True)
    axis = _axes(axis, a.ndim)
    if map is None:  # the same places
        axis = None
        names = " ".join(f"a{k}" for k in range(a.ndim))
        map = f"{names} -> {names}" if a.ndim else "i:0 -> i"
    if isinstance(map, str) and a.size:
        shape = _result_shape(map, a.shape, axis)
        if shape is not None:
            _compare(b, shape, a)
            made = _core.tensor_map(map, a.shape, _ends(axis))[0]
            found = _core.tensor_mismatch(
                made, np.ascontiguousarray(_raw(a)), np.ascontiguousarray(_raw(b)))
            return None if found is None else Mismatch(0, *found)
    _compare(b, a.shape, a)
    outer, length, inner, first = _split(a.shape, axis)
    if a.size == 0:
        return None
    if _log2(length) is None:
        _refuse_length(length, a.shape, first)
    m = _core.map_for(map, _log2(length), _acted_on(a.shape, axis))
    a = np.ascontiguousarray(_raw(a))
    b = np.ascontiguousarray(_raw(b))
    found = _core.first_mismatch(m, a.itemsize, outer, inner, a, b)
    return None if found is None else Mismatch(*found)


for _object in (check, Mismatch):
    _object.__module__ = "faro"
