"""The qubits of a state that lies on the ranks of a communicator: faro.qubits.Register."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import Error, UsageError
from .mpi import _agree, _mpi, _Polled, _Stopped

_state = 4  # tag
_message_bytes_max = 1 << 30  # MPI counts in int


class Register(_Polled):
    """A state of `n` qubits, 2^n amplitudes on the 2^p ranks of `comm`. Collective.

    X, CNOT, SWAP and every other affine gate are absorbed: they change where qubits are, and nothing
    moves. What else is done needs its qubits on one rank: make_local() brings them, in one exchange that
    moves as little as any can; cost() says how much, before.

        reg = faro.qubits.Register(comm, 24)
        reg.x(3); reg.cnot(3, 23); reg.swap(0, 22)      # nothing moves
        reg.cost([23])                                  # bytes that all ranks would send
        reg.make_local([23])
        zero, one = reg.pairs(23)                       # where the qubit is 0, and 1: places of reg.state
        reg.state[zero], reg.state[one] = reg.state[one], reg.state[zero]
        reg.home()                                      # every amplitude at its index again

    Qubit 0 is the lowest bit of the index. state: this rank's amplitudes, changed in place; without it
    all are 0 but the first of rank 0.
    """

    def __init__(self, comm: Any, n: int, *, state: Any = None, dtype: Any = np.complex128, buffer: int = 64 << 20) -> None:
        self._mpi = _mpi()
        self._buffer = int(buffer)
        self._plans: dict[Any, Any] = {}
        error: BaseException | None = None
        try:
            if comm.size & (comm.size - 1):
                raise UsageError(f"{comm.size} ranks: qubits are bits, and so are ranks: 1, 2, 4, 8 ..")
            self._rank_bits = comm.size.bit_length() - 1
            if not self._rank_bits <= n <= 62:
                raise UsageError(f"{n} qubits on {comm.size} ranks; {self._rank_bits} to 62 are wanted")
            self.n = n
            self._qubits = _core._Qubits(n, self._rank_bits)
            local = 1 << (n - self._rank_bits)
            if state is None:
                state = np.zeros(local, dtype)
                state[0] = comm.rank == 0
            if not isinstance(state, np.ndarray) or state.shape != (local,):
                raise UsageError(f"state: an array of {local} amplitudes is wanted")
            if not state.flags.c_contiguous or not state.flags.writeable or state.dtype.hasobject:
                raise UsageError("state: it must be contiguous, of plain elements, and not locked")
            self.state: np.ndarray = state
        except Exception as caught:
            error = caught
        _agree(comm, error)
        self._comm = comm.Dup()
        self._same((n, self.state.dtype.str, self._buffer), "qubits, elements or buffer")

    def _same(self, what: Any, words: str) -> None:
        first = self._comm.bcast(what, root=0)
        _agree(self._comm, None if first == what else UsageError(f"other {words} than those of rank 0"))

    def close(self) -> None:
        """Gives the duplicate of the communicator back. Collective."""
        self._comm.Free()

    # Gates that move nothing.
    def x(self, qubit: int) -> None:
        self._qubits.x(qubit)

    def cnot(self, control: int, target: int) -> None:
        self._qubits.cnot(control, target)

    def swap(self, a: int, b: int) -> None:
        self._qubits.swap(a, b)

    def absorb(self, gates: Any) -> None:
        """A map of the index, or its words: 'qiskit:cx(0, 1); swap(2, 3)', 'i -> gray(i)'."""
        if isinstance(gates, str):
            gates = _core.BitMap(gates, width=self.n)
        self._qubits.absorb(gates)

    def is_local(self, qubit: int) -> bool:
        """Whether amplitudes that differ in this qubit alone are on one rank."""
        return self._qubits.is_local(qubit)

    def values(self, qubit: int) -> np.ndarray:
        """Of each amplitude here, whether the qubit is 1. Needs nothing local."""
        mask, turned = self._qubits.parity(qubit)
        m = self.n - self._rank_bits
        turned ^= bool(bin(mask >> m & self._comm.rank).count("1") & 1)
        odd = np.full(1, turned)
        for b in range(m):
            odd = np.concatenate([odd, ~odd if mask >> b & 1 else odd])
        return odd

    def pairs(self, qubit: int) -> tuple[np.ndarray, np.ndarray]:
        """The places of amplitudes that differ in this qubit alone: where it is 0, and where 1."""
        if not self.is_local(qubit):
            raise UsageError(f"qubit {qubit} is not local; make_local([{qubit}]) brings it")
        zero = np.flatnonzero(~self.values(qubit))
        return zero, zero ^ self._qubits.step(qubit)

    def cost(self, qubits: Sequence[int], keep: Sequence[int] = ()) -> int:
        """What make_local would send, all ranks together, in bytes."""
        copy = self._qubits.copy()
        return self._plan(copy.bring_local(list(qubits), list(keep))).moved_bytes

    def make_local(self, qubits: Sequence[int], keep: Sequence[int] = ()) -> int:
        """These qubits on one rank, of `keep` those that have room. Collective; bytes that were sent."""
        self._same((list(qubits), list(keep), str(self._qubits.where())), "qubits or gates")
        copy, error, plan = self._qubits.copy(), None, None
        try:
            plan = self._plan(copy.bring_local(list(qubits), list(keep)))
        except Error as caught:
            error = caught
        _agree(self._comm, error)
        return self._perform(plan, copy)

    def home(self) -> int:
        """Every amplitude at its index, on rank index >> local bits. Collective; bytes that were sent."""
        self._same(str(self._qubits.where()), "gates")
        copy = self._qubits.copy()
        return self._perform(self._plan(copy.home()), copy)

    def _plan(self, move: Any) -> Any:
        if move not in self._plans:
            if len(self._plans) == 32:
                self._plans.clear()
            self._plans[move] = _core._Exchange.make(move, self._rank_bits, self.state.dtype.itemsize, self._buffer)
        return self._plans[move]

    def _perform(self, plan: Any, after: Any) -> int:
        data = self.state.view(np.uint8)
        try:
            if plan.has_exchange:
                self._exchange(plan, data)
            plan.finish(self._comm.rank, data)
        except _Stopped as stopped:
            raise Error(f"{stopped}; the exchange broke off, and the state is to be thrown away") from None
        except BaseException:
            self._tell_all()
            raise
        self._qubits = after
        return plan.moved_bytes

    def _exchange(self, plan: Any, data: np.ndarray) -> None:
        rank, size = self._comm.rank, plan.block_bytes
        send = np.empty(plan.step_bytes, np.uint8) if plan.packs else data
        received = np.empty(plan.step_bytes, np.uint8) if plan.unpacks else data
        for step in range(plan.steps):
            blocks = plan.blocks(rank, step)
            if not blocks:
                continue
            if plan.packs:
                plan.pack(rank, step, data, send)
            receives: list[Any] = []
            sends: list[Any] = []
            for target, out, origin, into in blocks:
                if target == rank:
                    received[into: into + size] = send[out: out + size]
                    continue
                for at in range(0, size, _message_bytes_max):
                    end = min(size, at + _message_bytes_max)
                    receives.append(self._comm.Irecv([received[into + at: into + end], self._mpi.BYTE], origin, _state))
                    sends.append(self._comm.Isend([send[out + at: out + end], self._mpi.BYTE], target, _state))
            requests = receives + sends
            try:
                self._wait(lambda: (0, self._mpi.Request.Testall(requests)))
            except BaseException:
                self._break_off(receives, (sends, send, received))
                raise
            if plan.unpacks:
                plan.unpack(rank, step, received, data)
