"""Rearrange arrays by maps on index bits.

>>> import numpy as np, faro
>>> x = np.arange(8)
>>> faro.permute(x, 'bit-reversal')
array([0, 4, 2, 6, 1, 5, 3, 7])
>>> faro.permute(x, 'i -> gray(i)')              # element i goes to gray(i)
array([0, 1, 3, 2, 7, 6, 4, 5])
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

Array = TypeVar("Array")  # numpy.ndarray, torch.Tensor, jax.Array: what comes in comes back
MapLike: TypeAlias = BitMap | str  # wherever a map is asked for, its text will do
Progress: TypeAlias = Callable[[int, int], object]
# A path, a URL, a store, array or group of zarr, a dataset or group of h5py.
Stored: TypeAlias = str | os.PathLike[str] | Any
System: TypeAlias = Literal[
    "numpy", "einops", "jax", "shardy", "xla", "dtensor", "cute", "triton", "qiskit", "cirq",
    "qasm", "qasm3", "quirk", "custatevec", "c",
]
__version__: str

def permute(
    x: Array, map: MapLike | None = None, /, *, axis: int | Sequence[int] | None = None,
    axes: Sequence[int] | None = None, inverse: bool = False, out: Array | None = None,
    threads: int | None = None, copy: bool | None = None, progress: Progress | bool | None = None,
) -> Array:
    """The element at index i goes to index map(i) (scatter).

    Words of one field, names and BitMaps move the C-order index of all axes, and the shape stays.
    axis: they are of that axis, the others are batches; several adjacent axes: of these together.
    out=x works in place; out has the array's dtype. inverse=True undoes what the map does.

    >>> a = np.arange(8).reshape(2, 4)
    >>> faro.permute(a, 'i -> ~i', axis=1)
    array([[3, 2, 1, 0],
           [7, 6, 5, 4]])
    >>> faro.permute(a, 'i -> rot(i, 1)', out=a)      # in place; a is returned
    array([[0, 4, 1, 5],
           [2, 6, 3, 7]])

    Several fields are the axes of an array that has several: of any length, they must fit one by
    one, and the right side is the shape of the result. So it is with the words of numpy: and einops:.
    axes= is short for moving axes alone, as numpy.transpose has it, copied.

    >>> faro.permute(np.arange(12).reshape(3, 4), 'r c -> rev(c) ~r')
    array([[ 8,  4,  0],
           [10,  6,  2],
           [ 9,  5,  1],
           [11,  7,  3]])
    >>> faro.permute(np.zeros((5, 6, 7)), axes=(2, 0, 1)).shape
    (7, 5, 6)
    >>> faro.permute(np.arange(6), 'bit-reversal')
    Traceback (most recent call last):
    faro.NotationError: size at column 1: bit-reversal is a map of index bits, and there are 6 elements
    """

def rearrange(
    x: Array, pattern: str, /, *, out: Array | None = None, threads: int | None = None,
    **sizes: int,
) -> Array:
    """einops' patterns, einops' arguments, performed: the result is contiguous.

    >>> faro.rearrange(np.arange(8).reshape(4, 2), '(a b) c -> c (b a)', a=2)
    array([[0, 4, 2, 6],
           [1, 5, 3, 7]])
    """

def contiguous(
    x: Array, order: Literal["C", "F"] = "C", /, *, out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """numpy.ascontiguousarray / asfortranarray for views, at the speed of memory.

    >>> a = np.arange(6.).reshape(2, 3)
    >>> faro.contiguous(a.T).flags.c_contiguous, bool((faro.contiguous(a.T) == a.T).all())
    (True, True)
    """

@overload
def check(
    x: Stored, y: Stored, /, map: str | None = None, *, axis: None = None,
    axes: Sequence[int | str] | str | None = None,
    flip: Sequence[int | str] | int | str | None = None, memory: int | str = "2GiB",
    threads: int | None = None, dtype: str | None = None, shape: Sequence[int] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any] | None:
    """Of stored arrays, however they are chunked: None where y is x, or x with its axes as `map` or
    `axes` and `flip` say, else how many elements differ, the first of them in C order of y, both
    values, and the chunks that hold it. Of groups: of each array that differs."""
@overload
def check(
    x: Any, y: Any, /, map: MapLike | None = None, *, axis: int | None = None, axes: None = None,
    flip: None = None, memory: int | str = "2GiB", threads: int | None = None, dtype: None = None,
    shape: None = None, progress: Progress | bool | None = None,
) -> Mismatch | None:
    """The first element of y that is not where `map` sends it, compared one by one without tables.

    >>> x = np.arange(8); faro.check(x, faro.permute(x, 'gray'), 'gray') is None
    True
    >>> faro.check(x, x) is None
    True
    """

def set_threads(n: int | None, /) -> int | None:
    """How many threads calls without threads= use; None: as many as the process may run."""

class Mismatch:
    block: int
    index: int
    place: int
    def __init__(self, block: int, index: int, place: int) -> None: ...

class PermutePlan:
    """Made once, executed many times, from any number of threads.

    >>> p = faro.PermutePlan('i:20 -> rev(i)', itemsize=8, threads=1)
    >>> p.passes, p.bytes_moved, p.working_bytes < 1 << 20
    (1, 16777216, True)

    With shape= the map is of arrays of that shape, of any lengths.

    >>> faro.PermutePlan('r c -> c ~r', itemsize=8, shape=(3, 2))(np.arange(6).reshape(3, 2))
    array([[4, 2, 0],
           [5, 3, 1]])
    """

    def __init__(
        self, map: MapLike, *, itemsize: int = 1, outer: int = 1, inner: int = 1,
        shape: Sequence[int] | None = None, axis: int | Sequence[int] | None = None,
        in_place: bool = False, threads: int | None = None,
    ) -> None: ...
    @classmethod
    def of(
        cls, x: Any, map: MapLike, *, axis: int | Sequence[int] | None = None, in_place: bool = False,
        measure: bool = False, threads: int | None = None,
    ) -> PermutePlan: ...
    def __call__(
        self, x: Array, out: Array | None = None, *, progress: Progress | bool | None = None
    ) -> Array: ...
    @property
    def map(self) -> MapLike: ...
    @property
    def passes(self) -> int: ...
    @property
    def bytes_moved(self) -> int: ...
    @property
    def working_bytes(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def in_place(self) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...

class BitMap:
    """to = A from ^ c on the bits of an index. Immutable, hashable, picklable; at most 64 bits.

    >>> r = faro.BitMap('i:4 -> rev(i)'); g = faro.BitMap('gray:4')
    >>> r(1), g(5), (g @ r)(1) == g(r(1)), (r >> g) == g @ r
    (8, 7, True, True)
    >>> r @ r == faro.BitMap.identity(4), (~r)(0), g ** -1
    (True, 15, BitMap('i:4 -> ungray(i)'))
    >>> g(np.arange(4))                          # integer arrays: elementwise
    array([0, 1, 3, 2])
    """

    def __init__(
        self, text: str, *, width: int | None = None, processors: int | None = None,
        shape: Sequence[int] | None = None,
    ) -> None: ...
    @staticmethod
    def identity(width: int, /) -> BitMap: ...
    @staticmethod
    def from_columns(columns: Sequence[int], complement: int = 0) -> BitMap: ...
    @staticmethod
    def from_places(places: Sequence[int], complement: int = 0) -> BitMap:
        """Bit b goes to places[b] (what cuStateVec calls SCATTER); from_sources is GATHER."""
    @staticmethod
    def from_sources(sources: Sequence[int], complement: int = 0) -> BitMap: ...
    @classmethod
    def fit(
        cls, table: Any, /, *, sense: Literal["scatter", "gather"] = "scatter"
    ) -> BitMap:
        """The map of a permutation given in full, or why there is none.

        >>> faro.BitMap.fit([0, 2, 4, 6, 1, 3, 5, 7])
        BitMap('i:3 -> rot(i, 1)')
        >>> faro.BitMap.fit([0, 1, 2, 3, 4, 5, 7, 6])
        Traceback (most recent call last):
        faro.NotAffine: index 6 goes to 7; the images of 0, 2 and 4 say 6
        """
    @classmethod
    def probe(
        cls, f: Callable[[Any], Any], shape: int | Sequence[int], /, like: Any = None
    ) -> BitMap:
        """What an array function does to the index: f is run on the numbers 0 .. n-1 and fitted.

        >>> faro.BitMap.probe(lambda a: np.flip(a, 1).T, (2, 4))
        BitMap('i:3 -> rot(i, 1) ^ 0x6')
        >>> faro.BitMap.probe(np.fft.fftshift, (8,))
        BitMap('i:3 -> i ^ 0x4')
        """
    @classmethod
    def probe_fft(cls, f: Callable[[Any], Any], n: int, /) -> BitMap:
        """The order in which a transform leaves its frequencies: f is run on n tones.

        >>> faro.BitMap.probe_fft(lambda x: np.fft.fftshift(np.fft.fft(x)), 16)
        BitMap('i:4 -> i ^ 0x8')
        """
    @property
    def width(self) -> int: ...
    @property
    def columns(self) -> tuple[int, ...]: ...
    @property
    def complement(self) -> int: ...
    @property
    def kind(
        self,
    ) -> Literal["identity", "complement", "bit-permutation", "bpc", "linear", "affine"]: ...
    @property
    def cycles(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def moved(self) -> int: ...
    @overload
    def __call__(self, index: int) -> int: ...
    @overload
    def __call__(self, index: Array) -> Array: ...
    def __matmul__(self, arg: BitMap, /) -> BitMap: ...
    def __rshift__(self, arg: BitMap, /) -> BitMap: ...
    def __pow__(self, arg: int, /) -> BitMap: ...
    def __invert__(self) -> BitMap: ...
    def __xor__(self, arg: int, /) -> BitMap: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def inverse(self) -> BitMap: ...
    def beside(self, arg: BitMap, /) -> BitMap: ...
    def matrix(self) -> Any: ...
    def table(self) -> Any: ...
    def to(self, system: System, /, **options: Any) -> Any: ...
    def explain(self, fields: Mapping[str, int] | None = None) -> str: ...
    def picture(
        self, what: Literal["standard", "strands", "matrix", "array", "all"] = "standard",
        format: Literal["svg", "tikz"] = "svg",
    ) -> str:
        """A drawing: docs/exports.md."""
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str: ...

class Placement:
    """Which device holds an element, and where in its memory: [replica | index] -> [device | memory].

    >>> a = faro.Placement.read('{devices=[2,1,4]<=[4,2]T(1,0)}', shape=(16, 16, 16))
    >>> b = faro.Placement.read('{devices=[1,8,1]<=[8]}', shape=(16, 16, 16))
    >>> a.device(0), a.replicas, str(a)
    (0, 1, 'i:12 -> i[3:2] i[11] | i[10:4] i[1:0]')
    >>> (a >> b).bytes(4).received                   # of 16384; no schedule delivers fewer
    14336
    """

    def __init__(
        self, text: str, *, shape: Sequence[int] | None = None, devices: int | None = None
    ) -> None: ...
    @classmethod
    def read(
        cls, source: Any, /, *, shape: int | Sequence[int], system: str | None = None,
        devices: int | None = None, **options: Any,
    ) -> Placement:
        """Text of a system, or its object: a JAX sharding, a DTensor, (DeviceMesh, placements)."""
    @classmethod
    def probe(
        cls, owners: Callable[[int], tuple[int, int]] | Mapping[int, Any],
        shape: int | Sequence[int],
    ) -> Placement: ...
    @property
    def map(self) -> BitMap: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def devices(self) -> int: ...
    @property
    def replicas(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def device(self, index: int | Sequence[int], /) -> int | tuple[int, ...]: ...
    def indices(self, device: int, /) -> Any: ...
    def __rshift__(self, arg: Placement, /) -> Move: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def to(self, system: str, /, **options: Any) -> str: ...
    def picture(
        self, what: Literal["standard", "strands", "matrix", "array", "all"] = "standard",
        format: Literal["svg", "tikz"] = "svg",
    ) -> str:
        """A drawing: docs/exports.md."""
    def _repr_html_(self) -> str: ...

class Traffic(NamedTuple):
    kept: int
    received: int
    kept_by_device: tuple[int, ...]
    sent_by_device: tuple[int, ...]
    received_by_device: tuple[int, ...]

class Move:
    """From one placement to another: exact bytes, and its map where it is a permutation."""

    @property
    def source(self) -> Placement: ...
    @property
    def target(self) -> Placement: ...
    @property
    def map(self) -> BitMap | None: ...
    def text(self) -> str:
        """The move in the notation, for faro plan; refused where copies are made or dropped."""
    def bytes(self, itemsize: int) -> Traffic: ...
    def plan(self, on: str, **options: Any) -> MachinePlan:
        """The schedule of the move; plan()'s options."""
    def _repr_html_(self) -> str: ...

