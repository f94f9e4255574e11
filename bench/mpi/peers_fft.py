"""mpi4py-fft between MPI ranks: an axis that is distributed becomes local and another one distributed.

mpirun -n 2 python peers_fft.py [LOCAL-LOG2 [ROUNDS]]    least times as in the table of peers.cpp, divided by
that of MPI_Alltoall of the same bytes in the same run. It says three of its maps; the others need an order
within a rank that it does not give. Beside it faro's Python package, where it can be imported, on the same
arrays.
"""
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft.pencil import Pencil, Subcomm

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
    comm.Barrier()
    start = MPI.Wtime()
    run()
    return comm.allreduce(MPI.Wtime() - start, MPI.MAX)


def line(name, shape, before, after):
    """Distributed along axis `before`, then along `after`: slabs of the array of that shape."""
    dims = [1] * len(shape)
    dims[before] = 0
    first = Pencil(Subcomm(comm, dims), shape, axis=after)
    second = first.pencil(before)
    transfer = first.transfer(second, np.dtype(complex))
    index = np.arange(whole, dtype=float).reshape(shape)
    mine = [slice(None)] * len(shape)
    mine[before] = slice(first.substart[before], first.substart[before] + first.subshape[before])
    a = np.ascontiguousarray(index[tuple(mine)].astype(complex))
    b = np.zeros(second.subshape, dtype=complex)
    transfer.forward(a, b)
    wanted = [slice(None)] * len(shape)
    wanted[after] = slice(second.substart[after], second.substart[after] + second.subshape[after])
    right = comm.allreduce(bool((b == index[tuple(wanted)]).all()), MPI.LAND)
    flat_a, flat_b = a.reshape(-1), np.empty(local, dtype=complex)
    ways = {"raw": lambda: comm.Alltoall(flat_a, flat_b), "fft": lambda: transfer.forward(a, b)}
    if faro_mpi is not None:
        words = " => ".join(f"dtensor:({ranks},) [Shard({axis})]" for axis in (before, after))
        plan = faro_mpi.Plan(comm, words, shape, complex)
        c = np.zeros_like(b)
        plan.execute(a, c)
        right = comm.allreduce(right and bool((b == c).all()), MPI.LAND)
        ways["faro"] = lambda: plan.execute(a, c)
    seconds = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            seconds[way].append(timed(run))
    if comm.rank == 0:
        least = {way: min(taken) for way, taken in seconds.items()}
        figures = [f"{least[way] / least['raw']:.2f}" if right else "wrong" for way in ways if way != "raw"]
        print(f"| {name} | {1e3 * least['raw']:.3f} | {' | '.join(figures)} |", flush=True)


if comm.rank == 0:
    columns = ["map", "MPI_Alltoall ms", "mpi4py-fft", *(["faro"] if faro_mpi is not None else [])]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
line("rank bits with the highest of memory", (ranks, ranks, local // ranks), 0, 1)
line("block to cyclic", (whole // ranks, ranks), 0, 1)
line("cyclic to block", (whole // ranks, ranks), 1, 0)
