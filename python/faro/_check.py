"""check: an array beside what a map says of it, element by element."""

from __future__ import annotations

import math

from . import _core
from ._arrays import _ends, _raw, _result_shape
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
    ends = _ends(axis, a.ndim)
    if map is None:  # the same places
        ends, map = None, "i -> i"
    shape = _result_shape(map, a.shape, ends)
    _compare(b, shape, a)
    if a.size == 0:
        return None
    whole, _ = _core.whole_map(map, a.shape, ends, False)
    found = _core.mismatch(whole, np.ascontiguousarray(_raw(a)), np.ascontiguousarray(_raw(b)))
    if found is None:
        return None
    # As the axes count that the map is of: which block of them, and where in it.
    first, last = (0, a.ndim - 1) if ends is None else ends
    inner = math.prod(a.shape[last + 1 :])
    length = math.prod(a.shape[first : last + 1])
    index, place = (at // inner for at in found)
    return Mismatch(index // length, index % length, place % length)


for _object in (check, Mismatch):
    _object.__module__ = "faro"
