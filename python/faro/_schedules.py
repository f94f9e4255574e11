"""plan, verify, transform and MachinePlan: the machines."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from . import _core
from ._errors import Refused
from ._html import picture_html, table_html
from ._lending import give_back, lend, numpy, whole, with_progress
from ._systems import _shape

MachinePlan = _core.MachinePlan
PlacedPlan = _core.PlacedPlan


class Bound(NamedTuple):
    """No schedule takes fewer steps than value; certificate is what proves it (docs/bounds.md)."""

    value: int
    reason: str
    certificate: dict = {}


class Paper(NamedTuple):
    """What the paper prints for its own algorithm."""

    value: int
    formula: str
    citation: str


class Violation(NamedTuple):
    """One breach of a rule; steps are counted from 0. Where, as far as it is known, in `at`."""

    step: int
    rule: str
    message: str
    at: dict


class Considered(NamedTuple):
    """A planner's answer: its cost, or why it has none."""

    planner: str
    steps: int | None
    why: str


class Verdict(NamedTuple):
    """Of a schedule that somebody wrote; true where it is right."""

    answer: str
    by: str
    limit: str
    violations: tuple
    violation_count: int
    delivered: int
    expected: int
    fingerprint: str
    warnings: tuple

    @property
    def ok(self):
        return self.answer == "yes"

    def __bool__(self):
        return self.ok


class Transformed(NamedTuple):
    """What a transform took on its machine."""

    planner: str
    citation: str
    steps: int
    moves: int
    bound: Bound
    crossings: tuple


def _words(map):
    """Text with its cut, or a list of destinations."""
    if isinstance(map, _core.Move):
        return map.text()
    if isinstance(map, _core.BitMap):
        return str(map)
    if isinstance(map, str):
        return map
    try:
        return [whole(k, "a destination", least=0) for k in map]
    except TypeError:
        raise TypeError(f"a map, a move or a list of destinations, not {type(map).__name__}") from None


def plan(map, on, *, elements=None, algorithm=None, verify="automatic", shape=None, element_bytes=None,
         in_place=False, relabel=False, progress=None):
    """A schedule of a machine, or with element_bytes= what moving an array takes at any place."""
    words = _words(map)
    shape = _shape(shape)
    if element_bytes is not None:
        if not isinstance(words, str):
            raise TypeError("an array moves by words, not by a list of destinations")
        if algorithm is not None:
            raise TypeError("algorithm= is for schedules; leave element_bytes= out")
        count = whole(element_bytes, "element_bytes", least=1)
        return with_progress(
            lambda heard: _core.placed_plan(words, on, count, whole(elements, "elements"), shape, bool(in_place),
                                            bool(relabel), verify, heard), progress
        )
    if in_place or relabel:
        raise TypeError("in_place= and relabel= are for arrays; give element_bytes=")
    if not isinstance(on, str):
        raise TypeError(f"a machine is a text such as 'cube:4' or 'mesh:8x8', not {type(on).__name__}")
    if on == "memory" or on.startswith("disk:"):
        raise TypeError(f"{on} holds an array: give element_bytes=")
    made = with_progress(
        lambda heard: _core.plan(words, on, whole(elements, "elements"), algorithm or "", verify, shape, heard), progress
    )
    said_no = verify != "none" and not made._verified()
    if said_no:
        raise Refused(f"{made!r}: no verifier could say yes; verify='none' gives it unjudged")
    made._asked = (words, on, elements, algorithm, verify, shape)
    return made


def _plan_again(words, on, elements, algorithm, verify, shape=None):
    return plan(words, on, elements=elements, algorithm=algorithm, verify=verify, shape=shape)


def verify(schedule, /, *, map=None, by="automatic"):
    """Judges a schedule: one that was planned, a file, or what json.load made of one."""
    goal = None if map is None else _words(map)
    if isinstance(schedule, MachinePlan):
        facts = _core.verify_text(schedule.json(), by, goal)
    elif isinstance(schedule, Mapping):
        facts = _core.verify_text(json.dumps(schedule), by, goal)
    else:
        facts = _core.verify_file(os.fsencode(schedule), by, goal)
    answer, judge, limit, violations, count, delivered, expected, fingerprint, warnings = facts
    return Verdict(answer, judge, limit, tuple(Violation(*v) for v in violations), count, delivered,
                   expected, fingerprint, tuple(warnings))


