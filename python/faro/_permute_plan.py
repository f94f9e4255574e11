"""PermutePlan: a map and a shape of arrays in memory, planned once and executed many times."""

from __future__ import annotations

from html import escape

from . import _core
from ._arrays import _acted_on, _axes, _log2, _raw, _refuse_length, _split
from ._errors import UsageError
from ._html import table_html
from ._lending import give_back, lend, numpy, target_of, threads_of, with_progress, writable


class PermutePlan(_core.ArrayPlan):
    """Made once, executed many times, from any number of threads: plan(x), plan(x, out)."""

    def __init__(self, map, *, itemsize=1, outer=1, inner=1, in_place=False, threads=None):
        m = _core.map_for(map, None, ())
        super().__init__(m, itemsize, outer, inner, in_place, threads_of(threads))
        self._options = (m, itemsize, outer, inner, bool(in_place), threads)

    @classmethod
    def of(cls, x, map, *, axis=None, in_place=False, measure=False, threads=None):
        a, _ = lend(x)
        outer, length, inner, first = _split(a.shape, axis)
        if _log2(length) is None:
            _refuse_length(length, a.shape, first)
        m = _core.map_for(map, _log2(length), _acted_on(a.shape, _axes(axis, a.ndim)))
        plan = cls(m, itemsize=a.itemsize, outer=outer, inner=inner, in_place=in_place,
                   threads=threads)
        if measure and not in_place and a.size:
            np = numpy()
            a = np.ascontiguousarray(a)
            plan._measure(a, np.empty_like(a))
        return plan

    # What the type's own call leaves: no out, other libraries, progress, and every refusal.
    def _call(self, x, out=None, *, progress=None):
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
            target, _ = writable(x, library)
            if not target.flags.c_contiguous:
                raise UsageError("a plan in place takes an array in C order")
            with_progress(lambda heard: self._run(target, None, heard), progress)
            return x
        np = numpy()
        a = np.ascontiguousarray(_raw(a)).view(a.dtype)
        if out is None:
            target = np.empty(a.shape, a.dtype)
        else:
            target = target_of(out, x, library, a)
            if target.size != a.size:
                raise UsageError(f"out has shape {target.shape}, the array {a.shape}")
            if not target.flags.c_contiguous:
                raise UsageError("a plan takes an out in C order; permute() takes any")
        with_progress(lambda heard: self._run(a, target, heard), progress)
        return give_back(target, x, library, getattr(x, "shape", None)) if out is None else out

    map = property(lambda self: self._options[0])
    in_place = property(lambda self: self._options[4])
    passes = property(lambda self: self._facts[0])
    bytes_moved = property(lambda self: self._facts[1])
    working_bytes = property(lambda self: self._facts[2])
    threads = property(lambda self: self._facts[3])

    def __str__(self):
        return self._describe()

    def __repr__(self):
        m, itemsize, outer, inner, in_place, _ = self._options
        return (
            f"PermutePlan('{m}', itemsize={itemsize}, outer={outer}, inner={inner}, in_place={in_place})"
        )

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


def _plan_again(m, itemsize, outer, inner, in_place, threads):
    return PermutePlan(m, itemsize=itemsize, outer=outer, inner=inner, in_place=in_place, threads=threads)


PermutePlan.__module__ = "faro"
