"""What BitMap does with NumPy and other systems' objects: added to the class of the extension."""

from __future__ import annotations

import operator

from . import _core
from ._errors import NotExpressible
from ._html import map_html

BitMap = _core.BitMap


def _numpy():
    import numpy

    return numpy


def _call(self, index):
    """Where the element at an index goes; integer arrays elementwise."""
    if isinstance(index, int):
        if index < 0:
            raise IndexError(f"index {index} of 2^{self.width} elements")
        return self._apply(index)
    np = _numpy()
    if not hasattr(index, "shape") and hasattr(index, "__index__"):
        return self._apply(operator.index(index))
    array = np.asarray(index)
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices are whole numbers, not {array.dtype}")
    if array.size and (array.min() < 0 or (self.width < 64 and int(array.max()) >> self.width)):
        raise IndexError(f"indices of 2^{self.width} elements")
    words = array.astype(np.uint64)
    result = np.full(words.shape, self.complement, np.uint64)
    one = np.uint64(1)
    for bit, column in enumerate(self.columns):
        set_bits = (words >> np.uint64(bit)) & one
        result ^= set_bits * np.uint64(column)
    # The type of the indices if it holds every place, else the next that does.
    fits = (1 << self.width) - 1 <= np.iinfo(array.dtype).max
    dtype = array.dtype if fits else np.dtype(np.int64 if self.width < 64 else np.uint64)
    return result.astype(dtype) if array.ndim else dtype.type(result[()])


def _table(self):
    np = _numpy()
    return np.frombuffer(self._table_bytes(), "=u8").copy()


def _matrix(self):
    """uint8, row i is destination bit i."""
    np = _numpy()
    result = np.zeros((self.width, self.width), np.uint8)
    for c, column in enumerate(self.columns):
        for r in range(self.width):
            result[r, c] = column >> r & 1
    return result


def _fit(cls, table, /, *, sense="scatter"):
    """The map of a permutation given in full, or why there is none."""
    if sense not in ("scatter", "gather"):
        raise ValueError(f"sense is 'scatter' or 'gather', not {sense!r}")
    np = _numpy()
    numbers = np.asarray(table)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"a table holds whole numbers, not {numbers.dtype}")
    numbers = numbers.ravel()
    if numbers.size and int(numbers.min()) < 0:
        raise ValueError("a table without negative numbers is wanted")
    fitted = cls._fit(np.ascontiguousarray(numbers, np.uint64))
    return fitted.inverse() if sense == "gather" else fitted


def _probe(cls, f, shape, /, like=None):
    """What an array function does to the index: f is run on the numbers 0 .. n-1 and fitted."""
    np = _numpy()
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    numbers = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    if like is not None:
        from ._lending import same_kind

        numbers = same_kind(numbers, like)
    result = f(numbers)
    if hasattr(result, "detach"):
        result = result.detach().cpu().numpy()
    result = np.asarray(result)
    if result.dtype.kind == "c":
        result = result.real
    if result.size != int(np.prod(shape, dtype=np.int64)):
        raise NotExpressible(
            f"probe: {result.size} elements came of {int(np.prod(shape, dtype=np.int64))}: "
            "elements are left out or repeated"
        )
    # Element j of the result is the element that was at result[j]: a gather table.
    return cls.fit(np.rint(result).astype(np.int64) if result.dtype.kind == "f" else result,
                   sense="gather")


def _probe_fft(cls, f, n, /):
    """The order in which a transform leaves its frequencies: f is run on n tones. The map sends a
    frequency to its place; what an implementation calls unordered or scrambled is this."""
    np = _numpy()
    if n < 1 or n > 4096:
        raise ValueError(f"n is 1 to 4096, not {n}: n transforms of n numbers are done")
    phases = np.outer(np.arange(n), np.arange(n)) % n
    places = []
    for row in np.exp(2j * np.pi * phases / n):
        size = np.abs(np.asarray(f(row))).ravel()
        place = int(size.argmax())
        if size.size != n or size.sum() - size[place] > 1e-3 * size[place]:
            raise NotExpressible(f"probe_fft: a tone of {n} numbers does not become one number of {n}")
        places.append(place)
    return cls.fit(places)


def _to(self, system, /, **options):
    """The map in another system's words, or as its object where one is asked for."""
    from ._systems import write

    return write(self, system, options)


def _explain(self, fields=None):
    """In the words of its own fields, or of those given: {'r': 2, 'c': 3}."""
    given = None if fields is None else [(str(n), int(w)) for n, w in dict(fields).items()]
    return self._in_fields(given)


def _again(columns, complement):
    return BitMap.from_columns(columns, complement)


def _reduce(self):
    return (_again, (list(self.columns), self.complement))


BitMap.__call__ = _call
BitMap.table = _table
BitMap.matrix = _matrix
BitMap.fit = classmethod(_fit)
BitMap.probe = classmethod(_probe)
BitMap.probe_fft = classmethod(_probe_fft)
BitMap.to = _to
BitMap.explain = _explain
BitMap.__reduce__ = _reduce
BitMap._repr_html_ = lambda self: map_html(self)
BitMap._repr_svg_ = lambda self: self.picture()
BitMap.__module__ = "faro"
