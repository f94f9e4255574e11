"""Arrays of any lengths between the ranks of an mpi4py communicator.

    from mpi4py import MPI
    import faro.mpi, numpy as np

    rows, columns = 'dtensor:(3,) [Shard(0)]', 'dtensor:(3,) [Shard(1)]'
    plan = faro.mpi.Plan(MPI.COMM_WORLD, f'{rows} => {columns}', (7168, 50257), np.float32)
    print(plan.moved_bytes)                  # the least that can be, known before anything moves
    y = plan.execute(x)                      # x: this rank's rows; y: its columns, all of them

Placements are the words of JAX, DTensor, HPF and ScaLAPACK; `rows => r c -> c r => columns` also
changes the order of the axes. What lies as one run of memory is sent from the array it is in, and received in
the one it belongs to; other elements are packed by faro. They travel by the communicator's own
messages, so any MPI that mpi4py works with will do: there is none in this package.

Every rank calls alike. Errors in what one rank was given are raised by all, before anything is sent,
and name the rank. A rank that is interrupted in the middle tells the others, which raise too. Where
a process dies, MPI's launcher ends the job.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _errors
from ._errors import Error, UsageError

__all__ = ["Plan", "local_indices", "redistribute"]

_data, _stop = 1, 2  # tags
# As the C++ plans have them (src/mpi/grid_plan.cpp): slices that are packed, how many have buffers, and how many
# are under way at most, of each direction.
_slice_bytes_max = 4 << 20
_buffers = 4
_outstanding = 16
_spins = 200  # before a rank that waits gives its core away


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError("faro.mpi moves by mpi4py, which is not here: pip install mpi4py") from error
    return MPI


def _agree(comm: Any, error: BaseException | None) -> None:
    """Raises on all ranks, the same, if any rank has an error: that of the lowest one."""
    first = comm.allreduce(comm.rank if error is not None else comm.size, _mpi().MIN)
    if first == comm.size:
        return
    told = comm.bcast((type(error).__name__, str(error)) if comm.rank == first else None, root=first)
    kind = getattr(_errors, told[0], None)
    if not (isinstance(kind, type) and issubclass(kind, Error)):
        kind = Error
    raise kind(f"rank {first}: {told[1]}") from error


def _bytes(x: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """The array's memory as bytes, without a copy."""
    laid = x.transpose(order)
    if not laid.flags.c_contiguous:
        raise UsageError("the array is not dense in the placement's order of axes; np.ascontiguousarray copies it")
    return laid.reshape(-1).view(np.uint8)


_broken_off: list[object] = []  # requests, and the memory that they may still use


class _Stopped(Exception):
    """Another rank was interrupted."""


class _Polled:
    """Waits for messages without being deaf to interrupts, its own and those of other ranks."""

    _mpi: Any
    _comm: Any

    def _wait(self, test: Callable[[], tuple[int, bool]]) -> int:
        """Until it is so: interrupts are heard, and what other ranks tell."""
        spins = 0
        while True:
            at, is_done = test()
            if is_done:
                return at
            spins += 1
            if spins < _spins:
                continue
            status = self._mpi.Status()
            if self._comm.Iprobe(self._mpi.ANY_SOURCE, _stop, status):
                raise _Stopped(f"rank {status.Get_source()} was interrupted")
            time.sleep(2e-5 if spins < 20 * _spins else 5e-4)

    def _break_off(self, receives: list[Any], others: object) -> None:
        """Receives under way would write where somebody else may have memory soon: they are cancelled. What does
        not end within a second, and what is being sent, keeps its memory as long as the process."""
        for request in receives:
            if request:  # not done yet
                request.Cancel()
        for _ in range(1000):
            if self._mpi.Request.Testall(receives):
                break
            time.sleep(1e-3)
        _broken_off.append((receives, others))

    def _tell_all(self) -> None:
        for peer in range(self._comm.size):
            if peer != self._comm.rank:
                self._comm.Isend([np.empty(0, np.uint8), 0, self._mpi.BYTE], peer, _stop).Free()