@overload
def plan(
    map: MapLike | Move | Sequence[int], on: str, *, elements: int | None = None,
    algorithm: str | None = None,
    verify: Literal["automatic", "proof", "replay", "both", "none"] = "automatic",
    shape: int | Sequence[int] | None = None, element_bytes: None = None,
    progress: Progress | bool | None = None,
) -> MachinePlan:
    """The cheapest schedule that any planner offers, judged by verifiers that share no code with it.

    A list says where every processor's elements go. Refused is raised where a verifier says no.

    >>> s = faro.plan('a:60 -> ungray(a)', 'cube:60', elements=100)
    >>> s.steps, s.bound.value, s.verified
    (80, 61, 'proof')
    >>> faro.plan([2, 0, 3, 1], 'pops:2,2').steps
    1
    >>> s = faro.plan('i:6 -> rev(i)', 'torus:8x8')
    >>> s.steps, s.unit, s.paper.value, s.gap
    (14, 'unit routes', 28, 0)

    With element_bytes an array is asked of: in memory, in files or on ranks.

    >>> p = faro.plan('r c -> c r', 'memory', shape=(721, 1440), element_bytes=4)
    >>> p.cost, p.bound, p.unit
    (1, 1, 'passes')
    >>> p = faro.plan('i:40 -> rev(i)', 'disk:memory=2GiB,run=1MiB', element_bytes=8)
    >>> p.cost, p.gap, p.ok
    (2, 0, True)
    >>> faro.plan('i:20 -> rev(i)', 'ranks:8', element_bytes=8).unit
    'bytes moved'
    """

