"""Rearrange arrays by maps on index bits.

>>> import numpy as np, faro
>>> x = np.arange(8)
>>> faro.permute(x, 'bit-reversal')
array([0, 4, 2, 6, 1, 5, 3, 7])
>>> faro.permute(x, 'i -> gray(i)')              # element i goes to gray(i)
array([0, 1, 3, 2, 7, 6, 4, 5])
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

Array = TypeVar("Array")  # numpy.ndarray, torch.Tensor, jax.Array: what comes in comes back
MapLike: TypeAlias = BitMap | str  # wherever a map is asked for, its text will do
Progress: TypeAlias = Callable[[int, int], object]
System: TypeAlias = Literal[
    "numpy", "einops", "jax", "shardy", "xla", "dtensor", "cute", "triton", "qiskit", "cirq",
    "qasm", "custatevec", "c",
]
__version__: str

def permute(
    x: Array, map: MapLike, /, *, axis: int | Sequence[int] | None = None,
    out: Array | None = None, threads: int | None = None, copy: bool | None = None,
    progress: Progress | bool | None = None,
) -> Array:
    """The element at index i goes to index map(i) (scatter). The shape stays as it is.

    axis=None: the C-order index of all axes; an axis: that axis, the others are batches; several
    adjacent axes: their joint index. out=x works in place.

    >>> a = np.arange(8).reshape(2, 4)
    >>> faro.permute(a, 'i -> ~i', axis=1)
    array([[3, 2, 1, 0],
           [7, 6, 5, 4]])
    >>> faro.permute(a, 'i -> rot(i, 1)', out=a)      # in place; a is returned
    array([[0, 4, 1, 5],
           [2, 6, 3, 7]])
    >>> faro.permute(np.arange(6), 'bit-reversal')
    Traceback (most recent call last):
    faro.Impossible: 6 elements: a bit map moves 2^p (axis 0 of shape (6,))
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

def check(
    x: Array, y: Array, map: MapLike, /, *, axis: int | None = None
) -> Mismatch | None:
    """The first element of y that is not where `map` sends it, compared one by one without tables.

    >>> x = np.arange(8); faro.check(x, faro.permute(x, 'gray'), 'gray') is None
    True
    """

def set_threads(n: int | None, /) -> int | None:
    """How many threads calls without threads= use; None: as many as the process may run."""

class Mismatch:
    block: int
    index: int
    place: int
    def __init__(self, block: int, index: int, place: int) -> None: ...

class Plan:
    """Made once, executed many times, from any number of threads.

    >>> p = faro.Plan('i:20 -> rev(i)', itemsize=8)
    >>> p.passes, p.bytes_moved, p.working_bytes < 1 << 20
    (1, 16777216, True)
    """

    def __init__(
        self, map: MapLike, *, itemsize: int = 1, outer: int = 1, inner: int = 1,
        in_place: bool = False, threads: int | None = None,
    ) -> None: ...
    @classmethod
    def of(
        cls, x: Any, map: MapLike, *, axis: int | None = None, in_place: bool = False,
        measure: bool = False, threads: int | None = None,
    ) -> Plan: ...
    def __call__(
        self, x: Array, out: Array | None = None, *, progress: Progress | bool | None = None
    ) -> Array: ...
    @property
    def map(self) -> BitMap: ...
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
    def _repr_html_(self) -> str: ...

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
    def _repr_html_(self) -> str: ...

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