class Plan(_Polled):
    """The move that `words` say, of an array of `shape`, between the ranks of `comm`. Collective.

    words     'PLACEMENT => PLACEMENT' or 'PLACEMENT => MAP => PLACEMENT'
    shape     of the whole array, before
    relabel   whether results may lie on other ranks, so that less is sent: rank r then gets the
              result of rank `relabelling[r]`
    buffer    bytes that a rank may take beside its arrays

    The communicator is duplicated; close() or `with` gives the duplicate back, on all ranks.
    """

    def __init__(
        self,
        comm: Any,
        words: str,
        shape: Sequence[int],
        dtype: Any,
        *,
        relabel: bool = False,
        buffer: int = 64 << 20,
    ) -> None:
        self._mpi = _mpi()
        self._usable = True
        move: Any = None
        key = ""
        error: BaseException | None = None
        try:
            self.dtype = np.dtype(dtype)
            if self.dtype.hasobject:
                raise UsageError("elements that are Python objects have no bytes to send")
            shape = tuple(int(n) for n in shape)
            item = max(1, self.dtype.itemsize)
            room = int(buffer) // item
            if room < 4:
                raise UsageError(f"buffer={buffer}: 4 elements of {self.dtype.itemsize} bytes at least")
            self._buffers = min(_buffers, room // 2)
            self._slice = min(room // (2 * self._buffers), max(1, _slice_bytes_max // item))
            move = _core._GridMove(words, shape, self.dtype.itemsize, bool(relabel))
            if move.ranks > comm.size:
                raise UsageError(f"the placements are on {move.ranks} ranks, the communicator has {comm.size}")
            here = comm.rank < move.ranks
            self._sends = move.slices_sent(comm.rank, self._slice) if here else []
            self._receives = move.slices_received(comm.rank, self._slice) if here else []
            told = repr((words, shape, self.dtype.str, bool(relabel), self._slice))
            key = hashlib.sha256(told.encode()).hexdigest()
        except Exception as caught:
            error = caught
        first = comm.bcast(key, root=0)
        if error is None and first and key != first:
            error = UsageError("words, shape, dtype, relabel or buffer are other ones than those of rank 0")
        _agree(comm, error)
        self._move = move
        self._comm = comm.Dup()

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the duplicate of the communicator back. Collective."""
        if self._comm is not None and self._usable:
            self._comm.Free()
        self._comm = None

    # What will happen, known on every rank.
    @property
    def bytes(self) -> int:
        """Of the array, once."""
        return self._move.bytes

    @property
    def moved_bytes(self) -> int:
        """What all ranks send together: the least that any move can."""
        return self._move.moved_bytes

    @property
    def kept_bytes(self) -> int:
        """What stays on its rank."""
        return self._move.kept_bytes

    @property
    def most_received_bytes(self) -> int:
        """By one rank."""
        return self._move.most_received_bytes

    @property
    def kept_bytes_at_most(self) -> int:
        """What no relabelling exceeds, with relabel=True."""
        return self._move.kept_bytes_at_most

    @property
    def relabelled(self) -> str:
        """'no', 'exactly': no order of the ranks keeps more, 'by axis' or 'by rank'."""
        return self._move.relabelled

    @property
    def relabelling(self) -> list[int]:
        """By rank, whose result it gets."""
        return self._move.relabelling

    def _here(self, rank: int | None) -> int:
        return self._comm.rank if rank is None else rank

    def sends(self, rank: int | None = None) -> list[tuple[int, int, int]]:
        """(rank, bytes, pieces) of each message that a rank sends; this one's without a rank."""
        rank = self._here(rank)
        if rank >= self._move.ranks:
            return []
        return [(peer, n * self.dtype.itemsize, pieces) for peer, n, pieces in self._move.sends(rank)]

    def receives(self, rank: int | None = None) -> list[tuple[int, int, int]]:
        """The same of what it receives."""
        rank = self._here(rank)
        if rank >= self._move.ranks:
            return []
        return [(peer, n * self.dtype.itemsize, pieces) for peer, n, pieces in self._move.receives(rank)]

    def local_shape(self, rank: int | None = None) -> tuple[int, ...]:
        """Of a rank's array before; sides of 0 where it has none."""
        rank = self._here(rank)
        if rank >= self._move.ranks:
            return (0,) * len(self._move.from_order)
        return tuple(self._move.from_shape(rank))

    def result_shape(self, rank: int | None = None) -> tuple[int, ...]:
        """Of a rank's array after."""
        rank = self._here(rank)
        if rank >= self._move.ranks:
            return (0,) * len(self._move.to_order)
        return tuple(self._move.to_shape(rank))

    def describe(self) -> str:
        return self._move.describe()

    def execute(
        self,
        x: np.ndarray | None,
        out: np.ndarray | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> np.ndarray:
        """This rank's part of the array, moved: into `out`, or into a new array. Collective.

        Ranks that hold nothing before may give None. progress(bytes, of_bytes) hears what this rank
        has received; an exception from it stops the exchange on all ranks.
        """
        if self._comm is None or not self._usable:
            raise UsageError("the plan was closed, or an exchange broke off: make another one")
        error: BaseException | None = None
        source = target = None
        try:
            x, source = self._checked(x, self.local_shape(), self._move.from_order, "x")
            if out is None:
                out = self._new()
            out, target = self._checked(out, self.result_shape(), self._move.to_order, "out")
            if not out.flags.writeable:
                raise UsageError("out may not be written")
            if np.may_share_memory(source, target):
                raise UsageError("x and out share memory")
        except Exception as caught:
            error = caught
        _agree(self._comm, error)
        assert out is not None and source is not None and target is not None
        try:
            self._exchange(source, target, progress)
        except _Stopped as stopped:
            self._usable = False
            raise Error(f"{stopped}; the exchange broke off, and the arrays are to be thrown away") from None
        except BaseException:
            self._usable = False
            self._tell_all()
            raise
        return out

    def _new(self) -> np.ndarray:
        order = self._move.to_order
        shape = self.result_shape()
        laid = np.empty([shape[a] for a in order], self.dtype)
        return laid.transpose(np.argsort(order)) if order else laid

    def _checked(
        self, x: np.ndarray | None, shape: tuple[int, ...], order: Sequence[int], name: str
    ) -> tuple[np.ndarray, np.ndarray]:
        if x is None and 0 in shape:
            x = np.empty(shape, self.dtype)
        if not isinstance(x, np.ndarray):
            raise UsageError(f"{name}: a NumPy array of shape {shape} is wanted")
        if x.dtype != self.dtype:
            raise UsageError(f"{name} has elements of {x.dtype}, the plan is for {self.dtype}")
        if x.shape != shape and not (x.size == 0 and 0 in shape):
            raise UsageError(f"{name} has shape {x.shape}, this rank's part has {shape}")
        if x.shape != shape:
            x = x.reshape(shape)
        return x, _bytes(x, order)

    def _exchange(self, source: np.ndarray, target: np.ndarray, progress: Any) -> None:
        rank, item = self._comm.rank, self.dtype.itemsize
        sends, receives = self._sends[::-1], self._receives[::-1]
        total = sum(slice_[2] for slice_ in receives) * item
        done = 0
        free: dict[str, list[np.ndarray]] = {}
        for kind, list_ in (("send", sends), ("receive", receives)):
            packed = [slice_[2] for slice_ in list_ if slice_[3] is None]
            largest = max(packed, default=0) * item
            free[kind] = [np.empty(largest, np.uint8) for _ in packed[:self._buffers]]
        idle = {"send": _outstanding, "receive": _outstanding}
        requests: list[Any] = []
        what: list[tuple[str, np.ndarray | None, np.ndarray, tuple[int, int, int, int | None]]] = []
        byte = self._mpi.BYTE
        kept = rank >= self._move.ranks

        def post(kind: str, list_: list[tuple[int, int, int, int | None]], array: np.ndarray, start: Any) -> None:
            """As many of a direction's next slices as there is room for."""
            while list_ and idle[kind] and (list_[-1][3] is not None or free[kind]):
                slice_ = list_.pop()
                peer, first, elements, place = slice_
                idle[kind] -= 1
                buffer = free[kind].pop() if place is None else None
                if buffer is not None:
                    memory = buffer[: elements * item]
                    if kind == "send":
                        self._move.pack(rank, peer, first, array, memory)
                else:
                    memory = array[place : place + elements * item]
                requests.append(start([memory, memory.size, byte], peer, _data))
                what.append((kind, buffer, memory, slice_))

        try:
            while sends or receives or requests or not kept:
                post("receive", receives, target, self._comm.Irecv)
                post("send", sends, source, self._comm.Isend)
                if not kept:  # while the first ones travel
                    self._move.keep(rank, source, target)
                    kept = True
                    continue
                at = self._wait(lambda: self._mpi.Request.Testany(requests))
                requests.pop(at)
                kind, buffer, memory, slice_ = what.pop(at)
                if kind == "receive":
                    if buffer is not None:
                        self._move.unpack(slice_[0], rank, slice_[1], memory, target)
                    done += memory.size
                    if progress is not None:
                        progress(done, total)
                idle[kind] += 1
                if buffer is not None:
                    free[kind].append(buffer)
            # Nobody leaves before all have all: then an error is everybody's.
            barrier = self._comm.Ibarrier()
            self._wait(lambda: (0, barrier.Test()))
        except BaseException:
            receiving = [request for request, (kind, *_) in zip(requests, what) if kind == "receive"]
            self._break_off(receiving, (requests, what, source, target))
            raise


def local_indices(placement: str, shape: Sequence[int], rank: int) -> tuple[np.ndarray, ...]:
    """Of each axis the indices that a rank holds, in the order of its array: all[np.ix_(*local_indices(..))]
    is the rank's part. Needs no MPI.
    """
    held = _core._local_indices(placement, tuple(int(n) for n in shape), rank)
    return tuple(np.frombuffer(part, np.uint64).astype(np.intp) for part in held)


def redistribute(
    x: np.ndarray | None,
    comm: Any,
    from_: str,
    to: str,
    shape: Sequence[int],
    *,
    dtype: Any = None,
    map: str | None = None,
    out: np.ndarray | None = None,
    relabel: bool = False,
    buffer: int = 64 << 20,
) -> np.ndarray:
    """Once, without a plan to keep: `x`, this rank's part of an array of `shape` placed as `from_`
    says, placed as `to` says. Collective. dtype is that of x, which ranks without a part must say.
    """
    error = None
    if dtype is None:
        if isinstance(x, np.ndarray):
            dtype = x.dtype
        else:
            error = UsageError("a rank without a part says dtype=")
    _agree(comm, error)
    words = f"{from_} => {to}" if map is None else f"{from_} => {map} => {to}"
    with Plan(comm, words, shape, dtype, relabel=relabel, buffer=buffer) as plan:
        return plan.execute(x, out)