@overload
def plan(
    map: MapLike | Move, on: str, *, element_bytes: int, elements: int | None = None,
    verify: Literal["automatic", "proof", "replay", "both", "none"] = "automatic",
    shape: int | Sequence[int] | None = None, in_place: bool = False, relabel: bool = False,
    progress: Progress | bool | None = None,
) -> PlacedPlan: ...

def verify(
    schedule: MachinePlan | str | os.PathLike[str] | Mapping[str, Any], /, *,
    map: MapLike | Move | Sequence[int] | None = None,
    by: Literal["automatic", "proof", "replay", "both", "samples"] = "automatic",
) -> Verdict:
    """Judges a schedule: one that was planned, a file, or what json.load made of one.

    >>> import json
    >>> s = faro.plan('a:6 -> ungray(a)', 'cube:6', elements=100)
    >>> bool(faro.verify(s))
    True
    >>> broken = json.loads(s.json()); broken['steps'][0]['rules'].pop() is not None
    True
    >>> verdict = faro.verify(broken)
    >>> verdict.ok, verdict.violations[0].rule
    (False, 'not-delivered')
    """

def transform(
    x: Array,
    kind: Literal["fft", "ifft", "ntt", "intt", "wht", "scan", "sort", "merge"], /, *, on: str = "cube:0",
    layout: str = "cyclic", axis: int = -1, order: Literal["msb", "lsb"] | None = None,
    algorithm: str | None = None, key: str | None = None, sequency: bool = False,
    exclusive: bool = False, modulus: str | int = "998244353",
) -> tuple[Array, Transformed]:
    """A Fourier, number-theoretic or Walsh transform, a scan or a sort, by a butterfly network on an
    emulated cube, of one processor if left out; the result in natural order, and what it took.

    >>> y, took = faro.transform(np.arange(64), 'wht', on='cube:3')
    >>> y[:4], took.steps, took.bound.value
    (array([2016,  -32,  -64,    0]), 4, 4)
    """

