"""Python between MPI ranks: an axis that is distributed becomes local and another one distributed, by
mpi4py-fft and by faro.mpi, each where it can be imported.

mpirun -n 2 python peers_fft.py [LOCAL-LOG2 [ROUNDS]]    medians of ROUNDS, each after an untimed run of the
same, divided by that of MPI_Alltoall of the same bytes in the same run. mpi4py-fft says three of the maps of
peers.cpp; the others need an order within a rank that it does not give.
"""
import sys

import numpy as np
from mpi4py import MPI

try:
    from mpi4py_fft.pencil import Pencil, Subcomm
except ImportError:
    Pencil = None

try:
    import faro.mpi as faro_mpi
except ImportError:
    faro_mpi = None

comm = MPI.COMM_WORLD
ranks = comm.size
local = 1 << int(sys.argv[1] if len(sys.argv) > 1 else 22)
rounds = int(sys.argv[2] if len(sys.argv) > 2 else 9)
whole = local * ranks


def timed(run):
    run()
    comm.Barrier()
    start = MPI.Wtime()
    run()
    return comm.allreduce(MPI.Wtime() - start, MPI.MAX)


def line(name, shape, before, after):
    """Distributed along axis `before`, then along `after`: slabs of the array of that shape."""
    def part(axis):
        """Where this rank's slab along an axis is."""
        each = -(-shape[axis] // ranks)
        where = [slice(None)] * len(shape)
        where[axis] = slice(min(shape[axis], each * comm.rank), min(shape[axis], each * (comm.rank + 1)))
        return tuple(where)

    index = np.arange(whole, dtype=float).reshape(shape)
    a = np.ascontiguousarray(index[part(before)].astype(complex))
    wanted = index[part(after)]
    flat_a, flat_b = a.reshape(-1), np.zeros(local, dtype=complex)
    ways = {"raw": lambda: comm.Alltoall(flat_a, flat_b)}
    right = True
    if Pencil is not None:
        dims = [1] * len(shape)
        dims[before] = 0
        first = Pencil(Subcomm(comm, dims), shape, axis=after)
        transfer = first.transfer(first.pencil(before), np.dtype(complex))
        b = np.zeros(wanted.shape, dtype=complex)
        transfer.forward(a, b)
        right = comm.allreduce(bool((b == wanted).all()), MPI.LAND)
        ways["fft"] = lambda: transfer.forward(a, b)
    if faro_mpi is not None:
        words = " => ".join(f"dtensor:({ranks},) [Shard({axis})]" for axis in (before, after))
        plan = faro_mpi.Plan(comm, words, shape, complex)
        c = np.zeros(wanted.shape, dtype=complex)
        plan.execute(a, c)
        right = comm.allreduce(right and bool((c == wanted).all()), MPI.LAND)
        ways["faro"] = lambda: plan.execute(a, c)
    seconds = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            seconds[way].append(timed(run))
    if comm.rank == 0:
        middle = {way: float(np.median(taken)) for way, taken in seconds.items()}
        figures = [f"{middle[way] / middle['raw']:.2f}" if right else "wrong" for way in ways if way != "raw"]
        print(f"| {name} | {1e3 * middle['raw']:.3f} | {' | '.join(figures)} |", flush=True)


if comm.rank == 0:
    columns = ["map", "MPI_Alltoall ms", *(["mpi4py-fft"] if Pencil is not None else []),
               *(["faro"] if faro_mpi is not None else [])]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
line("rank bits with the highest of memory", (ranks, ranks, local // ranks), 0, 1)
line("block to cyclic", (whole // ranks, ranks), 0, 1)
line("cyclic to block", (whole // ranks, ranks), 1, 0)