def transform(x, kind, /, *, on="cube:0", layout="cyclic", axis=-1, order=None, algorithm=None, key=None,
              sequency=False, exclusive=False, modulus="998244353"):
    """A Fourier, number-theoretic or Walsh transform, a scan or a sort, by a butterfly network on an
    emulated cube; the result in natural order, and what it took."""
    np = numpy()
    a, library = lend(x)
    if library == "torch":
        raise TypeError("transform computes with numbers: give it x.numpy()")
    if a.ndim == 0:
        raise ValueError("a transform runs along an axis, and there is none")
    if not -a.ndim <= axis < a.ndim:
        raise ValueError(f"axis {axis} of an array with {a.ndim} axes")
    axis %= a.ndim
    a = np.ascontiguousarray(a)
    outer = int(np.prod(a.shape[:axis], dtype=np.int64))
    inner = int(np.prod(a.shape[axis + 1:], dtype=np.int64))
    doing = _core.ArrayTransform(kind, on, layout, order or "", algorithm or "", sequency, exclusive,
                                 str(modulus), a.shape[axis])
    dtype = a.dtype
    if a.dtype.names is not None:
        name = a.dtype.names[0] if key is None else key
        if name not in a.dtype.names:
            raise ValueError(f"key {name!r}: the records have {', '.join(a.dtype.names)}")
        dtype, offset = a.dtype.fields[name][:2]
        doing.record(a.itemsize, offset)
    elif key is not None:
        raise ValueError("key= is for arrays of records")
    to = a.dtype if a.dtype.names is not None else np.dtype(doing.result_type(dtype.str))
    out = np.empty(a.shape, to)
    facts = doing.run(dtype.str, a, outer, a.shape[axis], inner, out)
    facts["bound"] = Bound(*facts["bound"])
    return give_back(out, x, library), Transformed(**facts)


# --- MachinePlan -------------------------------------------------------------------------------------


def _verified(self):
    by = self._verified()
    return " and ".join(sorted(by)) or None


def _paper(self):
    paper = self._paper()
    return None if paper is None else Paper(*paper)


def _iterate(self):
    """The steps, as docs/schedule-file.md writes them."""
    file = json.loads(self.json())
    return iter(file.get("steps") or file.get("program") or file.get("slots_list") or [])


_endings = {".csv": "csv", ".goal": "goal", ".graphml": "graphml", ".dot": "dot"}


def _save(self, path, /, *, format=None):
    """As a file that anybody can check (faro verify FILE), or for another tool: docs/exports.md."""
    ending = os.path.splitext(os.fsdecode(path))[1]
    self._save(os.fsencode(path), format or _endings.get(ending, "faro"))


def _simulate(self, x, /):
    """The schedule verified and performed, move by move, on an array of all processors' elements."""
    np = numpy()
    a, library = lend(x)
    a = np.ascontiguousarray(a)
    out = np.empty_like(a)
    _core.simulate(self.json(), a, out)
    return give_back(out, x, library, getattr(x, "shape", None))


def _html(self):
    rows = [
        ("map", self.text or "a list"), ("machine", self.machine),
        (self.unit, f"{self.steps} (bound {self.bound.value}: {self.bound.reason})"),
        ("planner", self.planner), ("verified", self.verified or "by nobody"),
    ]
    if self.paper is not None:
        rows.append(("paper", f"{self.paper.value} = {self.paper.formula}, {self.paper.citation}"))
    return table_html("schedule", rows) + picture_html(self.picture)



def _bound(self):
    facts = self.report()["bound"]
    return Bound(int(facts.pop("value")), facts.pop("reason"), facts)


def _equal(self, other):
    return isinstance(other, MachinePlan) and self.fingerprint == other.fingerprint


# Same request, same schedule: a pickle holds the request, and a copy is the schedule itself.
MachinePlan.__reduce__ = lambda self: (_plan_again, self._asked)
MachinePlan.__copy__ = lambda self: self
MachinePlan.__deepcopy__ = lambda self, memo: self
MachinePlan.__eq__ = _equal
MachinePlan.__hash__ = lambda self: hash(self.fingerprint)
MachinePlan.bound = property(_bound)
MachinePlan.paper = property(_paper)
MachinePlan.verified = property(_verified)
MachinePlan.moves = property(lambda self: self.cost.get("remote_moves"))
MachinePlan.considered = property(lambda self: tuple(Considered(*c) for c in self._considered()))
MachinePlan.report = lambda self: json.loads(self._report())
MachinePlan.save = _save
MachinePlan.simulate = _simulate
MachinePlan.__iter__ = _iterate
MachinePlan._repr_html_ = _html
MachinePlan._repr_svg_ = lambda self: picture_html(self.picture) or None
MachinePlan.__module__ = "faro"
_core.Move.plan = lambda self, on, **options: plan(self, on, **options)
for _object in (plan, verify, transform, Bound, Paper, Violation, Considered, Verdict, Transformed):
    _object.__module__ = "faro"