class Bound(NamedTuple):
    value: int
    reason: str
    certificate: dict[str, Any] = ...

class Paper(NamedTuple):
    value: int
    formula: str
    citation: str

class Considered(NamedTuple):
    planner: str
    steps: int | None
    why: str

class Violation(NamedTuple):
    step: int
    rule: str
    message: str
    at: dict[str, int | str]

class Verdict(NamedTuple):
    """Of a schedule that somebody wrote; true where it is right."""

    answer: str
    by: str
    limit: str
    violations: tuple[Violation, ...]
    violation_count: int
    delivered: int
    expected: int
    fingerprint: str
    warnings: tuple[str, ...]
    @property
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...

class Transformed(NamedTuple):
    planner: str
    citation: str
    steps: int
    moves: int
    bound: Bound
    crossings: tuple[int, ...]

class PlacedPlan:
    """What moving an array takes at a place: print() says it as `faro plan` does, json() as its --json."""

    @property
    def place(self) -> str: ...
    @property
    def cost(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def gap(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def made_of(self) -> str: ...
    @property
    def ok(self) -> bool:
        """Judged, and right."""
    @property
    def judged(self) -> bool:
        """Whether anybody was asked; an array of more than 1 MiB in memory is not moved for it."""
    def json(self) -> str: ...

class MachinePlan:
    """What plan() returns: counts, the steps, and whether they were proved. Same request, same one.

    >>> s = faro.plan('a:2 -> ungray(a)', 'cube:2')
    >>> list(s)                                       # the steps, as docs/schedule-file.md says
    [{'rules': [{'if': [['0x2', 1]], 'slot': 0, 'across': 0, 'to': 0}]}]
    >>> s.simulate(np.array([10, 11, 12, 13]))        # performed, move by move
    array([10, 11, 13, 12])
    """

    @property
    def map(self) -> BitMap | None: ...
    @property
    def text(self) -> str: ...
    @property
    def machine(self) -> str: ...
    @property
    def elements(self) -> int: ...
    @property
    def slots(self) -> int: ...
    @property
    def planner(self) -> str: ...
    @property
    def citation(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def moves(self) -> int | None: ...
    @property
    def cost(self) -> dict[str, int]: ...
    @property
    def bound(self) -> Bound: ...
    @property
    def paper(self) -> Paper | None: ...
    @property
    def gap(self) -> int: ...
    @property
    def verified(self) -> str | None: ...
    @property
    def considered(self) -> tuple[Considered, ...]: ...
    @property
    def crossings(self) -> tuple[int, ...]: ...
    @property
    def fingerprint(self) -> str: ...
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    def save(
        self, path: str | os.PathLike[str], /, *,
        format: Literal["faro", "csv", "perfetto", "goal", "graphml", "dot"] | None = None,
    ) -> None:
        """As a file that anybody can check (faro verify FILE), or for another tool; left out, by
        the path's ending, .json being faro's own."""
    def picture(
        self, what: Literal["links", "steps", "machine"] = "links", step: int = 0,
        format: Literal["svg", "tikz"] = "svg",
    ) -> str:
        """A drawing: docs/exports.md."""
    def simulate(self, x: Array, /) -> Array:
        """Verified and performed, move by move, on an array of all processors' elements."""
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str | None: ...

def permute_file(
    source: str | os.PathLike[str], target: str | os.PathLike[str], map: MapLike, /, *,
    axis: int | None = None, itemsize: int | None = None, memory: int = 1073741824,
    threads: int | None = None, verify: bool = False, fresh: bool = False,
    device: Literal["ssd", "cloud", "network", "hdd"] = "ssd", checkpoint: float = 10.0,
    progress: Progress | bool | None = None,
) -> FileReport:
    """Rearranges the array in a .npy file, or of raw elements of itemsize bytes, holding no more
    than `memory` bytes. The target appears when it is complete; source = target works in place.
    After Ctrl-C, a kill or a power failure resume_file(target) goes on.

    >>> np.save(folder / 'x.npy', np.arange(16))
    >>> faro.permute_file(folder / 'x.npy', folder / 'y.npy', 'i -> rev(i)').passes
    1
    >>> np.load(folder / 'y.npy')
    array([ 0,  8,  4, 12,  2, 10,  6, 14,  1,  9,  5, 13,  3, 11,  7, 15])
    """

def resume_file(
    target: str | os.PathLike[str], /, *, unchanged: bool = False, threads: int | None = None,
    progress: Progress | bool | None = None,
) -> FileReport:
    """Goes on with a run that was stopped. unchanged=True: where the folder was copied or restored
    since, you know that the files hold what they held then; sizes and samples must still be so."""

def unfinished_file(target: str | os.PathLike[str], /) -> str | None:
    """What a stopped run of this output has done, in words; None where there is none."""

Lengths: TypeAlias = Sequence[int | str] | Mapping[str, int | str] | Mapping[int, int | str] | int | str

def rechunk(
    source: Stored, target: Stored, /, *, chunks: Lengths | None = None,
    shards: Lengths | None = None, axes: Sequence[int | str] | str | None = None,
    flip: Sequence[int | str] | int | str | None = None, map: str | None = None,
    codec: str | None = None, zarr_format: Literal[2, 3] = 3, order: Literal["C", "F"] = "C",
    memory: int | str = "2GiB", passes: int = 0,
    device: Literal["ssd", "cloud", "network", "hdd"] = "ssd", threads: int | None = None,
    resume: bool = False, fresh: bool = False, verify: bool = False,
    worker: tuple[int, int] | None = None, dtype: str | None = None,
    shape: Sequence[int] | None = None, temporary: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Other chunks, shards or order of axes of a stored array of any lengths, or of every array of a
    group, within a cap of memory: Zarr arrays of version 3 or 2, .npy and raw files, in any pairing;
    other stores, and HDF5 as a source, too. Of a target in a store the folder `temporary` has the journal.

    Lengths are one for each axis, one for all, or by names of dimensions; 'auto' makes chunks of
    about 4 MiB, -1 is the whole axis. A target in a folder is of zarr_format= 3 or 2. The target
    appears when it is complete and the digest of what was read is that of what was written. After
    Ctrl-C, a kill or a power failure resume=True goes on. dtype= and shape= say what a raw source
    holds; worker=(i, n) does share i of n.

    >>> np.save(folder / 'maps.npy', np.arange(7 * 30 * 40.).reshape(7, 30, 40))
    >>> report = faro.rechunk(folder / 'maps.npy', folder / 'maps.zarr', chunks=(1, -1, -1))
    >>> report['passes'], report['digest'] == faro.digest(np.load(folder / 'maps.npy'))
    (1, True)
    >>> _ = faro.rechunk(folder / 'maps.zarr', folder / 'turned.zarr', map='t y x -> x ~t y', chunks=8)
    >>> faro.check(folder / 'maps.npy', folder / 'turned.zarr', 't y x -> x ~t y') is None
    True
    """

def rechunk_plan(
    source: Stored, target: Stored | None = None, /, *, chunks: Lengths | None = None,
    shards: Lengths | None = None, axes: Sequence[int | str] | str | None = None,
    flip: Sequence[int | str] | int | str | None = None, map: str | None = None,
    codec: str | None = None, zarr_format: Literal[2, 3] = 3, order: Literal["C", "F"] = "C",
    memory: int | str = "2GiB", passes: int = 0,
    device: Literal["ssd", "cloud", "network", "hdd"] = "ssd", threads: int | None = None,
    dtype: str | None = None, shape: Sequence[int] | None = None,
    temporary: str | os.PathLike[str] | None = None,
) -> Any:
    """The plan of rechunk, of format faro-box-plan/1: passes, tiles, reads, writes, bytes, the most
    memory held, the fewest passes and why; ['describe'] says it in lines. No data is read. It is a
    RechunkPlan, of a group one for each of its arrays, by name."""

class JobResult(NamedTuple):
    """What a job did: its share of the digests, and its counts."""
    stage: int
    number: int
    digest_read: int
    digest_written: int
    bytes_written: int
    reads: int
    bytes_read: int
    writes: int
    buffer_bytes: int
    was_done: bool

class Job(NamedTuple):
    """One job of a rechunking or a resharding (docs/jobs.md): some two hundred bytes, which any process that sees the
    same files runs, twice or twice at once with the same result."""
    folder: str
    plan: str
    stage: int
    number: int
    memory_bytes: int
    def run(self, *, again: bool = False) -> JobResult: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str) -> Job: ...

class Stage(Sequence[Job]):
    """The jobs of one pass, a range: all are done before the first of the next stage begins."""
    number: int
    memory_bytes: int
    def __init__(
        self, folder: bytes, plan: str, number: int, numbers: Sequence[int], memory_bytes: int
    ) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int) -> Job: ...
    @overload
    def __getitem__(self, at: slice) -> Stage: ...
    @property
    def remaining(self) -> Stage: ...
    def finish(self) -> None: ...

class JobsPlan(dict[str, Any]):
    def __init__(
        self, said: Mapping[str, Any], source: bytes, target: Any, words: dict[str, Any]
    ) -> None: ...
    @property
    def stages(self) -> list[Stage]: ...
    def finish(self, results: Iterable[JobResult] | None = None) -> dict[str, Any]: ...
    def discard(self) -> None: ...

class RechunkPlan(JobsPlan):
    """What rechunk_plan says, and its jobs.

    >>> np.save(folder / 'maps.npy', np.arange(7 * 30 * 40.).reshape(7, 30, 40))
    >>> plan = faro.rechunk_plan(folder / 'maps.npy', folder / 'jobs.zarr', chunks=(7, 10, 10))
    >>> results = [job.run() for stage in plan.stages for job in stage]
    >>> plan.finish(results)['digest'] == faro.digest(folder / 'jobs.zarr')
    True
    """

class ReshardPlan(JobsPlan):
    """What reshard_plan says, and its jobs: one stage, in which each job makes one file of the target
    and reads what that holds."""

def reshard(
    source: str | os.PathLike[str], target: str | os.PathLike[str], /, *,
    from_layout: str = "whole", to_layout: str = "whole", memory: int | str = "2GiB",
    file_size: int | str = "5GB",
    from_names: str = "model-rank-{rank}-part-{part}.safetensors",
    to_names: str = "model-rank-{rank}-part-{part}.safetensors", threads: int | None = None,
    resume: bool = False, fresh: bool = False, verify: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """A checkpoint in safetensors files for another number of ranks, within a cap of memory.

    A layout is 'whole', a preset with numbers ('llama:tp=4,pp=2', 'mixtral:tp=2,ep=4') or a file of
    rules (docs/checkpoints.md). The target, a folder, appears when it is complete and the digest of
    every tensor that was read is that of the tensor that was written; after a stop resume=True goes
    on."""

def reshard_plan(
    source: str | os.PathLike[str], target: str | os.PathLike[str] | None = None, /, *,
    from_layout: str = "whole", to_layout: str = "whole",
    memory: int | str = "2GiB", file_size: int | str = "5GB",
    from_names: str = "model-rank-{rank}-part-{part}.safetensors",
    to_names: str = "model-rank-{rank}-part-{part}.safetensors", threads: int | None = None,
) -> ReshardPlan:
    """The plan of reshard: files, bytes, jobs, the most memory held. ['describe'] says it in lines,
    ['explain'] where each tensor lies now and then. Headers are read, and no tensor. With a target its
    `stages` are jobs, as those of rechunk_plan are."""

def digest(
    a: Any, /, *, memory: int | str | None = None, threads: int | None = None,
    dtype: str | None = None, shape: Sequence[int] | None = None,
    progress: Progress | bool | None = None,
) -> Any:
    """What an array holds, in memory or stored: 'fd1:' and 32 digits, which chunks, codecs, orders
    and formats do not change (docs/digest.md). Of a group: of each of its arrays, by name.

    >>> faro.digest(np.arange(6, dtype='<i2').reshape(3, 2))
    'fd1:d82f75954727522b348612b3b87d542b'
    """

class FileReport(NamedTuple):
    bytes: int
    passes: int
    passes_bound: int
    memory: int
    reads: int
    writes: int
    resumed: int
    verified: bool
    seconds: float

class Error(Exception): ...

class NotationError(Error, ValueError):
    text: str
    column: int
    fault: str
    reason: str

class NotAffine(Error, ValueError):
    index: int
    got: int
    expected: int

class NotExpressible(Error, ValueError):
    system: str
    reason: str

class Impossible(Error, ValueError): ...
class UsageError(Error, ValueError): ...
class EnvironmentFault(Error, OSError): ...

class Refused(Error):
    violations: tuple[Any, ...]
