"""PermutePlan: a map and a shape of arrays in memory, planned once and executed many times."""

from __future__ import annotations

from html import escape

from . import _core
from ._arrays import _acted_on, _ends, _log2, _raw, _result_shape, _split
from ._errors import UsageError
from ._html import table_html
from ._lending import give_back, lend, numpy, target_of, threads_of, with_progress, writable


class PermutePlan(_core.ArrayPlan):
    """Made once, executed many times, from any number of threads: plan(x), plan(x, out)."""

    def __init__(self, map, *, itemsize=1, outer=1, inner=1, shape=None, axis=None, in_place=False, threads=None):
        count = threads_of(threads)
        if shape is None:
            if axis is not None:
                raise TypeError("axis= goes with shape=")
            map = _core.map_for(map, None, ())
            super().__init__(map, itemsize, outer, inner, in_place, count)
            self._shapes = None
        else:
            if (outer, inner) != (1, 1):
                raise TypeError("outer= and inner= are of maps of bits, shape= of any array")
            shape = tuple(shape)
            axis = _ends(axis, len(shape))
            self._shapes = (shape, _result_shape(map, shape, axis))
            if in_place and self._shapes[1] != shape:
                raise UsageError(f"in place an array keeps its shape; {map!r} makes {self._shapes[1]} of {shape}")
            whole, _ = _core.whole_map(map, shape, axis, False)
            super().__init__(whole, itemsize, (), (), (), (), in_place, count)
        self._options = (map, itemsize, outer, inner, shape, axis, bool(in_place), threads)

    @classmethod
    def of(cls, x, map, *, axis=None, in_place=False, measure=False, threads=None):
        a, _ = lend(x)
        ends = _ends(axis, a.ndim)
        given = _result_shape(map, a.shape, ends)
        acted = _acted_on(a.shape, ends)
        if a.size and (given != a.shape or not _core.whole_map(map, acted, None, False)[0].is_bits):
            if measure:
                raise UsageError("measure=True is for maps of bits")
            return cls(map, itemsize=a.itemsize, shape=a.shape, axis=axis,
                       in_place=in_place, threads=threads)
        outer, length, inner = _split(a.shape, ends)
        m = _core.map_for(map, _log2(length), acted)
        plan = cls(m, itemsize=a.itemsize, outer=outer, inner=inner, in_place=in_place,
                   threads=threads)
        if measure and not in_place and a.size:
            np = numpy()
            a = np.ascontiguousarray(a)
            plan._measure(m, outer, inner, threads_of(threads), a, np.empty_like(a))
        return plan

    # What the type's own call leaves: no out, other libraries, progress, and every refusal.
    def _call(self, x, out=None, *, progress=None):
        m, itemsize, outer, inner, _, _, in_place, _ = self._options
        a, library = lend(x)
        if self._shapes is not None:
            shape, given = self._shapes
            if a.shape != shape or a.itemsize != itemsize:
                raise UsageError(f"an array of shape {a.shape}, {a.itemsize} bytes, for a plan of {shape}, {itemsize}")
        else:
            given = a.shape
            if a.itemsize != itemsize or a.size != outer * inner << m.width:
                raise UsageError(
                    f"an array of {a.size} elements of {a.itemsize} bytes for a plan of "
                    f"{outer * inner << m.width} of {itemsize}"
                )
        if in_place:
            if out is not None and out is not x:
                raise UsageError("a plan in place takes one array")
            target, _ = writable(x, library)
            if not target.flags.c_contiguous:
                raise UsageError("a plan in place takes an array in C order")
            with_progress(lambda heard: self._run(target, None, heard), progress)
            return x
        np = numpy()
        a = np.ascontiguousarray(_raw(a)).view(a.dtype)
        if out is None:
            target = np.empty(given, a.dtype)
        else:
            target = target_of(out, x, library, a)
            if target.size != a.size or (self._shapes is not None and target.shape != given):
                raise UsageError(f"out has shape {target.shape}, the result {given}")
            if not target.flags.c_contiguous:
                raise UsageError("a plan takes an out in C order; permute() takes any")
        with_progress(lambda heard: self._run(a, target, heard), progress)
        if out is not None:
            return out
        return give_back(target, x, library, getattr(x, "shape", None) if given == a.shape else None)

    map = property(lambda self: self._options[0])
    in_place = property(lambda self: self._options[6])
    passes = property(lambda self: self._facts[0])
    bytes_moved = property(lambda self: self._facts[1])
    working_bytes = property(lambda self: self._facts[2])
    threads = property(lambda self: self._facts[3])

    def __str__(self):
        return self._describe()

    def __repr__(self):
        m, itemsize, outer, inner, shape, axis, in_place, _ = self._options
        array = f"outer={outer}, inner={inner}" if shape is None else f"shape={shape}"
        if axis is not None:
            array += f", axis={tuple(range(axis[0], axis[1] + 1))}"
        return f"PermutePlan('{m}', itemsize={itemsize}, {array}, in_place={in_place})"

    def __reduce__(self):
        return (_plan_again, self._options)

    # Immutable: a copy is itself.
    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return isinstance(other, PermutePlan) and self._options == other._options

    def __hash__(self):
        return hash(self._options)

    def _repr_html_(self):
        rows = [("map", self.map), ("passes", self.passes), ("bytes moved", self.bytes_moved),
                ("working bytes", self.working_bytes), ("threads", self.threads)]
        return table_html("plan", rows) + f"<pre>{escape(self._describe())}</pre>"


def _plan_again(m, itemsize, outer, inner, shape, axis, in_place, threads):
    axis = None if axis is None else tuple(range(axis[0], axis[1] + 1))
    return PermutePlan(m, itemsize=itemsize, outer=outer, inner=inner, shape=shape, axis=axis, in_place=in_place,
                       threads=threads)


PermutePlan.__module__ = "faro"
